//! Converts session events to updates for a client: pure, with one state per session. For each call
//! the client gets its beginning first, its end once, and nothing after that.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use tools_core::{CallId, FileDiff, Location, Media};

use crate::wire::{Block, CallContent, CallStatus, CallUpdate, Place, Update};
use crate::{SessionEvent, Severity};

/// Maximum number of bytes of a call's output shown while it runs.
const TAIL: usize = 8 * 1024;

/// The calls of a session, as known to the client.
#[derive(Debug)]
pub(crate) struct Calls {
    workdir: PathBuf,
    /// Whether the client supports notices.
    notices: bool,
    open: HashMap<CallId, RunningCall>,
    /// Ended calls.
    ended: HashSet<CallId>,
}

#[derive(Debug, Default)]
struct RunningCall {
    /// Last part of its output.
    printed: String,
    /// Whether it has output that the client has not seen.
    is_new: bool,
    /// The client's terminal that shows its output.
    terminal: Option<String>,
}

impl Calls {
    /// The calls of a session in `workdir`.
    pub(crate) fn new(workdir: PathBuf, notices: bool) -> Self {
        Self { workdir, notices, open: HashMap::new(), ended: HashSet::new() }
    }

    /// The update for an event; `None` if the client need not know it, or not yet.
    pub(crate) fn update(&mut self, event: SessionEvent) -> Option<Update> {
        match event {
            SessionEvent::UserSaid { text } => Some(Update::UserMessageChunk { content: Block::text(text) }),
            SessionEvent::Said { text } => Some(Update::AgentMessageChunk { content: Block::text(text) }),
            SessionEvent::Thought { text } => Some(Update::AgentThoughtChunk { content: Block::text(text) }),
            SessionEvent::Called { call, tool, title, kind, input } => {
                let begun = CallUpdate {
                    title: Some(title),
                    name: Some(tool),
                    kind: Some(kind),
                    raw_input: input,
                    ..status(&call, CallStatus::Pending)
                };
                self.begin(&call).then_some(Update::ToolCall(begun))
            }
            SessionEvent::Started { call, tool, title, kind, locations } => {
                let is_first = self.begin(&call);
                if !self.open.contains_key(&call) {
                    return None;
                }
                let locations = places(&self.workdir, &locations);
                let started = CallUpdate {
                    title: Some(title),
                    kind: Some(kind),
                    locations,
                    name: is_first.then_some(tool),
                    ..status(&call, CallStatus::InProgress)
                };
                Some(if is_first { Update::ToolCall(started) } else { Update::ToolCallUpdate(started) })
            }
            SessionEvent::Waits { call } => {
                self.open.contains_key(&call).then(|| Update::ToolCallUpdate(status(&call, CallStatus::Pending)))
            }
            SessionEvent::Printed { call, text } => {
                if let Some(running) = self.open.get_mut(&call) {
                    running.print(&text);
                }
                None
            }
            SessionEvent::Answered { call, is_error, text, diff, media, locations } => {
                let running = self.open.remove(&call)?;
                self.ended.insert(call.clone());
                let mut content: Vec<CallContent> = running.terminal.map(terminal).into_iter().collect();
                content.extend(diff.and_then(|diff| shown(&self.workdir, diff)));
                if !text.is_empty() {
                    content.push(CallContent::text(text));
                }
                content.extend(media.iter().filter(|media| media.is_picture()).map(picture));
                let ended = if is_error { CallStatus::Failed } else { CallStatus::Completed };
                let locations = places(&self.workdir, &locations);
                Some(Update::ToolCallUpdate(CallUpdate { content: Some(content), locations, ..status(&call, ended) }))
            }
            SessionEvent::Note { severity, text } if self.notices => {
                let severity = match severity {
                    Severity::Info => "info",
                    Severity::Warning => "warning",
                };
                Some(Update::Notice { severity, title: text })
            }
            SessionEvent::Note { text, .. } => {
                Some(Update::AgentMessageChunk { content: Block::text(format!("\n\n[{text}]\n\n")) })
            }
            SessionEvent::Context { used, size } => Some(Update::UsageUpdate { used, size }),
            SessionEvent::Titled { title } => Some(Update::SessionInfoUpdate { title }),
        }
    }

    /// Shows a call in a terminal of the client from now on; `None` for an ended call.
    pub(crate) fn attach(&mut self, call: &CallId, id: &str) -> Option<Update> {
        let running = self.open.get_mut(call)?;
        running.terminal = Some(id.to_owned());
        let content = Some(vec![terminal(id.to_owned())]);
        Some(Update::ToolCallUpdate(CallUpdate { tool_call_id: call.to_string(), content, ..CallUpdate::default() }))
    }

    /// Output of calls without a terminal since the last call of this.
    pub(crate) fn printed(&mut self) -> Vec<Update> {
        let in_text = self.open.iter_mut().filter(|(_, running)| running.terminal.is_none());
        let new = in_text.filter_map(|(call, running)| {
            std::mem::take(&mut running.is_new).then(|| {
                let content = Some(vec![CallContent::text(running.printed.clone())]);
                Update::ToolCallUpdate(CallUpdate { tool_call_id: call.to_string(), content, ..CallUpdate::default() })
            })
        });
        new.collect()
    }

    /// Ends of calls that have none yet: a turn leaves no call open.
    pub(crate) fn close(&mut self) -> Vec<Update> {
        let open: Vec<CallId> = self.open.drain().map(|(call, _)| call).collect();
        open.into_iter()
            .map(|call| {
                let content = Some(vec![CallContent::text("the call did not come to its end")]);
                let ended = Update::ToolCallUpdate(CallUpdate { content, ..status(&call, CallStatus::Failed) });
                self.ended.insert(call);
                ended
            })
            .collect()
    }

    /// Registers a call; `false` if it is known.
    fn begin(&mut self, call: &CallId) -> bool {
        if self.open.contains_key(call) || self.ended.contains(call) {
            return false;
        }
        self.open.insert(call.clone(), RunningCall::default());
        true
    }
}

impl RunningCall {
    fn print(&mut self, text: &str) {
        self.printed.push_str(text);
        if self.printed.len() > TAIL {
            let from = self.printed.len() - TAIL;
            let from = (from..self.printed.len()).find(|at| self.printed.is_char_boundary(*at)).unwrap_or_default();
            self.printed.drain(..from);
        }
        self.is_new = true;
    }
}

fn terminal(terminal_id: String) -> CallContent {
    CallContent::Terminal { terminal_id }
}

fn status(call: &CallId, status: CallStatus) -> CallUpdate {
    CallUpdate { tool_call_id: call.to_string(), status: Some(status), ..CallUpdate::default() }
}

/// Places in the protocol's form, with absolute paths; `None` if there are none.
fn places(workdir: &Path, locations: &[Location]) -> Option<Vec<Place>> {
    let place = |location: &Location| Place {
        path: workdir.join(&location.path),
        line: location.line.and_then(|line| u32::try_from(line).ok()),
    };
    (!locations.is_empty()).then(|| locations.iter().map(place).collect())
}

/// A change in the protocol's form; `None` if its texts are missing.
fn shown(workdir: &Path, diff: FileDiff) -> Option<CallContent> {
    // A missing old text means a new file, or a text that is too long; the number of removed lines
    // tells which.
    if diff.before.is_none() && diff.removed > 0 {
        return None;
    }
    let old_text = diff.before.map(|text| text.to_string());
    Some(CallContent::Diff { path: workdir.join(diff.path), old_text, new_text: diff.after?.to_string() })
}

fn picture(media: &Media) -> CallContent {
    let (data, mime_type) = (BASE64_STANDARD.encode(&media.data), media.mime.clone());
    CallContent::Content { content: Block::Image { data, mime_type } }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use tools_core::ToolKind;

    use super::*;

    fn id(number: usize) -> CallId {
        CallId::parse(&format!("call-{number}")).expect("it is an identifier")
    }

    fn called(number: usize) -> SessionEvent {
        let (tool, title) = ("edit".to_owned(), "edit".to_owned());
        SessionEvent::Called { call: id(number), tool, title, kind: ToolKind::Edit, input: Some(json!({"path": "a"})) }
    }

    fn started(number: usize) -> SessionEvent {
        let locations = vec![Location { path: "src/a.rs".into(), line: Some(3) }];
        let (tool, title) = ("edit".to_owned(), "Edit: a".to_owned());
        SessionEvent::Started { call: id(number), tool, title, kind: ToolKind::Edit, locations }
    }

    fn answered(number: usize, diff: Option<FileDiff>) -> SessionEvent {
        let (text, media, locations) = ("done".to_owned(), vec![], vec![]);
        SessionEvent::Answered { call: id(number), is_error: false, text, diff, media, locations }
    }

    fn json(update: Option<Update>) -> serde_json::Value {
        serde_json::to_value(update.expect("the client is told")).expect("it is JSON")
    }

    #[test]
    fn a_call_is_told_before_during_and_after_under_one_id() {
        let mut calls = Calls::new("/w".into(), false);
        assert_eq!(
            json(calls.update(called(1))),
            json!({
                "sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "edit", "name": "edit", "kind": "edit",
                "status": "pending", "rawInput": {"path": "a"},
            })
        );
        assert_eq!(
            json(calls.update(started(1))),
            json!({
                "sessionUpdate": "tool_call_update", "toolCallId": "call-1", "title": "Edit: a", "kind": "edit",
                "status": "in_progress", "locations": [{"path": "/w/src/a.rs", "line": 3}],
            })
        );
        assert_eq!(
            json(calls.update(SessionEvent::Waits { call: id(1) })),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "pending"})
        );
        let diff = FileDiff {
            path: "a".into(),
            unified: String::new(),
            added: 1,
            removed: 1,
            before: Some("old".into()),
            after: Some("new".into()),
        };
        assert_eq!(
            json(calls.update(answered(1, Some(diff)))),
            json!({
                "sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "completed", "content": [
                    {"type": "diff", "path": "/w/a", "oldText": "old", "newText": "new"},
                    {"type": "content", "content": {"type": "text", "text": "done"}},
                ],
            })
        );
        assert_eq!(calls.update(answered(1, None)), None);
        assert_eq!(calls.update(started(1)), None);
        assert_eq!(calls.update(called(1)), None);
    }

    #[test]
    fn a_diff_without_its_texts_is_none() {
        let diff = |before: Option<&str>, after: Option<&str>, removed| FileDiff {
            path: "a".into(),
            unified: String::new(),
            added: 1,
            removed,
            before: before.map(Into::into),
            after: after.map(Into::into),
        };
        assert!(shown(Path::new("/"), diff(None, Some("x"), 0)).is_some());
        assert!(shown(Path::new("/"), diff(None, Some("x"), 4)).is_none());
        assert!(shown(Path::new("/"), diff(Some("x"), None, 1)).is_none());
    }

    #[test]
    fn what_a_call_prints_is_shown_by_its_end_and_only_when_it_is_new() {
        let mut calls = Calls::new("/w".into(), false);
        calls.update(called(1));
        let printed = |text: String| SessionEvent::Printed { call: id(1), text };
        assert_eq!(calls.update(printed("é".repeat(TAIL))), None);
        assert_eq!(calls.update(printed("end".to_owned())), None);
        let shown = calls.printed();
        let Some(Update::ToolCallUpdate(CallUpdate { content: Some(content), status: None, .. })) = shown.first()
        else {
            panic!("{shown:?}")
        };
        let [CallContent::Content { content: Block::Text { text } }] = content.as_slice() else {
            panic!("{content:?}")
        };
        assert!(text.len() <= TAIL && text.ends_with("éend"), "{}", text.len());
        assert_eq!(calls.printed(), []);
    }

    #[test]
    fn notes_are_notices_where_the_client_shows_them() {
        let note = || SessionEvent::Note { severity: Severity::Warning, text: "odd".to_owned() };
        let told = |notices| json(Calls::new("/".into(), notices).update(note()));
        assert_eq!(told(true), json!({"sessionUpdate": "notice", "severity": "warning", "title": "odd"}));
        assert_eq!(told(false)["sessionUpdate"], "agent_message_chunk");
    }

    proptest! {
        #[test]
        fn every_call_has_one_beginning_and_one_end_whatever_happens(steps in prop::collection::vec((0..6_usize, 0..5_usize), 0..60)) {
            let mut calls = Calls::new("/w".into(), false);
            let mut told = vec![];
            for (number, what) in steps {
                let event = match what {
                    0 => called(number),
                    1 => started(number),
                    2 => SessionEvent::Waits { call: id(number) },
                    3 => SessionEvent::Printed { call: id(number), text: "x".to_owned() },
                    _ => answered(number, None),
                };
                told.extend(calls.update(event));
                told.extend(calls.printed());
            }
            told.extend(calls.close());
            for number in 0..6 {
                let of = |update: &&Update| matches!(update, Update::ToolCall(call) | Update::ToolCallUpdate(call) if call.tool_call_id == id(number).to_string());
                let all: Vec<&Update> = told.iter().filter(of).collect();
                let begins = all.iter().filter(|update| matches!(update, Update::ToolCall(_))).count();
                let is_end = |update: &&&Update| matches!(update, Update::ToolCallUpdate(CallUpdate { status: Some(CallStatus::Completed | CallStatus::Failed), .. }));
                let ends = all.iter().filter(is_end).count();
                prop_assert_eq!(begins, usize::from(!all.is_empty()));
                prop_assert_eq!(ends, begins);
                if let (Some(first), Some(last)) = (all.first(), all.last()) {
                    prop_assert!(matches!(first, Update::ToolCall(_)));
                    prop_assert!(is_end(&last));
                }
            }
        }
    }
}
