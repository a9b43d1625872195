//! Nothing but tests: see `tests/client.rs`.
