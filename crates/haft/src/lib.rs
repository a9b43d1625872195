//! Haft as one thing: configuration, wiring, one dispatcher over all tools.
//!
//! ```
//! use haft::{
//!     Toolbox,
//!     config::{HaftConfig, Loaded},
//!     core::{NobodyToAsk, ToolCall},
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let repository = folder.path().canonicalize()?;
//! # std::fs::write(repository.join("README.md"), "hello\n")?;
//! # let record = repository.join("audit.jsonl");
//! # let text = format!("[tools.audit]\npath = {record:?}");
//! # let environment = |_: &str| None;
//! let config: Loaded<HaftConfig> = Loaded::parse(&text, &environment)?;
//! let toolbox = Toolbox::builder(config).workdir(repository).build()?;
//! let call = ToolCall::new("read", serde_json::json!({"path": "README.md"}))?;
//! let recorded = toolbox.call(call, &toolbox.context(), &NobodyToAsk).await;
//! assert!(recorded.outcome?.summary.contains("hello"));
//! # Ok(())
//! # }
//! ```

pub mod config;

mod stack;

mod agreed_scripts;
mod approvals;
mod builder;
mod gates;
pub mod init;
mod toolbox;

mod credentials;
mod doctor;
#[cfg(feature = "egress")]
mod egress;
mod explain;
mod filters;
mod mcp;
mod overflow;
mod own_places;
mod plain;
mod reload;
mod replaceable;
mod report;
mod selftest;
mod view;
mod watch;
#[cfg(feature = "web")]
mod web;

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod readme {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/start/agent.md")]
mod start_agent {}

#[cfg(doctest)]
#[doc = include_str!("../../../docs/start/library.md")]
mod start_library {}

pub use approvals::ApprovalsConfig;
pub use builder::{ToolboxBuilder, audit_file};
pub use credentials::redactor;
pub use doctor::{Doctor, Finding};
pub use explain::Explanation;
pub use filters::Filters;
pub use gates::leave_trust_reset;
pub use mcp::{serve_mcp, server};
pub use overflow::overflow_archive;
pub use reload::Reloaded;
pub use report::{CallReport, ConfirmationReport, ErrorReport};
pub use selftest::TestedExample;
pub use stack::{LayerRow, layers};
pub use toolbox::Toolbox;
pub use view::{Seen, ViewReport};
pub use watch::{ConfigWatch, ReloadState};

pub use tools_shell::NetworkMode;

pub use tools_audit as audit;
pub use tools_cache as cache;
pub use tools_catalog as catalog;
pub use tools_checkpoint as checkpoint;
pub use tools_command as command;
pub use tools_core as core;
pub use tools_filter as filter;
pub use tools_overflow as overflow_store;
pub use tools_policy as policy;
pub use tools_secrets as secrets;
