//! Raw `clone`: starts a copy of this process that runs one function and never returns from it.
#![expect(unsafe_code, reason = "clone with namespace flags and a descriptor of the child has no safe wrapper")]

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::sync::{Mutex, PoisonError};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::error::Step;
use crate::kernel::raw::{Entry, call, clone_on};
use crate::kernel::sys::{self, Errno};

/// Ends the process when dropped: the child must never unwind into the parent's frames.
struct ExitGuard;

impl Drop for ExitGuard {
    fn drop(&mut self) {
        sys::exit(126);
    }
}

/// Starts a copy of this process that runs `child` with all signals blocked. Returns its process
/// descriptor.
///
/// The copy has one thread and does not own locks that other threads held: `child` must use only
/// raw system calls.
pub(crate) fn clone_child(flags: libc::c_int, child: impl FnOnce() -> libc::c_int) -> io::Result<(OwnedFd, i32)> {
    let blocked = BlockedSignals::all();
    let mut descriptor: RawFd = -1;
    let flags = libc::c_long::from(flags | libc::CLONE_PIDFD);
    // SAFETY: without `CLONE_VM` the child has its own copy of this stack; the descriptor's address
    // is valid.
    let pid = unsafe { call!(libc::SYS_clone, flags, 0, &raw mut descriptor, 0, 0) };
    match pid {
        0 => {
            let _end = ExitGuard;
            sys::exit(child())
        }
        1.. => {
            drop(blocked);
            // SAFETY: the kernel made this descriptor for us alone.
            Ok((unsafe { OwnedFd::from_raw_fd(descriptor) }, i32::try_from(pid).unwrap_or(-1)))
        }
        _ => Err(failed(pid)),
    }
}

fn failed(result: isize) -> io::Error {
    io::Error::from_raw_os_error(i32::try_from(-result).unwrap_or(libc::EIO))
}

/// Stack memory for a process that shares ours, with an inaccessible guard page below.
#[derive(Debug)]
pub(crate) struct Stack {
    base: *mut libc::c_void,
}

// SAFETY: the memory belongs to this value alone and is used by one process at a time.
unsafe impl Send for Stack {}
// SAFETY: as above; nothing can be done to it through a shared reference but to hand its address to
// a process.
unsafe impl Sync for Stack {}

/// Unused stacks. Creating one costs a mapping and page faults, and unmapping it interrupts the
/// other processors.
static SPARE: Mutex<Vec<Stack>> = Mutex::new(Vec::new());
/// Three stacks for each of four concurrent commands.
const MAX_SPARE: usize = 12;

impl Stack {
    const SIZE: usize = 128 * 1024;
    const GUARD: usize = 64 * 1024;

    /// A used stack, or a new one.
    pub(crate) fn take() -> io::Result<Self> {
        let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.map_or_else(Self::new, Ok)
    }

    /// Keeps the stack for the next process. Call only after the process on it has certainly left
    /// it.
    pub(crate) fn give_back(self) {
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < MAX_SPARE {
            spare.push(self);
        }
    }

    fn new() -> io::Result<Self> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_STACK | libc::MAP_NORESERVE;
        // SAFETY: a fresh mapping at an address of the kernel's choice.
        let base = unsafe {
            libc::mmap(std::ptr::null_mut(), Self::SIZE + Self::GUARD, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let stack = Self { base };
        // SAFETY: the lower part of the mapping just made; pages are at most 64 KiB.
        if unsafe { libc::mprotect(base, Self::GUARD, libc::PROT_NONE) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(stack)
    }

    /// The upper end; the stack grows down from here.
    pub(crate) fn top(&self) -> *mut usize {
        self.base.wrapping_byte_add(Self::GUARD + Self::SIZE).cast()
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        // SAFETY: the mapping made by `new`, which no process uses any more.
        unsafe { libc::munmap(self.base, Self::SIZE + Self::GUARD) };
    }
}

/// Starts a process that shares our memory, on a stack of its own, with all signals blocked.
///
/// # Safety
/// `argument` must be good for `entry`, and both it and the stack must stay until the process has
/// ended.
pub(crate) unsafe fn clone_sharing(
    flags: libc::c_int,
    stack: &Stack,
    entry: Entry,
    argument: *mut libc::c_void,
) -> io::Result<(OwnedFd, i32)> {
    let _blocked = BlockedSignals::all();
    let mut descriptor: RawFd = -1;
    let flags = flags | libc::CLONE_VM | libc::CLONE_PIDFD;
    let flags = usize::try_from(flags.cast_unsigned()).unwrap_or(0);
    // SAFETY: the stack is a mapping of its own, its end a multiple of a page; the rest is the
    // caller's promise.
    let pid = unsafe { clone_on(flags, stack.top(), &raw mut descriptor, entry, argument) };
    if pid < 0 {
        return Err(failed(pid));
    }
    // SAFETY: the kernel made this descriptor for us alone.
    Ok((unsafe { OwnedFd::from_raw_fd(descriptor) }, i32::try_from(pid).unwrap_or(-1)))
}

/// State for a process that enters other namespaces and starts a child there.
struct NamespaceEntry {
    namespaces: [RawFd; 2],
    flags: usize,
    stack: *mut usize,
    entry: Entry,
    argument: *mut libc::c_void,
    descriptor: RawFd,
    /// The id of the child, or a negative error number.
    pid: isize,
}

/// Like [`clone_sharing`], for a child that starts in the user and network namespaces of these
/// descriptors. New namespaces requested by the flags lie below that user namespace.
///
/// A multithreaded process cannot join a user namespace. So an intermediate process that shares our
/// memory and descriptors joins it, creates the child as ours, and ends.
///
/// # Safety
/// As [`clone_sharing`].
pub(crate) unsafe fn clone_sharing_in(
    namespaces: [RawFd; 2],
    flags: libc::c_int,
    stack: &Stack,
    entry: Entry,
    argument: *mut libc::c_void,
) -> io::Result<(OwnedFd, i32)> {
    let flags = flags | libc::CLONE_VM | libc::CLONE_PIDFD | libc::CLONE_PARENT;
    let flags = usize::try_from(flags.cast_unsigned()).unwrap_or(0);
    let mut joining = NamespaceEntry {
        namespaces,
        flags,
        stack: stack.top(),
        entry,
        argument,
        descriptor: -1,
        pid: -(libc::ECHILD as isize),
    };
    // SAFETY: the argument has the type that the function expects.
    unsafe { in_shared_child(0, join_and_clone, (&raw mut joining).cast())? };
    if joining.pid < 0 {
        return Err(failed(joining.pid));
    }
    // SAFETY: the kernel made this descriptor for us alone, in the descriptor table that the
    // intermediate process shared.
    Ok((unsafe { OwnedFd::from_raw_fd(joining.descriptor) }, i32::try_from(joining.pid).unwrap_or(-1)))
}

extern "C" fn join_and_clone(joining: *mut libc::c_void) -> ! {
    // SAFETY: `clone_sharing_in` passes a `NamespaceEntry` and waits until we have ended.
    let joining = unsafe { &mut *joining.cast::<NamespaceEntry>() };
    let [user, network] = joining.namespaces;
    let joined = sys::enter_namespace(user, libc::CLONE_NEWUSER)
        .and_then(|()| sys::enter_namespace(network, libc::CLONE_NEWNET));
    joining.pid = match joined {
        Err(Errno(errno)) => -isize::try_from(errno).unwrap_or(libc::EIO as isize),
        // SAFETY: stack, function and argument are good by the promise of the caller of
        // `clone_sharing_in`.
        Ok(()) => unsafe {
            clone_on(joining.flags, joining.stack, &raw mut joining.descriptor, joining.entry, joining.argument)
        },
    };
    sys::exit(0)
}

/// Runs `entry` in a process that shares our memory and descriptors, started with these flags, and
/// waits for its end.
///
/// # Errors
/// If the process cannot be created; its result is in the memory of `argument`.
///
/// # Safety
/// `argument` must be good for `entry`, which must keep to raw system calls.
pub(crate) unsafe fn in_shared_child(flags: libc::c_int, entry: Entry, argument: *mut libc::c_void) -> io::Result<()> {
    let _blocked = BlockedSignals::all();
    let stack = Stack::take()?;
    let flags = flags | libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_FILES;
    let flags = usize::try_from(flags.cast_unsigned()).unwrap_or(0);
    // SAFETY: the stack is a mapping of its own; we wait until the process has ended, so that the
    // argument's memory outlives its use.
    let pid = unsafe { clone_on(flags, stack.top(), std::ptr::null_mut(), entry, argument) };
    if pid < 0 {
        return Err(failed(pid));
    }
    sys::wait_for(i32::try_from(pid).unwrap_or(-1));
    stack.give_back();
    Ok(())
}

/// Blocks all signals in this thread until dropped, so that a handler of the parent never runs in
/// the child.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn all() -> Self {
        // SAFETY: both sets are initialised by the calls before they are read.
        unsafe {
            let mut all = std::mem::zeroed();
            let mut before = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            Self(before)
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: restores the set `all` saved.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut()) };
    }
}

/// Waits for the process of a descriptor to end and returns its status. `None` if it still runs
/// after `patience` milliseconds.
pub(crate) fn reap(descriptor: RawFd, patience: libc::c_int) -> Option<libc::c_int> {
    let mut poll = libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 };
    // SAFETY: one valid record.
    let ready = unsafe { libc::poll(&raw mut poll, 1, patience) };
    if ready <= 0 {
        return None;
    }
    // SAFETY: `info` is written by the call before it is read; the descriptor is a process of ours.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let id = libc::id_t::try_from(descriptor).unwrap_or(0);
        let flags = libc::WEXITED | libc::WNOHANG | libc::__WALL;
        match libc::waitid(libc::P_PIDFD, id, &raw mut info, flags) {
            0 => Some(info.si_status()),
            _ => Some(-1),
        }
    }
}

/// A process descriptor for the async runtime: readable once the process has ended.
pub(crate) fn watch(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an owned descriptor is open for as long as the value, and always the same one.
    unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) }.map_err(io::Error::from)
}

/// Runs `attempt` in a child with these `clone` flags and returns its result.
pub(crate) fn try_in_child(
    flags: libc::c_int,
    attempt: impl FnOnce() -> Result<(), (Step, Errno)>,
) -> Result<(), (Step, Errno)> {
    let mut ends: [RawFd; 2] = [-1; 2];
    // SAFETY: room for two descriptors.
    sys::check(unsafe { call!(libc::SYS_pipe2, ends.as_mut_ptr(), libc::O_CLOEXEC) })
        .map_err(|errno| (Step::Clone, errno))?;
    let [from, to] = ends;
    let child = clone_child(flags, || {
        let failure = match attempt() {
            Ok(()) => [0; 5],
            Err((step, Errno(errno))) => {
                let [a, b, c, d] = errno.to_ne_bytes();
                [step as u8, a, b, c, d]
            }
        };
        let _ = sys::write(to, &failure);
        0
    });
    sys::close(to);
    let mut answer = [0u8; 5];
    let outcome = match child {
        Err(error) => Err((Step::Clone, Errno(error.raw_os_error().unwrap_or(libc::EPERM)))),
        Ok((descriptor, _)) => {
            let got = sys::read(from, &mut answer);
            let raw = std::os::fd::AsRawFd::as_raw_fd(&descriptor);
            reap(raw, 1000);
            let [step, errno @ ..] = answer;
            match (got, i32::from_ne_bytes(errno)) {
                (Ok(5), 0) => Ok(()),
                (Ok(5), errno) => Err((Step::from_number(step), Errno(errno))),
                _ => Err((Step::Clone, Errno(libc::ECHILD))),
            }
        }
    };
    sys::close(from);
    outcome
}

/// User and group this process acts as.
pub(crate) fn effective_ids() -> (u32, u32) {
    // SAFETY: cannot fail and touch no memory.
    unsafe { (libc::geteuid(), libc::getegid()) }
}
