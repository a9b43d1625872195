//! Turns bytes into text: detects the type and the encoding, and selects what is worth reading.
//! Works without I/O, and limits time and memory for any page.

mod charset;
mod code;
mod control;
mod css;
mod formula;
mod kind;
mod left_out;
mod links;
mod list;
mod parse;
mod readable;
mod select;
mod shadow;
mod step;
mod streamed;
mod style;
mod table;
mod tag;
mod walk;
mod writer;
mod xhtml;

pub use charset::{CharsetSource, DecodedText, decode};
pub use kind::{Kind, kind_of};
pub use left_out::LeftOut;
pub use parse::{Document, PATIENCE};
pub use readable::{Format, Readable, readable};
pub use select::{Extract, Matches, SelectorFault, select};

pub(crate) use control::without_controls;
