//! Definitions as interfaces take them, and calls held to them.

mod dialects;
mod registry;
mod support;
