//! Tools that a skill declares in its front matter: a name, what it takes, and the command line
//! that a call of it is.

mod declared;
mod template;

pub use declared::InlineTool;
pub(crate) use declared::declared;
