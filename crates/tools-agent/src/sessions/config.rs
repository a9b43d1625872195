//! The section `[agent.sessions]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::KeyFault;

use super::Sessions;

/// The place where conversations of agents are saved for `--resume`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsConfig {
    /// The `postgres://` address of a server that stores conversations for several machines; needs
    /// a build with the feature `postgres`. Empty: files in the user's state folder.
    pub database: String,
    /// Name under which conversations are saved and found in the database. Empty: the name of the
    /// user that runs the program.
    pub owner: String,
    /// Behaviour while the database cannot be reached: with `"block"` no conversation starts or
    /// continues, with `"warn"` conversations continue unsaved.
    #[schemars(extend("x-overlay" = ["warn", "block"]))]
    pub on_error: OnSessionsAway,
}

impl SessionsConfig {
    /// The saved conversations in a folder of this user.
    ///
    /// # Errors
    /// If the section names a database, which this crate does not support.
    pub fn in_folder(&self, folder: PathBuf) -> Result<Sessions, KeyFault> {
        if self.database.is_empty() {
            return Ok(Sessions::in_folder(folder));
        }
        Err(KeyFault::new("database", "this build has no PostgreSQL; enable the feature `postgres`"))
    }
}

/// Treatment of conversations that cannot be saved in the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnSessionsAway {
    /// They do not go on.
    #[default]
    Block,
    /// They go on unsaved.
    Warn,
}
