//! Results of pure readers, served again to the same session while nothing they depend on has
//! changed.
//!
//! [`CacheLayer`] asks a [`ToolResultCache`] before a call goes on and tells it what came of it.
//! What may be kept is in the tool's definition, what a result depends on in the call's inspection
//! or in the basis that the tool left; no tool is known by name.

mod basis;
mod cache;
mod cached_result;
mod config;
mod flight;
mod layer;
mod live;
mod lru;

pub use cache::{Metrics, ToolResultCache};
pub use config::CacheConfig;
pub use layer::CacheLayer;
pub use live::LiveCache;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
