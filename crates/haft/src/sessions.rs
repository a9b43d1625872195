//! Where saved conversations are: files of this user, or a database that several machines share.

use tools_agent::sessions::Sessions;

use crate::config::{HaftConfig, LoadError, LoadedConfig, places};

const KEY: &str = "agent.sessions.database";

/// The saved conversations of a configuration: in the state folder of this user, where no tool
/// reads, or in a database. Nothing is opened until it is used.
///
/// # Errors
/// When `agent.sessions.database` is no address that this program can use.
pub fn saved_sessions(loaded: &LoadedConfig<HaftConfig>) -> Result<Sessions, LoadError> {
    let config = &loaded.config.agent.sessions;
    #[cfg(feature = "postgres")]
    {
        use tools_team::sessions::{PostgresSessions, SessionDatabase};
        if let Some(database) = crate::databases::shared(loaded, KEY, &config.database, SessionDatabase::at)? {
            let store = PostgresSessions::over(database, &config.owner);
            return Ok(Sessions::over(std::sync::Arc::new(store), config.on_error));
        }
    }
    #[cfg(not(feature = "postgres"))]
    if !config.database.is_empty() {
        return Err(loaded.fault(KEY, "this build has no PostgreSQL; enable the feature `postgres`"));
    }
    Ok(Sessions::in_folder(places::state_dir().join("sessions")))
}
