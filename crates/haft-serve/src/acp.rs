//! Agents for editors: each session of the Agent Client Protocol is a toolbox in its own folder,
//! with an agent over it. Opens sessions: new ones, and kept ones that go on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use haft::Toolbox;
use haft::agents::CompressDesk;
use haft::agents::acp::{AgentConversation, Closing, ConversationParts, replayed};
use haft::agents::sessions::{KeptSession, Sessions, SessionsError};
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
    /// The folder: absolute, without links on the way, and there.
    pub workdir: PathBuf,
    /// The session that goes on; `None` for a fresh one.
    pub session: Option<SessionId>,
    /// A tool that belongs to the agent, to be added to the toolbox.
    pub tool: DynExecutor,
}

/// Makes the toolbox of a session, or says why there is none.
type Make = dyn Fn(AcpPlace) -> Result<Toolbox, String> + Send + Sync;

/// An agent for editors: for each session a toolbox, and the same model.
pub struct AcpAgent {
    make: Box<Make>,
    provider: String,
    sessions: Sessions,
    scripted: Option<Arc<dyn Provider>>,
    viewer: Option<Viewer>,
    archive: Option<Archive>,
}

/// Serves the editor at standard input and output until it is gone, or until `stop` is cancelled.
/// Nothing else may be written to standard output meanwhile.
pub async fn serve_acp(agent: AcpAgent, stop: CancellationToken) {
    let greeting = InitializeRequest { name: "haft".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    serve_stdio(Arc::new(agent), greeting, stop).await;
}

impl AcpAgent {
    /// An agent whose toolboxes are made by `make`, with the model of the configuration that has
    /// this name; empty for the one that agents use. Its conversations are saved in `sessions`.
    pub fn new(
        make: impl Fn(AcpPlace) -> Result<Toolbox, String> + Send + Sync + 'static,
        provider: impl Into<String>,
        sessions: Sessions,
    ) -> Self {
        Self { make: Box::new(make), provider: provider.into(), sessions, scripted: None, viewer: None, archive: None }
    }

    /// The same agent, which takes the output of a session out of this store when an editor deletes
    /// the session.
    pub fn storing_in(self, archive: Option<Archive>) -> Self {
        Self { archive, ..self }
    }

    /// The same agent, which shows the output of commands in terminals of an editor that has some,
    /// by this program. The configuration can switch it off (`acp.terminal`).
    pub fn viewed_by(self, viewer: Viewer) -> Self {
        Self { viewer: Some(viewer), ..self }
    }

    /// The same agent with this model, whatever the configuration says.
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
        // Before it is read: what is read is what nobody else changes any more.
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
    /// The kept session that is to go on in `workdir`.
    async fn kept_in(&self, session: &SessionId, workdir: &Path) -> Result<KeptSession, OpenError> {
        let found = self.sessions.find(session).await.map_err(|error| OpenError::Failed(error.to_string()))?;
        let kept = found.ok_or_else(|| OpenError::NotKept(format!("no session `{session}` is kept")))?;
        // What was allowed, stored and changed in a session belongs to its folder.
        if kept.workdir != workdir {
            let there = kept.workdir.display();
            return Err(OpenError::Refused(format!("session `{session}` works in `{there}`, and goes on there only")));
        }
        Ok(kept)
    }
}

/// Ends what runs for the session of a toolbox, and keeps its configuration in step until then.
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
