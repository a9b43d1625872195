//! `haft top --web`: over HTTP, and in a browser where there is one.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{Haft, Running, eventually};

/// A server of the page.
struct Top {
    _running: Running,
    port: u16,
    token: String,
}

impl Top {
    fn start(haft: &Haft) -> Self {
        let mut command = haft.command(&["--json", "top", "--web"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("it says where");
        let said: Value = serde_json::from_str(&line).expect("it is JSON");
        let address = said["address"].as_str().and_then(|it| it.strip_prefix("http://127.0.0.1:")).expect("loopback");
        let (port, token) = address.split_once("/#").expect("the token is behind the hash");
        assert!(token.len() >= 32 && token.chars().all(|c| c.is_ascii_hexdigit()), "{token}");
        Self { _running: Running(child), port: port.parse().expect("a port"), token: token.to_owned() }
    }

    /// The status and the body of a request that is written as it stands.
    fn raw(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
        (status, answer)
    }

    fn asked(&self, line: &str, fields: &str, body: &str) -> (u16, String) {
        self.raw(&format!(
            "{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n{fields}\r\n{body}",
            self.port,
            body.len()
        ))
    }

    fn let_in(&self) -> String {
        format!("Authorization: Bearer {}\r\n", self.token)
    }

    fn state(&self) -> Value {
        let (status, answer) = self.asked("GET /state", &self.let_in(), "");
        assert_eq!(status, 200, "{answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").expect("a body").1).expect("it is JSON")
    }

    fn question(&self) -> Value {
        let mut found = Value::Null;
        assert!(eventually(|| {
            found = self.state()["questions"][0].clone();
            found.is_object()
        }));
        found
    }
}

#[test]
fn the_page_shows_calls_and_answers_questions_of_those_who_have_the_token() {
    let haft = Haft::configured("[mcp]\nquestion_timeout = 60\n");
    haft.home.dir(".codex");
    haft.workspace.file("a.txt", "x\n");
    let top = Top::start(&haft);
    assert_eq!(top.state()["figures"]["calls"], 0, "a record that is not there yet is an empty one");
    haft.run(&["call", "read", "path=a.txt"]);
    assert!(eventually(|| top.state()["calls"][0]["tool"] == "read"));
    let state = top.state();
    assert_eq!((&state["figures"]["calls"], &state["figures"]["decisions"]["allow"]), (&json!(1), &json!(1)));
    assert!(state["hosts"].as_array().is_some_and(|hosts| hosts.iter().any(|host| host["host"] == "Codex")), "{state}");

    let running = Client::connect(&haft).calling("touch one");
    let question = top.question();
    assert!(question["question"][0].as_str().is_some_and(|row| row.contains("touch one")), "{question}");
    let body = json!({"id": question["id"], "answer": "once"}).to_string();
    // Nobody without the token, from another page or by another name answers.
    let origin = format!("{}Origin: http://evil.example\r\n", top.let_in());
    for (fields, status) in [("", 401), ("Authorization: Bearer 0\r\n", 401), (origin.as_str(), 403)] {
        assert_eq!(top.asked("POST /answer", fields, &body).0, status);
        assert_eq!(top.asked("GET /state", fields, "").0, status);
    }
    let rebound = format!("GET /state HTTP/1.1\r\nHost: evil.example:{}\r\n{}\r\n", top.port, top.let_in());
    assert_eq!(top.raw(&rebound).0, 403);
    for odd in ["\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nHost 1\r\n\r\n"] {
        assert_eq!(top.raw(odd).0, 400, "{odd:?}");
    }
    assert_eq!(top.asked("POST /answer", &top.let_in(), "no JSON").0, 400);
    assert_eq!(top.asked("POST /answer", &top.let_in(), &json!({"id": 999, "answer": "once"}).to_string()).0, 409);
    assert!(!haft.workspace.path("one").exists(), "none of that was an answer");

    assert_eq!(top.asked("POST /answer", &top.let_in(), &body).0, 204);
    let (client, ran) = running.join().unwrap();
    assert_eq!(ran["isError"], false, "{ran}");
    assert!(eventually(|| top.state()["questions"] == json!([])));
    let running = client.calling("touch two");
    let no = json!({"id": top.question()["id"], "answer": "no", "why": "use make"}).to_string();
    assert_eq!(top.asked("POST /answer", &top.let_in(), &no).0, 204);
    let (_, refused) = running.join().unwrap();
    assert!(refused.to_string().contains("the person said: use make"), "{refused}");

    let (status, page) = top.asked("GET /", "", "");
    assert!(status == 200 && !page.contains(&top.token), "the page itself holds nothing: {page}");
    for part in ["default-src 'none'", "frame-ancestors 'none'", "Cache-Control: no-store"] {
        assert!(page.contains(part), "{page}");
    }
    assert!(!page.contains("innerHTML") && !page.contains("https://"), "text stays text, and nothing is loaded");
}

#[test]
fn connections_that_send_no_request_hold_up_nobody() {
    let haft = Haft::new();
    let top = Top::start(&haft);
    let half = |text: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", top.port)).expect("it listens");
        stream.write_all(text.as_bytes()).expect("it reads");
        stream
    };
    let host = format!("POST /answer HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", top.port);
    let body = format!("{host}{}Content-Length: 9\r\n\r\n", top.let_in());
    let silent: Vec<TcpStream> = (0..40).flat_map(|_| ["", &host, &body].map(half)).collect();
    for _ in 0..3 {
        assert_eq!(top.state()["questions"], json!([]));
    }
    drop(silent);
}

#[test]
fn calls_and_jobs_are_shown_while_they_run() {
    let haft = Haft::configured("[tools.permissions]\nbash = [{ pattern = \"*\", action = \"allow\" }]\n");
    let top = Top::start(&haft);
    assert_eq!(top.state()["running"], json!([]));
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let mut client = Client::connect(&haft);
    let job = json!({"name": "bash", "arguments": {"command": "sleep 300", "background": true}});
    let started = client.request(5, "tools/call", &job);
    assert_eq!(started["result"]["isError"], false, "{started}");
    let command = "until test -e go; do sleep 0.1; done; : ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let running = client.calling(command);
    let mut state = Value::Null;
    assert!(eventually(|| {
        state = top.state()["running"].clone();
        state.as_array().is_some_and(|rows| rows.len() == 2)
    }));
    let rows = state.as_array().expect("there are two");
    let job = rows.iter().find(|row| row["job"] == "job-1").expect("the job is shown");
    assert_eq!((&job["tool"], &job["about"]), (&json!("bash"), &json!("sleep 300")));
    let call = rows.iter().find(|row| row["job"].is_null()).expect("the call is shown");
    assert!(call["about"].as_str().is_some_and(|about| about.contains("until test -e go")), "{call}");
    assert!(!state.to_string().contains(secret), "{state}");
    assert!(call["workdir"].as_str().is_some_and(|folder| haft.workspace.path("").starts_with(folder)), "{call}");

    haft.workspace.file("go", "");
    let (client, ran) = running.join().unwrap();
    assert_eq!(ran["isError"], false, "{ran}");
    assert!(eventually(|| top.state()["running"].as_array().is_some_and(|rows| rows.len() == 1)));
    // What a killed process ran is not shown, whatever it left behind.
    let mut client = client;
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    assert!(eventually(|| top.state()["running"] == json!([])));
}

#[test]
fn a_browser_shows_the_page() {
    let Some(browser) = tools_testkit::program(&["chromium", "chromium-browser", "google-chrome"]) else {
        eprintln!("SKIPPED: no chromium is installed, the page was not looked at");
        return;
    };
    let haft = Haft::configured("[tools.permissions]\nbash = [{ pattern = \"*\", action = \"allow\" }]\n");
    let hostile = "<img src=x onerror=\"document.title='pwned'\">";
    haft.workspace.file("a.txt", "x\n");
    haft.run(&["call", "read", "path=a.txt"]);
    haft.run(&["call", "bash", &format!("command=echo '{hostile}'"), "--yes"]);
    let mut client = Client::connect(&haft);
    let job = json!({"command": format!("sleep 300; echo '{hostile}'"), "background": true});
    let started = client.call("bash", &job);
    assert!(started.to_string().contains("job-1"), "{started}");
    let top = Top::start(&haft);
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "90"]).arg(browser);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]);
    command.args(["--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom"]);
    command.arg(format!("--user-data-dir={}", haft.home.dir("profile").display()));
    command.arg(format!("http://127.0.0.1:{}/#{}", top.port, top.token)).stdin(Stdio::null());
    let output = command.output().expect("`timeout` starts");
    let (document, console) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!console.contains("CONSOLE"), "{console}");
    assert!(document.contains("<td>read</td>") && document.contains("<td>job-1</td>"), "{document}");
    assert!(document.contains("audit.jsonl"), "{document}");
    assert!(document.contains("<title>haft top</title>") && !document.contains("<img"), "{document}");
    assert!(!document.contains(&top.token), "the token is out of the address and nowhere else");
}
