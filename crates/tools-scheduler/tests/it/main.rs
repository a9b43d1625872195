//! Tasks over their store: what is stored, what fires, and that nothing fires twice.

mod once;
mod support;
mod tools;
