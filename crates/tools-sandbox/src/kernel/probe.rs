//! What this machine can hold, found by doing it once in a child that then ends. Asked lazily; kept
//! once it is all there is, in this process and in a file for the next, and asked again as long as
//! it is less.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::capabilities;
use super::config::{Confinement, Network};
use super::facilities::{Facility, Probe};
use super::landlock;
use super::namespaces::NamespacePlan;
use super::remembered;
use super::seccomp::{Filter, Sockets};
use super::sys;
use crate::process::{self, Step};

/// What was found, and whether a file is still believed.
struct CachedProbe {
    probe: Option<Probe>,
    is_doubted: bool,
}

static KNOWN: Mutex<CachedProbe> = Mutex::new(CachedProbe { probe: None, is_doubted: false });

/// What works here, and what worked here before where that was more.
pub(crate) struct ProbeResult {
    pub(crate) probe: Probe,
    pub(crate) before: Option<Probe>,
}

impl Probe {
    /// The answer for this process: found at the first call (some milliseconds), kept when
    /// everything works, and looked for again when something did not.
    pub fn cached() -> Self {
        Self::found(None).probe
    }

    /// The answer of this moment, found anew whatever was found before: for a report to people.
    pub fn fresh() -> Self {
        Self::doubt();
        Self::cached()
    }

    /// The same with `record`, the file in which it is kept between starts.
    pub(crate) fn found(record: Option<&Path>) -> ProbeResult {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(probe) = known.probe.as_ref().filter(|probe| probe.is_whole()) {
            return ProbeResult { probe: probe.clone(), before: None };
        }
        let here = record.map(|_| remembered::here()).unwrap_or_default();
        let before = record.and_then(|record| remembered::recall(record, &here));
        if let Some(probe) = before.as_ref().filter(|probe| probe.is_whole() && !known.is_doubted) {
            known.probe = Some(probe.clone());
            return ProbeResult { probe: probe.clone(), before: None };
        }
        let probe = Self::run();
        known.probe = Some(probe.clone());
        let before = before.filter(|before| before.is_more_than(&probe));
        if let (Some(record), None) = (record, &before) {
            remembered::keep(record, &here, &probe);
        }
        ProbeResult { probe, before }
    }

    /// A process could not be confined as this says: the next question is answered by trying.
    pub(crate) fn doubt() {
        *KNOWN.lock().unwrap_or_else(PoisonError::into_inner) = CachedProbe { probe: None, is_doubted: true };
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

/// What a system that is short of something for a moment answers: nothing that the machine lacks.
pub(crate) fn is_passing(errno: i32) -> bool {
    [libc::EAGAIN, libc::EINTR, libc::ENOMEM, libc::ENOSPC, libc::EMFILE, libc::ENFILE, libc::EBUSY, libc::ECHILD]
        .contains(&errno)
}

/// Tries again as long as the failure is a passing one.
fn patiently<T>(mut attempt: impl FnMut() -> Result<T, (Step, sys::Errno)>) -> Result<T, (Step, sys::Errno)> {
    for wait in [1, 5, 20, 50, 100] {
        match attempt() {
            Err((_, errno)) if is_passing(errno.0) => std::thread::sleep(Duration::from_millis(wait)),
            other => return other,
        }
    }
    attempt()
}

/// What is missing where a step of starting a process failed.
fn lacking(name: &str, (step, errno): (Step, sys::Errno)) -> Facility {
    match step {
        Step::Clone => Facility::missing_namespaces(name, errno.0),
        _ => Facility::missing(name, errno.0),
    }
}

fn try_namespaces() -> Result<(), Facility> {
    // The answer of such a machine is that of one that is short of something for a moment.
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
