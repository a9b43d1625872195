//! Servers as the crate starts them by itself: held to what their sections say.

use std::{fs, net::TcpListener, sync::Arc};

use serde_json::{Value, json};
use tools_core::{CallContext, SessionId, ToolCall, ToolExecutor as _};
use tools_mcp_client::{McpServers, McpTools, compile, confined_launcher, pins::LockStore};
use tools_testkit::{ScriptedMcp, installed, namespaces};

/// A server with a tool for each thing that it tries.
struct Alone {
    _folder: tempfile::TempDir,
    work: tempfile::TempDir,
    tools: McpTools,
}

impl Alone {
    async fn new(section: Value, port: u16) -> Self {
        let names = ["env", "read", "secret", "write", "connect", "obeyed", "input"];
        let tools: Value = names.iter().map(|name| ScriptedMcp::tool(name)).collect();
        // A private `/tmp` hides what lies there: roots are seen all the same.
        let (folder, work) = (tempfile::tempdir_in("/var/tmp").unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| work.path().join(name).display().to_string();
        fs::write(at("plain"), "in-plain").unwrap();
        fs::write(at(".env"), "KEY=in-the-file").unwrap();
        let calls = json!({
            "env": [{"environment": true}],
            "read": [{"read": at("plain")}],
            "secret": [{"read": at(".env")}],
            "write": [{"write": at("new")}],
            "obeyed": [{"write": at(".envrc")}],
            "input": [{"write": at("package.json")}],
            "connect": [{"connect": format!("127.0.0.1:{port}")}],
        });
        let script = ScriptedMcp::new(folder.path(), "one", &tools, &calls);
        let mut config = json!({"id": "one", "command": script.command(), "args": script.args()});
        config.as_object_mut().unwrap().extend(section.as_object().unwrap().clone());
        let servers = compile(&[serde_json::from_value(config).unwrap()]).unwrap();
        let servers = Arc::new(McpServers::new(servers, LockStore::new(work.path().join("lock.json")), []));
        let launcher = confined_launcher();
        let introduced = servers.introduce(&launcher, &CallContext::new(work.path())).await;
        assert!(introduced.failed.is_empty(), "{introduced:?}");
        Self { _folder: folder, work, tools: McpTools::new(servers, launcher) }
    }

    async fn call(&self, tool: &str) -> String {
        self.call_in(tool, &CallContext::new(self.work.path())).await
    }

    async fn call_in(&self, tool: &str, cx: &CallContext) -> String {
        let call = ToolCall::new(&format!("mcp_one_{tool}"), json!({})).unwrap();
        let outcome = self.tools.execute_tool_call(&call, cx).await;
        outcome.map_or_else(|error| error.to_string(), |output| output.unwrap().summary)
    }
}

#[tokio::test]
async fn a_server_is_held_to_its_section_without_a_host() {
    if !installed(&["python3"]) || !namespaces() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Alone::new(json!({"env": {"GIVEN": "1"}}), port).await;
    let env = server.call("env").await;
    assert!(env.contains("GIVEN") && env.contains("PATH") && !env.contains("CARGO"), "{env}");
    assert!(server.call("read").await.contains("in-plain"));
    assert!(!server.call("secret").await.contains("in-the-file"));
    server.call("connect").await;
    assert!(listener.accept().is_err(), "it has no network");
    server.call("write").await;
    assert!(!server.work.path().join("new").exists());

    let server = Alone::new(json!({"workspace": "write", "network": "open", "env_pass": ["CARGO*"]}), port).await;
    server.call("write").await;
    assert!(server.work.path().join("new").exists());
    assert!(!server.call("secret").await.contains("in-the-file"));
    server.call("connect").await;
    assert!(listener.accept().is_ok(), "it has that of the machine");
    assert!(server.call("env").await.contains("CARGO"));

    let server = Alone::new(json!({"workspace": "none"}), port).await;
    assert!(!server.call("read").await.contains("in-plain"));
}

#[tokio::test]
async fn what_only_a_host_has_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for section in [
        json!({"id": "one", "command": "true", "network": "gate"}),
        json!({"id": "one", "command": "no-such-program-here"}),
        json!({"id": "one", "command": "true", "read_paths": ["relative"]}),
    ] {
        let servers = compile(&[serde_json::from_value(section).unwrap()]).unwrap();
        let prepared = confined_launcher()(&servers[0], &CallContext::new(folder.path()));
        assert!(prepared.is_err(), "{prepared:?}");
    }
}

#[tokio::test]
async fn what_a_server_writes_that_programs_obey_is_put_aside_or_told() {
    if !installed(&["python3"]) || !namespaces() {
        return;
    }
    let server = Alone::new(json!({"workspace": "write"}), 0).await;
    let session = SessionId::generate();
    let told = async |tool: &str| {
        let cx = CallContext::new(server.work.path()).in_session(session.clone());
        server.call_in(tool, &cx).await;
        cx.journal().warnings().join("; ")
    };
    let aside = told("obeyed").await;
    assert!(aside.starts_with("put aside, since direnv") && aside.contains("`.envrc`"), "{aside}");
    assert!(!server.work.path().join(".envrc").exists());
    // What only builds read stays, and is no warning.
    assert_eq!(told("write").await, "");
    assert_eq!(told("input").await, "");
    assert!(server.work.path().join("package.json").exists());
    // A file that came to be by other hands since the server was started is not held.
    fs::write(server.work.path().join(".envrc"), "mine").unwrap();
    let changed = told("obeyed").await;
    assert!(changed.starts_with("changed what direnv") && changed.contains("`.envrc`"), "{changed}");
}
