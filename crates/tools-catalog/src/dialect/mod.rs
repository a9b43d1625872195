//! The interfaces that take tool definitions: a table for each, and the conversion of definitions.

mod names;
mod note;
mod nulls;
mod render;
mod schema;
mod table;

pub use note::{Change, Note};
pub use nulls::without_added_nulls;
pub use render::{Dialect, Rendered};
