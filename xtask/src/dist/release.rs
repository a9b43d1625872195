//! What a release consists of, laid out in `target/dist`: the archive with its installer, packages
//! for npm and PyPI that carry the binary, and the manifest for the registry of MCP servers.
//! Publishing is a person's decision and not here.

mod archive;
mod check;
mod files;
mod manifest;
mod npm;
mod time;
mod wheel;

use std::path::{Path, PathBuf};

use crate::{
    command::{self, Failure},
    repository,
};

pub(crate) use check::check;
pub(crate) use time::time_cold_build;

const PACKAGE: &str = "haft-cli";
const BINARY: &str = if cfg!(windows) { "haft.exe" } else { "haft" };
const DIST: &str = "target/dist";
/// Targets of which one binary runs on every Linux.
const STATIC: &[&str] = &["x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl"];

/// A binary to be packed.
#[derive(Debug, Clone)]
struct PackagedBinary {
    binary: PathBuf,
    /// The target, as the compiler names it.
    target: String,
    version: String,
}

/// Builds the binary, static where that links, and lays out what a release holds.
pub(crate) fn run() -> Result<(), Failure> {
    let root = repository::root();
    let target = match static_target() {
        Ok(target) => target,
        Err(why) => {
            println!("dist: no static binary: {why}");
            host_target()?
        }
    };
    let mut build = command::cargo(&["build", "--release", "--locked", "--package", PACKAGE, "--target", &target]);
    command::run(&mut build)?;
    let binary = root.join("target").join(&target).join("release").join(BINARY);
    let release = PackagedBinary { binary, target, version: env!("CARGO_PKG_VERSION").to_owned() };
    lay_out(&release, &root.join(DIST))
}

/// Everything that is made of one binary.
fn lay_out(built: &PackagedBinary, dist: &Path) -> Result<(), Failure> {
    files::clear(dist)?;
    archive::write(built, dist)?;
    npm::write(built, dist)?;
    wheel::write(built, dist)?;
    manifest::write(built, dist)
}

/// The target for a static binary of this machine.
fn static_target() -> Result<String, String> {
    let target = STATIC.iter().find(|target| target.starts_with(std::env::consts::ARCH));
    let target = *target.filter(|_| cfg!(target_os = "linux")).ok_or("only Linux has a target for it")?;
    let mut libraries = std::process::Command::new("rustc");
    let folder = libraries.args(["--print", "target-libdir", "--target", target]).output();
    let folder = folder.ok().filter(|out| out.status.success()).map(|out| out.stdout).unwrap_or_default();
    if !Path::new(String::from_utf8_lossy(&folder).trim()).is_dir() {
        return Err(format!("`rustup target add {target}` comes first"));
    }
    // SQLite, the grammars and the cryptography are C.
    let has = |name: &str| std::process::Command::new(name).arg("--version").output().is_ok();
    if has("musl-gcc") || has(&format!("{}-linux-musl-gcc", std::env::consts::ARCH)) {
        Ok(target.to_owned())
    } else {
        Err("there is no C compiler for it; the package `musl-tools` has one".to_owned())
    }
}

/// The target of this machine.
fn host_target() -> Result<String, Failure> {
    let told = command::capture(command::command(Path::new("rustc")).arg("-vV"))?;
    let line = told.lines().find_map(|line| line.strip_prefix("host: ").map(str::to_owned));
    line.ok_or_else(|| Failure::Found("the compiler does not name its host".to_owned()))
}
