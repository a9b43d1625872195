//! What commands see of the machine: the view of a workspace under a configuration, the copies of the user's settings that
//! it hands in, and the caches that commands have for themselves.

mod caches;
mod copies;
mod formats;
mod report;
mod views;

pub(crate) use report::lines;
pub use report::{Seen, ViewReport};
pub(crate) use views::{Made, Views, Wanted};
