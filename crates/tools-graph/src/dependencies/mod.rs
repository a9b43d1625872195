//! What tools need or prefer to have been called before: the section, the graph, and what succeeded
//! in a session.

mod completed;
mod config;
mod gate;
mod graph;

pub use completed::CompletedTools;
pub use config::{DependenciesConfig, DependencyRule};
pub use gate::{DependencyExclusion, Prerequisites};
pub use graph::{DependencyFault, ToolDependencyGraph};
