//! `haft mcp serve` as a client sees it, and what is left when the client goes.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::support::{Haft, eventually, processes_with};

struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn connect(haft: &Haft) -> Self {
        let mut child = haft
            .command(&["mcp", "serve", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut client = Self { child, input, output };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        });
        let answer = client.request(1, "initialize", &hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("the server listens");
    }

    fn request(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("the server answers"), 0, "the server is gone");
            let message: Value = serde_json::from_str(&line).expect("nothing but JSON on standard output");
            if message["id"] == id {
                return message;
            }
        }
    }
}

#[test]
fn tools_are_listed_and_called_and_questions_without_a_person_are_refused() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "hello\n");
    let mut client = Client::connect(&haft);
    let listed = client.request(2, "tools/list", &json!({}));
    let names: Vec<&str> =
        listed["result"]["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(names.starts_with(&["bash", "read"]), "{names:?}");
    assert_eq!(listed["result"]["tools"][1]["annotations"]["readOnlyHint"], true);

    let read = client.request(3, "tools/call", &json!({"name": "read", "arguments": {"path": "a.txt"}}));
    assert!(read["result"]["content"][0]["text"].as_str().unwrap().contains("hello"), "{read}");
    assert_eq!(read["result"]["structuredContent"], Value::Null);

    let asked = client.request(4, "tools/call", &json!({"name": "bash", "arguments": {"command": "touch made"}}));
    assert_eq!(asked["result"]["isError"], true, "{asked}");
    assert!(asked["result"]["content"][0]["text"].as_str().unwrap().contains("confirmation_required"), "{asked}");
    assert_eq!(haft.workspace.read("made"), None);
}

#[test]
fn words_that_are_wrong_are_told() {
    let haft = Haft::new();
    let ran = haft.run(&["mcp", "serve", "--wrokdir", "x"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("--wrokdir") && ran.err.contains("--workdir"), "{ran:?}");
    assert!(haft.run(&["mcp", "serve", "--help"]).out.contains("Usage: haft mcp serve"));
}

#[test]
fn a_client_that_goes_in_the_middle_of_a_call_leaves_nothing_running_and_a_line() {
    let haft = Haft::configured("[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n");
    let mark = format!("88{}", std::process::id());
    let mut client = Client::connect(&haft);
    let command = format!("setsid sleep {mark} & sleep {mark}");
    let call = json!({"name": "bash", "arguments": {"command": command}});
    client.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}));
    assert!(eventually(|| processes_with(&mark) > 0), "the command starts");
    client.input = None;
    assert!(eventually(|| client.child.try_wait().unwrap().is_some()), "the server ends");
    assert_eq!(processes_with(&mark), 0);
    let record = std::fs::read_to_string(haft.record()).unwrap();
    assert!(record.lines().any(|line| line.contains("\"error_category\":\"cancelled\"")), "{record}");
}
