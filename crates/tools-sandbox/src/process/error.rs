//! Errors of starting a process, down to the step that failed in the child.

use std::io;
use std::path::PathBuf;

/// A step between `clone` and `exec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Step {
    /// Creating the process, with its namespaces.
    Clone,
    /// Mapping user and group.
    MapIds,
    /// Detaching the mounts from those of the machine.
    PrivateMounts,
    /// Making the whole tree read-only.
    ReadOnly,
    /// Binding a writable folder.
    WritableFolder,
    /// Binding the private temp folders.
    PrivateTemp,
    /// Concealing folders, or showing the grants in them.
    Conceal,
    /// Mounting a fresh `/proc`.
    MountProc,
    /// Creating and placing the mounts that belong to the process tree alone.
    OwnMounts,
    /// Making a protected path read-only.
    Protect,
    /// Hiding a path that must not be read.
    Mask,
    /// Entering the working directory.
    WorkingDirectory,
    /// Setting up the supervisor.
    Supervise,
    /// Connecting standard input and output.
    Streams,
    /// Setting resource limits.
    Limits,
    /// Giving up privileges.
    Privileges,
    /// Putting Landlock in force.
    Landlock,
    /// Installing the filter that reports writes.
    Observe,
    /// Installing the system call filter.
    Filter,
    /// Starting the program.
    Exec,
}

impl Step {
    const ALL: [Self; 20] = [
        Self::Clone,
        Self::MapIds,
        Self::PrivateMounts,
        Self::ReadOnly,
        Self::WritableFolder,
        Self::PrivateTemp,
        Self::Conceal,
        Self::MountProc,
        Self::OwnMounts,
        Self::Protect,
        Self::Mask,
        Self::WorkingDirectory,
        Self::Supervise,
        Self::Streams,
        Self::Limits,
        Self::Privileges,
        Self::Landlock,
        Self::Observe,
        Self::Filter,
        Self::Exec,
    ];

    pub(crate) fn from_number(number: u8) -> Self {
        Self::ALL.into_iter().find(|step| *step as u8 == number).unwrap_or(Self::Clone)
    }

    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Clone => "creating the process",
            Self::MapIds => "mapping user and group",
            Self::PrivateMounts => "separating the mounts",
            Self::ReadOnly => "making the file tree read-only",
            Self::WritableFolder => "binding a writable folder",
            Self::PrivateTemp => "binding the private temp folder",
            Self::Conceal => "concealing folders",
            Self::MountProc => "mounting `/proc`",
            Self::OwnMounts => "mounting own terminals and memory",
            Self::Protect => "protecting a file",
            Self::Mask => "hiding a file",
            Self::WorkingDirectory => "entering the working directory",
            Self::Supervise => "setting up the supervisor",
            Self::Streams => "connecting the standard streams",
            Self::Limits => "setting resource limits",
            Self::Privileges => "giving up privileges",
            Self::Landlock => "putting Landlock in force",
            Self::Observe => "observing what is written",
            Self::Filter => "installing the system call filter",
            Self::Exec => "starting the program",
        }
    }
}

/// Reason why a process could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpawnError {
    /// The configuration demands a confinement that this machine cannot provide.
    #[error("the sandbox `{wanted}` is demanded and not available here ({missing})")]
    Unavailable {
        /// The mode demanded.
        wanted: &'static str,
        /// The missing part.
        missing: String,
    },
    /// This machine provided a stronger confinement before, and the configuration does not accept
    /// less.
    #[error(
        "nothing runs: this machine confined commands by `{before}` before and gives only `{now}` now ({missing}); `haft doctor` tells more, and `tools.shell.sandbox = \"{now}\"` accepts it"
    )]
    Weaker {
        /// The level before.
        before: &'static str,
        /// The level now.
        now: &'static str,
        /// The missing part.
        missing: String,
    },
    /// A writable folder cannot be used.
    #[error("writable folder `{}` cannot be used", path.display())]
    WritableFolder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The number of writable folders exceeds the maximum.
    #[error("more than {most} writable folders")]
    TooManyRoots {
        /// The maximum number.
        most: usize,
    },
    /// The sandbox's private folders cannot be created.
    #[error("private folders cannot be made")]
    PrivateFolders(#[source] io::Error),
    /// A string for the new process contains a NUL byte.
    #[error("{what} holds a NUL byte")]
    NulByte {
        /// Name of the string.
        what: &'static str,
    },
    /// The working directory cannot be entered.
    #[error("working directory `{}` cannot be entered", path.display())]
    WorkingDirectory {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program does not exist or cannot be executed.
    #[error("program `{}` cannot be started", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A step of the confinement failed; the program was not started.
    #[error("{} failed", step.describe())]
    Confine {
        /// The step.
        step: Step,
        /// Why.
        source: io::Error,
    },
    /// A process that may replace obeyed files cannot run at the same time as one that holds them
    /// read-only.
    #[error("{}", claimed(*opens, owners))]
    Claimed {
        /// Whether this process is the one that may replace them.
        opens: bool,
        /// The other processes, as far as known.
        owners: Vec<String>,
    },
    /// The caller's async runtime lacks a feature, or there is none.
    #[error("nothing was started: {missing}; build the tokio runtime with `enable_all`")]
    Runtime {
        /// The missing part.
        missing: &'static str,
    },
    /// The pipes or the process itself cannot be created.
    #[error("the process cannot be created")]
    Create(#[source] io::Error),
}

fn claimed(opens: bool, owners: &[String]) -> String {
    let owners = if owners.is_empty() { "another process".to_owned() } else { owners.join("; ") };
    if opens {
        format!(
            "not started: it may replace files that programs outside obey, which {owners} could write then; \
             end that first (`job_kill` for a job), or run this when it has ended"
        )
    } else {
        format!("not started: {owners} may replace files that programs outside obey; run this when that has ended")
    }
}

impl SpawnError {
    /// Whether a resource was short for a moment: a further attempt may succeed.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Confine { source, .. } | Self::Create(source) | Self::PrivateFolders(source) => {
                source.raw_os_error().is_some_and(crate::kernel::is_passing)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_survive_the_way_through_the_status_pipe() {
        for step in Step::ALL {
            assert_eq!(Step::from_number(step as u8), step);
        }
    }
}
