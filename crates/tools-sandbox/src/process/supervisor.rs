//! Code of the processes that share our memory: the supervisor, and briefly the leader. Only raw
//! system calls and prepared buffers: no allocation, no lock, no thread-local state, no panic.
#![expect(unsafe_code, reason = "the code between clone and exec is raw system calls on borrowed memory")]

use std::ffi::CStr;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::c_int;

use super::error::Step;
use super::held_files::{HeldFiles, TreeFate};
use super::spec::SideChannel;
use crate::kernel::raw::{call, clone_on};
use crate::kernel::sys::{self, Errno};
use crate::kernel::{
    CompiledPlan, HeldPlace, MAX_CLAIMS, WatchFilter, capabilities_drop_all, hand_over, landlock_restrict,
};

/// Maximum number of rounds of killing and reaping before the supervisor gives up.
const MAX_SWEEPS: u32 = 500;

/// Everything the supervisor needs, in memory that the parent keeps until the supervisor has ended.
pub(crate) struct Orders<'a> {
    pub(crate) program: &'a CStr,
    pub(crate) cwd: &'a CStr,
    pub(crate) argv: *const *const libc::c_char,
    pub(crate) envp: *const *const libc::c_char,
    /// Standard input, output and error of the leader.
    pub(crate) streams: [RawFd; 3],
    /// Side channel input and output, or -1.
    pub(crate) side: [RawFd; 2],
    /// Read end: bytes are signals to deliver; its closing means kill all.
    pub(crate) control: RawFd,
    /// Write end: [`Message`]s.
    pub(crate) status: RawFd,
    pub(crate) compiled: &'a CompiledPlan,
    /// The locks that it releases while the tree is stopped.
    pub(crate) places: &'a [HeldPlace],
    /// The filter that reports writes, and the socket on which its listener is sent.
    pub(crate) watch: Option<(&'a WatchFilter, RawFd)>,
    /// Upper end of the stack that the leader uses until it executes.
    pub(crate) stack: *mut usize,
}

/// Messages of the supervisor to the parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    /// The program runs.
    Started,
    /// The program does not run.
    Failed {
        step: Step,
        errno: i32,
    },
    /// Another process replaced the held path with this number.
    Replaced {
        number: u32,
    },
    /// Nothing of the tree runs from now on, until [`Self::GoesOn`].
    StandsStill,
    GoesOn,
    /// The leader has ended with this wait status; `left` processes are still there.
    Ended {
        status: c_int,
        left: u32,
    },
}

impl Message {
    pub(crate) const SIZE: usize = 12;

    fn encode(self) -> [u8; Self::SIZE] {
        let (kind, a, b) = match self {
            Self::Started => (0, 0, 0),
            Self::Failed { step, errno } => (1, step as u32, errno.cast_unsigned()),
            Self::Ended { status, left } => (2u32, status.cast_unsigned(), left),
            Self::Replaced { number } => (3, number, 0),
            Self::StandsStill => (4, 0, 0),
            Self::GoesOn => (5, 0, 0),
        };
        let mut bytes = [0; Self::SIZE];
        let (first, rest) = bytes.split_at_mut(4);
        let (second, third) = rest.split_at_mut(4);
        first.copy_from_slice(&kind.to_ne_bytes());
        second.copy_from_slice(&a.to_ne_bytes());
        third.copy_from_slice(&b.to_ne_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: [u8; Self::SIZE]) -> Self {
        let [k0, k1, k2, k3, a0, a1, a2, a3, b0, b1, b2, b3] = bytes;
        let kind = u32::from_ne_bytes([k0, k1, k2, k3]);
        let a = u32::from_ne_bytes([a0, a1, a2, a3]);
        let b = u32::from_ne_bytes([b0, b1, b2, b3]);
        match kind {
            0 => Self::Started,
            1 => Self::Failed { step: Step::from_number(u8::try_from(a).unwrap_or(0)), errno: b.cast_signed() },
            2 => Self::Ended { status: a.cast_signed(), left: b },
            3 => Self::Replaced { number: a },
            4 => Self::StandsStill,
            _ => Self::GoesOn,
        }
    }
}

fn tell(status: RawFd, message: Message) {
    // A missing reader is not an error here: the control pipe closes too.
    let _ = sys::write(status, &message.encode());
}

/// Entry point of the supervisor.
pub(crate) extern "C" fn enter(orders: *mut libc::c_void) -> ! {
    // SAFETY: the parent passes a pointer to `Orders` that it keeps until we have ended.
    let orders = unsafe { &*orders.cast::<Orders<'_>>() };
    sys::exit(supervise(orders))
}

/// Runs the supervisor; returns its exit code.
fn supervise(orders: &Orders<'_>) -> c_int {
    let started = prepare(orders).and_then(|children| start_leader(orders).map(|leader| (children, leader)));
    match started {
        Err((step, Errno(errno))) => {
            tell(orders.status, Message::Failed { step, errno });
            1
        }
        Ok((children, leader)) => {
            tell(orders.status, Message::Started);
            close_all_but(0, kept(orders, [orders.control, orders.status, children]));
            watch(orders, children, leader)
        }
    }
}

type Attempt<T> = Result<T, (Step, Errno)>;

fn at(step: Step) -> impl Fn(Errno) -> (Step, Errno) {
    move |errno| (step, errno)
}

/// Sets up namespaces and returns the descriptor that reports ended children.
fn prepare(orders: &Orders<'_>) -> Attempt<RawFd> {
    let [input, output, error] = orders.streams;
    let [side_in, side_out] = orders.side;
    // The parent's own streams go later, so that nothing opened meanwhile takes their numbers.
    let watch = orders.watch.map_or(-1, |(_, socket)| socket);
    close_all_but(3, kept(orders, [input, output, error, orders.control, orders.status, side_in, side_out, watch]));
    sys::set_session();
    match &orders.compiled.namespaces {
        Some(namespaces) => namespaces.enter()?,
        None => sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0).map_err(at(Step::Supervise))?,
    }
    // Not before the mounts: they cover the folder that was visible until then, which is read-only.
    sys::change_directory(orders.cwd).map_err(at(Step::WorkingDirectory))?;
    child_events().map_err(at(Step::Supervise))
}

fn child_events() -> sys::Result<RawFd> {
    // Signal 17 is bit 16, in the kernel's set of 64.
    let set: u64 = 1 << (libc::SIGCHLD - 1);
    let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
    // SAFETY: the set has the given 8 bytes.
    let fd = sys::check(unsafe { call!(libc::SYS_signalfd4, -1, &raw const set, 8, flags) })?;
    Ok(RawFd::try_from(fd).unwrap_or(-1))
}

/// Maximum number of descriptors that stay open.
const MAX_KEPT: usize = 8 + 2 * MAX_CLAIMS;

/// These descriptors and those of the locks.
fn kept<const N: usize>(orders: &Orders<'_>, these: [RawFd; N]) -> [RawFd; MAX_KEPT] {
    let mut kept = [-1; MAX_KEPT];
    let locks = orders.places.iter().flat_map(|place| [place.held, place.opened]);
    for (slot, descriptor) in kept.iter_mut().zip(these.into_iter().chain(locks)) {
        *slot = descriptor;
    }
    kept
}

/// Closes all descriptors from `first` on except these; negative numbers are ignored.
fn close_all_but(first: RawFd, mut keep: [RawFd; MAX_KEPT]) {
    keep.sort_unstable();
    let mut next = first;
    for fd in keep {
        if fd < next {
            continue;
        }
        if fd > next {
            let _ = sys::close_range(next, (fd - 1).cast_unsigned(), 0);
        }
        next = fd + 1;
    }
    let _ = sys::close_range(next, u32::MAX, 0);
}

struct Leader<'a> {
    orders: &'a Orders<'a>,
    ruleset: RawFd,
    /// Step and error number of a failure; zero if there is none. The leader shares our memory
    /// until it executes.
    failure: AtomicU64,
}

fn start_leader(orders: &Orders<'_>) -> Attempt<i32> {
    let ruleset = match &orders.compiled.landlock {
        Some(ruleset) => ruleset.build().map_err(at(Step::Landlock))?,
        None => -1,
    };
    let leader = Leader { orders, ruleset, failure: AtomicU64::new(0) };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    let argument = (&raw const leader).cast_mut().cast();
    let flags = usize::try_from(flags.cast_unsigned()).unwrap_or(0);
    // SAFETY: the leader has a stack of its own and we wait until it has executed or ended, so that
    // `leader` outlives its use.
    let pid = sys::check(unsafe { clone_on(flags, orders.stack, std::ptr::null_mut(), run_leader, argument) });
    let pid = i32::try_from(pid.map_err(at(Step::Supervise))?).unwrap_or(-1);
    match leader.failure.load(Ordering::SeqCst) {
        0 => Ok(pid),
        failure => {
            let step = Step::from_number(u8::try_from(failure >> 32).unwrap_or(0));
            let errno = i32::try_from(failure & 0xffff_ffff).unwrap_or(libc::EIO);
            Err((step, Errno(errno)))
        }
    }
}

extern "C" fn run_leader(leader: *mut libc::c_void) -> ! {
    // SAFETY: `start_leader` passes a pointer to a `Leader` that lives until we execute or end.
    let leader = unsafe { &*leader.cast::<Leader<'_>>() };
    let Err((step, Errno(errno))) = become_program(leader);
    leader.failure.store((step as u64) << 32 | u64::from(errno.unsigned_abs()), Ordering::SeqCst);
    sys::exit(127)
}

fn become_program(leader: &Leader<'_>) -> Attempt<std::convert::Infallible> {
    let orders = leader.orders;
    let compiled = orders.compiled;
    sys::set_session();
    connect_streams(orders.streams).map_err(at(Step::Streams))?;
    for (resource, soft, hard) in &compiled.limits {
        sys::set_limit(*resource, *soft, *hard).map_err(at(Step::Limits))?;
    }
    if compiled.drop_privileges {
        sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0).map_err(at(Step::Privileges))?;
    }
    if leader.ruleset >= 0 {
        landlock_restrict(leader.ruleset).map_err(at(Step::Landlock))?;
    }
    if compiled.drop_privileges {
        capabilities_drop_all().map_err(at(Step::Privileges))?;
    }
    if let Some((filter, socket)) = orders.watch.filter(|_| compiled.drop_privileges) {
        // If a listener is not available, the parent learns it before anything is written, and
        // starts the program without one.
        let listener = filter.install().map_err(at(Step::Observe))?;
        // Without a listening process no file could be written.
        hand_over(socket, listener).map_err(at(Step::Filter))?;
    }
    reset_signals();
    // Moved out of the way first, and marked to close with all others below.
    let side = orders.side.map(|side| sys::duplicate_above(side, SideChannel::INPUT + 1).unwrap_or(-1));
    // A leaked descriptor would bypass every rule about paths.
    let closed = sys::close_range(3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
    if closed.is_err() {
        let _ = sys::close_range(3, u32::MAX, 0);
    }
    // If closing had to be forced, there is no side channel: its owner receives nothing, which it
    // expects.
    for (number, side) in [SideChannel::INPUT, SideChannel::OUTPUT].into_iter().zip(side) {
        if side >= 0 {
            let _ = sys::duplicate_onto(side, number);
        }
    }
    if let Some(filter) = &compiled.filter {
        filter.install().map_err(at(Step::Filter))?;
    }
    // SAFETY: program, arguments and environment are terminated and outlive the call, which only
    // returns on failure.
    let failed = sys::check(unsafe { call!(libc::SYS_execve, orders.program.as_ptr(), orders.argv, orders.envp) });
    Err((Step::Exec, failed.err().unwrap_or(Errno(libc::EIO))))
}

fn connect_streams(streams: [RawFd; 3]) -> sys::Result<()> {
    // Moved out of the way first: a stream may itself have one of the three numbers.
    let mut moved = [-1; 3];
    for (slot, stream) in moved.iter_mut().zip(streams) {
        *slot = sys::duplicate_above(stream, 3)?;
    }
    for (number, stream) in (0..).zip(moved) {
        sys::duplicate_onto(stream, number)?;
    }
    Ok(())
}

/// Resets signals: ignored ones stay ignored over `exec`, and this runtime ignores `SIGPIPE`;
/// blocked ones stay blocked.
fn reset_signals() {
    for signal in 1..=64 {
        let default = [0u64; 4];
        // SAFETY: a zeroed `struct sigaction` is the default action; the kernel refuses the two
        // that have none.
        unsafe { call!(libc::SYS_rt_sigaction, signal, default.as_ptr(), 0, 8) };
    }
    let none = 0u64;
    // SAFETY: the set has the given 8 bytes.
    unsafe { call!(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const none, 0, 8) };
}

/// Reaps, reports the leader's end and follows the parent's orders until nothing is left.
fn watch(orders: &Orders<'_>, children: RawFd, leader: i32) -> c_int {
    let mut leader_ended = false;
    let mut holding = HeldFiles::new(orders);
    let tell = |message| tell(orders.status, message);
    loop {
        let mut events = [
            libc::pollfd { fd: children, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: orders.control, events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: holding.events(), events: libc::POLLIN, revents: 0 },
        ];
        sys::poll(&mut events, holding.patience());
        let is_quiet = events[0].revents == 0 && events[1].revents == 0;
        if (is_quiet || events[2].revents != 0 || holding.is_overdue()) && holding.look(tell) == TreeFate::Abandoned {
            return kill_all(orders, children, leader, leader_ended);
        }
        if events[0].revents != 0 {
            drain(children);
            let mut reaped = reap_all(leader);
            if let Some(status) = reaped.leader {
                leader_ended = true;
                holding.remount_replaced(tell);
                let mut left = if reaped.none_left { 0 } else { count_left() };
                if left == 0 {
                    // If the kernel keeps no list of children, at least one is left.
                    reaped.none_left |= reap_all(leader).none_left;
                    left = u32::from(!reaped.none_left);
                }
                tell(Message::Ended { status, left });
            }
            if leader_ended && reaped.none_left {
                return 0;
            }
        }
        if events[1].revents != 0 {
            let mut signal = [0u8; 1];
            match sys::read(orders.control, &mut signal) {
                Ok(1) => deliver(orders, leader, leader_ended, c_int::from(signal[0])),
                Err(Errno(libc::EINTR | libc::EAGAIN)) => {}
                _ => return kill_all(orders, children, leader, leader_ended),
            }
        }
    }
}

fn drain(children: RawFd) {
    let mut event = [0u8; 128];
    while sys::read(children, &mut event).is_ok_and(|n| n > 0) {}
}

struct ReapResult {
    /// Wait status of the leader, if it was among them.
    leader: Option<c_int>,
    none_left: bool,
}

fn reap_all(leader: i32) -> ReapResult {
    let mut reaped = ReapResult { leader: None, none_left: false };
    loop {
        let mut status: c_int = 0;
        let flags = libc::WNOHANG | libc::__WALL;
        // SAFETY: `status` is ours; no usage record is asked for.
        let pid = sys::check(unsafe { call!(libc::SYS_wait4, -1, &raw mut status, flags, 0) });
        match pid.map(|pid| i32::try_from(pid).unwrap_or(-1)) {
            Ok(0) => return reaped,
            // It stopped too late to be continued with the others.
            Ok(thread) if libc::WIFSTOPPED(status) => sys::detach_stopped_thread(thread, status >> 8),
            Ok(pid) if pid == leader => reaped.leader = Some(status),
            Ok(_) => {}
            Err(errno) => {
                reaped.none_left = errno == Errno(libc::ECHILD);
                return reaped;
            }
        }
    }
}

/// Sends a signal to every reachable process of the tree.
fn deliver(orders: &Orders<'_>, leader: i32, leader_ended: bool, signal: c_int) {
    if orders.compiled.namespaces.is_some() {
        let _ = sys::kill(-1, signal);
    } else {
        for_each_descendant(|pid| {
            let _ = sys::kill(pid, signal);
        });
    }
    if signal == libc::SIGTERM && !leader_ended {
        // A stopped process cannot react to it.
        let _ = sys::kill(if orders.compiled.namespaces.is_some() { -1 } else { -leader }, libc::SIGCONT);
    }
}

fn kill_all(orders: &Orders<'_>, children: RawFd, leader: i32, leader_ended: bool) -> c_int {
    let mut leader_ended = leader_ended;
    for _ in 0..MAX_SWEEPS {
        if orders.compiled.namespaces.is_some() {
            let _ = sys::kill(-1, libc::SIGKILL);
        } else {
            if !leader_ended {
                let _ = sys::kill(-leader, libc::SIGKILL);
            }
            // Children of killed processes become ours and are found in the next round.
            for_each_descendant(|pid| {
                let _ = sys::kill(pid, libc::SIGKILL);
            });
        }
        let reaped = reap_all(leader);
        if let Some(status) = reaped.leader {
            leader_ended = true;
            tell(orders.status, Message::Ended { status, left: 0 });
        }
        if reaped.none_left {
            return 0;
        }
        let mut event = libc::pollfd { fd: children, events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid record.
        unsafe { libc::poll(&raw mut event, 1, 10) };
        drain(children);
    }
    1
}

/// Number of remaining direct children, as far as the kernel lists them.
fn count_left() -> u32 {
    let mut count = 0;
    for_each_child(|_| count += 1);
    count
}

/// Calls `act` with every child of this process that the kernel lists.
fn for_each_child(act: impl FnMut(i32)) {
    for_each_child_in(c"/proc/thread-self/children", act);
}

/// Calls `act` with every process below this one, parents first, up to a maximum number.
fn for_each_descendant(mut act: impl FnMut(i32)) {
    const MAX_PROCESSES: usize = 512;
    let mut found = [0i32; MAX_PROCESSES];
    let mut count = 0;
    let mut keep = |pid: i32, found: &mut [i32; MAX_PROCESSES], count: &mut usize| {
        if let Some(slot) = found.get_mut(*count) {
            *slot = pid;
            *count += 1;
            act(pid);
        }
    };
    for_each_child(|pid| keep(pid, &mut found, &mut count));
    let mut next = 0;
    while let Some(parent) = found.get(next).copied().filter(|_| next < count) {
        next += 1;
        let mut path = [0u8; 48];
        let path = sys::join(&mut path, &[b"/proc/", &[], b"/task/", &[], b"/children"], parent.unsigned_abs());
        for_each_child_in(path, |pid| keep(pid, &mut found, &mut count));
    }
}

fn for_each_child_in(list: &CStr, mut act: impl FnMut(i32)) {
    let Ok(list) = sys::open(list, libc::O_RDONLY) else { return };
    let mut pid = 0i32;
    let mut buffer = [0u8; 1024];
    while let Ok(count @ 1..) = sys::read(list, &mut buffer) {
        for byte in buffer.iter().take(count) {
            match byte {
                b'0'..=b'9' => pid = pid.wrapping_mul(10).wrapping_add(i32::from(byte - b'0')),
                _ if pid > 0 => {
                    act(pid);
                    pid = 0;
                }
                _ => {}
            }
        }
    }
    sys::close(list);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_pipe() {
        let messages = [
            Message::Started,
            Message::Failed { step: Step::Mask, errno: 13 },
            Message::Ended { status: 0x0100, left: 3 },
            Message::Ended { status: 9, left: 0 },
            Message::Replaced { number: 7 },
            Message::StandsStill,
            Message::GoesOn,
        ];
        for message in messages {
            assert_eq!(Message::decode(message.encode()), message);
        }
    }
}
