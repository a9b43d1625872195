//! A release build of the binary: laid out in `target/dist` with licences, completions and a checksum, or built from
//! nothing only to see how long that takes. Publishing is a person's decision and not here.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use sha2::{Digest, Sha256};

use crate::{
    command::{self, Failure},
    repository, timings,
};

const PACKAGE: &str = "haft-cli";
const BINARY: &str = if cfg!(windows) { "haft.exe" } else { "haft" };
const DIST: &str = "target/dist";
const COLD: &str = "target/cold";
const PAPERS: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"];
const SHELLS: &[&str] = &["bash", "zsh", "fish"];

/// Builds the binary and lays out what a release holds.
pub(crate) fn run() -> Result<(), Failure> {
    let root = repository::root();
    command::run(&mut command::cargo(&["build", "--release", "--locked", "--package", PACKAGE]))?;
    let built = root.join("target/release").join(BINARY);
    let dist = root.join(DIST);
    clear(&dist)?;
    let binary = dist.join(BINARY);
    copy(&built, &binary)?;
    for paper in PAPERS {
        copy(&root.join(paper), &dist.join(paper))?;
    }
    write_completions(&binary, &dist)?;
    let bytes = fs::read(&binary).map_err(Failure::io(format!("reading `{}`", binary.display())))?;
    let sum = checksum_line(&bytes, BINARY);
    let sums = dist.join("SHA256SUMS");
    fs::write(&sums, &sum).map_err(Failure::io(format!("writing `{}`", sums.display())))?;
    print!("dist: {DIST}/{BINARY}, {}\ndist: {sum}", mebibytes(bytes.len()));
    Ok(())
}

/// Builds the binary in an empty target folder and prints the time: the first thing that a newcomer waits for.
pub(crate) fn time_cold_build() -> Result<(), Failure> {
    let cold = repository::root().join(COLD);
    clear(&cold)?;
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

fn write_completions(binary: &Path, dist: &Path) -> Result<(), Failure> {
    let folder = dist.join("completions");
    fs::create_dir_all(&folder).map_err(Failure::io(format!("creating `{}`", folder.display())))?;
    for shell in SHELLS {
        let script = command::capture(command::command(binary).args(["completions", shell]))?;
        let path = folder.join(format!("haft.{shell}"));
        fs::write(&path, script).map_err(Failure::io(format!("writing `{}`", path.display())))?;
    }
    Ok(())
}

fn clear(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(Failure::io(format!("removing `{}`", folder.display())))?;
    }
    fs::create_dir_all(folder).map_err(Failure::io(format!("creating `{}`", folder.display())))
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::copy(from, to).map_err(Failure::io(format!("copying `{}`", from.display())))?;
    Ok(())
}

/// The line that `sha256sum --check` reads.
fn checksum_line(bytes: &[u8], name: &str) -> String {
    let digest = Sha256::digest(bytes);
    let hex: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}  {name}\n", hex.concat())
}

fn mebibytes(bytes: usize) -> String {
    let tenths = bytes.saturating_mul(10) / (1024 * 1024);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_sha256sums() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  haft\n";
        assert_eq!(checksum_line(b"abc", "haft"), expected);
    }

    #[test]
    fn sizes_have_one_digit() {
        assert_eq!(mebibytes(0), "0.0 MiB");
        assert_eq!(mebibytes(7_340_032), "7.0 MiB");
        assert_eq!(mebibytes(7_900_000), "7.5 MiB");
    }

    #[test]
    fn the_cold_build_is_one_line() {
        assert_eq!(
            cold_build_line(Duration::from_millis(185_900), 2, 1_048_576),
            "cold `cargo build --release -p haft-cli` on 2 cores: 3 min 5 s, binary 1.0 MiB",
        );
    }
}
