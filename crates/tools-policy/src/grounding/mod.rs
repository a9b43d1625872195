//! Grounding: checks whether the names in a call exist or occur in the texts given to the model.
//!
//! It only ever warns. A suspicious name may still be right, and a tool reports a missing file more
//! reliably than a guess. The source of the names is recorded for every call: the judge reads it,
//! and the record keeps it.

mod decide;
mod extract;
mod session_texts;
mod words;

mod gate;

pub use decide::{GroundingQuestion, HallucinationSuspect, SuspectKind};
pub use extract::extract_paths;
pub(crate) use gate::provenance;
pub use gate::{GroundingGate, Named};
pub use session_texts::{Provenance, SessionTexts};
