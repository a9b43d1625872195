//! Grounding: whether what a call names stands anywhere in what the model was given, or exists.
//!
//! It only ever warns. What is suspicious may still be right, and a tool says better than a guess
//! that a file is missing. Where the names in a call came from is noted of every call: the judge
//! reads it, and the record keeps it.

mod decide;
mod extract;
mod told;
mod words;

mod gate;

pub use decide::{GroundingQuestion, HallucinationSuspect, SuspectKind, suspects};
pub use extract::extract_paths;
pub use gate::{GroundingGate, Named, told_before};
pub use told::{SessionTexts, ToldBefore};
