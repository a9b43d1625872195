//! Logins at MCP servers through the binary: a server that wants one, and its authorization server,
//! in one; the browser is a few requests.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{Haft, Ran, finished};

/// What the server knows and counts.
#[derive(Default)]
struct Issued {
    count: usize,
    access: String,
    refresh: String,
    refreshes: usize,
    /// Whether an old refresh token came.
    was_reused: bool,
    revoked: usize,
}

impl Issued {
    fn issue(&mut self) -> (u16, String, String) {
        self.count += 1;
        self.access = format!("acc3ss-{}-0123456789", self.count);
        self.refresh = format!("r3fresh-{}-0123456789", self.count);
        let tokens = json!({"access_token": self.access, "refresh_token": self.refresh, "token_type": "Bearer", "expires_in": 3600});
        (200, String::new(), tokens.to_string())
    }
}

struct Server {
    address: String,
    issued: Arc<Mutex<Issued>>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback listens");
        let address = listener.local_addr().expect("it is bound").to_string();
        let issued: Arc<Mutex<Issued>> = Arc::default();
        let (known, own) = (Arc::clone(&issued), address.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (known, own) = (Arc::clone(&known), own.clone());
                std::thread::spawn(move || served(stream, &known, &own));
            }
        });
        Self { address, issued }
    }

    fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// The access token is taken no more.
    fn expire(&self) {
        self.issued.lock().expect("nobody panicked").access = String::new();
    }

    /// Neither is the refresh token.
    fn revoke(&self) {
        self.expire();
        self.issued.lock().expect("nobody panicked").refresh = String::new();
    }
}

fn served(stream: TcpStream, issued: &Mutex<Issued>, own: &str) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut first = String::new();
        stream.read_line(&mut first).ok().filter(|read| *read > 0)?;
        let (mut length, mut sent) = (0, String::new());
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().ok()?,
                "authorization" => value.trim_start_matches("Bearer ").clone_into(&mut sent),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).ok()?;
        let target = first.split(' ').nth(1)?;
        let (status, headers, text) =
            answer(target, &sent, &String::from_utf8_lossy(&body), &mut issued.lock().expect("nobody panicked"), own);
        let head = format!(
            "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}\r\n",
            text.len()
        );
        stream.get_mut().write_all(format!("{head}{text}").as_bytes()).ok()?;
    }
}

fn answer(target: &str, sent: &str, body: &str, issued: &mut Issued, own: &str) -> (u16, String, String) {
    let base = format!("http://{own}");
    let said = |value: Value| (200, String::new(), value.to_string());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match path {
        "/.well-known/oauth-protected-resource/mcp" => said(
            json!({"resource": format!("{base}/mcp"), "authorization_servers": [base], "scopes_supported": ["read"]}),
        ),
        "/.well-known/oauth-authorization-server" => said(json!({
            "issuer": base, "authorization_endpoint": format!("{base}/authorize"), "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"), "revocation_endpoint": format!("{base}/revoke"),
            "code_challenge_methods_supported": ["S256"],
        })),
        "/register" => (201, String::new(), json!({"client_id": "c"}).to_string()),
        "/revoke" => {
            issued.revoked += 1;
            said(json!({}))
        }
        "/authorize" => {
            let field = |name: &str| {
                query.split('&').find_map(|field| field.strip_prefix(name)?.strip_prefix('=')).expect("it is whole")
            };
            let back = field("redirect_uri").replace("%3A", ":").replace("%2F", "/");
            (302, format!("Location: {back}?code=c0de-once&state={}\r\n", field("state")), String::new())
        }
        "/token" if body.contains("authorization_code") => issued.issue(),
        "/token" if !issued.refresh.is_empty() && body.contains(&issued.refresh) => {
            issued.refreshes += 1;
            issued.issue()
        }
        "/token" => {
            issued.was_reused = !issued.refresh.is_empty();
            (400, String::new(), json!({"error": "invalid_grant", "error_description": body}).to_string())
        }
        "/mcp" if issued.access.is_empty() || sent != issued.access => {
            let challenge = format!(
                "WWW-Authenticate: Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"\r\n"
            );
            (401, challenge, String::new())
        }
        "/mcp" => {
            let asked: Value = serde_json::from_str(body).unwrap_or_default();
            let result = match asked["method"].as_str().unwrap_or_default() {
                "initialize" => json!({
                    "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "far", "version": "1"},
                }),
                "tools/list" => json!({"tools": [{"name": "say", "inputSchema": {"type": "object"}}]}),
                // What it was sent is what it says: nobody may see it.
                "tools/call" => json!({"content": [{"type": "text", "text": format!("done {sent}")}]}),
                "server/discover" => {
                    return (
                        404,
                        String::new(),
                        json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}})
                            .to_string(),
                    );
                }
                _ => return (202, String::new(), String::new()),
            };
            said(json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
        }
        _ => (404, String::new(), String::new()),
    }
}

/// A request of a browser; the address that it is sent on to.
fn visit(url: &str) -> Option<String> {
    let (authority, target) = url.strip_prefix("http://")?.split_once('/')?;
    let mut stream = TcpStream::connect(authority).ok()?;
    write!(stream, "GET /{target} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n").ok()?;
    let mut reader = BufReader::new(stream);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if let Some(location) = line.strip_prefix("Location: ") {
            return Some(location.trim_end().to_owned());
        }
        if line.trim_end().is_empty() {
            return None;
        }
    }
}

/// Logs in, as a person does who follows the address.
fn log_in(haft: &Haft) -> Ran {
    let mut command = haft.command(&["--json", "mcp", "login", "far"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("curl runs");
    let mut output = BufReader::new(child.stdout.take().expect("it is there"));
    let mut line = String::new();
    output.read_line(&mut line).expect("it is there");
    let said: Value = serde_json::from_str(&line).unwrap_or_default();
    if let Some(back) = said["url"].as_str().and_then(visit) {
        visit(&back);
    }
    output.read_to_string(&mut line).expect("it is there");
    let ended = child.wait_with_output().expect("it is there");
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    Ran { code: ended.status.code().unwrap_or(-1), out: line, err }
}

fn call(client: &mut Client) -> Value {
    client.call("mcp_far_say", &json!({}))
}

#[test]
fn a_gateway_uses_renews_and_misses_a_login() {
    let server = Server::start();
    let haft = Haft::configured("");
    let added = haft.run(&["mcp", "add", "far", "--url", &server.url()]);
    assert!(added.code == 0 && added.out.contains("it wants a login: `haft mcp login far`"), "{added:?}");
    let tested = haft.run(&["--json", "mcp", "test"]);
    assert_eq!((tested.code, tested.json()["code"].as_str()), (1, Some("auth_failure")), "{tested:?}");
    assert!(tested.out.contains("`haft mcp login far`"), "{tested:?}");
    let login = log_in(&haft);
    assert!(login.code == 0 && login.out.contains(r#""ok":true"#), "{login:?}");
    let tested = haft.run(&["mcp", "test"]);
    assert!(tested.code == 0 && tested.out.contains("1 tools"), "{tested:?}");
    let listed = haft.run(&["--json", "mcp", "list"]);
    assert_eq!(listed.json()["logged_in"], true, "{listed:?}");

    let mut client = Client::connect_answering(&haft, Some("once"));
    let first = call(&mut client);
    assert!(first.to_string().contains("done [secret]"), "{first}");
    server.expire();
    let renewed = call(&mut client);
    assert!(renewed.to_string().contains("done"), "{renewed}");
    assert_eq!(server.issued.lock().unwrap().refreshes, 1);
    server.revoke();
    let over = call(&mut client);
    assert!(over["isError"] == true && over.to_string().contains("`haft mcp login far`"), "{over}");
    assert!(over.to_string().contains("mcp_auth_failure"), "{over}");
    // The login of another process is used by the one that serves.
    let again = log_in(&haft);
    assert_eq!(again.code, 0, "{again:?}");
    let back = call(&mut client);
    assert!(back.to_string().contains("done"), "{back}");

    let doctor = haft.run(&["--json", "doctor"]);
    let record = fs::read_to_string(haft.record()).unwrap();
    let stderr = fs::read_to_string(haft.home.path("stderr")).unwrap();
    let shown = [&login.out, &login.err, &tested.out, &tested.err, &listed.out, &doctor.out, &record, &stderr];
    for text in shown.into_iter().cloned().chain([first, renewed, over, back].map(|answer| answer.to_string())) {
        assert!(!text.contains("acc3ss-") && !text.contains("r3fresh-") && !text.contains("c0de-once"), "{text}");
    }

    let out = haft.run(&["mcp", "logout", "far"]);
    assert!(out.code == 0 && out.out.contains("logged out"), "{out:?}");
    assert_eq!(server.issued.lock().unwrap().revoked, 1);
    let missed = call(&mut client);
    assert!(missed["isError"] == true && missed.to_string().contains("`haft mcp login far`"), "{missed}");
    assert!(haft.run(&["mcp", "logout", "far"]).out.contains("there is no login"));
}

#[test]
fn the_file_of_a_login_is_this_users_and_no_tools() {
    let server = Server::start();
    let haft = Haft::configured(&format!("[[mcp.servers]]\nid = \"far\"\nurl = \"{}\"\n", server.url()));
    assert_eq!(log_in(&haft).code, 0);
    let folder = haft.home.path(".local/state/haft/mcp-logins");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = fs::read_dir(&folder)
        .unwrap()
        .flatten()
        .map(|file| file.path())
        .find(|path| path.extension().is_some_and(|end| end == "json"));
    let file = file.unwrap();
    assert_eq!((mode(&folder), mode(&file)), (0o700, 0o600));
    assert!(fs::read_to_string(&file).unwrap().contains("r3fresh-"));
    let path = file.to_str().unwrap();
    for words in [
        vec!["--json", "call", "read", "--yes", &format!("path={path}")],
        vec!["--json", "call", "bash", "--yes", &format!("command=cat {path}; ls {}", folder.display())],
        vec!["--json", "call", "grep", "--yes", "pattern=r3fresh", &format!("path={}", folder.display())],
    ] {
        let ran = haft.run(&words);
        assert!(!ran.out.contains("r3fresh-") && !ran.err.contains("r3fresh-"), "{words:?}: {ran:?}");
    }
    let removed = haft.run(&["mcp", "remove", "far"]);
    assert!(removed.code == 0 && !file.exists(), "{removed:?}");
}

#[test]
fn processes_that_renew_at_once_lose_no_token() {
    let server = Server::start();
    let haft = Haft::configured(&format!("[[mcp.servers]]\nid = \"far\"\nurl = \"{}\"\n", server.url()));
    assert_eq!(log_in(&haft).code, 0);
    for round in 1..=3 {
        server.expire();
        let ran: Vec<Ran> = std::thread::scope(|scope| {
            let calls: Vec<_> =
                (0..4).map(|_| scope.spawn(|| haft.run(&["--json", "call", "mcp_far_say", "--yes", "{}"]))).collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        });
        for ran in ran {
            assert!(ran.code == 0 && ran.out.contains("done"), "{ran:?}");
        }
        let issued = server.issued.lock().unwrap();
        assert!(issued.refreshes == round && !issued.was_reused, "{} renewals in {round} rounds", issued.refreshes);
    }
}

#[test]
fn what_is_no_login_is_said() {
    let text = "[[mcp.servers]]\nid = \"program\"\ncommand = \"true\"\n\n[[mcp.servers]]\nid = \"fixed\"\nurl = \"https://example.com/mcp\"\ntoken_env = \"T\"\n\n[[mcp.servers]]\nid = \"gone\"\nurl = \"http://127.0.0.1:1/mcp\"\n";
    let haft = Haft::configured(text);
    for (id, part) in [
        ("program", "a program"),
        ("fixed", "comes from its section"),
        ("none", "no server `none`"),
        ("gone", "the server: "),
    ] {
        let ran = finished(haft.command(&["mcp", "login", id]));
        assert!(ran.code != 0 && ran.err.contains(part), "{id}: {ran:?}");
    }
    assert!(haft.run(&["mcp", "logout", "gone"]).out.contains("there is no login"));
    let wrong = Haft::configured(
        "[[mcp.servers]]\nid = \"a\"\nurl = \"https://example.com/mcp\"\noauth = { client_id = \"a\", client_secret_env = \"S\" }\n",
    );
    let ran = wrong.run(&["mcp", "list"]);
    assert!(ran.code != 0 && ran.err.contains("mcp.servers[0].oauth") && ran.err.contains("`issuer`"), "{ran:?}");
}
