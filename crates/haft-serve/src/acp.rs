//! Agents for editors: each session of the Agent Client Protocol has a toolbox in its own folder
//! and an agent. Opens new sessions and resumes saved ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use haft::Toolbox;
use haft::agents::CompressDesk;
use haft::agents::acp::{AgentConversation, Closing, ConversationParts, replayed};
use haft::agents::sessions::{SavedSession, Sessions, SessionsError};
use haft::overflow_store::Archive;
use haft::providers::Provider;
use tokio_util::sync::CancellationToken;
use tools_acp::{
    AcpHost, InitializeRequest, OpenConversation, OpenError, SessionRequest, SessionSummary, TerminalUse, Viewer,
    serve_stdio,
};
use tools_core::{DynExecutor, SessionId, Typed};

use crate::{agent_builder, agent_provider};

/// Working directory of a session.
pub struct AcpPlace {
    /// The folder: absolute, without links in its path, existing.
    pub workdir: PathBuf,
    /// The session to resume; `None` for a new one.
    pub session: Option<SessionId>,
    /// A tool that belongs to the agent, to be added to the toolbox.
    pub tool: DynExecutor,
}

/// Builds the toolbox of a session, or returns why it cannot.
type Make = dyn Fn(AcpPlace) -> Result<Toolbox, String> + Send + Sync;

/// An agent for editors: a toolbox for each session, and one model for all.
pub struct AcpAgent {
    make: Box<Make>,
    provider: String,
    sessions: Sessions,
    scripted: Option<Arc<dyn Provider>>,
    viewer: Option<Viewer>,
    archive: Option<Archive>,
}

/// Serves the editor on standard input and output until it disconnects, or until `stop` is
/// cancelled. Meanwhile, nothing else may write to standard output.
pub async fn serve_acp(agent: AcpAgent, stop: CancellationToken) {
    let greeting = InitializeRequest { name: "haft".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    serve_stdio(Arc::new(agent), greeting, stop).await;
}

impl AcpAgent {
    /// Creates an agent. `make` builds its toolboxes; the model is the configured one with this
    /// name, or for an empty name the one that agents use. Conversations are saved in `sessions`.
    pub fn new(
        make: impl Fn(AcpPlace) -> Result<Toolbox, String> + Send + Sync + 'static,
        provider: impl Into<String>,
        sessions: Sessions,
    ) -> Self {
        Self { make: Box::new(make), provider: provider.into(), sessions, scripted: None, viewer: None, archive: None }
    }

    /// Sets the store from which a session's output is removed when an editor deletes the session.
    pub fn storing_in(self, archive: Option<Archive>) -> Self {
        Self { archive, ..self }
    }

    /// Shows the output of commands in terminals of editors that support this, through this
    /// program. The configuration can disable it (`acp.terminal`).
    pub fn viewed_by(self, viewer: Viewer) -> Self {
        Self { viewer: Some(viewer), ..self }
    }

    /// Sets the model, whatever the configuration says.
    pub fn answered_by(self, provider: Arc<dyn Provider>) -> Self {
        Self { scripted: Some(provider), ..self }
    }
}

#[async_trait]
impl AcpHost for AcpAgent {
    async fn open(&self, opening: SessionRequest) -> Result<OpenConversation, OpenError> {
        let named = &opening.workdir;
        let workdir = named.canonicalize();
        let workdir = workdir.map_err(|error| OpenError::Refused(format!("`{}`: {error}", named.display())))?;
        let failed = |error: SessionsError| OpenError::Failed(error.to_string());
        // Lock before reading, so that no other process changes the session after it was read.
        let (held, kept) = match &opening.resume {
            Some(resume) => {
                let held = self.sessions.hold(&resume.session).await.map_err(failed)?;
                (Some(held), Some(self.kept_in(&resume.session, &workdir).await?))
            }
            None => (None, None),
        };
        let desk = CompressDesk::default();
        let tool = DynExecutor::new(Typed::new(desk.tool()));
        let session = opening.resume.as_ref().map(|resume| resume.session.clone());
        let toolbox = (self.make)(AcpPlace { workdir, session, tool }).map_err(OpenError::Failed)?;
        crate::introduce::introduce(&toolbox).await;
        let provider = match &self.scripted {
            Some(provider) => Arc::clone(provider),
            None => agent_provider(&toolbox, &self.provider).map_err(OpenError::Failed)?,
        };
        let redactor = toolbox.config().tools.filters.security.redactor();
        let redactor = Arc::new(redactor.map_err(|error| OpenError::Failed(error.to_string()))?);
        let mut past = vec![];
        if opening.resume.is_some_and(|resume| resume.replay)
            && let Some(kept) = &kept
        {
            past = replayed(&toolbox, &*redactor, kept).map_err(OpenError::Failed)?;
        }
        let session = toolbox.context().session().clone();
        let held = match held {
            Some(held) => held,
            None => self.sessions.hold(&session).await.map_err(failed)?,
        };
        let config = &toolbox.config().acp;
        let patience = config.patience();
        let viewer = self.viewer.clone().filter(|_| config.terminal == TerminalUse::Auto);
        let host = Arc::new(toolbox.clone());
        let parts = ConversationParts { host, redactor, patience, kept, held, closing: closing(toolbox.clone()) };
        let talk = AgentConversation::new(parts, |host| agent_builder(&toolbox, &provider, host, desk));
        let (talk, modes) = talk.map_err(OpenError::Failed)?;
        Ok(OpenConversation { session, conversation: Box::new(talk), modes, patience, viewer, past })
    }

    async fn kept(&self, workdir: Option<&Path>) -> Result<Vec<SessionSummary>, String> {
        let all = self.sessions.list().await.map_err(|error| error.to_string())?;
        let real = workdir.map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
        let of_folder = all.into_iter().filter(|kept| real.as_ref().is_none_or(|folder| kept.workdir == *folder));
        Ok(of_folder
            .map(|kept| SessionSummary {
                session: kept.session,
                workdir: kept.workdir,
                title: kept.title,
                written: kept.written.to_string(),
            })
            .collect())
    }

    async fn forget(&self, session: &SessionId) -> Result<(), String> {
        if let Some(archive) = &self.archive {
            let removed = archive.remove_conversation(session.as_str()).await;
            removed.map_err(|error| format!("the stored output of `{session}` cannot be removed: {error}"))?;
        }
        let removed = self.sessions.remove(session).await;
        removed.map(|_| ()).map_err(|error| format!("session `{session}` cannot be removed: {error}"))
    }
}

impl AcpAgent {
    /// The saved session to resume in `workdir`.
    async fn kept_in(&self, session: &SessionId, workdir: &Path) -> Result<SavedSession, OpenError> {
        let found = self.sessions.find(session).await.map_err(|error| OpenError::Failed(error.to_string()))?;
        let kept = found.ok_or_else(|| OpenError::NotKept(format!("no session `{session}` is kept")))?;
        // Approvals, stored output and changes of a session belong to its folder.
        if kept.workdir != workdir {
            let there = kept.workdir.display();
            return Err(OpenError::Refused(format!("session `{session}` works in `{there}`, and goes on there only")));
        }
        Ok(kept)
    }
}

/// Ends what runs for a session of a toolbox, and stops watching its configuration.
fn closing(toolbox: Toolbox) -> Closing {
    let watch = toolbox.watch(|name| std::env::var(name).ok());
    Box::new(move || {
        Box::pin(async move {
            let session = toolbox.context().session().clone();
            toolbox.end_jobs(&session).await;
            toolbox.end_session(&session);
            drop(watch);
        })
    })
}
