//! The gate: asks the decision, notes it, refuses or goes on.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use tools_core::{
    ConfirmPrompt, Invocation, Layer, Next, Outcome, PromptPart, Shared, ToolError, ToolErrorCategory, Verdict, keys,
};

use super::{config::Permissions, decide::Question, decide::decide, session::SessionRules, suggest::would_store};
use crate::{Because, Decision};

/// The last gate: a person is asked only about a call that nothing else refuses.
pub struct PermissionGate {
    permissions: Shared<Permissions>,
    sessions: Arc<SessionRules>,
}

impl PermissionGate {
    /// A gate over rules that may be swapped, and over what people allow for a session.
    pub fn new(permissions: Shared<Permissions>, sessions: Arc<SessionRules>) -> Self {
        Self { permissions, sessions }
    }
}

#[async_trait]
impl Layer for PermissionGate {
    fn name(&self) -> &'static str {
        "permissions"
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        self.judge(inv, next.approval().is_some())?;
        next.run(inv).await
    }
}

impl PermissionGate {
    fn judge(&self, inv: &Invocation, is_confirmed: bool) -> Result<(), ToolError> {
        let (cx, journal) = (&inv.context, inv.context.journal());
        let permissions = self.permissions.load();
        let first = self.sessions.of(cx.session());
        let question = Question {
            definition: &inv.definition,
            inspection: inv.inspection()?,
            trust: cx.trust(),
            workdir: cx.workdir(),
            session: &first,
        };
        let mut decision = decide(&permissions, &question);
        let session;
        // Somebody may have agreed in another process meanwhile: looked for only where a person would be asked.
        if decision.verdict == Verdict::Ask && self.sessions.refresh() {
            session = self.sessions.of(cx.session());
            decision = decide(&permissions, &Question { session: &session, ..question });
        }
        journal.gate("permissions", decision.verdict);
        if let Because::Rule(_) | Because::Session { .. } | Because::Approved { .. } = decision.decided_by {
            journal.note(keys::POLICY_MATCH, decision.decided_by.to_string());
        }
        match decision.verdict {
            Verdict::Allow => journal.note(keys::APPROVED_BY, decision.decided_by.approved_by()),
            Verdict::Ask if is_confirmed => journal.note(keys::APPROVED_BY, "person"),
            Verdict::Ask => return Err(confirmation_required(inv, &decision)),
            Verdict::Deny => return Err(denied(inv, &decision)),
        }
        Ok(())
    }
}

fn confirmation_required(inv: &Invocation, decision: &Decision<'_>) -> ToolError {
    let tool = &inv.call.tool;
    ToolError::new(
        ToolErrorCategory::ConfirmationRequired,
        "confirmation_required",
        format!("`{tool}` needs a person to agree first{}", about(decision)),
    )
    .with_prompt(prompt(inv, decision))
}

fn denied(inv: &Invocation, decision: &Decision<'_>) -> ToolError {
    ToolError::new(
        ToolErrorCategory::PolicyBlocked,
        "permission_denied",
        format!("the permissions do not let `{}` do this{}", inv.call.tool, about(decision)),
    )
}

/// Which part of the call it is about: the model's own words, not the rule.
fn about(decision: &Decision<'_>) -> String {
    let parts = || decision.parts.iter().filter(|part| part.verdict == decision.verdict);
    match parts().next() {
        Some(part) if decision.parts.len() > 1 => {
            let text = part.subject.text();
            let more = match parts().count() - 1 {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!(": `{}`{more}", text.chars().take(200).collect::<String>())
        }
        _ => String::new(),
    }
}

/// The question for a person: every part with its verdict, why it asks, what an answer would store.
pub fn prompt(inv: &Invocation, decision: &Decision<'_>) -> ConfirmPrompt {
    let confirm = inv.inspection().ok().and_then(|inspection| inspection.confirm.as_ref());
    let reason = match (&decision.decided_by, confirm) {
        (_, Some(confirm)) => confirm.reason.clone(),
        (Because::Rule(rule), None) => format!("asked for by {rule}"),
        (Because::Trust(_), None) => "the origin of the call is not fully trusted".to_owned(),
        (because, None) => because.to_string(),
    };
    let part = |part: &crate::Part<'_>| PromptPart {
        subject: part.subject.clone(),
        verdict: part.verdict,
        rule: part.because.to_string(),
    };
    // A rule would not keep a tool from asking by itself.
    let would_store = match confirm {
        None => would_store(decision, &inv.definition, inv.context.workdir()),
        Some(_) => None,
    };
    ConfirmPrompt { tool: inv.call.tool.clone(), reason, parts: decision.parts.iter().map(part).collect(), would_store }
}

impl fmt::Debug for PermissionGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermissionGate").finish_non_exhaustive()
    }
}
