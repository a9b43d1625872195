//! Memory of the gates, and the parts that they share with their creator.

use std::{path::PathBuf, sync::Arc};

use tools_core::{Judge, SessionId, Shared, SystemClock};
use tools_secrets::SecretRedactor;

use crate::anomaly::{AnomalyPolicy, ToolHealth};
use crate::caller_quota::CallerAccounts;
use crate::grounding::SessionTexts;
use crate::permissions::{ApprovalsConfig, SessionRules};
use crate::quota::{Ledger, QuotaPolicy};
use crate::utility::History;

/// Input of gates beside their sections.
pub struct GateSettings {
    /// Rules that people approved.
    pub rules: SessionRules,
    /// Settings of how long they apply.
    pub approvals: ApprovalsConfig,
    /// The accounts of callers.
    pub callers: Arc<dyn CallerAccounts>,
    /// The model that judges calls; `None` where there is none.
    pub judge: Option<Arc<dyn Judge>>,
    /// Finder of credentials.
    pub secrets: SecretRedactor,
    /// Folder for requests to unblock a tool.
    pub resets: PathBuf,
}

/// Memory of gates.
pub struct GateState {
    /// Rules that people approved.
    pub rules: Arc<SessionRules>,
    /// Number of calls of each session, for the quota.
    pub ledger: Arc<Ledger>,
    /// Health of the tools.
    pub health: Arc<ToolHealth>,
    /// Texts of sessions.
    pub texts: Arc<SessionTexts>,
    /// The model that judges calls; `None` where there is none.
    pub judge: Option<Arc<dyn Judge>>,
    pub(super) approvals: ApprovalsConfig,
    pub(super) callers: Arc<dyn CallerAccounts>,
    pub(super) history: Arc<History>,
    pub(super) quota: Shared<QuotaPolicy>,
    pub(super) anomaly: Shared<AnomalyPolicy>,
    pub(super) secrets: SecretRedactor,
}

impl GateState {
    pub(super) fn new(settings: GateSettings) -> Self {
        let GateSettings { rules, approvals, callers, judge, secrets, resets } = settings;
        let (quota, anomaly) = (Shared::new(QuotaPolicy::default()), Shared::new(AnomalyPolicy::default()));
        let health = ToolHealth::new(anomaly.clone(), Arc::new(SystemClock)).with_reset_folder(resets);
        Self {
            rules: Arc::new(rules),
            ledger: Arc::new(Ledger::new(quota.clone())),
            health: Arc::new(health),
            texts: Arc::default(),
            judge,
            approvals,
            callers,
            history: Arc::default(),
            quota,
            anomaly,
            secrets,
        }
    }

    /// Forgets the usage and the texts of a session; its approvals stay.
    pub fn reset(&self, session: &SessionId) {
        self.ledger.reset(session);
        self.history.reset(session);
        self.texts.forget(session);
    }
}
