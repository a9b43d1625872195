//! The whole binary: what a person, a script and a client see.

#![expect(clippy::disallowed_methods, reason = "the binary is started as a user would start it")]

mod acp;
mod audit;
mod batch;
mod cache;
mod call;
mod client;
mod clients;
mod closed;
mod code;
mod completions;
mod config;
mod crash;
mod demo;
mod elsewhere;
mod exec;
mod filter;
mod gate;
mod gates;
mod held;
mod hook;
mod http;
mod http_client;
mod http_elsewhere;
mod http_limits;
mod judge;
mod killed;
mod login;
#[cfg(feature = "postgres")]
mod machines;
mod mcp;
mod meaning;
mod memory;
mod migrate;
mod obeyed;
mod offer;
mod overflow;
mod own;
mod policy;
mod public_world;
mod question;
mod remote;
mod report;
mod resources;
mod run;
mod schedule;
mod scripts;
mod secrets;
mod servers;
mod setup;
#[cfg(feature = "postgres")]
mod shared;
mod skills;
mod ssh;
mod starts;
mod stranger;
mod support;
mod survivors;
mod terminal;
mod together;
mod top;
mod undo;
mod view;
mod watch;
mod web;
