//! Records the writes of a tree: each writing call waits until it is noted under the path it names,
//! then continues. Nothing is refused here, and no protection depends on it: a process that
//! exchanges a path while it is read is merely noted under another name.
#![expect(unsafe_code, reason = "the kernel's interface to a listener, and reading another process's memory")]

use std::ffi::OsString;
use std::fs;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use tokio::sync::oneshot;
use tools_core::{FileState, WriteLog};

use crate::kernel::{Level, Names, NotifiedCalls, Sandbox};

/// The kernel's ioctl numbers, which include the sizes of its records.
const RECEIVE: libc::Ioctl = 0xC050_2100_u32 as libc::Ioctl;
const SEND: libc::Ioctl = 0xC018_2101_u32 as libc::Ioctl;
const CONTINUE: u32 = 1;
const PATH_MAX: usize = 4096;

#[repr(C)]
#[derive(Default)]
struct Request {
    id: u64,
    process: u32,
    flags: u32,
    number: i32,
    architecture: u32,
    instruction: u64,
    arguments: [u64; 6],
}

#[repr(C)]
struct Response {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// A socket that receives the listener; opened before the tree starts.
pub(super) struct Channel {
    ours: OwnedFd,
    theirs: OwnedFd,
    log: WriteLog,
}

impl Channel {
    /// `None` if writes cannot be observed; then the log is marked.
    pub(super) fn open(log: &WriteLog, sandbox: &Sandbox) -> Option<Self> {
        let pair = (sandbox.strength().level != Level::Off).then(pair).and_then(Result::ok);
        let Some((ours, theirs)) = pair else {
            log.blind();
            return None;
        };
        Some(Self { ours, theirs, log: log.clone() })
    }

    pub(super) fn theirs(&self) -> RawFd {
        self.theirs.as_raw_fd()
    }

    /// Starts to listen, once the supervisor has its end.
    pub(super) fn watch(self) -> io::Result<Watcher> {
        let (stopped, stop) = io::pipe()?;
        let Self { ours, theirs, log } = self;
        drop(theirs);
        let (tell, ready) = oneshot::channel();
        std::thread::Builder::new().name("writes".into()).spawn(move || {
            let listener = listener(&ours);
            let _ = tell.send(listener.is_some());
            if let Some(listener) = listener {
                listen(&listener, &stopped, &log);
            }
        })?;
        Ok(Watcher { ready: Some(ready), _stop: stop })
    }
}

/// Listens until it is dropped.
#[derive(Debug)]
pub(super) struct Watcher {
    ready: Option<oneshot::Receiver<bool>>,
    _stop: PipeWriter,
}

impl Watcher {
    /// Whether a listener runs; known at the latest when the program runs. May be called once.
    pub(super) async fn listens(&mut self) -> bool {
        match self.ready.take() {
            Some(ready) => ready.await.unwrap_or(false),
            None => false,
        }
    }
}

fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends: [RawFd; 2] = [-1; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: room for two descriptors, which are ours alone afterwards.
    unsafe {
        if libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])))
    }
}

/// The listener; `None` if the program was started without one, or not at all.
fn listener(socket: &OwnedFd) -> Option<OwnedFd> {
    let mut byte = 0u8;
    let mut control = [0u64; 4];
    let mut data = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // SAFETY: the message leads to live memory of the lengths that it names, and received data is
    // read only if the kernel reports that there is some.
    unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut data;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        // The length has another type in other C libraries.
        message.msg_controllen = size_of_val(&control) as _;
        if libc::recvmsg(socket.as_raw_fd(), &raw mut message, libc::MSG_CMSG_CLOEXEC) <= 0 {
            return None;
        }
        let header = libc::CMSG_FIRSTHDR(&raw const message);
        if header.is_null() || (*header).cmsg_type != libc::SCM_RIGHTS {
            return None;
        }
        let descriptor = libc::CMSG_DATA(header).cast::<RawFd>().read_unaligned();
        Some(OwnedFd::from_raw_fd(descriptor))
    }
}

fn listen(listener: &OwnedFd, stopped: &PipeReader, log: &WriteLog) {
    let named = NotifiedCalls::new();
    loop {
        let mut events = [
            libc::pollfd { fd: listener.as_raw_fd(), events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: stopped.as_raw_fd(), events: libc::POLLIN, revents: 0 },
        ];
        // SAFETY: two valid records.
        if unsafe { libc::poll(events.as_mut_ptr(), 2, -1) } < 0 {
            if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted {
                continue;
            }
            return;
        }
        if events[0].revents & libc::POLLIN == 0 {
            return;
        }
        let mut request = Request::default();
        // SAFETY: a record of the size in the request, all zeros as the kernel requires.
        if unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE, &raw mut request) } < 0 {
            // The requesting process was killed meanwhile.
            continue;
        }
        if let Some(names) = named.of(request.number) {
            note(&request, names, log);
        }
        let response = Response { id: request.id, value: 0, error: 0, flags: CONTINUE };
        // SAFETY: a record of the size in the request. An error means that no process waits for it
        // any more.
        unsafe { libc::ioctl(listener.as_raw_fd(), SEND, &raw const response) };
    }
}

fn note(request: &Request, names: Names, log: &WriteLog) {
    let one = |path: Option<PathBuf>, with_all_below: bool| {
        let Some(path) = path else { return };
        log.note(&path, with_all_below, || fs::symlink_metadata(&path).ok().map(|metadata| FileState::from(&metadata)));
    };
    let path = |(folder, path): (Option<u8>, u8)| path_of(request, folder, path, log);
    match names {
        Names::File(number) => one(open_file(request, number, log), false),
        Names::Path(folder, number) => {
            let Some(written) = path((folder, number)) else { return };
            // A write through a link changes its target; the link itself may be meant as well.
            one(link_target(&written), false);
            one(Some(written), false);
        }
        Names::Linked(from, to) => {
            one(path(from), false);
            one(path(to), false);
        }
        Names::Renamed(from, to) => {
            let (from, to) = (path(from), path(to));
            let is_folder = from.as_ref().is_some_and(|from| from.is_dir());
            one(from, is_folder);
            one(to, is_folder);
        }
    }
}

/// The path that two arguments name, canonical except for its last component; `None` if it is no
/// file of the workspace.
fn path_of(request: &Request, folder: Option<u8>, path: u8, log: &WriteLog) -> Option<PathBuf> {
    let address = *request.arguments.get(usize::from(path))?;
    let named = if address == 0 { PathBuf::new() } else { read_path(request.process, address, log)? };
    if named.is_absolute() {
        return placed(&named);
    }
    let folder = match folder {
        // The number is an `int` in a wider register.
        #[expect(clippy::cast_possible_truncation, reason = "the lower half is the argument")]
        Some(folder) => match *request.arguments.get(usize::from(folder))? as i32 {
            libc::AT_FDCWD => process_link(request.process, "cwd", log)?,
            _ => open_file(request, folder, log)?,
        },
        None => process_link(request.process, "cwd", log)?,
    };
    if named.as_os_str().is_empty() { Some(folder) } else { placed(&folder.join(named)) }
}

/// The target of the links at the end of a path, even if it does not exist yet: opening it may
/// create the file there. `None` if the path is no link.
fn link_target(path: &Path) -> Option<PathBuf> {
    let mut reached = path.to_owned();
    // The kernel's own limit.
    for followed in 0..=40 {
        let Ok(target) = fs::read_link(&reached) else { return (followed > 0).then_some(reached) };
        reached = placed(&reached.parent()?.join(target))?;
    }
    None
}

/// A path with its folder resolved as the kernel would.
fn placed(path: &Path) -> Option<PathBuf> {
    if ["/dev", "/proc", "/sys"].iter().any(|system| path.starts_with(system)) {
        return None;
    }
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => Some(fs::canonicalize(parent).ok()?.join(name)),
        _ => fs::canonicalize(path).ok(),
    }
}

fn open_file(request: &Request, argument: u8, log: &WriteLog) -> Option<PathBuf> {
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is the argument")]
    let number = *request.arguments.get(usize::from(argument))? as i32;
    process_link(request.process, &format!("fd/{number}"), log).filter(|path| path.is_absolute())
}

fn process_link(process: u32, link: &str, log: &WriteLog) -> Option<PathBuf> {
    let link = fs::read_link(format!("/proc/{process}/{link}"));
    link.map_err(|error| blinded(&error, log)).ok()
}

/// If the system denies access, the writes are unknown. A process that has ended writes nothing.
fn blinded(error: &io::Error, log: &WriteLog) {
    if matches!(error.raw_os_error(), Some(libc::EPERM | libc::EACCES | libc::ENOSYS)) {
        log.blind();
    }
}

/// Reads a path from another process's memory.
fn read_path(process: u32, address: u64, log: &WriteLog) -> Option<PathBuf> {
    let mut bytes = vec![0u8; PATH_MAX];
    let address = usize::try_from(address).ok()?;
    // Two pieces: the second may lie in an unmapped page, and does not matter then.
    let first = (PATH_MAX - address % PATH_MAX).min(PATH_MAX);
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: PATH_MAX };
    let piece =
        |at: usize, length: usize| libc::iovec { iov_base: std::ptr::without_provenance_mut(at), iov_len: length };
    let remote = [piece(address, first), piece(address.checked_add(first)?, PATH_MAX - first)];
    let process = libc::pid_t::try_from(process).ok()?;
    // SAFETY: the kernel writes at most the length of `bytes`; addresses of the other process
    // affect only that process.
    let read = unsafe { libc::process_vm_readv(process, &raw const local, 1, remote.as_ptr(), 2, 0) };
    if read < 0 {
        blinded(&io::Error::last_os_error(), log);
    }
    bytes.truncate(usize::try_from(read).ok()?);
    let end = bytes.iter().position(|byte| *byte == 0)?;
    bytes.truncate(end);
    Some(PathBuf::from(OsString::from_vec(bytes)))
}
