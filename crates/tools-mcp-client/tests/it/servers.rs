//! Scripted servers: what they may do wrong, and what becomes of it.

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tools_core::{CallContext, SessionId, ToolCall, ToolError, ToolErrorCategory, ToolExecutor as _};
use tools_mcp_client::pins::LockStore;
use tools_mcp_client::{Launcher, McpServers, McpTools, PreparedChild, PreparedServer, Server, compile};
use tools_sandbox::kernel::{Confinement, Sandbox, SandboxMode};
use tools_sandbox::process::own_variables;
use tools_testkit::{ScriptedMcp, installed, program};

/// Servers without confinement, which is the toolbox's part.
pub(crate) fn launcher(folder: &Path) -> Launcher {
    let cwd = folder.to_owned();
    Arc::new(move |server: &Server, _: &CallContext| {
        let sandbox = Sandbox::compile(&Confinement { mode: SandboxMode::Off, ..Confinement::default() });
        Ok(PreparedServer::Child(Box::new(PreparedChild {
            program: program(&[server.config.command.as_str()]).ok_or("not installed")?,
            args: server.config.args.iter().map(Into::into).collect(),
            env: own_variables(),
            cwd: cwd.clone(),
            sandbox: sandbox.map_err(|error| error.to_string())?,
            look: None,
            way: None,
        })))
    })
}

struct Setup {
    folder: tempfile::TempDir,
    script: ScriptedMcp,
    servers: Arc<McpServers>,
    tools: McpTools,
    cx: CallContext,
}

impl Setup {
    /// `None` after saying that there is no Python to run it.
    async fn new(tools: Value, calls: Value, more: Value) -> Option<Self> {
        if !installed(&["python3"]) {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let script = ScriptedMcp::new(folder.path(), "one", &tools, &calls);
        Some(Self::of(folder, script, more).await)
    }

    async fn of(folder: tempfile::TempDir, script: ScriptedMcp, more: Value) -> Self {
        let mut config = json!({"id": "one", "command": script.command(), "args": script.args()});
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let servers = compile(&[serde_json::from_value(config).unwrap()]).unwrap();
        let store = LockStore::new(folder.path().join("mcp.lock.json"));
        let servers = Arc::new(McpServers::new(servers, store, ["read_overflow".to_owned()]));
        let launcher = launcher(folder.path());
        let cx = CallContext::new(folder.path());
        let introduced = servers.introduce(&launcher, &cx).await;
        assert!(introduced.failed.is_empty(), "{introduced:?}");
        let tools = McpTools::new(Arc::clone(&servers), launcher);
        Self { folder, script, servers, tools, cx }
    }

    fn names(&self) -> Vec<String> {
        self.tools.tool_definitions().iter().map(|tool| tool.name.as_str().to_owned()).collect()
    }

    async fn call(&self, tool: &str) -> Result<String, ToolError> {
        self.call_in(tool, &self.cx).await
    }

    async fn call_in(&self, tool: &str, cx: &CallContext) -> Result<String, ToolError> {
        let call = ToolCall::new(&format!("mcp_one_{tool}"), json!({"text": "x"})).unwrap();
        let output = self.tools.execute_tool_call(&call, cx).await?;
        Ok(output.expect("it is one of its tools").summary)
    }

    async fn code(&self, tool: &str) -> &'static str {
        self.call(tool).await.expect_err("an error was expected").code()
    }
}

fn named(names: &[&str]) -> Value {
    names.iter().map(|name| ScriptedMcp::tool(name)).collect()
}

#[tokio::test]
async fn both_revisions_are_spoken() {
    if !installed(&["python3"]) {
        return;
    }
    for revision in ["2025-11-25", "2026-07-28", "both"] {
        let folder = tempfile::tempdir().unwrap();
        let script = ScriptedMcp::new(folder.path(), "one", &json!([]), &json!({}));
        script.follow(&json!({"revision": revision, "tools": named(&["say"]), "calls": {"say": [{"echo": true}]}}));
        let setup = Setup::of(folder, script, json!({})).await;
        assert_eq!(setup.names(), ["mcp_one_say"]);
        let answer = setup.call("say").await.unwrap();
        assert!(answer.contains(r#""arguments": {"text": "x"}"#), "{answer}");
        let report =
            setup.servers.report(&setup.servers.all()[0], &launcher(setup.folder.path()), &setup.cx).await.unwrap();
        let expected = if revision == "both" { "2026-07-28" } else { revision };
        assert_eq!(report.about.unwrap().2, expected);
    }
}

#[tokio::test]
async fn a_changed_definition_is_held_until_it_is_accepted() {
    let Some(setup) = Setup::new(
        named(&["say", "tell"]),
        json!({"tell": [{"notify": "notifications/tools/list_changed"}, {"text": "told"}]}),
        json!({}),
    )
    .await
    else {
        return;
    };
    assert_eq!(setup.call("say").await.unwrap(), "done");
    let mut tools = named(&["say", "tell", "new"]);
    tools[0]["description"] = "Says it to everybody.".into();
    setup.script.list(&tools);
    // The server says so, and the next call sees it.
    assert_eq!(setup.call("tell").await.unwrap(), "told");
    tokio::time::sleep(Duration::from_millis(50)).await;
    let error = setup.call("say").await.unwrap_err();
    assert_eq!((error.code(), error.category()), ("mcp_policy_blocked", ToolErrorCategory::PolicyBlocked));
    assert!(error.message().contains("description changed"), "{}", error.message());
    assert_eq!(setup.call("tell").await.unwrap(), "told");
    setup.servers.settle();
    assert_eq!(setup.names(), ["mcp_one_say", "mcp_one_tell"], "what was not accepted is not listed");

    let server = &setup.servers.all()[0];
    let report = setup.servers.report(server, &launcher(setup.folder.path()), &setup.cx).await.unwrap();
    setup.servers.accept(server, &report.listing.findings).unwrap();
    assert_eq!(setup.names(), ["mcp_one_say", "mcp_one_tell"], "the list stays within a turn");
    assert!(setup.servers.settle());
    assert_eq!(setup.names(), ["mcp_one_new", "mcp_one_say", "mcp_one_tell"]);
    assert_eq!(setup.call("say").await.unwrap(), "done");
}

#[tokio::test]
async fn suspicious_tools_of_the_first_contact_are_held_and_strict_holds_all() {
    let mut tools = named(&["say", "hidden", "read_0verflow", "5ay"]);
    tools[1]["description"] = "Says.\u{e0049}".into();
    let Some(setup) = Setup::new(tools, json!({}), json!({})).await else { return };
    assert_eq!(setup.names(), Vec::<String>::new(), "`say` and `5ay` look alike, too");
    let setup = Setup::new(named(&["say"]), json!({}), json!({"pin": "strict"})).await.unwrap();
    assert_eq!(setup.names(), Vec::<String>::new());
    let setup =
        Setup::new(named(&["say", "tell"]), json!({}), json!({"pin": "off", "deny_tools": ["t*"]})).await.unwrap();
    assert_eq!(setup.names(), ["mcp_one_say"]);
    setup.script.list(&json!([{"name": "say", "description": "Other.", "inputSchema": {"type": "object"}}]));
    assert_eq!(setup.call("say").await.unwrap(), "done");
}

#[tokio::test]
async fn failures_of_a_server_are_typed_and_it_is_started_again() {
    let names =
        ["crash", "late", "huge", "noisy", "twice", "bad", "input", "ask", "limit", "unknown", "failed", "fine"];
    let calls = json!({
        "crash": [{"stderr": "boom"}, {"exit": 3}],
        "late": [{"sleep": 5}],
        "huge": [{"bytes": 1 << 30}],
        "noisy": [{"noise": 100}, {"text": "through"}],
        "twice": [{"twice": "first"}, {"text": "second"}],
        "bad": [{"raw": "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":{\"content\":7}}"}, {"raw": "{\"jsonrpc\":\"2.0\",\"id\":$ID,\"result\":null}"}, {"sleep": 0}],
        "input": [{"result": {"resultType": "input_required", "inputRequests": {}}}],
        "ask": [{"ask": "sampling/createMessage"}, {"ask": "roots/list"}, {"text": "asked"}],
        "limit": [{"error": {"code": -32000, "message": "slow\u{1b}[31m down", "data": {"status": 429}}}],
        "unknown": [{"error": {"code": -32602, "message": "no"}}],
        "failed": [{"result": {"content": [{"type": "text", "text": "disk full"}], "isError": true}}],
    });
    let Some(setup) = Setup::new(named(&names), calls, json!({"timeout": 2})).await else { return };

    let before = std::time::Instant::now();
    let error = setup.call("crash").await.unwrap_err();
    assert!(before.elapsed() < Duration::from_secs(1), "{:?}", before.elapsed());
    assert_eq!((error.code(), error.category()), ("mcp_transient", ToolErrorCategory::NetworkError));
    assert!(error.message().contains("exit code 3"), "{}", error.message());
    assert_eq!(setup.call("fine").await.unwrap(), "done", "it is started again at once");

    assert_eq!(setup.call("noisy").await.unwrap(), "through");
    assert_eq!(setup.call("twice").await.unwrap(), "first");
    assert_eq!(setup.call("fine").await.unwrap(), "done", "the second answer is nobody's");
    let bad = setup.call("bad").await.expect_err("an answer of another form");
    assert!(matches!(bad.category(), ToolErrorCategory::PermanentFailure | ToolErrorCategory::ServerError), "{bad}");
    assert_eq!(setup.code("limit").await, "mcp_rate_limited");
    let limited = setup.call("limit").await.unwrap_err();
    assert!(limited.message().contains("slow\\u{1b}[31m down"), "{}", limited.message());
    assert_eq!(setup.code("unknown").await, "mcp_invalid_input");
    assert_eq!(setup.code("failed").await, "mcp_tool_failed");
    assert_eq!(setup.call("ask").await.unwrap(), "asked");
    let server = &setup.servers.all()[0];
    let report = setup.servers.report(server, &launcher(setup.folder.path()), &setup.cx).await.unwrap();
    assert_eq!((report.asked, report.noise >= 100), (vec!["sampling", "roots"], true));

    let late = setup.call("late").await.unwrap_err();
    assert_eq!((late.code(), late.category()), ("mcp_transient", ToolErrorCategory::Timeout));
    setup.servers.stop().await;
    let huge = setup.call("huge").await.unwrap_err();
    assert!(huge.message().contains("more than 16 MiB"), "{}", huge.message());
    assert_eq!(setup.call("fine").await.unwrap(), "done");
}

#[tokio::test]
async fn a_server_that_keeps_failing_is_left_alone_for_a_while() {
    let Some(setup) = Setup::new(named(&["crash"]), json!({"crash": [{"exit": 1}]}), json!({})).await else { return };
    let messages = [setup.call("crash").await, setup.call("crash").await, setup.call("crash").await];
    let messages = messages.map(|message| message.unwrap_err());
    assert!(messages[0].message().contains("went away") && messages[1].message().contains("went away"));
    assert!(messages[2].message().contains("started again in"), "{}", messages[2].message());
    assert!(messages[2].retry_after().is_some());
}

#[tokio::test]
async fn a_server_that_does_not_come_up_says_why_and_nothing_stays() {
    if !installed(&["python3"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = ScriptedMcp::new(folder.path(), "one", &json!([]), &json!({}));
    for (start, expected) in [
        (json!([{"stderr": "no key"}, {"exit": 4}]), "exit code 4"),
        (json!([{"bytes": 20 << 20}, {"sleep": 9}]), "more than 16 MiB"),
        (json!([{"sleep": 30}]), "within 1 s"),
    ] {
        script.follow(&json!({"start": start}));
        let config = json!({"id": "one", "command": "python3", "args": script.args(), "start_timeout": 1});
        let servers = compile(&[serde_json::from_value(config).unwrap()]).unwrap();
        let servers = McpServers::new(servers, LockStore::new(folder.path().join("lock.json")), []);
        let introduced = servers.introduce(&launcher(folder.path()), &CallContext::new(folder.path())).await;
        let error = &introduced.failed[0].1;
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test]
async fn each_session_has_a_server_of_its_own_that_ends_with_it() {
    let calls = json!({"pid": [{"child": 60}, {"pid": true}]});
    let Some(setup) = Setup::new(named(&["pid"]), calls, json!({})).await else { return };
    let other = setup.cx.clone().in_session(SessionId::parse("other").unwrap());
    let (mine, theirs) = (setup.call("pid").await.unwrap(), setup.call_in("pid", &other).await.unwrap());
    assert_ne!(mine, theirs);
    let is_there = |pid: &str| Path::new("/proc").join(pid).exists();
    setup.servers.end(other.session());
    for _ in 0..200 {
        if !is_there(&theirs) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    assert!(!is_there(&theirs) && is_there(&mine));
    setup.servers.stop().await;
    assert!(!is_there(&mine));
    assert_eq!(setup.servers.connections(), 0);
}

/// Connects and disconnects `times` times and compares what the process holds.
async fn come_and_go(times: usize) {
    let setup = Setup::new(named(&["pid"]), json!({"pid": [{"pid": true}]}), json!({})).await.unwrap();
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let published = setup.tools.tool_definitions();
    let (mut before, mut last) = (0, String::new());
    for round in 0..times {
        let cx = setup.cx.clone().in_session(SessionId::parse(&format!("s{round}")).unwrap());
        last = setup.call_in("pid", &cx).await.unwrap();
        setup.servers.stop().await;
        if round == 2 {
            before = descriptors();
        }
    }
    assert!(!Path::new("/proc").join(&last).exists());
    assert_eq!(setup.servers.connections(), 0);
    // Other tests of this binary open files meanwhile.
    assert!(descriptors() <= before + 16, "{before} descriptors became {}", descriptors());
    assert!(Arc::ptr_eq(&published, &setup.tools.tool_definitions()), "the list is the same one");
}

#[tokio::test]
async fn nothing_is_left_of_servers_that_came_and_went() {
    if installed(&["python3"]) {
        come_and_go(20).await;
    }
}

#[tokio::test]
#[ignore = "takes minutes; the short form above always runs"]
async fn nothing_is_left_of_a_thousand_servers() {
    if installed(&["python3"]) {
        come_and_go(1_000).await;
    }
}
