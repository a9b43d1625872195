//! What a connection has to pass: rules, a person's answer, the guard, and a budget.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::net::TcpStream;
use tools_core::{Locked as _, Verdict};

use super::asked::AnswerCache;
use super::keeper::{Caller, Keeper, Permit, UndecidedConnection};
use crate::dial::{DialError, Dialer, Tcp, dial};
use crate::guard::{Grant, Guard, Host};
use crate::request::Target;

/// Everything that decides about connections. One for all endpoints of a session.
pub struct Gate {
    guard: Guard,
    dialer: Arc<dyn Dialer>,
    keeper: Arc<dyn Keeper>,
    asked: AnswerCache,
    spent: Mutex<HashMap<Host, Arc<AtomicU64>>>,
}

/// What was decided about a connection: who said so, and whether it may lead to what is not public.
pub(super) struct ConnectionVerdict {
    pub(super) permit: Permit,
    grant: Option<Grant>,
}

impl Gate {
    /// A gate over a guard.
    pub fn new(guard: Guard, keeper: Arc<dyn Keeper>) -> Self {
        Self { guard, dialer: Arc::new(Tcp), keeper, asked: AnswerCache::default(), spent: Mutex::default() }
    }

    /// The same gate with another way to judged addresses.
    #[must_use]
    pub fn dialling(self, dialer: Arc<dyn Dialer>) -> Self {
        Self { dialer, ..self }
    }

    /// Forgets what a command asked.
    pub fn forget(&self, command: u64) {
        self.asked.forget(command);
    }

    pub(super) fn keeper(&self) -> &Arc<dyn Keeper> {
        &self.keeper
    }

    /// Rules first, then the host itself, then a person.
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

    /// A connection to an address that was judged.
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

    /// What has been sent to a host in this session.
    pub(super) fn spent_on(&self, host: &Host) -> ByteBudget {
        let mut spent = self.spent.locked();
        let all = Arc::clone(spent.entry(host.clone()).or_default());
        ByteBudget { all, most: self.keeper.most_sent().unwrap_or(u64::MAX) }
    }
}

/// The bytes that went to a host, and how many may.
#[derive(Clone)]
pub(super) struct ByteBudget {
    all: Arc<AtomicU64>,
    most: u64,
}

impl ByteBudget {
    /// One that is never used up.
    pub(super) fn unlimited() -> Self {
        Self { all: Arc::default(), most: u64::MAX }
    }

    /// Takes so many bytes of the budget; whether they are in it.
    pub(super) fn take(&self, count: u64) -> bool {
        let fits = |all: u64| all.checked_add(count).filter(|all| *all <= self.most);
        self.all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }
}
