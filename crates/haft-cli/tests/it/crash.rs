//! A server that is killed while it writes: every file is whole, old or new, and the next start
//! removes what was being made. The long version of the same is in `tools-bench`.
#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed run")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const FILES: u64 = 8;
const LINES: usize = 2000;
const MEMBERS: usize = 30;
/// Calls that are under way when the server is killed.
const AHEAD: u64 = 12;

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) rounds: u64,
    /// Changes that had been answered.
    pub(crate) answered: u64,
    /// Rounds after which something was half made under a temporary name.
    pub(crate) interrupted: u64,
    pub(crate) faults: Vec<String>,
}

/// Kills `haft` in the middle of changes `rounds` times. `base` is an empty folder.
pub(crate) fn run(haft: &Path, base: &Path, rounds: u64) -> Outcome {
    let root = base.join("root");
    fs::create_dir_all(root.join("tree")).unwrap();
    for member in 0..MEMBERS {
        fs::write(root.join(format!("tree/m{member}")), version(0)).unwrap();
    }
    let rule = |tool| format!("[[tools.permissions.{tool}]]\npattern = \"*\"\naction = \"allow\"\n");
    fs::create_dir_all(base.join("config/haft")).unwrap();
    fs::write(base.join("config/haft/config.toml"), ["write", "edit", "copy_path"].map(rule).concat()).unwrap();
    let mut outcome = Outcome { rounds, ..Outcome::default() };
    for round in 0..rounds {
        outcome.answered += interrupt(&mut Server::start(haft, base), round);
        let before = outcome.faults.len();
        check(&root, round, &mut outcome.faults);
        outcome.interrupted += u64::from(!temporary(&root).is_empty());
        if outcome.faults.len() > before + 10 {
            break;
        }
    }
    drop(Server::start(haft, base));
    outcome.faults.extend(temporary(&root).into_iter().map(|path| format!("left behind: {}", path.display())));
    let records = fs::read_dir(base.join("state/haft/unfinished")).map_or(0, Iterator::count);
    if records > 1 {
        outcome.faults.push(format!("{records} records left behind"));
    }
    outcome
}

/// Sends changes and kills the server after some of them; says how many were answered.
fn interrupt(server: &mut Server, round: u64) -> u64 {
    let mut sent = 0;
    let request = |server: &mut Server, sent: &mut u64| {
        let n = round * 1000 + *sent;
        server.call(&change(n));
        *sent += 1;
    };
    (0..AHEAD).for_each(|_| request(server, &mut sent));
    let answered = mixed(round) % 20;
    for _ in 0..answered {
        server.answer();
        request(server, &mut sent);
    }
    // Not asleep: a change takes less time than a sleep.
    let until = Instant::now() + Duration::from_micros(mixed(round + 7) % 3000);
    while Instant::now() < until {
        std::hint::spin_loop();
    }
    server.kill();
    answered
}

fn change(n: u64) -> Value {
    let path = format!("f{}", n % FILES);
    match n % 5 {
        0 | 1 => json!({"name": "write", "arguments": {"path": path, "content": version(n)}}),
        2 => {
            let line = format!("e{}", n % 3);
            json!({"name": "edit", "arguments": {"path": "tree/m0", "edits": [
                {"old_string": "version 0\n", "new_string": format!("{line}\n"), "replace_all": true},
                {"old_string": format!("{line}\n"), "new_string": "version 0\n", "replace_all": true},
            ]}})
        }
        3 => json!({"name": "copy_path", "arguments": {"source": "tree", "destination": format!("copy{n}")}}),
        _ => json!({"name": "copy_path", "arguments": {"source": "tree/m1", "destination": path, "overwrite": true}}),
    }
}

fn version(n: u64) -> String {
    format!("version {n}\n").repeat(LINES)
}

/// Everything that is there is whole. Copies are removed again.
fn check(root: &Path, round: u64, faults: &mut Vec<String>) {
    let whole = |path: &Path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines: BTreeSet<&str> = text.lines().collect();
        lines.len() == 1 && text.ends_with('\n') && text.lines().count() == LINES
    };
    for entry in fs::read_dir(root).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if name.starts_with('f') && !whole(&path) {
            faults.push(format!("round {round}: `{name}` is not whole"));
        }
        if name.starts_with("copy") || name == "tree" {
            let members: Vec<PathBuf> = fs::read_dir(&path).unwrap().flatten().map(|entry| entry.path()).collect();
            let named = members.iter().filter(|path| !is_temporary(path)).collect::<Vec<_>>();
            if named.len() != MEMBERS || !named.iter().all(|path| whole(path)) {
                faults.push(format!("round {round}: `{name}` is not whole: {} members", named.len()));
            }
            if name != "tree" {
                fs::remove_dir_all(path).unwrap();
            }
        }
    }
}

fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".haft-"))
}

/// What lies around under a temporary name.
fn temporary(directory: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for path in fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()) {
        if is_temporary(&path) {
            all.push(path);
        } else if path.is_dir() {
            all.extend(temporary(&path));
        }
    }
    all
}

/// A number that looks like chance.
fn mixed(n: u64) -> u64 {
    let n = (n.wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (n ^ (n >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 33
}

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<std::process::ChildStdout>,
    calls: u32,
}

impl Server {
    fn start(haft: &Path, base: &Path) -> Self {
        let mut child = Command::new(haft)
            .args(["mcp", "serve", "--stdio"])
            .current_dir(base.join("root"))
            .env_clear()
            .env("HOME", base)
            .env("XDG_STATE_HOME", base.join("state"))
            .env("XDG_CONFIG_HOME", base.join("config"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, input, output, calls: 1 };
        let client = json!({"name": "crash", "version": "0"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        server.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}));
        server.answer();
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        // Answered only when everything is ready, and with it what was left behind is gone.
        server.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
        server.answer();
        server
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn call(&mut self, params: &Value) {
        self.calls += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.calls, "method": "tools/call", "params": params}));
    }

    fn answer(&mut self) {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server is gone");
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer.get("error").is_none(), "{answer}");
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}

#[test]
fn a_server_that_is_killed_leaves_whole_files_and_the_next_start_cleans_up() {
    let folder = tools_testkit::Workspace::new();
    let outcome = run(Path::new(env!("CARGO_BIN_EXE_haft")), folder.root(), 10);
    assert_eq!(outcome.faults, Vec::<String>::new());
    assert!((outcome.rounds, outcome.answered > 20) == (10, true), "{outcome:?}");
}
