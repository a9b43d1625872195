//! Checks the dependencies: licences, bans and sources with cargo-deny, and crates with more than
//! one version. Duplicates are listed but allowed: most of them can be removed only upstream.

use std::collections::{BTreeMap, BTreeSet};

use crate::{command, failure::Failure, metadata::Graph};

const DENY: &str = "0.20.2";

/// Installs cargo-deny if it is missing, then runs the checks.
pub(crate) fn install_and_run() -> Result<(), Failure> {
    if !command::has_subcommand("deny") {
        command::run(&mut command::cargo(&["install", "cargo-deny", "--locked", "--version", DENY]))?;
    }
    run()
}

/// Prints the duplicates, then runs cargo-deny.
pub(crate) fn run() -> Result<(), Failure> {
    let graph = Graph::of_workspace()?;
    println!("deps: {} packages with all features", graph.packages.len());
    for (name, versions) in duplicates(&graph) {
        println!(
            "deps: {name} in {} versions: {}",
            versions.len(),
            versions.into_iter().collect::<Vec<_>>().join(", ")
        );
    }
    if !command::has_subcommand("deny") {
        println!(
            "deps: NOT CHECKED: licences, bans, sources: cargo-deny is missing; `cargo xtask deps --install` installs it"
        );
        return Ok(());
    }
    // Advisories need a database from the network. The other checks need only the lock file and the
    // manifests of the crates.
    let mut deny = command::cargo(&["deny", "--offline", "--all-features", "check", "licenses", "bans", "sources"]);
    command::run(&mut deny)
}

fn duplicates(graph: &Graph) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in graph.packages.values() {
        versions.entry(&package.name).or_default().insert(&package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_listed_with_their_versions() {
        let text = r#"{"workspace_members": [], "packages": [
            {"id": "syn 2", "name": "syn", "version": "2.0.1"},
            {"id": "syn 3", "name": "syn", "version": "3.0.0"},
            {"id": "libc", "name": "libc", "version": "0.2.9"}],
            "resolve": {"nodes": [{"id": "syn 2", "deps": []}, {"id": "syn 3", "deps": []}, {"id": "libc", "deps": []}]}}"#;
        let graph = Graph::parse(text).unwrap();
        assert_eq!(duplicates(&graph), BTreeMap::from([("syn", BTreeSet::from(["2.0.1", "3.0.0"]))]));
    }
}
