//! The feature sets with which a crate may be compiled: alone with its default features, without
//! them, with each feature, and the fuzz targets, which are a separate workspace. A build of the
//! whole workspace combines the features of all crates, so it does not detect that a crate forgot
//! to enable a feature that it needs.

use std::{
    cmp::Reverse,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
    thread,
    time::Instant,
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
        // Not with `--no-deps`: a crate that was compiled as a dependency before is not compiled
        // again in its own turn, so it would never be linted.
        let mut clippy = command::cargo(&["clippy", "--quiet", "--locked", "--package", self.package]);
        clippy.args(&self.flags);
        clippy
    }

    fn name(&self) -> String {
        let flags = if self.flags.is_empty() { "default features".to_owned() } else { self.flags.join(" ") };
        format!("{}: {flags}", self.package)
    }
}

/// Compiles every shape; the first failure ends the run.
pub(crate) fn run() -> Result<(), Failure> {
    compile_all(|_| true)
}

/// Does the same for the shapes that dependents of a crate compile: of the binary, whose features
/// take a third of the time, only the default ones.
pub(crate) fn of_libraries() -> Result<(), Failure> {
    compile_all(|shape| shape.package != BINARY || shape.flags.is_empty())
}

/// Two lanes share the crates, because most shapes compile one crate, which uses one processor.
/// Each lane has its own target folder, because cargo locks the folder.
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
                // Stops the other lane.
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
    let begun = Instant::now();
    command::run(shape.check().arg("--target-dir").arg(folder).args(["--", "-D", "warnings"]))?;
    println!("shapes: {} in {:.1} s", shape.name(), begun.elapsed().as_secs_f32());
    Ok(())
}

/// The shapes of a crate.
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

/// Uses the pinned compiler and does not build the fuzzer library: this suffices to check that the
/// targets compile.
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
