//! The gate: charges a call to the account of its caller, or refuses it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tools_core::{
    CallDigest, CallId, Invocation, KeyFault, Locked as _, Outcome, SessionId, ToolError, ToolErrorCategory,
};

use super::accounts::{CallerAccounts, ChargeResult};
use super::config::{CallerLimit, CallerQuotaConfig, CallerQuotaPolicy, OnUnavailable};
use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, Ruling};

/// The account of calls that name no caller.
const NO_CALLER: &str = "local";
/// Maximum number of remembered questions to people; each is a call that waits for an answer.
const MAX_ASKED: usize = 1000;

/// A call that was paid for and waits for a person.
type PaidCall = (SessionId, CallId, CallDigest);

/// Holds a caller to its quota of calls.
pub struct CallerQuotaGate {
    accounts: Arc<dyn CallerAccounts>,
    asked: Mutex<VecDeque<PaidCall>>,
}

impl CallerQuotaGate {
    /// Creates a gate over accounts.
    pub fn new(accounts: Arc<dyn CallerAccounts>) -> Self {
        Self { accounts, asked: Mutex::default() }
    }

    /// Removes a call from those that wait for a person; false if it did not wait.
    fn recall(&self, inv: &Invocation) -> bool {
        let mut asked = self.asked.locked();
        let key = key(inv);
        let position = asked.iter().position(|asked| *asked == key);
        position.and_then(|position| asked.remove(position)).is_some()
    }
}

impl Gate for CallerQuotaGate {
    type Config = CallerQuotaConfig;
    type Policy = CallerQuotaPolicy;
    type Held = ();

    const ABOUT: GateInfo = GateInfo {
        name: "caller_quota",
        sections: &["tools.caller_quota"],
        applies: Applies::Reload,
        position: GatePosition::BeforeCall,
        refuses_with: &["policy_blocked/caller_quota_blocked", "policy_blocked/caller_quota_unavailable"],
        why_here: "inside the session's quota, which is cheaper to check: calls that it refuses cost the caller nothing",
    };

    fn compile(config: &Self::Config, _: &CompileContext<'_>) -> Result<CallerQuotaPolicy, KeyFault> {
        config.compile()
    }

    fn decide(&self, policy: &Arc<CallerQuotaPolicy>, inv: &Invocation) -> Ruling {
        let account = account(inv);
        match policy.of(account) {
            Some(limit) if self.accounts.used(account, limit).unwrap_or(0) >= limit.calls => used_up(inv, limit),
            _ => Ruling::none(),
        }
    }

    async fn settle(
        &self,
        policy: &Arc<CallerQuotaPolicy>,
        _: Ruling,
        inv: &Invocation,
        is_confirmed: bool,
    ) -> (Ruling, ()) {
        let account = account(inv);
        let Some(limit) = policy.of(account) else { return (Ruling::none(), ()) };
        if is_confirmed && self.recall(inv) {
            return (Ruling::none(), ());
        }
        // A limit of zero needs no account.
        let charged =
            if limit.calls == 0 { Ok(ChargeResult::UsedUp) } else { self.accounts.charge(account, limit).await };
        let ruling = match (charged, policy.on_error()) {
            (Ok(ChargeResult::Paid), _) => Ruling::none(),
            (Ok(ChargeResult::UsedUp), _) => used_up(inv, limit),
            (Err(error), OnUnavailable::Warn) => {
                tracing::warn!(%error, call = %inv.call.id, "a call is not counted");
                inv.context.journal().warn("this call is not counted against the quota of its caller");
                Ruling::none()
            }
            (Err(error), OnUnavailable::Block) => {
                tracing::error!(%error, call = %inv.call.id, "a call cannot be counted");
                unavailable(inv, error)
            }
        };
        (ruling, ())
    }

    fn ended(&self, policy: &Arc<CallerQuotaPolicy>, (): (), inv: &Invocation, is_confirmed: bool, outcome: &Outcome) {
        let is_asked = |error: &ToolError| error.category() == ToolErrorCategory::ConfirmationRequired;
        if policy.of(account(inv)).is_some() && !is_confirmed && outcome.as_ref().is_err_and(is_asked) {
            let mut asked = self.asked.locked();
            if asked.len() >= MAX_ASKED {
                asked.pop_front();
            }
            asked.push_back(key(inv));
        }
    }
}

fn key(inv: &Invocation) -> PaidCall {
    (inv.context.session().clone(), inv.call.id.clone(), inv.call.digest())
}

/// The account of a call: that of the outermost caller.
fn account(inv: &Invocation) -> &str {
    let caller = inv.call.caller_id.as_ref().map_or(NO_CALLER, |caller| caller.as_str());
    caller.split_once('/').map_or(caller, |(outermost, _)| outermost)
}

fn used_up(inv: &Invocation, limit: CallerLimit) -> Ruling {
    let CallerLimit { calls, window_s } = limit;
    let message = format!(
        "`{}` was not run: the {calls} calls that this caller may make within {window_s} seconds are used",
        inv.call.tool
    );
    let error = ToolError::new(ToolErrorCategory::PolicyBlocked, "caller_quota_blocked", message)
        .with_suggestion("Make no further calls; tell the user what is done and what is left.");
    Ruling::deny("tools.caller_quota", error)
}

fn unavailable(inv: &Invocation, source: super::AccountsError) -> Ruling {
    let message = format!("`{}` was not run: the quota of its caller cannot be checked", inv.call.tool);
    let error = ToolError::new(ToolErrorCategory::PolicyBlocked, "caller_quota_unavailable", message)
        .with_suggestion("Tell the user that the database of quotas cannot be reached.")
        .with_source(source);
    Ruling::deny("tools.caller_quota.on_error", error)
}

tools_core::partial_debug!(CallerQuotaGate {});
