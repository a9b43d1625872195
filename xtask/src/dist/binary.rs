//! The binary that a release contains.

use std::path::PathBuf;

pub(super) const PACKAGE: &str = "haft-cli";
pub(super) const BINARY: &str = if cfg!(windows) { "haft.exe" } else { "haft" };

/// A binary to package.
#[derive(Debug, Clone)]
pub(super) struct PackagedBinary {
    pub(super) binary: PathBuf,
    /// The target triple.
    pub(super) target: String,
    pub(super) version: String,
}
