//! Predicts the decision about a call and its reason, without running the call.

use std::sync::Arc;

use serde::Serialize;
use tools_core::{ConfirmPrompt, Invocation, PromptPart, StoredRule, ToolError, ToolErrorCategory, ToolName, Verdict};

use crate::gate::{AnyGate, Ruling};

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
    /// The gate that decided, by its name; `executor` where the tool itself
    /// refuses before any gate is asked.
    pub layer: &'static str,
    /// The rule that "always" would store; `None` when nothing would be asked or nothing sensible
    /// can be stored.
    pub would_store: Option<StoredRule>,
    /// The fault that keeps the call from being judged; `None` when it was.
    pub error: Option<String>,
}

impl Explanation {
    /// The decision of these gates, outermost first: each is asked as for a call. The first that
    /// denies decides, otherwise the strictest verdict. Changes nothing that the gates remember.
    pub fn of<'a>(gates: impl Iterator<Item = &'a Arc<dyn AnyGate>> + Clone, inv: &Invocation) -> Self {
        let mut inv = inv.clone();
        let mut explained: Option<Self> = None;
        for gate in gates.clone() {
            let ruling = gate.decide(&inv);
            if let Some(level) = ruling.trust {
                inv = inv.in_context(inv.context.clone().capped(level));
            }
            let Some(verdict) = ruling.verdict else {
                if let Some(error) = &ruling.refusal {
                    return Self::refused(inv.call.tool.clone(), error);
                }
                continue;
            };
            // Among verdicts that let the call run, the innermost names the rule that somebody
            // wrote for such calls.
            let is_strictest = |before: &Self| verdict > before.verdict || before.verdict == Verdict::Allow;
            if explained.as_ref().is_none_or(is_strictest) {
                explained = Some(Self::ruled(&inv, gate.about().name, verdict, &ruling));
            }
            if verdict == Verdict::Deny {
                break;
            }
        }
        let explained = explained.unwrap_or_else(|| Self::unruled(inv.call.tool.clone()));
        let mut gates = gates;
        let described = gates.find_map(|gate| gate.describe(&inv));
        explained.described(described)
    }

    /// The explanation from the ruling of one gate.
    fn ruled(inv: &Invocation, gate: &'static str, verdict: Verdict, ruling: &Ruling) -> Self {
        Self {
            verdict,
            decided_by: ruling.decided_by.clone(),
            layer: ruling.on_behalf_of.unwrap_or(gate),
            ..Self::unruled(inv.call.tool.clone())
        }
    }

    /// The explanation of a call that no gate has a verdict on.
    fn unruled(tool: ToolName) -> Self {
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

    /// Adds the parts of the call, and the rule to store if a person would be asked.
    fn described(self, parts: Option<ConfirmPrompt>) -> Self {
        let Some(ConfirmPrompt { parts, would_store, .. }) = parts else { return self };
        let would_store = would_store.filter(|_| self.verdict == Verdict::Ask);
        Self { subjects: parts, would_store, ..self }
    }

    /// The explanation of a call that its own tool refuses before any gate: the blocklist, the
    /// sandbox, unreadable parameters.
    fn refused(tool: ToolName, error: &ToolError) -> Self {
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
