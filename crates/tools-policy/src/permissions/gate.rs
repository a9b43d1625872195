//! The gate: returns the decision as a ruling, with the question for a person or the refusal.

use std::{path::Path, sync::Arc};

use tools_core::{
    Access, Change, ConfiguredFiles, ConfirmPrompt, Inspection, Invocation, KeyFault, PromptPart, Subject, ToolDef,
    ToolError, ToolErrorCategory, ToolKind, Verdict,
};

use super::compiled::Permissions;
use super::config::PermissionsConfig;
use super::decide::{Question, decide};
use super::lint::lint;
use super::list::RuleList;
use super::session::{SessionRules, SessionView};
use super::suggest::{would_name, would_store};
use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, ReadRestriction, Ruling};
use crate::matching::PathForms;
use crate::names::unknown;
use crate::{Decision, DecisionReason};

/// The last gate: a person is asked only about a call that nothing else refuses.
#[derive(Debug)]
pub struct PermissionGate(Arc<SessionRules>);

impl PermissionGate {
    /// Creates a gate over the approvals of sessions and beyond.
    pub fn new(sessions: Arc<SessionRules>) -> Self {
        Self(sessions)
    }

    /// Decides, and passes the decision on while the data it borrows exists.
    fn with_decision<T>(
        &self,
        permissions: &Permissions,
        inv: &Invocation,
        then: impl FnOnce(&Decision<'_>) -> T,
    ) -> Result<T, ToolError> {
        let cx = &inv.context;
        let inspection = inv.inspection()?;
        let session: Arc<SessionView> = self.0.of(cx.session());
        let question = Question {
            definition: &inv.definition,
            inspection,
            trust: cx.trust(),
            workdir: cx.workdir(),
            session: &session,
            configured: &configured(inspection, cx.workdir()),
        };
        Ok(then(&decide(permissions, &question)))
    }
}

/// The files named by the configuration of the repositories around the changed paths, and the
/// targets of links with obeyed names. Read at the moment of the decision, so that recent settings
/// apply.
fn configured(inspection: &Inspection, workdir: &Path) -> ConfiguredFiles {
    let mut changed = inspection.subjects.iter().filter_map(|subject| match subject {
        Subject::Path { path, access: Access::Write | Access::Delete, .. } => Some(path.as_path()),
        Subject::Paths { pattern, access: Access::Write | Access::Delete, .. } => Some(Path::new(pattern)),
        _ => None,
    });
    let mut found = ConfiguredFiles::default();
    if let Some(first) = changed.next() {
        found.add_top(workdir);
        for path in std::iter::once(first).chain(changed) {
            found.add_around(path);
        }
    }
    found
}

impl Gate for PermissionGate {
    type Config = PermissionsConfig;
    type Policy = Permissions;
    type Held = ();

    const ABOUT: GateInfo = GateInfo {
        name: "permissions",
        sections: &["tools.permissions"],
        applies: Applies::Reload,
        position: GatePosition::BeforeCall,
        refuses_with: &["confirmation_required/confirmation_required", "policy_blocked/permission_denied"],
        why_here: "last gate: a person is asked only about a call that nothing else refuses",
    };

    fn compile(config: &PermissionsConfig, cx: &CompileContext<'_>) -> Result<Permissions, KeyFault> {
        config.compile(cx.home)
    }

    async fn prepare(&self, inv: &Invocation) {
        self.0.refresh_for(inv.call.tool.as_str(), inv.context.workdir()).await;
    }

    async fn settle(&self, permissions: &Arc<Permissions>, ruling: Ruling, inv: &Invocation, _: bool) -> (Ruling, ()) {
        if ruling.verdict != Some(Verdict::Ask) {
            return (ruling, ());
        }
        // Somebody may have approved it in another process.
        let _ = self.0.refresh().await;
        (self.decide(permissions, inv), ())
    }

    fn decide(&self, permissions: &Arc<Permissions>, inv: &Invocation) -> Ruling {
        self.with_decision(permissions, inv, |decision| ruling(inv, decision, &self.0))
            .unwrap_or_else(Ruling::unreadable)
    }

    fn describe(&self, permissions: &Arc<Permissions>, inv: &Invocation) -> Option<ConfirmPrompt> {
        self.with_decision(permissions, inv, |decision| prompt(inv, decision)).ok()
    }

    fn hides(permissions: &Permissions, tool: &str) -> bool {
        permissions.denies_always(tool)
    }

    fn closes(permissions: &Arc<Permissions>, tool: &str, workdir: &Path) -> Option<ReadRestriction> {
        permissions.of(tool).filter(|list| list.denies_paths())?;
        let (permissions, tool, workdir) = (Arc::clone(permissions), tool.to_owned(), workdir.to_owned());
        let denies = move |path: &Path| {
            let list = permissions.of(&tool);
            list.is_some_and(|list| list.denies_path(&PathForms::new(path, &workdir)))
        };
        Some(ReadRestriction { denies: Box::new(denies), places: vec![] })
    }

    fn lint(&self, permissions: &Arc<Permissions>, tools: &[Arc<ToolDef>]) -> Vec<String> {
        let mut found: Vec<String> = lint(permissions).iter().map(ToString::to_string).collect();
        let unknown = permissions.named().filter_map(|tool| unknown(&format!("tools.permissions.{tool}"), tool, tools));
        found.extend(unknown);
        found.extend(unbound(permissions, tools));
        found
    }
}

/// Warns about rules that close paths to one reading tool while commands still read them.
fn unbound(permissions: &Permissions, tools: &[Arc<ToolDef>]) -> Vec<String> {
    let runs = |tool: &&Arc<ToolDef>| tool.kind == ToolKind::Execute && !permissions.denies_always(tool.name.as_str());
    let Some(shell) = tools.iter().find(runs).map(|tool| tool.name.as_str()) else { return vec![] };
    let reads = tools.iter().filter(|tool| matches!(tool.kind, ToolKind::Read | ToolKind::Search));
    let closing = reads.filter(|tool| permissions.of(tool.name.as_str()).is_some_and(RuleList::denies_some_paths));
    let said = closing.map(|tool| {
        format!(
            "`tools.permissions.{}`: what it denies is closed to `{}` alone; `{shell}` and other tools may read it: close it with `tools.file.deny_read`, or `paths` of a rule in `tools.policy`",
            tool.name, tool.name
        )
    });
    said.collect()
}

fn ruling(inv: &Invocation, decision: &Decision<'_>, sessions: &SessionRules) -> Ruling {
    let by = decision.decided_by.to_string();
    let is_rule = matches!(
        decision.decided_by,
        DecisionReason::Rule(_)
            | DecisionReason::Session { .. }
            | DecisionReason::Approved { .. }
            | DecisionReason::Rejected { .. }
    );
    let ruling = match decision.verdict {
        Verdict::Allow => Ruling { approved_by: Some(decision.decided_by.approved_by()), ..Ruling::allow(by) },
        Verdict::Ask => Ruling::ask(by, confirmation_required(inv, decision, sessions)),
        Verdict::Deny => Ruling::deny(by, denied(inv, decision)),
    };
    let on_behalf_of = matches!(decision.decided_by, DecisionReason::Trust(_)).then_some("trust");
    let answers_tool = decision.verdict == Verdict::Allow && decision.is_named;
    Ruling { is_rule, on_behalf_of, answers_tool, ..ruling }
}

fn confirmation_required(inv: &Invocation, decision: &Decision<'_>, sessions: &SessionRules) -> ToolError {
    let tool = &inv.call.tool;
    let change = changed_scripts(decision, sessions);
    ToolError::new(
        ToolErrorCategory::ConfirmationRequired,
        "confirmation_required",
        format!("`{tool}` needs approval{}", about(decision)),
    )
    .with_prompt(ConfirmPrompt { change, ..prompt(inv, decision) })
}

/// The differences of the files of code that a call runs from the approved ones.
fn changed_scripts(decision: &Decision<'_>, sessions: &SessionRules) -> Option<Change> {
    let changed = decision.parts.iter().find_map(|part| match &part.because {
        DecisionReason::Changed { scripts, .. } => Some(scripts),
        _ => None,
    });
    sessions.differences(changed?).map(Change::scripts)
}

fn denied(inv: &Invocation, decision: &Decision<'_>) -> ToolError {
    ToolError::new(
        ToolErrorCategory::PolicyBlocked,
        "permission_denied",
        format!("the permissions do not let `{}` do this{}", inv.call.tool, about(decision)),
    )
}

/// The part of the call that the decision is about, in the model's own words.
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

/// The question for a person: every part with its verdict, the reason, and the rule that an answer
/// would store.
fn prompt(inv: &Invocation, decision: &Decision<'_>) -> ConfirmPrompt {
    let confirm = inv.inspection().ok().and_then(|inspection| inspection.confirm.as_ref());
    let confirm = confirm.filter(|_| !decision.is_named);
    let reason = match &decision.decided_by {
        DecisionReason::Rule(rule) => format!("asked for by {rule}"),
        DecisionReason::Trust(_) => "the origin of the call is not fully trusted".to_owned(),
        because => because.to_string(),
    };
    let part = |part: &crate::Part<'_>| PromptPart {
        subject: part.subject.clone(),
        verdict: part.verdict,
        rule: part.because.to_string(),
    };
    // The tool's own wish is answered only by a rule that names the command or, if the call only
    // asks about a file, one that names the file.
    let is_about_files = decision.parts.iter().all(|part| matches!(part.subject, Subject::Path { .. }));
    let wish = confirm.filter(|confirm| confirm.about.is_none() || !is_about_files);
    let would_store = inv.inspection().ok().and_then(|inspection| match wish {
        None => would_store(decision, inspection, &inv.definition, inv.context.workdir()),
        Some(_) => would_name(decision, inspection, &inv.definition),
    });
    let (tool, parts) = (inv.call.tool.clone(), decision.parts.iter().map(part).collect());
    match confirm.filter(|_| decision.verdict == Verdict::Ask) {
        Some(confirm) => ConfirmPrompt::of_tool(tool, confirm, parts),
        None => ConfirmPrompt::new(tool, reason, parts),
    }
    .storing(would_store)
}
