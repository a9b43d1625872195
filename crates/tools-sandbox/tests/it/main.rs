//! The crate's behaviour through its public interface: paths, and confinement and ownership of
//! processes on the real kernel. A test that needs what this machine lacks says so and passes.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed test")]

mod confinement;
mod held;
mod lifetime;
mod machine;
mod network;
mod paths;
mod support;
