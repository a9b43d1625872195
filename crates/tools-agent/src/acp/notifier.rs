//! Converts the events of an agent to notifications for its editor: without credentials, and with
//! an end for each call.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tools_acp::{SessionEvent, Severity};
use tools_core::{CallId, CallStatus, EventKind, Redactor, ToolEvent, ToolKind, ToolName};

use super::desk::PendingExtras;
use crate::{AgentEvent, ToolHost};

/// Notifications of one session.
pub(super) struct SessionNotifier {
    host: Arc<dyn ToolHost>,
    redactor: Arc<dyn Redactor>,
    extras: PendingExtras,
    /// Calls made by the agent itself: their ends are reported separately.
    own: HashSet<CallId>,
    /// Ends of calls made by another call. Whether such an end is final is known only when no
    /// question about it follows.
    inner: HashMap<CallId, (CallStatus, String)>,
    /// Whether the latest answer was already sent while it arrived.
    has_said: bool,
}

impl SessionNotifier {
    pub(super) fn new(host: Arc<dyn ToolHost>, redactor: Arc<dyn Redactor>, extras: PendingExtras) -> Self {
        let (own, inner) = (HashSet::new(), HashMap::new());
        Self { host, redactor, extras, own, inner, has_said: false }
    }

    /// Notifications for an event, in order.
    pub(super) fn session_events(&mut self, event: AgentEvent) -> Vec<SessionEvent> {
        match event {
            AgentEvent::Requested { tokens, limit, .. } => {
                self.has_said = false;
                limit.map(|size| SessionEvent::Context { used: tokens, size }).into_iter().collect()
            }
            AgentEvent::Text { text } => {
                self.has_said = true;
                vec![SessionEvent::Said { text: self.clean(&text) }]
            }
            AgentEvent::Thinking { text } => vec![SessionEvent::Thought { text: self.clean(&text) }],
            AgentEvent::Called { call, tool, params, .. } => {
                self.own.insert(call.clone());
                let input = params.map(|params| self.redactor.redact_json(&params));
                let (title, kind) = named(&*self.host, &tool);
                vec![SessionEvent::Called { call, tool, title, kind, input }]
            }
            AgentEvent::Tool(event) => self.tool(event),
            AgentEvent::Answered { call, is_error, text, .. } => {
                let mut all = self.inner_ends();
                all.push(self.answered(call, is_error, &text));
                all
            }
            AgentEvent::Retrying { problem } => vec![self.note(Severity::Warning, &format!("{problem}; trying again"))],
            AgentEvent::Cleared { results, bytes } => {
                let text = format!("{results} old results taken out of the conversation ({bytes} bytes)");
                vec![self.note(Severity::Info, &text)]
            }
            AgentEvent::Compacted { messages, before, after, .. } => {
                let text = format!("{messages} messages became a summary: {before} → {after} tokens");
                vec![self.note(Severity::Info, &text)]
            }
            AgentEvent::Warned { text } => vec![self.note(Severity::Warning, &text)],
            _ => vec![],
        }
    }

    /// Notifications at the end of a turn with the answer `text`; if `notice` is not empty,
    /// something stopped the turn.
    pub(super) fn ended(&mut self, text: &str, notice: &str) -> Vec<SessionEvent> {
        let mut all = self.inner_ends();
        if !std::mem::replace(&mut self.has_said, true) && !text.is_empty() {
            all.push(SessionEvent::Said { text: self.clean(text) });
        }
        if !notice.is_empty() {
            all.push(self.note(Severity::Info, notice));
        }
        self.extras.clear();
        all
    }

    fn tool(&mut self, event: ToolEvent) -> Vec<SessionEvent> {
        let call = event.call;
        match event.kind {
            EventKind::Started { tool, kind, title, locations } => {
                self.inner.remove(&call);
                let (tool, title) = (tool.to_string(), self.clean(&title));
                vec![SessionEvent::Started { call, tool, title, kind, locations }]
            }
            EventKind::Output { text, .. } => vec![SessionEvent::Printed { call, text: self.clean(&text) }],
            EventKind::ConfirmationRequested(_) => {
                self.inner.remove(&call);
                vec![SessionEvent::Waits { call }]
            }
            EventKind::Rollback { restored, deleted } => {
                let text = format!("put back: {restored} files, {deleted} new ones removed");
                vec![self.note(Severity::Info, &text)]
            }
            EventKind::Finished { status, display, .. } if !self.own.contains(&call) => {
                self.inner.insert(call, (status, display));
                vec![]
            }
            _ => vec![],
        }
    }

    fn answered(&self, call: CallId, is_error: bool, text: &str) -> SessionEvent {
        let extras = self.extras.take(&call);
        let (diff, media, locations) = (extras.diff, extras.media, extras.locations);
        SessionEvent::Answered { call, is_error, text: self.clean(text), diff, media, locations }
    }

    fn inner_ends(&mut self) -> Vec<SessionEvent> {
        let ends: Vec<_> = self.inner.drain().collect();
        let told = ends.into_iter();
        told.map(|(call, (status, text))| self.answered(call, status != CallStatus::Completed, &text)).collect()
    }

    fn note(&self, severity: Severity, text: &str) -> SessionEvent {
        SessionEvent::Note { severity, text: self.clean(text) }
    }

    fn clean(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }
}

/// Title and kind of a tool before more of the call is known.
pub(super) fn named(host: &dyn ToolHost, tool: &str) -> (String, ToolKind) {
    let Ok(name) = ToolName::parse(tool) else { return (tool.to_owned(), ToolKind::Other) };
    let definition = host.definition(&name);
    (definition.title.as_deref().unwrap_or(tool).to_owned(), definition.kind)
}
