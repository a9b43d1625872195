//! MCP server over a [`tools_core::Stack`].
//!
//! Every tool of the stack is offered with its annotations, every call goes through all layers, and
//! approvals that a gate requires are requested through the client. This crate neither judges a
//! call nor cuts a text: the stack does both, and learns with each call how much text the client
//! accepts.
//!
//! ```no_run
//! use std::sync::Arc;
//! use tools_core::{CallContext, DynExecutor, Stack};
//! use tools_mcp::McpServer;
//!
//! # async fn run(tools: DynExecutor) -> Result<(), tools_mcp::ServeError> {
//! let stack = Arc::new(Stack::new(vec![], tools));
//! let server = McpServer::builder(stack)
//!     .context(CallContext::new("/work/project"))
//!     .roots(vec!["/work/project".into()])
//!     .build();
//! server.serve_stdio().await
//! # }
//! ```

mod builder;
mod error;
mod server;

mod connected;
mod connection;
mod greeting;
mod lifetime;

mod answer;
mod catalog;
mod progress;

mod fallback;
mod faulty;
mod input;
mod late_questions;
mod pending;
mod question;
mod runner;

mod logging;
mod prompt_requests;
mod prompts;
mod resource_requests;
mod resources;
mod revision;
mod roots;
mod schemes;
mod subscriptions;
mod tool_visibility;

mod stdio;
mod transport;

pub use answer::StructuredContent;
pub use builder::Builder;
pub use connected::ConnectedService;
pub use error::ServeError;
pub use fallback::FallbackConfirmer;
pub use faulty::FaultyTools;
pub use greeting::Greeting;
pub use prompts::{Prompt, PromptError, Prompts};
pub use resources::{
    Body, Contents, Resource, ResourceError, ResourcePage, ResourceTarget, ResourceTemplate, Resources,
};
pub use roots::{Workspace, narrow};
pub use schemes::{ResourceAddress, ResourceScheme, ResourceSchemes};
pub use server::McpServer;
pub use tool_visibility::ToolVisibility;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
