//! The calls that an answer requests, from the model's text to a result in the conversation.

use tools_core::{
    CallId, ClaimSource, Media, RecordedResult, ToolCall, ToolDef, ToolError, ToolErrorCategory, ToolOutput,
    text_for_model,
};
use tools_providers::{ToolResult, ToolUse};

use crate::fenced::FencedCall;

/// A call as a model wrote it.
pub(super) struct RequestedCall {
    /// ID that pairs it with its result.
    pub(super) id: String,
    /// Name of the tool as the model wrote it.
    pub(super) name: String,
    pub(super) call: Result<ToolCall, ToolError>,
    /// The parameters as written, if they are invalid.
    pub(super) written: Option<String>,
}

impl RequestedCall {
    pub(super) fn native(call: &ToolUse) -> Self {
        let written = call.input.as_ref().err().map(|bad| bad.text.clone());
        Self { id: call.id.clone(), name: call.name.clone(), call: call.to_call(), written }
    }

    pub(super) fn fenced(index: usize, call: FencedCall) -> Self {
        let parsed = match &call.params {
            Ok(params) => ToolCall::new(&call.tool, serde_json::Value::Object(params.clone())),
            Err(problem) => Err(call.error(problem)),
        };
        Self { id: format!("block-{}", index + 1), name: call.tool, call: parsed, written: None }
    }
}

/// Result of a call.
#[derive(Debug, Clone)]
pub(super) struct Done {
    pub(super) text: String,
    pub(super) images: Vec<Media>,
    pub(super) category: Option<ToolErrorCategory>,
    pub(super) code: Option<&'static str>,
    pub(super) source: ClaimSource,
}

/// Pictures that models can view. Other media are named in the text.
fn pictures(output: &ToolOutput) -> Vec<Media> {
    output.media.iter().filter(|media| media.is_picture()).cloned().collect()
}

impl Done {
    pub(super) fn recorded(recorded: &RecordedResult, definition: &ToolDef) -> Self {
        let mut text = text_for_model(&recorded.outcome, definition);
        for warning in recorded.journal.warnings() {
            text.push_str("\n[warning] ");
            text.push_str(&warning);
        }
        let output = match &recorded.outcome {
            Ok(output) => Some(output),
            Err(error) => error.output(),
        };
        let error = recorded.outcome.as_ref().err();
        Self {
            text,
            images: output.map(pictures).unwrap_or_default(),
            category: error.map(ToolError::category),
            code: error.map(ToolError::code),
            source: output.map(|output| output.source).unwrap_or_default(),
        }
    }

    pub(super) fn failed(error: ToolError, definition: &ToolDef) -> Self {
        let (category, code) = (error.category(), error.code());
        let text = text_for_model(&Err(error), definition);
        Self { text, images: vec![], category: Some(category), code: Some(code), source: ClaimSource::Internal }
    }

    pub(super) fn is_error(&self) -> bool {
        self.category.is_some()
    }

    /// Whether the text comes from outside.
    pub(super) fn is_untrusted(&self) -> bool {
        matches!(self.source, ClaimSource::Web | ClaimSource::Mcp | ClaimSource::Memory)
    }
}

/// A call of an answer, with its result once there is one.
pub(super) struct Slot {
    pub(super) wanted: RequestedCall,
    pub(super) call: CallId,
    pub(super) done: Option<Done>,
}

impl Slot {
    /// The result for the conversation. A call without a result was cancelled.
    pub(super) fn result(&self) -> ToolResult {
        let called_off = || {
            let definition = ToolDef::unknown(tools_core::ToolName::parse("unknown").expect("the constant is a name"));
            Done::failed(called_off(&self.wanted.name), &definition)
        };
        let done = self.done.clone().unwrap_or_else(called_off);
        ToolResult {
            id: self.wanted.id.clone(),
            name: self.wanted.name.clone(),
            is_error: done.is_error(),
            text: done.text,
            images: done.images,
        }
    }
}

/// The failure of a call that is not made any more.
pub(super) fn called_off(tool: &str) -> ToolError {
    ToolError::new(ToolErrorCategory::Cancelled, "cancelled", format!("the call of `{tool}` was called off"))
}

/// The failure of a call that was repeated too often.
pub(super) fn looping(tool: &str) -> ToolError {
    ToolError::new(
        ToolErrorCategory::PolicyBlocked,
        "loop",
        format!(
            "`{tool}` was called three times in a row with the same parameters and the same end; it is not run again"
        ),
    )
    .with_suggestion("Do something else, or tell the user what you are stuck at.")
}

/// The failure of a call that its phase forbids.
pub(super) fn out_of_phase(tool: &str, phase: &str) -> ToolError {
    ToolError::new(
        ToolErrorCategory::PolicyBlocked,
        "phase",
        format!("`{tool}` changes something, which the phase `{phase}` does not allow"),
    )
    .with_suggestion("Say what should be changed; it is done in a later phase.")
}
