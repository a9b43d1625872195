//! A tree of files at one moment, and its restoration: listing the entries, and restoring one entry
//! by rename. Callers keep the contents meanwhile and decide what may be restored.

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
