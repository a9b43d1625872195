//! Placement: checks whether a call would write a credential that the model never saw to a file
//! that it did not come from.
//!
//! The decision is made in `tools-secrets`, which knows the placeholders of the session.

mod gate;

pub use gate::PlacementGate;
