//! File size limits that the parent of this program may have set.

#![expect(unsafe_code, reason = "the disposition of a signal has no safe wrapper")]

/// Makes a write beyond the file size limit (`RLIMIT_FSIZE`) fail instead of ending this process.
/// Child processes in a sandbox get the default signal action again.
pub fn outlive_file_size_limit() {
    // SAFETY: ignoring a signal installs no code of ours.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}
