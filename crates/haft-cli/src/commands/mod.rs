//! One file per verb.

mod change;
mod open;
mod ours;
mod parameters;

pub(crate) mod audit;
pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod exec;
pub(crate) mod explain;
pub(crate) mod filter;
pub(crate) mod hook;
pub(crate) mod init;
pub(crate) mod layers;
pub(crate) mod mcp;
pub(crate) mod memory;
pub(crate) mod migrate;
pub(crate) mod overflow;
pub(crate) mod pins;
pub(crate) mod policy;
pub(crate) mod reference;
mod replay;
pub(crate) mod run;
pub(crate) mod scan;
pub(crate) mod schedule;
pub(crate) mod servers;
pub(crate) mod sessions;
pub(crate) mod setup;
mod setup_kept;
pub(crate) mod skills;
mod suggest;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod undo;
