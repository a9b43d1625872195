//! The name of this machine, by which others identify its processes.

/// The name.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
