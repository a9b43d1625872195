//! A tree of files as it was, and the way back to it: what lies where, and putting one thing back
//! by rename. Where the contents are kept meanwhile, and what may be put back, is decided by those
//! who ask.

mod look;
mod put;
mod scan;

pub use look::{Bounds, CutReason, Entry, Look, Skips, look, node};
pub use put::{copy, link, put, remove, settle};
pub use scan::{Node, Scan, Shape, ShapeKind, scan};
