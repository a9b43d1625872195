//! Two servers on one PostgreSQL, killed at random: every acknowledged call is on record once, the
//! quota of the caller holds for both together, stored output is there, and the chains verify. The
//! long version of the same is in `tools-bench`.
#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed run")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

const TOKEN: &str = "team-0123456789-0123456789-0123456789";
/// Servers, each with a state folder of its own as on a machine of its own.
const MACHINES: usize = 2;
/// Clients of each server.
const CLIENTS: usize = 4;
/// Every so many calls one has output that is stored.
const STORED_EVERY: u64 = 100;

/// What is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) calls: u64,
    pub(crate) kills: u64,
    /// The most calls of the caller; fewer than `calls`, so that it is reached.
    pub(crate) quota: u64,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) acknowledged: u64,
    pub(crate) refused: u64,
    /// Calls whose server was killed before it answered.
    pub(crate) unanswered: u64,
    /// Calls that ran, as recorded.
    pub(crate) ran: u64,
    pub(crate) entries: u64,
    pub(crate) chains: u64,
    pub(crate) faults: Vec<String>,
}

/// What clients saw.
#[derive(Debug, Default)]
struct Seen {
    acknowledged: BTreeSet<u64>,
    refused: BTreeSet<u64>,
    unanswered: u64,
    /// References of stored output, by call.
    stored: BTreeMap<u64, String>,
    faults: Vec<String>,
}

/// Folders and the binary.
pub(crate) struct Team<'a> {
    haft: &'a Path,
    base: &'a Path,
}

impl<'a> Team<'a> {
    /// A workspace, a configuration and guests in an empty folder.
    pub(crate) fn new(haft: &'a Path, base: &'a Path, config: &str, files: u64) -> Self {
        fs::create_dir_all(base.join("root/n")).unwrap();
        for call in 0..files {
            fs::write(base.join(format!("root/n/{call}.txt")), format!("content of {call}\n")).unwrap();
        }
        fs::create_dir_all(base.join("config/haft")).unwrap();
        let rule = |tool| format!("[[tools.permissions.{tool}]]\npattern = \"*\"\naction = \"allow\"\n");
        let rules = ["read", "bash"].map(rule).concat();
        fs::write(base.join("config/haft/config.toml"), format!("{rules}{config}")).unwrap();
        let guests = base.join("guests.toml");
        fs::write(&guests, format!("[[guest]]\nname = \"team\"\ntoken = \"{TOKEN}\"\n")).unwrap();
        fs::set_permissions(&guests, fs::Permissions::from_mode(0o600)).unwrap();
        Self { haft, base }
    }

    fn command(&self, machine: usize) -> Command {
        let mut command = Command::new(self.haft);
        command
            .current_dir(self.base.join("root"))
            .env("XDG_STATE_HOME", self.base.join(format!("state-{machine}")))
            .env("XDG_CONFIG_HOME", self.base.join("config"))
            .stdin(Stdio::null());
        command
    }

    /// What the binary prints, as JSON values.
    pub(crate) fn read(&self, words: &[&str]) -> Vec<Value> {
        let output = self.command(0).args(words).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub(crate) fn start(&self, machine: usize) -> Server {
        let mut child = self
            .command(machine)
            .args(["mcp", "serve", "--http", "127.0.0.1:0", "--json", "--guests"])
            .arg(self.base.join("guests.toml"))
            .stdout(Stdio::piped())
            .stderr(fs::File::create(self.base.join(format!("errors-{machine}"))).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let address = said["url"].as_str().and_then(|url| url.strip_prefix("http://")?.strip_suffix("/mcp"));
        Server { address: address.unwrap().to_owned(), child }
    }
}

/// A server that runs.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One client: a session with the server that is at an address.
pub(crate) struct Client {
    address: String,
    session: String,
}

impl Client {
    /// The handshake; `None` when the server is gone.
    pub(crate) fn greeted(address: &str) -> Option<Self> {
        let mut client = Self { address: address.to_owned(), session: String::new() };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}});
        let answer = client.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))?;
        let session = answer.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
        });
        client.session = session?;
        client.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Some(client)
    }

    /// The whole answer; `None` when it did not come to its end.
    fn post(&self, body: &Value) -> Option<String> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_mins(2))).ok()?;
        let session =
            if self.session.is_empty() { String::new() } else { format!("Mcp-Session-Id: {}\r\n", self.session) };
        let text = format!(
            "POST /mcp HTTP/1.1\r\nConnection: close\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\n{session}Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len(),
        );
        stream.write_all(text.as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        Some(String::from_utf8_lossy(&answer).into_owned())
    }

    /// The text of a call's result; `None` when none came.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Option<String> {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}))?;
        let mut lines = answer.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let message =
            lines.find_map(|line| serde_json::from_str::<Value>(line).ok().filter(|message| message["id"] == 7))?;
        Some(message["result"]["content"][0]["text"].as_str().unwrap_or(&message.to_string()).to_owned())
    }
}

/// Numbers that look random and are the same in every run.
fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Calls over both servers while they are killed, and a check of all that is left. `base` is an
/// empty folder, `address` that of an empty database.
pub(crate) fn run(haft: &Path, base: &Path, address: &str, plan: Plan) -> Outcome {
    let config = format!(
        "[tools.audit]\ndatabase = \"{address}\"\n[tools.overflow]\ndatabase = \"{address}\"\n\
         [tools.caller_quota]\ndatabase = \"{address}\"\ncalls = {}\nwindow_s = 31622400\n\
         [tools.filters]\nenabled = false\n",
        plan.quota
    );
    let team = Team::new(haft, base, &config, plan.calls);
    let seen = calls(&team, plan);
    check(&team, plan, seen)
}

fn calls(team: &Team<'_>, plan: Plan) -> Seen {
    let servers: Vec<Mutex<Server>> = (0..MACHINES).map(|machine| Mutex::new(team.start(machine))).collect();
    let (next, seen) = (AtomicU64::new(0), Mutex::new(Seen::default()));
    std::thread::scope(|scope| {
        for machine in 0..MACHINES * CLIENTS {
            let (server, next, seen) = (&servers[machine % MACHINES], &next, &seen);
            scope.spawn(move || client(server, next, seen, plan.calls));
        }
        let mut state = 0x9e37_79b9_7f4a_7c15;
        for kill in 0..plan.kills {
            // Somewhere in its part of the calls.
            let part = plan.calls / plan.kills;
            let at = kill * part + random(&mut state) % part.max(1);
            while next.load(Ordering::Acquire) < at {
                std::thread::sleep(Duration::from_millis(1));
            }
            let machine = usize::try_from(random(&mut state)).unwrap_or(0) % MACHINES;
            let mut server = servers[machine].lock().unwrap();
            server.child.kill().unwrap();
            server.child.wait().unwrap();
            *server = team.start(machine);
        }
    });
    seen.into_inner().unwrap()
}

/// Calls until all are made.
fn client(server: &Mutex<Server>, next: &AtomicU64, seen: &Mutex<Seen>, calls: u64) {
    let mut client = None;
    loop {
        let Some(session) = &client else {
            let address = server.lock().unwrap().address.clone();
            client = Client::greeted(&address);
            continue;
        };
        let call = next.fetch_add(1, Ordering::AcqRel);
        if call >= calls {
            return;
        }
        let is_stored = call.is_multiple_of(STORED_EVERY);
        let answer = if is_stored {
            session.call("bash", &json!({"command": format!("seq {call} {}", call + 20_000)}))
        } else {
            session.call("read", &json!({"path": format!("n/{call}.txt")}))
        };
        let mut seen = seen.lock().unwrap();
        match answer {
            None => {
                seen.unanswered += 1;
                drop(seen);
                client = None;
            }
            Some(text) if text.contains("that this caller may make") => {
                seen.refused.insert(call);
            }
            Some(text) if is_stored => match text.split("ref ").nth(1).and_then(|rest| rest.split(']').next()) {
                Some(reference) => {
                    seen.acknowledged.insert(call);
                    seen.stored.insert(call, reference.to_owned());
                }
                None => seen.faults.push(format!("call {call}: nothing stored: {text}")),
            },
            Some(text) if text.contains(&format!("content of {call}")) => {
                seen.acknowledged.insert(call);
            }
            Some(text) => seen.faults.push(format!("call {call}: {text}")),
        }
    }
}

fn check(team: &Team<'_>, plan: Plan, seen: Seen) -> Outcome {
    let mut faults = seen.faults;
    // The calls on record, by number: those that ran and those that were refused.
    let (mut ran, mut refused) = (BTreeMap::<u64, u64>::new(), BTreeMap::<u64, u64>::new());
    for row in team.read(&["audit", "view", "--json"]) {
        let about = row["about"].as_str().unwrap_or_default();
        let number = match row["tool"].as_str() {
            Some("bash") => about.split(' ').nth(1).and_then(|number| number.parse().ok()),
            Some("read") => PathBuf::from(about).file_stem().and_then(|stem| stem.to_str()?.parse().ok()),
            _ => continue,
        };
        match (number, row["outcome"].as_str()) {
            (Some(number), Some("ok")) => *ran.entry(number).or_default() += 1,
            (Some(number), Some("caller_quota_blocked")) => *refused.entry(number).or_default() += 1,
            // A call whose client went away is called off.
            (Some(_), Some(_)) if row["outcome"] == "cancelled" => {}
            _ => faults.push(format!("on record: {row}")),
        }
    }
    for (what, calls, recorded) in [("ran", &seen.acknowledged, &ran), ("refused", &seen.refused, &refused)] {
        for call in calls {
            let times = recorded.get(call).copied().unwrap_or(0);
            if times != 1 {
                faults.push(format!("call {call} {what} and is {times} times on record"));
            }
        }
    }
    let ran: u64 = ran.values().sum();
    // What was counted and is not on record was under way when its server was killed.
    if ran > plan.quota || ran + seen.unanswered < plan.quota {
        faults.push(format!("{ran} calls ran, {} unanswered, of a quota of {}", seen.unanswered, plan.quota));
    }
    if seen.refused.is_empty() {
        faults.push("the quota was never used up".to_owned());
    }
    for (call, reference) in &seen.stored {
        let shown = team.read(&["overflow", "show", "--json", "--lines", "1-1", reference]);
        let text = shown.first().map(Value::to_string).unwrap_or_default();
        if !text.contains(&format!("\"{call}\\n")) {
            faults.push(format!("stored output of call {call}: {text}"));
        }
    }
    let verified = team.read(&["audit", "verify", "--json"]);
    let report = verified.first().cloned().unwrap_or_default();
    if report["intact"] != true {
        faults.push(format!("the chains: {report}"));
    }
    Outcome {
        acknowledged: seen.acknowledged.len() as u64,
        refused: seen.refused.len() as u64,
        unanswered: seen.unanswered,
        ran,
        entries: seen.stored.len() as u64,
        chains: report["chains"].as_array().map_or(0, Vec::len) as u64,
        faults,
    }
}
