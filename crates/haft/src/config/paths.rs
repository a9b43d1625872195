//! Paths from a configuration: where tools may write, how people spell folders, and what may not be
//! read.

use std::path::{Path, PathBuf};

use tools_sandbox::{ReadRules, home};

use super::{HaftConfig, LoadError, LoadedConfig};

/// Folders that commands from `workdir` may write, as configured; none without a shell.
pub(crate) fn of_commands(config: &HaftConfig, workdir: &Path) -> Vec<PathBuf> {
    #[cfg(feature = "shell")]
    return config.tools.shell.folders(workdir, home().as_deref());
    #[cfg(not(feature = "shell"))]
    {
        let _ = (config, workdir);
        vec![]
    }
}

/// Roots of the file tools, as configured; the working directory without file tools.
pub(crate) fn of_files(config: &HaftConfig, workdir: &Path) -> Vec<PathBuf> {
    #[cfg(feature = "file")]
    return config.tools.file.folders(workdir, home().as_deref());
    #[cfg(not(feature = "file"))]
    {
        let _ = config;
        vec![workdir.to_owned()]
    }
}

/// Roots of the file tools, canonical.
pub(crate) fn roots(config: &HaftConfig, workdir: &Path) -> Vec<PathBuf> {
    of_files(config, workdir).iter().filter_map(|root| root.canonicalize().ok()).collect()
}

/// Folders that any tool may write, canonical.
pub(crate) fn writable(config: &HaftConfig, workdir: &Path) -> Vec<PathBuf> {
    let commands = of_commands(config, workdir);
    let commands = commands.iter().filter_map(|root| root.canonicalize().ok());
    roots(config, workdir).into_iter().chain(commands).collect()
}

/// Folders whose usual spelling differs from their canonical path, with that path.
#[cfg(feature = "file")]
pub(crate) fn spellings(spelled: Option<PathBuf>, config: &HaftConfig, workdir: &Path) -> Vec<(PathBuf, PathBuf)> {
    let allowed = of_files(config, workdir);
    let both = spelled.into_iter().chain(allowed).filter_map(|path| Some((path.clone(), path.canonicalize().ok()?)));
    both.filter(|(spelled, canonical)| spelled.is_absolute() && spelled != canonical).collect()
}

/// A configuration that confines tools to these folders.
pub(crate) fn narrowed(config: &HaftConfig, roots: &[PathBuf]) -> HaftConfig {
    let mut config = config.clone();
    #[cfg(feature = "file")]
    roots.clone_into(&mut config.tools.file.allowed_paths);
    #[cfg(feature = "shell")]
    {
        config.tools.shell.allowed_paths = roots.iter().map(|root| root.to_string_lossy().into_owned()).collect();
    }
    let _ = (&mut config, roots);
    config
}

/// Read rules for `workdir`: the configured ones, or the built-in ones without file tools.
///
/// # Errors
/// An invalid glob.
pub(crate) fn read_rules(loaded: &LoadedConfig, workdir: &Path) -> Result<ReadRules, LoadError> {
    let home = home();
    #[cfg(feature = "file")]
    {
        let config = &loaded.config.tools.file;
        let rules = config.read_rules(workdir, home.as_deref());
        let rules = rules.map_err(|error| config.fault(&error, workdir, home.as_deref()));
        rules.map_err(|fault| loaded.fault(&fault.key, fault.problem))
    }
    #[cfg(not(feature = "file"))]
    {
        let rules = ReadRules::compile(None, &[], workdir, home.as_deref());
        rules.map_err(|error| loaded.fault("tools.file", error.to_string()))
    }
}

#[cfg(feature = "hosts")]
impl HaftConfig {
    /// Confines tools to `root` if the configuration names no folders.
    pub fn kept_in(mut self, root: &Path) -> Self {
        if self.tools.file.allowed_paths.is_empty() {
            self.tools.file.allowed_paths = vec![root.to_owned()];
        }
        if self.tools.shell.allowed_paths.is_empty() {
            self.tools.shell.allowed_paths = vec![root.to_string_lossy().into_owned()];
        }
        self
    }
}
