//! The system call filter: a short deny list as a balanced jump tree. The kernel evaluates a filter
//! once per system call when it is installed, so depth costs start-up time: a tree of 60 leaves
//! costs a tenth of a chain of 60. Calls that need a capability are not listed, because all
//! capabilities are dropped.
#![expect(unsafe_code, reason = "seccomp has no safe wrapper that is usable after a raw fork")]
#![expect(clippy::cast_possible_truncation, reason = "opcodes and error numbers of the kernel's interface fit 16 bits")]

use libc::{c_long, sock_filter};

use super::raw::call;
use super::sys::{Result, check};

/// Namespace flags of `clone`, all but the one for time, which `clone` does not know.
const CLONE_NEW_ANY: u32 = 0x7E02_0000;
/// Commands of `fcntl` that prevent others from opening a file or folder entries.
const F_SETLEASE: u32 = 1024;
const F_SETDELEG: u32 = 1040;
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541C;

#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xC000_00B7;
#[cfg(target_arch = "riscv64")]
const ARCH: u32 = 0xC000_00F3;

/// `fchmodat2`, on every architecture.
const SYS_FCHMODAT2: c_long = 452;
/// Set-uid and set-gid.
const SET_ID: u32 = 0o6000;
/// Flags of `open` with which the mode applies: `O_CREAT` and the flag for a file without a name.
const CREATES: u32 = 0o100 | 0o20_000_000;

const X32_BIT: u32 = 0x4000_0000;
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCH: u32 = 4;
/// Low half of argument `n`.
const fn argument(n: u32) -> u32 {
    16 + 8 * n
}
/// High half of argument `n`.
const fn high_half(n: u32) -> u32 {
    argument(n) + 4
}

/// The sockets a process may create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sockets {
    /// Internet, local and routing sockets on the machine's network.
    Machine,
    /// The same kinds, but only for the process's own network.
    Own,
    /// None, if the network is closed and the process has no network of its own.
    None,
}

/// Condition under which a listed system call is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deny {
    /// Always, with the filter's answer.
    Hit,
    /// Always, with this error number.
    Always(u16),
    /// When the low half of this argument has one of these bits.
    AnyBit { argument: u32, bits: u32 },
    /// When the low half of this argument is one of these two.
    Either { argument: u32, values: [u32; 2] },
    /// If the flags create a file, with one of these bits in its mode.
    Made { flags: u32, mode: u32 },
    /// If it sets the limits of a process given by its id; 0 is the caller.
    LimitsOfOthers,
    /// All families except internet, local and (for the machine's own addresses) routing sockets.
    UnusualFamily,
}

const REFUSE: Deny = Deny::Always(libc::EPERM as u16);

/// A filter, ready to be installed by a forked child.
pub(crate) struct Filter {
    program: Vec<sock_filter>,
}

impl Filter {
    /// Builds the deny list.
    pub(crate) fn new(sockets: Sockets) -> Self {
        let mut rules = deny_list(sockets);
        rules.sort_by_key(|(number, _)| *number);
        rules.dedup_by_key(|(number, _)| *number);
        let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
        Self { program: program(&rules, refuse, refuse) }
    }

    /// Installs the filter in the calling process. `no_new_privs` must be set.
    pub(crate) fn install(&self) -> Result<()> {
        let program = libc::sock_fprog {
            len: u16::try_from(self.program.len()).unwrap_or(0),
            filter: self.program.as_ptr().cast_mut(),
        };
        // SAFETY: `program` describes a live slice, which the kernel copies.
        check(unsafe { call!(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) }).map(|_| ())
    }
}

fn deny_list(sockets: Sockets) -> Vec<(u32, Deny)> {
    let mut rules: Vec<(c_long, Deny)> = [
        // the mount tree and namespaces
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_open_tree,
        libc::SYS_move_mount,
        libc::SYS_fsopen,
        libc::SYS_fsconfig,
        libc::SYS_fsmount,
        libc::SYS_fspick,
        libc::SYS_mount_setattr,
        libc::SYS_unshare,
        libc::SYS_setns,
        // other processes
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_process_madvise,
        libc::SYS_pidfd_getfd,
        libc::SYS_kcmp,
        // ways around path and call checks
        libc::SYS_open_by_handle_at,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        // kernel interfaces without a legitimate use here
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_kexec_load,
        libc::SYS_kexec_file_load,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_acct,
        libc::SYS_quotactl,
        libc::SYS_sethostname,
        libc::SYS_setdomainname,
        libc::SYS_settimeofday,
        libc::SYS_clock_settime,
        libc::SYS_adjtimex,
        libc::SYS_clock_adjtime,
        libc::SYS_syslog,
    ]
    .into_iter()
    .map(|number| (number, REFUSE))
    .collect();
    // Flags of `clone3` are in memory, which a filter cannot read; libc falls back to `clone`.
    rules.push((libc::SYS_clone3, Deny::Always(libc::ENOSYS as u16)));
    rules.push((libc::SYS_clone, Deny::AnyBit { argument: 0, bits: CLONE_NEW_ANY }));
    rules.push((libc::SYS_ioctl, Deny::Either { argument: 1, values: [TIOCSTI, TIOCLINUX] }));
    // Leases and delegations would block programs that open the file to inspect it.
    rules.push((libc::SYS_fcntl, Deny::Either { argument: 1, values: [F_SETLEASE, F_SETDELEG] }));
    let socket = if sockets == Sockets::None { REFUSE } else { Deny::UnusualFamily };
    rules.push((libc::SYS_socket, socket));
    rules.push((libc::SYS_prlimit64, Deny::LimitsOfOthers));
    rules.extend(set_id_rules());
    rules.into_iter().filter_map(|(number, deny)| Some((u32::try_from(number).ok()?, deny))).collect()
}

/// Rules for calls that give a file the set-uid or set-gid bit: outside the sandbox it would run
/// with its owner's rights.
fn set_id_rules() -> Vec<(c_long, Deny)> {
    let mode = |argument| Deny::AnyBit { argument, bits: SET_ID };
    let mut rules = vec![
        (libc::SYS_fchmod, mode(1)),
        (libc::SYS_fchmodat, mode(2)),
        (SYS_FCHMODAT2, mode(2)),
        (libc::SYS_mknodat, mode(2)),
        (libc::SYS_openat, Deny::Made { flags: 2, mode: 3 }),
        // Its mode is in memory, which a filter cannot read. Programs that use the call also
        // support kernels without it.
        (libc::SYS_openat2, Deny::Always(libc::ENOSYS as u16)),
    ];
    #[cfg(target_arch = "x86_64")]
    rules.extend([
        (libc::SYS_chmod, mode(1)),
        (libc::SYS_creat, mode(1)),
        (libc::SYS_mknod, mode(1)),
        (libc::SYS_open, Deny::Made { flags: 1, mode: 2 }),
    ]);
    rules
}

/// A program that returns `hit` for denied calls of the sorted `rules`, and `foreign` for other
/// calling conventions.
pub(super) fn program(rules: &[(u32, Deny)], hit: u32, foreign: u32) -> Vec<sock_filter> {
    let mut program = vec![load(OFFSET_ARCH), jump(libc::BPF_JEQ, ARCH, 1, 0), answer(foreign), load(OFFSET_NUMBER)];
    if cfg!(target_arch = "x86_64") {
        program.push(jump(libc::BPF_JGE, X32_BIT, 0, 1));
        program.push(answer(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32));
    }
    program.extend(tree(rules, hit));
    program
}

/// Maximum number of calls with the same answer that are compared in sequence. The kernel compiles
/// the program for each process, so its length also costs start-up time.
const MOST_ALIKE: usize = 4;

/// A search tree over the sorted rules; every path ends in an answer.
fn tree(rules: &[(u32, Deny)], hit: u32) -> Vec<sock_filter> {
    match rules {
        [] => vec![answer(libc::SECCOMP_RET_ALLOW)],
        [(_, first), others @ ..] if others.len() < MOST_ALIKE && has_one_answer(*first, others) => {
            let left = (1..=rules.len()).rev();
            let compare = |((number, _), left): (&(u32, Deny), usize)| {
                // Jumps over the other comparisons and the answer for no match.
                jump(libc::BPF_JEQ, *number, u8::try_from(left).unwrap_or(0), 0)
            };
            let mut code: Vec<sock_filter> = rules.iter().zip(left).map(compare).collect();
            code.push(answer(libc::SECCOMP_RET_ALLOW));
            code.extend(leaf(*first, hit));
            code
        }
        [(number, deny)] => {
            let then = leaf(*deny, hit);
            let mut code = vec![jump(libc::BPF_JEQ, *number, 0, u8::try_from(then.len()).unwrap_or(0))];
            code.extend(then);
            code.push(answer(libc::SECCOMP_RET_ALLOW));
            code
        }
        _ => {
            let (low, high) = rules.split_at(rules.len() / 2);
            let low = tree(low, hit);
            // A conditional jump reaches 255 instructions, an unconditional one any distance.
            let mut code = if let Ok(distance) = u8::try_from(low.len()) {
                vec![jump(libc::BPF_JGE, high[0].0, distance, 0)]
            } else {
                let over = statement(libc::BPF_JMP | libc::BPF_JA, u32::try_from(low.len()).unwrap_or(0));
                vec![jump(libc::BPF_JGE, high[0].0, 0, 1), over]
            };
            code.extend(low);
            code.extend(tree(high, hit));
            code
        }
    }
}

fn has_one_answer(deny: Deny, others: &[(u32, Deny)]) -> bool {
    matches!(deny, Deny::Hit | Deny::Always(_)) && others.iter().all(|(_, other)| *other == deny)
}

fn leaf(deny: Deny, hit: u32) -> Vec<sock_filter> {
    let refuse = answer(hit);
    let allow = answer(libc::SECCOMP_RET_ALLOW);
    match deny {
        Deny::Hit => vec![refuse],
        Deny::Always(errno) => vec![answer(libc::SECCOMP_RET_ERRNO | u32::from(errno))],
        Deny::AnyBit { argument: n, bits } => {
            vec![load(argument(n)), jump(libc::BPF_JSET, bits, 0, 1), refuse, allow]
        }
        Deny::Either { argument: n, values: [a, b] } => {
            vec![load(argument(n)), jump(libc::BPF_JEQ, a, 1, 0), jump(libc::BPF_JEQ, b, 0, 1), refuse, allow]
        }
        Deny::Made { flags, mode } => vec![
            load(argument(flags)),
            jump(libc::BPF_JSET, CREATES, 0, 3),
            load(argument(mode)),
            jump(libc::BPF_JSET, SET_ID, 0, 1),
            refuse,
            allow,
        ],
        Deny::LimitsOfOthers => vec![
            load(argument(0)),
            jump(libc::BPF_JEQ, 0, 5, 0),
            // Only reads: no new limits.
            load(argument(2)),
            jump(libc::BPF_JEQ, 0, 0, 2),
            load(high_half(2)),
            jump(libc::BPF_JEQ, 0, 1, 0),
            refuse,
            allow,
        ],
        Deny::UnusualFamily => {
            let [local, internet, internet6, routing] =
                [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(i32::cast_unsigned);
            vec![
                load(argument(0)),
                jump(libc::BPF_JEQ, local, 6, 0),
                jump(libc::BPF_JEQ, internet, 5, 0),
                jump(libc::BPF_JEQ, internet6, 4, 0),
                jump(libc::BPF_JEQ, routing, 0, 2),
                load(argument(2)),
                jump(libc::BPF_JEQ, libc::NETLINK_ROUTE.cast_unsigned(), 1, 0),
                answer(libc::SECCOMP_RET_ERRNO | libc::EAFNOSUPPORT as u32),
                allow,
            ]
        }
    }
}

fn statement(code: u32, k: u32) -> sock_filter {
    sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

fn load(offset: u32) -> sock_filter {
    statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset)
}

fn answer(value: u32) -> sock_filter {
    statement(libc::BPF_RET | libc::BPF_K, value)
}

fn jump(test: u32, k: u32, on_true: u8, on_false: u8) -> sock_filter {
    sock_filter { code: (libc::BPF_JMP | test | libc::BPF_K) as u16, jt: on_true, jf: on_false, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a program as the kernel would, on a call number and its arguments.
    fn run(program: &[sock_filter], arch: u32, number: u32, arguments: [u32; 6]) -> u32 {
        let mut accumulator = 0;
        let mut at = 0;
        loop {
            let step = program[at];
            at += 1;
            match u32::from(step.code) {
                c if c == libc::BPF_LD | libc::BPF_W | libc::BPF_ABS => {
                    accumulator = match step.k {
                        OFFSET_NUMBER => number,
                        OFFSET_ARCH => arch,
                        // High halves are zero.
                        k if k % 8 != 0 => 0,
                        k => arguments[((k - 16) / 8) as usize],
                    }
                }
                c if c == libc::BPF_RET | libc::BPF_K => return step.k,
                c if c == libc::BPF_JMP | libc::BPF_JA => at += step.k as usize,
                c => {
                    let holds = match c & 0xf0 {
                        t if t == libc::BPF_JEQ => accumulator == step.k,
                        t if t == libc::BPF_JGE => accumulator >= step.k,
                        t if t == libc::BPF_JSET => accumulator & step.k != 0,
                        _ => unreachable!("no other jump is generated"),
                    };
                    at += usize::from(if holds { step.jt } else { step.jf });
                }
            }
        }
    }

    const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
    const EPERM: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    const ENOSYS: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

    const UNKNOWN_FAMILY: u32 = libc::SECCOMP_RET_ERRNO | libc::EAFNOSUPPORT as u32;

    #[test]
    fn exactly_the_listed_calls_are_refused() {
        for sockets in [Sockets::Machine, Sockets::Own, Sockets::None] {
            let filter = Filter::new(sockets);
            let listed = deny_list(sockets);
            for number in 0..600 {
                let expected = match listed.iter().find(|(n, _)| *n == number) {
                    Some((_, Deny::Always(errno))) => libc::SECCOMP_RET_ERRNO | u32::from(*errno),
                    Some((_, Deny::UnusualFamily)) => UNKNOWN_FAMILY,
                    _ => ALLOW,
                };
                assert_eq!(run(&filter.program, ARCH, number, [0; 6]), expected, "call {number}");
            }
        }
    }

    #[test]
    fn arguments_decide_where_only_some_uses_are_refused() {
        let filter = Filter::new(Sockets::Machine);
        let call = |number: c_long, arguments| run(&filter.program, ARCH, u32::try_from(number).unwrap(), arguments);
        assert_eq!(call(libc::SYS_clone, [libc::CLONE_NEWUSER as u32, 0, 0, 0, 0, 0]), EPERM);
        assert_eq!(call(libc::SYS_clone, [libc::SIGCHLD as u32, 0, 0, 0, 0, 0]), ALLOW);
        assert_eq!(call(libc::SYS_fcntl, [3, F_SETLEASE, 1, 0, 0, 0]), EPERM);
        assert_eq!(call(libc::SYS_fcntl, [3, libc::F_SETFL.cast_unsigned(), 0, 0, 0, 0]), ALLOW);
        assert_eq!(call(libc::SYS_ioctl, [0, TIOCSTI, 0, 0, 0, 0]), EPERM);
        assert_eq!(call(libc::SYS_ioctl, [0, TIOCLINUX, 0, 0, 0, 0]), EPERM);
        assert_eq!(call(libc::SYS_ioctl, [0, 0x5401, 0, 0, 0, 0]), ALLOW);
        assert_eq!(call(libc::SYS_clone3, [0; 6]), ENOSYS);
    }

    #[test]
    fn families_of_sockets_are_those_that_programs_need() {
        let filters = [Sockets::Machine, Sockets::Own, Sockets::None].map(Filter::new);
        let socket = |family: i32, protocol: i32| {
            let arguments = [family.cast_unsigned(), 1, protocol.cast_unsigned(), 0, 0, 0];
            filters
                .each_ref()
                .map(|filter| run(&filter.program, ARCH, u32::try_from(libc::SYS_socket).unwrap(), arguments))
        };
        for family in [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK] {
            assert_eq!(socket(family, 0), [ALLOW, ALLOW, EPERM], "{family}");
        }
        assert_eq!(socket(libc::AF_NETLINK, 9), [UNKNOWN_FAMILY, UNKNOWN_FAMILY, EPERM]);
        for family in [libc::AF_VSOCK, libc::AF_PACKET, libc::AF_ALG, libc::AF_BLUETOOTH] {
            assert_eq!(socket(family, 0), [UNKNOWN_FAMILY, UNKNOWN_FAMILY, EPERM], "{family}");
        }
        let pair = run(&filters[2].program, ARCH, u32::try_from(libc::SYS_socketpair).unwrap(), [1; 6]);
        assert_eq!(pair, ALLOW);
    }

    #[test]
    fn no_way_of_setting_a_mode_gives_a_file_its_owners_rights() {
        let filter = Filter::new(Sockets::Machine);
        let call = |number: c_long, arguments| run(&filter.program, ARCH, u32::try_from(number).unwrap(), arguments);
        let creating = libc::O_CREAT.cast_unsigned() | libc::O_WRONLY.cast_unsigned();
        let unnamed = libc::O_TMPFILE.cast_unsigned() | libc::O_RDWR.cast_unsigned();
        for (mode, expected) in [(0o4755, EPERM), (0o2755, EPERM), (0o6000, EPERM), (0o1777, ALLOW), (0o755, ALLOW)] {
            assert_eq!(call(libc::SYS_fchmod, [3, mode, 0, 0, 0, 0]), expected, "{mode:o}");
            assert_eq!(call(libc::SYS_fchmodat, [0, 0, mode, 0, 0, 0]), expected, "{mode:o}");
            assert_eq!(call(SYS_FCHMODAT2, [0, 0, mode, 0, 0, 0]), expected, "{mode:o}");
            assert_eq!(call(libc::SYS_mknodat, [0, 0, libc::S_IFREG | mode, 0, 0, 0]), expected, "{mode:o}");
            assert_eq!(call(libc::SYS_openat, [0, 0, creating, mode, 0, 0]), expected, "{mode:o}");
            assert_eq!(call(libc::SYS_openat, [0, 0, unnamed, mode, 0, 0]), expected, "{mode:o}");
            // Without such a flag the register holds whatever was there.
            assert_eq!(call(libc::SYS_openat, [0, 0, 0, mode, 0, 0]), ALLOW, "{mode:o}");
        }
        assert_eq!(call(libc::SYS_openat2, [0; 6]), ENOSYS);
    }

    #[test]
    fn limits_of_other_processes_may_be_read_and_not_set() {
        let filter = Filter::new(Sockets::Machine);
        let call =
            |pid, new| run(&filter.program, ARCH, u32::try_from(libc::SYS_prlimit64).unwrap(), [pid, 0, new, 1, 0, 0]);
        assert_eq!([call(0, 77), call(0, 0), call(12, 0), call(12, 77)], [ALLOW, ALLOW, ALLOW, EPERM]);
    }

    #[test]
    fn foreign_calling_conventions_are_refused() {
        let filter = Filter::new(Sockets::Machine);
        assert_eq!(run(&filter.program, ARCH ^ 1, 0, [0; 6]), EPERM);
        #[cfg(target_arch = "x86_64")]
        assert_eq!(run(&filter.program, ARCH, X32_BIT, [0; 6]), ENOSYS);
    }
}
