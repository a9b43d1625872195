//! Serves a toolbox of [`haft`]: over MCP, to editors, to agents with a model, and to tasks that
//! run unattended. The README of the crate shows how.

#[cfg(feature = "acp")]
mod acp;
#[cfg(feature = "agent")]
mod agent;
#[cfg(feature = "http")]
mod guests;
#[cfg(any(feature = "acp", feature = "http", all(feature = "mcp", feature = "mcp-client")))]
mod introduce;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(all(feature = "agent", feature = "scheduler"))]
mod prompts;
#[cfg(feature = "mcp")]
mod resources;
#[cfg(all(feature = "mcp", feature = "skills"))]
mod skill_prompts;
#[cfg(feature = "scheduler")]
mod unattended;

#[cfg(feature = "acp")]
pub use acp::{AcpAgent, AcpPlace, serve_acp};
#[cfg(feature = "agent")]
pub use agent::{agent_builder, agent_provider};
#[cfg(feature = "http")]
pub use guests::{HttpGuests, serve_mcp_http};
#[cfg(feature = "mcp")]
pub use mcp::{serve_mcp, server};
#[cfg(all(feature = "agent", feature = "scheduler"))]
pub use prompts::AgentPrompts;
#[cfg(feature = "acp")]
pub use tools_acp::{Viewer, show_in_terminal};
#[cfg(feature = "http")]
pub use tools_mcp_http as mcp_http;
#[cfg(feature = "scheduler")]
pub use unattended::{PromptRunner, UnattendedRunner};

#[cfg(all(doctest, feature = "mcp"))]
#[doc = include_str!("../README.md")]
mod readme {}
