//! The tools shown to each session: lists that only grow, the search tool, and tools held back.

mod layer;
mod lists;
mod search;

pub use layer::DependencyLayer;
pub use lists::{ListSettings, SessionLists};
pub use search::ToolSearch;
