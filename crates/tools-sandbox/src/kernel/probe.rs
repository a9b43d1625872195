//! Detects the features of this machine by using each once in a child that then ends. Runs on
//! demand. A complete result is kept, in this process and in a file for the next; a weaker one is
//! tested again.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::capabilities;
use super::config::{Confinement, Network};
use super::facilities::{Facility, Probe};
use super::landlock;
use super::namespaces::NamespacePlan;
use super::probe_cache;
use super::seccomp::{Filter, Sockets};
use super::sys;
use crate::process::{self, Step};

/// The cached result, and whether the file is no longer trusted.
struct CachedProbe {
    probe: Option<Probe>,
    is_doubted: bool,
}

static KNOWN: Mutex<CachedProbe> = Mutex::new(CachedProbe { probe: None, is_doubted: false });

/// The features that work now, and the earlier ones if there were more.
pub(crate) struct ProbeResult {
    pub(crate) probe: Probe,
    pub(crate) before: Option<Probe>,
}

impl Probe {
    /// The result for this process: determined at the first call (some milliseconds), kept if
    /// everything works, otherwise determined again.
    pub fn cached() -> Self {
        Self::found(None).probe
    }

    /// Determines the result again, ignoring earlier ones: for a report to people.
    pub fn fresh() -> Self {
        Self::doubt();
        Self::cached()
    }

    /// Like [`Self::cached`], using the file `record` that keeps the result between starts.
    pub(crate) fn found(record: Option<&Path>) -> ProbeResult {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(probe) = known.probe.as_ref().filter(|probe| probe.is_whole()) {
            return ProbeResult { probe: probe.clone(), before: None };
        }
        let here = record.map(|_| probe_cache::here()).unwrap_or_default();
        let before = record.and_then(|record| probe_cache::recall(record, &here));
        if let Some(probe) = before.as_ref().filter(|probe| probe.is_whole() && !known.is_doubted) {
            known.probe = Some(probe.clone());
            return ProbeResult { probe: probe.clone(), before: None };
        }
        let probe = Self::run();
        known.probe = Some(probe.clone());
        let before = before.filter(|before| before.is_more_than(&probe));
        if let (Some(record), None) = (record, &before) {
            probe_cache::keep(record, &here, &probe);
        }
        ProbeResult { probe, before }
    }

    /// Discards the result after a process could not be confined: the next call tests again.
    pub(crate) fn doubt() {
        *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = CachedProbe { probe: None, is_doubted: true };
    }

    fn run() -> Self {
        Self { namespaces: try_namespaces(), landlock: landlock::abi(), seccomp: try_seccomp() }
    }

    /// Each feature separately, for a report to people. Starts one short-lived child per feature.
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
        ];
        for (name, flag) in kinds {
            let outcome = process::try_in_child(libc::CLONE_NEWUSER | flag, || Ok(()));
            report.push(match outcome {
                Ok(()) => Facility { name: name.to_owned(), missing: None },
                Err(failure) => lacking(name, failure),
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

/// Whether the error indicates a temporary shortage, not a missing feature.
pub(crate) fn is_passing(errno: i32) -> bool {
    [libc::EAGAIN, libc::EINTR, libc::ENOMEM, libc::ENOSPC, libc::EMFILE, libc::ENFILE, libc::EBUSY, libc::ECHILD]
        .contains(&errno)
}

/// Tries again as long as the failure is temporary.
fn patiently<T>(mut attempt: impl FnMut() -> Result<T, (Step, sys::Errno)>) -> Result<T, (Step, sys::Errno)> {
    for wait in [1, 5, 20, 50, 100] {
        match attempt() {
            Err((_, errno)) if is_passing(errno.0) => std::thread::sleep(Duration::from_millis(wait)),
            other => return other,
        }
    }
    attempt()
}

/// The feature missing after a step of starting a process failed.
fn lacking(name: &str, (step, errno): (Step, sys::Errno)) -> Facility {
    match step {
        Step::Clone => Facility::missing_namespaces(name, errno.0),
        _ => Facility::missing(name, errno.0),
    }
}

fn try_namespaces() -> Result<(), Facility> {
    // Such a machine gives the same error as a temporary shortage.
    let limit = std::fs::read_to_string("/proc/sys/user/max_user_namespaces");
    if limit.is_ok_and(|limit| limit.trim() == "0") {
        return Err(lacking(Step::Clone.describe(), (Step::Clone, sys::Errno(libc::ENOSPC))));
    }
    let ask = Confinement { network: Network::Closed, ..Confinement::default() };
    let plan = NamespacePlan::new(&ask, None, None)
        .map_err(|error| Facility { name: "mount plan".to_owned(), missing: Some(error.to_string()) })?;
    patiently(|| process::try_in_child(plan.clone_flags(), || plan.enter()))
        .map_err(|failure| lacking(failure.0.describe(), failure))
}

fn try_seccomp() -> bool {
    let filter = Filter::new(Sockets::None);
    let at = |errno| (Step::Filter, errno);
    patiently(|| {
        process::try_in_child(0, || {
            sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0).map_err(at)?;
            capabilities::drop_all().map_err(at)?;
            filter.install().map_err(at)
        })
    })
    .is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passing_failure_is_tried_again_and_a_lasting_one_is_not() {
        let attempts = |errno: i32, succeeds_at: u32| {
            let mut count = 0;
            let ended = patiently(|| {
                count += 1;
                if count == succeeds_at { Ok(()) } else { Err((Step::Clone, sys::Errno(errno))) }
            });
            (ended.is_ok(), count)
        };
        assert_eq!(attempts(libc::EAGAIN, 3), (true, 3));
        assert_eq!(attempts(libc::EPERM, 3), (false, 1));
    }
}
