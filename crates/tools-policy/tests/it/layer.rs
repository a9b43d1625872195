//! The gate in a stack: what it refuses, what it notes, what it asks.

use std::sync::Arc;

use serde_json::json;
use tools_core::{
    Access, Approval, CallContext, CallerId, ConfirmReason, Inspection, Layer, Outcome, Shared, Stack, StoredRule,
    Subject, ToolCall, ToolErrorCategory, ToolName, ToolTraits, TrustLevel, Verdict, WebUrl, keys,
};
use tools_policy::gate::GateLayer;
use tools_policy::permissions::{PermissionGate, SessionRules};
use tools_testkit::{Behaviour, FakeClock, ScriptedExecutor};

use crate::decisions::{line, permissions};

struct House {
    stack: Stack,
    scripted: ScriptedExecutor,
    sessions: Arc<SessionRules>,
}

fn house(rules: &str, tool: &str, inspection: Inspection) -> House {
    let sessions = Arc::new(SessionRules::default());
    let gate: Arc<dyn Layer> =
        Arc::new(GateLayer::new(PermissionGate::new(sessions.clone()), Shared::new(permissions(rules))));
    let scripted =
        ScriptedExecutor::new().inspected(tool, ToolTraits::CAUTIOUS, Behaviour::reply("done"), Ok(inspection));
    House { stack: Stack::new(vec![gate], scripted.clone()), scripted, sessions }
}

fn call(tool: &str) -> ToolCall {
    ToolCall::new(tool, json!({})).unwrap()
}

fn cx() -> CallContext {
    CallContext::new("/w")
}

fn refusal(outcome: &Outcome) -> (ToolErrorCategory, &'static str) {
    let error = outcome.as_ref().unwrap_err();
    (error.category(), error.code())
}

const RULES: &str = r#"bash = [{ pattern = "rm *", action = "deny" }, { pattern = "cargo *", action = "allow" }]"#;

#[tokio::test]
async fn what_is_allowed_runs_and_says_by_which_rule() {
    let house = house(RULES, "bash", line("cargo test"));
    let recorded = house.stack.run(call("bash"), None, &cx()).await;
    assert_eq!(recorded.outcome.unwrap().summary, "done");
    assert_eq!(recorded.journal.verdict(), Some(Verdict::Allow));
    assert_eq!(recorded.journal.value(keys::APPROVED_BY), Some("rule".into()));
    assert_eq!(recorded.journal.value(keys::POLICY_MATCH), Some(r#"permissions.bash[1] "cargo *""#.into()));
}

#[tokio::test]
async fn what_asks_runs_once_a_person_agreed() {
    let house = house(RULES, "bash", line("make x"));
    let asked = call("bash");
    let outcome = house.stack.dispatch(asked.clone(), &cx()).await;
    assert_eq!(refusal(&outcome), (ToolErrorCategory::ConfirmationRequired, "confirmation_required"));
    assert_eq!(house.scripted.ran(), []);
    let approval = Approval::grant(&asked, CallerId::parse("ann").unwrap(), &FakeClock::default());
    let recorded = house.stack.run(asked, Some(approval), &cx()).await;
    assert!(recorded.outcome.is_ok());
    assert_eq!(recorded.journal.value(keys::APPROVED_BY), Some("person".into()));
    assert_eq!(house.scripted.ran().len(), 1);
}

#[tokio::test]
async fn what_is_denied_stays_denied_whoever_agrees() {
    let house = house(RULES, "bash", line("cargo test; rm x"));
    let denied = call("bash");
    let approval = Approval::grant(&denied, CallerId::parse("ann").unwrap(), &FakeClock::default());
    for approval in [None, Some(approval)] {
        let recorded = house.stack.run(denied.clone(), approval, &cx()).await;
        assert_eq!(refusal(&recorded.outcome), (ToolErrorCategory::PolicyBlocked, "permission_denied"));
        let message = recorded.outcome.unwrap_err().to_string();
        assert!(message.contains("`rm x`") && !message.contains("permissions.bash"), "{message}");
        assert_eq!(recorded.journal.value(keys::APPROVED_BY), None);
    }
    assert_eq!(house.scripted.ran(), []);
}

#[tokio::test]
async fn the_trust_of_the_context_counts() {
    let house = house(RULES, "bash", line("cargo test"));
    let outcome = house.stack.dispatch(call("bash"), &cx().capped(TrustLevel::Untrusted)).await;
    assert_eq!(refusal(&outcome), (ToolErrorCategory::PolicyBlocked, "permission_denied"));
}

#[tokio::test]
async fn an_answer_for_the_session_is_remembered_in_it_only() {
    let house = house(RULES, "bash", line("git commit -m x"));
    let cx = cx();
    let error = house.stack.dispatch(call("bash"), &cx).await.unwrap_err();
    let rule = error.prompt().unwrap().would_store.clone().unwrap();
    house.sessions.add(cx.session(), rule).unwrap();
    assert!(house.stack.dispatch(call("bash"), &cx).await.is_ok());
    assert!(house.stack.dispatch(call("bash"), &CallContext::new("/w")).await.is_err());
}

#[tokio::test]
async fn the_question_shows_every_part_and_what_an_answer_would_store() {
    let prompt = async |tool: &str, inspection: Inspection| {
        let error = house(RULES, tool, inspection).stack.dispatch(call(tool), &cx()).await.unwrap_err();
        error.prompt().unwrap().clone()
    };
    let shown = prompt("bash", line("cargo build; rmdir target/old")).await;
    let parts: Vec<_> =
        shown.parts.iter().map(|part| (part.subject.text(), part.verdict, part.rule.as_str())).collect();
    assert_eq!(
        parts,
        [
            ("rmdir target/old".to_owned(), Verdict::Ask, "no rule of permissions.bash matches"),
            ("cargo build; rmdir target/old".to_owned(), Verdict::Allow, "covered by the rules for its parts"),
            ("cargo build".to_owned(), Verdict::Allow, r#"permissions.bash[1] "cargo *""#),
        ]
    );
    assert_eq!(shown.reason, "no rule of permissions.bash matches");

    let stored = async |tool: &str, inspection: Inspection| {
        prompt(tool, inspection).await.would_store.map(|StoredRule { pattern, .. }| pattern)
    };
    let check = async |tool: &str, inspection: Inspection, expected: Option<&str>| {
        let found = stored(tool, inspection.clone()).await;
        assert_eq!(found.as_deref(), expected, "{inspection:?}");
    };
    let write = |path: &str| Subject::path(path, Access::Write);
    check("bash", line("git commit -m x"), Some("git commit *")).await;
    check("bash", line("git commit"), Some("git commit")).await;
    check("bash", line("git push x"), Some("git push x")).await;
    check("bash", line("python *.py [x]"), Some(r"python \*.py \[x\]")).await;
    check("bash", line("make a; make b"), Some("make a; make b")).await;
    check("bash", line("x=1 git log -1"), Some("x=1 git log -1")).await;
    let made = |path: &str| line("cargo doc").touching(write(path));
    check("bash", made("/w/gen/a b.rs"), Some("> ./gen/a b.rs")).await;
    check("bash", made("/srv/x"), Some("> /srv/x")).await;
    check("bash", line("make").touching(Subject::Opaque { why: "eval".into() }), None).await;
    let wish = || ConfirmReason::new("removes files", "r");
    check("bash", line("make *").confirming(wish()), Some(r"make \*")).await;
    check("bash", line("make a; make b").confirming(wish()), Some("make a; make b")).await;
    check("bash", line("make").touching(Subject::Opaque { why: "eval".into() }).confirming(wish()), None).await;
    check("write", Inspection::mutating().touching(write("/w/a/b*.rs")), Some(r"./a/b\*.rs")).await;
    check("write", Inspection::mutating().touching(write("/etc/x")), Some("/etc/x")).await;
    check("write", Inspection::mutating().touching(write("/w/a")).touching(write("/w/b")), None).await;
    let url = Subject::Url { url: WebUrl::from_parts("https", "docs.rs", Some(8443), "/a") };
    check("fetch", Inspection::read_only().touching(url), Some("https://docs.rs:8443/*")).await;
    check("other", Inspection::default(), Some("*")).await;
}

#[tokio::test]
async fn only_a_rule_that_names_the_command_answers_what_the_tool_asks_for() {
    let wish = || ConfirmReason::new("removes files", "r");
    let check = async |rules: &str, approved: &[&str], text: &str, expected: &str| {
        let house = house(rules, "bash", line(text).confirming(wish()));
        let cx = cx();
        for pattern in approved {
            let rule = StoredRule::new(ToolName::parse("bash").unwrap(), (*pattern).to_owned());
            house.sessions.add(cx.session(), rule).unwrap();
        }
        let outcome = house.stack.dispatch(call("bash"), &cx).await;
        let code = outcome.as_ref().map_or_else(tools_core::ToolError::code, |_| "ok");
        assert_eq!(code, expected, "{rules} {approved:?}: {text}");
    };
    let asks = "confirmation_required";
    let allow = |pattern: &str| format!("bash = [{{ pattern = '{pattern}', action = \"allow\" }}]");
    check("", &[], "rm x", asks).await;
    check(&allow("rm x"), &[], "rm x", "ok").await;
    check(&allow("rm x"), &[], "rm  x", "ok").await;
    check(&allow("rm x"), &[], "CI=1 rm x", asks).await;
    check(&allow("rm x"), &[], "rm y", asks).await;
    check(&allow("rm x"), &[], "rm X", asks).await;
    check(&allow("rm *"), &[], "rm x", asks).await;
    check(&allow("*"), &[], "rm x", asks).await;
    check(&allow("rm ?"), &[], "rm x", asks).await;
    check(&allow(r"rm \*"), &[], "rm *", "ok").await;
    // Of a line each command has to be named, or the line itself.
    check(&allow("rm x"), &[], "rm x; rm y", asks).await;
    check(&allow("rm x"), &[], "cd sub; rm x", asks).await;
    check(&allow("rm x; rm y"), &[], "rm x; rm y", "ok").await;
    check(&allow("rm x; rm y"), &[], "rm y; rm x", asks).await;
    // Also behind a wider rule, never behind one that asks or denies.
    let rules = |list: &[(&str, &str)]| {
        let rules = list.iter().map(|(pattern, action)| format!("{{ pattern = '{pattern}', action = '{action}' }}"));
        format!("bash = [{}]", rules.collect::<Vec<_>>().join(", "))
    };
    check(&rules(&[("rm *", "allow"), ("rm x", "allow")]), &[], "rm x", "ok").await;
    check(&rules(&[("rm *", "ask"), ("rm x", "allow")]), &[], "rm x", asks).await;
    check(&rules(&[("rm *", "deny"), ("rm x", "allow")]), &[], "rm x", "permission_denied").await;
    check("", &["rm x"], "rm x", "ok").await;
    check("", &["rm *"], "rm x", asks).await;
    check("", &["rm x", "rm y"], "rm x; rm y", "ok").await;
    check("", &["rm x; rm y"], "rm x; rm y", "ok").await;
    check(&rules(&[("rm *", "ask")]), &["rm x"], "rm x", "ok").await;
    check(&rules(&[("rm *", "deny")]), &["rm x"], "rm x", "permission_denied").await;
}
