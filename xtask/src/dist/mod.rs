//! What a release consists of, laid out in `target/dist`: the archive with its installer, packages
//! for npm and PyPI that carry the binary, and the manifest for the registry of MCP servers.
//! Publishing is a person's decision and not here.

mod release;

mod archive;
mod binary;
pub(crate) mod files;
mod manifest;
mod npm;
mod wheel;

mod check;
mod time;

pub(crate) use check::check;
pub(crate) use release::run;
pub(crate) use time::time_cold_build;
