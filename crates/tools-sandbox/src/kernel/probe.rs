//! What this machine can hold, found by doing it once in a child that then ends. Asked lazily and cached for the process.

use std::fmt;
use std::path::Path;
use std::sync::OnceLock;

use serde::Serialize;

use super::capabilities;
use super::config::{Confinement, Network};
use super::landlock;
use super::namespaces::{NamespacePlan, PrivateFolders};
use super::seccomp::Filter;
use super::sys;
use crate::process::{self, Step};

/// One part of confinement that this machine has or lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facility {
    /// What it is.
    pub name: String,
    /// Why it does not work, in the words of the system; `None` when it works.
    pub missing: Option<String>,
}

impl Facility {
    pub(crate) fn missing(name: &str, errno: i32) -> Self {
        let reason = std::io::Error::from_raw_os_error(errno).to_string();
        Self { name: name.to_owned(), missing: Some(reason) }
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

/// What works here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Probe {
    /// Whether the whole of the namespaces level works, or the first step that does not.
    pub namespaces: Result<(), Facility>,
    /// Landlock ABI.
    pub landlock: Option<u32>,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
}

impl Probe {
    /// The answer for this process, found at the first call (some milliseconds) and kept.
    pub fn cached() -> &'static Self {
        static PROBE: OnceLock<Probe> = OnceLock::new();
        PROBE.get_or_init(Self::run)
    }

    fn run() -> Self {
        Self { namespaces: try_namespaces(), landlock: landlock::abi(), seccomp: try_seccomp() }
    }

    /// Every part on its own, for a report to people. Starts one short child per part.
    pub fn report(&self) -> Vec<Facility> {
        let mut report = vec![
            Facility {
                name: self.landlock.map_or("landlock".to_owned(), |abi| format!("landlock, ABI {abi}")),
                missing: self.landlock.is_none().then(|| "not in this kernel or switched off".to_owned()),
            },
            Facility {
                name: "seccomp filter".to_owned(),
                missing: (!self.seccomp).then(|| "not permitted".to_owned()),
            },
        ];
        let kinds = [
            ("user namespace", 0),
            ("mount namespace", libc::CLONE_NEWNS),
            ("process id namespace", libc::CLONE_NEWPID),
            ("network namespace", libc::CLONE_NEWNET),
            ("IPC namespace", libc::CLONE_NEWIPC),
            ("host name namespace", libc::CLONE_NEWUTS),
            ("cgroup namespace", libc::CLONE_NEWCGROUP),
        ];
        for (name, flag) in kinds {
            let outcome = process::try_in_child(libc::CLONE_NEWUSER | flag, || Ok(()));
            report.push(match outcome {
                Ok(()) => Facility { name: name.to_owned(), missing: None },
                Err((_, errno)) => Facility::missing(name, errno.0),
            });
        }
        report.push(match &self.namespaces {
            Ok(()) => Facility { name: "all namespaces with own mounts".to_owned(), missing: None },
            Err(facility) => facility.clone(),
        });
        let cgroup = ["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs"];
        let writable = cgroup.iter().any(|path| is_writable(Path::new(path)));
        report.push(Facility {
            name: "cgroup v2".to_owned(),
            missing: (!writable).then(|| "not writable by this user".to_owned()),
        });
        report
    }
}

fn is_writable(path: &Path) -> bool {
    std::fs::OpenOptions::new().write(true).open(path).is_ok()
}

fn try_namespaces() -> Result<(), Facility> {
    let failed =
        |name: &str, error: &dyn fmt::Display| Facility { name: name.to_owned(), missing: Some(error.to_string()) };
    let folders = PrivateFolders::create().map_err(|error| failed("private folders", &error))?;
    let ask = Confinement { network: Network::Closed, ..Confinement::default() };
    let plan = NamespacePlan::new(&ask, &folders).map_err(|error| failed("mount plan", &error))?;
    process::try_in_child(plan.clone_flags(), || plan.enter())
        .map_err(|(step, errno)| Facility::missing(step.describe(), errno.0))
}

fn try_seccomp() -> bool {
    let filter = Filter::new(Network::Closed);
    let at = |errno| (Step::Filter, errno);
    process::try_in_child(0, || {
        sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0).map_err(at)?;
        capabilities::drop_all().map_err(at)?;
        filter.install().map_err(at)
    })
    .is_ok()
}
