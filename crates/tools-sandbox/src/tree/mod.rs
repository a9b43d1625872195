//! A tree of files as it was, and the way back to it: what lies where, and putting one thing back
//! by rename. Where the contents are kept meanwhile, and what may be put back, is decided by those
//! who ask.

mod look;
mod put;
mod scan;
mod told;
mod watch;

pub use look::{Bounds, CutReason, Entry, Look, Skips, look, look_below, node};
pub use put::{copy, link, put, remove, settle, sweep, unclose};
pub use scan::{Node, Scan, Shape, ShapeKind, scan};
pub use told::{most_watched, tell_of};
pub use watch::{Noticed, TreeWatch};
