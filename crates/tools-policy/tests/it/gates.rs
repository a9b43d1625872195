//! The other gates in a stack: quota, utility, trust and anomaly.

use std::sync::Arc;

use jiff::SignedDuration;
use proptest::prelude::*;
use serde_json::json;
use tools_core::{
    Approval, BatchId, CallContext, CallerId, Inspection, Layer, Outcome, Shared, Stack, ToolCall, ToolError,
    ToolErrorCategory, ToolTraits, TrustLevel,
};
use tools_policy::{
    anomaly::{AnomalyConfig, AnomalyDetector, ToolHealth},
    permissions::{PermissionGate, Permissions, SessionRules},
    quota::{Ledger, QuotaGate, QuotaPolicy},
    trust::{TrustConfig, TrustGate, TrustPolicy, effective, floor},
    utility::{History, UtilityConfig, UtilityScorer},
};
use tools_testkit::{Behaviour, FakeClock, ScriptedExecutor};

use crate::decisions::tool;

fn call(name: &str) -> ToolCall {
    ToolCall::new(name, json!({})).unwrap()
}

fn code(outcome: &Outcome) -> &'static str {
    outcome.as_ref().map_or_else(ToolError::code, |_| "ok")
}

fn approval(call: &ToolCall) -> Approval {
    Approval::grant(call, CallerId::parse("ann").unwrap(), &FakeClock::default())
}

fn permissions() -> Arc<dyn Layer> {
    Arc::new(PermissionGate::new(Shared::new(Permissions::default()), Arc::new(SessionRules::default())))
}

struct Quota {
    ledger: Arc<Ledger>,
    stack: Stack,
}

fn quota(calls: u64) -> Quota {
    let ledger = Arc::new(Ledger::new(Shared::new(QuotaPolicy::compile(Some(calls)))));
    let scripted = ScriptedExecutor::new().tool("t", ToolTraits::READ_ONLY, Behaviour::reply("done")).tool(
        "asks",
        ToolTraits::CAUTIOUS,
        Behaviour::reply("done"),
    );
    let stack = Stack::new(vec![Arc::new(QuotaGate::new(Arc::clone(&ledger))), permissions()], scripted);
    Quota { ledger, stack }
}

#[tokio::test]
async fn a_session_ends_at_its_quota_and_another_does_not() {
    let Quota { ledger, stack } = quota(2);
    let cx = CallContext::new("/w");
    let mut codes = vec![];
    for _ in 0..3 {
        codes.push(code(&stack.dispatch(call("t"), &cx).await));
    }
    assert_eq!(codes, ["ok", "ok", "quota_blocked"]);
    assert_eq!(code(&stack.dispatch(call("t"), &CallContext::new("/w")).await), "ok");
    ledger.reset(cx.session());
    assert_eq!(code(&stack.dispatch(call("t"), &cx).await), "ok");
}

#[tokio::test]
async fn of_a_batch_that_does_not_fit_nothing_runs() {
    let Quota { ledger, stack } = quota(50);
    let cx = CallContext::new("/w");
    for _ in 0..49 {
        assert_eq!(code(&stack.dispatch(call("t"), &cx).await), "ok");
    }
    let batch = cx.clone().in_batch(BatchId::generate());
    assert!(!ledger.reserve(&batch, 10));
    for _ in 0..10 {
        assert_eq!(code(&stack.dispatch(call("t"), &batch).await), "quota_blocked");
    }
    let small = cx.in_batch(BatchId::generate());
    assert!(ledger.reserve(&small, 1));
    assert_eq!(code(&stack.dispatch(call("t"), &small).await), "ok");
}

#[tokio::test]
async fn a_call_that_a_person_agreed_to_is_counted_once() {
    let Quota { stack, .. } = quota(2);
    let cx = CallContext::new("/w");
    let asked = call("asks");
    assert_eq!(code(&stack.dispatch(asked.clone(), &cx).await), "confirmation_required");
    let consent = approval(&asked);
    assert_eq!(code(&stack.dispatch_confirmed(asked.clone(), consent, &cx).await), "ok");
    // The consent was for one call: the same again is another.
    let consent = approval(&asked);
    assert_eq!(code(&stack.dispatch_confirmed(asked.clone(), consent, &cx).await), "ok");
    let consent = approval(&asked);
    assert_eq!(code(&stack.dispatch_confirmed(asked, consent, &cx).await), "quota_blocked");
}

#[tokio::test]
async fn trust_sinks_to_the_lowest_level_and_the_permissions_see_it() {
    let policy: TrustConfig =
        toml::from_str("callers = { web = \"provisional\" }\ntools = { risky = \"untrusted\" }").unwrap();
    let health = Arc::new(ToolHealth::new(Shared::new(AnomalyConfig::default().compile().unwrap()), clock()));
    let scripted = ["edit", "look", "risky"].into_iter().fold(ScriptedExecutor::new(), |scripted, name| {
        let traits = if name == "look" { ToolTraits::READ_ONLY } else { ToolTraits::EDIT };
        scripted.tool(name, traits, Behaviour::reply("done"))
    });
    let rules = r#"
        edit = [{ pattern = "*", action = "allow" }]
        look = [{ pattern = "*", action = "allow" }]
        risky = [{ pattern = "*", action = "allow" }]
    "#;
    let rules = crate::decisions::permissions(rules);
    let layers: Vec<Arc<dyn Layer>> = vec![
        Arc::new(TrustGate::new(Shared::new(policy.compile().unwrap()), health)),
        Arc::new(PermissionGate::new(Shared::new(rules), Arc::new(SessionRules::default()))),
    ];
    let stack = Stack::new(layers, scripted);
    let run = async |name: &str, caller: Option<&str>, level: TrustLevel| {
        let mut call = call(name);
        if let Some(caller) = caller {
            call = call.with_caller(CallerId::parse(caller).unwrap());
        }
        code(&stack.dispatch(call, &CallContext::new("/w").capped(level)).await)
    };
    assert_eq!(run("edit", None, TrustLevel::Trusted).await, "ok");
    assert_eq!(run("edit", Some("web/1"), TrustLevel::Trusted).await, "confirmation_required");
    assert_eq!(run("look", Some("web/1"), TrustLevel::Trusted).await, "ok");
    assert_eq!(run("look", None, TrustLevel::Untrusted).await, "confirmation_required");
    assert_eq!(run("edit", None, TrustLevel::Untrusted).await, "trust_blocked");
    assert_eq!(run("risky", None, TrustLevel::Trusted).await, "trust_blocked");
    assert_eq!(run("unknown", None, TrustLevel::Untrusted).await, "tool_not_found");
}

fn clock() -> Arc<FakeClock> {
    Arc::new(FakeClock::default())
}

#[tokio::test]
async fn a_tool_that_keeps_failing_is_blocked_and_comes_back() {
    let clock = clock();
    let health = Arc::new(ToolHealth::new(
        Shared::new(AnomalyConfig::default().compile().unwrap()),
        Arc::clone(&clock) as Arc<dyn tools_core::Clock>,
    ));
    let broken = ToolError::new(ToolErrorCategory::ServerError, "broken", "m");
    let scripted = ScriptedExecutor::new().tool("broken", ToolTraits::READ_ONLY, Behaviour::Fail(broken)).tool(
        "fine",
        ToolTraits::READ_ONLY,
        Behaviour::reply("done"),
    );
    let layers: Vec<Arc<dyn Layer>> = vec![
        Arc::new(TrustGate::new(Shared::new(TrustPolicy::default()), Arc::clone(&health))),
        Arc::new(AnomalyDetector::new(Arc::clone(&health))),
    ];
    let stack = Stack::new(layers, scripted);
    let cx = CallContext::new("/w");
    for number in 0..10 {
        let recorded = stack.run(call("broken"), None, &cx).await;
        assert_eq!(code(&recorded.outcome), "broken");
        assert_eq!(recorded.journal.warnings().len(), usize::from(number == 9), "call {number}");
    }
    let outcome = stack.dispatch(call("broken"), &cx).await;
    assert_eq!(code(&outcome), "trust_blocked");
    assert_eq!(outcome.unwrap_err().to_string(), "`broken` is auto-blocked after 10/10 failures; `trust reset`");
    assert_eq!(code(&stack.dispatch(call("fine"), &cx).await), "ok");
    clock.advance(SignedDuration::from_mins(10));
    // One may try, and starts the block anew.
    assert_eq!(code(&stack.dispatch(call("broken"), &cx).await), "broken");
    assert_eq!(code(&stack.dispatch(call("broken"), &cx).await), "trust_blocked");
    health.reset("broken");
    assert_eq!(code(&stack.dispatch(call("broken"), &cx).await), "broken");
}

#[tokio::test]
async fn a_call_that_is_not_worth_making_says_so() {
    let config = UtilityConfig { enabled: true, threshold: 0.8, ..UtilityConfig::default() };
    let policy = Shared::new(config.compile().unwrap());
    let scripted = ScriptedExecutor::new().inspected(
        "look",
        ToolTraits::READ_ONLY,
        Behaviour::reply("the same words every time"),
        Ok(Inspection::read_only()),
    );
    let gate: Arc<dyn Layer> = Arc::new(UtilityScorer::new(policy.clone(), Arc::new(History::default())));
    let stack = Stack::new(vec![gate], scripted.clone());
    let cx = CallContext::new("/w");
    assert_eq!(code(&stack.dispatch(call("look"), &cx).await), "ok");
    let outcome = stack.dispatch(call("look"), &cx).await;
    assert_eq!(code(&outcome), "utility_skipped");
    let message = outcome.unwrap_err().to_string();
    assert!(message.starts_with("not_executed: low utility (0.") && message.ends_with(" < 0.80)"), "{message}");
    assert_eq!(code(&stack.dispatch(call("look"), &cx.clone().requested_by_user()).await), "ok");
    policy.store(UtilityConfig::default().compile().unwrap());
    assert_eq!(code(&stack.dispatch(call("look"), &cx).await), "ok");
    assert_eq!(scripted.ran().len(), 3);
}

const LEVELS: [TrustLevel; 3] = [TrustLevel::Untrusted, TrustLevel::Provisional, TrustLevel::Trusted];

proptest! {
    #[test]
    fn a_lower_level_anywhere_never_loosens(
        levels in prop::array::uniform4(0_usize..3), lower in prop::array::uniform4(0_usize..3),
        traits in prop::sample::select(vec![ToolTraits::READ_ONLY, ToolTraits::EDIT, ToolTraits::FETCH, ToolTraits::CAUTIOUS]),
    ) {
        let verdict = |levels: [usize; 4]| {
            let [context, level, caller, of_tool] = levels.map(|index| LEVELS[index]);
            let config = TrustConfig {
                level,
                callers: [("c".to_owned(), caller)].into(),
                tools: [("t".to_owned(), of_tool)].into(),
            };
            let caller = CallerId::parse("c/d").unwrap();
            floor(effective(&config.compile().unwrap(), context, Some(&caller), "t"), &tool("t", traits))
        };
        let lowered: [usize; 4] = std::array::from_fn(|index| levels[index].min(lower[index]));
        prop_assert!(verdict(lowered) >= verdict(levels));
    }
}
