//! Terminals of the client, as displays: the client starts a viewer of ours in a terminal, and the
//! viewer prints what a call prints. The command itself runs where it always runs, confined;
//! closing the terminal cancels the call.

mod display;
mod displays;
mod frame;
mod link;
mod viewer;

pub(crate) use displays::Displays;
pub use viewer::{Viewer, show_in_terminal};
