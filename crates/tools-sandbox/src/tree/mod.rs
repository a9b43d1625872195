//! A tree of files at one moment, and its restoration: listing the entries, and restoring one entry
//! by rename. Callers keep the contents meanwhile and decide what may be restored.

mod inotify;
mod look;
mod put;
mod scan;
mod watch;

pub use inotify::{add_watch, max_watched_directories};
pub use look::{Bounds, CutReason, Entry, Skips, TreeListing, look, look_below, node};
pub use put::{copy, link, put, remove, settle, sweep, unclose};
pub use scan::{Node, Scan, Shape, ShapeKind, scan};
pub use watch::{ReportedChanges, TreeWatch};
