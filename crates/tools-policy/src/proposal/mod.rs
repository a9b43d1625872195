//! Rules for a project that has none: what sort of project it is, and what its everyday commands
//! are. Text in, text out: the caller writes.

mod add;
mod detect;
mod hosts;
mod propose;

pub use add::{AddError, Addition, add};
pub use detect::{ProjectKind, detect};
pub use hosts::{SourceHost, hosts};
pub use propose::propose;
