//! What each session is shown: lists that only grow, the tool that looks for more, and what is held
//! back meanwhile.

mod layer;
mod lists;
mod search;

pub use layer::DependencyLayer;
pub use lists::{ListSettings, SessionLists};
pub use search::ToolSearch;
