//! From bytes to text: what kind of content it is, in which characters, and what of a page is worth
//! reading. Pure, and bounded in time and memory whatever the page is.

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
