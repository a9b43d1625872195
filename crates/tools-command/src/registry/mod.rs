//! What programs do with their arguments: one description for each program, and one reader of all
//! descriptions.

mod consequence;
pub(crate) mod spec;

mod address;
mod apply;
mod by_name;
mod carried;
mod doubt;
mod index;
mod lookup;
mod open_ended;
mod options;
mod parsed;
mod prelude;
mod shown;
mod spellings;
mod unknown;

mod programs;

#[cfg(test)]
mod tests;

pub(crate) use address::{addressed, is_bare_host};
pub(crate) use apply::is_remote;
pub use carried::{Carried, carried};
pub use consequence::Consequence;
pub use doubt::Doubt;
pub use lookup::{Canonical, general_subcommands};
pub(crate) use lookup::{CommandDescription, describe, find, positions_of_values, prints};
pub use open_ended::is_open_ended;
pub(crate) use parsed::Parsed;
pub(crate) use programs::shells::{DOTS, is_shell, matches_dots};
pub use shown::{OutputKind, shown};
pub use spec::More;
pub(crate) use spec::{Prints, Program};
pub use spellings::{Spellings, spellings};
pub(crate) use unknown::feared;
