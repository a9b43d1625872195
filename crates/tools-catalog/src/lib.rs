//! Tool definitions in the forms that models and protocols accept.
//!
//! [`Dialect::render`] writes a list of tools for one interface and reports what that interface
//! cannot express; [`ToolRegistry`] repairs definitions from other sources and checks the
//! parameters of calls against them; [`TafcPolicy`] adds the field for thoughts to definitions that
//! are hard to fill in. This crate decides neither which tools a model sees nor whether a call may
//! run.

mod bytes;
mod dialect;
mod prompt;
mod tool_json;

mod registry;
mod tafc;
mod wording;

pub use bytes::{canonical_bytes, canonical_object};
pub use dialect::{Change, Dialect, Note, Rendered, without_added_nulls};
pub use prompt::prompt;
pub use registry::{CatalogFault, CheckedExecutor, ParameterCheck, ToolRegistry};
pub use tafc::{COMPLEXITY_VERSION, TafcConfig, TafcPolicy, complexity};
pub use tool_json::json;
pub use tools_core::estimate_tokens;
pub use wording::{WordedTools, Wording};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
