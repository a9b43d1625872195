//! The archive: the binary, licences, man pages, completions, the installer and checksums of all
//! files.

use std::{fs, path::Path};

use super::binary::{BINARY, PackagedBinary};
use super::files;
use crate::{command, failure::Failure, repository};

const PAPERS: &[&str] = &["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"];
const SHELLS: &[&str] = &["bash", "zsh", "fish"];

/// Writes the folder and its archive into `dist`.
pub(super) fn write(built: &PackagedBinary, dist: &Path) -> Result<(), Failure> {
    let root = repository::root();
    let name = name(built);
    let folder = dist.join(&name);
    let binary = folder.join(BINARY);
    files::copy(&built.binary, &binary)?;
    for paper in PAPERS {
        files::copy(&root.join(paper), &folder.join(paper))?;
    }
    files::copy(&root.join("packaging/install.sh"), &folder.join("install.sh"))?;
    for shell in SHELLS {
        let script = command::capture(command::command(&binary).args(["completions", shell]))?;
        files::write(&folder.join("completions").join(format!("haft.{shell}")), &script)?;
    }
    let man = folder.join("man");
    files::make(&man)?;
    command::run(command::command(&binary).arg("man").arg(&man))?;
    write_sums(&folder)?;
    let archive = format!("{name}.tar.gz");
    let mut tar = command::command(Path::new("tar"));
    // Makes the archive reproducible: the same bytes for the same files.
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-czf", &archive, &name]).current_dir(dist);
    command::run(&mut tar)?;
    let bytes = files::read(&dist.join(&archive))?;
    let line = files::checksum_line(&bytes, &archive);
    files::write(&dist.join(format!("{archive}.sha256")), &line)?;
    print!("dist: {archive}, {}\ndist: {line}", mebibytes(bytes.len()));
    Ok(())
}

/// The name of the folder, and of the archive without its extension.
pub(super) fn name(built: &PackagedBinary) -> String {
    format!("haft-{}-{}", built.version, built.target)
}

fn write_sums(folder: &Path) -> Result<(), Failure> {
    let mut sums = String::new();
    for file in listed(folder)? {
        sums += &files::checksum_line(&files::read(&folder.join(&file))?, &file);
    }
    files::write(&folder.join("SHA256SUMS"), &sums)
}

/// The files below a folder, in order.
fn listed(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(Failure::io(format!("reading `{}`", folder.display())))?;
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            found.extend(listed(&entry.path())?.into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}

/// A size for display.
pub(super) fn mebibytes(bytes: usize) -> String {
    let tenths = bytes.saturating_mul(10) / (1024 * 1024);
    format!("{}.{} MiB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_digit() {
        assert_eq!(mebibytes(0), "0.0 MiB");
        assert_eq!(mebibytes(7_340_032), "7.0 MiB");
        assert_eq!(mebibytes(7_900_000), "7.5 MiB");
    }
}
