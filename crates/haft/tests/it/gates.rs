//! The gates from configuration text to verdict: policy, trust, quota, and a configuration swapped
//! under way.

use haft::config::LoadedConfig;
use haft::core::{
    Answer, CallerId, Change, ConfirmPrompt, Confirmer, EventKind, EventSink, NobodyToAsk, ToolError, TrustLevel,
    Verdict,
};
use serde_json::json;
use tools_testkit::Workspace;

use crate::{ALL_COMMANDS, call, outcome, toolbox};

fn code(error: &ToolError) -> &'static str {
    error.code()
}

#[tokio::test]
async fn a_policy_denial_stands_over_every_permission() {
    let workspace = Workspace::new();
    let text = format!(
        "{ALL_COMMANDS}[[tools.permissions.write]]\npattern = \"*\"\naction = \"allow\"\n\
         [[tools.policy.rules]]\neffect = \"deny\"\ntool = \"*\"\npaths = [\"./kept/**\"]\n\
         [[tools.policy.rules]]\neffect = \"deny\"\ntool = \"bash\"\nargs_match = \"secret\"\n"
    );
    let toolbox = toolbox(&workspace, &text);
    workspace.file("work/kept/a", "a");
    workspace.file("work/b", "b");
    workspace.dir("work/sub");
    let denied = async |tool: &str, params| code(&outcome(&toolbox, tool, params).await.unwrap_err());
    assert_eq!(denied("write", json!({"path": "kept/x", "content": ""})).await, "policy_denied");
    assert_eq!(denied("write", json!({"path": "sub/../kept/x", "content": ""})).await, "policy_denied");
    assert_eq!(denied("copy_path", json!({"source": "b", "destination": "kept/x"})).await, "policy_denied");
    assert_eq!(denied("move_path", json!({"source": "kept/a", "destination": "x"})).await, "policy_denied");
    assert_eq!(denied("bash", json!({"command": "echo 'sec'ret"})).await, "policy_denied");
    outcome(&toolbox, "write", json!({"path": "x", "content": ""})).await.unwrap();
    let explained = toolbox.explain(call("bash", json!({"command": "echo secret"})), &toolbox.context()).await;
    assert_eq!(explained.verdict, Verdict::Deny);
    assert_eq!(explained.decided_by, r#"policy.rules[1] deny bash args_match "secret""#);
}

#[tokio::test]
async fn a_caller_that_is_not_trusted_is_not_in_the_permissions_either() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace, &format!("{ALL_COMMANDS}[tools.trust.callers]\nweb = \"untrusted\"\n"));
    let cx = toolbox.context();
    let web = || call("bash", json!({"command": "true"})).with_caller(CallerId::parse("web/7").unwrap());
    let explained = toolbox.explain(web(), &cx).await;
    assert_eq!(explained.verdict, Verdict::Deny);
    let error = toolbox.call(web(), &cx, &NobodyToAsk).await.outcome.unwrap_err();
    assert_eq!(error.code(), "trust_blocked");
    let low = cx.capped(TrustLevel::Provisional);
    let asked = toolbox.call(call("bash", json!({"command": "true"})), &low, &NobodyToAsk).await;
    assert_eq!(asked.outcome.unwrap_err().code(), "nobody_to_ask");
}

struct SaysNo;

#[async_trait::async_trait]
impl Confirmer for SaysNo {
    async fn confirm(&self, _: &ConfirmPrompt) -> Answer {
        Answer::No(Some("not today".to_owned()))
    }
}

#[tokio::test]
async fn a_persons_no_has_a_line_of_its_own() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace, "");
    let asked = call("bash", json!({"command": "touch x"}));
    let error = toolbox.call(asked, &toolbox.context(), &SaysNo).await.outcome.unwrap_err();
    assert_eq!(error.code(), "declined");
    let record = std::fs::read_to_string(workspace.path("record/audit.jsonl")).unwrap();
    let lines: Vec<serde_json::Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [asked, no] = lines.as_slice() else { panic!("{record}") };
    assert_eq!((&asked["decision"], &no["decision"]), (&json!("ask"), &json!("deny")));
    assert_eq!((&no["approved_by"], &no["approver"]), (&json!("person"), &json!("person")));
    assert_eq!((&no["result"], &no["call_id"]), (&json!("not_executed"), &asked["call_id"]));
    assert!(no["ms"]["approval"].is_u64() && no["subjects"] == asked["subjects"], "{no}");
}

#[tokio::test]
async fn those_who_watch_a_call_are_told_what_a_person_is_asked() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace, "");
    let (sink, mut events) = EventSink::channel(16);
    let cx = toolbox.context().with_events(sink);
    let params = json!({"path": "new.txt", "content": "hello\n"});
    toolbox.call(call("write", params), &cx, &SaysNo).await.outcome.unwrap_err();
    drop(cx);
    let mut asked = vec![];
    while let Some(event) = events.recv().await {
        if let EventKind::ConfirmationRequested(prompt) = event.kind {
            asked.push(prompt);
        }
    }
    let [prompt] = asked.as_slice() else { panic!("one question is told: {asked:?}") };
    let Some(Change::Content { path, bytes, head, replaces }) = &prompt.change else { panic!("{prompt:?}") };
    assert_eq!((path, *bytes, head.as_str(), *replaces), (&workspace.path("work/new.txt"), 6, "hello\n", false));
}

#[tokio::test]
async fn a_reload_counts_whole_or_not_at_all() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace, ALL_COMMANDS);
    let run = async || outcome(&toolbox, "bash", json!({"command": "true"})).await.map_err(|error| error.code());
    assert!(run().await.is_ok());
    let wrong =
        LoadedConfig::parse("[[tools.policy.rules]]\neffect = \"deny\"\nargs_match = \"[\"\n", &|_| None).unwrap();
    let problem = toolbox.reload(&wrong).unwrap_err().to_string();
    assert!(problem.contains("line 3: `tools.policy.rules[0].args_match`"), "{problem}");
    assert!(run().await.is_ok());
    let next = LoadedConfig::parse(
        "[tools]\nmax_tool_calls_per_session = 2\n[tools.shell]\ntimeout = 7\n\
         [[tools.permissions.bash]]\npattern = \"true\"\naction = \"deny\"\n",
        &|_| None,
    );
    let report = toolbox.reload(&next.unwrap()).unwrap();
    assert_eq!(report.applied, ["tools.max_tool_calls_per_session", "tools.permissions.bash", "tools.shell.timeout"]);
    assert!(report.needs_restart.contains(&"tools.audit.path".to_owned()), "{report:?}");
    assert_eq!(run().await.unwrap_err(), "permission_denied");
    assert_eq!(run().await.unwrap_err(), "permission_denied");
    assert_eq!(run().await.unwrap_err(), "quota_blocked");
    toolbox.reset_session(toolbox.context().session());
    assert_eq!(run().await.unwrap_err(), "permission_denied");
}
