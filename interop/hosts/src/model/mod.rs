//! A model on loopback that follows a script: it asks for one call after the other and keeps what
//! it is told of each.

mod gemini;
mod http;
mod messages;
mod responses;

use std::sync::{Arc, Mutex};

use serde_json::Value;

pub use gemini::Gemini;
pub use http::Model;
pub use messages::Messages;
pub use responses::Responses;

/// A call that the script asks for.
#[derive(Clone)]
pub struct Step {
    /// Whether a tool's name, as the model is shown it, is the one that is meant.
    pub is_tool: fn(&str) -> bool,
    /// The parameters.
    pub input: Value,
}

/// What the model was told of one call.
#[derive(Clone, Debug)]
pub struct Told {
    pub text: String,
}

/// What the script saw so far.
#[derive(Default, Debug)]
pub struct Seen {
    /// Names of tools of the last request of the conversation.
    pub offered: Vec<String>,
    /// Results, in the order of the script.
    pub told: Vec<Told>,
    /// Why the script could not go on.
    pub problem: Option<String>,
}

/// The script of one session.
pub struct Script {
    pub steps: Vec<Step>,
    pub seen: Arc<Mutex<Seen>>,
}

/// How one interface of models reads and writes.
pub trait Wire: Send + Sync {
    /// Whether a request is a turn of the conversation, and not a side question of the host's.
    fn is_turn(&self, path: &str, body: &Value) -> bool;
    /// Names of the tools that are offered.
    fn offered(&self, body: &Value) -> Vec<String>;
    /// Texts of results of calls, oldest first.
    fn results(&self, body: &Value) -> Vec<String>;
    /// A reply that calls a tool.
    fn call(&self, body: &Value, number: usize, tool: &str, input: &Value) -> Reply;
    /// A reply that says something and ends the turn.
    fn say(&self, path: &str, body: &Value, text: &str) -> Reply;
}

/// What goes back.
pub struct Reply {
    pub kind: &'static str,
    pub body: String,
}

impl Reply {
    pub fn json(value: &Value) -> Self {
        Self { kind: "application/json", body: value.to_string() }
    }

    /// Events with their names, as the interfaces of two vendors have them.
    pub fn events(events: &[Value]) -> Self {
        let name = |event: &Value| event["type"].as_str().unwrap_or_default().to_owned();
        let body = events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", name(event))).collect();
        Self { kind: "text/event-stream", body }
    }
}

impl Script {
    /// The reply to a request.
    fn answer(&self, wire: &dyn Wire, path: &str, body: &Value) -> Reply {
        if !wire.is_turn(path, body) {
            return wire.say(path, body, "ok");
        }
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        seen.offered = wire.offered(body);
        seen.told = wire.results(body).into_iter().map(|text| Told { text }).collect();
        let number = seen.told.len();
        let Some(step) = self.steps.get(number) else { return wire.say(path, body, "done") };
        match seen.offered.iter().find(|name| (step.is_tool)(name)).cloned() {
            Some(tool) => wire.call(body, number, &tool, &step.input),
            None => {
                seen.problem = Some(format!("call {number}: no such tool among {:?}", seen.offered));
                wire.say(path, body, "done")
            }
        }
    }
}

/// All texts in a value, in order.
pub fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(texts).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => members.values().map(texts).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}
