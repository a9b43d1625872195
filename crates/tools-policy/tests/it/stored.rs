//! Approvals of a store that others write, too: read before calls are judged, and what counts while
//! it cannot be read.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use tools_core::{
    CallContext, Clock as _, Outcome, Shared, Stack, StoredRule, ToolCall, ToolError, ToolName, ToolTraits,
};
use tools_policy::gate::GateLayer;
use tools_policy::permissions::{
    ApprovalSnapshot, ApprovalStore, ApprovalsError, OnUnreadable, PermissionGate, Permissions, Scope, SessionRules,
    StoredApproval, StoredRules, read_approvals,
};
use tools_testkit::{Behaviour, FakeClock, ScriptedExecutor};

/// MemoryStore in memory, which fail when they are told to.
struct MemoryStore {
    lines: Mutex<Vec<String>>,
    fails: AtomicBool,
    reads: AtomicUsize,
    on_error: OnUnreadable,
}

impl MemoryStore {
    fn new(on_error: OnUnreadable) -> Arc<Self> {
        let (lines, fails, reads) = (Mutex::default(), AtomicBool::default(), AtomicUsize::default());
        Arc::new(Self { lines, fails, reads, on_error })
    }

    /// What another process does.
    fn append(&self, approval: &StoredApproval) {
        self.lines.lock().unwrap().push(approval.to_line().unwrap());
    }

    fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl ApprovalStore for MemoryStore {
    async fn read(&self) -> Result<ApprovalSnapshot, ApprovalsError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        if self.fails.load(Ordering::SeqCst) {
            return Err(ApprovalsError("it is away".into()));
        }
        let lines = self.lines.lock().unwrap();
        let (standing, _) = read_approvals(lines.concat().as_bytes());
        Ok(ApprovalSnapshot { number: lines.len() as u64, rules: StoredRules::compile(standing) })
    }

    async fn add(&self, line: &StoredApproval) -> Result<(), ApprovalsError> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(ApprovalsError("it is away".into()));
        }
        self.append(line);
        Ok(())
    }

    fn max_age(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn on_error(&self) -> OnUnreadable {
        self.on_error
    }
}

fn about(tool: &str, rejects: bool) -> StoredApproval {
    StoredApproval {
        scope: Scope::User,
        caller: None,
        tool: ToolName::parse(tool).unwrap(),
        pattern: "*".to_owned(),
        rejects,
        scripts: None,
        at: Timestamp::UNIX_EPOCH,
        expires: None,
        revoked: false,
    }
}

/// A tool that asks and one that runs, behind the rules of a store.
struct Judged {
    stack: Stack,
    rules: Arc<SessionRules>,
    clock: FakeClock,
    cx: CallContext,
}

impl Judged {
    fn by(store: &Arc<MemoryStore>) -> Self {
        let clock = FakeClock::default();
        let store = Arc::clone(store) as Arc<dyn ApprovalStore>;
        let rules = SessionRules::over(store, ApprovalSnapshot::default(), Arc::new(clock.clone()));
        let rules = Arc::new(rules);
        let gate = GateLayer::new(PermissionGate::new(Arc::clone(&rules)), Shared::new(Permissions::default()));
        let scripted = ScriptedExecutor::new().tool("asks", ToolTraits::CAUTIOUS, Behaviour::reply("done")).tool(
            "runs",
            ToolTraits { read_only: true, open_world: false, ..ToolTraits::CAUTIOUS },
            Behaviour::reply("done"),
        );
        Self { stack: Stack::new(vec![Arc::new(gate)], scripted), rules, clock, cx: CallContext::new("/w") }
    }

    async fn call(&self, tool: &str) -> &'static str {
        let outcome: Outcome = self.stack.dispatch(ToolCall::new(tool, json!({})).unwrap(), &self.cx).await;
        outcome.as_ref().map_or_else(ToolError::code, |_| "ok")
    }
}

#[tokio::test]
async fn what_another_process_stores_and_revokes_counts_for_the_next_call() {
    let store = MemoryStore::new(OnUnreadable::Forget);
    let judged = Judged::by(&store);
    assert_eq!(judged.call("asks").await, "confirmation_required");
    store.append(&about("asks", false));
    assert_eq!(judged.call("asks").await, "ok");
    store.append(&StoredApproval { revoked: true, ..about("asks", false) });
    assert_eq!(judged.call("asks").await, "confirmation_required");
    store.append(&StoredApproval { expires: Some(judged.clock.now()), ..about("asks", false) });
    assert_eq!(judged.call("asks").await, "confirmation_required", "it has ended");
    store.append(&about("asks", true));
    assert_eq!(judged.call("asks").await, "permission_denied");
}

#[tokio::test]
async fn a_call_about_which_nothing_is_stored_reads_the_store_no_more_often_than_its_age_says() {
    let store = MemoryStore::new(OnUnreadable::Forget);
    let judged = Judged::by(&store);
    for _ in 0..100 {
        assert_eq!(judged.call("runs").await, "ok");
    }
    assert_eq!(store.reads(), 1);
    store.append(&about("runs", true));
    judged.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(judged.call("runs").await, "permission_denied");
}

#[tokio::test]
async fn while_the_store_is_away_approvals_count_as_configured_and_rejections_in_any_case() {
    for (on_error, expected) in [(OnUnreadable::Forget, "confirmation_required"), (OnUnreadable::Keep, "ok")] {
        let store = MemoryStore::new(on_error);
        let judged = Judged::by(&store);
        store.append(&about("asks", false));
        store.append(&about("runs", true));
        assert_eq!((judged.call("asks").await, judged.call("runs").await), ("ok", "permission_denied"));
        store.fails.store(true, Ordering::SeqCst);
        assert_eq!((judged.call("asks").await, judged.call("runs").await), (expected, "permission_denied"));
        let added = judged.rules.store(about("asks", true)).await;
        assert!(added.is_err_and(|error| error.to_string().contains("it is away")));
        store.fails.store(false, Ordering::SeqCst);
        assert_eq!(judged.call("asks").await, "ok", "it is there again, and nothing was added");
    }
}

#[tokio::test]
async fn a_rule_that_nobody_could_read_again_is_not_stored() {
    let store = MemoryStore::new(OnUnreadable::Keep);
    let judged = Judged::by(&store);
    assert!(
        judged.rules.store(StoredApproval { pattern: "[broken".to_owned(), ..about("asks", false) }).await.is_err()
    );
    assert!(store.lines.lock().unwrap().is_empty());
    let none = SessionRules::default();
    assert!(none.store(about("asks", false)).await.is_err(), "nothing outlives a session here");
    none.add(judged.cx.session(), StoredRule::new(ToolName::parse("asks").unwrap(), "*")).unwrap();
    assert_eq!(none.of(judged.cx.session()).rules().count(), 1);
}
