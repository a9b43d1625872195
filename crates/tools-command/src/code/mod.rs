//! Signs that a piece of code in another language starts programs, opens connections or deletes
//! files. This is not a parser: code without a sign runs in the sandbox like everything else, and
//! code with a sign is asked about.

mod awk;
mod delimited;
mod ipython;
mod javascript;
mod language;
mod lua;
mod modules;
mod named_file;
mod other;
mod perl;
mod php;
mod python;
mod ruby;
mod sed;
mod text;

pub use language::Language;
pub(crate) use language::{files, suspicion};
pub(crate) use modules::Loads;
