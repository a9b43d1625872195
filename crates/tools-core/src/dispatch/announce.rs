//! The outermost layer: reports that a call started and, once its result is recorded, that it
//! finished. Removes credentials from texts of gates and tools about a call; results were redacted
//! further in. Shows long calls to people in other processes.

use std::{pin::pin, sync::Arc, time::Duration};

use async_trait::async_trait;
use tokio::time::sleep;

use crate::{
    Activity, CallStatus, EventKind, EventSink, Invocation, Layer, LayerInfo, Location, Next, OptionalBoard, Outcome,
    Redactor, Subject, ToolErrorCategory, text_for_model,
};

/// Duration after which a call is shown on the board.
const LONG_CALL: Duration = Duration::from_millis(500);

/// Sends `Started` and `Finished` for every call, so that no tool can forget its lifecycle.
#[derive(Debug, Clone, Default)]
pub struct Announce {
    redactor: Option<Arc<dyn Redactor>>,
    board: OptionalBoard,
}

impl Announce {
    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "announce",
        owner: "tools-core",
        refuses_with: &[],
        why: "`Started` before anything, `Finished` after the audit line exists: no result is returned before it is recorded",
    };

    /// Redacts titles, errors, questions and warnings.
    pub fn redacting(self, redactor: Arc<dyn Redactor>) -> Self {
        Self { redactor: Some(redactor), ..self }
    }

    /// Shows calls on this board once they have run for half a second. Needs a runtime with timers.
    pub fn showing_on(self, board: OptionalBoard) -> Self {
        Self { board, ..self }
    }

    /// Redacts a text about a call.
    fn clean(&self, inv: &Invocation, text: &str) -> String {
        let Some(redactor) = &self.redactor else { return text.to_owned() };
        match redactor.in_session(inv.context.session()) {
            Some(redactor) => redactor.redact(text).into_owned(),
            None => redactor.redact(text).into_owned(),
        }
    }

    async fn run(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let outcome = self.shown(inv, next).await;
        if self.redactor.is_none() {
            return outcome;
        }
        inv.context.journal().map_warnings(|warning| self.clean(inv, warning));
        outcome.map_err(|error| error.map_text(|text| self.clean(inv, text)))
    }

    /// Runs the call, and shows it on the board if it takes long.
    async fn shown(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        if !self.board.is_some() {
            return next.run(inv).await;
        }
        let mut run = pin!(next.run(inv));
        tokio::select! {
            biased;
            outcome = &mut run => return outcome,
            () = sleep(LONG_CALL) => {}
        }
        let _until_it_ends = self.board.show(&Activity {
            tool: inv.call.tool.as_str(),
            session: inv.context.session(),
            caller: inv.call.caller_id.as_ref(),
            workdir: inv.context.workdir(),
            job: None,
            title: title(inv, |text| self.clean(inv, text)),
        });
        run.await
    }
}

#[async_trait]
impl Layer for Announce {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let events = inv.context.events();
        if !events.is_live() {
            return self.run(inv, next).await;
        }
        events.send(started(inv, |text| self.clean(inv, text))).await;
        let mut guard = DropNotice { events, armed: true };
        let outcome = self.run(inv, next).await;
        guard.armed = false;
        for text in inv.context.journal().warnings() {
            events.send(EventKind::Warned { text }).await;
        }
        events.send(finished(inv, &outcome)).await;
        outcome
    }
}

/// Reports a call whose future was dropped.
struct DropNotice<'a> {
    events: &'a EventSink,
    armed: bool,
}

impl Drop for DropNotice<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.events.send_now(EventKind::Finished {
                status: CallStatus::Cancelled,
                display: String::new(),
                locations: vec![],
                raw_response: None,
            });
        }
    }
}

fn started(inv: &Invocation, clean: impl Fn(&str) -> String) -> EventKind {
    let subjects = inv.inspection().map(|inspection| inspection.subjects.as_slice()).unwrap_or_default();
    let locations = subjects.iter().filter_map(|subject| match subject {
        Subject::Path { path, .. } => Some(Location { path: path.clone(), line: None }),
        _ => None,
    });
    EventKind::Started {
        tool: inv.call.tool.clone(),
        kind: inv.definition.kind,
        title: title(inv, clean),
        locations: locations.collect(),
    }
}

/// The tool's title and the subject of the call.
fn title(inv: &Invocation, clean: impl Fn(&str) -> String) -> String {
    let name = inv.definition.title.as_deref().unwrap_or(inv.definition.name.as_str());
    let about = inv.inspection().ok().and_then(|inspection| inspection.subjects.first()).map(Subject::text);
    about.map_or_else(|| name.to_owned(), |about| format!("{name}: {}", clean(&about)))
}

fn finished(inv: &Invocation, outcome: &Outcome) -> EventKind {
    let output = match outcome {
        Ok(output) => Some(output),
        Err(error) => error.output(),
    };
    EventKind::Finished {
        status: match outcome {
            Ok(_) => CallStatus::Completed,
            Err(error) if error.category() == ToolErrorCategory::Cancelled => CallStatus::Cancelled,
            Err(_) => CallStatus::Failed,
        },
        display: text_for_model(outcome, &inv.definition),
        locations: output.map(|output| output.locations.clone()).unwrap_or_default(),
        raw_response: output.and_then(|output| output.raw_response.clone()),
    }
}
