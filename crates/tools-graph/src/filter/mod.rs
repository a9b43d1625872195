//! The filter of definitions: its section, the reasons to show a tool, and the pipeline.

mod config;
mod pipeline;
mod prepared;
mod query;
mod reason;

pub use config::{ToolFilterConfig, ToolFilterMode, ToolFilterPolicy};
pub use pipeline::ToolSchemaFilter;
pub use query::Query;
pub use reason::{InclusionReason, ToolFilterResult};
