//! For build scripts: automata of patterns, and the code that holds them.

mod automaton;
mod write;

pub use automaton::Automaton;
pub use write::{Code, joined};
