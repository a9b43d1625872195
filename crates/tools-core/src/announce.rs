//! The outermost layer: tells that a call started and, once its result is on record, that it finished.

use async_trait::async_trait;

use crate::{
    CallStatus, EventKind, EventSink, Invocation, Layer, Location, Next, Outcome, Subject, ToolErrorCategory,
    text_for_model,
};

/// Sends `Started` and `Finished` for every call, so that no tool can forget its lifecycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct Announce;

#[async_trait]
impl Layer for Announce {
    fn name(&self) -> &'static str {
        "announce"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let events = inv.context.events();
        if !events.is_live() {
            return next.run(inv).await;
        }
        events.send(started(inv)).await;
        let mut guard = Unfinished { events, armed: true };
        let outcome = next.run(inv).await;
        guard.armed = false;
        events.send(finished(inv, &outcome)).await;
        outcome
    }
}

/// Tells of a call whose future was dropped.
struct Unfinished<'a> {
    events: &'a EventSink,
    armed: bool,
}

impl Drop for Unfinished<'_> {
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

fn started(inv: &Invocation) -> EventKind {
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
        title: about.map_or_else(|| name.to_owned(), |about| format!("{name}: {about}")),
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
