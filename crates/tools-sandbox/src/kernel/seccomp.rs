//! The system call filter: a short deny list as a balanced jump tree. The kernel pre-evaluates a filter once per system
//! call when it is installed, so depth is start-up time: a tree of 60 leaves costs a tenth of a chain of 60.
//! What needs a capability is not listed, since none is left.
#![expect(unsafe_code, reason = "seccomp has no safe wrapper that is usable after a raw fork")]
#![expect(clippy::cast_possible_truncation, reason = "opcodes and error numbers of the kernel's interface fit 16 bits")]

use libc::{c_long, sock_filter};

use super::config::Network;
use super::raw::call;
use super::sys::{Result, check};

/// Namespace flags of `clone`, all but the one for time, which `clone` does not know.
const CLONE_NEW_ANY: u32 = 0x7E02_0000;
const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541C;

#[cfg(target_arch = "x86_64")]
const ARCH: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCH: u32 = 0xC000_00B7;
#[cfg(target_arch = "riscv64")]
const ARCH: u32 = 0xC000_00F3;

const X32_BIT: u32 = 0x4000_0000;
const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCH: u32 = 4;
/// Low half of argument `n`.
const fn argument(n: u32) -> u32 {
    16 + 8 * n
}

/// What happens to one listed system call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deny {
    /// Always, with this error number.
    Always(u16),
    /// When the low half of this argument has one of these bits.
    AnyBit { argument: u32, bits: u32 },
    /// When the low half of this argument is one of these two.
    Either { argument: u32, values: [u32; 2] },
}

const REFUSE: Deny = Deny::Always(libc::EPERM as u16);

/// A filter, ready to be installed by a forked child.
pub(crate) struct Filter {
    program: Vec<sock_filter>,
}

impl Filter {
    /// Builds the deny list, with `socket` on it when the network is closed.
    pub(crate) fn new(network: Network) -> Self {
        let mut rules = deny_list(network);
        rules.sort_by_key(|(number, _)| *number);
        rules.dedup_by_key(|(number, _)| *number);
        let mut program = vec![
            load(OFFSET_ARCH),
            jump(libc::BPF_JEQ, ARCH, 1, 0),
            answer(libc::SECCOMP_RET_ERRNO | libc::EPERM as u32),
            load(OFFSET_NUMBER),
        ];
        if cfg!(target_arch = "x86_64") {
            program.push(jump(libc::BPF_JGE, X32_BIT, 0, 1));
            program.push(answer(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32));
        }
        program.extend(tree(&rules));
        Self { program }
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

fn deny_list(network: Network) -> Vec<(u32, Deny)> {
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
        // kernel surface without an honest use here
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
    // Flags of `clone3` lie in memory, out of a filter's sight; libc falls back to `clone`.
    rules.push((libc::SYS_clone3, Deny::Always(libc::ENOSYS as u16)));
    rules.push((libc::SYS_clone, Deny::AnyBit { argument: 0, bits: CLONE_NEW_ANY }));
    rules.push((libc::SYS_ioctl, Deny::Either { argument: 1, values: [TIOCSTI, TIOCLINUX] }));
    if network == Network::Closed {
        rules.push((libc::SYS_socket, REFUSE));
    }
    rules.into_iter().filter_map(|(number, deny)| Some((u32::try_from(number).ok()?, deny))).collect()
}

/// A search tree over the sorted rules; falls through nowhere, every path ends in an answer.
fn tree(rules: &[(u32, Deny)]) -> Vec<sock_filter> {
    match rules {
        [] => vec![answer(libc::SECCOMP_RET_ALLOW)],
        [(number, deny)] => {
            let then = leaf(*deny);
            let mut code = vec![jump(libc::BPF_JEQ, *number, 0, u8::try_from(then.len()).unwrap_or(0))];
            code.extend(then);
            code.push(answer(libc::SECCOMP_RET_ALLOW));
            code
        }
        _ => {
            let (low, high) = rules.split_at(rules.len() / 2);
            let low = tree(low);
            let mut code = Vec::new();
            // A conditional jump reaches 255 instructions, an unconditional one any distance.
            code.push(jump(libc::BPF_JGE, high[0].0, 0, 1));
            code.push(statement(libc::BPF_JMP | libc::BPF_JA, u32::try_from(low.len()).unwrap_or(0)));
            code.extend(low);
            code.extend(tree(high));
            code
        }
    }
}

fn leaf(deny: Deny) -> Vec<sock_filter> {
    let refuse = answer(libc::SECCOMP_RET_ERRNO | libc::EPERM as u32);
    let allow = answer(libc::SECCOMP_RET_ALLOW);
    match deny {
        Deny::Always(errno) => vec![answer(libc::SECCOMP_RET_ERRNO | u32::from(errno))],
        Deny::AnyBit { argument: n, bits } => {
            vec![load(argument(n)), jump(libc::BPF_JSET, bits, 0, 1), refuse, allow]
        }
        Deny::Either { argument: n, values: [a, b] } => {
            vec![load(argument(n)), jump(libc::BPF_JEQ, a, 1, 0), jump(libc::BPF_JEQ, b, 0, 1), refuse, allow]
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

    #[test]
    fn exactly_the_listed_calls_are_refused() {
        for network in [Network::Open, Network::Closed] {
            let filter = Filter::new(network);
            let listed = deny_list(network);
            for number in 0..600 {
                let expected = match listed.iter().find(|(n, _)| *n == number) {
                    Some((_, Deny::Always(errno))) => libc::SECCOMP_RET_ERRNO | u32::from(*errno),
                    _ => ALLOW,
                };
                assert_eq!(run(&filter.program, ARCH, number, [0; 6]), expected, "call {number}");
            }
        }
    }

    #[test]
    fn arguments_decide_where_only_some_uses_are_refused() {
        let filter = Filter::new(Network::Open);
        let call = |number: c_long, arguments| run(&filter.program, ARCH, u32::try_from(number).unwrap(), arguments);
        assert_eq!(call(libc::SYS_clone, [libc::CLONE_NEWUSER as u32, 0, 0, 0, 0, 0]), EPERM);
        assert_eq!(call(libc::SYS_clone, [libc::SIGCHLD as u32, 0, 0, 0, 0, 0]), ALLOW);
        assert_eq!(call(libc::SYS_ioctl, [0, TIOCSTI, 0, 0, 0, 0]), EPERM);
        assert_eq!(call(libc::SYS_ioctl, [0, TIOCLINUX, 0, 0, 0, 0]), EPERM);
        assert_eq!(call(libc::SYS_ioctl, [0, 0x5401, 0, 0, 0, 0]), ALLOW);
        assert_eq!(call(libc::SYS_clone3, [0; 6]), ENOSYS);
        assert_eq!(call(libc::SYS_socket, [1; 6]), ALLOW);
    }

    #[test]
    fn a_closed_network_has_no_sockets() {
        let filter = Filter::new(Network::Closed);
        assert_eq!(run(&filter.program, ARCH, u32::try_from(libc::SYS_socket).unwrap(), [1; 6]), EPERM);
        assert_eq!(run(&filter.program, ARCH, u32::try_from(libc::SYS_socketpair).unwrap(), [1; 6]), ALLOW);
    }

    #[test]
    fn foreign_calling_conventions_are_refused() {
        let filter = Filter::new(Network::Open);
        assert_eq!(run(&filter.program, ARCH ^ 1, 0, [0; 6]), EPERM);
        #[cfg(target_arch = "x86_64")]
        assert_eq!(run(&filter.program, ARCH, X32_BIT, [0; 6]), ENOSYS);
    }
}
