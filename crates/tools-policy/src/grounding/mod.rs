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

pub use decide::{GroundingQuestion, HallucinationSuspect, SuspectKind};
pub use extract::extract_paths;
pub(crate) use gate::told_before;
pub use gate::{GroundingGate, Named};
pub use told::{SessionTexts, ToldBefore};
