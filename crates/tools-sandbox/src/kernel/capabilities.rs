//! Drops every capability permanently in a forked child.
#![expect(unsafe_code, reason = "capset has no safe wrapper that is usable after a raw fork")]

use super::raw::call;
use super::sys::{Errno, Result, check, prctl};

const VERSION_3: u32 = 0x2008_0522;
/// `NOROOT`, `NO_SETUID_FIXUP`, `NO_CAP_AMBIENT_RAISE`, each with its lock; `KEEP_CAPS` locked off.
const SECUREBITS: libc::c_ulong = 0b1110_1111;

#[repr(C)]
struct Header {
    version: u32,
    pid: i32,
}

#[repr(C)]
#[derive(Default, Clone, Copy)]
struct Data {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// Empties the bounding, permitted, effective, inheritable and ambient sets and prevents regaining
/// any by `execve`.
///
/// Without `CAP_SETPCAP` the bounding set stays, which changes nothing once `no_new_privs` is set.
pub(crate) fn drop_all() -> Result<()> {
    for capability in 0..64 {
        match prctl(libc::PR_CAPBSET_DROP, capability, 0) {
            Ok(()) => {}
            Err(_) => break,
        }
    }
    match prctl(libc::PR_SET_SECUREBITS, SECUREBITS, 0) {
        Ok(()) | Err(Errno(libc::EPERM)) => {}
        Err(errno) => return Err(errno),
    }
    let header = Header { version: VERSION_3, pid: 0 };
    let data = [Data::default(); 2];
    // SAFETY: version 3 reads exactly one header and two data records, both alive here.
    check(unsafe { call!(libc::SYS_capset, &raw const header, data.as_ptr()) }).map(|_| ())
}
