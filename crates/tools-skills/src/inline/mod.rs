//! Tools that a skill declares in its front matter: a name, parameters, and the command line of a
//! call.

mod declaration;
mod template;

pub use declaration::InlineTool;
pub(crate) use declaration::declared;
