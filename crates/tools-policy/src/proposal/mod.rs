//! Proposes rules for a project that has none, from the kind of project and its everyday commands.
//! Text in, text out: the caller writes.

mod add;
mod detect;
mod hosts;
mod propose;

pub use add::{AddError, Addition, add};
pub use detect::{ProjectKind, detect};
pub use hosts::{SourceHost, hosts};
pub use propose::propose;
