//! Tasks over their store: what is stored, what fires, and that nothing fires twice.

mod clocks;
mod once;
mod others;
mod stores;
mod support;
mod tools;
