//! The files of a release, in `target/dist`: the archive with its installer, packages for npm and
//! PyPI that contain the binary, and the manifest for the registry of MCP servers. Publishing is
//! decided by a person and not implemented here.

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
