//! An agent over a toolbox: its calls, its limits, and where its conversations are saved.

mod host;
mod sessions;

pub use sessions::saved_sessions;
