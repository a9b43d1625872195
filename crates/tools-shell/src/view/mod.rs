//! The files of the machine that commands see: the view of a workspace, its copies of the user's
//! settings, and the caches of commands.

mod copies;
mod formats;
mod views;
mod workspace_caches;

pub use views::{ComputedView, ViewSettings, Views};
