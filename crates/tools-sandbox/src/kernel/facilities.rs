//! Kernel features for confinement that a machine has or lacks.

use std::{fmt, io};

use serde::Serialize;

/// One kernel feature that this machine has or lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facility {
    /// Name of the feature.
    pub name: String,
    /// The system's reason why it does not work; `None` if it works.
    pub missing: Option<String>,
}

impl Facility {
    pub(crate) fn missing(name: &str, errno: i32) -> Self {
        Self { name: name.to_owned(), missing: Some(io::Error::from_raw_os_error(errno).to_string()) }
    }

    /// Like `missing`, for features that need new namespaces.
    pub(crate) fn missing_namespaces(name: &str, errno: i32) -> Self {
        Self { name: name.to_owned(), missing: Some(no_namespaces(errno).to_string()) }
    }
}

/// The reason why new namespaces are unavailable: if a machine allows none, or no more, the kernel
/// reports that no space is left on a device.
pub(crate) fn no_namespaces(errno: i32) -> io::Error {
    match errno {
        libc::ENOSPC | libc::EUSERS => io::Error::new(
            io::ErrorKind::QuotaExceeded,
            "no user namespaces are left (`/proc/sys/user/max_user_namespaces` is the limit)",
        ),
        _ => io::Error::from_raw_os_error(errno),
    }
}

impl fmt::Display for Facility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.missing {
            Some(reason) => write!(f, "{}: {reason}", self.name),
            None => write!(f, "{}: works", self.name),
        }
    }
}

/// Kernel features that work here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// Whether the whole namespaces level works, otherwise the first step that does not.
    pub namespaces: Result<(), Facility>,
    /// Landlock ABI.
    pub landlock: Option<u32>,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
}

impl Probe {
    pub(super) fn is_whole(&self) -> bool {
        self.namespaces.is_ok() && self.landlock.is_some() && self.seccomp
    }

    /// Whether something works here that does not in `other`.
    pub(super) fn is_more_than(&self, other: &Self) -> bool {
        self.namespaces.is_ok() && other.namespaces.is_err()
            || self.landlock.is_some() && other.landlock.is_none()
            || self.seccomp && !other.seccomp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(namespaces: bool, landlock: Option<u32>, seccomp: bool) -> Probe {
        let namespaces = if namespaces { Ok(()) } else { Err(Facility::missing("user namespace", libc::EPERM)) };
        Probe { namespaces, landlock, seccomp }
    }

    #[test]
    fn less_than_before_is_told_from_as_much_and_more() {
        let whole = probe(true, Some(7), true);
        for less in [probe(false, Some(7), true), probe(true, None, true), probe(true, Some(7), false)] {
            assert!(whole.is_more_than(&less) && !less.is_more_than(&whole), "{less:?}");
            assert!(!less.is_whole());
        }
        assert!(whole.is_whole() && !whole.is_more_than(&whole));
    }
}
