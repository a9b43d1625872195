//! Rules for a project that has none: what sort of project it is, and what its everyday commands are.

mod add;
mod detect;
mod propose;

pub use add::{AddError, Added, add};
pub use detect::{ProjectKind, detect};
pub use propose::propose;
