//! One file per verb.

mod change;
mod live;
mod open;
mod parameters;
mod people;
mod program_path;
mod streams;

pub(crate) mod acp;
pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod exec;
pub(crate) mod explain;
pub(crate) mod filter;
pub(crate) mod hook;
mod hook_lines;
mod hook_start;
pub(crate) mod init;
pub(crate) mod layers;
pub(crate) mod login;
pub(crate) mod man;
pub(crate) mod mcp;
#[cfg(feature = "http")]
pub(crate) mod mcp_http;
#[cfg(feature = "http")]
mod mcp_http_reload;
pub(crate) mod memory;
pub(crate) mod migrate;
pub(crate) mod overflow;
pub(crate) mod pins;
pub(crate) mod policy;
mod record_file;
pub(crate) mod reference;
mod replay;
pub(crate) mod run;
pub(crate) mod scan;
pub(crate) mod schedule;
pub(crate) mod servers;
pub(crate) mod sessions;
pub(crate) mod setup;
mod setup_state;
pub(crate) mod skills;
mod suggest;
pub(crate) mod tools;
pub(crate) mod top;
pub(crate) mod trust;
pub(crate) mod undo;
