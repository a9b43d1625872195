//! The name of this machine, by which others know its processes.

/// The name.
pub(crate) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}
