//! Result of one call for programs: the object of `--json`, of each `batch` line and of tests.

use std::time::Duration;

use crate::{
    CallId, Change, CommandEnd, ConfirmPrompt, FilterStats, PromptPart, RecordedResult, StoredRule, ToolDef, ToolError,
    ToolErrorCategory, ToolErrorFeedback, ToolName, Verdict, keys, text_for_model,
};
use serde::Serialize;
use serde_json::Value;

/// Result of one call. Field names are permanent; inapplicable fields are `null`.
#[derive(Debug, Serialize)]
pub struct CallReport {
    /// The call.
    pub id: CallId,
    /// Its tool.
    pub tool: ToolName,
    /// Whether the tool ran and did not fail.
    pub ok: bool,
    /// The decision.
    pub decision: Verdict,
    /// The text that the model receives.
    pub text: String,
    /// The structured result, if there is one; failures can have one too.
    pub raw_response: Option<Value>,
    /// Exit status of the command; `None` for tools that run no command. In JSON it is a part
    /// of the structured result.
    #[serde(skip)]
    pub ended: Option<CommandEnd>,
    /// The error.
    pub error: Option<ErrorReport>,
    /// The question, if a person has to agree first.
    pub confirmation: Option<ConfirmationReport>,
    /// Report of the filter.
    pub filter: Option<FilterStats>,
    /// The reference under which the complete output is stored.
    pub overflow: Option<String>,
    /// Warnings for a person about a call that continued.
    pub warnings: Vec<String>,
    /// Whether part of the result was lost or moved to storage.
    pub truncated: bool,
    /// Whether the result came from the cache.
    pub cached: bool,
    /// Duration of the call.
    pub duration_ms: u64,
}

/// The error of a call in a form for programs.
#[derive(Debug, Serialize)]
pub struct ErrorReport {
    /// One of the eleven categories.
    pub category: ToolErrorCategory,
    /// Code of the error.
    pub code: String,
    /// Message of the error.
    pub message: String,
    /// Advice on what to do next.
    pub suggestion: String,
    /// Whether the system retries automatically.
    pub retryable: bool,
}

/// The question for a person, in a form for programs.
#[derive(Debug, Serialize)]
pub struct ConfirmationReport {
    /// Reason of the question.
    pub prompt: String,
    /// The parts of the call with the verdict of each.
    pub subjects: Vec<PromptPart>,
    /// Whether the tool itself asks although rules cover every part.
    pub by_tool: bool,
    /// Predicted changes of files; `None` if they cannot be predicted.
    pub change: Option<Change>,
    /// The rule that "always" would store.
    pub would_store: Option<StoredRule>,
}

impl From<&ConfirmPrompt> for ConfirmationReport {
    fn from(prompt: &ConfirmPrompt) -> Self {
        Self {
            prompt: prompt.reason.clone(),
            subjects: prompt.parts.clone(),
            by_tool: prompt.by_tool,
            change: prompt.change.clone(),
            would_store: prompt.would_store.clone(),
        }
    }
}

impl CallReport {
    /// Creates the report of a call that ended.
    pub fn new(id: CallId, definition: &ToolDef, recorded: &RecordedResult, duration: Duration) -> Self {
        let RecordedResult { outcome, journal } = recorded;
        let output = match outcome {
            Ok(output) => Some(output),
            Err(error) => error.output(),
        };
        let error = outcome.as_ref().err();
        Self {
            id,
            tool: definition.name.clone(),
            ok: error.is_none(),
            decision: decision(journal.verdict(), error),
            text: text_for_model(outcome, definition),
            raw_response: output.and_then(|output| output.raw_response.clone()),
            ended: output.and_then(|output| output.ended.clone()),
            error: error.map(|error| error_report(error, definition)),
            confirmation: error.and_then(ToolError::prompt).map(ConfirmationReport::from),
            filter: output.and_then(|output| output.filter.clone()),
            overflow: journal.value(keys::OVERFLOW).and_then(|value| value.as_str().map(str::to_owned)),
            warnings: journal.warnings(),
            truncated: output.is_some_and(|output| output.truncated),
            cached: journal.value(keys::CACHE).is_some_and(|value| value == "hit"),
            duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// The decision: the gates' verdict, made stricter by the end of the call (the blocklist and the
/// sandbox are no gates).
fn decision(verdict: Option<Verdict>, error: Option<&ToolError>) -> Verdict {
    match error.map(ToolError::category) {
        // The call ran, perhaps because a person agreed.
        None => Verdict::Allow,
        Some(ToolErrorCategory::PolicyBlocked) => Verdict::Deny,
        Some(ToolErrorCategory::ConfirmationRequired) => Verdict::Ask,
        Some(_) => verdict.unwrap_or(Verdict::Allow),
    }
}

fn error_report(error: &ToolError, definition: &ToolDef) -> ErrorReport {
    let feedback = ToolErrorFeedback::new(error, definition.trusted_traits());
    ErrorReport {
        category: feedback.category,
        code: error.code().to_owned(),
        message: feedback.message,
        suggestion: feedback.suggestion,
        retryable: feedback.retryable,
    }
}
