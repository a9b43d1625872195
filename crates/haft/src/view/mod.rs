//! What commands see of the machine: the view of a workspace under a configuration, the copies of
//! the user's settings that it hands in, and the caches that commands have for themselves.

#[cfg(feature = "shell")]
mod caches;
#[cfg(feature = "shell")]
mod copies;
#[cfg(feature = "shell")]
mod formats;
mod report;
#[cfg(feature = "shell")]
mod views;

pub(crate) use report::lines;
pub use report::{ViewReport, VisiblePlace};
#[cfg(feature = "shell")]
pub(crate) use views::{ComputedView, ViewSettings, Views};
