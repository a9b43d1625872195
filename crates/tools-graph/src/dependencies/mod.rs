//! Requirements and preferences between tools: the section, and the graph.

mod config;
mod gate;
mod graph;

pub use config::{DependenciesConfig, DependencyRule};
pub use gate::{DependencyExclusion, Prerequisites};
pub use graph::{DependencyFault, ToolDependencyGraph};
