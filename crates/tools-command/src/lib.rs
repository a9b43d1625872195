//! What a command line does, found before it runs: the text read as bash reads it, every program found through wrappers,
//! inner shells and substitutions, and what each program does with its arguments. What cannot be seen through is named
//! as opaque. Nothing is judged here, and nothing is run.

mod grammar;
mod plain_path;
mod reader;

#[cfg(test)]
mod differential;

pub use plain_path::plain_path;
pub use reader::{Analysis, Command, Input, Surroundings, Value, analyse};
