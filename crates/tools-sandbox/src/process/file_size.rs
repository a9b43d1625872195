//! Limits on the size of files that whoever starts this program sets.

#![expect(unsafe_code, reason = "the disposition of a signal has no safe wrapper")]

/// Has a write beyond the limit on file sizes (`RLIMIT_FSIZE`) fail in place of ending this
/// process. Child processes in a sandbox have the usual signal again.
pub fn outlive_file_size_limit() {
    // SAFETY: to ignore a signal installs no code of ours.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
