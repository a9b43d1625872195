//! The adversarial gate: a model judges each call against policies written in plain language.
//!
//! The judge sees every character of the parameters, piece by piece, inside a fence that they
//! cannot close. Only the single word `ALLOW` lets a call run, and `ASK` makes a person decide.
//! Everything else refuses the call: another answer, an error, a timeout, parameters too long to be
//! judged. The judge never lifts a denial by another gate. Recognised credentials are replaced
//! before the judge reads them.

mod config;
mod decide;

mod gate;

pub use config::{AdversarialConfig, AdversarialPolicy, PhasePolicies};
pub use gate::AdversarialGate;
