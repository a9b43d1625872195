//! From the grammar's commands to what runs: words with their certainty, wrappers, inner shells, what is evaluated later.

mod appended;
mod arithmetic;
mod assignments;
mod builtins;
mod command;
mod content;
mod described;
mod known;
mod line;
mod names;
mod numbers;
mod options;
mod programs;
mod redirects;
mod scripts;
mod shells;
mod variables;
mod wrappers;

pub use assignments::decides_what_runs;
pub(crate) use command::ELSEWHERE;
pub use command::{Analysis, Command, Input, Surroundings, Value};
pub use line::analyse;

#[cfg(test)]
mod tests;
