//! Turns the grammar's commands into what runs: words with their certainty, wrappers, inner shells,
//! and texts that are evaluated later.

mod arithmetic;
mod assignments;
mod builtins;
mod chosen;
mod command;
mod content;
mod expanded;
mod known_variables;
mod line;
mod links;
mod names;
mod numbers;
mod obeyed;
mod possible_folders;
mod printing;
mod program_effects;
mod redirects;
mod remote;
mod scripts;
mod unset;
mod variables;

pub use assignments::decides_what_runs;
pub use command::{Analysis, Command, Input, Surroundings, Value};
pub(crate) use command::{ELSEWHERE, PLACEHOLDER};
pub use line::{analyse, analyse_through};
pub use links::Links;
pub(crate) use names::is_name;
pub(crate) use remote::commands_there;

#[cfg(test)]
mod tests;
