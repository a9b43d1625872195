//! Reads a configuration: the file, then environment variables over it, then the overlays over
//! both.

use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::error::LoadError;
use super::load::{LoadedConfig, Lookup};
use super::overlays::Overlays;
use super::{HaftConfig, environment, overlay, places};

/// Maximum size in bytes of a configuration file.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a regular file. Does not block on a pipe.
pub(super) fn text_of(file: &Path) -> io::Result<String> {
    let bytes = tools_sandbox::read_plain(file, OFlags::empty(), MAX_BYTES, |_| Ok(()))?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// Reads a configuration: a regular file, or a descriptor that the parent process opened, as a
/// shell does for `<(…)`.
fn text_of_configuration(file: &Path) -> io::Result<String> {
    let is_open = ["/dev/fd", "/dev/stdin", "/proc/self/fd"].iter().any(|open| file.starts_with(open));
    if is_open { std::fs::read_to_string(file) } else { text_of(file) }
}

impl LoadedConfig {
    /// Reads a file and applies the environment, then the overlays, which tighten both: the files
    /// `*.toml` of the folder `config.d` for `config.toml`, in the order of their names.
    ///
    /// # Errors
    /// [`LoadError`] with every fault.
    pub fn read(file: &Path, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, LoadError> {
        let unreadable = |source| LoadError::Unreadable { path: file.to_owned(), source };
        let text = text_of_configuration(file).map_err(unreadable)?;
        Self::assemble(&text, Some(file.to_owned()), Overlays::beside(file)?, environment)
    }

    /// Parses a text and applies the environment.
    ///
    /// # Errors
    /// [`LoadError::Faulty`] with every fault.
    pub fn parse(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> Result<Self, LoadError> {
        Self::assemble(text, None, Overlays::default(), environment)
    }

    /// Reads a file, or none, and applies the environment of this process, then the options of this
    /// run, then the overlays, which the options cannot loosen: those of the file, else those of
    /// the user's default configuration file.
    ///
    /// # Errors
    /// [`LoadError`] with every fault.
    pub fn of_process(file: Option<&Path>, asked: impl FnOnce(&mut HaftConfig)) -> Result<Self, LoadError> {
        let unreadable = |source| LoadError::Unreadable { path: file.map(Path::to_owned).unwrap_or_default(), source };
        let text = file.map(text_of_configuration).transpose().map_err(unreadable)?.unwrap_or_default();
        let faults = environment::unreadable(std::env::vars_os());
        if !faults.is_empty() {
            return Err(LoadError::Faulty { file: None, faults });
        }
        let lookup = |name: &str| std::env::var(name).ok();
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        // Listing all keys takes longer than reading most texts.
        let environment = environment::may_override(names).then_some(&lookup as Lookup<'_>);
        let overlays = match file.map(Path::to_owned).or_else(places::config_file) {
            Some(file) => Overlays::beside(&file)?,
            None => Overlays::default(),
        };
        let mut loaded = Self::under(&text, file.map(Path::to_owned), environment)?;
        asked(&mut loaded.config);
        overlay::tightened(loaded, overlays)
    }

    /// Same as [`Self::read`], for texts that were already read.
    pub(crate) fn assemble(
        text: &str,
        file: Option<PathBuf>,
        overlays: Overlays,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, LoadError> {
        overlay::tightened(Self::under(text, file, Some(environment))?, overlays)
    }
}
