//! The record of calls in a database: one chain for each process, with the heads of the others in
//! it.

mod chain;
mod heads;
mod schema;
mod sink;
mod writer;

mod reader;
mod verify;

mod prune;

pub use prune::{PruneError, PruneMode, PruneReport, PrunedChain};
pub use reader::{AuditDatabase, Page};
pub use sink::{PostgresSink, shared};
pub use verify::{Chain, TeamReport};
