//! Each parser of untrusted bytes, as one function of these bytes: it returns for every input, and
//! panics if an invariant is broken. [`TARGETS`] lists them.
//!
//! A fuzzer calls them with generated inputs (`fuzz/`, `cargo xtask fuzz NAME SECONDS`); the tests
//! of this crate call them with the kept inputs (`fuzz/inputs/NAME.json`).

mod target;

mod command_line;
mod escape_sequences;
mod filtered_output;

mod credentials;

mod filter_rules;
mod globs;
mod permission_rules;

mod configuration;
mod host_files;

mod edits;

mod audit_lines;
mod stored_approvals;

mod messages;

mod acp_messages;
mod mcp_messages;

mod hook_input;
mod tool_definitions;

mod model_answers;

mod pages;
mod proxied_requests;
mod urls;

mod schedules;
mod skills;

mod corpus;

pub use corpus::corpus;
pub use target::{TARGETS, Target, check, target};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
