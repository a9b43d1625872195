//! What would be decided about a call, and by what: without running it.

use serde::Serialize;
use tools_core::{ConfirmPrompt, Invocation, PromptPart, StoredRule, ToolError, ToolErrorCategory, ToolName, Verdict};
use tools_policy::gate::Ruling;

/// The predicted decision about a call. Field names are permanent.
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
    /// The gate that decided, by its name in `haft layers`; `executor` where the tool itself
    /// refuses before any gate is asked.
    pub layer: &'static str,
    /// The rule that "always" would store; `None` when nothing would be asked or nothing sensible
    /// can be stored.
    pub would_store: Option<StoredRule>,
    /// The fault that keeps the call from being judged; `None` when it was.
    pub error: Option<String>,
}

impl Explanation {
    /// What a gate said of a call.
    pub(crate) fn ruled(inv: &Invocation, gate: &'static str, verdict: Verdict, ruling: &Ruling) -> Self {
        Self {
            verdict,
            decided_by: ruling.decided_by.clone(),
            layer: ruling.on_behalf_of.unwrap_or(gate),
            ..Self::unruled(inv.call.tool.clone())
        }
    }

    /// A call of which no gate has an opinion.
    pub(crate) fn unruled(tool: ToolName) -> Self {
        Self {
            tool,
            verdict: Verdict::Allow,
            subjects: vec![],
            decided_by: String::new(),
            layer: "executor",
            would_store: None,
            error: None,
        }
    }

    /// The same with the parts of the call; what an answer would store only where one is asked for.
    pub(crate) fn described(self, parts: Option<ConfirmPrompt>) -> Self {
        let Some(ConfirmPrompt { parts, would_store, .. }) = parts else { return self };
        let would_store = would_store.filter(|_| self.verdict == Verdict::Ask);
        Self { subjects: parts, would_store, ..self }
    }

    /// A call that its own tool refuses before any gate: the blocklist, the sandbox, parameters
    /// that cannot be read.
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
