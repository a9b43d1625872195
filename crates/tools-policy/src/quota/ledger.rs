//! The accounts of all sessions.

use std::{collections::HashMap, sync::Mutex};

use tools_core::{CallContext, CallDigest, CallId, Locked as _, SessionId, Shared};

use super::config::QuotaPolicy;
use super::decide::{self, Account, Charge};

/// Usage of all sessions, kept in memory.
#[derive(Debug)]
pub struct Ledger {
    policy: Shared<QuotaPolicy>,
    accounts: Mutex<HashMap<SessionId, Account>>,
}

impl Ledger {
    /// Creates empty accounts under a quota that may be swapped.
    pub fn new(policy: Shared<QuotaPolicy>) -> Self {
        Self { policy, accounts: Mutex::default() }
    }

    /// Reserves a whole batch of calls for the session and batch of `cx`. If it does not fit, every
    /// call of the batch is refused.
    pub fn reserve(&self, cx: &CallContext, calls: u64) -> bool {
        let policy = self.policy.load();
        if policy.calls.is_none() {
            return true;
        }
        let mut accounts = self.accounts.locked();
        let account = accounts.entry(cx.session().clone()).or_default();
        decide::reserve(*policy, account, cx.batch(), calls) == Charge::Paid
    }

    /// The result that charging a call would have; charges nothing.
    pub(super) fn would_charge(&self, cx: &CallContext) -> Charge {
        let policy = self.policy.load();
        let mut account = self.accounts.locked().get(cx.session()).cloned().unwrap_or_default();
        decide::charge(*policy, &mut account, cx.batch())
    }

    /// Charges a call. A call that comes back approved was already paid for when the person was
    /// asked.
    pub(super) fn charge(&self, cx: &CallContext, consented: Option<(&CallId, CallDigest)>) -> Charge {
        let policy = self.policy.load();
        let mut accounts = self.accounts.locked();
        let account = accounts.entry(cx.session().clone()).or_default();
        if consented.is_some_and(|(id, digest)| account.recall(id, digest)) {
            return Charge::Paid;
        }
        decide::charge(*policy, account, cx.batch())
    }

    pub(super) fn remember(&self, session: &SessionId, id: CallId, digest: CallDigest) {
        self.accounts.locked().entry(session.clone()).or_default().remember(id, digest);
    }

    /// The number of calls of a session, and its limit.
    pub fn state(&self, session: &SessionId) -> (u64, Option<u64>) {
        let used = self.accounts.locked().get(session).map_or(0, Account::used);
        (used, self.policy.load().calls)
    }

    /// Forgets the usage of a session.
    pub fn reset(&self, session: &SessionId) {
        self.accounts.locked().remove(session);
    }
}
