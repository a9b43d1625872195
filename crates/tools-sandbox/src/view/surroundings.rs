//! Inputs of a view apart from the request: the user, the environment and the top-level folders.

use std::{
    collections::HashMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::{
    concealed::LEFT_IN_SYSTEM,
    user::{database, others_in_database},
};
use crate::{account::homes, process::own_variables};

/// The user and the machine.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The canonical homes of the user: the one in the environment, and the one in the user
    /// database if it differs.
    pub homes: Vec<PathBuf>,
    /// The homes of other users, canonical.
    pub others: Vec<PathBuf>,
    /// The environment of child processes.
    pub environment: HashMap<String, OsString>,
    /// Top-level folders, without links.
    pub top: Vec<PathBuf>,
    /// Folders in system folders with data of users and services, without links.
    pub left: Vec<PathBuf>,
}

impl Surroundings {
    /// The surroundings of this process.
    pub fn of_process() -> Self {
        let id = rustix::process::geteuid().as_raw();
        let database = database();
        let canonical = |homes: &mut dyn Iterator<Item = PathBuf>| {
            let mut found = Vec::new();
            for home in homes.filter_map(|home| home.canonicalize().ok()).filter(|home| home.is_dir()) {
                if !found.contains(&home) {
                    found.push(home);
                }
            }
            found
        };
        let homes = canonical(&mut homes().into_iter());
        let mut others = canonical(&mut others_in_database(&database, id).into_iter());
        others.retain(|home| !homes.contains(home));
        let environment =
            own_variables().into_iter().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        let entries = std::fs::read_dir("/").into_iter().flatten().flatten();
        let mut top: Vec<PathBuf> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .collect();
        top.sort();
        let left = LEFT_IN_SYSTEM.iter().map(|(folder, _)| PathBuf::from(folder));
        let left = left.filter(|folder| folder.is_dir() && !folder.is_symlink()).collect();
        Self { homes, others, environment: environment.collect(), top, left }
    }

    /// The home in which programs look for their files.
    pub fn home(&self) -> Option<&Path> {
        self.homes.first().map(PathBuf::as_path)
    }

    /// Cargo's home folder, which need not exist.
    pub fn cargo_home(&self) -> Option<PathBuf> {
        self.named("CARGO_HOME").or_else(|| self.home().map(|home| home.join(".cargo")))
    }

    /// The absolute path in a variable.
    pub(super) fn named(&self, variable: &str) -> Option<PathBuf> {
        self.environment.get(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The absolute paths of a list such as `PATH`.
    pub(super) fn list(&self, variable: &str) -> Vec<PathBuf> {
        let value = self.environment.get(variable);
        value.into_iter().flat_map(std::env::split_paths).filter(|path| path.is_absolute()).collect()
    }
}
