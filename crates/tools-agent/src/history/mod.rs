//! The conversation: its messages, their share of the model's context, and how it is shortened.

mod budget;
mod clear;
mod compress;
mod messages;
mod size;

pub use budget::{Budget, Pressure};
pub(crate) use clear::kept_lines;
pub(crate) use compress::render;
pub use compress::{Compression, CompressionStrategy, MessageSelection, NoGain, Summary, select};
pub use messages::{History, InvalidHistory};
