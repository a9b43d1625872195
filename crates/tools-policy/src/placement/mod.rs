//! Placement: whether a call would bring a credential that the model never saw to a file that it
//! did not come from.
//!
//! What decides is in `tools-secrets`, which knows the placeholders of the session.

mod gate;

pub use gate::PlacementGate;
