//! The filter, the graph and the selection through the public API.

mod dependencies;
mod pipeline;
mod selection;
mod session;
mod support;
