//! Installs the packages, from local files only and into separate folders, and starts each
//! installed binary: from the installer, the npm packages and the wheel. Works with any build of
//! the binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::binary::{BINARY, PackagedBinary};
use super::release::{host_target, lay_out};
use super::{archive, files, npm, wheel};
use crate::{command, failure::Failure, repository};

const CHECKED: &str = "target/dist-check";
/// An unreachable registry, so that package names are not looked up.
const OFFLINE: &str = "http://127.0.0.1:9";

/// Packages `binary`, or the debug build, and installs it in each way that this machine supports.
pub(crate) fn check(binary: Option<&str>) -> Result<(), Failure> {
    let root = repository::root();
    let binary = if let Some(named) = binary {
        PathBuf::from(named)
    } else {
        command::run(&mut command::cargo(&["build", "--locked", "--workspace", "--bin", "haft"]))?;
        root.join("target/debug").join(BINARY)
    };
    let binary = binary.canonicalize().map_err(Failure::io(format!("looking for `{}`", binary.display())))?;
    let built = PackagedBinary { binary, target: host_target()?, version: env!("CARGO_PKG_VERSION").to_owned() };
    let dist = root.join(CHECKED);
    lay_out(&built, &dist)?;
    let expected = command::capture(command::command(&built.binary).arg("--version"))?;
    by_installer(&built, &dist, &expected)?;
    by_npm(&dist, &expected)?;
    by_pip(&dist, &expected)?;
    manifest(&built, &dist)
}

fn by_installer(built: &PackagedBinary, dist: &Path, expected: &str) -> Result<(), Failure> {
    let unpacked = dist.join("unpacked");
    files::make(&unpacked)?;
    let name = archive::name(built);
    let mut tar = command::command(Path::new("tar"));
    command::run(tar.arg("-xzf").arg(dist.join(format!("{name}.tar.gz"))).arg("-C").arg(&unpacked))?;
    let (folder, prefix) = (unpacked.join(name), dist.join("prefix"));
    let install = |more: &[&str]| {
        let mut sh = command::command(Path::new("sh"));
        sh.arg(folder.join("install.sh")).args(more).env("PREFIX", &prefix);
        sh
    };
    command::run(&mut install(&[]))?;
    starts("the installer", command::command(prefix.join("bin").join(BINARY)), expected)?;
    let pages = ["share/man/man1/haft.1", "share/man/man1/haft-setup.1", "share/zsh/site-functions/_haft"];
    for page in pages {
        is_there(&prefix.join(page), true)?;
    }
    // Installs again over the first installation, then checks that an uninstall removes everything.
    command::run(&mut install(&[]))?;
    command::run(&mut install(&["--uninstall"]))?;
    is_there(&prefix.join("bin").join(BINARY), false)?;
    is_there(&prefix.join(pages[0]), false)?;
    // The installer must refuse changed files.
    files::write(&folder.join("README.md"), "another text\n")?;
    let refused = install(&[]).output().map_err(Failure::io("starting the installer"))?;
    if refused.status.success() {
        return Err(Failure::Found("the installer installs files whose checksums are wrong".to_owned()));
    }
    is_there(&prefix.join("bin").join(BINARY), false)
}

fn by_npm(dist: &Path, expected: &str) -> Result<(), Failure> {
    if !npm::has_npm() {
        println!("dist --check: npm skipped, it is not there");
        return Ok(());
    }
    let folder = dist.join("npm-install");
    files::write(&folder.join("package.json"), "{\"private\": true}\n")?;
    let mut install = command::command(Path::new("npm"));
    install.args(["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--registry", OFFLINE]);
    install.args(packed(dist, "tgz")?).current_dir(&folder);
    command::run(&mut install)?;
    let mut npx = command::command(Path::new("npx"));
    npx.args(["--offline", "--no-install", "haft"]).current_dir(&folder);
    starts("npx", npx, expected)?;
    let mut failing = command::command(Path::new("npx"));
    failing.args(["--offline", "--no-install", "haft", "no-such-verb"]).current_dir(&folder);
    let code = failing.output().map_err(Failure::io("starting npx"))?.status.code();
    if code == Some(2) { Ok(()) } else { Err(Failure::Found(format!("npx ends with {code:?} in place of 2"))) }
}

fn by_pip(dist: &Path, expected: &str) -> Result<(), Failure> {
    if !wheel::has_python() {
        println!("dist --check: pip skipped, there is no python3");
        return Ok(());
    }
    let folder = dist.join("venv");
    let mut venv = command::command(Path::new("python3"));
    if !venv.args(["-m", "venv"]).arg(&folder).output().is_ok_and(|ran| ran.status.success()) {
        println!("dist --check: pip skipped, python3 makes no environments here");
        return Ok(());
    }
    let wheels = packed(dist, "whl")?;
    let mut install = command::command(folder.join("bin/python"));
    install.args(["-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check"]).args(&wheels);
    command::run(&mut install)?;
    starts("pip", command::command(folder.join("bin").join(BINARY)), expected)?;
    let mut uvx = command::command(Path::new("uvx"));
    if uvx.arg("--version").output().is_err() {
        println!("dist --check: uvx skipped, it is not there");
        return Ok(());
    }
    let mut uvx = command::command(Path::new("uvx"));
    uvx.args(["--offline", "--no-index", "--from"]).args(&wheels).arg("haft");
    starts("uvx", uvx, expected)
}

/// Checks that the manifest has the names and the version of the packages.
fn manifest(built: &PackagedBinary, dist: &Path) -> Result<(), Failure> {
    let file = dist.join("server.json");
    let read = serde_json::from_slice(&files::read(&file)?);
    let manifest: Value = read.map_err(|source| Failure::Json { what: file.display().to_string(), source })?;
    let description = manifest["description"].as_str().unwrap_or_default();
    let packages = manifest["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let is_good = manifest["version"] == built.version.as_str()
        && (1..=100).contains(&description.chars().count())
        && packages.len() == 2
        && packages
            .iter()
            .all(|package| package["identifier"] == npm::NAME && package["version"] == manifest["version"]);
    if is_good { Ok(()) } else { Err(Failure::Found(format!("`{}` does not fit: {manifest}", file.display()))) }
}

/// Whether the installed binary is the packaged one.
fn starts(how: &str, mut command: Command, expected: &str) -> Result<(), Failure> {
    let said = command::capture(command.arg("--version"))?;
    if said != expected {
        return Err(Failure::Found(format!("{how}: `{said}` in place of `{expected}`")));
    }
    println!("dist --check: {how} works");
    Ok(())
}

fn is_there(path: &Path, expected: bool) -> Result<(), Failure> {
    if path.exists() == expected {
        return Ok(());
    }
    let word = if expected { "is missing" } else { "is there" };
    Err(Failure::Found(format!("`{}` {word}", path.display())))
}

/// Packages of one kind.
fn packed(dist: &Path, ending: &str) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(dist).map_err(Failure::io(format!("reading `{}`", dist.display())))?;
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    Ok(paths.filter(|path| path.extension().is_some_and(|end| end == ending)).collect())
}
