//! The section `[tools.approvals]`: for how long an answer counts, and where it is kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{CallerId, Clock, StoredRule, SystemClock};

use super::{
    ApprovalSnapshot, ApprovalStore, FileApprovals, OnUnreadable, Scope, SessionRules, StoredApproval, TextDiff,
    script_texts,
};

/// The longest an approval can be made to last, in days: a hundred years.
const MAX_DAYS: u64 = 36_500;

/// Approvals that last longer than a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalsConfig {
    /// The file that stores approvals; a relative path starts in `haft` in the user's state folder.
    /// No tool can change it.
    pub path: PathBuf,
    /// Number of days for which an approval is valid. 0: without end.
    pub days: u64,
    /// The `postgres://` address of a server that stores approvals for several machines; needs a
    /// build with the feature `postgres`. Empty: the file in `tools.approvals.path`.
    pub database: String,
    /// Behaviour while the database cannot be reached. `"block"`: no stored approval counts, and a
    /// new answer counts for its call only. `"warn"`: approvals that were already read still count,
    /// and a new answer counts for its session. Rejections that were already read count in both
    /// cases.
    #[schemars(extend("x-overlay" = ["warn", "block"]))]
    pub on_error: OnApprovalsAway,
}

/// Treatment of stored approvals that cannot be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnApprovalsAway {
    /// None of them counts, and an answer is for its call alone.
    #[default]
    Block,
    /// Those that were read last count on, and an answer is for its session.
    Warn,
}

impl Default for ApprovalsConfig {
    fn default() -> Self {
        Self {
            path: PathBuf::from("approvals.jsonl"),
            days: 90,
            database: String::new(),
            on_error: OnApprovalsAway::default(),
        }
    }
}

impl ApprovalsConfig {
    /// The file, in the user's state folder.
    pub fn file(&self, state: &Path) -> PathBuf {
        state.join(&self.path)
    }

    /// The rules that people approve: those of `shared`, else of the file in the user's state
    /// folder. `diff` shows how a script changed.
    pub fn rules(&self, state: &Path, shared: Option<Arc<dyn ApprovalStore>>, diff: Option<TextDiff>) -> SessionRules {
        let (store, known) = if let Some(store) = shared {
            (store, ApprovalSnapshot::default())
        } else {
            let file = FileApprovals::at(self.file(state));
            let known = file.snapshot();
            (Arc::new(file) as _, known)
        };
        let difference = script_texts::script_difference(self.scripts(state), diff);
        SessionRules::over(store, known, Arc::new(SystemClock)).showing(difference)
    }

    /// The folder beside the file with the texts of approved scripts.
    pub fn scripts(&self, state: &Path) -> PathBuf {
        script_texts::folder(&self.file(state))
    }

    /// Treatment of unreachable approvals, in the type of the stores.
    pub fn on_unreadable(&self) -> OnUnreadable {
        match self.on_error {
            OnApprovalsAway::Block => OnUnreadable::Forget,
            OnApprovalsAway::Warn => OnUnreadable::Keep,
        }
    }

    /// The rejection of calls that a rule matches in a folder, by `caller`.
    pub fn reject_in_folder(&self, rule: StoredRule, folder: &Path, caller: Option<CallerId>) -> StoredApproval {
        let scope = Scope::Project { project: folder.to_owned() };
        StoredApproval { rejects: true, scripts: None, ..self.approve(rule, scope, caller) }
    }

    /// The approval of a rule under this configuration, by `caller`.
    pub fn approve(&self, rule: StoredRule, scope: Scope, caller: Option<CallerId>) -> StoredApproval {
        let at = SystemClock.now();
        let days = i64::try_from(self.days.min(MAX_DAYS)).unwrap_or_default();
        let expires = (days > 0).then(|| at.saturating_add(jiff::SignedDuration::from_hours(24 * days)).ok()).flatten();
        let StoredRule { tool, pattern, scripts } = rule;
        StoredApproval { scope, caller, tool, pattern, rejects: false, scripts, at, expires, revoked: false }
    }
}

#[cfg(test)]
mod tests {
    use tools_core::ToolName;

    use super::*;

    fn rule(pattern: &str) -> StoredRule {
        StoredRule::new(ToolName::parse("bash").expect("a name"), pattern.to_owned())
    }

    #[test]
    fn an_approval_ends_when_the_configuration_says() {
        let approve =
            |days| ApprovalsConfig { days, ..ApprovalsConfig::default() }.approve(rule("x"), Scope::User, None);
        assert_eq!(approve(0).expires, None);
        let approved = approve(2);
        let lasts = approved.expires.map(|expires| expires.duration_since(approved.at).as_hours());
        assert_eq!(lasts, Some(48));
        assert!(approve(u64::MAX).expires.is_some());
    }
}
