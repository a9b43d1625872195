//! `haft mcp serve --http` with many sessions, and as a gateway in front of MCP servers: times,
//! memory, and what is left after sessions have come and gone.
//!
//! `cargo run --release -p tools-bench --example team -- target/release/haft 1000` prints the
//! figures; the number is that of sessions. With `churn` behind it only sessions that come and go
//! are looked at. With `tools` instead of a path it is one of the servers behind the gateway.

#![expect(clippy::disallowed_methods, reason = "the server is started as a user would start it")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use tools_bench::{Server, Times};

/// Servers behind the gateway, and tools of each.
const SERVERS: usize = 8;
const TOOLS: usize = 11;
/// Clients that call at the same time.
const CLIENTS: usize = 4;
const CALLS: usize = 5_000;
/// Parts of the sessions that come and go, after each of which the memory is read.
const PARTS: usize = 5;

/// A server with tools that do nothing, over standard input and output.
fn serve_tools() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        let Ok(request) = serde_json::from_str::<Value>(&line) else { continue };
        let result = match request["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "tools", "version": "0"}}),
            Some("tools/list") => json!({"tools": (0..TOOLS).map(tool).collect::<Vec<_>>()}),
            Some("tools/call") => json!({"content": [{"type": "text", "text": "done"}]}),
            Some(_) if request["id"].is_null() => continue,
            _ => {
                let error = json!({"code": -32601, "message": "there is no such method"});
                println!("{}", json!({"jsonrpc": "2.0", "id": request["id"], "error": error}));
                continue;
            }
        };
        println!("{}", json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }
}

fn tool(number: usize) -> Value {
    let description = "Looks up the records of a customer by name, place or number, and gives the newest first. \
                       Pages hold fifty records; the cursor of a page leads to the next.";
    json!({
        "name": format!("lookup_{number}"),
        "description": description,
        "inputSchema": {"type": "object", "properties": {
            "name": {"type": "string", "description": "The name or a part of it."},
            "limit": {"type": "integer", "description": "How many records to give."},
            "cursor": {"type": "string", "description": "Where the last page ended."}}},
        "annotations": {"readOnlyHint": true},
    })
}

/// `haft mcp serve --http`, and a token for it.
struct Team {
    child: Child,
    address: String,
    token: String,
}

impl Team {
    fn start(binary: &str, home: &Path, folder: &Path, options: &[&str]) -> Self {
        let mut child = Command::new(binary)
            .args(["mcp", "serve", "--http", "127.0.0.1:0", "--json", "--workdir"])
            .arg(folder)
            .args(options)
            .env("XDG_STATE_HOME", home)
            .env("XDG_CONFIG_HOME", home)
            .env("HOME", home)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it is piped"))
            .read_line(&mut line)
            .expect("it says where it listens");
        let said: Value = serde_json::from_str(&line).expect("it is JSON");
        let text = |key: &str| said[key].as_str().expect("it is text").to_owned();
        let address = text("url").trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        Self { child, address, token: text("token") }
    }

    /// Resident memory in KiB, open descriptors, threads, and processes below it.
    fn held(&self) -> (u64, usize, u64, usize) {
        let id = self.child.id();
        let status = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
        let number = |key: &str| {
            let line = status.lines().find(|line| line.starts_with(key)).expect("the kernel says");
            line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
        };
        let descriptors = fs::read_dir(format!("/proc/{id}/fd")).expect("it is ours").count();
        (number("VmRSS:"), descriptors, number("Threads:"), below(id))
    }
}

/// Processes below another, at any depth.
fn below(root: u32) -> usize {
    let parent = |id: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split_whitespace().nth(1)?.parse().ok()
    };
    let all: Vec<(u32, u32)> = fs::read_dir("/proc")
        .expect("the kernel tells")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|id| Some((id, parent(id)?)))
        .collect();
    let mut found = vec![root];
    let mut at = 0;
    while let Some(one) = found.get(at).copied() {
        found.extend(all.iter().filter(|(_, parent)| *parent == one).map(|(id, _)| *id));
        at += 1;
    }
    found.len() - 1
}

impl Drop for Team {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A session, over a connection of its own that stays open.
struct Session {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Session {
    fn open(team: &Team) -> Self {
        let stream = TcpStream::connect(&team.address).expect("it listens");
        stream.set_nodelay(true).expect("it is a connection");
        let head = format!(
            "Host: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
            team.address, team.token
        );
        let mut session = Self { stream: BufReader::new(stream), head };
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}});
        let (id, _) = session
            .send("POST", &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).to_string());
        session.head = format!("{}Mcp-Session-Id: {}\r\n", session.head, id.expect("it has a session"));
        session.send("POST", &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        session
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 2, "method": method, "params": params}).to_string();
        let (_, text) = self.send("POST", &body);
        let lines = text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let mut messages = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages.find(|message| message["id"] == 2).unwrap_or_else(|| panic!("{text}"))
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Duration {
        let begun = Instant::now();
        let answer = self.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        let spent = begun.elapsed();
        assert_ne!(answer["result"]["isError"], true, "{answer}");
        spent
    }

    fn close(mut self) {
        self.send("DELETE", "");
    }

    /// The id of a session in the answer, and its body.
    fn send(&mut self, method: &str, body: &str) -> (Option<String>, String) {
        let text = format!("{method} /mcp HTTP/1.1\r\n{}Content-Length: {}\r\n\r\n{body}", self.head, body.len());
        self.stream.get_mut().write_all(text.as_bytes()).expect("it reads");
        let (mut length, mut session) = (Some(0), None);
        loop {
            let mut line = String::new();
            assert_ne!(self.stream.read_line(&mut line).expect("it answers"), 0, "the connection ended");
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length: ") {
                length = value.parse().ok();
            } else if lower == "transfer-encoding: chunked" {
                length = None;
            } else if lower.starts_with("mcp-session-id: ") {
                session = line.split_once(": ").map(|(_, id)| id.to_owned());
            }
        }
        let mut body = Vec::new();
        match length {
            Some(length) => {
                body.resize(length, 0);
                self.stream.read_exact(&mut body).expect("the body comes");
            }
            None => loop {
                let mut line = String::new();
                self.stream.read_line(&mut line).expect("a chunk comes");
                let size = usize::from_str_radix(line.trim(), 16).expect("it has a length");
                let start = body.len();
                body.resize(start + size + 2, 0);
                self.stream.read_exact(&mut body[start..]).expect("the chunk comes");
                body.truncate(start + size);
                if size == 0 {
                    break;
                }
            },
        }
        (session, String::from_utf8_lossy(&body).into_owned())
    }
}

fn show(times: &Times) -> String {
    format!("p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms", times.ms(0.5), times.ms(0.99), times.ms(1.0))
}

/// Sessions that are open at the same time.
fn many(team: &Team, count: usize) {
    let before = team.held();
    let mut open: Vec<Session> = (0..count).map(|_| Session::open(team)).collect();
    for session in &mut open {
        session.call("read", &json!({"path": "note.txt"}));
    }
    let after = team.held();
    println!(
        "{count} sessions, one call each: {} KiB per session",
        after.0.saturating_sub(before.0) / count.max(1) as u64
    );
    let share = count.div_ceil(CLIENTS).max(1);
    let times: Vec<Vec<Duration>> = std::thread::scope(|scope| {
        let clients: Vec<_> = open
            .chunks_mut(share)
            .map(|sessions| {
                scope.spawn(move || {
                    let count = sessions.len();
                    (0..CALLS / CLIENTS)
                        .map(|turn| sessions[turn % count].call("read", &json!({"path": "note.txt"})))
                        .collect()
                })
            })
            .collect();
        clients.into_iter().map(|client| client.join().expect("a client gets its answers")).collect()
    });
    let mut all = Times::default();
    times.into_iter().flatten().for_each(|time| all.push(time));
    println!("{CALLS} calls over them, {CLIENTS} at a time: {}", show(&all));
    open.into_iter().for_each(Session::close);
}

/// Sessions that come, make a call and go.
fn churn(team: &Team, count: usize, tool: &str, arguments: &Value) {
    let turn = || {
        let mut session = Session::open(team);
        session.call(tool, arguments);
        session.close();
    };
    (0..50.min(count)).for_each(|_| turn());
    std::thread::sleep(Duration::from_secs(3));
    let before = team.held();
    // What grows towards a bound flattens, what is never given back does not.
    let mut memory = vec![before.0.to_string()];
    for _ in 0..PARTS {
        (0..count / PARTS).for_each(|_| turn());
        memory.push(team.held().0.to_string());
    }
    std::thread::sleep(Duration::from_secs(5));
    let after = team.held();
    println!(
        "{count} sessions with a call of `{tool}`, one after the other: memory after each of {PARTS} parts {} KiB, at the end {}, descriptors {} to {}, threads {} to {}, processes {} to {}",
        memory.join(", "),
        after.0,
        before.1,
        after.1,
        before.2,
        after.2,
        before.3,
        after.3
    );
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let binary = arguments.next().unwrap_or_else(|| "target/release/haft".to_owned());
    if binary == "tools" {
        return serve_tools();
    }
    let count: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1000);
    let binary = Path::new(&binary).canonicalize().expect("the binary is built").to_string_lossy().into_owned();
    let own = std::env::current_exe().expect("it runs").to_string_lossy().into_owned();
    let (home, folder) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    fs::write(folder.path().join("note.txt"), "a line\n").expect("a file is written");

    let plain = home.path().join("plain.toml");
    fs::write(&plain, "").expect("a file is written");
    let is_churn = arguments.next().is_some_and(|word| word == "churn");
    if !is_churn {
        let team = Team::start(&binary, home.path(), folder.path(), &["--config", &plain.to_string_lossy()]);
        many(&team, count);
    }
    let team = Team::start(&binary, home.path(), folder.path(), &["--config", &plain.to_string_lossy()]);
    churn(&team, count, "read", &json!({"path": "note.txt"}));
    drop(team);

    let servers: Vec<String> = (0..SERVERS)
        .map(|number| {
            format!("[[mcp.servers]]\nid = \"server{number}\"\ncommand = \"{own}\"\nargs = [\"tools\"]\ntrust = true\nread_paths = [\"{own}\"]\n")
        })
        .collect();
    let rules: Vec<String> = (0..SERVERS)
        .map(|number| {
            format!("[[tools.permissions.mcp_server{number}_lookup_0]]\npattern = \"*\"\naction = \"allow\"\n")
        })
        .collect();
    let gateway = home.path().join("gateway.toml");
    fs::write(&gateway, rules.concat() + &servers.concat()).expect("a file is written");
    let options = ["--config", &gateway.to_string_lossy(), "--profile", "gateway"];
    let team = Team::start(&binary, home.path(), folder.path(), &options);
    if is_churn {
        return churn(&team, count, "mcp_server0_lookup_0", &json!({"name": "x"}));
    }
    let mut session = Session::open(&team);
    let listed = session.request("tools/list", &json!({}))["result"]["tools"].clone();
    let all = serde_json::to_string(&(0..TOOLS).map(tool).collect::<Vec<_>>()).expect("it is JSON").len() * SERVERS;
    println!(
        "gateway: {} tools of {SERVERS} servers ({} tokens); {} tools listed, {} tokens (4 bytes each)",
        SERVERS * TOOLS,
        all / 4,
        listed.as_array().map_or(0, Vec::len),
        listed.to_string().len() / 4
    );
    let (mut direct, _) = Server::start(&[own, "tools".to_owned()], folder.path());
    let (mut through, mut straight) = (Times::default(), Times::default());
    let name = json!({"name": "x"});
    session.call("mcp_server0_lookup_0", &name);
    drop(session);
    let command = [
        vec![
            binary,
            "mcp".to_owned(),
            "serve".to_owned(),
            "--workdir".to_owned(),
            folder.path().to_string_lossy().into_owned(),
        ],
        options.map(str::to_owned).to_vec(),
    ]
    .concat();
    let (mut behind, _) = Server::start(&command, home.path());
    behind.call("mcp_server0_lookup_0", &name);
    for _ in 0..1000 {
        straight.push(direct.call("lookup_0", &name).0);
        through.push(behind.call("mcp_server0_lookup_0", &name).0);
    }
    behind.stop();
    direct.stop();
    let added = through.median().saturating_sub(straight.median());
    println!(
        "a call through the gateway: {}; of the server itself: {}; added at p50 {:.2} ms",
        show(&through),
        show(&straight),
        added.as_secs_f64() * 1e3
    );
    churn(&team, count, "mcp_server0_lookup_0", &name);
}
