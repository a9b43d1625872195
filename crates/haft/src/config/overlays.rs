//! Overlays: files in a folder beside the configuration, each of which may only tighten it.

use std::path::{Path, PathBuf};

use super::{error::LoadError, read::text_of};

/// The overlays of a configuration, in the order of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Overlays {
    folder: Option<PathBuf>,
    pub(super) texts: Vec<(PathBuf, String)>,
}

impl Overlays {
    /// Reads the files `*.toml` in the overlay folder of a configuration file: `config.d` for
    /// `config.toml`. A missing folder contains none. Names that begin with a dot are skipped:
    /// editors and package managers create their own files there.
    ///
    /// # Errors
    /// [`LoadError::Unreadable`] for the folder or a file in it: an overlay is never skipped.
    pub(crate) fn beside(file: &Path) -> Result<Self, LoadError> {
        let folder = Self::folder_of(file);
        if folder == file {
            return Ok(Self::default());
        }
        let unreadable = |path: &Path, source| LoadError::Unreadable { path: path.to_owned(), source };
        let mut files = Vec::new();
        if folder.symlink_metadata().is_ok() {
            let entries = std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, error))?;
            for entry in entries {
                files.push(entry.map_err(|error| unreadable(&folder, error))?.path());
            }
        }
        files.retain(|file| is_overlay(file));
        files.sort();
        let read = |file: PathBuf| {
            let text = text_of(&file).map_err(|error| unreadable(&file, error))?;
            Ok((file, text))
        };
        let texts = files.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { folder: Some(folder), texts })
    }

    /// Folder of the overlays of a configuration file.
    pub(crate) fn folder_of(file: &Path) -> PathBuf {
        file.with_extension("d")
    }

    /// The folder, which may not exist; `None` for a configuration without a file.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The files.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Path> {
        self.texts.iter().map(|(file, _)| file.as_path())
    }
}

fn is_overlay(file: &Path) -> bool {
    let is_hidden = file.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    !is_hidden && file.extension().is_some_and(|extension| extension == "toml")
}
