//! Settings that the proxies of all sessions share.

use std::sync::Arc;

use tools_audit::Audit;
use tools_core::{Redactor, Shared};
use tools_egress::rules::HostRules;
use tools_policy::permissions::{ApprovalsConfig, SessionRules};

/// The rules, limits and memories that the proxies of all sessions share.
pub struct EgressSettings {
    /// The rules on hosts ([`crate::host_rules`]).
    pub rules: Shared<HostRules>,
    /// Maximum number of bytes that a command sends to one host; `None` for no limit.
    pub most_sent: Shared<Option<u64>>,
    /// The answers of people, in sessions and beyond them.
    pub allowed: Arc<SessionRules>,
    /// The time that an answer for a folder counts.
    pub approvals: ApprovalsConfig,
    /// Takes credentials out of the command lines that questions show.
    pub redactor: Arc<dyn Redactor>,
    /// The record of connections; `None` where they are not recorded.
    pub record: Option<Arc<Audit>>,
}
