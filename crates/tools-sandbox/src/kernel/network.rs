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
    made: [RawFd; 2],
    failure: Option<Errno>,
}

impl NetworkNamespace {
    /// Makes one.
    ///
    /// # Errors
    /// When the machine gives no user or network namespaces.
    pub fn create() -> io::Result<Self> {
        let (uid, gid) = effective_ids();
        let map = |id: u32| format!("{id} {id} 1").into_bytes();
        let mut work = Work {
            uid_map: map(uid),
            gid_map: map(gid),
            joins: None,
            opens: Opens::Listener(0),
            made: [-1; 2],
            failure: None,
        };
        let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWNET;
        // SAFETY: the argument is what the function takes.
        let made = unsafe { in_shared_child(flags, furnish, (&raw mut work).cast()) };
        made.map_err(|error| error.raw_os_error().map_or(error, no_namespaces))?;
        let [user, network] = work.done()?;
        Ok(Self { user, network })
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
        let mut work = Work { uid_map: vec![], gid_map: vec![], joins, opens, made: [-1; 2], failure: None };
        // SAFETY: the argument is what the function takes.
        unsafe { in_shared_child(0, open_socket, (&raw mut work).cast())? };
        let [socket, second] = work.done()?;
        drop(second);
        Ok(socket)
    }

    /// The user and the network namespace.
    pub(crate) fn descriptors(&self) -> [RawFd; 2] {
        [self.user.as_raw_fd(), self.network.as_raw_fd()]
    }
}

impl Work {
    /// The descriptors that were made, all or none.
    fn done(self) -> io::Result<[OwnedFd; 2]> {
        if let Some(errno) = self.failure {
            self.made.into_iter().for_each(sys::close);
            return Err(errno.into());
        }
        // SAFETY: made by the process that shared our table, for us alone, and open since nothing
        // failed.
        Ok(self.made.map(|descriptor| unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }
}

/// In new namespaces: maps the user, starts the loopback interface, opens the namespaces.
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
    work.made[0] = sys::open(c"/proc/thread-self/ns/user", libc::O_RDONLY)?;
    work.made[1] = sys::open(c"/proc/thread-self/ns/net", libc::O_RDONLY)?;
    Ok(())
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
    work.made[1] = sys::duplicate_above(work.made[0], 3)?;
    Ok(())
}
