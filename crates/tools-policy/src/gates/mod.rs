//! All gates of a host, created from their sections, swapped and asked together.

mod approvals;
mod list;
mod memory;

pub use list::{GATES, GateRow, GateSections, Gates};
pub use memory::{GateSettings, GateState};
