//! Haft as a library: configuration, wiring, and one dispatcher over all tools.
//!
//! ```
//! use haft::{
//!     Toolbox,
//!     config::LoadedConfig,
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
//! let config = LoadedConfig::parse(&text, &environment)?;
//! let toolbox = Toolbox::builder(config, repository).build()?;
//! let call = ToolCall::new("read", serde_json::json!({"path": "README.md"}))?;
//! let recorded = toolbox.call(call, &toolbox.context(), &NobodyToAsk).await;
//! assert!(recorded.outcome?.summary.contains("hello"));
//! # Ok(())
//! # }
//! ```

pub mod config;

mod part;
mod stack;

mod builder;
mod toolbox;

mod inner;
mod parts;
mod reload;

mod layers;
#[cfg(any(feature = "agent", feature = "memory", feature = "overflow", feature = "scheduler"))]
mod stores;
mod tools;

#[cfg(feature = "agent")]
mod agent;
#[cfg(feature = "shell")]
mod commands;
#[cfg(feature = "file")]
mod files;
#[cfg(feature = "policy")]
mod gates;
#[cfg(feature = "mcp-client")]
mod mcp_servers;
#[cfg(feature = "llm")]
mod models;
#[cfg(feature = "graph")]
mod offer;

#[cfg(all(doctest, feature = "policy", feature = "audit"))]
#[doc = include_str!("../../../README.md")]
mod front_page {}

#[cfg(all(doctest, feature = "policy", feature = "audit", feature = "agent"))]
#[doc = include_str!("../../../docs/start/agent.md")]
mod start_agent {}

#[cfg(all(doctest, feature = "policy", feature = "audit"))]
#[doc = include_str!("../../../docs/start/library.md")]
mod start_library {}

pub use builder::ToolboxBuilder;
#[cfg(feature = "agent")]
pub use config::agent_settings;
pub use parts::Parts;
pub use stack::{Place, layers};
#[cfg(feature = "memory")]
pub use stores::memories;
#[cfg(feature = "overflow")]
pub use stores::overflow_archive;
#[cfg(feature = "agent")]
pub use stores::saved_sessions;
#[cfg(feature = "scheduler")]
pub use stores::schedule;
pub use toolbox::Toolbox;
#[cfg(feature = "shell")]
pub use tools_shell::NetworkMode;

#[cfg(feature = "agent")]
pub use tools_agent as agents;
#[cfg(feature = "approvals")]
pub use tools_approvals as questions;
#[cfg(feature = "audit")]
pub use tools_audit as audit;
#[cfg(feature = "cache")]
pub use tools_cache as cache;
#[cfg(feature = "catalog")]
pub use tools_catalog as catalog;
#[cfg(feature = "checkpoint")]
pub use tools_checkpoint as checkpoint;
#[cfg(any(feature = "shell", feature = "policy"))]
pub use tools_command as command;
pub use tools_core as core;
pub use tools_core::{CallReport, ConfirmationReport, ErrorReport};
#[cfg(feature = "filter")]
pub use tools_filter as filter;
#[cfg(feature = "graph")]
pub use tools_graph as graph;
#[cfg(feature = "hosts")]
pub use tools_hosts as hosts;
#[cfg(feature = "mcp-client")]
pub use tools_mcp_client as mcp_client;
#[cfg(feature = "memory")]
pub use tools_memory as memory_store;
#[cfg(feature = "overflow")]
pub use tools_overflow as overflow_store;
#[cfg(feature = "policy")]
pub use tools_policy as policy;
#[cfg(feature = "policy")]
pub use tools_policy::Explanation;
#[cfg(feature = "llm")]
pub use tools_providers as providers;
pub use tools_sandbox as sandbox;
pub use tools_sandbox::{home, near_folder, process::outlive_file_size_limit, replace_file};
#[cfg(feature = "scheduler")]
pub use tools_scheduler as tasks;
pub use tools_secrets as secrets;
#[cfg(feature = "skills")]
pub use tools_skills as skill_folders;
#[cfg(feature = "postgres")]
pub use tools_team as team;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
