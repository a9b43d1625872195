//! `git`: its options, subcommands and settings, and which of them reach others or lose work.

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
