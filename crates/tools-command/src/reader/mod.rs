//! From the grammar's commands to what runs: words with their certainty, wrappers, inner shells,
//! what is evaluated later.

mod arithmetic;
mod assignments;
mod builtins;
mod chosen;
mod command;
mod content;
mod described;
mod known;
mod line;
mod names;
mod numbers;
mod obeyed;
mod printing;
mod reached;
mod redirects;
mod scripts;
mod there;
mod unset;
mod variables;

pub use assignments::decides_what_runs;
pub use command::{Analysis, Command, Input, Surroundings, Value};
pub(crate) use command::{ELSEWHERE, PLACEHOLDER};
pub use line::{analyse, analyse_through};
pub(crate) use names::is_name;
pub use reached::Links;
pub(crate) use there::commands_there;

#[cfg(test)]
mod tests;
