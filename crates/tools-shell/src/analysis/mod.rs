//! What a command line would run: its text read as bash reads it, every program found through wrappers, inner shells and
//! substitutions, and everything that cannot be seen through named as opaque. Nothing is judged here; `blocklist` and
//! `confirm` do that.

mod appended;
mod arithmetic;
mod assignments;
mod code;
mod command;
mod grammar;
mod options;
mod programs;
mod reader;
mod shells;
mod wrappers;

#[cfg(test)]
mod differential;

pub(crate) use command::{Analysis, Command, Input, Surroundings, Value};
pub(crate) use reader::analyse;
