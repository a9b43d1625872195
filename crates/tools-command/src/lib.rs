//! Finds out what a command line does before it runs. The text is read as bash reads it. Every
//! program is found, also through wrappers, inner shells and substitutions, with what it does with
//! its arguments. Whatever the analysis cannot see through is reported as opaque. Nothing is judged
//! here, and nothing is run.

mod code;
mod effect;
mod excerpt;
mod grammar;
mod plain_path;
mod reader;
mod registry;
mod sql;

#[cfg(test)]
mod differential;

pub use code::Language;
pub use effect::Effect;
pub use plain_path::plain_path;
pub use reader::{Analysis, Command, Input, Links, Surroundings, Value, analyse, analyse_through, decides_what_runs};
pub use registry::{
    Canonical, Carried, Consequence, Doubt, More, OutputKind, Spellings, carried_commands, general_subcommands,
    is_open_ended, output_kind, spellings,
};
pub use sql::statements;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
