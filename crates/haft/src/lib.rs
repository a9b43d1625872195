//! Haft as one thing: configuration, wiring, one dispatcher over all tools.
//!
//! ```
//! use haft::{
//!     Toolbox,
//!     config::{HaftConfig, LoadedConfig},
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
//! let config: LoadedConfig<HaftConfig> = LoadedConfig::parse(&text, &environment)?;
//! let toolbox = Toolbox::builder(config, repository).build()?;
//! let call = ToolCall::new("read", serde_json::json!({"path": "README.md"}))?;
//! let recorded = toolbox.call(call, &toolbox.context(), &NobodyToAsk).await;
//! assert!(recorded.outcome?.summary.contains("hello"));
//! # Ok(())
//! # }
//! ```

pub mod config;

mod place;
mod stack;

mod builder;
mod toolbox;

mod part;

mod credentials;
mod own_places;

#[cfg(feature = "policy")]
mod gates;
#[cfg(feature = "policy")]
mod judging;

#[cfg(feature = "checkpoint")]
mod checkpoints;
#[cfg(feature = "filter")]
mod filters;
#[cfg(feature = "memory")]
mod memory;
#[cfg(feature = "llm")]
mod models;
#[cfg(feature = "overflow")]
mod overflow;
#[cfg(feature = "audit")]
mod record;
#[cfg(feature = "cache")]
mod results;

#[cfg(feature = "scheduler")]
mod scheduler;

#[cfg(feature = "skills")]
mod skills;

mod wiring;

#[cfg(feature = "code")]
mod code;
#[cfg(feature = "shell")]
mod commands;
#[cfg(feature = "diagnostics")]
mod diagnostics;
#[cfg(feature = "egress")]
mod egress;
#[cfg(feature = "file")]
mod files;
mod tools;

mod given;
mod parts;
mod wired;

mod reload;

#[cfg(feature = "agent")]
mod agent;
#[cfg(all(feature = "postgres", any(feature = "agent", feature = "audit", feature = "policy")))]
mod databases;
#[cfg(all(feature = "embed", any(feature = "memory", feature = "graph", feature = "code")))]
mod embedding;
#[cfg(feature = "hosts")]
mod hosted;
#[cfg(feature = "mcp-client")]
mod mcp_servers;
#[cfg(feature = "graph")]
mod offer;
#[cfg(feature = "agent")]
mod sessions;
#[cfg(feature = "approvals")]
mod watchers;

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
#[cfg(feature = "mcp-client-http")]
pub use mcp_servers::server_login;
#[cfg(feature = "memory")]
pub use memory::memories;
#[cfg(feature = "overflow")]
pub use overflow::overflow_archive;
pub use place::Place;
#[cfg(all(feature = "audit", feature = "postgres"))]
pub use record::audit_database;
#[cfg(feature = "audit")]
pub use record::audit_file;
#[cfg(feature = "agent")]
pub use sessions::saved_sessions;
#[cfg(feature = "skills")]
pub use skills::{skill_pins, skill_places};
pub use stack::layers;
pub use toolbox::Toolbox;
#[cfg(feature = "approvals")]
pub use watchers::{watch_folder, watchers};

#[cfg(feature = "scheduler")]
pub use scheduler::schedule;
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
