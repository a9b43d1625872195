//! The system calls that write to files, and the filter that reports them before they run. The
//! filter refuses nothing: the listener continues each call once it is noted.
#![expect(unsafe_code, reason = "seccomp has no safe wrapper that is usable after a raw fork")]

use std::os::fd::RawFd;

use libc::{c_int, c_long, sock_filter};

use super::raw::call;
use super::seccomp::{Deny, program};
use super::sys::{Errno, Result, check};

/// Flags of `open` that create a file or make it writable.
const WRITING: u32 = (libc::O_WRONLY | libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC).cast_unsigned();

/// The arguments of a call that name the written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// A path, by the argument numbers of its folder, if there is one, and of the path.
    Path(Option<u8>, u8),
    /// Two paths: one is renamed to the other, with everything below.
    Renamed((Option<u8>, u8), (Option<u8>, u8)),
    /// Two names of one file.
    Linked((Option<u8>, u8), (Option<u8>, u8)),
    /// An open file.
    File(u8),
}

/// The reported calls: number, condition, and named file.
fn table() -> Vec<(u32, Deny, Names)> {
    use Names::{File, Linked, Path, Renamed};
    let at = |folder: u8, path: u8| (Some(folder), path);
    // System call numbers fit; one that did not would match none.
    let short = |number: c_long| u32::try_from(number).unwrap_or(u32::MAX);
    let always = |number: c_long, names: Names| (short(number), Deny::Hit, names);
    let opening = |number: c_long, flags: u32, names: Names| {
        (short(number), Deny::AnyBit { argument: flags, bits: WRITING }, names)
    };
    let mut table = vec![
        opening(libc::SYS_openat, 2, Path(Some(0), 1)),
        // Its flags are in memory, which a filter cannot read.
        always(libc::SYS_openat2, Path(Some(0), 1)),
        always(libc::SYS_truncate, Path(None, 0)),
        always(libc::SYS_renameat2, Renamed(at(0, 1), at(2, 3))),
        always(libc::SYS_linkat, Linked(at(0, 1), at(2, 3))),
        always(libc::SYS_symlinkat, Path(Some(1), 2)),
        always(libc::SYS_unlinkat, Path(Some(0), 1)),
        always(libc::SYS_mkdirat, Path(Some(0), 1)),
        always(libc::SYS_mknodat, Path(Some(0), 1)),
        always(libc::SYS_fchmod, File(0)),
        always(libc::SYS_fchmodat, Path(Some(0), 1)),
        always(FCHMODAT2, Path(Some(0), 1)),
        always(libc::SYS_fchown, File(0)),
        always(libc::SYS_fchownat, Path(Some(0), 1)),
        always(libc::SYS_utimensat, Path(Some(0), 1)),
        always(libc::SYS_setxattr, Path(None, 0)),
        always(libc::SYS_lsetxattr, Path(None, 0)),
        always(libc::SYS_fsetxattr, File(0)),
        always(libc::SYS_removexattr, Path(None, 0)),
        always(libc::SYS_lremovexattr, Path(None, 0)),
        always(libc::SYS_fremovexattr, File(0)),
    ];
    #[cfg(not(target_arch = "riscv64"))]
    table.push(always(libc::SYS_renameat, Renamed(at(0, 1), at(2, 3))));
    #[cfg(target_arch = "x86_64")]
    table.extend([
        opening(libc::SYS_open, 1, Path(None, 0)),
        always(libc::SYS_creat, Path(None, 0)),
        always(libc::SYS_rename, Renamed((None, 0), (None, 1))),
        always(libc::SYS_link, Linked((None, 0), (None, 1))),
        always(libc::SYS_symlink, Path(None, 1)),
        always(libc::SYS_unlink, Path(None, 0)),
        always(libc::SYS_rmdir, Path(None, 0)),
        always(libc::SYS_mkdir, Path(None, 0)),
        always(libc::SYS_mknod, Path(None, 0)),
        always(libc::SYS_chmod, Path(None, 0)),
        always(libc::SYS_chown, Path(None, 0)),
        always(libc::SYS_lchown, Path(None, 0)),
        always(libc::SYS_utime, Path(None, 0)),
        always(libc::SYS_utimes, Path(None, 0)),
        always(libc::SYS_futimesat, Path(Some(0), 1)),
    ]);
    table.sort_by_key(|(number, ..)| *number);
    table
}

/// Missing in some versions of `libc`; the number is the same on all architectures.
const FCHMODAT2: c_long = 452;

/// The arguments that name the file, for each reported call.
pub(crate) struct NotifiedCalls(Vec<(u32, Names)>);

impl NotifiedCalls {
    pub(crate) fn new() -> Self {
        Self(table().into_iter().map(|(number, _, names)| (number, names)).collect())
    }

    pub(crate) fn of(&self, number: c_int) -> Option<Names> {
        let number = u32::try_from(number).ok()?;
        self.0.binary_search_by_key(&number, |(number, _)| *number).ok().map(|at| self.0[at].1)
    }
}

/// The filter, ready to be installed by a forked child.
pub(crate) struct WatchFilter {
    program: Vec<sock_filter>,
}

impl WatchFilter {
    pub(crate) fn new() -> Self {
        let rules: Vec<(u32, Deny)> = table().into_iter().map(|(number, when, _)| (number, when)).collect();
        Self { program: program(&rules, libc::SECCOMP_RET_USER_NOTIF, libc::SECCOMP_RET_ALLOW) }
    }

    /// Installs the filter in the calling process and returns the listener. `no_new_privs` must be
    /// set.
    pub(crate) fn install(&self) -> Result<RawFd> {
        let program = libc::sock_fprog {
            len: u16::try_from(self.program.len()).unwrap_or(0),
            filter: self.program.as_ptr().cast_mut(),
        };
        let flags = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        // SAFETY: `program` describes a live slice, which the kernel copies.
        let listener =
            check(unsafe { call!(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) })?;
        RawFd::try_from(listener).map_err(|_| Errno(libc::EIO))
    }
}

/// Sends a descriptor to the other end of a socket.
pub(crate) fn hand_over(socket: RawFd, descriptor: RawFd) -> Result<()> {
    #[repr(C)]
    struct Rights {
        header: libc::cmsghdr,
        descriptor: RawFd,
        _padding: u32,
    }
    let mut byte = 0u8;
    let mut data = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
    // SAFETY: a `cmsghdr` of zeros is a valid one, which is filled in below.
    let mut header: libc::cmsghdr = unsafe { std::mem::zeroed() };
    // The lengths have other types in other C libraries.
    header.cmsg_len = (size_of::<libc::cmsghdr>() + size_of::<RawFd>()) as _;
    header.cmsg_level = libc::SOL_SOCKET;
    header.cmsg_type = libc::SCM_RIGHTS;
    let mut rights = Rights { header, descriptor, _padding: 0 };
    // SAFETY: as above.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut data;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut rights).cast();
    message.msg_controllen = size_of::<Rights>() as _;
    // SAFETY: the message leads to live memory of the lengths that it names.
    check(unsafe { call!(libc::SYS_sendmsg, socket, &raw const message, libc::MSG_NOSIGNAL) }).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_that_is_told_names_something_once() {
        let table = table();
        assert!(table.windows(2).all(|pair| pair[0].0 < pair[1].0), "{table:?}");
        let named = NotifiedCalls::new();
        for (number, _, names) in table {
            assert_eq!(named.of(c_int::try_from(number).unwrap()), Some(names));
        }
        assert_eq!(named.of(c_int::try_from(libc::SYS_read).unwrap()), None);
    }
}
