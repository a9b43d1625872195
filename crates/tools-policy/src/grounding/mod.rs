//! Grounding: whether what a call names stands anywhere in what the model was given, or exists.
//!
//! It only ever warns. What is suspicious may still be right, and a tool says better than a guess
//! that a file is missing.

mod decide;
mod extract;
mod told;

mod gate;

pub use decide::{GroundingQuestion, HallucinationSuspect, SuspectKind, suspects};
pub use extract::extract_paths;
pub use gate::GroundingGate;
pub use told::SessionTexts;
