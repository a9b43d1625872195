//! The checks that every push must pass, as a list of steps run in order. The first failure ends
//! the run with its exit code; each step is announced and timed. The steps are implemented in their
//! own modules or in cargo.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use crate::{codegen, command, failure::Failure, layering, packages, repository, shapes, start_pages, tidy, timings};

/// The version of cargo-nextest, the same as in `.ci/run`.
const NEXTEST: &str = "0.9.143";

struct Step {
    name: &'static str,
    action: fn() -> Result<(), Failure>,
}

/// Cheap steps first: a missing header should not cost a full build to find.
const STEPS: &[Step] = &[
    Step { name: "fmt", action: || command::run(&mut command::cargo(&["fmt", "--all", "--check"])) },
    Step { name: "tidy", action: tidy::run },
    Step { name: "layering", action: layering::run },
    Step { name: "packages", action: packages::check },
    Step { name: "clippy", action: || command::run(&mut clippy()) },
    Step { name: "shapes of the libraries", action: shapes::of_libraries },
    Step { name: "start pages", action: start_pages::check },
    Step { name: "build of the tests", action: build_of_tests },
    Step { name: "tests", action: tests },
    // The tests have built the binary. It has the same configuration sections in every build.
    Step { name: "reference", action: || codegen::check_with(&repository::target().join("debug/haft")) },
    Step {
        name: "doc tests",
        action: || command::run(&mut command::cargo(&["test", "--locked", "--doc", "--workspace"])),
    },
    Step { name: "docs", action: || command::run(&mut docs()) },
];

/// Runs all steps.
pub(crate) fn run() -> Result<(), Failure> {
    run_steps(STEPS)
}

fn run_steps(steps: &[Step]) -> Result<(), Failure> {
    let start = Instant::now();
    for (number, step) in (1..).zip(steps) {
        println!("ci: [{number}/{}] {}", steps.len(), step.name);
        let begun = Instant::now();
        let result = (step.action)();
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        println!("ci: {} {verdict} in {}", step.name, seconds(begun.elapsed()));
        result?;
    }
    println!("ci: all {} steps passed in {}", steps.len(), seconds(start.elapsed()));
    Ok(())
}

/// Lints all features, including tests; the shapes lint code for builds without some features.
fn clippy() -> Command {
    let mut clippy = command::cargo(&["clippy", "--locked", "--workspace", "--all-targets", "--all-features"]);
    clippy.args(["--", "-D", "warnings"]);
    clippy
}

/// Builds the tests for nextest, and prints the build time of each crate.
fn build_of_tests() -> Result<(), Failure> {
    command::run(&mut command::cargo(&["test", "--locked", "--workspace", "--no-run", "--timings"]))?;
    timings::print(&repository::target())
}

fn tests() -> Result<(), Failure> {
    if !command::has_subcommand("nextest") {
        let install = format!("cargo install cargo-nextest --locked --version {NEXTEST}");
        return Err(Failure::Found(format!("cargo-nextest is not installed; install it with `{install}`")));
    }
    let mut nextest = command::cargo(&["nextest", "run", "--locked", "--workspace", "--profile", "ci"]);
    command::run(nextest.env("INSTA_UPDATE", "no"))
}

/// Uses all features, so that the results of the lint step can be reused.
fn docs() -> Command {
    let mut docs = command::cargo(&["doc", "--locked", "--workspace", "--no-deps", "--all-features"]);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    docs
}

fn seconds(duration: Duration) -> String {
    format!("{}.{} s", duration.as_secs(), duration.subsec_millis() / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_ends_the_run() {
        let steps = [
            Step { name: "passes", action: || Ok(()) },
            Step { name: "fails", action: || Err(Failure::Found("first".to_owned())) },
            Step { name: "is not reached", action: || Err(Failure::Found("second".to_owned())) },
        ];
        assert_eq!(run_steps(&steps).unwrap_err().to_string(), "first");
    }

    #[test]
    fn times_have_one_digit() {
        assert_eq!(seconds(Duration::from_millis(61_290)), "61.2 s");
    }
}
