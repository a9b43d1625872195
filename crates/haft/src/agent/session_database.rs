//! Conversations in a database, by owner. Whoever writes one holds a lease of it.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use tools_agent::sessions::{KeptSession, SessionEntry, SessionHold, SessionStore, SessionsConfig, SessionsError};
use tools_core::SessionId;
use tools_team::sessions::{SessionDatabase, SessionError, SessionLease, SessionRow};

use crate::databases::NO_ADDRESS;

/// The conversations of one owner.
pub(super) struct DatabaseSessions {
    database: Arc<SessionDatabase>,
    owner: String,
}

impl DatabaseSessions {
    /// Those of a section.
    ///
    /// # Errors
    /// What is wrong with the address.
    pub(super) fn of(config: &SessionsConfig) -> Result<Self, &'static str> {
        let database = tools_team::shared(&config.database, SessionDatabase::at).map_err(|_| NO_ADDRESS)?;
        let owner = if config.owner.is_empty() { user() } else { config.owner.clone() };
        Ok(Self { database, owner })
    }
}

/// The name of the user that the program runs as; its number where the machine has no name for it.
fn user() -> String {
    let uid = rustix::process::geteuid().as_raw();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut names = users.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    names.next().unwrap_or_else(|| uid.to_string())
}

fn failed(error: SessionError) -> SessionsError {
    match error {
        SessionError::Held { .. } => SessionsError::InUse(error.to_string()),
        SessionError::Removed => SessionsError::Removed,
        other => SessionsError::Away(other.into()),
    }
}

/// The lease of one conversation.
struct LeasedSession(SessionLease);

#[async_trait]
impl SessionHold for LeasedSession {
    async fn keep(&self, session: &KeptSession) -> Result<(), SessionsError> {
        let body = serde_json::to_string(session).map_err(|error| SessionsError::Away(error.into()))?;
        let KeptSession { session: id, workdir, title, turns, written, history } = session;
        let workdir = workdir.to_string_lossy();
        let row = SessionRow::new(id.as_str(), &workdir, title, *turns, history.len(), written.as_millisecond());
        self.0.write(&row, &body).await.map_err(failed)
    }

    async fn release(self: Box<Self>) {
        self.0.end().await;
    }
}

#[async_trait]
impl SessionStore for DatabaseSessions {
    async fn hold(&self, session: &SessionId) -> Result<Box<dyn SessionHold>, SessionsError> {
        let lease = self.database.hold(&self.owner, session.as_str()).await.map_err(failed)?;
        Ok(Box::new(LeasedSession(lease)))
    }

    async fn list(&self) -> Result<Vec<SessionEntry>, SessionsError> {
        let rows = self.database.list(&self.owner).await.map_err(failed)?;
        Ok(rows.into_iter().filter_map(entry).collect())
    }

    async fn read(&self, sessions: &[SessionId]) -> Result<Vec<KeptSession>, SessionsError> {
        let ids: Vec<&str> = sessions.iter().map(SessionId::as_str).collect();
        let bodies = self.database.bodies(&self.owner, &ids).await.map_err(failed)?;
        let read = |body: &String| {
            serde_json::from_str::<KeptSession>(body).map_err(|error| SessionsError::Away(error.into()))
        };
        if let [body] = &bodies[..] {
            return Ok(vec![read(body)?]);
        }
        let mut found: Vec<KeptSession> = bodies.iter().filter_map(|body| read(body).ok()).collect();
        found.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| a.session.cmp(&b.session)));
        Ok(found)
    }

    async fn remove(&self, session: &SessionId) -> Result<bool, SessionsError> {
        self.database.remove(&self.owner, session.as_str()).await.map_err(failed)
    }
}

fn entry(row: SessionRow) -> Option<SessionEntry> {
    Some(SessionEntry {
        session: SessionId::parse(&row.id).ok()?,
        workdir: row.workdir.into(),
        title: row.title,
        turns: u64::try_from(row.turns).unwrap_or(0),
        messages: usize::try_from(row.messages).unwrap_or(0),
        written: Timestamp::from_millisecond(row.written_at).ok()?,
    })
}
