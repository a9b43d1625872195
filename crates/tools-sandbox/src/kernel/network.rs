//! A network that several processes share: a network namespace and the user namespace that owns it.
//! It needs no process: two descriptors keep it alive.
#![expect(unsafe_code, reason = "descriptors that a process sharing our table has made")]

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::facilities::no_namespaces;
use super::sys::{self, Errno};
use crate::process::{effective_ids, in_shared_child};

/// Maximum number of connections waiting to be accepted.
const BACKLOG: libc::c_int = 1024;

/// An empty network with its own loopback interface. Processes join it by
/// [`joins`](super::Confinement::joins): they reach only each other and the listeners that this
/// process opens in it. It ends with this value and the last process in it.
#[derive(Debug)]
pub struct NetworkNamespace {
    user: OwnedFd,
    network: OwnedFd,
}

/// Two are equal if they are the same namespaces.
impl PartialEq for NetworkNamespace {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for NetworkNamespace {}

/// Version of the internet protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpFamily {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

/// A socket to open in the namespaces.
#[derive(Clone, Copy)]
enum SocketToOpen {
    /// A listener on this port of 127.0.0.1.
    Listener(u16),
    /// An unconnected socket of this family.
    Unconnected(libc::c_int),
}

/// Task of a process in the namespaces, and its result.
struct NamespaceTask {
    uid_map: Vec<u8>,
    gid_map: Vec<u8>,
    /// Namespaces to join first; `None` if the process starts in new ones.
    joins: Option<[RawFd; 2]>,
    opens: SocketToOpen,
    /// The opened socket; with new namespaces also their descriptors.
    made: [RawFd; 3],
    failure: Option<Errno>,
}

impl NetworkNamespace {
    /// Creates one.
    ///
    /// # Errors
    /// If the machine provides no user or network namespaces.
    pub fn create() -> io::Result<Self> {
        Self::create_listening().map(|(network, _)| network)
    }

    /// Creates one, with a first listener on a free port, as returned by [`Self::listen`].
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_listening() -> io::Result<(Self, TcpListener)> {
        let (uid, gid) = effective_ids();
        let map = |id: u32| format!("{id} {id} 1").into_bytes();
        let mut work = NamespaceTask {
            uid_map: map(uid),
            gid_map: map(gid),
            joins: None,
            opens: SocketToOpen::Listener(0),
            made: [-1; 3],
            failure: None,
        };
        let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWNET;
        // SAFETY: the argument has the type that the function expects.
        let made = unsafe { in_shared_child(flags, furnish, (&raw mut work).cast()) };
        made.map_err(|error| error.raw_os_error().map_or(error, no_namespaces))?;
        match work.done()? {
            [Some(listener), Some(user), Some(network)] => Ok((Self { user, network }, TcpListener::from(listener))),
            _ => Err(io::ErrorKind::Other.into()),
        }
    }

    /// A listener on 127.0.0.1 of this network; port 0 selects a free port. The process that
    /// accepts connections is outside the network.
    ///
    /// # Errors
    /// If the port is taken.
    pub fn listen(&self, port: u16) -> io::Result<TcpListener> {
        Ok(TcpListener::from(self.open(SocketToOpen::Listener(port))?))
    }

    /// An unconnected non-blocking TCP socket of this network. It reaches only listeners in this
    /// network, even if it is connected from outside.
    ///
    /// # Errors
    /// If the machine is out of descriptors or processes.
    pub fn socket(&self, family: IpFamily) -> io::Result<OwnedFd> {
        let family = match family {
            IpFamily::V4 => libc::AF_INET,
            IpFamily::V6 => libc::AF_INET6,
        };
        self.open(SocketToOpen::Unconnected(family))
    }

    fn open(&self, opens: SocketToOpen) -> io::Result<OwnedFd> {
        let joins = Some(self.descriptors());
        let mut work = NamespaceTask { uid_map: vec![], gid_map: vec![], joins, opens, made: [-1; 3], failure: None };
        // SAFETY: the argument has the type that the function expects.
        unsafe { in_shared_child(0, open_socket, (&raw mut work).cast())? };
        let [socket, ..] = work.done()?;
        socket.ok_or_else(|| io::ErrorKind::Other.into())
    }

    /// The user and the network namespace.
    pub(crate) fn descriptors(&self) -> [RawFd; 2] {
        [self.user.as_raw_fd(), self.network.as_raw_fd()]
    }
}

impl NamespaceTask {
    /// The created descriptors; an error if a step failed.
    fn done(self) -> io::Result<[Option<OwnedFd>; 3]> {
        // SAFETY: made by the process that shared our table, for us alone, and open.
        let made = self.made.map(|made| (made >= 0).then(|| unsafe { OwnedFd::from_raw_fd(made) }));
        match self.failure {
            Some(errno) => Err(errno.into()),
            None => Ok(made),
        }
    }
}

/// Runs in new namespaces: maps the user, starts the loopback interface, opens the namespaces and a
/// socket.
extern "C" fn furnish(work: *mut libc::c_void) -> ! {
    // SAFETY: `create` passes a `NamespaceTask` and waits until we have ended.
    let work = unsafe { &mut *work.cast::<NamespaceTask>() };
    work.failure = try_furnish(work).err();
    sys::exit(0)
}

fn try_furnish(work: &mut NamespaceTask) -> sys::Result<()> {
    match sys::write_file(c"/proc/thread-self/setgroups", b"deny") {
        Ok(()) | Err(Errno(libc::ENOENT)) => {}
        Err(errno) => return Err(errno),
    }
    sys::write_file(c"/proc/thread-self/uid_map", &work.uid_map)?;
    sys::write_file(c"/proc/thread-self/gid_map", &work.gid_map)?;
    sys::start_loopback()?;
    work.made[1] = sys::open(c"/proc/thread-self/ns/user", libc::O_RDONLY)?;
    work.made[2] = sys::open(c"/proc/thread-self/ns/net", libc::O_RDONLY)?;
    try_open(work)
}

/// Runs in the joined namespaces: opens a socket.
extern "C" fn open_socket(work: *mut libc::c_void) -> ! {
    // SAFETY: `open` of the namespace passes a `NamespaceTask` and waits until we have ended.
    let work = unsafe { &mut *work.cast::<NamespaceTask>() };
    work.failure = try_open(work).err();
    sys::exit(0)
}

fn try_open(work: &mut NamespaceTask) -> sys::Result<()> {
    if let Some([user, network]) = work.joins {
        sys::enter_namespace(user, libc::CLONE_NEWUSER)?;
        sys::enter_namespace(network, libc::CLONE_NEWNET)?;
    }
    work.made[0] = match work.opens {
        SocketToOpen::Listener(port) => sys::listen_on_loopback(port, BACKLOG)?,
        SocketToOpen::Unconnected(family) => sys::tcp_socket(family)?,
    };
    Ok(())
}
