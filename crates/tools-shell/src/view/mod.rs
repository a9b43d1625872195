//! What commands see of the machine: the view of a workspace, the copies of the user's settings
//! that it hands in, and the caches that commands have for themselves.

mod copies;
mod formats;
mod views;
mod workspace_caches;

pub use views::{ComputedView, ViewSettings, Views};
