//! One client: its requests, each answered once, and its open sessions.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tools_core::{Locked as _, SessionId};

use crate::{
    AcpHost, ClientView, InitializeRequest, OpenConversation, OpenError, Resume, SessionEvent, SessionRequest,
    Severity, prompt,
    rpc::{IncomingMessage, Line, MAX_MESSAGE_BYTES, Peer, RequestId, RpcError},
    session::Session,
    wire::{self, Initialize, ListSessions, NewSession, OldSession, Prompt, SessionOnly, SetMode},
};

/// A client connection. Clones share it.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Inner>);

struct Inner {
    host: Arc<dyn AcpHost>,
    greeting: InitializeRequest,
    peer: Peer,
    /// Tasks of this client: slow requests, and sessions.
    work: TaskTracker,
    /// Cancelled at the end: then nothing new begins.
    ended: CancellationToken,
    state: Mutex<State>,
}

/// Optional features of a client.
#[derive(Debug, Clone, Copy, Default)]
struct ClientFeatures {
    /// Whether it supports notices.
    notices: bool,
    /// Whether it supports terminals.
    terminals: bool,
}

#[derive(Default)]
struct State {
    /// Features of the client; `None` before `initialize`.
    client: Option<ClientFeatures>,
    /// Unanswered requests.
    in_flight: HashSet<RequestId>,
    sessions: HashMap<String, Session>,
}

impl Connection {
    pub(crate) fn new(host: Arc<dyn AcpHost>, greeting: InitializeRequest, peer: Peer) -> Self {
        let (work, ended, state) = (TaskTracker::new(), CancellationToken::new(), Mutex::default());
        Self(Arc::new(Inner { host, greeting, peer, work, ended, state }))
    }

    /// Handles a line of the client. Never waits.
    pub(crate) fn line(&self, line: Line) {
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong => {
                let problem = format!("the message is longer than {MAX_MESSAGE_BYTES} bytes");
                return self.0.peer.answer(&RequestId::Null, Err(RpcError::invalid_request(problem)));
            }
        };
        match IncomingMessage::parse(&text) {
            Ok(IncomingMessage::Request { id, method, params }) => self.request(id, &method, params),
            Ok(IncomingMessage::Notification { method, params }) => self.notification(&method, params),
            Ok(IncomingMessage::Response { id, result }) => {
                if !self.0.peer.answered(&id, result) {
                    tracing::debug!("an answer of the client belongs to no question");
                }
            }
            Err((id, error)) => self.0.peer.answer(&id, Err(error)),
        }
    }

    /// Whether a request is unanswered.
    pub(crate) fn is_busy(&self) -> bool {
        !self.0.state.locked().in_flight.is_empty()
    }

    /// Cancels everything and waits until nothing is left.
    pub(crate) async fn end(&self) {
        self.0.ended.cancel();
        let sessions: Vec<Session> = self.0.state.locked().sessions.drain().map(|(_, session)| session).collect();
        sessions.iter().for_each(Session::close);
        self.0.work.close();
        self.0.work.wait().await;
    }

    fn request(&self, id: RequestId, method: &str, params: Value) {
        if !self.0.state.locked().in_flight.insert(id.clone()) {
            let error = RpcError::invalid_request("another request of this `id` is not answered yet");
            return self.0.peer.answer(&id, Err(error));
        }
        if method != "initialize" && self.0.state.locked().client.is_none() {
            return self.answer(&id, Err(RpcError::invalid_request("`initialize` comes first")));
        }
        match method {
            "initialize" => self.answer(&id, self.initialize(params)),
            "authenticate" => self.answer(&id, Err(RpcError::invalid_params("there is nothing to authenticate for"))),
            "session/new" => self.new_session(id, params),
            "session/load" => self.old_session(id, params, true),
            "session/resume" => self.old_session(id, params, false),
            "session/prompt" => self.prompt(&id, params),
            "session/set_mode" => self.answer(&id, self.set_mode(params)),
            "session/list" => self.list(id, params),
            "session/close" => self.close(id, params),
            "session/delete" => self.delete(id, params),
            other => self.answer(&id, Err(RpcError::no_method(other))),
        }
    }

    fn notification(&self, method: &str, params: Value) {
        if method == "session/cancel"
            && let Ok(SessionOnly { session_id }) = wire::parse(params)
            && let Some(session) = self.0.state.locked().sessions.get(&session_id)
        {
            session.cancel();
        }
    }

    fn initialize(&self, params: Value) -> Result<Value, RpcError> {
        let Initialize { client_capabilities, .. } = wire::parse(params)?;
        let mut state = self.0.state.locked();
        if state.client.is_some() {
            return Err(RpcError::invalid_request("`initialize` comes once"));
        }
        state.client = Some(ClientFeatures {
            notices: client_capabilities.shows_notices(),
            terminals: client_capabilities.terminal,
        });
        Ok(wire::initialized(&self.0.greeting.name, &self.0.greeting.version))
    }

    fn new_session(&self, id: RequestId, params: Value) {
        let place = match wire::parse::<NewSession>(params).and_then(|place| Ok((folder(&place)?, place))) {
            Ok(place) => place,
            Err(error) => return self.answer(&id, Err(error)),
        };
        let (workdir, place) = place;
        self.open(id, SessionRequest { workdir, resume: None }, place);
    }

    fn old_session(&self, id: RequestId, params: Value, replay: bool) {
        let parsed = wire::parse::<OldSession>(params).and_then(|old| {
            let workdir = folder(&old.place)?;
            let session = session_id(&old.session_id)?;
            if self.0.state.locked().sessions.contains_key(&old.session_id) {
                return Err(RpcError::invalid_params("this session is open already"));
            }
            Ok((SessionRequest { workdir, resume: Some(Resume { session, replay }) }, old.place))
        });
        match parsed {
            Ok((opening, place)) => self.open(id, opening, place),
            Err(error) => self.answer(&id, Err(error)),
        }
    }

    /// Opens a conversation in the background.
    fn open(&self, id: RequestId, opening: SessionRequest, place: NewSession) {
        let connection = self.clone();
        self.0.work.spawn(async move {
            let is_new = opening.resume.is_none();
            let workdir = opening.workdir.clone();
            let opened = tokio::select! {
                biased;
                () = connection.0.ended.cancelled() => return connection.answer(&id, Err(gone())),
                opened = connection.0.host.open(opening) => opened,
            };
            match opened {
                Ok(opened) => connection.opened(&id, opened, is_new, &workdir, &place).await,
                Err(error) => connection.answer(&id, Err(refused(error))),
            }
        });
    }

    async fn opened(&self, id: &RequestId, opened: OpenConversation, is_new: bool, workdir: &Path, place: &NewSession) {
        let OpenConversation { session: name, conversation, modes, patience, viewer, past } = opened;
        let name = name.as_str().to_owned();
        let ClientFeatures { notices, terminals } = self.0.state.locked().client.unwrap_or_default();
        let viewer = viewer.filter(|_| terminals);
        let watch = ClientView::new(self.0.peer.clone(), &name, workdir, notices, viewer, patience);
        for event in past {
            watch.tell(event).await;
        }
        watch.close().await;
        let (session, turns) = Session::new(conversation, modes, watch.clone());
        self.0.state.locked().sessions.insert(name.clone(), session.clone());
        if self.0.ended.is_cancelled() {
            // The client disconnected while the conversation was opened.
            session.close();
        }
        let answering = self.clone();
        self.0.work.spawn(turns.run(move |id, result| answering.answer(id, result)));
        self.answer(id, Ok(wire::opened(is_new.then_some(name.as_str()), &session.modes)));
        if let Some(text) = not_used(place) {
            watch.tell(SessionEvent::Note { severity: Severity::Warning, text }).await;
        }
    }

    fn prompt(&self, id: &RequestId, params: Value) {
        let begun = wire::parse::<Prompt>(params).and_then(|Prompt { session_id, prompt }| {
            let session = self.session(&session_id)?;
            session.prompt(id.clone(), prompt::text_of(prompt)?)
        });
        if let Err(error) = begun {
            self.answer(id, Err(error));
        }
    }

    fn set_mode(&self, params: Value) -> Result<Value, RpcError> {
        let SetMode { session_id, mode_id } = wire::parse(params)?;
        let session = self.session(&session_id)?;
        if session.modes.set(&mode_id) {
            return Ok(json!({}));
        }
        let known: Vec<&str> = session.modes.available().iter().map(|mode| mode.id).collect();
        Err(RpcError::invalid_params(format!("there is no such mode; there are {}", known.join(", "))))
    }

    fn list(&self, id: RequestId, params: Value) {
        let parsed = if params.is_null() { Ok(ListSessions::default()) } else { wire::parse(params) };
        let cwd = match parsed {
            Ok(ListSessions { cwd, cursor: None }) => cwd,
            Ok(ListSessions { cursor: Some(_), .. }) => {
                let problem = "all sessions are on one page: no `cursor` was given out";
                return self.answer(&id, Err(RpcError::invalid_params(problem)));
            }
            Err(error) => return self.answer(&id, Err(error)),
        };
        let connection = self.clone();
        self.0.work.spawn(async move {
            let kept = connection.0.host.kept(cwd.as_deref()).await;
            connection.answer(&id, kept.map(wire::listed).map_err(RpcError::internal));
        });
    }

    fn close(&self, id: RequestId, params: Value) {
        let session = wire::parse::<SessionOnly>(params).and_then(|SessionOnly { session_id }| {
            let session = self.0.state.locked().sessions.remove(&session_id);
            session.ok_or_else(|| no_session(&session_id))
        });
        let session = match session {
            Ok(session) => session,
            Err(error) => return self.answer(&id, Err(error)),
        };
        session.close();
        let connection = self.clone();
        self.0.work.spawn(async move {
            session.closed.cancelled().await;
            connection.answer(&id, Ok(json!({})));
        });
    }

    /// Ends a session if it is open, and deletes it. An unknown session counts as deleted.
    fn delete(&self, id: RequestId, params: Value) {
        let parsed = wire::parse::<SessionOnly>(params).and_then(|SessionOnly { session_id: name }| {
            let session = session_id(&name)?;
            Ok((session, self.0.state.locked().sessions.remove(&name)))
        });
        let (session, open) = match parsed {
            Ok(found) => found,
            Err(error) => return self.answer(&id, Err(error)),
        };
        let connection = self.clone();
        self.0.work.spawn(async move {
            if let Some(open) = open {
                open.close();
                // By then its last turn is saved, so that it is deleted too.
                open.closed.cancelled().await;
            }
            let forgotten = connection.0.host.forget(&session).await;
            connection.answer(&id, forgotten.map(|()| json!({})).map_err(RpcError::internal));
        });
    }

    fn session(&self, name: &str) -> Result<Session, RpcError> {
        self.0.state.locked().sessions.get(name).cloned().ok_or_else(|| no_session(name))
    }

    /// Answers a request. This is the only place that does, once for each.
    fn answer(&self, id: &RequestId, result: Result<Value, RpcError>) {
        if self.0.state.locked().in_flight.remove(id) {
            self.0.peer.answer(id, result);
        }
    }
}

/// The folder of a session: absolute and existing.
fn folder(place: &NewSession) -> Result<PathBuf, RpcError> {
    let cwd = &place.cwd;
    let shown = cwd.display();
    if !cwd.is_absolute() {
        return Err(RpcError::invalid_params(format!("`cwd` is not an absolute path: `{shown}`")));
    }
    if !cwd.is_dir() {
        return Err(RpcError::invalid_params(format!("`cwd` is not a folder: `{shown}`")));
    }
    if !place.additional_directories.is_empty() {
        return Err(RpcError::invalid_params(
            "`additionalDirectories` is not offered: a session works in its `cwd`, and in what the configuration grants",
        ));
    }
    Ok(cwd.clone())
}

/// Notice about servers that the client asks to start; `None` if there are none.
fn not_used(place: &NewSession) -> Option<String> {
    let names: Vec<&str> =
        place.mcp_servers.iter().map(|server| server["name"].as_str().unwrap_or("without a name")).collect();
    (!names.is_empty()).then(|| {
        let names: Vec<String> = names.iter().map(|name| name.chars().take(40).flat_map(char::escape_debug).collect()).collect();
        format!(
            "MCP servers of the editor are not started: {}. Add those that are wanted with `haft mcp add`: then their tools are judged by rules, and they run confined",
            names.join(", ")
        )
    })
}

fn session_id(name: &str) -> Result<SessionId, RpcError> {
    SessionId::parse(name).map_err(|error| RpcError::invalid_params(format!("`sessionId`: {error}")))
}

fn no_session(name: &str) -> RpcError {
    let name: String = name.chars().take(80).flat_map(char::escape_debug).collect();
    RpcError::not_found(format!("no session `{name}` is open"))
}

fn gone() -> RpcError {
    RpcError::internal("the connection ends")
}

fn refused(error: OpenError) -> RpcError {
    match error {
        OpenError::Refused(problem) => RpcError::invalid_params(problem),
        OpenError::NotKept(problem) => RpcError::not_found(problem),
        OpenError::Failed(problem) => RpcError::internal(problem),
    }
}
