//! `haft mcp serve --http`, over real connections: who gets in, what each one sees, and what is
//! refused.

use std::{io::Write as _, net::TcpStream, os::unix::fs::PermissionsExt as _, time::Duration};

use serde_json::{Value, json};

use crate::http_client::{ALICE, BOB, Client, Server};
use crate::support::{BASH_ALLOWED, Haft, rule};

/// A file that names two guests, each with a folder and the second with rules.
fn guests(haft: &Haft) -> String {
    for name in ["alice", "bob"] {
        haft.workspace.file(format!("{name}/note.txt"), format!("only {name} knows\n"));
    }
    let rules = haft.home.file("bob.toml", "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"deny\"\n");
    let folder = |name: &str| haft.workspace.path(name);
    let text = format!(
        "[[guest]]\nname = \"alice\"\ntoken = \"{ALICE}\"\nworkdir = \"{}\"\n[[guest]]\nname = \"bob\"\ntoken = \"{BOB}\"\nworkdir = \"{}\"\nconfig = \"{}\"\n",
        folder("alice").display(),
        folder("bob").display(),
        rules.display(),
    );
    haft.private_file("guests.toml", &text)
}

#[test]
fn each_guest_has_tools_rules_and_sessions_of_its_own() {
    let Some(haft) = Haft::confined("") else { return };
    let file = guests(&haft);
    let server = Server::start(&haft, &["--guests", &file]);
    assert_eq!(server.token, "", "no token is made where a file has them");
    let (alice, bob) = (server.client(ALICE).greeted(), server.client(BOB).greeted());
    let read = |client: &Client<'_>, path: &str| client.call("read", &json!({"path": path}));
    assert!(read(&alice, "note.txt").contains("only alice knows"));
    assert!(read(&bob, "note.txt").contains("only bob knows"));
    let elsewhere = haft.workspace.path("bob/note.txt");
    assert!(read(&alice, elsewhere.to_str().unwrap()).contains("[tool_error]"), "a folder of another guest");
    assert!(alice.call("bash", &json!({"command": "echo hi"})).starts_with("hi"));
    assert!(bob.call("bash", &json!({"command": "echo hi"})).contains("tool_not_found"), "bob's rules deny it");

    // A session belongs to its guest.
    let stolen = Client { server: &server, bearer: format!("Bearer {BOB}"), session: alice.session.clone() };
    let list = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"});
    assert_eq!(stolen.post(&list).status(), 404);
    assert_eq!(alice.post(&list).status(), 200);
    let end = format!(
        "DELETE /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: {}\r\nMcp-Session-Id: {}\r\n\r\n",
        server.address,
        bob.bearer,
        bob.session.as_deref().unwrap(),
    );
    assert!(server.raw(end.as_bytes()).contains(" 204 "));
    assert_eq!(bob.post(&list).status(), 404, "the session is over");

    let record = std::fs::read_to_string(haft.record()).unwrap();
    assert!(record.contains("http:alice") && record.contains("http:bob"), "{record}");
}

#[test]
fn whoever_has_no_token_or_comes_from_elsewhere_is_refused() {
    let haft = Haft::configured("");
    let server = Server::start(&haft, &[]);
    assert!(server.token.len() >= 32);
    let list = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}).to_string();
    let bearer = format!("Bearer {}", server.token);
    let none = server.post(&[], &list);
    assert_eq!((none.status(), none.header("WWW-Authenticate")), (401, Some("Bearer")), "{none:?}");
    assert_eq!(server.post(&[("Authorization", &bearer[..bearer.len() - 1])], &list).status(), 401);
    assert_eq!(server.post(&[("Authorization", &bearer), ("Authorization", &bearer)], &list).status(), 401);
    let with = |name: &str, value: &str| server.post(&[("Authorization", &bearer), (name, value)], &list).status();
    assert_eq!(with("Origin", "http://evil.example"), 403);
    assert_eq!(with("Origin", "null"), 403);
    assert_eq!(with("Origin", "http://127.0.0.1:1"), 403, "another server of this machine");
    let own = format!("http://{}", server.address);
    assert_ne!(with("Origin", &own), 403, "this server itself, which has no pages");
    assert_eq!(with("Host", "evil.example"), 403);
    assert_eq!(with("Mcp-Session-Id", "made-up"), 404);
    for twice in ["Host: evil.example\r\n", "Origin: http://127.0.0.1\r\nOrigin: http://evil.example\r\n"] {
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\n{twice}Connection: close\r\nAuthorization: Bearer {}\r\nContent-Length: 2\r\n\r\n{{}}",
            server.address, server.token
        );
        let answer = server.raw(request.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("once each"), "{answer}");
    }
    let announced = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {}\r\nContent-Length: 99999999999\r\n\r\n",
        server.address, server.token
    );
    assert!(server.raw(announced.as_bytes()).starts_with("HTTP/1.1 413"), "it is not waited for");
    let get = format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", server.address);
    assert!(server.raw(get.as_bytes()).contains(" 404 "));
    let long = format!("{{\"x\":\"{}\"}}", "x".repeat(5 << 20));
    assert_eq!(server.post(&[("Authorization", &bearer)], &long).status(), 413);
    for nonsense in [&b"\x00\xff\r\n\r\n"[..], b"POST /mcp HTTP/1.1\r\nHost:", b"GET /mcp HTTP/9.9\r\n\r\n"] {
        let mut stream = TcpStream::connect(&server.address).unwrap();
        stream.write_all(nonsense).unwrap();
    }
    let client = server.client(&server.token).greeted();
    assert!(client.call("list_directory", &json!({})).len() < 1000, "others are served all the same");
}

#[test]
fn clients_without_a_handshake_share_the_session_of_their_token() {
    let haft = Haft::configured(&rule("write", "*", "allow"));
    haft.workspace.file("a.txt", "before\n");
    let server = Server::start(&haft, &[]);
    let call = |tool: &str, arguments: &Value| server.call_without_session(&server.token, tool, arguments);
    assert!(call("read", &json!({"path": "a.txt"})).contains("before"));
    // Only who has read a file may write over it: the second request knows of the first.
    let written = call("write", &json!({"path": "a.txt", "content": "after\n"}));
    assert_eq!(haft.workspace.read("a.txt").as_deref(), Some(&b"after\n"[..]), "{written}");
}

#[test]
fn what_would_be_open_to_all_is_not_served() {
    let haft = Haft::configured("");
    let check = |words: &[&str], problem: &str| {
        let ran = haft.run(&[&["mcp", "serve", "--http"], words].concat());
        assert!(ran.code == 2 && ran.err.contains(problem), "{words:?}: {ran:?}");
    };
    check(&["0.0.0.0:0"], "not a loopback address");
    check(&["127.0.0.1:0", "--tls-cert", "/nowhere", "--tls-key", "/nowhere"], "/nowhere");
    check(&["127.0.0.1:0", "--guests", "/nowhere"], "/nowhere");
    let file = |text: &str, mode: u32| {
        let file = haft.home.file("guests.toml", text);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let guest = |name: &str, token: &str| format!("[[guest]]\nname = \"{name}\"\ntoken = \"{token}\"\n");
    let good = guest("a", ALICE);
    check(&["127.0.0.1:0", "--guests", &file(&good, 0o644)], "others can read it");
    check(&["127.0.0.1:0", "--guests", &file("", 0o600)], "[[guest]]");
    check(&["127.0.0.1:0", "--guests", &file(&guest("a", "short"), 0o600)], "fewer than 32");
    check(&["127.0.0.1:0", "--guests", &file(&(good.clone() + &guest("b", ALICE)), 0o600)], "same token");
    check(&["127.0.0.1:0", "--guests", &file(&(good.clone() + &guest("a", BOB)), 0o600)], "two guests");
    check(&["127.0.0.1:0", "--guests", &file(&(good + "rols = 1\n"), 0o600)], "rols");
}

#[test]
fn the_server_ends_promptly_whatever_runs() {
    let haft = Haft::configured(BASH_ALLOWED);
    let mut server = Server::start(&haft, &[]);
    let client = server.client(&server.token).greeted();
    let params = json!({"name": "bash", "arguments": {"command": "touch begun; sleep 600"}});
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}).to_string();
    let _running = client.send("POST", "", &body);
    while haft.workspace.read("begun").is_none() {
        std::thread::sleep(Duration::from_millis(20));
    }
    rustix::process::kill_process(rustix::process::Pid::from_child(&server.running.0), rustix::process::Signal::TERM)
        .unwrap();
    let ended = std::time::Instant::now();
    let status = server.running.0.wait().unwrap();
    assert!(status.success() && ended.elapsed() < Duration::from_secs(30), "{status} after {:?}", ended.elapsed());
    let record = haft.run(&["audit", "view", "--json"]).out;
    // The call is cancelled while the server waits for it, or dropped with the server.
    let ended = ["cancelled", "dropped"].map(|outcome| format!("\"outcome\":\"{outcome}\""));
    assert!(record.contains("sleep 600") && ended.iter().any(|outcome| record.contains(outcome)), "{record}");
}
