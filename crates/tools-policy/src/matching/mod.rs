//! Comparing what a call touches with patterns: shared by every gate that has rules.

mod forms;
mod heads;
mod pattern;

pub(crate) use forms::{Forms, PathForms, command_glob, path_glob, upwards};
pub(crate) use pattern::{Crossing, OneGlob, Patterns, escape, is_plain, literal, parse};
