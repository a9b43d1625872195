//! `haft demo`: a session of real calls on a real repository, through the whole stack, with
//! figures.
//!
//! Uses no model and no network. Writes only below `haft-demo` in the repository and in a temporary
//! folder. A read-only repository is first copied into a temporary folder, up to a size limit.

mod acts;
mod agent;
mod copy;
mod session;
mod stage;

pub(crate) use session::run;
