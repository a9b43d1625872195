//! The descriptions, one file for each program or family. Each file is a table and its examples, nothing else.

mod data;
mod files;
mod forges;
mod git;
mod machine;
mod modes;
mod network;
mod node;
mod packages;
mod python_packages;
mod registries;
mod remote;
mod rust;
mod search;
mod services;
mod text;
mod transfer;
mod versioning;
mod wrappers;

use super::spec::Program;

/// Every description, by file.
pub static PROGRAMS: &[&[Program]] = &[
    data::ALL,
    files::ALL,
    forges::ALL,
    git::ALL,
    machine::ALL,
    modes::ALL,
    network::ALL,
    node::BUN,
    node::NPM,
    node::PNPM,
    node::TOOLS,
    node::YARN,
    packages::ALL,
    python_packages::ALL,
    remote::ALL,
    rust::ALL,
    search::ALL,
    services::ALL,
    text::ALL,
    transfer::ALL,
    versioning::ALL,
    wrappers::ALL,
];
