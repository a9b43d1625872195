//! The descriptions, one file for each program or family. Each file is a table and its examples,
//! nothing else.

mod archives;
mod arguments;
mod builders_jvm;
mod builtins;
mod calculators;
mod checks;
mod clouds;
mod clusters;
mod cmake;
mod compilers;
mod containers;
mod data;
mod databases;
mod documents;
mod editors;
mod environment;
mod files;
mod filters;
mod find;
mod forges;
mod git;
mod go;
mod hooks;
mod javascript;
mod jvm;
mod languages;
mod machine;
mod make;
mod managers;
mod modes;
mod namespaces;
mod network;
mod node;
mod package_tools;
mod packages;
mod perl;
mod python;
mod python_packages;
mod registries;
mod remote;
mod ruby_packages;
mod rust;
mod search;
mod services;
mod sessions;
pub(crate) mod shells;
mod text;
mod tracers;
mod transfer;
mod versioning;
mod wrappers;

use super::spec::Program;

/// Every description, by file.
pub static PROGRAMS: &[&[Program]] = &[
    archives::ALL,
    arguments::ALL,
    builders_jvm::ALL,
    builtins::EVALUATION,
    builtins::VARIABLES,
    calculators::ALL,
    checks::ALL,
    clouds::ALL,
    clusters::ALL,
    cmake::ALL,
    compilers::ALL,
    containers::ALL,
    data::ALL,
    databases::ALL,
    documents::ALL,
    editors::ALL,
    environment::ALL,
    files::ALL,
    filters::ALL,
    find::ALL,
    forges::ALL,
    git::ALL,
    go::ALL,
    hooks::ALL,
    javascript::ALL,
    jvm::ALL,
    languages::ALL,
    machine::ALL,
    make::ALL,
    managers::ALL,
    modes::ALL,
    namespaces::ALL,
    network::ALL,
    node::BUN,
    node::NPM,
    node::PNPM,
    node::TOOLS,
    node::YARN,
    package_tools::ALL,
    packages::ALL,
    perl::ALL,
    python::ALL,
    python_packages::ALL,
    remote::ALL,
    ruby_packages::ALL,
    rust::ALL,
    search::ALL,
    services::ALL,
    sessions::ALL,
    shells::ALL,
    text::ALL,
    tracers::ALL,
    transfer::ALL,
    versioning::ALL,
    wrappers::ALL,
];
