//! `haft mcp serve` against a bare server of three tools: process start to `initialize` answered, idle memory, small
//! reads one after the other. Both binaries are built first; rounds are interleaved.

#![expect(clippy::disallowed_methods, reason = "servers are measured as a client would start them")]

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tools_bench::{Times, ratio};

const STARTS: usize = 60;
const READS: usize = 4000;
const BLOCK: usize = 200;

/// A running server and the two ends of its pipe.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Server {
    /// Starts one and gives the time until `initialize` was answered.
    fn start(command: &[String], folder: &Path) -> (Self, Duration) {
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

    fn request(&mut self, method: &str, params: &Value) -> Value {
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

    fn read(&mut self, tool: &str, path: &str) -> Duration {
        let asked = Instant::now();
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": {"path": path}}));
        let time = asked.elapsed();
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
        time
    }

    /// Resident memory in KiB.
    fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("the kernel says");
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
    }

    fn stop(mut self) {
        drop(self.input);
        self.child.wait().expect("it ends");
    }
}

/// Builds both binaries and gives the folder they are in.
fn build() -> PathBuf {
    for arguments in [&["-p", "haft-cli"][..], &["-p", "tools-mcp", "--example", "bare"]] {
        let built = Command::new(env!("CARGO")).args(["build", "--release", "--quiet"]).args(arguments).status();
        assert!(built.expect("cargo runs").success(), "cargo build {arguments:?}");
    }
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    target.join("release").canonicalize().expect("cargo put it there")
}

fn main() {
    let binaries = build();
    let folder = TempDir::new().expect("a folder");
    std::fs::write(folder.path().join("small.txt"), "one small line\n".repeat(20)).expect("a file");
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let haft = [text(binaries.join("haft")), "mcp".into(), "serve".into(), "--stdio".into()];
    let bare = [text(binaries.join("examples/bare"))];

    let (mut starts_haft, mut starts_bare) = (Times::default(), Times::default());
    for _ in 0..STARTS {
        for (command, times) in [(&haft[..], &mut starts_haft), (&bare[..], &mut starts_bare)] {
            let (server, took) = Server::start(command, folder.path());
            times.push(took);
            server.stop();
        }
    }
    let (mut server, _) = Server::start(&haft, folder.path());
    let (mut floor, _) = Server::start(&bare, folder.path());
    std::thread::sleep(Duration::from_millis(200));
    let idle = (server.resident(), floor.resident());
    let (mut reads_haft, mut reads_bare) = (Times::default(), Times::default());
    for _ in 0..READS / BLOCK {
        (0..BLOCK).for_each(|_| reads_haft.push(server.read("read", "small.txt")));
        (0..BLOCK).for_each(|_| reads_bare.push(floor.read("read", "small.txt")));
    }
    let after = server.resident();
    server.stop();
    floor.stop();

    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "start to `initialize` answered, {STARTS} rounds: haft p50 {:.2} ms, bare p50 {:.2} ms, {:.2} x",
        milliseconds(starts_haft.median()),
        milliseconds(starts_bare.median()),
        ratio(starts_haft.median(), starts_bare.median())
    );
    println!("idle memory: haft {} KiB, bare {} KiB; haft after {READS} reads {after} KiB", idle.0, idle.1);
    println!(
        "small reads one after the other, {READS}: haft p50 {:.3} ms, bare p50 {:.3} ms; haft reaches {:.2} x of bare's rate",
        milliseconds(reads_haft.median()),
        milliseconds(reads_bare.median()),
        ratio(reads_bare.median(), reads_haft.median())
    );
}
