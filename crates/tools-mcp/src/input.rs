//! Input that tools request from the client during a call. Before 2026-07-28 the client is asked
//! while the call waits; since then the call ends and is repeated with the client's answers.
#![expect(deprecated, reason = "clients of both revisions offer completions and roots")]

use std::{collections::BTreeMap, sync::Mutex, time::Duration};

use async_trait::async_trait;
use rmcp::model::{
    ClientCapabilities, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, ElicitRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest as Wire, InputRequests, InputResponses,
    ListRootsRequest, ListRootsResult, SamplingMessage,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{Peer, RoleServer};
use serde_json::Value;
use tokio::time::timeout;
use tools_core::{InputAnswer, InputError, InputKind, InputRequest, InputSource, Locked as _, ToolName, visible_lines};

use crate::{late_questions::OpenForm, revision::asks_by_itself};

/// Key of the question whether a call may run. No tool can use it.
pub(crate) const APPROVAL: &str = "approval";
/// Maximum size in bytes of a tool's request.
const MAX_TEXT: usize = 16_000;

/// The client of one request.
pub(crate) struct ClientInput {
    peer: Peer<RoleServer>,
    capabilities: Option<ClientCapabilities>,
    asks_by_itself: bool,
    /// Time limit for an answer.
    patience: Duration,
    tool: ToolName,
    rounds: Mutex<InputRounds>,
}

/// Answers that the requests of one call have brought so far (since 2026-07-28).
#[derive(Default)]
struct InputRounds {
    known: InputResponses,
    awaited: InputRequests,
}

impl ClientInput {
    /// Input for `request`, a call of `tool`, which brought these answers.
    pub(crate) fn new(
        request: &RequestContext<RoleServer>,
        tool: ToolName,
        patience: Duration,
        brought: Option<InputResponses>,
    ) -> Self {
        Self {
            peer: request.peer.clone(),
            capabilities: request.client_capabilities(),
            asks_by_itself: asks_by_itself(request),
            patience,
            tool,
            rounds: Mutex::new(InputRounds { known: brought.unwrap_or_default(), awaited: InputRequests::new() }),
        }
    }

    /// Adds the answers of earlier requests. Those of the last request take precedence.
    pub(crate) fn add_earlier(&self, answers: InputResponses) {
        let known = &mut self.rounds.locked().known;
        for (key, answer) in answers {
            known.entry(key).or_insert(answer);
        }
    }

    /// All answers so far, for the next request.
    pub(crate) fn known(&self) -> InputResponses {
        self.rounds.locked().known.clone()
    }

    /// Takes the answer to the question whether the call may run; it is not kept for later
    /// requests.
    pub(crate) fn take_approval(&self) -> Option<Value> {
        self.rounds.locked().known.remove(APPROVAL)
    }

    /// Requests that the client has to answer before it repeats the call.
    pub(crate) fn awaited(&self) -> InputRequests {
        self.rounds.locked().awaited.clone()
    }

    async fn answer(&self, request: Wire) -> Result<InputAnswer, InputError> {
        let failed = |error: ServiceError| match error {
            ServiceError::Timeout { .. } => InputError::Failed("not in time".to_owned()),
            error => InputError::Failed(error.to_string()),
        };
        let late = |_| InputError::Failed("not in time".to_owned());
        match request {
            Wire::Elicitation(request) => {
                let mut form = OpenForm::ask(&self.peer, request.params).await.map_err(failed)?;
                Ok(filled(form.answered(self.patience).await.map_err(failed)?))
            }
            Wire::CreateMessage(request) => {
                let asked = self.peer.create_message(request.params);
                completed(timeout(self.patience, asked).await.map_err(late)?.map_err(failed)?)
            }
            Wire::ListRoots(_) => {
                let asked = self.peer.list_roots();
                Ok(roots(timeout(self.patience, asked).await.map_err(late)?.map_err(failed)?))
            }
            _ => Err(InputError::Invalid("it is of an unknown kind".to_owned())),
        }
    }
}

#[async_trait]
impl InputSource for ClientInput {
    fn offers(&self, kind: InputKind) -> bool {
        let capabilities = self.capabilities.as_ref();
        match kind {
            InputKind::Form => shows_forms(capabilities),
            InputKind::Completion => capabilities.is_some_and(|offered| offered.sampling.is_some()),
            InputKind::Roots => capabilities.is_some_and(|offered| offered.roots.is_some()),
            _ => false,
        }
    }

    async fn input(
        &self,
        requests: BTreeMap<String, InputRequest>,
    ) -> Result<BTreeMap<String, InputAnswer>, InputError> {
        if requests.contains_key(APPROVAL) {
            return Err(InputError::Invalid(format!("the key `{APPROVAL}` is taken")));
        }
        let mut answers = BTreeMap::new();
        let mut awaited = InputRequests::new();
        for (key, request) in requests {
            let kind = request.kind();
            let request = wire(&self.tool, request)?;
            if self.asks_by_itself {
                // One after the other: a person fills in one form at a time.
                answers.insert(key, self.answer(request).await?);
                continue;
            }
            // An answer that cannot be parsed is requested again.
            match self.rounds.locked().known.get(&key).and_then(|answer| read(kind, answer)) {
                Some(answer) => drop(answers.insert(key, answer)),
                None => drop(awaited.insert(key, request)),
            }
        }
        if awaited.is_empty() {
            return Ok(answers);
        }
        self.rounds.locked().awaited = awaited;
        Err(InputError::Awaited)
    }
}

/// Whether the client supports forms: `elicitation: {}` means it does; `{"url": {}}` alone that it
/// does not.
pub(crate) fn shows_forms(capabilities: Option<&ClientCapabilities>) -> bool {
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation.as_ref());
    elicitation.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// Converts the request to MCP. A form names the tool that asks, so that a tool cannot imitate a
/// question of a gate.
fn wire(tool: &ToolName, request: InputRequest) -> Result<Wire, InputError> {
    let bounded = |text: String| {
        if text.len() <= MAX_TEXT {
            Ok(text)
        } else {
            Err(InputError::Invalid(format!("{} bytes are too many", text.len())))
        }
    };
    match request {
        InputRequest::Form { message, schema } => {
            let message = format!("The tool `{tool}` asks: {}", visible_lines(&bounded(message)?));
            let requested_schema =
                serde_json::from_value(schema).map_err(|error| InputError::Invalid(error.to_string()))?;
            let params = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
            Ok(Wire::Elicitation(ElicitRequest::new(params)))
        }
        InputRequest::Completion { prompt, max_tokens } => {
            let messages = vec![SamplingMessage::user_text(bounded(prompt)?)];
            Ok(Wire::CreateMessage(CreateMessageRequest::new(CreateMessageRequestParams::new(messages, max_tokens))))
        }
        InputRequest::Roots => Ok(Wire::ListRoots(ListRootsRequest::default())),
        _ => Err(InputError::Invalid("it is of an unknown kind".to_owned())),
    }
}

/// Parses a client's answer of this kind; `None` if it does not fit.
fn read(kind: InputKind, answer: &Value) -> Option<InputAnswer> {
    match kind {
        InputKind::Form => serde_json::from_value(answer.clone()).ok().map(filled),
        InputKind::Completion => completed(serde_json::from_value(answer.clone()).ok()?).ok(),
        InputKind::Roots => serde_json::from_value(answer.clone()).ok().map(roots),
        _ => None,
    }
}

fn filled(result: ElicitResult) -> InputAnswer {
    match result.action {
        ElicitationAction::Accept => match result.content {
            Some(Value::Object(fields)) => InputAnswer::Filled(fields),
            _ => InputAnswer::Filled(serde_json::Map::new()),
        },
        ElicitationAction::Decline => InputAnswer::Declined,
        _ => InputAnswer::Dismissed,
    }
}

fn completed(result: CreateMessageResult) -> Result<InputAnswer, InputError> {
    let blocks = result.message.content.into_vec();
    let texts: Vec<String> = blocks.iter().filter_map(|block| Some(block.as_text()?.text.clone())).collect();
    if texts.is_empty() {
        return Err(InputError::Failed("with no text".to_owned()));
    }
    Ok(InputAnswer::Completed(texts.join("\n")))
}

fn roots(result: ListRootsResult) -> InputAnswer {
    InputAnswer::Roots(result.roots.into_iter().map(|root| root.uri).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool() -> ToolName {
        ToolName::parse("survey").unwrap()
    }

    #[test]
    fn a_form_names_its_tool_and_hides_nothing() {
        let schema =
            json!({"type": "object", "properties": {"name": {"type": "string", "default": "x"}}, "required": ["name"]});
        let form = InputRequest::Form { message: "Your\u{202e}name?".to_owned(), schema: schema.clone() };
        let Wire::Elicitation(request) = wire(&tool(), form).unwrap() else { panic!("it is a form") };
        let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = request.params else {
            panic!("it is a form")
        };
        assert!(message.starts_with("The tool `survey` asks: Your") && !message.contains('\u{202e}'), "{message}");
        assert_eq!(serde_json::to_value(requested_schema).unwrap(), schema);
    }

    #[test]
    fn what_no_client_understands_is_not_asked() {
        let form = |message: String, schema| wire(&tool(), InputRequest::Form { message, schema });
        for schema in [json!(7), json!({"type": "object", "properties": {"a": {"type": "object"}}})] {
            assert!(matches!(form(String::new(), schema.clone()), Err(InputError::Invalid(_))), "{schema}");
        }
        let schema = json!({"type": "object", "properties": {}});
        assert!(matches!(form("x".repeat(MAX_TEXT + 1), schema), Err(InputError::Invalid(_))));
    }

    #[test]
    fn an_answer_of_another_kind_is_none() {
        let filled = json!({"action": "accept", "content": {"name": "A"}});
        let of = |fields: Value| InputAnswer::Filled(fields.as_object().unwrap().clone());
        assert_eq!(read(InputKind::Form, &filled), Some(of(json!({"name": "A"}))));
        assert_eq!(read(InputKind::Form, &json!({"action": "accept"})), Some(of(json!({}))));
        assert_eq!(read(InputKind::Form, &json!({"action": "decline"})), Some(InputAnswer::Declined));
        assert_eq!(read(InputKind::Form, &json!({"action": "cancel"})), Some(InputAnswer::Dismissed));
        assert_eq!(read(InputKind::Form, &json!(12345)), None);
        let said = json!({"role": "assistant", "content": {"type": "text", "text": "hi"}, "model": "m"});
        assert_eq!(read(InputKind::Completion, &said), Some(InputAnswer::Completed("hi".to_owned())));
        assert_eq!(read(InputKind::Completion, &filled), None);
        let roots = json!({"roots": [{"uri": "file:///a"}]});
        assert_eq!(read(InputKind::Roots, &roots), Some(InputAnswer::Roots(vec!["file:///a".to_owned()])));
        assert_eq!(read(InputKind::Roots, &said), None);
    }
}
