//! The shapes in which somebody may compile a crate: alone with its default features, without them,
//! with each feature, and the fuzz targets, which are a workspace of their own. A build of the
//! whole workspace joins the features of all crates, so that a feature which a crate forgot to ask
//! for is missed only by whoever takes that crate alone.

use std::{
    cmp::Reverse,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
    thread,
};

use crate::{
    command,
    failure::Failure,
    metadata::{Graph, Package},
    repository,
};

const FUZZ: &str = "fuzz/Cargo.toml";
const BINARY: &str = "haft-cli";

/// One way of compiling one crate.
#[derive(Debug, PartialEq, Eq)]
struct Shape<'a> {
    package: &'a str,
    flags: Vec<String>,
}

impl Shape<'_> {
    fn check(&self) -> Command {
        let mut clippy = command::cargo(&["clippy", "--quiet", "--locked", "--no-deps", "--package", self.package]);
        clippy.args(&self.flags);
        clippy
    }

    fn name(&self) -> String {
        let flags = if self.flags.is_empty() { "default features".to_owned() } else { self.flags.join(" ") };
        format!("{}: {flags}", self.package)
    }
}

/// Compiles every shape; the first that does not compile ends the run.
pub(crate) fn run() -> Result<(), Failure> {
    compile_all(|_| true)
}

/// The same for what is compiled by whoever depends on a crate: of the binary, whose features take
/// a third of the time, only the default ones.
pub(crate) fn of_libraries() -> Result<(), Failure> {
    compile_all(|shape| shape.package != BINARY || shape.flags.is_empty())
}

/// Two lanes share the crates: most of a shape is one crate, which keeps one processor busy. Each
/// has a folder of its own, since cargo lets one process at a time into a folder.
fn compile_all(is_wanted: impl Fn(&Shape<'_>) -> bool) -> Result<(), Failure> {
    let graph = Graph::of_workspace()?;
    let wanted = |package| shapes(package).into_iter().filter(&is_wanted).collect();
    let mut crates: Vec<Vec<Shape<'_>>> = graph.member_packages().map(|(_, package)| wanted(package)).collect();
    crates.sort_by_key(|shapes| Reverse(shapes.len()));
    let count: usize = crates.iter().map(Vec::len).sum();
    let waiting = Mutex::new(crates.into_iter());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let lane = |folder: PathBuf| {
        while let Some(shapes) = next() {
            let result = shapes.iter().try_for_each(|shape| compile(shape, &folder));
            if result.is_err() {
                // Nothing is left for the other lane.
                while next().is_some() {}
                return result;
            }
        }
        Ok(())
    };
    let target = repository::target();
    thread::scope(|scope| {
        let second = scope.spawn(|| lane(target.join("shapes")));
        lane(target.clone()).and(second.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    println!("shapes: the fuzz targets");
    command::run(fuzz().arg("--target-dir").arg(&target))?;
    println!("shapes: {count} compile, and the fuzz targets");
    Ok(())
}

fn compile(shape: &Shape<'_>, folder: &Path) -> Result<(), Failure> {
    println!("shapes: {}", shape.name());
    command::run(shape.check().arg("--target-dir").arg(folder).args(["--", "-D", "warnings"]))
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
    let mut check = command::cargo(&["check", "--quiet", "--locked", "--manifest-path", FUZZ]);
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
