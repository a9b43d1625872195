//! Servers over HTTP: what they may do wrong, and what becomes of it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tools_core::{CallContext, SessionId, ToolCall, ToolError, ToolErrorCategory, ToolExecutor as _};
use tools_mcp_client::{
    Introductions, Launcher, McpErrorCode, McpServers, McpTools, PreparedRemote, PreparedServer, Secret, Server,
    TokenReader, compile, pins::LockStore,
};

use crate::hostile::{Asked, Hostile, Step, answer, events, json_answer};

const TOKEN: &str = "t0ken-0123456789-0123456789";

struct Setup {
    _folder: tempfile::TempDir,
    hostile: Hostile,
    servers: Arc<McpServers>,
    tools: McpTools,
    launcher: Launcher,
    cx: CallContext,
    introduced: Introductions,
}

impl Setup {
    async fn new(tools: &[&str], script: impl Fn(&Asked) -> Option<Vec<Step>> + Send + Sync + 'static) -> Self {
        Self::with(
            tools,
            json!({}),
            Arc::new(|_: &Server, _: &CallContext| Ok(PreparedServer::Remote(PreparedRemote::default()))),
            script,
        )
        .await
    }

    async fn with(
        tools: &[&str],
        more: Value,
        launcher: Launcher,
        script: impl Fn(&Asked) -> Option<Vec<Step>> + Send + Sync + 'static,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let hostile = Hostile::start(tools, script).await;
        let mut config = json!({"id": "far", "url": hostile.url, "timeout": 3, "start_timeout": 5});
        config.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let servers = compile(&[serde_json::from_value(config).unwrap()]).unwrap();
        let servers = Arc::new(McpServers::new(servers, LockStore::new(folder.path().join("mcp.lock.json")), []));
        let cx = CallContext::new(folder.path());
        let introduced = servers.introduce(&launcher, &cx).await;
        let tools = McpTools::new(Arc::clone(&servers), Arc::clone(&launcher));
        Self { _folder: folder, hostile, servers, tools, launcher, cx, introduced }
    }

    async fn call(&self, tool: &str) -> Result<String, ToolError> {
        self.call_in(tool, &self.cx).await
    }

    async fn call_in(&self, tool: &str, cx: &CallContext) -> Result<String, ToolError> {
        let call = ToolCall::new(&format!("mcp_far_{tool}"), json!({"text": "x"})).unwrap();
        let output = self.tools.execute_tool_call(&call, cx).await?;
        Ok(output.expect("it is one of its tools").summary)
    }

    async fn error(&self, tool: &str) -> ToolError {
        self.call(tool).await.expect_err("an error was expected")
    }
}

fn message(asked: &Asked, text: &str) -> String {
    format!("data: {}\n\n", asked.text(text))
}

#[tokio::test]
async fn a_session_is_begun_used_and_ended() {
    let setup = Setup::new(&["say"], |_| None).await;
    assert!(setup.introduced.failed.is_empty(), "{:?}", setup.introduced);
    assert_eq!(setup.call("say").await.unwrap(), "done");
    setup.servers.stop().await;
    let asked = setup.hostile.asked();
    let first = asked.iter().find(|asked| asked.rpc() == "initialize").unwrap();
    assert_eq!((first.header("mcp-session-id"), first.path.as_str()), (None, "/mcp"));
    for asked in
        asked.iter().filter(|asked| matches!(asked.rpc(), "tools/list" | "tools/call") || asked.method == "DELETE")
    {
        assert_eq!(asked.header("mcp-session-id"), Some("s-1"), "{asked:?}");
        assert_eq!(asked.header("mcp-protocol-version"), Some("2025-11-25"), "{asked:?}");
    }
    assert_eq!(setup.hostile.count(|asked| asked.method == "DELETE"), 1);
    assert!(setup.hostile.connections() <= 3, "connections are used again: {}", setup.hostile.connections());
    assert_eq!(setup.servers.connections(), 0);
}

#[tokio::test]
async fn the_stateless_revision_is_spoken_where_the_server_knows_it() {
    let setup = Setup::new(&["say"], |asked| {
        let result = json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "serverInfo": {"name": "new", "version": "1"},
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "new", "version": "1"}}, "ttlMs": 0, "cacheScope": "private",
        });
        (asked.rpc() == "server/discover").then(|| json_answer(&asked.result(&result)))
    })
    .await;
    assert!(setup.introduced.failed.is_empty(), "{:?}", setup.introduced);
    assert_eq!(setup.call("say").await.unwrap(), "done");
    let report = setup.servers.report(&setup.servers.all()[0], &setup.launcher, &setup.cx).await.unwrap();
    assert_eq!(report.about.unwrap().2, "2026-07-28");
    setup.servers.stop().await;
    let asked = setup.hostile.asked();
    let call = asked.iter().find(|asked| asked.rpc() == "tools/call").unwrap();
    assert_eq!(call.header("mcp-method"), Some("tools/call"));
    assert_eq!(call.header("mcp-name"), Some("say"));
    assert_eq!(call.header("mcp-protocol-version"), Some("2026-07-28"));
    assert!(asked.iter().all(|asked| asked.method == "POST" && asked.header("mcp-session-id").is_none()), "{asked:?}");
}

#[tokio::test]
async fn a_server_that_answers_anything_is_greeted_as_an_earlier_one() {
    let setup = Setup::new(&["say"], |asked| {
        (asked.rpc() == "server/discover").then(|| json_answer(&asked.result(&json!({}))))
    })
    .await;
    assert!(setup.introduced.failed.is_empty(), "{:?}", setup.introduced);
    assert_eq!(setup.call("say").await.unwrap(), "done");
}

#[tokio::test]
async fn answers_come_as_json_or_as_events() {
    let setup = Setup::new(&["json", "events", "late", "twice", "other", "noise"], |asked| match asked.tool() {
        "events" => Some(events(&[
            ": a sign of life\n\n",
            "event: ping\ndata: x\n\n",
            &message(asked, "by event").replace("data: ", "event: message\ndata: "),
        ])),
        "late" => {
            let mut steps = events(&[&message(asked, "first")]);
            steps.extend([Step::Wait(Duration::from_millis(300)), Step::Write(message(asked, "second").into_bytes())]);
            Some(steps)
        }
        "twice" => Some(events(&[&message(asked, "first"), &message(asked, "second")])),
        "other" => Some(json_answer(r#"{"jsonrpc":"2.0","id":4711,"result":{"content":[]}}"#)),
        "noise" => Some(events(&["data: hello\n\n", "data: [1]\n\n", &message(asked, "through")])),
        _ => None,
    })
    .await;
    assert_eq!(setup.call("json").await.unwrap(), "done");
    assert_eq!(setup.call("events").await.unwrap(), "by event");
    assert_eq!(setup.call("late").await.unwrap(), "first");
    assert_eq!(setup.call("twice").await.unwrap(), "first");
    assert_eq!(setup.call("noise").await.unwrap(), "through");
    assert!(setup.error("other").await.message().contains("answered another request"));
    assert_eq!(setup.call("json").await.unwrap(), "done", "what came late is nobody's");
}

#[tokio::test]
async fn each_status_has_its_code_and_no_text_of_the_server() {
    let setup = Setup::new(&["none", "denied", "slow", "broken", "moved", "typed", "explained", "half"], |asked| {
        let text = format!("<html>{TOKEN}</html>");
        let html = "Content-Type: text/html";
        match asked.tool() {
            "none" => Some(answer("401 Unauthorized", &[html, "WWW-Authenticate: Bearer"], &text)),
            "denied" => Some(answer("403 Forbidden", &[html], &text)),
            "slow" => Some(answer("429 Too Many Requests", &["Retry-After: 7"], "")),
            "broken" => Some(answer("500 Internal Server Error", &[html], &text)),
            "moved" => Some(answer("307 Temporary Redirect", &["Location: http://127.0.0.1:1/elsewhere"], "")),
            "typed" => Some(answer("200 OK", &[html], &text)),
            "explained" => {
                let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32602, "message": "no such tool"}});
                Some(answer("400 Bad Request", &["Content-Type: application/json"], &error.to_string()))
            }
            "half" => {
                Some(vec![Step::Write(b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec()), Step::Wait(Duration::from_mins(1))])
            }
            _ => None,
        }
    })
    .await;
    for (tool, code, category, part) in [
        ("none", "mcp_auth_failure", ToolErrorCategory::PolicyBlocked, "status 401"),
        ("denied", "mcp_auth_failure", ToolErrorCategory::PolicyBlocked, "status 403"),
        ("slow", "mcp_rate_limited", ToolErrorCategory::RateLimited, "status 429"),
        ("broken", "mcp_server_error", ToolErrorCategory::ServerError, "status 500"),
        ("moved", "mcp_server_error", ToolErrorCategory::PermanentFailure, "redirect"),
        ("typed", "mcp_server_error", ToolErrorCategory::PermanentFailure, "text/html"),
        ("explained", "mcp_invalid_input", ToolErrorCategory::InvalidParameters, "no such tool"),
        ("half", "mcp_transient", ToolErrorCategory::Timeout, "within 3 s"),
    ] {
        let error = setup.error(tool).await;
        assert_eq!((error.code(), error.category()), (code, category), "{tool}: {error}");
        assert!(error.message().contains(part) && !error.message().contains(TOKEN), "{tool}: {}", error.message());
    }
    assert_eq!(setup.error("slow").await.retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(setup.hostile.count(|asked| asked.path != "/mcp"), 0);
}

#[tokio::test]
async fn what_has_no_end_is_cut_and_the_session_goes_on_anew() {
    let setup = Setup::new(&["body", "event", "line", "fine"], |asked| match asked.tool() {
        "body" => Some(vec![
            Step::Write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n\"".to_vec()),
            Step::Forever(vec![b'x'; 64 << 10]),
        ]),
        "event" => Some(vec![
            Step::Write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nid: 1\n".to_vec(),
            ),
            Step::Forever([b"data: ".as_slice(), &[b'x'; 64 << 10], b"\n"].concat()),
        ]),
        "line" => Some(vec![Step::Write(b"HTTP/1.1 200 OK\r\nX-Long: ".to_vec()), Step::Forever(vec![b'x'; 64 << 10])]),
        _ => None,
    })
    .await;
    for (tool, part) in [("body", "more than 16 MiB"), ("event", "more than 16 MiB"), ("line", "")] {
        let error = setup.error(tool).await;
        assert!(error.message().contains(part), "{tool}: {}", error.message());
        assert_eq!(setup.call("fine").await.unwrap(), "done", "{tool}");
    }
}

#[tokio::test]
async fn a_lost_session_is_begun_again_and_the_call_made_once_more() {
    let sessions = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sessions);
    let setup = Setup::new(&["say", "never"], move |asked| {
        let now = counted.load(Ordering::SeqCst);
        if asked.rpc() == "initialize" {
            let now = counted.fetch_add(1, Ordering::SeqCst) + 1;
            let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "h", "version": "1"}});
            let session = format!("Mcp-Session-Id: s-{now}");
            return Some(answer("200 OK", &["Content-Type: application/json", &session], &asked.result(&result)));
        }
        let is_old = asked.header("mcp-session-id") == Some("s-1");
        let is_lost = asked.tool() == "never" || (asked.tool() == "say" && is_old && now == 1);
        is_lost.then(|| answer("404 Not Found", &["Content-Type: application/json"], "{}"))
    })
    .await;
    assert_eq!(setup.call("say").await.unwrap(), "done");
    assert_eq!(sessions.load(Ordering::SeqCst), 2);
    assert_eq!(setup.hostile.count(|asked| asked.tool() == "say"), 2);
    // Whoever forgets every session is left alone for a while, like a program that keeps failing.
    let lost = setup.error("never").await;
    assert!(lost.message().contains("started again in") || lost.message().contains("the session no more"), "{lost}");
    let lost = setup.error("never").await;
    assert!(lost.message().contains("started again in") && lost.retry_after().is_some(), "{lost}");
}

#[tokio::test]
async fn a_stream_is_taken_up_after_the_last_event_that_came() {
    let called: Arc<Mutex<Option<Asked>>> = Arc::default();
    let setup = Setup::new(&["cut", "gone", "fine"], move |asked| {
        if asked.method == "GET" {
            let call = called.lock().unwrap().take()?;
            let at = asked.header("last-event-id").unwrap_or("none");
            return Some(events(&[&message(&call, &format!("after {at}"))]));
        }
        match asked.tool() {
            // The ids go back and forth: the last that came is the one that counts.
            "cut" => {
                *called.lock().unwrap() = Some(asked.clone());
                Some(events(&["id: 9\nretry: 1\ndata:\n\n", "id: 7\ndata:\n\n"]))
            }
            "gone" => Some(events(&[": nothing\n\n"])),
            _ => None,
        }
    })
    .await;
    assert_eq!(setup.call("cut").await.unwrap(), "after 7");
    let asked = setup.hostile.asked();
    let resumed = asked.iter().find(|asked| asked.header("last-event-id").is_some()).unwrap();
    assert_eq!((resumed.method.as_str(), resumed.header("mcp-session-id")), ("GET", Some("s-1")));
    // Without an id there is nothing to take up.
    let error = setup.error("gone").await;
    assert_eq!((error.code(), error.category()), ("mcp_transient", ToolErrorCategory::NetworkError), "{error}");
    assert_eq!(setup.call("fine").await.unwrap(), "done");
}

#[tokio::test]
async fn a_token_is_sent_read_again_and_never_shown() {
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    let reader: TokenReader = Arc::new(move || {
        let count = counted.fetch_add(1, Ordering::SeqCst);
        Box::pin(std::future::ready(Secret::new(&format!("{TOKEN}-{count}")).ok_or_else(String::new)))
    });
    let launcher: Launcher = Arc::new(move |_: &Server, _: &CallContext| {
        let headers = vec![("X-Key".to_owned(), Secret::new("key-0123456789").unwrap())];
        Ok(PreparedServer::Remote(PreparedRemote::new(headers, Some(Arc::clone(&reader)))))
    });
    let setup = Setup::with(&["say", "refuse"], json!({}), launcher, |asked| match asked.tool() {
        "say" => Some(json_answer(&asked.text(&format!(
            "{} {}",
            asked.header("authorization").unwrap_or("none"),
            asked.header("x-key").unwrap_or("none")
        )))),
        "refuse" => Some(answer("401 Unauthorized", &[], "")),
        _ => None,
    })
    .await;
    assert_eq!(setup.call("say").await.unwrap(), "[secret] [secret]", "a server that repeats secrets");
    let asked = setup.hostile.asked();
    let sent = format!("Bearer {TOKEN}-0");
    assert!(asked.iter().all(|asked| asked.header("authorization") == Some(&sent)), "{asked:?}");
    setup.error("refuse").await;
    setup.call("say").await.unwrap();
    assert_eq!(reads.load(Ordering::SeqCst), 2, "a token that is not taken is read again");
    let shown = format!("{:?} {:?}", setup.servers, setup.tools);
    assert!(!shown.contains(TOKEN) && !shown.contains("key-0123456789"), "{shown}");
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_at_the_server() {
    let setup = Setup::with(
        &["slow"],
        json!({"timeout": 1}),
        Arc::new(|_: &Server, _: &CallContext| Ok(PreparedServer::Remote(PreparedRemote::default()))),
        |asked| {
            let mut steps = events(&[": begun\n\n"]);
            steps.push(Step::Wait(Duration::from_secs(30)));
            (asked.tool() == "slow").then_some(steps)
        },
    )
    .await;
    let error = setup.error("slow").await;
    assert_eq!(error.category(), ToolErrorCategory::Timeout);
    for _ in 0..100 {
        if setup.hostile.count(|asked| asked.rpc() == "notifications/cancelled") > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let asked = setup.hostile.asked();
    let call = asked.iter().find(|asked| asked.tool() == "slow").unwrap();
    let cancelled = asked.iter().find(|asked| asked.rpc() == "notifications/cancelled").expect("the server is told");
    assert_eq!(cancelled.body["params"]["requestId"], call.body["id"]);
}

#[tokio::test]
async fn a_server_that_does_not_come_up_says_why() {
    for (status, code, part) in [
        ("401 Unauthorized", McpErrorCode::AuthFailure, "status 401"),
        ("302 Found", McpErrorCode::ServerError, "redirect"),
        ("503 Service Unavailable", McpErrorCode::ServerError, "status 503"),
        ("404 Not Found", McpErrorCode::NotFound, "status 404"),
    ] {
        let setup = Setup::new(&[], move |_| Some(answer(status, &["Location: http://127.0.0.1:1/"], ""))).await;
        let (_, error) = &setup.introduced.failed[0];
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    // Nobody listens there any more.
    let folder = tempfile::tempdir().unwrap();
    let url = Hostile::start(&[], |_| None).await.url.clone();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let config = json!({"id": "far", "url": url});
    let servers = compile(&[serde_json::from_value(config).unwrap()]).unwrap();
    let servers = McpServers::new(servers, LockStore::new(folder.path().join("lock.json")), []);
    let launcher: Launcher =
        Arc::new(|_: &Server, _: &CallContext| Ok(PreparedServer::Remote(PreparedRemote::default())));
    let introduced = servers.introduce(&launcher, &CallContext::new(folder.path())).await;
    assert_eq!(introduced.failed[0].1.code(), McpErrorCode::Transient, "{introduced:?}");
    assert!(introduced.failed[0].1.to_string().contains("cannot be reached"), "{introduced:?}");
}

#[tokio::test]
async fn sessions_are_kept_apart_and_end_alone() {
    let setup = Setup::new(&["say"], |_| None).await;
    let other = setup.cx.clone().in_session(SessionId::parse("other").unwrap());
    setup.call("say").await.unwrap();
    setup.call_in("say", &other).await.unwrap();
    assert_eq!(setup.hostile.count(|asked| asked.rpc() == "initialize"), 2);
    setup.servers.end(other.session());
    for _ in 0..100 {
        if setup.hostile.count(|asked| asked.method == "DELETE") == 1 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(setup.hostile.count(|asked| asked.method == "DELETE"), 1);
    assert_eq!(setup.servers.connections(), 1);
}
