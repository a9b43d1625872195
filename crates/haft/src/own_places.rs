//! The places of our own that calls must not write: the configuration and what stands beside it,
//! approvals, state. They are kept from calls also when they are not there yet: what a call writes
//! there would decide about later ones.

use std::path::{Path, PathBuf};

use crate::config::{HaftConfig, LoadError, paths, places};

/// Folders that are ours as a whole, under the names by which they are read.
#[derive(Debug)]
pub(crate) struct OwnPlaces(Vec<PathBuf>);

impl OwnPlaces {
    /// Those of this user.
    pub(crate) fn of_user() -> Self {
        let usual = places::config_file().and_then(|file| file.parent().map(Path::to_owned));
        let folders = usual.into_iter().chain([places::state_dir()]);
        Self(folders.filter_map(|folder| std::path::absolute(folder).ok()).collect())
    }

    #[cfg(any(feature = "shell", feature = "file"))]
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.0
    }

    /// Makes the folders that would lie where tools may write: what is not there cannot be held by
    /// the kernel. `discovered` is a configuration that nobody named.
    ///
    /// # Errors
    /// When one cannot be held, or what was found lies where tools may write.
    pub(crate) fn guard(
        &self,
        config: &HaftConfig,
        workdir: &Path,
        discovered: Option<&Path>,
    ) -> Result<(), LoadError> {
        let roots = paths::writable(config, workdir);
        if let Some(file) = discovered {
            let names = [std::path::absolute(file).ok(), file.canonicalize().ok()];
            if let Some(root) = roots.iter().find(|root| names.iter().flatten().any(|name| name.starts_with(root))) {
                return Err(LoadError::Writable { file: file.to_owned(), root: root.clone() });
            }
        }
        for folder in &self.0 {
            if let Some(root) = roots.iter().find(|root| folder.starts_with(root)) {
                tools_sandbox::make_private_below(root, folder)
                    .map_err(|problem| LoadError::Unguarded { path: folder.clone(), problem })?;
            }
        }
        Ok(())
    }
}
