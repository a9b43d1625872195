//! A client of `haft mcp serve`: what it sends, and what it is asked.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};

use crate::support::Haft;

/// What a request to run a command asks for.
pub(crate) fn bash(command: &str) -> Value {
    json!({"name": "bash", "arguments": {"command": command}})
}

/// A client on the other end of pipes.
pub(crate) struct Client {
    pub(crate) child: Child,
    pub(crate) input: Option<ChildStdin>,
    pub(crate) output: BufReader<ChildStdout>,
    /// What the person behind it answers; `None` for a client that cannot ask.
    answer: Option<&'static str>,
    /// The messages of the questions so far.
    pub(crate) asked: Vec<String>,
}

impl Client {
    pub(crate) fn connect(haft: &Haft) -> Self {
        Self::connect_answering(haft, None)
    }

    pub(crate) fn connect_answering(haft: &Haft, answer: Option<&'static str>) -> Self {
        Self::connect_as(haft, answer, "test")
    }

    /// A client of this name.
    pub(crate) fn connect_as(haft: &Haft, answer: Option<&'static str>, name: &str) -> Self {
        Self::connect_to(haft.command(&["mcp", "serve", "--stdio"]), &haft.home.path("stderr"), answer, name)
    }

    /// A client with these capabilities.
    pub(crate) fn connect_declaring(haft: &Haft, capabilities: &Value) -> Self {
        let command = haft.command(&["mcp", "serve", "--stdio"]);
        Self::greeted(command, &haft.home.path("stderr"), None, "test", capabilities)
    }

    /// Connects to the server that `command` starts, whose errors go into the file `stderr`.
    pub(crate) fn connect_to(command: Command, stderr: &Path, answer: Option<&'static str>, name: &str) -> Self {
        let capabilities = if answer.is_some() { json!({"elicitation": {}}) } else { json!({}) };
        Self::greeted(command, stderr, answer, name, &capabilities)
    }

    /// A client of revision 2026-07-28, which sends no greeting.
    pub(crate) fn connect_ungreeted(haft: &Haft) -> Self {
        Self::started(haft.command(&["mcp", "serve", "--stdio"]), &haft.home.path("stderr"), None)
    }

    fn greeted(
        command: Command,
        stderr: &Path,
        answer: Option<&'static str>,
        name: &str,
        capabilities: &Value,
    ) -> Self {
        let mut client = Self::started(command, stderr, answer);
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "clientInfo": {"name": name, "version": "0"},
        });
        let answer = client.request(1, "initialize", &hello);
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn started(mut command: Command, stderr: &Path, answer: Option<&'static str>) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(stderr).expect("a file is made"))
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, input, output, answer, asked: vec![] }
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{message}").and_then(|()| input.flush()).expect("the server listens");
    }

    pub(crate) fn request(&mut self, id: u64, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("the server answers"), 0, "the server is gone");
            let message: Value = serde_json::from_str(&line).expect("nothing but JSON on standard output");
            if message["method"] == "elicitation/create" {
                self.asked.push(message["params"]["message"].as_str().unwrap_or_default().to_owned());
                let content = json!({"decision": self.answer.expect("it was told that nobody can be asked")});
                let answer = json!({"action": "accept", "content": content});
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
            } else if message["id"] == id {
                return message;
            }
        }
    }

    /// Has a command run on a thread of its own, since the call waits; gives the result.
    pub(crate) fn calling(mut self, command: &'static str) -> JoinHandle<(Self, Value)> {
        thread::spawn(move || {
            let answer = self.request(9, "tools/call", &bash(command));
            (self, answer["result"].clone())
        })
    }

    /// Has a command run; gives the text of the answer.
    pub(crate) fn bash(&mut self, command: &str) -> String {
        let answer = self.call("bash", &json!({"command": command}));
        answer["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }

    /// Calls a tool; its result, or the error in its place.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let answer = self.request(2, "tools/call", &json!({"name": tool, "arguments": arguments}));
        if answer["error"].is_null() { answer["result"].clone() } else { answer["error"].clone() }
    }
}
