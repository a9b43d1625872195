//! Runs a tool server as a child process, communicates through its pipes, and builds the programs.

#![expect(clippy::disallowed_methods, reason = "servers are measured as a client would start them")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A running server and the two ends of its pipe.
#[derive(Debug)]
pub struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    /// Starts a server and returns the time until it answered `initialize`. Its state and options
    /// are below `folder`.
    ///
    /// # Panics
    /// The server does not start.
    pub fn start(command: &[String], folder: &Path) -> (Self, Duration) {
        let begun = Instant::now();
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .current_dir(folder)
            .env("XDG_STATE_HOME", folder)
            .env("XDG_CONFIG_HOME", folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take().expect("it is piped");
        let output = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut server = Self { child, input, output, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "0"},
        });
        let answer = server.request("initialize", &hello);
        let took = begun.elapsed();
        assert!(answer["result"]["serverInfo"].is_object(), "{answer}");
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        (server, took)
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").and_then(|()| self.input.flush()).expect("the server listens");
    }

    /// Sends a request and returns the whole answer.
    ///
    /// # Panics
    /// The server has ended.
    pub fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("the server answers"), 0, "the server is gone");
            let message: Value = serde_json::from_str(&line).expect("an answer is JSON");
            if message["id"] == self.next {
                return message;
            }
        }
    }

    /// Calls a tool and returns its duration and the answer.
    ///
    /// # Panics
    /// The call fails.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> (Duration, Value) {
        let asked = Instant::now();
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        let time = asked.elapsed();
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        (time, answer)
    }

    /// Kills the server and waits for its end.
    ///
    /// # Panics
    /// The server cannot be waited for.
    pub fn kill(mut self) {
        self.child.kill().expect("it is ours");
        self.child.wait().expect("it ends");
    }

    /// Resident memory in KiB.
    ///
    /// # Panics
    /// The kernel does not report it.
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("the kernel says");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
    }

    /// Closes its input and waits for its end.
    ///
    /// # Panics
    /// The server cannot be waited for.
    pub fn stop(mut self) {
        drop(self.input);
        self.child.wait().expect("it ends");
    }
}

/// Builds programs of the workspace in release mode, each with its arguments, and returns their
/// folder.
///
/// # Panics
/// A program cannot be built.
pub fn release(programs: &[&[&str]]) -> PathBuf {
    for arguments in programs {
        let built = Command::new(env!("CARGO")).args(["build", "--release", "--quiet"]).args(*arguments).status();
        assert!(built.expect("cargo runs").success(), "cargo build {arguments:?}");
    }
    target().join("release").canonicalize().expect("cargo put it there")
}

/// The folder in which cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from)
}
