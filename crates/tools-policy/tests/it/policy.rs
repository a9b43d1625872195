//! Policy rules: tables of decisions, the gate in a stack, and that nothing added loosens.

use std::{path::Path, sync::Arc};

use proptest::prelude::*;
use serde_json::{Value, json};
use tools_core::{
    Access, CallContext, Inspection, JsonObject, Layer, Shared, Stack, Subject, ToolCall, ToolErrorCategory,
    ToolTraits, Verdict, keys,
};
use tools_policy::gate::GateLayer;
use tools_policy::rules::{
    AuthorizationConfig, PolicyConfig, PolicyEffect, PolicyEnforcer, PolicyGate, PolicyQuestion, PolicyRuleConfig,
    decide,
};
use tools_testkit::{Behaviour, ScriptedExecutor};

use crate::decisions::{line, tool};

#[derive(serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Sections {
    policy: PolicyConfig,
    authorization: AuthorizationConfig,
}

fn compile(toml: &str) -> Result<PolicyEnforcer, String> {
    let sections: Sections = toml::from_str(toml).unwrap();
    PolicyEnforcer::compile(&sections.policy, &sections.authorization, Some(Path::new("/home/ann")))
        .map_err(|error| error.to_string())
}

fn object(params: &Value) -> JsonObject {
    params.as_object().unwrap().clone()
}

fn judge(enforcer: &PolicyEnforcer, name: &str, params: &Value, inspection: &Inspection) -> Option<String> {
    let params = object(params);
    let definition = tool(name, ToolTraits::CAUTIOUS);
    let question = PolicyQuestion { definition: &definition, params: &params, inspection, workdir: Path::new("/w") };
    decide(enforcer, &question).trace
}

fn paths(touched: &[(&str, Access)]) -> Inspection {
    touched
        .iter()
        .fold(Inspection::mutating(), |inspection, (path, access)| inspection.touching(Subject::path(*path, *access)))
}

#[test]
fn a_denied_path_is_denied_at_either_end_of_every_tool() {
    use Access::{Delete, Read, Write};
    let enforcer =
        compile(r#"policy.rules = [{ effect = "deny", tool = "*", paths = ["/etc/*", "~/.ssh", "./secret/**"] }]"#);
    let enforcer = enforcer.unwrap();
    let check = |touched: &[(&str, Access)], expected: bool| {
        let found = judge(&enforcer, "x", &json!({}), &paths(touched));
        assert_eq!(found.is_some(), expected, "{touched:?}: {found:?}");
    };
    check(&[("/etc/x", Write)], true);
    check(&[("/etc/ssh/config", Read)], true);
    check(&[("/w/a", Read), ("/etc/x", Write)], true);
    check(&[("/etc/passwd", Read), ("/w/a", Write)], true);
    check(&[("/home/ann/.ssh/id", Read)], true);
    check(&[("/w/secret/a", Read)], true);
    check(&[("/w/Secret/a", Read)], false);
    check(&[("/w/secret", Read)], true);
    check(&[("/w", Delete)], true);
    check(&[("/w", Read)], false);
    check(&[("/etcetera/x", Write)], false);
    check(&[("/w/secrets/a", Write)], false);
    check(&[], false);
}

#[test]
fn texts_are_found_however_deep_they_are_hidden() {
    let enforcer =
        compile(r#"policy.rules = [{ effect = "deny", tool = "bash*", args_match = "sudo|LD_PRELOAD|4711" }]"#)
            .unwrap();
    let check = |name: &str, params: &Value, inspection: &Inspection, expected: bool| {
        assert_eq!(judge(&enforcer, name, params, inspection).is_some(), expected, "{params}");
    };
    let nothing = Inspection::mutating();
    check("bash", &json!({"args": ["sudo"]}), &nothing, true);
    check("Bash", &json!({"a": {"b": [{"c": "x sudo y"}]}}), &nothing, true);
    check("bash", &json!({"env": {"LD_PRELOAD": "x"}}), &nothing, true);
    check("bash", &json!({"port": 4711}), &nothing, true);
    check("bash", &json!({"command": "s'u'do id"}), &line("s'u'do id"), true);
    check("bash", &json!({"command": "ls"}), &line("ls"), false);
    check("read", &json!({"path": "sudo"}), &nothing, false);
    let deep = (0..500).fold(json!("sudo"), |inner, _| json!([inner]));
    check("bash", &json!({ "args": deep }), &nothing, true);
    let long = format!("{}sudo", "я".repeat(300_000));
    check("bash", &json!({ "args": long }), &nothing, true);
}

#[test]
fn the_first_rule_of_a_list_decides_and_no_list_lifts_a_denial() {
    let rules = r#"
        policy.rules = [
            { effect = "allow", tool = "bash", args_match = "^git status$" },
            { effect = "deny", tool = "bash" },
        ]
        authorization.enabled = ENABLED
        authorization.rules = [
            { effect = "allow", tool = "*" },
            { effect = "deny", tool = "read" },
        ]
    "#;
    let enabled = compile(&rules.replace("ENABLED", "true")).unwrap();
    let disabled = compile(&rules.replace("ENABLED", "false")).unwrap();
    let nothing = Inspection::mutating();
    let check = |enforcer, name, params: Value, expected: Option<&str>| {
        assert_eq!(judge(enforcer, name, &params, &nothing).as_deref(), expected);
    };
    let denied = Some("policy.rules[1] deny bash");
    check(&enabled, "bash", json!({"command": "id"}), denied);
    check(&disabled, "bash", json!({"command": "id"}), denied);
    let allowed = Some(r#"policy.rules[0] allow bash args_match "^git status$""#);
    check(&disabled, "bash", json!({"command": "git status"}), allowed);
    // Nothing rides along with what is allowed.
    check(&disabled, "bash", json!({"command": "id", "description": "git status"}), denied);
    check(&enabled, "read", json!({"path": "a"}), Some("authorization.rules[0] allow *"));
    check(&disabled, "read", json!({"path": "a"}), None);
}

#[test]
fn an_allowance_of_paths_covers_all_of_them_or_nothing() {
    let enforcer = compile(
        r#"policy.rules = [{ effect = "allow", tool = "*", paths = ["src/**"] }, { effect = "deny", tool = "*" }]"#,
    );
    let enforcer = enforcer.unwrap();
    let denied = |touched: &[&str]| {
        let touched: Vec<_> = touched.iter().map(|path| (*path, Access::Write)).collect();
        judge(&enforcer, "x", &json!({}), &paths(&touched)).unwrap().contains("deny")
    };
    assert_eq!(
        [denied(&["/w/src/a"]), denied(&["/w/src/a", "/w/b"]), denied(&[]), denied(&["/elsewhere/src/a"])],
        [false, true, true, true]
    );
}

#[test]
fn capabilities_are_what_the_call_needs() {
    let deny = |word: &str| {
        compile(&format!("policy.rules = [{{ effect = \"deny\", capabilities = [\"{word}\"] }}]")).unwrap()
    };
    let denied = |word: &str, inspection: &Inspection| judge(&deny(word), "x", &json!({}), inspection).is_some();
    assert!(denied("execute", &line("ls")));
    assert!(!denied("execute", &paths(&[("/w/a", Access::Write)])));
    assert!(denied("delete", &paths(&[("/w/a", Access::Delete)])));
    assert!(!denied("delete", &paths(&[("/w/a", Access::Write)])));
    assert!(denied("write", &paths(&[("/w/a", Access::Delete)])), "what removes something changes it");
    assert!(denied("write", &paths(&[("/w/a", Access::Read), ("/w/b", Access::Delete)])));
    assert!(denied("network", &Inspection::mutating()), "the tool talks to the world");
    assert!(denied("teleport", &Inspection::mutating()), "a word that nobody knows may mean this");
}

#[test]
fn a_rule_that_cannot_be_read_is_an_error_with_its_place() {
    let check = |toml: &str, expected: &str| assert_eq!(compile(toml).unwrap_err(), expected);
    check(
        r#"policy.rules = [{ effect = "deny" }, { effect = "deny", args_match = "rm [" }]"#,
        "`tools.policy.rules[1].args_match`: unclosed character class",
    );
    // Also where the list does not count.
    check(
        r#"authorization.rules = [{ effect = "deny", paths = ["a", "[a"] }]"#,
        "`tools.authorization.rules[0].paths[1]`: unclosed character class; missing ']'",
    );
    check(
        r#"policy.rules = [{ effect = "deny", tool = "{a" }]"#,
        "`tools.policy.rules[0].tool`: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
    );
}

#[tokio::test]
async fn the_gate_refuses_and_keeps_its_trace_from_the_model() {
    let enforcer = compile(r#"policy.rules = [{ effect = "deny", tool = "t", args_match = "secret plan" }]"#).unwrap();
    let scripted = ScriptedExecutor::new().tool("t", ToolTraits::EDIT, Behaviour::reply("done"));
    let gate: Arc<dyn Layer> = Arc::new(GateLayer::new(PolicyGate, Shared::new(enforcer)));
    let stack = Stack::new(vec![gate], scripted.clone());
    let run = async |params: Value| stack.run(ToolCall::new("t", params).unwrap(), None, &CallContext::new("/w")).await;
    let recorded = run(json!({"a": "the secret plan"})).await;
    let error = recorded.outcome.unwrap_err();
    assert_eq!((error.category(), error.code()), (ToolErrorCategory::PolicyBlocked, "policy_denied"));
    assert!(!error.to_string().contains("secret"), "{error}");
    assert_eq!(recorded.journal.verdict(), Some(Verdict::Deny));
    let trace = recorded.journal.value(keys::POLICY_MATCH).unwrap();
    assert_eq!(trace, r#"policy.rules[0] deny t args_match "secret plan""#);
    assert!(scripted.ran().is_empty());
    assert!(run(json!({"a": "b"})).await.outcome.is_ok());
}

fn rule() -> impl Strategy<Value = PolicyRuleConfig> {
    let effect = prop::sample::select(vec![PolicyEffect::Allow, PolicyEffect::Deny]);
    let tool = prop::sample::select(vec!["*", "x", "y", "x*"]);
    let args = prop::option::of(prop::sample::select(vec!["a", "^b", "c$"]));
    let paths = prop::collection::vec(prop::sample::select(vec!["/etc/*", "src/**", "/w/a", "*"]), 0..2);
    let words = prop::collection::vec(prop::sample::select(vec!["read", "write", "delete", "execute", "other"]), 0..4);
    (effect, tool, args, paths, words).prop_map(|(effect, tool, args, paths, words)| {
        let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
        PolicyRuleConfig {
            effect,
            tool: tool.to_owned(),
            args_match: args.map(str::to_owned),
            paths: owned(paths),
            capabilities: owned(words),
        }
    })
}

fn touched() -> impl Strategy<Value = Subject> {
    let path = prop::sample::select(vec!["/etc/x", "/w/src/b", "/w/a", "/w"]);
    let access = prop::sample::select(vec![Access::Read, Access::Write, Access::Delete]);
    prop_oneof![
        (path, access).prop_map(|(path, access)| Subject::path(path, access)),
        Just(line("a b").subjects[0].clone()),
        Just(Subject::Opaque { why: "eval".into() }),
    ]
}

fn is_denied(rules: &[PolicyRuleConfig], params: &Value, inspection: &Inspection) -> bool {
    let policy = PolicyConfig { enabled: true, rules: rules.to_vec() };
    let enforcer = PolicyEnforcer::compile(&policy, &AuthorizationConfig::default(), None).unwrap();
    let params = object(params);
    let definition = tool("x", ToolTraits::EDIT);
    let question = PolicyQuestion { definition: &definition, params: &params, inspection, workdir: Path::new("/w") };
    decide(&enforcer, &question).is_denied()
}

proptest! {
    #[test]
    fn one_more_subject_text_or_denial_never_loosens(
        rules in prop::collection::vec(rule(), 0..5),
        subjects in prop::collection::vec(touched(), 0..3),
        more in touched(),
        texts in prop::collection::vec(prop::sample::select(vec!["a", "b", "xc", "z"]), 1..3),
        text in prop::sample::select(vec!["a", "b", "xc", "z"]),
        denied in rule(),
    ) {
        // What touches no path may be covered by fewer rules once it touches one; a call that
        // touches something stays.
        let call = Inspection { subjects, ..Inspection::default() };
        let params = json!({ "texts": texts });
        if is_denied(&rules, &params, &call) {
            if call.subjects.iter().any(|subject| matches!(subject, Subject::Path { .. })) {
                prop_assert!(is_denied(&rules, &params, &call.clone().touching(more)));
            }
            let longer = json!({ "texts": texts, "more": [{"x": text}] });
            prop_assert!(is_denied(&rules, &longer, &call));
            let mut stricter = vec![PolicyRuleConfig { effect: PolicyEffect::Deny, ..denied }];
            stricter.extend(rules.iter().cloned());
            prop_assert!(is_denied(&stricter, &params, &call));
        }
    }
}
