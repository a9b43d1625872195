//! A network that several processes share: a network namespace with the user namespace that owns
//! it. Nobody needs to live in it: two descriptors keep it.
#![expect(unsafe_code, reason = "descriptors that a process sharing our table has made")]

use std::io;
use std::net::TcpListener;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::facilities::no_namespaces;
use super::sys::{self, Errno};
use crate::process::{effective_ids, in_shared_child};

/// Connections that wait to be accepted.
const BACKLOG: libc::c_int = 1024;

/// An empty network with a loopback interface of its own. Processes join it by
/// [`joins`](super::Confinement::joins): they reach each other, and nothing else but the listeners
/// that this process opens in it. It is gone with this value and the last process in it.
#[derive(Debug)]
pub struct NetworkNamespace {
    user: OwnedFd,
    network: OwnedFd,
}

/// Two are equal when they are the same.
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

/// A socket that a process in the namespaces opens.
#[derive(Clone, Copy)]
enum Opens {
    /// A listener on this port of 127.0.0.1.
    Listener(u16),
    /// One that is not connected yet, of this family.
    Unconnected(libc::c_int),
}

/// What a process in the namespaces is to do, and what came of it.
struct Work {
    uid_map: Vec<u8>,
    gid_map: Vec<u8>,
    /// Namespaces to join first; none when the process begins in new ones.
    joins: Option<[RawFd; 2]>,
    opens: Opens,
    /// The socket; with new namespaces these too.
    made: [RawFd; 3],
    failure: Option<Errno>,
}

impl NetworkNamespace {
    /// Makes one.
    ///
    /// # Errors
    /// When the machine gives no user or network namespaces.
    pub fn create() -> io::Result<Self> {
        Self::create_listening().map(|(network, _)| network)
    }

    /// Makes one, with a first listener on a free port, as [`Self::listen`] gives it.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn create_listening() -> io::Result<(Self, TcpListener)> {
        let (uid, gid) = effective_ids();
        let map = |id: u32| format!("{id} {id} 1").into_bytes();
        let mut work = Work {
            uid_map: map(uid),
            gid_map: map(gid),
            joins: None,
            opens: Opens::Listener(0),
            made: [-1; 3],
            failure: None,
        };
        let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWNET;
        // SAFETY: the argument is what the function takes.
        let made = unsafe { in_shared_child(flags, furnish, (&raw mut work).cast()) };
        made.map_err(|error| error.raw_os_error().map_or(error, no_namespaces))?;
        match work.done()? {
            [Some(listener), Some(user), Some(network)] => Ok((Self { user, network }, TcpListener::from(listener))),
            _ => Err(io::ErrorKind::Other.into()),
        }
    }

    /// A listener on 127.0.0.1 of this network, on a free port for 0. Who accepts from it stands
    /// outside.
    ///
    /// # Errors
    /// When the port is taken.
    pub fn listen(&self, port: u16) -> io::Result<TcpListener> {
        Ok(TcpListener::from(self.open(Opens::Listener(port))?))
    }

    /// A TCP socket of this network that is not connected yet and does not block. Wherever it is
    /// connected from, it reaches what listens in this network, and nothing else.
    ///
    /// # Errors
    /// When the machine is out of descriptors or processes.
    pub fn socket(&self, family: IpFamily) -> io::Result<OwnedFd> {
        let family = match family {
            IpFamily::V4 => libc::AF_INET,
            IpFamily::V6 => libc::AF_INET6,
        };
        self.open(Opens::Unconnected(family))
    }

    fn open(&self, opens: Opens) -> io::Result<OwnedFd> {
        let joins = Some(self.descriptors());
        let mut work = Work { uid_map: vec![], gid_map: vec![], joins, opens, made: [-1; 3], failure: None };
        // SAFETY: the argument is what the function takes.
        unsafe { in_shared_child(0, open_socket, (&raw mut work).cast())? };
        let [socket, ..] = work.done()?;
        socket.ok_or_else(|| io::ErrorKind::Other.into())
    }

    /// The user and the network namespace.
    pub(crate) fn descriptors(&self) -> [RawFd; 2] {
        [self.user.as_raw_fd(), self.network.as_raw_fd()]
    }
}

impl Work {
    /// The descriptors that were made; none where anything failed.
    fn done(self) -> io::Result<[Option<OwnedFd>; 3]> {
        // SAFETY: made by the process that shared our table, for us alone, and open.
        let made = self.made.map(|made| (made >= 0).then(|| unsafe { OwnedFd::from_raw_fd(made) }));
        match self.failure {
            Some(errno) => Err(errno.into()),
            None => Ok(made),
        }
    }
}

/// In new namespaces: maps the user, starts the loopback interface, opens the namespaces and a
/// socket.
extern "C" fn furnish(work: *mut libc::c_void) -> ! {
    // SAFETY: `create` passes a `Work` and stands still until we have ended.
    let work = unsafe { &mut *work.cast::<Work>() };
    work.failure = try_furnish(work).err();
    sys::exit(0)
}

fn try_furnish(work: &mut Work) -> sys::Result<()> {
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

/// In the joined namespaces: opens a socket.
extern "C" fn open_socket(work: *mut libc::c_void) -> ! {
    // SAFETY: `open` of the namespace passes a `Work` and stands still until we have ended.
    let work = unsafe { &mut *work.cast::<Work>() };
    work.failure = try_open(work).err();
    sys::exit(0)
}

fn try_open(work: &mut Work) -> sys::Result<()> {
    if let Some([user, network]) = work.joins {
        sys::enter_namespace(user, libc::CLONE_NEWUSER)?;
        sys::enter_namespace(network, libc::CLONE_NEWNET)?;
    }
    work.made[0] = match work.opens {
        Opens::Listener(port) => sys::listen_on_loopback(port, BACKLOG)?,
        Opens::Unconnected(family) => sys::tcp_socket(family)?,
    };
    Ok(())
}
