//! Where saved conversations are: files of this user, or a database that several machines share.

use std::sync::Arc;

use tools_agent::sessions::{SessionStore, Sessions, SessionsConfig};

use crate::config::{HaftConfig, LoadError, LoadedConfig, places};

/// The saved conversations of a configuration: in the state folder of this user, where no tool
/// reads, or in a database. Nothing is opened until it is used.
///
/// # Errors
/// When `agent.sessions.database` is no address that this program can use.
pub fn saved_sessions(loaded: &LoadedConfig<HaftConfig>) -> Result<Sessions, LoadError> {
    let config = &loaded.config.agent.sessions;
    if config.database.is_empty() {
        return Ok(Sessions::in_folder(places::state_dir().join("sessions")));
    }
    let store = database(config).map_err(|problem| loaded.fault("agent.sessions.database", problem))?;
    Ok(Sessions::over(store, config.on_error))
}

#[cfg(feature = "postgres")]
fn database(config: &SessionsConfig) -> Result<Arc<dyn SessionStore>, &'static str> {
    use tools_team::sessions::{PostgresSessions, SessionDatabase};
    let database =
        tools_team::shared(&config.database, SessionDatabase::at).map_err(|_| crate::databases::NO_ADDRESS)?;
    Ok(Arc::new(PostgresSessions::over(database, &config.owner)))
}

#[cfg(not(feature = "postgres"))]
fn database(_: &SessionsConfig) -> Result<Arc<dyn SessionStore>, &'static str> {
    Err(crate::databases::NO_SERVERS)
}
