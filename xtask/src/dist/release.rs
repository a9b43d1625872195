//! The release: a binary, static if possible, and all files made from it.

use std::path::Path;

use super::binary::{BINARY, PACKAGE, PackagedBinary};
use super::{archive, files, manifest, npm, wheel};
use crate::{command, failure::Failure, repository};

const DIST: &str = "target/dist";
/// Build profile with cross-crate optimisation, which takes long.
const PROFILE: &str = "dist";
/// Targets whose binaries run on every Linux.
const STATIC: &[&str] = &["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];

/// Builds the binary, static if possible, and writes the files of a release.
pub(crate) fn run() -> Result<(), Failure> {
    let root = repository::root();
    let target = match static_target() {
        Ok(target) => target,
        Err(why) => {
            println!("dist: no static binary: {why}");
            host_target()?
        }
    };
    let profile = ["--profile", PROFILE];
    let mut build = command::cargo(&["build", "--locked", "--package", PACKAGE, "--target", &target]);
    command::run(build.args(profile))?;
    let binary = root.join("target").join(&target).join(PROFILE).join(BINARY);
    let release = PackagedBinary { binary, target, version: env!("CARGO_PKG_VERSION").to_owned() };
    lay_out(&release, &root.join(DIST))
}

/// Writes all files made from one binary.
pub(super) fn lay_out(built: &PackagedBinary, dist: &Path) -> Result<(), Failure> {
    files::clear(dist)?;
    archive::write(built, dist)?;
    npm::write(built, dist)?;
    wheel::write(built, dist)?;
    manifest::write(built, dist)
}

/// The target for a static binary on this machine, or the reason why there is none.
fn static_target() -> Result<String, String> {
    let target = STATIC.iter().find(|target| target.starts_with(std::env::consts::ARCH));
    let target = *target.filter(|_| cfg!(target_os = "linux")).ok_or("only Linux has a target for it")?;
    let mut libraries = std::process::Command::new("rustc");
    let folder = libraries.args(["--print", "target-libdir", "--target", target]).output();
    let folder = folder.ok().filter(|out| out.status.success()).map(|out| out.stdout).unwrap_or_default();
    if !Path::new(String::from_utf8_lossy(&folder).trim()).is_dir() {
        return Err(format!("`rustup target add {target}` comes first"));
    }
    // SQLite, the grammars and the cryptography are in C and need this compiler.
    let has = |name: &str| std::process::Command::new(name).arg("--version").output().is_ok();
    if has("musl-gcc") || has(&format!("{}-linux-musl-gcc", std::env::consts::ARCH)) {
        Ok(target.to_owned())
    } else {
        Err("there is no C compiler for it; the package `musl-tools` has one".to_owned())
    }
}

/// The target of this machine.
pub(super) fn host_target() -> Result<String, Failure> {
    let told = command::capture(command::command(Path::new("rustc")).arg("-vV"))?;
    let line = told.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned));
    line.ok_or_else(|| Failure::Found("the compiler does not name its host".to_owned()))
}
