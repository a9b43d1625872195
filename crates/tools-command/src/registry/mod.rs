//! The effects of programs with their arguments: one description for each program, and one reader
//! for all descriptions.

mod consequence;
pub(crate) mod spec;

mod address;
mod apply;
mod by_name;
mod carried_commands;
mod doubt;
mod index;
mod lookup;
mod open_ended;
mod options;
mod output_kind;
mod parsed;
mod prelude;
mod spellings;
mod unknown;

mod programs;

#[cfg(test)]
mod tests;

pub(crate) use address::{addressed, is_bare_host};
pub(crate) use apply::is_remote;
pub use carried_commands::{Carried, carried_commands};
pub use consequence::Consequence;
pub use doubt::Doubt;
pub use lookup::{Canonical, general_subcommands};
pub(crate) use lookup::{CommandDescription, describe, find, positions_of_values, prints};
pub use open_ended::is_open_ended;
pub use output_kind::{OutputKind, output_kind};
pub(crate) use parsed::Parsed;
pub(crate) use programs::shells::{DOTS, is_shell, matches_dots};
pub use spec::More;
pub(crate) use spec::{Prints, Program};
pub use spellings::{Spellings, spellings};
pub(crate) use unknown::possible_effects;
