//! The result of every command, whatever came of it: one JSON object of stable shape.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_sandbox::kernel::{Level, Network, Strength};

use crate::transaction::RollbackReport;
use tools_sandbox::obeyed::ObeyedReport;

/// Result of a command. The first four fields are there for every shell call and never change their
/// meaning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShellOutputEnvelope {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// Exit code; 128 + n for death by signal n, 124 when the time was up, 125 when the sandbox
    /// could not be set up.
    pub exit_code: Option<i32>,
    /// Whether bytes of a stream were lost.
    pub truncated: bool,
    /// Reason why bytes were lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_reason: Option<String>,
    /// The signal it died of.
    pub signal: Option<i32>,
    /// Whether it was stopped because its time was up.
    pub timed_out: bool,
    /// Duration of the command.
    pub duration_ms: u64,
    /// Confinement of the command.
    pub sandbox: SandboxReport,
    /// All bytes of standard output, kept or not.
    pub stdout_bytes: u64,
    /// All bytes of standard error, kept or not.
    pub stderr_bytes: u64,
    /// Exit code of each part of the last pipeline, where the command ends with one (`a | b`) and
    /// bash could tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipe_status: Option<Vec<i32>>,
    /// The question it was stopped at, when it waited for somebody to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awaited_input: Option<String>,
    /// The job that it runs on as, when it was started in the background; its exit code is null
    /// then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// Processes it left running, which were ended with it.
    pub left_running: u32,
    /// Files it changed that programs outside of any sandbox obey.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obeyed: Vec<ObeyedReport>,
    /// Closed files that came to be or were replaced while it ran, which it could read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmasked: Vec<String>,
    /// Files that were restored because the command failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollback: Option<RollbackReport>,
}

/// Confinement of a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SandboxReport {
    /// `namespaces`, `landlock` or `off`.
    pub level: String,
    /// ABI of the Landlock rules.
    pub landlock: Option<u32>,
    /// Whether system calls were filtered.
    pub seccomp: bool,
    /// `open`, `gate` or `closed`.
    pub network: String,
    /// Whether the machine gave less than the strongest level.
    pub degraded: bool,
    /// Gaps of the confinement.
    pub not_stopped: Vec<String>,
}

impl From<&Strength> for SandboxReport {
    fn from(strength: &Strength) -> Self {
        let level = match strength.level {
            Level::Namespaces => "namespaces",
            Level::Landlock => "landlock",
            Level::Off => "off",
        };
        let network = match strength.network {
            Network::Open => "open",
            Network::Gate => "gate",
            Network::Closed => "closed",
        };
        Self {
            level: level.to_owned(),
            landlock: strength.landlock,
            seccomp: strength.seccomp,
            network: network.to_owned(),
            degraded: strength.degraded,
            not_stopped: strength.not_stopped.clone(),
        }
    }
}

impl SandboxReport {
    /// The report for a command that was not started.
    pub(crate) fn none() -> Self {
        Self {
            level: "off".to_owned(),
            landlock: None,
            seccomp: false,
            network: "closed".to_owned(),
            degraded: false,
            not_stopped: Vec::new(),
        }
    }
}

impl ShellOutputEnvelope {
    /// The envelope of a command that continues in the background.
    pub(crate) fn started(job_id: String, sandbox: SandboxReport) -> Self {
        let none = Self::not_started(0, String::new());
        Self { exit_code: None, job_id: Some(job_id), sandbox, ..none }
    }

    /// The envelope of a command that was not started.
    pub(crate) fn not_started(exit_code: i32, stderr: String) -> Self {
        Self {
            stdout: String::new(),
            stderr_bytes: stderr.len() as u64,
            stderr,
            exit_code: Some(exit_code),
            truncated: false,
            truncated_reason: None,
            signal: None,
            timed_out: false,
            duration_ms: 0,
            sandbox: SandboxReport::none(),
            stdout_bytes: 0,
            pipe_status: None,
            awaited_input: None,
            job_id: None,
            left_running: 0,
            obeyed: Vec::new(),
            unmasked: Vec::new(),
            rollback: None,
        }
    }
}
