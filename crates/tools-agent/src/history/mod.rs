//! The conversation: its messages, how much of the model's context they take, and how it is made
//! shorter.

mod budget;
mod clear;
mod compress;
mod messages;
mod size;

pub use budget::{Budget, Pressure};
pub(crate) use clear::kept_lines;
pub(crate) use compress::render;
pub use compress::{Compression, CompressionStrategy, MessageSelection, NoGain, Summary, select};
pub use messages::{History, Invalid};
