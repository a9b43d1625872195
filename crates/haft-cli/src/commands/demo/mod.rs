//! `haft demo`: a session of real calls on a real repository, through the whole stack, with
//! figures.
//!
//! No model and no network. Writes only below `haft-demo` in the repository and in a temporary
//! folder. A repository that cannot be written is copied into a temporary folder first, as far as
//! it is small.

mod acts;
mod agent;
mod copy;
mod session;
mod stage;

pub(crate) use session::run;
