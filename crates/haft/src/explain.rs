//! What would be decided about a call, and by what: without running it.

use serde::Serialize;
use tools_core::{ConfirmPrompt, PromptPart, StoredRule, ToolError, ToolErrorCategory, ToolName, Verdict};
use tools_policy::{Because, Decision};

/// What would be decided about a call. Field names are permanent.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The tool.
    pub tool: ToolName,
    /// The strictest verdict, which counts.
    pub verdict: Verdict,
    /// Each part of the call with its verdict and the rule that gave it.
    pub subjects: Vec<PromptPart>,
    /// The rule or default that decided.
    pub decided_by: String,
    /// The layer that decided: `policy`, `trust`, `permissions`; `executor` where the tool itself refuses, before any
    /// gate is asked.
    pub layer: &'static str,
    /// The rule that "always" would store; `None` when nothing would be asked or nothing sensible can be stored.
    pub would_store: Option<StoredRule>,
    /// Why the call could not even be judged; `None` when it was.
    pub error: Option<String>,
}

impl Explanation {
    /// A call that the permissions judged.
    pub(crate) fn judged(tool: ToolName, prompt: &ConfirmPrompt, decision: &Decision<'_>) -> Self {
        Self {
            tool,
            verdict: decision.verdict,
            subjects: prompt.parts.clone(),
            decided_by: decision.decided_by.to_string(),
            layer: match decision.decided_by {
                Because::Trust(_) => "trust",
                _ => "permissions",
            },
            would_store: prompt.would_store.clone().filter(|_| decision.verdict == Verdict::Ask),
            error: None,
        }
    }

    /// A call that its own tool refuses before any gate: the blocklist, the sandbox, parameters that cannot be read.
    pub(crate) fn refused(tool: ToolName, error: &ToolError) -> Self {
        let verdict = match error.category() {
            ToolErrorCategory::ConfirmationRequired => Verdict::Ask,
            _ => Verdict::Deny,
        };
        Self {
            tool,
            verdict,
            subjects: vec![],
            decided_by: error.code().to_owned(),
            layer: "executor",
            would_store: None,
            error: Some(error.to_string()),
        }
    }
}
