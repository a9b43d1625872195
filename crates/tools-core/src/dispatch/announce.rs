//! The outermost layer: tells that a call started and, once its result is on record, that it
//! finished. What gates and tools say about a call loses its credentials here; results of tools
//! have lost them further in.

use std::{fmt, sync::Arc};

use async_trait::async_trait;

use crate::{
    CallStatus, EventKind, EventSink, Invocation, Layer, Location, Next, Outcome, Redactor, Subject, ToolErrorCategory,
    text_for_model,
};

/// Sends `Started` and `Finished` for every call, so that no tool can forget its lifecycle.
#[derive(Clone, Default)]
pub struct Announce {
    redactor: Option<Arc<dyn Redactor>>,
}

impl Announce {
    /// The same layer that tells nothing the redactor would take out: not in titles, errors,
    /// questions or warnings.
    pub fn redacting(self, redactor: Arc<dyn Redactor>) -> Self {
        Self { redactor: Some(redactor) }
    }

    /// Takes credentials out of a text about a call.
    fn clean(&self, inv: &Invocation, text: &str) -> String {
        let Some(redactor) = &self.redactor else { return text.to_owned() };
        match redactor.in_session(inv.context.session()) {
            Some(redactor) => redactor.redact(text).into_owned(),
            None => redactor.redact(text).into_owned(),
        }
    }

    async fn run(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let outcome = next.run(inv).await;
        if self.redactor.is_none() {
            return outcome;
        }
        inv.context.journal().map_warnings(|warning| self.clean(inv, warning));
        outcome.map_err(|error| error.map_text(|text| self.clean(inv, text)))
    }
}

impl fmt::Debug for Announce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Announce").field("redacts", &self.redactor.is_some()).finish()
    }
}

#[async_trait]
impl Layer for Announce {
    fn name(&self) -> &'static str {
        "announce"
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

/// Tells of a call whose future was dropped.
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
    let about = subjects.first().map(Subject::text);
    let name = inv.definition.title.as_deref().unwrap_or(inv.definition.name.as_str());
    EventKind::Started {
        tool: inv.call.tool.clone(),
        kind: inv.definition.kind,
        title: about.map_or_else(|| name.to_owned(), |about| format!("{name}: {}", clean(&about))),
        locations: locations.collect(),
    }
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
