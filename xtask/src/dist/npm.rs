//! Packages for npm: one with the binary of a platform, and the main package that starts the right
//! one.

use std::path::Path;

use serde_json::{Value, json};

use super::binary::{BINARY, PackagedBinary};
use super::{files, manifest};
use crate::{command, failure::Failure, repository};

/// The main package, which users install.
pub(super) const NAME: &str = "haft-cli";
/// Platforms: beginning and end of the target triple, and npm's names of system and processor.
const PLATFORMS: [(&str, &str, &str, &str); 4] = [
    ("x86_64", "linux", "linux", "x64"),
    ("aarch64", "linux", "linux", "arm64"),
    ("x86_64", "darwin", "darwin", "x64"),
    ("aarch64", "darwin", "darwin", "arm64"),
];

/// Writes both folders, and packs them if npm is installed.
pub(super) fn write(built: &PackagedBinary, dist: &Path) -> Result<(), Failure> {
    let Some((system, processor)) = platform(&built.target) else {
        println!("dist: no npm package for {}", built.target);
        return Ok(());
    };
    let folder = dist.join("npm");
    let (main, own) = (folder.join(NAME), folder.join(format!("{NAME}-{system}-{processor}")));
    let binary = own.join("bin").join(BINARY);
    files::copy(&built.binary, &binary)?;
    files::write(&own.join("package.json"), &format!("{:#}\n", of_platform(&built.version, system, processor)))?;
    files::copy(&repository::root().join("packaging/npm/haft.js"), &main.join("bin/haft.js"))?;
    files::write(&main.join("package.json"), &format!("{:#}\n", launcher(&built.version)))?;
    for package in [&main, &own] {
        for paper in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            files::copy(&repository::root().join(paper), &package.join(paper))?;
        }
    }
    if !has_npm() {
        println!("dist: the npm packages are not packed, there is no npm");
        return Ok(());
    }
    let mut pack = command::command(Path::new("npm"));
    pack.args(["pack", "--silent", "--pack-destination"]).arg(dist).args([&main, &own]).current_dir(dist);
    command::run(&mut pack)
}

/// Whether npm can be started.
pub(super) fn has_npm() -> bool {
    command::command(Path::new("npm")).arg("--version").output().is_ok_and(|ran| ran.status.success())
}

fn platform(target: &str) -> Option<(&'static str, &'static str)> {
    let found = PLATFORMS.iter().find(|(begin, end, ..)| target.starts_with(begin) && target.contains(end));
    found.map(|(_, _, system, processor)| (*system, *processor))
}

fn common(version: &str) -> Value {
    json!({
        "version": version,
        "description": "The binary `haft`: tool calls of agents judged, confined and on record",
        "license": "MIT OR Apache-2.0",
    })
}

fn of_platform(version: &str, system: &str, processor: &str) -> Value {
    let mut package = common(version);
    package["name"] = format!("{NAME}-{system}-{processor}").into();
    package["os"] = json!([system]);
    package["cpu"] = json!([processor]);
    package["files"] = json!(["bin"]);
    package
}

fn launcher(version: &str) -> Value {
    let mut package = common(version);
    package["name"] = NAME.into();
    package["bin"] = json!({"haft": "bin/haft.js"});
    package["files"] = json!(["bin"]);
    package["engines"] = json!({"node": ">=18"});
    // The registry of MCP servers reads this to identify the owner of the package.
    package["mcpName"] = manifest::name().into();
    let platforms = PLATFORMS.iter().map(|(_, _, system, processor)| format!("{NAME}-{system}-{processor}"));
    package["optionalDependencies"] = platforms.map(|name| (name, Value::from(version))).collect();
    package
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_the_names_of_npm() {
        assert_eq!(platform("x86_64-unknown-linux-musl"), Some(("linux", "x64")));
        assert_eq!(platform("aarch64-apple-darwin"), Some(("darwin", "arm64")));
        assert_eq!(platform("riscv64gc-unknown-linux-gnu"), None);
    }
}
