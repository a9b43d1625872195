//! From the grammar's commands to what runs: words with their certainty, wrappers, inner shells, what is evaluated later.

mod appended;
mod arithmetic;
mod assignments;
mod command;
mod described;
mod line;
mod options;
mod programs;
mod shells;
mod wrappers;

pub use assignments::decides_what_runs;
pub(crate) use command::ELSEWHERE;
pub use command::{Analysis, Command, Input, Surroundings, Value};
pub use line::analyse;
