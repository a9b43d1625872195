//! Checks that a connection has to pass: rules, a person's answer, the guard, and a budget.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::net::TcpStream;
use tools_core::{Locked as _, Verdict};

use super::answer_cache::AnswerCache;
use super::keeper::{Caller, Keeper, Permit, UndecidedConnection};
use crate::dial::{DialError, Dialer, Tcp, dial};
use crate::guard::{Grant, Guard, Host};
use crate::request::Target;

/// Decides about connections. One for all endpoints of a session.
pub struct Gate {
    guard: Guard,
    dialer: Arc<dyn Dialer>,
    keeper: Arc<dyn Keeper>,
    asked: AnswerCache,
    spent: Mutex<HashMap<Host, Arc<AtomicU64>>>,
}

/// Decision about a connection: who made it, and whether non-public addresses are permitted.
pub(super) struct ConnectionVerdict {
    pub(super) permit: Permit,
    grant: Option<Grant>,
}

impl Gate {
    /// A gate over a guard.
    pub fn new(guard: Guard, keeper: Arc<dyn Keeper>) -> Self {
        Self { guard, dialer: Arc::new(Tcp), keeper, asked: AnswerCache::default(), spent: Mutex::default() }
    }

    /// Uses another dialer.
    #[must_use]
    pub fn dialling(self, dialer: Arc<dyn Dialer>) -> Self {
        Self { dialer, ..self }
    }

    /// Forgets the answers for a command.
    pub fn forget(&self, command: u64) {
        self.asked.forget(command);
    }

    pub(super) fn keeper(&self) -> &Arc<dyn Keeper> {
        &self.keeper
    }

    /// Decides by the rules, then by the host itself, then by a person.
    pub(super) async fn decide(&self, target: &Target, caller: &Caller) -> ConnectionVerdict {
        let rules = self.keeper.rules();
        let rule = rules.about(&target.host, target.port, caller.program.as_deref());
        let refused = |by: String| ConnectionVerdict { permit: Permit::Refused { by }, grant: None };
        if let Some(rule) = rule.filter(|rule| rule.action() == Verdict::Deny) {
            return refused(rule.to_string());
        }
        let private = target.host.check().err();
        let grant = rule.and_then(|rule| rule.grant(target.port));
        if let Some(refusal) = private.filter(|_| grant.is_none()) {
            return refused(format!("{refusal}; a rule that names the host and its port allows it"));
        }
        if let Some(rule) = rule.filter(|rule| rule.action() == Verdict::Allow) {
            return ConnectionVerdict { permit: Permit::Allowed { by: rule.to_string() }, grant };
        }
        let rule = rule.map(ToString::to_string);
        let wanted = UndecidedConnection { target: target.clone(), caller: caller.clone(), rule };
        ConnectionVerdict { permit: self.asked.answer(self.keeper.as_ref(), &wanted).await, grant }
    }

    /// Connects to a vetted address.
    pub(super) async fn connect(
        &self,
        target: &Target,
        decided: &ConnectionVerdict,
    ) -> Result<(TcpStream, SocketAddr), DialError> {
        let vetted = match &decided.grant {
            Some(grant) => self.guard.vet_granted(grant).await?,
            None => self.guard.vet(&target.host, target.port).await?,
        };
        dial(self.dialer.as_ref(), &vetted).await
    }

    /// The budget of bytes sent to a host in this session.
    pub(super) fn spent_on(&self, host: &Host) -> ByteBudget {
        let mut spent = self.spent.locked();
        let all = Arc::clone(spent.entry(host.clone()).or_default());
        ByteBudget { all, most: self.keeper.most_sent().unwrap_or(u64::MAX) }
    }
}

/// Bytes sent to a host, and their limit.
#[derive(Clone)]
pub(super) struct ByteBudget {
    all: Arc<AtomicU64>,
    most: u64,
}

impl ByteBudget {
    /// A budget without limit.
    pub(super) fn unlimited() -> Self {
        Self { all: Arc::default(), most: u64::MAX }
    }

    /// Takes this many bytes from the budget; returns whether they fit.
    pub(super) fn take(&self, count: u64) -> bool {
        let fits = |all: u64| all.checked_add(count).filter(|all| *all <= self.most);
        self.all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }
}
