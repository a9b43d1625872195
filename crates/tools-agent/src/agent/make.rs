//! Makes one call: phase, gates, one attempt to rewrite wrong parameters, and a summary of a long
//! result.

use serde_json::Value;
use tools_core::{
    CallContext, CallDigest, CallId, CallPhase, Confirmer, JsonObject, RecordedResult, ToolCall, ToolDef, ToolError,
    ToolKind, keys,
};

use super::calls::{Done, out_of_phase};
use super::shared::Shared;
use crate::{AgentEvent, ReformatRequest, reformat::is_faithful, summarize};

/// What to do with a call.
pub(super) enum CallDisposition {
    /// It goes through the gates.
    Call(ToolCall),
    /// It is recorded with this failure.
    Refuse(ToolCall, ToolError),
    /// The model wrote an invalid call: the tool, the error, and the text.
    Unreadable(String, ToolError, Option<String>),
}

/// A call with its result.
pub(super) struct CallOutcome {
    pub(super) done: Done,
    /// Digest of the call; `None` if it did not go through the gates.
    pub(super) digest: Option<CallDigest>,
}

impl CallDisposition {
    /// Carries it out and reports the result.
    pub(super) async fn run(self, shared: &Shared, cx: &CallContext, call: CallId, id: String) -> CallOutcome {
        let tool = match &self {
            Self::Call(call) | Self::Refuse(call, _) => call.tool.as_str().to_owned(),
            Self::Unreadable(tool, ..) => tool.clone(),
        };
        let made = match self {
            Self::Call(call) => make(shared, cx, call).await,
            Self::Refuse(call, error) => {
                let definition = shared.host.definition(&call.tool);
                Done::failed(shared.host.refuse(call, cx, error).await, &definition).into()
            }
            Self::Unreadable(tool, error, written) => unreadable(shared, cx, &call, &tool, error, written).await,
        };
        let Done { text, code, .. } = &made.done;
        let (is_error, code, text) = (made.done.is_error(), *code, text.clone());
        shared.events.send(AgentEvent::Answered { call, id, tool, is_error, code, text }).await;
        made
    }
}

async fn make(shared: &Shared, cx: &CallContext, call: ToolCall) -> CallOutcome {
    let digest = Some(call.digest());
    let definition = shared.host.definition(&call.tool);
    if let Some(phase) = forbidden_in_phase(shared, cx, &call, &definition).await {
        let error = out_of_phase(call.tool.as_str(), phase);
        let done = Done::failed(shared.host.refuse(call, cx, error).await, &definition);
        return CallOutcome { done, digest };
    }
    let mut recorded = shared.host.call(call.clone(), cx, &shared.confirmer as &dyn Confirmer).await;
    if let Some(better) = written_anew(shared, &call, &definition, &recorded).await {
        let again = ToolCall { params: better, ..call };
        recorded = shared.host.call(again, cx, &shared.confirmer as &dyn Confirmer).await;
    }
    let mut done = Done::recorded(&recorded, &definition);
    if shared.settings.summarize_output && !done.is_error() {
        let reference = recorded.journal.value(keys::OVERFLOW).and_then(|value| value.as_str().map(str::to_owned));
        if let Some(text) = summarize::output(&*shared.compressor, cx, &done.text, reference.as_deref()).await {
            done.text = text;
        }
    }
    CallOutcome { done, digest }
}

/// The phase that forbids a call. A planner only reads; a verifier runs commands but edits nothing.
async fn forbidden_in_phase(
    shared: &Shared,
    cx: &CallContext,
    call: &ToolCall,
    definition: &ToolDef,
) -> Option<&'static str> {
    match *shared.phase.load() {
        CallPhase::Planner => {
            let inv = shared.host.inspect(call.clone(), cx).await;
            // Its owner refuses a call that cannot be inspected.
            let only_reads = inv.inspection().map_or(true, |inspection| inspection.read_only);
            (!only_reads).then_some("planner")
        }
        CallPhase::Verifier => {
            let edits = matches!(definition.kind, ToolKind::Edit | ToolKind::Delete | ToolKind::Move);
            edits.then_some("verifier")
        }
        CallPhase::Executor | CallPhase::Autonomous => None,
    }
}

/// New parameters for a call with wrong parameters.
async fn written_anew(
    shared: &Shared,
    call: &ToolCall,
    definition: &ToolDef,
    recorded: &RecordedResult,
) -> Option<JsonObject> {
    let reformat = shared.reformat.as_ref()?;
    let error = recorded.outcome.as_ref().err().filter(|error| error.category().row().needs_parameter_reformat)?;
    let written = Value::Object(call.params.clone()).to_string();
    let better = reformat.reformat(&ReformatRequest { definition, written: &written, error }).await?;
    (better != call.params && is_faithful(&call.params, &better, definition, error)).then_some(better)
}

/// Handles a call whose parameters are not a JSON object: they may be rewritten as well.
async fn unreadable(
    shared: &Shared,
    cx: &CallContext,
    id: &CallId,
    tool: &str,
    error: ToolError,
    written: Option<String>,
) -> CallOutcome {
    let named = ToolCall::new(tool, Value::Null).ok().map(|call| call.with_id(id.clone()));
    let Some(call) = named else {
        let name = tools_core::ToolName::parse("unknown").expect("the constant is a name");
        return Done::failed(error, &ToolDef::unknown(name)).into();
    };
    let definition = shared.host.definition(&call.tool);
    if let (Some(reformat), Some(written)) = (&shared.reformat, &written) {
        let request = ReformatRequest { definition: &definition, written, error: &error };
        if let Some(params) = reformat.reformat(&request).await {
            let again = ToolCall { params, ..call };
            let recorded = shared.host.call(again.clone(), cx, &shared.confirmer as &dyn Confirmer).await;
            return CallOutcome { done: Done::recorded(&recorded, &definition), digest: Some(again.digest()) };
        }
    }
    Done::failed(shared.host.refuse(call, cx, error).await, &definition).into()
}
