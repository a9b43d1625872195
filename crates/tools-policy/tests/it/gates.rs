//! The other gates in a stack: quota, utility, trust and anomaly.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::SignedDuration;
use proptest::prelude::*;
use serde_json::json;
use tools_core::{
    Approval, BatchId, CallContext, CallerId, Inspection, Layer, Outcome, Shared, Stack, ToolCall, ToolError,
    ToolErrorCategory, ToolTraits, TrustLevel, keys,
};
use tools_policy::adversarial::{AdversarialConfig, AdversarialGate, AdversarialPolicy};
use tools_policy::anomaly::{AnomalyConfig, AnomalyGate, AnomalyPolicy, ToolHealth};
use tools_policy::caller_quota::{
    AccountsError, CallerAccounts, CallerLimit, CallerQuotaConfig, CallerQuotaGate, ChargeResult, MemoryAccounts,
};
use tools_policy::gate::GateLayer;
use tools_policy::permissions::{PermissionGate, Permissions, SessionRules};
use tools_policy::quota::{Ledger, QuotaGate, QuotaPolicy};
use tools_policy::trust::{TrustConfig, TrustGate, TrustPolicy, effective, floor};
use tools_policy::utility::{History, UtilityConfig, UtilityGate};
use tools_secrets::SecretRedactor;
use tools_testkit::{Behaviour, FakeClock, FakeJudge, Ruling, ScriptedExecutor};

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
    Arc::new(GateLayer::new(
        PermissionGate::new(Arc::new(SessionRules::default())),
        Shared::new(Permissions::default()),
    ))
}

struct Quota {
    ledger: Arc<Ledger>,
    stack: Stack,
}

fn quota(calls: u64) -> Quota {
    let policy = Shared::new(QuotaPolicy::compile(Some(calls)));
    let ledger = Arc::new(Ledger::new(policy.clone()));
    let scripted = ScriptedExecutor::new().tool("t", ToolTraits::READ_ONLY, Behaviour::reply("done")).tool(
        "asks",
        ToolTraits::CAUTIOUS,
        Behaviour::reply("done"),
    );
    let stack = Stack::new(
        vec![Arc::new(GateLayer::new(QuotaGate::new(Arc::clone(&ledger)), policy)), permissions()],
        scripted,
    );
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

/// A quota of callers over accounts, in front of a tool that runs and one that asks.
fn caller_quota(accounts: Arc<dyn CallerAccounts>, section: &str) -> Stack {
    let config: CallerQuotaConfig = toml::from_str(section).unwrap();
    let gate = GateLayer::new(CallerQuotaGate::new(accounts), Shared::new(config.compile().unwrap()));
    let scripted = ScriptedExecutor::new().tool("t", ToolTraits::READ_ONLY, Behaviour::reply("done")).tool(
        "asks",
        ToolTraits::CAUTIOUS,
        Behaviour::reply("done"),
    );
    Stack::new(vec![Arc::new(gate), permissions()], scripted)
}

fn of(tool: &str, caller: &str) -> ToolCall {
    call(tool).with_caller(CallerId::parse(caller).unwrap())
}

#[tokio::test]
async fn a_caller_ends_at_its_quota_in_every_session_until_the_window_ends() {
    let clock = FakeClock::default();
    let accounts = Arc::new(MemoryAccounts::new(Arc::new(clock.clone())));
    let stack = caller_quota(accounts, "calls = 2\nwindow_s = 60\ncallers = { ci = 1, off = 0 }");
    let run = async |call: ToolCall| code(&stack.dispatch(call, &CallContext::new("/w")).await);
    // Each call has a session of its own, and what a caller calls for is its own.
    assert_eq!((run(of("t", "ann")).await, run(of("t", "ann/sub")).await), ("ok", "ok"));
    assert_eq!(run(of("t", "ann")).await, "caller_quota_blocked");
    assert_eq!(run(of("t", "bob")).await, "ok");
    assert_eq!((run(of("t", "ci")).await, run(of("t", "ci")).await), ("ok", "caller_quota_blocked"));
    assert_eq!(run(of("t", "off")).await, "caller_quota_blocked");
    assert_eq!(
        (run(call("t")).await, run(call("t")).await, run(call("t")).await),
        ("ok", "ok", "caller_quota_blocked")
    );
    clock.advance(SignedDuration::from_secs(60));
    assert_eq!(run(of("t", "ann")).await, "ok");
    // What a person agreed to is counted once, and their consent is for one call.
    let cx = CallContext::new("/w");
    let asked = of("asks", "bob");
    assert_eq!(code(&stack.dispatch(asked.clone(), &cx).await), "confirmation_required");
    for expected in ["ok", "ok", "caller_quota_blocked"] {
        assert_eq!(code(&stack.dispatch_confirmed(asked.clone(), approval(&asked), &cx).await), expected);
    }
}

/// Accounts that nobody reaches.
struct NoAccounts;

#[async_trait]
impl CallerAccounts for NoAccounts {
    async fn charge(&self, _: &str, _: CallerLimit) -> Result<ChargeResult, AccountsError> {
        Err(AccountsError("connection refused".into()))
    }

    fn used(&self, _: &str, _: CallerLimit) -> Option<u64> {
        None
    }
}

#[tokio::test]
async fn without_accounts_calls_are_refused_or_run_as_configured() {
    let check = async |section: &str, expected: &str| {
        let stack = caller_quota(Arc::new(NoAccounts), section);
        assert_eq!(code(&stack.dispatch(of("t", "ann"), &CallContext::new("/w")).await), expected, "{section}");
    };
    check("calls = 2", "caller_quota_unavailable").await;
    check("calls = 2\non_error = \"warn\"", "ok").await;
    check("callers = { bob = 1 }", "ok").await;
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
        Arc::new(GateLayer::new(TrustGate::new(health), Shared::new(policy.compile().unwrap()))),
        Arc::new(GateLayer::new(PermissionGate::new(Arc::new(SessionRules::default())), Shared::new(rules))),
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
    let policy: Shared<AnomalyPolicy> = Shared::new(AnomalyConfig::default().compile().unwrap());
    let health = Arc::new(ToolHealth::new(policy.clone(), Arc::clone(&clock) as Arc<dyn tools_core::Clock>));
    let broken = ToolError::new(ToolErrorCategory::ServerError, "broken", "m");
    let scripted = ScriptedExecutor::new().tool("broken", ToolTraits::READ_ONLY, Behaviour::Fail(broken)).tool(
        "fine",
        ToolTraits::READ_ONLY,
        Behaviour::reply("done"),
    );
    let layers: Vec<Arc<dyn Layer>> = vec![
        Arc::new(GateLayer::new(TrustGate::new(Arc::clone(&health)), Shared::new(TrustPolicy::default()))),
        Arc::new(GateLayer::new(AnomalyGate::new(Arc::clone(&health)), policy)),
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
    let gate: Arc<dyn Layer> = Arc::new(GateLayer::new(UtilityGate::new(Arc::new(History::default())), policy.clone()));
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

fn judged(config: &str, judge: Option<FakeJudge>) -> (Stack, ScriptedExecutor, Shared<AdversarialPolicy>) {
    let text = format!("enabled = true\npolicies = [\"Delete nothing.\"]\n{config}");
    let policy = toml::from_str::<AdversarialConfig>(&text).unwrap().compile().unwrap();
    let policy = Shared::new(policy);
    let judge = judge.map(|judge| Arc::new(judge) as Arc<dyn tools_core::Judge>);
    let gate: Arc<dyn Layer> = Arc::new(GateLayer::new(
        AdversarialGate::new(judge, SecretRedactor::default(), Arc::default()),
        policy.clone(),
    ));
    let scripted = ["t", "load_skill"].into_iter().fold(ScriptedExecutor::new(), |scripted, name| {
        scripted.tool(name, ToolTraits::EDIT, Behaviour::reply("done"))
    });
    (Stack::new(vec![gate], scripted.clone()), scripted, policy)
}

#[tokio::test(start_paused = true)]
async fn only_the_judges_one_word_lets_a_call_go_on() {
    let cx = CallContext::new("/w");
    let end = async |config: &str, judge: Option<FakeJudge>| {
        let (stack, _, _) = judged(config, judge);
        let recorded = stack.run(call("t"), None, &cx).await;
        let note = recorded.journal.value(keys::ADVERSARIAL_POLICY_DECISION).unwrap();
        (code(&recorded.outcome), note["decision"].as_str().unwrap().to_owned(), recorded.journal.warnings().len())
    };
    let answer = |text: &str| Some(FakeJudge::answering(text));
    let hangs = || Some(FakeJudge::new([Ruling::Hang]));
    let fails = || Some(FakeJudge::new([Ruling::Fail("offline".into())]));
    assert_eq!(end("", answer("ALLOW")).await, ("ok", "allow".into(), 0));
    assert_eq!(end("", answer("DENY: it deletes")).await, ("adversarial_denied", "deny".into(), 0));
    assert_eq!(end("", answer("ALLOW, because")).await, ("adversarial_denied", "unclear".into(), 0));
    assert_eq!(end("", hangs()).await, ("adversarial_denied", "error".into(), 0));
    assert_eq!(end("", fails()).await, ("adversarial_denied", "error".into(), 0));
    assert_eq!(end("", None).await, ("adversarial_denied", "error".into(), 0));
    // Only a missing answer can be let through, and a refusal only be turned into a warning.
    assert_eq!(end("fail_open = true", fails()).await, ("ok", "error".into(), 0));
    assert_eq!(end("fail_open = true", hangs()).await, ("ok", "error".into(), 0));
    assert_eq!(end("fail_open = true", answer("maybe")).await, ("adversarial_denied", "unclear".into(), 0));
    assert_eq!(end("block_on_reject = false", answer("DENY")).await, ("ok", "deny".into(), 1));
    assert_eq!(end("", answer("ASK: it sends mail")).await, ("adversarial_asks", "ask".into(), 0));
    assert_eq!(end("block_on_reject = false", answer("ASK")).await, ("ok", "ask".into(), 1));
}

#[tokio::test]
async fn a_person_who_agrees_to_what_the_judge_asks_about_lets_it_run() {
    let (stack, scripted, _) = judged("", Some(FakeJudge::answering("ASK: it sends mail")));
    let cx = CallContext::new("/w");
    let error = stack.dispatch(call("t"), &cx).await.unwrap_err();
    let prompt = error.prompt().unwrap();
    assert!(prompt.parts.iter().any(|part| part.subject.text().contains("it sends mail")), "{prompt:?}");
    assert!(scripted.ran().is_empty());
    let asked = call("t");
    let consent = approval(&asked);
    let recorded = stack.run(asked, Some(consent), &cx).await;
    assert_eq!((code(&recorded.outcome), scripted.ran().len()), ("ok", 1));
}

#[tokio::test]
async fn a_judge_reads_no_credential() {
    let judge = FakeJudge::answering("ALLOW");
    let (stack, _, _) = judged("", Some(judge.clone()));
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let params = json!({"command": format!("curl -H 'authorization: Bearer {token}' https://api.test")});
    stack.dispatch(ToolCall::new("t", params).unwrap(), &CallContext::new("/w")).await.unwrap();
    let material = &judge.asked()[0].material;
    assert!(!material.contains(&token) && material.contains("https://api.test"), "{material}");
}

#[tokio::test]
async fn a_judge_is_asked_once_about_a_call_it_allowed_and_again_under_other_policies() {
    let judge = FakeJudge::answering("ALLOW");
    let (stack, scripted, policy) = judged("", Some(judge.clone()));
    let cx = CallContext::new("/w");
    let run = async |params: serde_json::Value| {
        stack.dispatch(ToolCall::new("t", params).unwrap(), &cx).await.unwrap();
    };
    run(json!({"a": 1})).await;
    run(json!({"a": 1})).await;
    assert_eq!(judge.asked().len(), 1);
    run(json!({"a": 2})).await;
    assert_eq!(judge.asked().len(), 2);
    assert!(judge.asked()[1].instructions.contains("1. Delete nothing."));
    assert!(judge.asked()[1].material.contains("{\"a\":2}"));
    let other = "enabled = true\npolicies = [\"Read nothing.\"]";
    policy.store(toml::from_str::<AdversarialConfig>(other).unwrap().compile().unwrap());
    run(json!({"a": 1})).await;
    assert_eq!(judge.asked().len(), 3);
    // Exempt by the operator's list, and everything where nothing is configured.
    stack.dispatch(call("load_skill"), &cx).await.unwrap();
    policy.store(AdversarialPolicy::default());
    run(json!({"a": 3})).await;
    assert_eq!((judge.asked().len(), scripted.ran().len()), (3, 6));
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
