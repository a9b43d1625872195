//! `haft run`: an agent on this workspace, for one task or in a session at the terminal.

mod commands;
mod confirm;
mod line;
mod show;
mod start;
mod status;
mod turns;

pub(crate) use start::run;
