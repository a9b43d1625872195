//! The `bash` tool. It analyses a command line before it runs and blocks what nobody may allow. The
//! kernel confines commands; time and output are bounded, and each result is one envelope.

mod config;
mod confinement;
mod lint;
mod policy;

pub mod view;

mod bash;
mod caches;
mod capture;
mod combined_output;
mod envelope;
mod error;
mod exit;
mod grants;
mod pipeline;
mod prompt;
mod publish;
mod run;
mod scripts;
mod spool;
mod subjects;
mod temp;
mod transaction;
mod ungranted;

mod git_objects;
mod jobs;
mod linked_programs;
mod tools;

mod blocklist;
mod confirm;
mod pattern;
mod size;

pub use bash::{Bash, BashArgs, ViewProvider};
pub use config::{LimitsConfig, NetworkMode, SandboxChoice, ShellConfig};
pub use confinement::{CommandConfinement, ConfinementSettings, ReservedPlaces};
pub use envelope::{SandboxReport, ShellOutputEnvelope};
pub use jobs::{JobReport, JobState, Jobs};
pub use policy::{ShellPolicy, ShellPolicyHandle};
pub use tools::{JobKill, JobKillArgs, JobRead, JobReadArgs};
pub use tools_sandbox::obeyed::{ObeyedChange, ObeyedReport};
pub use transaction::RollbackReport;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
