//! The official client drives `haft acp` through a session with most tools. Every line in either
//! direction is held against the JSON schema that the official types generate. The binary is named
//! by the variable `HAFT`.

use std::{
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex},
};

use agent_client_protocol::{
    Agent, ByteStreams, Client,
    schema::ProtocolVersion,
    v1::{
        ConnectionTo,
        schema::{
            CancelNotification, ClientCapabilities, ContentBlock, CreateTerminalRequest, CreateTerminalResponse,
            InitializeRequest, LoadSessionRequest, NewSessionRequest, PermissionOptionKind, PromptRequest,
            ReleaseTerminalRequest, ReleaseTerminalResponse, RequestPermissionOutcome, RequestPermissionRequest,
            RequestPermissionResponse, SelectedPermissionOutcome, SessionNotification, SessionUpdate,
            SetSessionModeRequest, StopReason, TextContent, ToolCallContent, ToolCallStatus,
        },
    },
};
use agent_client_protocol_schema::v1;
use serde_json::{Map, Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    process::Command,
};
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

const CONFIG: &str = r#"
[agent]
max_tool_iterations = 40

[tools.permissions]
edit = [{ pattern = "**", action = "allow" }]
write = [{ pattern = "**", action = "allow" }]
bash = [{ pattern = "seq *", action = "allow" }, { pattern = "sleep *", action = "allow" }]
"#;

/// One turn with a call of each tool that works on a bare workspace, one that asks, one that fails.
const SCRIPT: &str = r#"
[[turns]]
thinking = "First I look."
text = "I look around."
calls = [
  { tool = "read", params = { path = "a.txt" } },
  { tool = "list_directory", params = { path = "." } },
  { tool = "grep", params = { pattern = "one" } },
  { tool = "find_path", params = { pattern = "*.txt" } },
]
[[turns]]
calls = [{ tool = "edit", params = { path = "a.txt", edits = [{ old_string = "one", new_string = "1" }] } }]
[[turns]]
calls = [{ tool = "write", params = { path = "new.txt", content = "new\n" } }]
[[turns]]
calls = [{ tool = "create_directory", params = { path = "folder" } }]
[[turns]]
calls = [{ tool = "copy_path", params = { source = "new.txt", destination = "folder/copy.txt" } }]
[[turns]]
calls = [{ tool = "move_path", params = { source = "new.txt", destination = "folder/moved.txt" } }]
[[turns]]
calls = [{ tool = "delete_path", params = { path = "folder/moved.txt" } }]
[[turns]]
calls = [{ tool = "bash", params = { command = "seq 3" } }]
[[turns]]
calls = [{ tool = "bash", params = { command = "touch asked.txt" } }]
[[turns]]
calls = [{ tool = "read", params = { path = "missing.txt" } }]
[[turns]]
calls = [{ tool = "no_such_tool", params = {} }]
[[turns]]
calls = [{ tool = "bash", params = { command = "seq 3; sleep 3" } }]
[[turns]]
text = "All done."

[[turns]]
calls = [{ tool = "edit", params = { path = "a.txt", edits = [{ old_string = "1", new_string = "one" }] } }]
[[turns]]
text = "I may only read."

[[turns]]
calls = [{ tool = "bash", params = { command = "sleep 600" } }]
"#;

/// Both directions, line by line.
#[derive(Clone, Default)]
struct Tap(Arc<Mutex<Vec<(From, Value)>>>);

#[derive(Clone, Copy, Debug, PartialEq)]
enum From {
    Client,
    Agent,
}

impl Tap {
    fn lines(&self) -> Vec<(From, Value)> {
        self.0.lock().unwrap().clone()
    }

    /// Copies lines and keeps them.
    async fn copy(self, from: From, input: impl AsyncRead + Unpin, mut output: impl AsyncWrite + Unpin) {
        let mut lines = BufReader::new(input).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{from:?}: {error}: {line}"));
            self.0.lock().unwrap().push((from, value));
            if output.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

struct Place {
    _folder: tempfile::TempDir,
    workspace: PathBuf,
    home: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let (workspace, home) = (root.join("workspace"), root.join("home"));
    std::fs::create_dir_all(home.join(".config/haft")).unwrap();
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(home.join(".config/haft/config.toml"), CONFIG).unwrap();
    std::fs::write(home.join("script.toml"), SCRIPT).unwrap();
    std::fs::write(workspace.join("a.txt"), "one\ntwo\n").unwrap();
    Place { _folder: folder, workspace, home }
}

/// Starts the agent and does `what` as its client.
async fn with_agent<T>(place: &Place, tap: &Tap, what: impl AsyncFnOnce(ConnectionTo<Agent>) -> T) -> T {
    let binary = std::env::var_os("HAFT").expect("`HAFT` names the binary");
    let mut child = Command::new(binary)
        .args(["acp", "--scripted"])
        .arg(place.home.join("script.toml"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", &place.home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (near_in, far_in) = tokio::io::duplex(64 * 1024);
    let (near_out, far_out) = tokio::io::duplex(64 * 1024);
    tokio::spawn(tap.clone().copy(From::Client, far_in, child.stdin.take().unwrap()));
    tokio::spawn(tap.clone().copy(From::Agent, child.stdout.take().unwrap(), far_out));
    let transport = ByteStreams::new(near_in.compat_write(), near_out.compat());
    let terminal = place.home.join("terminal");
    let given = Arc::new(Mutex::new(None));
    let result = Arc::clone(&given);
    Client
        .v1()
        .on_receive_notification(
            async move |_: SessionNotification, _| Ok(()),
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                let once =
                    request.options.iter().find(|option| option.kind == PermissionOptionKind::AllowOnce).unwrap();
                let selected = SelectedPermissionOutcome::new(once.option_id.clone());
                responder.respond(RequestPermissionResponse::new(RequestPermissionOutcome::Selected(selected)))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CreateTerminalRequest, responder, _| {
                let printed = std::fs::File::create(&terminal).unwrap();
                Command::new(&request.command)
                    .args(&request.args)
                    .current_dir(request.cwd.unwrap())
                    .stdin(Stdio::null())
                    .stdout(printed)
                    .spawn()
                    .unwrap();
                responder.respond(CreateTerminalResponse::new("terminal"))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |_: ReleaseTerminalRequest, responder, _| responder.respond(ReleaseTerminalResponse::new()),
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(transport, async move |connection: ConnectionTo<Agent>| {
            *result.lock().unwrap() = Some(what(connection).await);
            Ok(())
        })
        .await
        .unwrap();
    let ended = tokio::time::timeout(std::time::Duration::from_secs(20), child.wait()).await;
    assert!(ended.expect("the agent ends with its client").unwrap().success());
    given.lock().unwrap().take().unwrap()
}

fn said(text: &str) -> Vec<ContentBlock> {
    vec![ContentBlock::Text(TextContent::new(text))]
}

#[tokio::test]
async fn the_official_client_gets_through_a_session() {
    let (place, tap) = (place(), Tap::default());
    let workspace = place.workspace.clone();
    let watched = tap.clone();
    let session = with_agent(&place, &tap, async move |connection| {
        let able = ClientCapabilities::new().terminal(true);
        let greeting = InitializeRequest::new(ProtocolVersion::V1).client_capabilities(able);
        let greeted = connection.send_request(greeting).block_task().await.unwrap();
        assert_eq!(greeted.protocol_version, ProtocolVersion::V1);
        assert!(greeted.agent_capabilities.load_session);
        let opened = connection.send_request(NewSessionRequest::new(&workspace)).block_task().await.unwrap();
        let session = opened.session_id;
        let prompt = |text: &str| connection.send_request(PromptRequest::new(session.clone(), said(text))).block_task();
        assert_eq!(prompt("do it all").await.unwrap().stop_reason, StopReason::EndTurn);
        connection.send_request(SetSessionModeRequest::new(session.clone(), "read-only")).block_task().await.unwrap();
        assert_eq!(prompt("undo it").await.unwrap().stop_reason, StopReason::EndTurn);
        connection.send_request(SetSessionModeRequest::new(session.clone(), "ask")).block_task().await.unwrap();
        let running = prompt("wait");
        let cancel = async {
            while !watched.lines().iter().any(|(_, line)| line.to_string().contains("sleep 600")) {
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
            connection.send_notification(CancelNotification::new(session.clone())).unwrap();
        };
        let (stopped, ()) = tokio::join!(running, cancel);
        assert_eq!(stopped.unwrap().stop_reason, StopReason::Cancelled);
        session
    })
    .await;
    assert_eq!(std::fs::read_to_string(place.workspace.join("a.txt")).unwrap(), "1\ntwo\n");
    assert!(place.workspace.join("asked.txt").exists() && place.workspace.join("folder/copy.txt").exists());
    let updates = updates(&tap);
    let diffs: Vec<_> =
        updates.iter().flat_map(contents).filter(|content| matches!(content, ToolCallContent::Diff(_))).collect();
    assert_eq!(diffs.len(), 2, "of `edit` and `write`");
    let failed = updates.iter().filter(|update| ended(update) == Some(ToolCallStatus::Failed)).count();
    let completed = updates.iter().filter(|update| ended(update) == Some(ToolCallStatus::Completed)).count();
    assert_eq!(
        (completed, failed),
        (13, 4),
        "two that do not exist, one that the mode refuses, one that was called off"
    );
    assert!(updates.iter().any(|update| matches!(update, SessionUpdate::AgentThoughtChunk(_))));
    let terminals = updates.iter().flat_map(contents).filter(|content| matches!(content, ToolCallContent::Terminal(_)));
    assert_eq!(terminals.count(), 2, "when the command has run for a moment, and at its end");
    assert_eq!(std::fs::read_to_string(place.home.join("terminal")).unwrap(), "1\n2\n3\n");
    // A second process goes on with the session, and tells it again.
    let (workspace, again) = (place.workspace.clone(), Tap::default());
    with_agent(&place, &again, async move |connection| {
        connection.send_request(InitializeRequest::new(ProtocolVersion::V1)).block_task().await.unwrap();
        connection.send_request(LoadSessionRequest::new(session, &workspace)).block_task().await.unwrap();
    })
    .await;
    let told: Vec<_> = again.lines().into_iter().filter(|(_, line)| line["method"] == "session/update").collect();
    assert!(told.len() > 30 && told[0].1.to_string().contains("do it all"), "{}", told.len());
    for tap in [tap, again] {
        check(&tap.lines());
    }
}

fn updates(tap: &Tap) -> Vec<SessionUpdate> {
    let lines =
        tap.lines().into_iter().filter(|(from, line)| *from == From::Agent && line["method"] == "session/update");
    lines
        .map(|(_, line)| serde_json::from_value(line["params"]["update"].clone()).expect("the types read it"))
        .collect()
}

fn contents(update: &SessionUpdate) -> Vec<ToolCallContent> {
    match update {
        SessionUpdate::ToolCallUpdate(update) => update.fields.content.clone().unwrap_or_default(),
        _ => vec![],
    }
}

fn ended(update: &SessionUpdate) -> Option<ToolCallStatus> {
    match update {
        SessionUpdate::ToolCallUpdate(update) => update.fields.status,
        _ => None,
    }
}

/// Holds every line against the schema of its method, unknown fields included.
fn check(lines: &[(From, Value)]) {
    let mut methods: Map<String, Value> = Map::new();
    for (from, line) in lines {
        let id = format!("{from:?} {}", line["id"]);
        let other = if *from == From::Client { From::Agent } else { From::Client };
        assert_eq!(line["jsonrpc"], "2.0", "{line}");
        let (schema, value) = match line["method"].as_str() {
            Some(method) => {
                methods.insert(id, method.into());
                (of_params(method), &line["params"])
            }
            None if line.get("error").is_some() => (schema::<v1::Error>(), &line["error"]),
            None => {
                let method = methods[&format!("{other:?} {}", line["id"])].as_str().unwrap().to_owned();
                (of_result(&method), &line["result"])
            }
        };
        let validator = jsonschema::validator_for(&schema).unwrap();
        let faults: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{faults:?} in {line}");
    }
    assert!(lines.iter().any(|(from, _)| *from == From::Agent));
}

fn schema<T: schemars::JsonSchema>() -> Value {
    serde_json::to_value(schemars::schema_for!(T)).unwrap()
}

fn of_params(method: &str) -> Value {
    match method {
        "initialize" => schema::<v1::InitializeRequest>(),
        "session/new" => schema::<v1::NewSessionRequest>(),
        "session/load" => schema::<v1::LoadSessionRequest>(),
        "session/prompt" => schema::<v1::PromptRequest>(),
        "session/set_mode" => schema::<v1::SetSessionModeRequest>(),
        "session/cancel" => schema::<v1::CancelNotification>(),
        "session/update" => schema::<v1::SessionNotification>(),
        "session/request_permission" => schema::<v1::RequestPermissionRequest>(),
        "terminal/create" => schema::<v1::CreateTerminalRequest>(),
        "terminal/release" => schema::<v1::ReleaseTerminalRequest>(),
        "$/cancel_request" => schema::<v1::CancelRequestNotification>(),
        other => panic!("`{other}` is not expected"),
    }
}

fn of_result(method: &str) -> Value {
    match method {
        "initialize" => schema::<v1::InitializeResponse>(),
        "session/new" => schema::<v1::NewSessionResponse>(),
        "session/load" => schema::<v1::LoadSessionResponse>(),
        "session/prompt" => schema::<v1::PromptResponse>(),
        "session/set_mode" => schema::<v1::SetSessionModeResponse>(),
        "session/request_permission" => schema::<v1::RequestPermissionResponse>(),
        "terminal/create" => schema::<v1::CreateTerminalResponse>(),
        "terminal/release" => schema::<v1::ReleaseTerminalResponse>(),
        other => panic!("`{other}` is not expected"),
    }
}

#[test]
fn the_check_finds_what_is_wrong() {
    let update = |status: &str| {
        let update = json!({"sessionUpdate": "tool_call_update", "toolCallId": "x", "status": status, "content": 7});
        vec![(
            From::Agent,
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}),
        )]
    };
    assert!(std::panic::catch_unwind(|| check(&update("completed"))).is_err());
}
