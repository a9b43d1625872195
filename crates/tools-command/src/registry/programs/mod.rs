//! The descriptions, one file for each program or family. Each file holds a table, its examples and
//! its helper functions.

mod archives;
mod arguments;
mod builders_jvm;
mod builtins;
mod calculators;
mod checks;
mod clouds;
mod clusters;
mod cmake;
mod compiled_languages;
mod compilers;
mod containers;
mod data;
mod databases;
mod desktop;
mod developer_services;
mod documents;
mod editors;
mod elsewhere;
mod emptied;
mod encodings;
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
mod launchers;
mod links;
mod machine;
mod make;
mod managers;
mod models;
mod modes;
mod namespaces;
mod network;
mod node;
mod observers;
mod package_tools;
mod packages;
mod packaging;
mod perl;
mod php_tools;
mod profilers;
mod project_scripts;
mod prompts;
mod python;
mod python_packages;
pub(super) mod registries;
mod remote;
mod reviews;
mod ruby_packages;
mod rust;
mod schemas;
mod scripting_tools;
mod search;
mod services;
mod sessions;
mod sharing;
pub(crate) mod shells;
mod sqlite;
mod text;
mod tracers;
mod transfer;
mod typesetting;
mod vaults;
mod versioning;
mod watchers;
mod wrappers;

use super::spec::Program;

/// The descriptions of shell builtins.
pub(super) static BUILTINS: [&[Program]; 2] = [builtins::EVALUATION, builtins::VARIABLES];

/// Every description, by file.
pub(super) static PROGRAMS: &[&[Program]] = &[
    archives::ALL,
    arguments::ALL,
    builders_jvm::ALL,
    builtins::EVALUATION,
    builtins::VARIABLES,
    calculators::ALL,
    checks::ALL,
    clouds::ALL,
    clusters::ALL,
    compiled_languages::ALL,
    cmake::ALL,
    compilers::ALL,
    containers::ALL,
    data::ALL,
    databases::ALL,
    desktop::ALL,
    developer_services::ALL,
    documents::ALL,
    editors::ALL,
    elsewhere::ALL,
    encodings::ALL,
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
    launchers::ALL,
    links::ALL,
    languages::ALL,
    machine::ALL,
    make::ALL,
    managers::ALL,
    models::ALL,
    modes::ALL,
    namespaces::ALL,
    network::ALL,
    observers::ALL,
    node::BUN,
    node::NPM,
    node::PNPM,
    node::TOOLS,
    node::YARN,
    package_tools::ALL,
    packages::ALL,
    packaging::ALL,
    perl::ALL,
    php_tools::ALL,
    profilers::ALL,
    project_scripts::ALL,
    prompts::ALL,
    python::ALL,
    python_packages::ALL,
    remote::ALL,
    reviews::ALL,
    ruby_packages::ALL,
    scripting_tools::ALL,
    rust::ALL,
    search::ALL,
    services::ALL,
    schemas::ALL,
    sharing::ALL,
    sessions::ALL,
    shells::ALL,
    sqlite::ALL,
    text::ALL,
    tracers::ALL,
    transfer::ALL,
    typesetting::ALL,
    vaults::ALL,
    versioning::ALL,
    watchers::ALL,
    wrappers::ALL,
];
