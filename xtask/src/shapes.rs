//! The shapes in which somebody may compile a crate: alone with its default features, without them,
//! with each feature, and the fuzz targets, which are a workspace of their own. A build of the
//! whole workspace joins the features of all crates, so that a feature which a crate forgot to ask
//! for is missed only by whoever takes that crate alone.

use std::process::Command;

use crate::{
    command,
    failure::Failure,
    metadata::{Graph, Package},
};

const FUZZ: &str = "fuzz/Cargo.toml";

/// One way of compiling one crate.
#[derive(Debug, PartialEq, Eq)]
struct Shape<'a> {
    package: &'a str,
    flags: Vec<String>,
}

impl Shape<'_> {
    fn check(&self) -> Command {
        let mut clippy = command::cargo(&["clippy", "--quiet", "--locked", "--no-deps", "--package", self.package]);
        clippy.args(&self.flags).args(["--", "-D", "warnings"]);
        clippy
    }

    fn name(&self) -> String {
        let flags = if self.flags.is_empty() { "default features".to_owned() } else { self.flags.join(" ") };
        format!("{}: {flags}", self.package)
    }
}

/// Compiles every shape; the first that does not compile ends the run.
pub(crate) fn run() -> Result<(), Failure> {
    let graph = Graph::of_workspace()?;
    let mut count = 0;
    for (_, package) in graph.member_packages() {
        for shape in shapes(package) {
            println!("shapes: {}", shape.name());
            command::run(&mut shape.check())?;
            count += 1;
        }
    }
    println!("shapes: the fuzz targets");
    command::run(&mut fuzz())?;
    println!("shapes: {count} compile, and the fuzz targets");
    Ok(())
}

/// Compiles each shape of the facade and of what serves it, and the binary alone: a build of the
/// workspace never does.
pub(crate) fn alone() -> Result<(), Failure> {
    let graph = Graph::of_workspace()?;
    let served = graph.member_packages().filter(|(_, package)| ["haft", "haft-serve"].contains(&&*package.name));
    let binary = Shape { package: "haft-cli", flags: vec![] };
    for shape in served.flat_map(|(_, package)| shapes(package)).chain([binary]) {
        command::run(&mut shape.check())?;
    }
    Ok(())
}

/// The shapes of a crate. One feature with the default ones is left out where it is a default one.
fn shapes(package: &Package) -> Vec<Shape<'_>> {
    let shape =
        |flags: &[&str]| Shape { package: &package.name, flags: flags.iter().map(|&flag| flag.to_owned()).collect() };
    let mut shapes = vec![shape(&[])];
    let default = package.features.get("default").map(Vec::as_slice).unwrap_or_default();
    if !default.is_empty() {
        shapes.push(shape(&["--no-default-features"]));
    }
    for feature in package.features.keys().filter(|name| *name != "default") {
        shapes.push(shape(&["--no-default-features", "--features", feature]));
    }
    if package.features.len() > 1 {
        shapes.push(shape(&["--all-features"]));
    }
    shapes
}

/// The compiler is the pinned one and the library of the fuzzer is not built: whether the targets
/// fit the crates shows all the same.
fn fuzz() -> Command {
    let mut check =
        command::cargo(&["check", "--quiet", "--locked", "--manifest-path", FUZZ, "--target-dir", "target"]);
    check.env("CUSTOM_LIBFUZZER_PATH", "/dev/null");
    check
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn flags(features: &[(&str, &[&str])]) -> Vec<String> {
        let features: BTreeMap<String, Vec<String>> = features
            .iter()
            .map(|(name, other)| ((*name).to_owned(), other.iter().map(|&one| one.to_owned()).collect()))
            .collect();
        let package = Package { name: "x".to_owned(), version: "1.0.0".to_owned(), features, edges: vec![] };
        shapes(&package).iter().map(|shape| shape.flags.join(" ")).collect()
    }

    #[test]
    fn a_crate_without_features_has_one_shape() {
        assert_eq!(flags(&[]), [""]);
    }

    #[test]
    fn every_feature_is_compiled_alone_and_with_all_others() {
        let expected = [
            "",
            "--no-default-features",
            "--no-default-features --features a",
            "--no-default-features --features b",
            "--all-features",
        ];
        assert_eq!(flags(&[("default", &["a"]), ("a", &[]), ("b", &[])]), expected);
        assert_eq!(flags(&[("a", &[])]), ["", "--no-default-features --features a"]);
    }
}
