//! A host whose conversations do what the prompt says: `ask`, `print`, `wait`, `flood`, or repeat
//! it.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tools_acp::{
    AcpHost, ClientView, Conversation, Modes, OpenConversation, OpenError, PromptEnd, SessionEvent, SessionRequest,
    SessionSummary, Viewer,
};
use tools_core::{CallId, ConfirmPrompt, PromptPart, SessionId, StoredRule, Subject, ToolKind, ToolName, Verdict};

/// Counts what is open.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) open: Arc<AtomicUsize>,
    /// The sessions that were deleted, and how many were open by then.
    pub(crate) forgotten: Arc<Mutex<Vec<String>>>,
    pub(crate) patience: Duration,
    pub(crate) viewer: Option<Viewer>,
    /// Ends the call of `print`.
    pub(crate) go: Arc<Notify>,
}

impl Default for Host {
    fn default() -> Self {
        Self {
            open: Arc::default(),
            forgotten: Arc::default(),
            patience: Duration::from_mins(1),
            viewer: None,
            go: Arc::default(),
        }
    }
}

#[async_trait]
impl AcpHost for Host {
    async fn open(&self, opening: SessionRequest) -> Result<OpenConversation, OpenError> {
        let past = match &opening.resume {
            Some(resume) if resume.session.as_str() != "kept" => return Err(OpenError::NotKept("no such".to_owned())),
            Some(resume) if resume.replay => vec![
                SessionEvent::UserSaid { text: "before".to_owned() },
                called("old"),
                SessionEvent::Said { text: "was said".to_owned() },
            ],
            _ => vec![],
        };
        let number = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        let name = opening.resume.map_or_else(|| format!("s-{number}"), |resume| resume.session.as_str().to_owned());
        let modes = Modes::usual();
        let conversation =
            Box::new(Echo { open: Arc::clone(&self.open), modes: modes.clone(), go: Arc::clone(&self.go) });
        let session = SessionId::parse(&name).expect("a name");
        Ok(OpenConversation {
            session,
            conversation,
            modes,
            patience: self.patience,
            viewer: self.viewer.clone(),
            past,
        })
    }

    async fn kept(&self, _: Option<&Path>) -> Result<Vec<SessionSummary>, String> {
        let session = SessionId::parse("kept").expect("a name");
        Ok(vec![SessionSummary {
            session,
            workdir: "/".into(),
            title: "t".to_owned(),
            written: "2026-01-01T00:00:00Z".to_owned(),
        }])
    }

    async fn forget(&self, session: &SessionId) -> Result<(), String> {
        let open = self.open.load(Ordering::SeqCst);
        self.forgotten.lock().expect("nobody panicked").push(format!("{session}, {open} open"));
        if session.as_str() == "stuck" { Err("the disk is full".to_owned()) } else { Ok(()) }
    }
}

struct Echo {
    open: Arc<AtomicUsize>,
    modes: Modes,
    go: Arc<Notify>,
}

fn called(id: &str) -> SessionEvent {
    let call = CallId::parse(id).expect("an id");
    SessionEvent::Called {
        call,
        tool: "bash".to_owned(),
        title: "bash".to_owned(),
        kind: ToolKind::Execute,
        input: None,
    }
}

fn prompt() -> ConfirmPrompt {
    let tool = ToolName::parse("bash").expect("a name");
    let subject = Subject::Opaque { why: "touch x".to_owned() };
    let part = PromptPart { subject, verdict: Verdict::Ask, rule: "none".to_owned() };
    ConfirmPrompt::new(tool.clone(), "no rule", vec![part]).storing(Some(StoredRule::new(tool, "touch *")))
}

#[async_trait]
impl Conversation for Echo {
    async fn prompt(&mut self, task: &str, watch: &ClientView, cancel: &CancellationToken) -> PromptEnd {
        match task {
            "ask" => {
                watch.tell(called("c-1")).await;
                let call = CallId::parse("c-1").expect("an id");
                let prompt = prompt();
                let answer = tokio::select! {
                    answer = watch.ask(&call, &prompt) => format!("{answer:?}"),
                    () = cancel.cancelled() => "cancelled".to_owned(),
                };
                let answered = SessionEvent::Answered {
                    call,
                    is_error: false,
                    text: answer,
                    diff: None,
                    media: vec![],
                    locations: vec![],
                };
                watch.tell(answered).await;
            }
            "print" => {
                let call = CallId::parse("c-3").expect("an id");
                let (tool, title, kind) = ("bash".to_owned(), "make".to_owned(), ToolKind::Execute);
                watch.tell(SessionEvent::Started { call: call.clone(), tool, title, kind, locations: vec![] }).await;
                watch.tell(SessionEvent::Printed { call: call.clone(), text: "one \u{1b}[2J\n".to_owned() }).await;
                watch.flush().await;
                let closed = tokio::select! {
                    () = self.go.notified() => false,
                    closed = watch.was_closed() => closed == call,
                };
                let text = if closed { "closed" } else { "one" }.to_owned();
                let (diff, media, locations) = (None, vec![], vec![]);
                watch.tell(SessionEvent::Answered { call, is_error: closed, text, diff, media, locations }).await;
            }
            "wait" => {
                watch.tell(called("c-2")).await;
                cancel.cancelled().await;
                return PromptEnd::Failed("a cancelled turn may fail".to_owned());
            }
            "flood" => {
                for _ in 0..400 {
                    if cancel.is_cancelled() {
                        return PromptEnd::Cancelled;
                    }
                    watch.tell(SessionEvent::Said { text: "x".repeat(64 * 1024) }).await;
                }
            }
            "mode" => watch.tell(SessionEvent::Said { text: self.modes.current().id.to_owned() }).await,
            other => watch.tell(SessionEvent::Said { text: other.to_owned() }).await,
        }
        PromptEnd::Done
    }

    async fn close(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}
