//! Where long output is stored, and that no tool reads it there: what is for one conversation is for no other.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_filter::reports_failure;
use tools_overflow::{Archive, OverflowConfig, OverflowLayer, OverflowStore, SqliteStore};
use tools_sandbox::make_private_folder;

use crate::config::{HaftConfig, LoadError, Loaded, places};

/// The store of long output under a configuration, which is opened when it is first used; `None` when it is off.
///
/// # Errors
/// When `tools.overflow.database` is no address that this program can use.
pub fn overflow_archive(loaded: &Loaded<HaftConfig>) -> Result<Option<Archive>, LoadError> {
    let config = &loaded.config.tools.overflow;
    if !config.enabled {
        return Ok(None);
    }
    let store: Arc<dyn OverflowStore> = if config.database.is_empty() {
        Arc::new(SqliteStore::at(file(config)))
    } else {
        database(&config.database).map_err(|problem| loaded.fault("tools.overflow.database", problem))?
    };
    Ok(Some(Archive::new(store, config)))
}

#[cfg(feature = "postgres")]
fn database(address: &str) -> Result<Arc<dyn OverflowStore>, String> {
    match tools_overflow::PostgresStore::at(address) {
        Ok(store) => Ok(Arc::new(store)),
        Err(error) => Err(std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string)),
    }
}

#[cfg(not(feature = "postgres"))]
fn database(_: &str) -> Result<Arc<dyn OverflowStore>, String> {
    Err("this program was built without the feature `postgres`".to_owned())
}

fn file(config: &OverflowConfig) -> PathBuf {
    places::state_dir().join(&config.path)
}

/// The layer that stores and shortens.
pub(crate) fn layer(config: &OverflowConfig, archive: Option<&Archive>) -> OverflowLayer {
    OverflowLayer::new(archive.cloned(), config.threshold, reports_failure)
}

/// What no tool may read: the folder of the file where it is ours alone, else the file and what SQLite keeps beside it.
pub(crate) fn private(config: &OverflowConfig) -> Vec<PathBuf> {
    if !config.enabled || !config.database.is_empty() {
        return vec![];
    }
    let file = file(config);
    let Some(folder) = file.parent() else { return vec![] };
    let state = places::state_dir();
    if folder != state && folder.starts_with(&state) && config.path.is_relative() {
        // What is not there cannot be hidden by the kernel, and a job may run on when it is made.
        let _ = make_private_folder(folder);
        return vec![canonical(folder)];
    }
    let beside = ["", "-wal", "-shm"].map(|ending| {
        let mut path = canonical(&file).into_os_string();
        path.push(ending);
        PathBuf::from(path)
    });
    beside.into()
}

/// The path with its folder's links followed, whether or not it is there itself.
fn canonical(path: &Path) -> PathBuf {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return path.to_owned() };
    folder.canonicalize().map_or_else(|_| path.to_owned(), |folder| folder.join(name))
}
