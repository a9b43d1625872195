//! Creates folders, copies files and writes checksums for a release.

use std::{fs, path::Path};

use sha2::{Digest, Sha256};

use crate::failure::Failure;

/// Creates an empty folder, or empties an existing one.
pub(crate) fn clear(folder: &Path) -> Result<(), Failure> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(Failure::io(format!("removing `{}`", folder.display())))?;
    }
    make(folder)
}

/// Creates a folder and its parents.
pub(crate) fn make(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(Failure::io(format!("creating `{}`", folder.display())))
}

/// Copies a file, with its permissions.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    if let Some(folder) = to.parent() {
        make(folder)?;
    }
    fs::copy(from, to).map_err(Failure::io(format!("copying `{}`", from.display())))?;
    Ok(())
}

/// Writes a text.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = file.parent() {
        make(folder)?;
    }
    fs::write(file, text).map_err(Failure::io(format!("writing `{}`", file.display())))
}

/// The bytes of a file.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    fs::read(file).map_err(Failure::io(format!("reading `{}`", file.display())))
}

/// A line in the format of `sha256sum --check`.
pub(super) fn checksum_line(bytes: &[u8], name: &str) -> String {
    format!("{}  {name}\n", hex(bytes))
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// The digest of bytes.
pub(super) fn sha256(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_sha256sums() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  haft\n";
        assert_eq!(checksum_line(b"abc", "haft"), expected);
    }
}
