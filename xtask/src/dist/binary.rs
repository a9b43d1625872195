//! The binary that a release packs.

use std::path::PathBuf;

pub(super) const PACKAGE: &str = "haft-cli";
pub(super) const BINARY: &str = if cfg!(windows) { "haft.exe" } else { "haft" };

/// A binary to be packed.
#[derive(Debug, Clone)]
pub(super) struct PackagedBinary {
    pub(super) binary: PathBuf,
    /// The target, as the compiler names it.
    pub(super) target: String,
    pub(super) version: String,
}
