//! The tool through its public face: what a call gives back, whatever the command does.
//! A test that needs what this machine lacks says so and passes.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says where")]

mod alone;
mod contract;
mod jobs;
mod lifetime;
mod obeyed;
mod outcome;
mod pipelines;
mod prompts;
mod sandbox;
mod support;
mod survivors;
mod toolchains;
mod transaction;
