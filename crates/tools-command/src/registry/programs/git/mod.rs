//! `git`: its options and subcommands, its settings, what reaches others and what loses work.

mod examples;
mod files;
mod foreign;
mod history;
mod objects;
mod program;
mod remotes;
mod settings;
mod tree;

pub(super) use program::ALL;
pub(super) use remotes::cloned;
