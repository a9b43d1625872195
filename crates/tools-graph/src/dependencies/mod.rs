//! What tools need or prefer to have been called before: the section, and the graph.

mod config;
mod gate;
mod graph;

pub use config::{DependenciesConfig, DependencyRule};
pub use gate::{DependencyExclusion, Prerequisites};
pub use graph::{DependencyFault, ToolDependencyGraph};
