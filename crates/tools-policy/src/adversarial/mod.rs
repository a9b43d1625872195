//! The adversarial gate: a model judges each call against policies written in plain language.
//!
//! The judge sees every character of the parameters, piece by piece, inside a fence that they
//! cannot close. Only the one word `ALLOW` lets a call go on, and `ASK` makes a person decide.
//! Everything else refuses it: another answer, an error, no answer in time, parameters too long to
//! be judged. It never lifts what another gate denies. Recognised credentials are replaced before
//! the judge reads them.

mod config;
mod decide;

mod gate;

pub use config::{AdversarialConfig, AdversarialPolicy, PhasePolicies};
pub use gate::AdversarialGate;
