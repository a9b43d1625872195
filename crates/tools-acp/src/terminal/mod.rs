//! Shows calls in terminals of the client: the client starts our viewer in a terminal, and the
//! viewer prints the call's output. The command itself runs confined as always; closing the
//! terminal cancels the call.

mod display;
mod displays;
mod frame;
mod link;
mod viewer;

pub(crate) use displays::Displays;
pub use viewer::{Viewer, show_in_terminal};
