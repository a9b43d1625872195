//! Tools that a skill declares in its front matter: a name, parameters, and the command line of a
//! call.

mod declared;
mod template;

pub use declared::InlineTool;
pub(crate) use declared::declared;
