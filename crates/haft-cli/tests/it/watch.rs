//! `haft approvals watch`: questions of clients that cannot ask, answered in another terminal.

use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{Client, bash};
use crate::support::{Haft, Running, eventually};
use crate::terminal::Terminal;

/// A program that watches.
struct Watch {
    _running: Running,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Watch {
    fn start(haft: &Haft, more: &[&str]) -> Self {
        let arguments = [&["--json", "approvals", "watch"], more].concat();
        let mut command = haft.command(&arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let (input, output) =
            (child.stdin.take().expect("it is piped"), BufReader::new(child.stdout.take().expect("it is piped")));
        let mut watch = Self { _running: Running(child), input, output };
        assert_eq!(watch.next()["event"], "watching");
        watch
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).expect("it writes"), 0, "it watches on");
        serde_json::from_str(&line).expect("it is JSON")
    }

    fn asked(&mut self) -> Value {
        let asked = self.next();
        assert_eq!(asked["event"], "asked", "{asked}");
        asked
    }

    fn answers(&mut self, id: &Value, more: &Value) {
        let mut line = more.clone();
        line["id"] = id.clone();
        writeln!(self.input, "{line}").expect("it reads");
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn a_client_that_cannot_ask_is_answered_in_another_process() {
    let haft = Haft::configured("[mcp]\nquestion_timeout = 60\n");
    let mut client = Client::connect(&haft);
    // Nobody watches: refused at once, with the way to be asked.
    let refused = client.request(2, "tools/call", &bash("touch a"))["result"].clone();
    assert!(text(&refused).contains("haft approvals watch") && text(&refused).contains("pattern"), "{refused}");

    let notified = haft.home.path("notified");
    let notify =
        format!("printf '%s|%s|%s' \"$HAFT_TOOL\" \"$HAFT_CLIENT\" \"$HAFT_QUESTION\" > '{}'", notified.display());
    let (mut watch, mut other) = (Watch::start(&haft, &["--notify", &notify]), Watch::start(&haft, &[]));
    assert!(haft.run(&["doctor"]).out.contains("answered by: 2 `haft approvals watch`"));
    let running = client.calling("touch made\u{202e}x");
    let (asked, too) = (watch.asked(), other.asked());
    assert_eq!(asked["question"][0], r"bash ASK: touch made\u{202e}x", "{asked}");
    assert_eq!(
        (&asked["client"], &asked["session_lasts"], &asked["seconds"]),
        (&json!("test"), &json!(true), &json!(60))
    );
    assert_eq!(asked["workdir"], json!(haft.workspace.root()));
    watch.answers(&asked["id"], &json!({"answer": "once"}));
    let (client, ran) = running.join().unwrap();
    assert_eq!(ran["isError"], false, "{ran}");
    assert!(haft.workspace.read("made\u{202e}x").is_some());
    assert_eq!((watch.next()["how"].clone(), other.next()["how"].clone()), (json!("taken"), json!("withdrawn")));
    other.answers(&too["id"], &json!({"answer": "always"}));
    let expected = r"bash|test|bash ASK: touch made\u{202e}x";
    assert!(eventually(|| std::fs::read_to_string(&notified).is_ok_and(|text| text.starts_with(expected))));
    let record = std::fs::read_to_string(haft.record()).unwrap();
    assert!(record.contains("\"approved_by\":\"person\""), "{record}");

    // A no with words, from the other one; what is no answer changes nothing.
    let running = client.calling("touch b");
    let (_, asked) = (watch.asked(), other.asked());
    other.answers(&asked["id"], &json!({"answer": "certainly"}));
    assert_eq!(other.next()["event"], "not_understood");
    other.answers(&asked["id"], &json!({"answer": "no", "why": "use make"}));
    let (client, refused) = running.join().unwrap();
    assert!(text(&refused).contains("the person said: use make"), "{refused}");
    watch.next();
    other.next();

    // Stored for the folder: not asked again, not by another server either.
    let running = client.calling("touch kept");
    let asked = watch.asked();
    other.asked();
    watch.answers(&asked["id"], &json!({"answer": "always"}));
    let (_client, ran) = running.join().unwrap();
    assert_eq!(ran["isError"], false, "{ran}");
    let mut next = Client::connect(&haft);
    assert_eq!(next.request(3, "tools/call", &bash("touch kept"))["result"]["isError"], false);
}

#[test]
fn whoever_is_killed_holds_nobody_up() {
    let haft = Haft::configured("[mcp]\nquestion_timeout = 2\n");
    let mut watch = Watch::start(&haft, &[]);
    // A question that nobody answers ends at its time.
    let began = Instant::now();
    let (client, refused) = Client::connect(&haft).calling("touch a").join().unwrap();
    assert!(text(&refused).contains("nobody answered"), "{refused}");
    assert!(began.elapsed().as_secs() < 20);
    watch.asked();
    watch.next();
    // A watcher that stops, and one that is killed: the call does not outlive its time either.
    let running = client.calling("touch b");
    watch.asked();
    drop(watch);
    let (mut client, refused) = running.join().unwrap();
    assert!(text(&refused).contains("nobody answered"), "{refused}");
    let refused = client.request(4, "tools/call", &bash("touch c"))["result"].clone();
    assert!(text(&refused).contains("nobody can be asked here"), "its socket is left, and nobody listens: {refused}");
    // A server that is killed takes its question along.
    let haft = Haft::new();
    let mut watch = Watch::start(&haft, &[]);
    let mut client = Client::connect(&haft);
    client.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": bash("touch d")}));
    watch.asked();
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    assert_eq!(watch.next()["how"], "withdrawn");
    // Of a client that leaves, too.
    let mut client = Client::connect(&haft);
    client.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": bash("touch e")}));
    watch.asked();
    drop(client.input.take());
    assert_eq!(watch.next()["how"], "withdrawn");
    assert!(client.child.wait().unwrap().success());
    assert!(haft.workspace.read("d").is_none() && haft.workspace.read("e").is_none());
}

#[test]
fn a_person_answers_at_a_terminal() {
    let haft = Haft::new();
    let mut terminal = Terminal::start(&haft, &["approvals", "watch"]);
    terminal.wait_for("Ctrl-C to stop\r\n");
    let running = Client::connect(&haft).calling("touch first\nrm x");
    let shown = terminal.wait_for("\r\n> ");
    assert!(shown.starts_with("\ntest in ") && shown.contains("bash ASK 1/"), "{shown}");
    assert!(shown.contains("[s] session  [a] always") || shown.contains("[y] once  [n] no"), "{shown}");
    terminal.types("e");
    terminal.wait_for("why not? ");
    terminal.types("not now");
    terminal.wait_for("the answer was taken");
    let (client, refused) = running.join().unwrap();
    assert!(text(&refused).contains("the person said: not now"), "{refused}");
    let running = client.calling("touch second");
    terminal.wait_for("\r\n> ");
    terminal.types("s");
    terminal.wait_for("the answer was taken");
    let (mut client, ran) = running.join().unwrap();
    assert_eq!(ran["isError"], false, "{ran}");
    assert_eq!(client.request(3, "tools/call", &bash("touch second"))["result"]["isError"], false, "not asked again");
}

#[test]
fn a_hook_of_a_host_that_cannot_ask_is_answered_too() {
    let haft = Haft::new();
    let input = json!({"hook_event_name": "PreToolUse", "cwd": haft.workspace.root(), "tool_name": "Bash",
        "tool_input": {"command": "touch x"}});
    let hook = || -> Value {
        let ran = haft.run_with_input(&["hook", "codex"], input.to_string().as_bytes());
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    };
    let denied = hook();
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny", "{denied}");
    let mut watch = Watch::start(&haft, &[]);
    for (answer, expected) in [("once", Value::Null), ("no", json!("deny"))] {
        let told = thread::scope(|scope| {
            let running = scope.spawn(hook);
            let asked = watch.asked();
            assert_eq!((&asked["client"], &asked["session_lasts"]), (&json!("Codex"), &json!(false)), "{asked}");
            watch.answers(&asked["id"], &json!({"answer": answer}));
            assert_eq!(watch.next()["how"], "taken");
            running.join().unwrap()
        });
        assert_eq!(told["hookSpecificOutput"]["permissionDecision"], expected, "{told}");
    }
}

#[test]
fn calls_without_a_terminal_are_answered_too() {
    let haft = Haft::new();
    let refused = haft.run(&["call", "bash", "command=touch x"]);
    assert!(refused.code == 3 && refused.err.contains("`haft approvals watch`"), "{refused:?}");
    let mut watch = Watch::start(&haft, &[]);
    for (arguments, answer, expected) in [
        (&["call", "bash", "command=touch called"][..], "once", 0),
        (&["exec", "--", "touch", "executed"], "once", 0),
        (&["exec", "--", "touch", "refused"], "no", 3),
    ] {
        let code = thread::scope(|scope| {
            let running = scope.spawn(|| haft.run(arguments).code);
            let asked = watch.asked();
            assert_eq!((&asked["client"], &asked["session_lasts"]), (&json!("haft"), &json!(false)), "{asked}");
            watch.answers(&asked["id"], &json!({ "answer": answer }));
            assert_eq!(watch.next()["how"], "taken");
            running.join().unwrap()
        });
        assert_eq!(code, expected, "{arguments:?}");
    }
    let made = ["called", "executed", "refused"].map(|name| haft.workspace.read(name).is_some());
    assert_eq!(made, [true, true, false]);
    let record = std::fs::read_to_string(haft.record()).unwrap();
    let agreed = |line: &&str| line.contains("\"approved_by\":\"person\"") && line.contains("\"decision\":\"allow\"");
    assert_eq!(record.lines().filter(agreed).count(), 2, "{record}");
}
