//! `haft mcp serve --http` over time: limits, streams that are taken up again, certificates,
//! guests that change while it runs, and that no store of one guest is another's.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::http_client::{ALICE, BOB, Client, Server, certificate};
use crate::support::{Haft, eventually};

const ALLOW: &str = "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n[[tools.permissions.write]]\npattern = \"*\"\naction = \"allow\"\n";

/// A file of guests, each with its token and the workspace of the test.
fn guests(haft: &Haft, guests: &[(&str, &str)]) -> String {
    let guest = |(name, token): &(&str, &str)| format!("[[guest]]\nname = \"{name}\"\ntoken = \"{token}\"\n");
    haft.private_file("guests.toml", &guests.iter().map(guest).collect::<String>())
}

fn list() -> Value {
    json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"})
}

#[test]
fn sessions_bodies_and_rest_are_limited() {
    let haft = Haft::configured("");
    let server = Server::start(&haft, &["--max-sessions", "2", "--idle", "2", "--max-body", "2000"]);
    let clients = [server.client(&server.token).greeted(), server.client(&server.token).greeted()];
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}});
    let third = server.client(&server.token).post(&hello);
    assert_eq!((third.status(), third.header("Retry-After")), (503, Some("30")), "{third:?}");
    assert_eq!(clients[0].post(&list()).status(), 200, "others are served all the same");
    let long = json!({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": {"_meta": {"x": "x".repeat(2000)}}});
    assert_eq!(clients[0].post(&long).status(), 413);
    // A session is busy while it is asked: only when all rest is there room again.
    assert!(eventually(|| {
        std::thread::sleep(Duration::from_millis(500));
        server.client(&server.token).post(&hello).status() == 200
    }));
    assert!(clients.iter().any(|client| client.post(&list()).status() == 404), "a session that rested is over");
}

/// Sends a request as a client whose connection stays open, and gives what comes back.
fn stream(client: &Client<'_>, method: &str, headers: &str, body: &str) -> impl Iterator<Item = String> + use<> {
    BufReader::new(client.send(method, headers, body)).lines().map_while(Result::ok)
}

/// The answer to request 7 that a stream brings, if it does.
fn answer(mut events: impl Iterator<Item = String>) -> Option<Value> {
    events.find_map(|line| {
        let message: Value = serde_json::from_str(line.strip_prefix("data:")?.trim()).ok()?;
        (message["id"] == 7).then_some(message)
    })
}

#[test]
fn an_answer_whose_connection_broke_is_had_by_the_last_event() {
    let Some(haft) = Haft::confined(ALLOW) else { return };
    let server = Server::start(&haft, &[]);
    for (round, has_ended) in [(1, false), (2, true)] {
        let client = server.client(&server.token).greeted();
        let command =
            format!("touch begun{round}; while [ ! -e go{round} ]; do sleep 0.05; done; echo finished {round}");
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": "bash", "arguments": {"command": command}}});
        let mut events = stream(&client, "POST", "", &call.to_string());
        let last =
            events.find_map(|line| line.strip_prefix("id:").map(|id| id.trim().to_owned())).expect("events have ids");
        assert!(eventually(|| haft.workspace.read(format!("begun{round}")).is_some()));
        drop(events);
        haft.workspace.file(format!("go{round}"), "");
        if has_ended {
            // It is on record just before its answer is sent. What is asked next is answered later.
            assert!(eventually(|| fs::read_to_string(haft.record()).is_ok_and(|lines| lines.contains("finished 2"))));
            assert!(client.call("bash", &json!({"command": "echo next"})).starts_with("next"));
        }
        let headers = format!("Last-Event-ID: {last}\r\n");
        let answer = answer(stream(&client, "GET", &headers, "")).expect("the answer comes after all");
        assert_eq!(
            answer["result"]["content"][0]["text"].as_str().map(str::trim_end),
            Some(&*format!("finished {round}")),
            "{answer}"
        );
        // Another session has nothing to take up there.
        let other = server.client(&server.token).greeted();
        let mut foreign = stream(&other, "GET", &headers, "");
        let status = foreign.next().expect("it is answered");
        let tells = !status.contains(" 200 ") || !foreign.take(6).any(|line| line.contains("finished"));
        assert!(tells, "{status}");
    }
}

#[test]
fn a_call_may_take_longer_than_a_session_may_rest() {
    let Some(haft) = Haft::confined(ALLOW) else { return };
    let server = Server::start(&haft, &["--idle", "1"]);
    let client = server.client(&server.token).greeted();
    assert!(client.call("bash", &json!({"command": "sleep 3; echo finished"})).starts_with("finished"));
}

#[test]
fn guests_change_without_a_restart_and_a_wrong_file_changes_nothing() {
    let Some(haft) = Haft::confined(ALLOW) else { return };
    let file = guests(&haft, &[("alice", ALICE), ("bob", BOB)]);
    let server = Server::start(&haft, &["--guests", &file]);
    let hangup = || kill_process(Pid::from_child(&server.running.0), Signal::HUP).expect("it runs");
    let (alice, bob) = (server.client(ALICE).greeted(), server.client(BOB).greeted());

    fs::write(&file, "[[guest]]\nname = \"alice\"\n").expect("it is written");
    hangup();
    assert!(eventually(|| server.said().contains("the guests stay as they were")), "{}", server.said());
    assert_eq!((alice.post(&list()).status(), bob.post(&list()).status()), (200, 200));

    let carol = "carol-0123456789-0123456789-0123456789";
    guests(&haft, &[("alice", ALICE), ("carol", carol)]);
    hangup();
    assert!(eventually(|| server.said().contains("guests: alice, carol")), "{}", server.said());
    assert_eq!(alice.post(&list()).status(), 200, "who stays keeps the session");
    assert_eq!(bob.post(&list()).status(), 401, "who is gone may not enter");
    assert!(server.client(carol).greeted().call("bash", &json!({"command": "echo hi"})).starts_with("hi"));
}

#[test]
fn no_store_of_a_guest_is_another_guests() {
    if !tools_testkit::namespaces() {
        return;
    }
    let secret = ["gh", "p_", "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx"].concat();
    let haft = Haft::configured(&format!(
        "{ALLOW}[tools]\nmax_tool_calls_per_session = 9\n[tools.filters]\nenabled = false\n"
    ));
    haft.workspace.file("a.env", format!("TOKEN={secret}\n"));
    let file = guests(&haft, &[("alice", ALICE), ("bob", BOB)]);
    // One folder, one configuration, one state folder: what keeps them apart is not where they are.
    let server = Server::start(&haft, &["--guests", &file]);
    let (alice, bob) = (server.client(ALICE).greeted(), server.client(BOB).greeted());

    let long = alice.call("bash", &json!({"command": "seq 1 20000"}));
    let reference = long.split("ref ").nth(1).and_then(|rest| rest.strip_suffix(']')).expect("it is stored");
    assert!(alice.call("read_overflow", &json!({"ref": reference, "limit": 1})).starts_with("1\n"));
    assert!(
        bob.call("read_overflow", &json!({"ref": reference})).contains("no stored output of this reference"),
        "output"
    );
    let foreign = bob.request("resources/read", &json!({"uri": reference}));
    assert_eq!(foreign["error"]["code"], -32002, "resources: {foreign}");

    let job = alice.call("bash", &json!({"command": "echo only-alice; sleep 60", "background": true}));
    let id = job
        .split(|character: char| !character.is_alphanumeric() && character != '_' && character != '-')
        .find(|word| word.starts_with("job"))
        .map(str::to_owned);
    let id = id.filter(|id| id != "job").unwrap_or_else(|| panic!("{job}"));
    let mine = alice.call("job_read", &json!({"id": id, "wait_ms": 5000}));
    assert!(mine.contains("only-alice"), "{job}\n{mine}");
    let theirs = bob.call("job_read", &json!({"id": id}));
    assert!(theirs.contains("[tool_error]") && !theirs.contains("only-alice"), "jobs: {theirs}");

    let shown = alice.call("read", &json!({"path": "a.env"}));
    let placeholder =
        shown.split("TOKEN=").nth(1).and_then(|rest| rest.lines().next()).expect("it is shown").to_owned();
    assert!(placeholder.starts_with("«secret:") && !shown.contains(&secret), "{shown}");
    let stolen = bob.call("write", &json!({"path": "stolen.txt", "content": format!("{placeholder}\n")}));
    let written = haft.workspace.read("stolen.txt").map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(!written.unwrap_or_default().contains(&secret), "placeholders: {stolen}");

    let echo = json!({"command": "echo hi"});
    assert!(
        (0..10).any(|_| alice.call("bash", &echo).contains("calls of this session are used")),
        "alice used up hers"
    );
    assert!(bob.call("bash", &echo).starts_with("hi"), "quota");
    let foreign = bob.request("resources/read", &json!({"uri": "audit:session"}));
    assert!(!foreign.to_string().contains("seq 1 20000"), "record: {foreign}");
}

#[test]
fn a_request_that_comes_to_another_server_is_told_which_one_has_its_session() {
    let Some(haft) = Haft::confined(ALLOW) else { return };
    let file = guests(&haft, &[("alice", ALICE)]);
    let start = |name| Server::start(&haft, &["--guests", &file, "--name", name]);
    let (one, two) = (start("one"), start("two"));
    let client = one.client(ALICE).greeted();
    assert!(client.call("bash", &json!({"command": "echo hi"})).starts_with("hi"));
    let session = client.session.clone().expect("it was greeted");
    assert!(session.starts_with("one."), "{session}");
    assert_eq!(client.post(&list()).header("Haft-Server"), Some("one"));
    // Any balancer may bring it to the other one.
    let elsewhere = Client { server: &two, bearer: client.bearer.clone(), session: Some(session.clone()) };
    let answer = elsewhere.post(&list());
    assert_eq!((answer.status(), answer.header("Haft-Server")), (404, Some("one")), "{answer:?}");
    assert!(
        answer.0.contains("\"code\":\"session_elsewhere\"") && answer.0.contains("\"server\":\"one\""),
        "{answer:?}"
    );
    // A client that begins anew there has a session of that server.
    let anew = two.client(ALICE).greeted();
    assert!(anew.session.as_deref().is_some_and(|session| session.starts_with("two.")));
    // An id under the name of the other server belongs to no session, and neither does another id
    // under the right name.
    let (_, id) = session.split_once('.').expect("it has a name");
    for id in [format!("two.{id}"), format!("one.{}", "0".repeat(36))] {
        let lost = Client { server: &two, bearer: client.bearer.clone(), session: Some(id) };
        assert_eq!(lost.post(&list()).status(), 404);
    }
    // A client without sessions names the server whose jobs and undo it means.
    let named = |name: &str| {
        let headers = [("Authorization", client.bearer.as_str()), ("Haft-Server", name)];
        two.post(&headers, &list().to_string())
    };
    let answer = named("one");
    assert_eq!((answer.status(), answer.header("Haft-Server")), (404, Some("one")), "{answer:?}");
    assert!(answer.0.contains("\"code\":\"session_elsewhere\""), "{answer:?}");
    assert_ne!(named("two").status(), 404);
    assert_ne!(named("No name").status(), 404, "what is no name leads nowhere");
    let refused = haft.run(&["mcp", "serve", "--http", "127.0.0.1:0", "--name", "not a name"]);
    assert!(refused.code != 0 && refused.err.contains("the name of a server is"), "{refused:?}");
}

/// What `openssl s_client` says and gets for a request.
fn over_tls(haft: &Haft, address: &str, request: &str) -> String {
    let mut client = Command::new("openssl");
    client.args([
        "s_client",
        "-connect",
        address,
        "-servername",
        "localhost",
        "-verify_hostname",
        "localhost",
        "-ign_eof",
        "-CAfile",
    ]);
    client.arg(haft.home.path("cert.pem")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut client = client.spawn().expect("it was there before");
    client.stdin.take().expect("it is piped").write_all(request.as_bytes()).expect("it reads");
    String::from_utf8_lossy(&client.wait_with_output().expect("it ends").stdout).into_owned()
}

#[test]
fn a_certificate_from_files_is_used_and_renewed() {
    let haft = Haft::configured("");
    if !certificate(&haft, "first") {
        eprintln!("skipped: there is no openssl that makes certificates");
        return;
    }
    let (cert, key) = (haft.home.path("cert.pem"), haft.home.path("key.pem"));
    let file = guests(&haft, &[("alice", ALICE)]);
    let [cert_path, key_path] = [&cert, &key].map(|path| path.to_str().expect("it is text"));
    let options = ["--tls-cert", cert_path, "--tls-key", key_path, "--guests", &file];
    let server = Server::start(&haft, &options);
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}).to_string();
    let request = |token: &str| {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{ping}",
            server.address,
            ping.len()
        )
    };
    let refused = over_tls(&haft, &server.address, &request(BOB));
    assert!(refused.contains("Verify return code: 0 (ok)") && refused.contains(" 401 "), "{refused}");
    let answered = over_tls(&haft, &server.address, &request(ALICE));
    assert!(answered.contains("HTTP/1.1 ") && !answered.contains(" 401 "), "{answered}");
    let plain = server.raw(request(ALICE).as_bytes());
    assert!(!plain.contains("HTTP/1.1"), "nothing is served unencrypted: {plain}");

    let hangup = || kill_process(Pid::from_child(&server.running.0), Signal::HUP).expect("it runs");
    let whole = fs::read(&cert).expect("it is there");
    fs::write(&cert, "no certificate").expect("it is written");
    hangup();
    assert!(eventually(|| server.said().contains("the certificate stays as it was")), "{}", server.said());
    fs::write(&cert, whole).expect("it is written");
    // Versions of openssl differ in their blanks.
    let kept = over_tls(&haft, &server.address, &request(BOB)).replace(' ', "");
    assert!(kept.contains("CN=first"), "{kept}");
    assert!(certificate(&haft, "second"));
    hangup();
    assert!(eventually(|| server.said().contains("the certificate was read again")), "{}", server.said());
    let renewed = over_tls(&haft, &server.address, &request(BOB));
    assert!(renewed.contains("second") && renewed.contains(" 401 "), "{renewed}");
}

#[test]
fn a_second_request_of_one_id_does_not_take_the_answer_of_the_first() {
    let Some(haft) = Haft::confined(ALLOW) else { return };
    let server = Server::start(&haft, &[]);
    let client = server.client(&server.token).greeted();
    let call = |command: &str| {
        let params = json!({"name": "bash", "arguments": {"command": command}});
        json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": params}).to_string()
    };
    let waits = "touch begun; while [ ! -e go ]; do sleep 0.05; done; echo first";
    let mut first = stream(&client, "POST", "", &call(waits));
    assert!(eventually(|| haft.workspace.read("begun").is_some()));
    let second = stream(&client, "POST", "Connection: close\r\n", &call("echo second")).collect::<Vec<_>>().join("\n");
    assert!(second.contains("has not been answered yet") && !second.contains("second"), "{second}");
    haft.workspace.file("go", "");
    let answer = first.find(|line| line.contains("\"result\"")).expect("the first is answered");
    assert!(answer.contains("first"), "{answer}");
}
