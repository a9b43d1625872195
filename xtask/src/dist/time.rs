//! Measures a build from scratch: the first thing that a newcomer waits for.

use std::fs;
use std::time::{Duration, Instant};

use super::archive::mebibytes;
use super::binary::{BINARY, PACKAGE};
use super::files;
use crate::{command, failure::Failure, repository, timings};

const COLD: &str = "target/cold";

/// Builds the binary in an empty target folder, prints the time, and removes it.
pub(crate) fn time_cold_build() -> Result<(), Failure> {
    let cold = repository::root().join(COLD);
    files::clear(&cold)?;
    let start = Instant::now();
    let mut build =
        command::cargo(&["build", "--release", "--locked", "--timings", "--package", PACKAGE, "--target-dir"]);
    command::run(build.arg(&cold))?;
    let took = start.elapsed();
    let binary = cold.join("release").join(BINARY);
    let size = fs::metadata(&binary).map_err(Failure::io(format!("reading `{}`", binary.display())))?.len();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    timings::print(&cold)?;
    println!("{}", cold_build_line(took, cores, usize::try_from(size).unwrap_or(usize::MAX)));
    fs::remove_dir_all(&cold).map_err(Failure::io(format!("removing `{COLD}`")))
}

fn cold_build_line(took: Duration, cores: usize, size: usize) -> String {
    let seconds = took.as_secs();
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let size = mebibytes(size);
    format!("cold `cargo build --release -p {PACKAGE}` on {cores} cores: {minutes} min {seconds} s, binary {size}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cold_build_is_one_line() {
        assert_eq!(
            cold_build_line(Duration::from_millis(185_900), 2, 1_048_576),
            "cold `cargo build --release -p haft-cli` on 2 cores: 3 min 5 s, binary 1.0 MiB",
        );
    }
}
