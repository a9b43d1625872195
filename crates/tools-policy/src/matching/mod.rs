//! Compares the subjects of a call with patterns; shared by every gate that has rules.

mod addresses;
mod alternatives;
mod forms;
mod heads;
mod partial_command;
mod pattern;

pub(crate) use addresses::AddressPattern;
pub(crate) use forms::{
    Forms, PathForms, command_glob, glob_with_program_folded, path_glob, upwards, with_program_folded,
};
pub(crate) use partial_command::PartialCommand;
pub(crate) use pattern::{Patterns, SeparatorRule, compiled, escape, is_literal, is_plain, literal, parse};
