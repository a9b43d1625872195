//! System calls that are safe between `clone` and `exec` of a threaded program: no allocation, no
//! locks, no thread-local state. Policy lives in the callers; a failure is a bare error number.
#![expect(unsafe_code, reason = "system calls without a safe wrapper that is usable after a raw fork")]

use std::ffi::CStr;
use std::os::fd::RawFd;

use libc::{c_int, c_ulong};

use super::raw::call;

/// An error number, as in `errno`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Errno(pub(crate) i32);

impl From<Errno> for std::io::Error {
    fn from(errno: Errno) -> Self {
        Self::from_raw_os_error(errno.0)
    }
}

pub(crate) type Result<T> = std::result::Result<T, Errno>;

/// `struct mount_attr` of `mount_setattr(2)`.
#[repr(C)]
#[derive(Default)]
pub(crate) struct MountAttr {
    pub(crate) set: u64,
    pub(crate) clear: u64,
    pub(crate) propagation: u64,
    pub(crate) userns_fd: u64,
}

pub(crate) const MOUNT_ATTR_RDONLY: u64 = 0x1;
pub(crate) const MOUNT_ATTR_NOSUID: u64 = 0x2;
pub(crate) const MOUNT_ATTR_NODEV: u64 = 0x4;
pub(crate) const MOUNT_ATTR_NOEXEC: u64 = 0x8;

const SIOCSIFFLAGS: u32 = 0x8914;
const OPEN_TREE_CLONE: c_int = 1;
const MOVE_MOUNT_F_EMPTY_PATH: c_int = 0x4;
const AT_RECURSIVE: c_int = 0x8000;
const AT_EMPTY_PATH: c_int = 0x1000;

/// The value of a system call, or its error number.
pub(crate) fn check(value: isize) -> Result<isize> {
    if value < 0 { Err(Errno(i32::try_from(-value).unwrap_or(libc::EIO))) } else { Ok(value) }
}

fn as_fd(value: isize) -> RawFd {
    // A descriptor always fits; anything else would be a kernel bug, and all later calls refuse -1.
    RawFd::try_from(value).unwrap_or(-1)
}

pub(crate) fn open(path: &CStr, flags: c_int) -> Result<RawFd> {
    let flags = flags | libc::O_CLOEXEC;
    // SAFETY: `path` is a terminated string; `openat` reads nothing else.
    check(unsafe { call!(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0) }).map(as_fd)
}

pub(crate) fn close(fd: RawFd) {
    // SAFETY: closing a number we own; a wrong one only yields `EBADF`.
    unsafe { call!(libc::SYS_close, fd) };
}

pub(crate) fn write(fd: RawFd, bytes: &[u8]) -> Result<usize> {
    // SAFETY: the slice is valid for its length.
    check(unsafe { call!(libc::SYS_write, fd, bytes.as_ptr(), bytes.len()) }).map(|n| usize::try_from(n).unwrap_or(0))
}

pub(crate) fn read(fd: RawFd, bytes: &mut [u8]) -> Result<usize> {
    // SAFETY: the slice is valid and exclusively ours for its length.
    check(unsafe { call!(libc::SYS_read, fd, bytes.as_mut_ptr(), bytes.len()) })
        .map(|n| usize::try_from(n).unwrap_or(0))
}

/// Writes all bytes to an existing file by path.
pub(crate) fn write_file(path: &CStr, bytes: &[u8]) -> Result<()> {
    let fd = open(path, libc::O_WRONLY)?;
    let written = write(fd, bytes);
    close(fd);
    written.map(|_| ())
}

pub(crate) fn duplicate_onto(from: RawFd, to: RawFd) -> Result<()> {
    if from == to {
        // SAFETY: clears the close-on-exec flag of a descriptor we own.
        return check(unsafe { call!(libc::SYS_fcntl, from, libc::F_SETFD, 0) }).map(|_| ());
    }
    // SAFETY: plain descriptor numbers.
    check(unsafe { call!(libc::SYS_dup3, from, to, 0) }).map(|_| ())
}

/// Duplicates to the lowest free number from `least` on, with close-on-exec.
pub(crate) fn duplicate_above(from: RawFd, least: RawFd) -> Result<RawFd> {
    // SAFETY: plain descriptor numbers.
    check(unsafe { call!(libc::SYS_fcntl, from, libc::F_DUPFD_CLOEXEC, least) }).map(as_fd)
}

pub(crate) fn close_range(first: RawFd, last: u32, flags: libc::c_uint) -> Result<()> {
    // SAFETY: plain numbers; closing descriptors of this process only.
    check(unsafe { call!(libc::SYS_close_range, first, last, flags) }).map(|_| ())
}

pub(crate) fn set_session() {
    // SAFETY: no arguments. Fails only for a group leader, which then has a session already.
    unsafe { call!(libc::SYS_setsid) };
}

pub(crate) fn change_directory(path: &CStr) -> Result<()> {
    // SAFETY: terminated string.
    check(unsafe { call!(libc::SYS_chdir, path.as_ptr()) }).map(|_| ())
}

pub(crate) fn kill(pid: i32, signal: i32) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { call!(libc::SYS_kill, pid, signal) }).map(|_| ())
}

/// Joins the user or network namespace of a descriptor.
pub(crate) fn enter_namespace(descriptor: RawFd, kind: c_int) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { call!(libc::SYS_setns, descriptor, kind) }).map(|_| ())
}

/// A TCP socket of this family that is not connected and does not block.
pub(crate) fn tcp_socket(family: c_int) -> Result<RawFd> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: plain numbers.
    check(unsafe { call!(libc::SYS_socket, family, kind, 0) }).map(as_fd)
}

/// A TCP socket that listens on 127.0.0.1; port 0 selects a free port.
pub(crate) fn listen_on_loopback(port: u16, backlog: c_int) -> Result<RawFd> {
    // SAFETY: plain numbers.
    let socket = check(unsafe { call!(libc::SYS_socket, libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) });
    let socket = socket.map(as_fd)?;
    // `struct sockaddr_in`: family, port and address, the last two in network order, then eight
    // zero bytes.
    let mut address = [0u8; 16];
    let family = u16::try_from(libc::AF_INET).unwrap_or(2);
    address[..2].copy_from_slice(&family.to_ne_bytes());
    address[2..4].copy_from_slice(&port.to_be_bytes());
    address[4..8].copy_from_slice(&[127, 0, 0, 1]);
    // SAFETY: the address has the size that is passed and lives across the call.
    let bound = check(unsafe { call!(libc::SYS_bind, socket, address.as_ptr(), address.len()) });
    // SAFETY: plain numbers.
    let listening = bound.and_then(|_| check(unsafe { call!(libc::SYS_listen, socket, backlog) }));
    match listening {
        Ok(_) => Ok(socket),
        Err(errno) => {
            close(socket);
            Err(errno)
        }
    }
}

/// Waits for any kind of child to end.
pub(crate) fn wait_for(pid: i32) {
    // SAFETY: no status and no usage record is asked for.
    unsafe { call!(libc::SYS_wait4, pid, std::ptr::null_mut::<c_int>(), libc::__WALL, 0) };
}

/// Event that `ptrace` reports if a thread stopped without a signal.
const PTRACE_EVENT_STOP: c_int = 128;

/// Requests a thread of another process to stop. Only [`detach_thread`] continues it; signals and
/// its parent cannot.
pub(crate) fn seize_thread(thread: i32) -> Result<()> {
    // SAFETY: plain numbers. Refused for a thread that we have already.
    unsafe { call!(libc::SYS_ptrace, libc::PTRACE_SEIZE, thread, 0, 0) };
    // SAFETY: plain numbers.
    check(unsafe { call!(libc::SYS_ptrace, libc::PTRACE_INTERRUPT, thread, 0, 0) }).map(|_| ())
}

/// Continues an arrested thread that has stopped, with its pending signal. For a thread that has
/// not stopped yet, call [`detach_stopped_thread`] once it has.
pub(crate) fn detach_thread(thread: i32) {
    let mut told = std::mem::MaybeUninit::<libc::siginfo_t>::zeroed();
    let flags = libc::WSTOPPED | libc::WNOHANG | libc::__WALL;
    // SAFETY: `told` is ours; no usage record is asked for.
    let waited = check(unsafe { call!(libc::SYS_waitid, libc::P_PID, thread, told.as_mut_ptr(), flags, 0) });
    // SAFETY: zeroed, and written by the call: all of it is numbers.
    let told = unsafe { told.assume_init() };
    // SAFETY: the call reports a child.
    if waited.is_ok() && unsafe { told.si_pid() } == thread {
        // SAFETY: as above.
        detach_stopped_thread(thread, unsafe { told.si_status() });
    }
}

/// Like [`detach_thread`], for a thread whose stop `wait` has reported: `why` is a signal, with an
/// event above it.
pub(crate) fn detach_stopped_thread(thread: i32, why: c_int) {
    let signal = if why >> 8 == PTRACE_EVENT_STOP { 0 } else { why & 0x7f };
    // SAFETY: plain numbers.
    unsafe { call!(libc::SYS_ptrace, libc::PTRACE_DETACH, thread, 0, signal) };
}

/// Waits for events, at most `patience` milliseconds; `None` waits without limit.
pub(crate) fn poll(events: &mut [libc::pollfd], patience: Option<i64>) {
    let patience = patience.map(|ms| libc::timespec { tv_sec: ms / 1000, tv_nsec: ms % 1000 * 1_000_000 });
    let patience = patience.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    let no_mask = std::ptr::null::<u64>();
    // SAFETY: the records and the time are alive across the call; no signal mask is given.
    unsafe { call!(libc::SYS_ppoll, events.as_mut_ptr(), events.len(), patience, no_mask, 8) };
}

pub(crate) fn exit(code: c_int) -> ! {
    loop {
        // SAFETY: ends this process; never returns.
        unsafe { call!(libc::SYS_exit_group, code) };
    }
}

pub(crate) fn prctl(option: c_int, a: c_ulong, b: c_ulong) -> Result<()> {
    // SAFETY: only options with plain numbers are used.
    check(unsafe { call!(libc::SYS_prctl, option, a, b, 0, 0) }).map(|_| ())
}

pub(crate) fn set_limit(resource: c_int, soft: u64, hard: u64) -> Result<()> {
    let limit = libc::rlimit64 { rlim_cur: soft, rlim_max: hard };
    // SAFETY: `limit` lives across the call; no old value is asked for.
    check(unsafe { call!(libc::SYS_prlimit64, 0, resource, &raw const limit, std::ptr::null_mut::<libc::rlimit64>()) })
        .map(|_| ())
}

pub(crate) fn limit(resource: c_int) -> Result<(u64, u64)> {
    let mut limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is ours and written by the call.
    check(unsafe { call!(libc::SYS_prlimit64, 0, resource, std::ptr::null::<libc::rlimit64>(), &raw mut limit) })?;
    Ok((limit.rlim_cur, limit.rlim_max))
}

pub(crate) fn mount(source: &CStr, target: &CStr, kind: Option<&CStr>, flags: c_ulong) -> Result<()> {
    mount_with(source, target, kind, flags, None)
}

/// Mounts with file system options.
pub(crate) fn mount_with(
    source: &CStr,
    target: &CStr,
    kind: Option<&CStr>,
    flags: c_ulong,
    options: Option<&CStr>,
) -> Result<()> {
    let kind = kind.map_or(std::ptr::null(), CStr::as_ptr);
    let data = options.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: all strings are terminated and outlive the call.
    check(unsafe { call!(libc::SYS_mount, source.as_ptr(), target.as_ptr(), kind, flags, data) }).map(|_| ())
}

/// Creates a folder with exactly this mode.
pub(crate) fn make_folder(path: &CStr, mode: u32) -> Result<()> {
    // SAFETY: terminated string.
    check(unsafe { call!(libc::SYS_mkdirat, libc::AT_FDCWD, path.as_ptr(), mode) }).map(|_| ())
}

/// Creates an empty file with exactly this mode.
pub(crate) fn make_file(path: &CStr, mode: u32) -> Result<()> {
    let mode = libc::S_IFREG | mode;
    // SAFETY: terminated string; a regular file has no device number.
    check(unsafe { call!(libc::SYS_mknodat, libc::AT_FDCWD, path.as_ptr(), mode, 0) }).map(|_| ())
}

/// Sets the mode mask for new files and returns the previous one.
pub(crate) fn set_umask(mask: u32) -> u32 {
    // SAFETY: a plain number; cannot fail.
    let before = unsafe { call!(libc::SYS_umask, mask) };
    u32::try_from(before).unwrap_or(0o022)
}

/// Takes or releases a lock on an open file, as `flock(2)`.
pub(crate) fn lock(fd: RawFd, how: c_int) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { call!(libc::SYS_flock, fd, how) }).map(|_| ())
}

/// Creates a queue for file events.
pub(crate) fn watch_queue() -> Result<RawFd> {
    // SAFETY: plain numbers.
    check(unsafe { call!(libc::SYS_inotify_init1, libc::IN_CLOEXEC | libc::IN_NONBLOCK) }).map(as_fd)
}

/// Adds a watch for these events of a file to a queue.
pub(crate) fn watch(queue: RawFd, path: &CStr, events: u32) -> Result<()> {
    // SAFETY: terminated string.
    check(unsafe { call!(libc::SYS_inotify_add_watch, queue, path.as_ptr(), events) }).map(|_| ())
}

/// State of the entry at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathState {
    /// Whether it is a file or a folder, not a link.
    pub(crate) is_plain: bool,
    /// Whether something is mounted there.
    pub(crate) is_mounted: bool,
}

/// The used part of `struct statx`, with room for the rest.
#[repr(C, align(8))]
struct FileStatus {
    _before: [u32; 2],
    attributes: u64,
    _between: [u32; 3],
    mode: u16,
    _after: [u16; 113],
}

const STATX_TYPE: c_int = 1;
const STATX_ATTR_MOUNT_ROOT: u64 = 0x2000;

/// The state of the entry at a path, without following a link.
pub(crate) fn path_state(path: &CStr) -> Result<PathState> {
    let mut status = FileStatus { _before: [0; 2], attributes: 0, _between: [0; 3], mode: 0, _after: [0; 113] };
    const { assert!(size_of::<FileStatus>() == 256) };
    let flags = libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: the record has the size of the kernel's and is ours.
    check(unsafe { call!(libc::SYS_statx, libc::AT_FDCWD, path.as_ptr(), flags, STATX_TYPE, &raw mut status) })?;
    let kind = u32::from(status.mode) & libc::S_IFMT;
    Ok(PathState {
        is_plain: kind == libc::S_IFREG || kind == libc::S_IFDIR,
        is_mounted: status.attributes & STATX_ATTR_MOUNT_ROOT != 0,
    })
}

/// Calls `act` with every numeric name in a folder.
pub(crate) fn for_each_number_in(folder: &CStr, mut act: impl FnMut(u32)) {
    let Ok(folder) = open(folder, libc::O_RDONLY | libc::O_DIRECTORY) else { return };
    let mut buffer = [0u64; 256];
    loop {
        // SAFETY: the buffer is ours and has the size that is passed.
        let got = check(unsafe { call!(libc::SYS_getdents64, folder, buffer.as_mut_ptr(), size_of_val(&buffer)) });
        let Some(count) = got.ok().and_then(|count| usize::try_from(count).ok()).filter(|count| *count > 0) else {
            break;
        };
        // SAFETY: as many bytes were written; bytes need no alignment.
        let mut entries = unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast::<u8>(), count) };
        // Record layout: two numbers of eight bytes, the record length, the kind, and the name.
        while let (Some([low, high]), Some(name)) = (entries.get(16..18), entries.get(19..)) {
            let digits = name.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 && name.get(digits) == Some(&0) {
                let digits = name.iter().take(digits);
                act(digits.fold(0u32, |sum, byte| sum.wrapping_mul(10).wrapping_add(u32::from(byte - b'0'))));
            }
            let length = usize::from(u16::from_ne_bytes([*low, *high]));
            let Some(rest) = entries.get(length..).filter(|_| length > 0) else { break };
            entries = rest;
        }
    }
    close(folder);
}

/// Enables the loopback interface of a new network namespace.
pub(crate) fn start_loopback() -> Result<()> {
    // SAFETY: plain numbers.
    let socket = check(unsafe { call!(libc::SYS_socket, libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) });
    let socket = socket.map(as_fd)?;
    // `struct ifreq`: sixteen bytes for the name, then the flags.
    let mut request = [0u8; 40];
    request[..2].copy_from_slice(b"lo");
    let up = u16::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or(1);
    request[16..18].copy_from_slice(&up.to_ne_bytes());
    // SAFETY: the request has the size of the kernel's structure and lives across the call.
    let done = check(unsafe { call!(libc::SYS_ioctl, socket, SIOCSIFFLAGS, request.as_ptr()) });
    close(socket);
    done.map(|_| ())
}

/// Whether a call applies to one mount only, or also to all mounts below.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    One,
    Recursive,
}

impl Reach {
    fn flag(self) -> c_int {
        if self == Self::Recursive { AT_RECURSIVE } else { 0 }
    }
}

pub(crate) fn mount_setattr(path: &CStr, reach: Reach, set: u64, clear: u64) -> Result<()> {
    set_mount_attributes(libc::AT_FDCWD, path, reach.flag(), set, clear)
}

pub(crate) fn mount_setattr_fd(mount: RawFd, reach: Reach, set: u64) -> Result<()> {
    set_mount_attributes(mount, c"", reach.flag() | AT_EMPTY_PATH, set, 0)
}

fn set_mount_attributes(fd: RawFd, path: &CStr, flags: c_int, set: u64, clear: u64) -> Result<()> {
    let attributes = MountAttr { set, clear, ..MountAttr::default() };
    let size = size_of::<MountAttr>();
    // SAFETY: `attributes` has the size that is passed and lives across the call.
    check(unsafe { call!(libc::SYS_mount_setattr, fd, path.as_ptr(), flags, &raw const attributes, size) }).map(|_| ())
}

/// Makes a detached copy of the mount at a path.
pub(crate) fn clone_tree(path: &CStr, reach: Reach) -> Result<RawFd> {
    let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC | reach.flag();
    // SAFETY: terminated string.
    check(unsafe { call!(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) }).map(as_fd)
}

/// Attaches a detached mount at a path.
pub(crate) fn move_mount(mount: RawFd, target: &CStr) -> Result<()> {
    let empty = c"".as_ptr();
    // SAFETY: terminated strings.
    check(unsafe {
        call!(libc::SYS_move_mount, mount, empty, libc::AT_FDCWD, target.as_ptr(), MOVE_MOUNT_F_EMPTY_PATH)
    })
    .map(|_| ())
}

/// The parent folder of an absolute path, in a buffer.
pub(crate) fn parent<'a>(buffer: &'a mut [u8], path: &CStr) -> Option<&'a CStr> {
    let bytes = path.to_bytes();
    let end = bytes.iter().rposition(|byte| *byte == b'/')?.max(1);
    buffer.get_mut(..end)?.copy_from_slice(bytes.get(..end)?);
    *buffer.get_mut(end)? = 0;
    CStr::from_bytes_until_nul(buffer).ok()
}

/// Joins pieces in a buffer without allocation; `number` replaces an empty piece. Returns `/` if
/// the result does not fit.
pub(crate) fn join<'a>(buffer: &'a mut [u8], pieces: &[&[u8]], number: u32) -> &'a CStr {
    let mut digits = [0u8; 10];
    let mut first = digits.len();
    let mut rest = number;
    loop {
        first -= 1;
        digits[first] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let mut end = 0;
    for piece in pieces {
        let piece = if piece.is_empty() { &digits[first..] } else { piece };
        if let Some(place) = buffer.get_mut(end..end + piece.len()) {
            place.copy_from_slice(piece);
        }
        end += piece.len();
    }
    match buffer.get_mut(end) {
        Some(terminator) => *terminator = 0,
        None => return c"/",
    }
    CStr::from_bytes_until_nul(buffer).unwrap_or(c"/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_text_without_allocation() {
        for (number, expected) in [(0, "/fd/0"), (17, "/fd/17"), (u32::MAX, "/fd/4294967295")] {
            assert_eq!(join(&mut [0; 32], &[b"/fd/", b""], number).to_str(), Ok(expected));
        }
        assert_eq!(join(&mut [0; 5], &[b"/fd/", b""], 17).to_str(), Ok("/"));
    }
}
