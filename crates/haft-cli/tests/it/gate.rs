//! The network of commands through the gate, as the binary does it: what is refused, asked, allowed
//! and on record.
#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{self, Haft, Ran, eventually, finished, with_toolchain};
use crate::terminal::Terminal;

/// Every command may run; its connections are another matter. The gate is there unless something
/// else is configured.
const GATED: &str = "[tools.shell]\nsandbox = \"namespaces\"\ntimeout = 100\n\
                     [[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n";

/// A workspace whose commands are gated; `None` after saying why this machine has no gate.
fn gated(rules: &str) -> Option<Haft> {
    gated_with("", rules)
}

/// The same with a further line of `[tools.shell]`.
pub(crate) fn gated_with(setting: &str, rules: &str) -> Option<Haft> {
    let shell = GATED.replacen("timeout = 100\n", &format!("timeout = 100\n{setting}\n"), 1);
    let haft = Haft::configured(&format!("{shell}{rules}"));
    let ran = haft.run(&["exec", "--", "true"]);
    if ran.code != 0 || !["curl", "python3"].iter().all(|program| has(program)) {
        eprintln!("SKIPPED: no namespaces, curl or python3: {ran:?}");
        return None;
    }
    Some(haft)
}

fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

pub(crate) fn rule(pattern: &str, action: &str) -> String {
    support::rule("network", pattern, action)
}

/// A web server of this machine, and how many came to it.
struct Server {
    port: u16,
    came: Arc<AtomicUsize>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, came) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
        let counted = Arc::clone(&came);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || answer(stream));
            }
        });
        Self { port, came }
    }

    fn came(&self) -> usize {
        self.came.load(Ordering::SeqCst)
    }
}

fn answer(mut stream: TcpStream) {
    let mut head = [0; 4096];
    let _ = stream.read(&mut head);
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nserved");
}

/// The connections on record.
pub(crate) fn connections(haft: &Haft) -> Vec<Value> {
    haft.recorded().into_iter().filter(|line| line["event"] == "connection").collect()
}

#[test]
fn what_no_rule_allows_is_refused_at_once_and_said() {
    let Some(haft) = gated("") else { return };
    let ran = haft.run(&[
        "call",
        "bash",
        "command=curl -sS http://www.example.org:8080/x; echo; curl -sS https://example.org/",
    ]);
    let all = format!("{}{}", ran.out, ran.err);
    assert!(all.contains("haft: `www.example.org:8080` is refused: no rule of `tools.permissions.network`"), "{ran:?}");
    assert!(
        all.contains("connection by `curl` to `example.org:443` refused: no rule of `tools.permissions.network` allows it, and nobody can be asked here"),
        "{ran:?}"
    );
    let lines = connections(&haft);
    assert_eq!(lines.len(), 2, "{lines:?}");
    let line = &lines[1];
    assert_eq!(
        (line["host"].as_str(), line["port"].as_u64(), line["decision"].as_str()),
        (Some("example.org"), Some(443), Some("deny"))
    );
    assert!(line["program"] == "curl" && line["sent"] == 0 && line.get("address").is_none(), "{line}");
    assert!(line["command"].as_str().is_some_and(|line| line.starts_with("curl -sS")), "{line}");
    assert_eq!(haft.run(&["audit", "verify"]).code, 0);
    let page = haft.run(&["audit", "report", "--out", "-"]).out;
    assert!(page.contains("<h2>Hosts</h2>") && page.contains("<code>example.org:443</code>"), "{page}");
}

#[test]
fn the_machine_is_out_of_reach_but_for_what_a_rule_names() {
    let (open, closed) = (Server::start(), Server::start());
    let Some(haft) = gated(&rule(&format!("localhost:{}", open.port), "allow")) else { return };
    let curl = |arguments: &str| {
        let ran = haft.run(&["exec", "--", &format!("curl -s {arguments}; echo \" $?\"")]);
        ran.out.trim().to_owned()
    };
    let (yes, no) = (format!("localhost:{}/", open.port), format!("localhost:{}/", closed.port));
    assert_eq!(curl(&yes), "served 0", "as it is everywhere else");
    assert_eq!(curl(&format!("--noproxy '' {yes}")), "served 0", "by the proxy");
    assert_eq!(curl(&format!("--noproxy '' -p {yes}")), "served 0", "by CONNECT");
    assert_eq!(curl(&format!("--noproxy '' -x socks5h://127.0.0.1:$HAFT_GATE_PORT {yes}")), "served 0", "by SOCKS");
    assert_eq!(open.came(), 4);
    for way in
        ["", "--noproxy ''", "--noproxy '' -p", "--noproxy '' -x socks5h://127.0.0.1:$HAFT_GATE_PORT", "--noproxy '*'"]
    {
        assert!(!curl(&format!("{way} {no}")).ends_with(" 0") || way == "--noproxy ''", "{way}");
        assert!(!curl(&format!("{way} http://127.0.0.1:{}/", open.port + 1)).contains("served"), "{way}");
    }
    assert_eq!(closed.came(), 0);
    let lines = connections(&haft);
    let served: Vec<&Value> = lines.iter().filter(|line| line["decision"] == "allow").collect();
    assert_eq!(served.len(), 4, "{lines:?}");
    assert!(
        served.iter().all(|line| line["address"] == "127.0.0.1" && line["received"].as_u64() > Some(6)),
        "{served:?}"
    );
    assert!(served.iter().all(|line| line["program"] == "curl"), "{served:?}");
}

#[test]
fn there_is_no_way_around_the_gate() {
    let server = Server::start();
    let Some(haft) = gated("") else { return };
    haft.workspace.file(
        "around.py",
        format!(
            r#"
import os, socket, struct
def way(name, act):
    try:
        print(name, "OPEN" if act() else "held")
    except Exception:
        print(name, "held")
def tcp(family, address):
    s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(1); s.connect(address); return True
def udp(address):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(1); s.sendto(b"x", address); return s.recv(1)
way("loopback", lambda: tcp(socket.AF_INET, ("127.0.0.1", {port})))
way("loopback6", lambda: tcp(socket.AF_INET6, ("::1", {port})))
way("any", lambda: tcp(socket.AF_INET, ("0.0.0.0", {port})))
way("metadata", lambda: tcp(socket.AF_INET, ("169.254.169.254", 80)))
way("private", lambda: tcp(socket.AF_INET, ("10.0.0.1", 80)))
way("public", lambda: tcp(socket.AF_INET, ("192.0.2.1", 443)))
way("public6", lambda: tcp(socket.AF_INET6, ("2001:db8::1", 443)))
way("dns", lambda: udp(("192.0.2.53", 53)))
way("quic", lambda: udp(("192.0.2.1", 443)))
way("names", lambda: socket.getaddrinfo("example.org", 443))
way("icmp", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP).sendto(b"\x08\0\0\0\0\0\0\0", ("192.0.2.1", 0)))
way("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
way("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
way("vsock", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
def abstract():
    s = socket.socket(socket.AF_UNIX); s.connect("\0{mark}"); return True
way("abstract", abstract)
def setns():
    import ctypes
    for pid in os.listdir("/proc"):
        if pid.isdigit():
            try: fd = os.open(f"/proc/{{pid}}/ns/net", os.O_RDONLY)
            except OSError: continue
            if ctypes.CDLL(None).setns(fd, 0) == 0: return True
    return False
way("setns", setns)
def inherited():
    for fd in range(3, 1024):
        try:
            s = socket.socket(fileno=os.dup(fd))
            if s.family in (socket.AF_INET, socket.AF_INET6): return True
        except OSError: pass
    return False
way("inherited", inherited)
def proxy(target):
    s = socket.create_connection(("127.0.0.1", int(os.environ["HAFT_GATE_PORT"]))); s.settimeout(3)
    s.sendall(f"CONNECT {{target}} HTTP/1.1\r\n\r\n".encode()); return b" 200 " in s.recv(100)
for target in ["127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "[::ffff:127.0.0.1]:{port}", "0x7f000001:{port}", "2130706433:{port}", "169.254.169.254:80", "metadata.google.internal:80"]:
    way("proxy " + target, lambda: proxy(target))
"#,
            port = server.port,
            mark = "haft-test-abstract",
        ),
    );
    let address = <std::os::unix::net::SocketAddr as std::os::linux::net::SocketAddrExt>::from_abstract_name(
        "haft-test-abstract",
    );
    let _listener = address.and_then(|address| std::os::unix::net::UnixListener::bind_addr(&address));
    let ran = haft.run(&["exec", "--", "python3 around.py"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.lines().count() >= 25 && !ran.out.contains("OPEN"), "{ran:?}");
    assert_eq!(server.came(), 0);
}

/// Takes what it is sent and tells how much that was, without an answer to an end that never comes.
fn counting() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, counted) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&counted);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (count, mut buffer) = (Arc::clone(&count), vec![0; 1 << 16]);
            std::thread::spawn(move || {
                while let Ok(taken @ 1..) = stream.read(&mut buffer) {
                    count.fetch_add(taken, Ordering::SeqCst);
                }
            });
        }
    });
    (port, counted)
}

#[test]
fn no_more_bytes_go_to_a_host_than_its_budget() {
    const MOST: usize = 100 << 10;
    let (port, counted) = counting();
    let Some(haft) = gated_with("sent_per_host = \"100 KiB\"", &rule(&format!("localhost:{port}"), "allow")) else {
        return;
    };
    haft.workspace.file(
        "send.py",
        format!(
            "import os, socket\ns = socket.create_connection(('127.0.0.1', int(os.environ['HAFT_GATE_PORT'])))\n\
             s.sendall(b'CONNECT localhost:{port} HTTP/1.1\\r\\n\\r\\n'); s.recv(100)\n\
             try:\n    for _ in range(1000): s.sendall(b'x' * 1000)\n    s.shutdown(socket.SHUT_WR); s.recv(1)\n\
             except OSError: pass\n"
        ),
    );
    let mut client = Client::connect(&haft);
    for _ in 0..2 {
        client.call("bash", &json!({"command": "python3 send.py; python3 send.py"}));
        assert!(counted.load(Ordering::SeqCst) <= MOST, "{counted:?}");
    }
    assert!(counted.load(Ordering::SeqCst) > 1_000, "{counted:?}");
    drop(client);
    let lines = connections(&haft);
    let sent: u64 = lines.iter().map(|line| line["sent"].as_u64().unwrap()).sum();
    assert!(lines.len() == 4 && sent <= MOST as u64, "{lines:?}");
    let (before, ran) = (counted.load(Ordering::SeqCst), haft.run(&["exec", "--", "python3 send.py"]));
    let after = counted.load(Ordering::SeqCst);
    assert!((before + 1..=before + MOST).contains(&after), "another session has a budget of its own: {ran:?}");
}

#[test]
fn a_server_in_the_background_is_there_for_the_next_command_and_for_nobody_else() {
    let Some(haft) = gated("") else { return };
    haft.workspace.file("page", "from the job");
    let mut client = Client::connect(&haft);
    let bash = |command: &str, background: bool| json!({"name": "bash", "arguments": {"command": command, "background": background}});
    let port = free_port();
    let serve = format!("exec python3 -m http.server {port} --bind 127.0.0.1");
    let started = client.request(2, "tools/call", &bash(&serve, true));
    assert!(started.to_string().contains("job-1"), "{started}");
    let get = format!("for i in $(seq 50); do curl -s http://localhost:{port}/page && exit; sleep 0.1; done");
    let got = client.request(3, "tools/call", &bash(&get, false));
    assert!(got.to_string().contains("from the job"), "{got}");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "the machine does not reach it");
    let other = haft.run(&["exec", "--", &format!("curl -s http://localhost:{port}/page")]);
    assert_ne!(other.code, 0, "nor does another session: {other:?}");
}

/// A port that was free on this machine a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The page that a server on this port of the machine gives; `None` when nothing listens.
fn page(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(b"GET /page HTTP/1.0\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text)
}

/// Whether the page of the job comes from this port of the machine.
fn serves(port: u16) -> bool {
    page(port).is_some_and(|text| text.contains("from the job"))
}

/// A job that serves the folder on a port, and publishes it.
fn publishing(port: u16, bind: &str) -> Value {
    let command = format!("exec python3 -m http.server {port} --bind {bind}");
    json!({"command": command, "background": true, "publish": [port]})
}

#[test]
fn a_published_port_is_reached_from_the_machine_until_its_job_ends() {
    let (four, six) = (free_port(), free_port());
    let Some(haft) = gated_with(&format!("publish = [{four}, {six}]"), "") else { return };
    haft.workspace.file("page", "from the job");
    let mut client = Client::connect(&haft);
    for (port, bind) in [(four, "127.0.0.1"), (six, "::1")] {
        let started = client.call("bash", &publishing(port, bind));
        assert!(started.to_string().contains("is published"), "{started}");
        assert!(eventually(|| serves(port)), "{bind}");
    }
    let taken = client.call("bash", &publishing(four, "127.0.0.1"));
    assert!(taken.to_string().contains("port_not_published"), "{taken}");
    client.call("job_kill", &json!({"id": "job-1"}));
    assert!(eventually(|| page(four).is_none()), "it ended with its job");
    assert!(serves(six), "the other job runs on");
    drop(client);
    assert!(eventually(|| page(six).is_none()), "and with the session");
    let lines: Vec<Value> = connections(&haft).into_iter().filter(|line| line["inbound"] == true).collect();
    let served = |line: &&Value| line["port"] == four && line["received"].as_u64() > Some(12);
    let line = lines.iter().find(served).expect("it is on record");
    assert!(line["rule"] == "tools.shell.publish" && line["decision"] == "allow", "{line}");
    assert!(line["command"].as_str().is_some_and(|line| line.contains("http.server")), "{line}");
    assert!(haft.run(&["audit", "report", "--out", "-"]).out.contains("from this machine to localhost"), "{lines:?}");
}

#[test]
fn a_port_that_no_rule_names_is_published_only_after_a_yes() {
    let port = free_port();
    let Some(haft) = gated("") else { return };
    haft.workspace.file("page", "from the job");
    let call = publishing(port, "127.0.0.1");
    let mut nobody = Client::connect(&haft);
    let refused = nobody.call("bash", &call);
    assert!(refused.to_string().contains("confirmation_required"), "although every command may run: {refused}");
    let mut says_no = Client::connect_answering(&haft, Some("no"));
    let refused = says_no.call("bash", &call);
    assert_eq!(says_no.asked.len(), 1, "{refused}");
    assert!(says_no.asked[0].contains(&format!("publishes port {port} on 127.0.0.1")), "{:?}", says_no.asked);
    assert!(says_no.call("job_read", &json!({"id": "job-1"})).to_string().contains("there is no job"), "nothing runs");
    assert_eq!(page(port), None);
    let line = format!("python3 -m http.server {port} --bind 127.0.0.1");
    nobody.call("bash", &json!({"command": format!("exec {line}"), "background": true}));
    let look = format!("for i in $(seq 100); do curl -s localhost:{port}/page && exit; sleep 0.1; done");
    assert!(nobody.call("bash", &json!({"command": look})).to_string().contains("from the job"));
    assert_eq!(page(port), None, "what is not published stays inside");
    let mut says_yes = Client::connect_answering(&haft, Some("once"));
    let started = says_yes.call("bash", &call);
    assert!(started.to_string().contains("is published"), "{started}");
    assert!(eventually(|| serves(port)));
    assert_eq!(says_yes.asked.len(), 1);
    drop((says_yes, nobody, says_no));
    let rules: Vec<Value> = connections(&haft).into_iter().filter(|line| line["inbound"] == true).collect();
    assert!(rules.iter().any(|line| line["rule"] == "a person, for this job"), "{rules:?}");
}

#[test]
fn what_cannot_be_published_is_said_before_anything_starts() {
    let Some(haft) = gated("") else { return };
    let call = |rest: &[&str]| haft.run(&[&["call", "bash", "command=touch started"], rest].concat());
    for (rest, problem) in [
        (&["publish=[8080]"][..], "only a command with `background: true`"),
        (&["background=true", "publish=[0]"], "0 is no port"),
        (&["background=true", "publish=[70000]"], "publish"),
        (&["background=true", "publish=[1,2,3,4,5,6,7,8,9]"], "at most 8 ports"),
    ] {
        let ran = call(rest);
        assert!(ran.code != 0 && format!("{}{}", ran.out, ran.err).contains(problem), "{rest:?}: {ran:?}");
    }
    let explained = haft.run(&["explain", "bash", "command=true", "background=true", "publish=[8080]"]);
    assert!(explained.out.contains("publishes port 8080"), "{explained:?}");
    assert!(!haft.workspace.path("started").exists());
    let Some(off) = gated_with("network = \"off\"\npublish = [8080]", "") else { return };
    let ran = off.run(&["call", "bash", "command=touch started", "background=true", "publish=[8080]"]);
    assert!(format!("{}{}", ran.out, ran.err).contains("port 8080 was not published"), "{ran:?}");
    assert!(!off.workspace.path("started").exists());
}

#[test]
fn a_person_is_asked_once_for_each_host_and_always_is_kept() {
    let (one, two) = (Server::start(), Server::start());
    let rules = rule(&format!("localhost:{}", one.port), "ask") + &rule(&format!("localhost:{}", two.port), "ask");
    let Some(haft) = gated(&rules) else { return };
    let mut client = Client::connect_answering(&haft, Some("always"));
    let bash = |command: &str| json!({"name": "bash", "arguments": {"command": command}});
    let line = format!("for i in 1 2 3; do curl -s http://localhost:{}/ & done; wait; echo end", one.port);
    let first = client.request(2, "tools/call", &bash(&line));
    assert!(first.to_string().contains("servedservedservedend"), "{first}");
    assert_eq!(client.asked.len(), 1, "{:?}", client.asked);
    let asked = client.asked[0].clone();
    let named = format!("localhost:{}", one.port);
    assert!(asked.contains(&named) && asked.contains("`curl`") && asked.contains("for i in 1 2"), "{asked}");
    client.request(3, "tools/call", &bash(&format!("curl -s http://localhost:{}/", one.port)));
    assert_eq!((client.asked.len(), one.came()), (1, 4), "it was kept");
    client.request(4, "tools/call", &bash(&format!("curl -s http://localhost:{}/", two.port)));
    assert_eq!((client.asked.len(), two.came()), (2, 1), "for this port alone");
    drop(client);
    let approvals = haft.run(&["policy", "approvals"]);
    assert!(approvals.out.contains(&named), "{approvals:?}");
    let rules: Vec<Value> = connections(&haft).into_iter().map(|mut line| line["rule"].take()).collect();
    assert_eq!(rules.iter().filter(|rule| **rule == format!("approved: {named}")).count(), 1, "{rules:?}");
    assert_eq!(rules.iter().filter(|rule| **rule == "a person, for this project").count(), 4, "{rules:?}");
}

#[test]
fn a_person_who_says_no_is_heard() {
    let Some(haft) = gated("") else { return };
    let mut client = Client::connect_answering(&haft, Some("no"));
    let call =
        json!({"name": "bash", "arguments": {"command": "curl -s http://example.org/; curl -s http://example.org/"}});
    let answer = client.request(2, "tools/call", &call);
    assert!(answer.to_string().contains("a person said no"), "{answer}");
    assert_eq!(client.asked.len(), 1, "{:?}", client.asked);
}

#[test]
fn a_denied_host_is_denied_and_nobody_asked() {
    let Some(haft) = gated(&(rule("*.example.org", "deny") + &rule("*", "allow"))) else { return };
    let mut client = Client::connect_answering(&haft, Some("once"));
    let call = json!({"name": "bash", "arguments": {"command": "curl -sS http://www.example.org/"}});
    let answer = client.request(2, "tools/call", &call);
    assert!(answer.to_string().contains("permissions.network[0]"), "{answer}");
    assert_eq!(client.asked, Vec::<String>::new());
}

#[test]
fn the_mode_is_chosen_for_one_command_and_migrated_from_the_old_switch() {
    let server = Server::start();
    let haft = Haft::configured(
        "[tools.shell]\nallow_network = false\n[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n",
    );
    if !has("curl") || haft.run(&["doctor"]).out.lines().next().is_none_or(|line| !line.contains("namespaces")) {
        eprintln!("SKIPPED: no namespaces or curl");
        return;
    }
    let line = format!("curl -s http://127.0.0.1:{}/; exit 0", server.port);
    let run = |mode: &[&str]| haft.run(&[&["exec"], mode, &["--", &line]].concat());
    for (mode, reaches) in [("off", false), ("gate", false), ("open", true)] {
        let ran = run(&["--network", mode]);
        assert_eq!(ran.out.contains("served"), reaches, "{mode}: {ran:?}");
    }
    let report = haft.run(&["--json", "exec", "--network", "gate", "--", "true"]).json();
    assert_eq!(report["raw_response"]["sandbox"]["network"], "gate", "{report}");
    let migrated = haft.run(&["config", "migrate"]);
    assert!(migrated.out.contains("network = \"off\""), "{migrated:?}");
    assert!(Path::new(&haft.record()).is_file());
}

#[test]
fn a_rule_that_names_no_host_is_told_by_its_line() {
    for (rules, problem) in [
        (rule("localhost", "allow"), "tools.permissions.network[0].pattern"),
        (rule("https://example.org/", "allow"), "tools.permissions.network[0].pattern"),
        (
            "[[tools.permissions.bash]]\npattern = \"ls\"\nprogram = \"x\"\naction = \"allow\"\n".to_owned(),
            "only rules of `network`",
        ),
    ] {
        let ran = Haft::configured(&rules).run(&["exec", "--", "true"]);
        assert!(ran.code == 2 && ran.err.contains(problem), "{rules}: {ran:?}");
    }
}

/// Clients of package registries and of the web: a program, and a line that fetches something small
/// with it.
const CLIENTS: &[(&str, &str)] = &[
    (
        "cargo",
        "cargo init -q --name x x && cd x && echo 'itoa = \"1\"' >> Cargo.toml && CARGO_HOME=$PWD/home cargo fetch -q",
    ),
    (
        "npm",
        "echo '{\"name\":\"x\",\"version\":\"1.0.0\"}' > package.json && npm install --no-audit --no-fund left-pad && ls node_modules/left-pad",
    ),
    (
        "npm",
        "echo '{\"name\":\"x\",\"version\":\"1.0.0\"}' > package.json && npm install --no-audit --no-fund --package-lock-only left-pad && npm ci --no-audit --no-fund",
    ),
    (
        "pnpm",
        "echo '{\"name\":\"x\",\"version\":\"1.0.0\"}' > package.json && pnpm --store-dir $PWD/store add left-pad && ls node_modules/left-pad",
    ),
    (
        "yarn",
        "echo '{\"name\":\"x\",\"version\":\"1.0.0\"}' > package.json && yarn --cache-folder $PWD/kept add left-pad && ls node_modules/left-pad",
    ),
    ("pip", "python3 -m pip download -q --no-deps -d wheels six && ls wheels"),
    ("uv", "uv --cache-dir $PWD/kept pip install --target packages six && ls packages"),
    ("curl", "curl -sSf $(npm config get registry)left-pad -o page && test -s page"),
    ("wget", "wget -q $(npm config get registry)left-pad -O page && test -s page"),
    ("node", "node get.mjs $(npm config get registry)left-pad > page && test -s page"),
    ("java", "java Get.java $(npm config get registry)left-pad > page && test -s page"),
    ("go", "go mod download -x rsc.io/quote@v1.5.2"),
    ("git", "git ls-remote https://github.com/git/git HEAD"),
    (
        "apt-get",
        "mkdir -p lists/partial && apt-get -o APT::Sandbox::User= -o Dir::State::Lists=$PWD/lists -o Dir::Cache=$PWD/kept \
         -o APT::Update::Error-Mode=any update",
    ),
];

/// A page by the programs that come with `node` and `java`.
const GET_MJS: &str = "import https from 'node:https'; import http from 'node:http'; import tls from 'node:tls';\n\
    const url = new URL(process.argv[2]); const proxy = new URL(process.env.HTTPS_PROXY ?? 'http://localhost:1');\n\
    const direct = () => fetch(url).then(page => page.text()).then(text => console.log(text.length));\n\
    if (!process.env.HTTPS_PROXY) await direct(); else http.request({host: proxy.hostname, port: proxy.port,\n\
    method: 'CONNECT', path: `${url.hostname}:${url.port || 443}`}).on('connect', (answer, socket) => {\n\
    if (answer.statusCode !== 200) process.exit(1);\n\
    https.get(url, {agent: false, createConnection: () => tls.connect({socket, servername: url.hostname})},\n\
    page => page.on('data', () => {}).on('end', () => { console.log(page.statusCode); process.exit(0); })); }).end();\n";
const GET_JAVA: &str = "import java.net.*; public class Get { public static void main(String[] a) throws Exception {\n\
    try (var page = new URL(a[0]).openStream()) { System.out.println(page.readAllBytes().length); } } }\n";

/// A workspace for clients, whose toolchains are those of whoever runs the tests.
fn gated_client(rules: &str) -> Option<Haft> {
    let haft = gated(rules)?;
    haft.workspace.file("get.mjs", GET_MJS);
    haft.workspace.file("Get.java", GET_JAVA);
    Some(haft)
}

fn run_client(haft: &Haft, arguments: &[&str]) -> Ran {
    let mut command = haft.command(arguments);
    with_toolchain(&mut command);
    finished(command)
}

/// The hosts of the last run that were refused, as patterns.
fn refused(haft: &Haft) -> Vec<String> {
    let lines = connections(haft).into_iter().filter(|line| line["decision"] == "deny");
    let mut hosts: Vec<String> =
        lines.map(|line| format!("{}:{}", line["host"].as_str().unwrap(), line["port"])).collect();
    hosts.sort();
    hosts.dedup();
    hosts
}

/// Once its hosts are allowed a client fetches what it wants, with one question for each of them.
fn fetches(wanted: &str) {
    for (program, line) in CLIENTS.iter().filter(|(program, _)| *program == wanted) {
        let Some(haft) = gated_client("") else { return };
        if !has(program) || run_client(&haft, &["exec", "--network", "open", "--", line]).code != 0 {
            eprintln!("SKIPPED: `{program}` is missing, or what it asks for cannot be reached");
            continue;
        }
        // Which hosts those are is learned from what is refused.
        let (mut hosts, mut fetched): (Vec<String>, _) = (vec![], false);
        // A registry may be a mirror in a private network.
        let rules = |hosts: &[String], action| {
            hosts.iter().map(|host| rule(host, action) + "private = true\n").collect::<String>()
        };
        for _ in 0..6 {
            let Some(haft) = gated_client(&rules(&hosts, "allow")) else { return };
            let ran = run_client(&haft, &["exec", "--", line]);
            fetched = ran.code == 0;
            let new = refused(&haft);
            if fetched || new.is_empty() {
                assert!(fetched, "`{program}` with {hosts:?}: {ran:?}");
                break;
            }
            hosts.extend(new);
        }
        assert!(fetched && !hosts.is_empty(), "`{program}` with {hosts:?}");
        let Some(haft) = gated_client(&rules(&hosts, "ask")) else { return };
        let mut command = haft.command(&["mcp", "serve", "--stdio"]);
        with_toolchain(&mut command);
        let mut client = Client::connect_to(command, &haft.home.path("stderr"), Some("session"), "test");
        let answer = client.call("bash", &json!({"command": line}));
        assert_eq!(answer["isError"], false, "`{program}`: {answer}");
        let mut asked: Vec<String> = client.asked.clone();
        asked.sort();
        asked.dedup();
        assert!(asked.len() == client.asked.len() && asked.len() <= hosts.len(), "`{program}`: {:?}", client.asked);
        let connected = connections(&haft).into_iter().filter(|line| line["decision"] == "allow").count();
        eprintln!("`{program}`: {connected} connection(s) to {hosts:?}, {} question(s)", asked.len());
    }
}

/// A test for each client, so that those that are slow run side by side.
macro_rules! fetches {
    ($($test:ident: $program:literal,)*) => {
        $(#[test]
        fn $test() {
            fetches($program);
        })*
    };
}

fetches! {
    cargo_fetches_through_the_gate: "cargo",
    npm_fetches_through_the_gate: "npm",
    pnpm_fetches_through_the_gate: "pnpm",
    yarn_fetches_through_the_gate: "yarn",
    pip_fetches_through_the_gate: "pip",
    uv_fetches_through_the_gate: "uv",
    curl_fetches_through_the_gate: "curl",
    wget_fetches_through_the_gate: "wget",
    node_fetches_through_the_gate: "node",
    java_fetches_through_the_gate: "java",
    go_fetches_through_the_gate: "go",
    git_fetches_through_the_gate: "git",
    apt_fetches_through_the_gate: "apt-get",
}

/// Files that name hosts, each as its package manager writes it: below the project, or below the
/// home with `~/`.
const SOURCES: &[(&str, &str, &str)] = &[
    (
        "Cargo.lock",
        "[[package]]\nname = \"a\"\nsource = \"sparse+https://one.example.org/index/\"\n",
        "one.example.org",
    ),
    ("Cargo.lock", "[[package]]\nsource = \"git+https://git.example.org:8443/a?rev=1#2\"\n", "git.example.org:8443"),
    (".cargo/config.toml", "[registries.own]\nindex = \"sparse+https://own.example.org/\"\n", "own.example.org"),
    ("package-lock.json", "{\n\"resolved\": \"https://npm.example.org/a/-/a-1.tgz\"\n}", "npm.example.org"),
    ("npm-shrinkwrap.json", "{\n  \"resolved\": \"https://two.example.org/a.tgz\",\n}", "two.example.org"),
    ("yarn.lock", "a@1:\n  resolved \"https://yarn.example.org/a.tgz#1\"\n", "yarn.example.org"),
    (".yarnrc.yml", "npmRegistryServer: \"https://berry.example.org\"\n", "berry.example.org"),
    (
        "pnpm-lock.yaml",
        "packages:\n  a:\n    resolution: {integrity: x, tarball: https://p.example.org/a.tgz}\n",
        "p.example.org",
    ),
    (".npmrc", "registry=https://rc.example.org/\n", "rc.example.org"),
    ("uv.lock", "source = { registry = \"https://uv.example.org/simple\" }\n", "uv.example.org"),
    ("poetry.lock", "[package.source]\nurl = \"https://poetry.example.org/simple\"\n", "poetry.example.org"),
    ("pdm.lock", "url = \"https://pdm.example.org/a.whl\"\n", "pdm.example.org"),
    ("pyproject.toml", "[[tool.uv.index]]\nurl = \"https://py.example.org/simple\"\n", "py.example.org"),
    ("Pipfile", "[[source]]\nurl = \"https://pipenv.example.org/simple\"\n", "pipenv.example.org"),
    ("Pipfile.lock", "{\n\"url\": \"https://locked.example.org/simple\"\n}", "locked.example.org"),
    ("requirements.txt", "--index-url https://r.example.org/simple\nsix\n", "r.example.org"),
    ("Gemfile.lock", "GEM\n  remote: https://gems.example.org/\n", "gems.example.org"),
    (
        "gradle/wrapper/gradle-wrapper.properties",
        "distributionUrl=https\\://gradle.example.org/d.zip\n",
        "gradle.example.org",
    ),
    ("composer.lock", "{\n    \"url\": \"https://php.example.org/a.zip\",\n}", "php.example.org"),
    ("bun.lock", "\"a\": [\"a@1\", \"https://bun.example.org/a.tgz\", {}, \"sha512-x\"],\n", "bun.example.org"),
    ("deno.lock", "{\n  \"https://deno.example.org/std/mod.ts\": \"0123\"\n}", "deno.example.org"),
    (".git/config", "[remote \"origin\"]\n\turl = git@ssh.example.org:a/b.git\n", "ssh.example.org:22"),
    (".gitmodules", "[submodule \"a\"]\n\turl = https://sub.example.org/a.git\n", "sub.example.org"),
    ("~/.cargo/config.toml", "[source.mirror]\nregistry = \"sparse+https://m.example.org/\"\n", "m.example.org"),
    ("~/.npmrc", "@own:registry=https://scope.example.org/\n", "scope.example.org"),
    ("~/.config/pip/pip.conf", "[global]\nindex-url = https://pip.example.org/simple\n", "pip.example.org"),
    ("~/.config/uv/uv.toml", "index-url = \"https://uvhome.example.org/simple\"\n", "uvhome.example.org"),
    ("~/.config/go/env", "GOPROXY=https://go.example.org,direct\n", "go.example.org"),
    ("~/.m2/settings.xml", "<settings>\n<url>https://maven.example.org/m</url>\n</settings>", "maven.example.org"),
    ("~/.bundle/config", "BUNDLE_MIRROR__ALL: \"https://bundle.example.org/\"\n", "bundle.example.org"),
];

#[test]
fn init_proposes_the_hosts_that_lock_files_and_the_machine_name() {
    let put = |haft: &Haft, name: &str, text: &str| match name.strip_prefix("~/") {
        Some(below) => haft.home.file(below, text),
        None => haft.workspace.file(name, text),
    };
    for (name, text, host) in SOURCES {
        let haft = Haft::new();
        put(&haft, name, text);
        let printed = haft.run(&["init"]);
        let rule = format!("    # {name}\n    {{ pattern = \"{host}\", action = \"allow\" }},\n");
        assert!(printed.out.contains(&rule), "{name}: {printed:?}");
    }
    let haft = Haft::new();
    for (name, text, _) in SOURCES {
        put(&haft, name, text);
    }
    let written = haft.run(&["init", "--write"]);
    assert!(written.code == 0 && written.out.contains("`npm.example.org`"), "{written:?}");
    let again = haft.run(&["init", "--write"]);
    assert!(again.out.contains("already contains all of these rules"), "{again:?}");
    assert_eq!(haft.run(&["config", "check"]).code, 0, "what was written can be used");
}

#[test]
fn init_names_the_projects_in_a_repository_of_several() {
    let haft = Haft::new();
    for file in ["package.json", "services/api/go.mod", "libs/core/Cargo.toml", "web/node_modules/x/pyproject.toml"] {
        haft.workspace.file(file, "");
    }
    let kinds = haft.run(&["init", "--json"]).json()["kinds"].clone();
    assert_eq!(kinds, serde_json::json!(["rust", "node", "go"]));
}

#[test]
fn init_waits_for_no_pipe_of_a_repository() {
    let haft = Haft::new();
    haft.workspace.file("Cargo.toml", "[package]\n");
    haft.workspace.file("package.json", "{}");
    for name in ["Cargo.lock", "package-lock.json", "yarn.lock", "uv.lock", ".npmrc", ".yarnrc.yml", ".git/config"] {
        let path = haft.workspace.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
            .expect("a FIFO");
    }
    haft.workspace.file("Gemfile.lock", "GEM\n  remote: https://gems.example.org/\n");
    let (done, waiting) = std::sync::mpsc::channel();
    let running = std::thread::spawn(move || {
        let printed = haft.run(&["init"]);
        let _ = done.send(());
        printed
    });
    waiting.recv_timeout(std::time::Duration::from_mins(1)).expect("`haft init` ends");
    let printed = running.join().expect("it ran");
    assert!(printed.out.contains("gems.example.org"), "{printed:?}");
}

/// Opens more connections than the endpoint serves, says nothing, half of something and garbage,
/// and asks for something proper at the end.
const FLOOD: &str = r#"
import os, socket, sys
port = int(os.environ["HAFT_GATE_PORT"])
words = [b"", b"\x05", b"\x05\x01\x00", b"CONNECT a.org:80 HTT", b"GET http://a.org/ HTTP/1.1\r\nHost:", b"\xff" * 400,
    b"\x16\x03\x01\x02\x00\x01", b"CONNECT " + b"a" * 10000 + b":80 HTTP/1.1\r\n\r\n", b"\x00" * 70000,
    b"GET / HTTP/1.1\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
for _ in range(int(sys.argv[1])):
    held = []
    for turn in range(100):
        s = socket.create_connection(("127.0.0.1", port))
        s.settimeout(5)
        try:
            s.sendall(words[turn % len(words)])
        except OSError:
            pass
        held.append(s)
    for s in held:
        s.close()
for host in [b"a" * 10000 + b".org", b"last.example.org"]:
    s = socket.create_connection(("127.0.0.1", port))
    s.settimeout(30)
    s.sendall(b"CONNECT %s:80 HTTP/1.1\r\n\r\n" % host)
    print(s.recv(100).split(b"\r\n")[0].decode())
"#;

#[test]
fn ten_thousand_connections_and_garbage_by_a_command_stop_nothing() {
    let Some(haft) = gated("") else { return };
    // Another run of the tests may be at it, too.
    let script = format!("flood-{}.py", std::process::id());
    haft.workspace.file(&script, FLOOD);
    let expected = "HTTP/1.1 400 Bad Request\nHTTP/1.1 403 Forbidden\n";
    let ran = haft.run(&["exec", "--", &format!("python3 {script} 100")]);
    assert!(ran.code == 0 && ran.out == expected, "{ran:?}");
    let mut client = Client::connect(&haft);
    let answer = client.call("bash", &json!({"command": format!("python3 {script} 5")}));
    assert!(answer.to_string().contains("400 Bad Request\\nHTTP/1.1 403 Forbidden"), "{answer}");
    let answer = client.call("bash", &json!({"command": "curl -sS http://after.example.org/"}));
    assert!(answer.to_string().contains("`after.example.org:80` is refused"), "the next command is served: {answer}");
    drop(client);
    assert!(eventually(|| support::processes_with(&script) == 0), "nothing is left behind");
    assert!(connections(&haft).iter().any(|line| line["host"] == "last.example.org" && line["decision"] == "deny"));
    assert_eq!(haft.run(&["audit", "verify"]).code, 0);
}

/// A question without the ends of its lines.
fn unwrapped(question: &str) -> String {
    question.split('\n').map(|line| line.trim_start().strip_prefix("\u{2502} ").unwrap_or(line)).collect()
}

#[test]
fn the_question_for_a_port_says_which_for_what_and_until_when() {
    let port = free_port();
    let Some(haft) = gated_with("job_timeout = 77", "") else { return };
    let call = publishing(port, "127.0.0.1");
    let command = call["command"].as_str().unwrap().to_owned();
    let expected = format!("publishes port {port} on 127.0.0.1 of this machine, for `{command}`");
    let mut client = Client::connect_answering(&haft, Some("no"));
    client.call("bash", &call);
    let asked = unwrapped(&client.asked[0]);
    assert!(asked.contains(&expected), "{asked}");
    assert!(asked.contains("until that job ends (77 s at most)"), "{asked}");
    assert!(asked.contains("tools.shell.publish"), "{asked}");
    assert!(!asked.contains("opaque") && !asked.contains("cannot be seen through"), "{asked}");
    let arguments = [format!("command={command}"), "background=true".to_owned(), format!("publish=[{port}]")];
    let mut words = vec!["call", "bash"];
    words.extend(arguments.iter().map(String::as_str));
    let mut terminal = Terminal::start(&haft, &words);
    let shown = unwrapped(&terminal.wait_for("[y]"));
    assert!(shown.contains(&format!("publishes port {port} on 127.0.0.1")), "{shown}");
    assert!(shown.contains("until that job ends (77 s at most)"), "{shown}");
    assert!(!shown.contains("opaque") && !shown.contains("cannot be seen through"), "{shown}");
    terminal.types("n");
    assert_ne!(terminal.end().1, 0);
    let explained = haft.run(&[&["explain"][..], &words[1..]].concat());
    assert!(explained.out.contains(&expected) && !explained.out.contains("cannot be seen through"), "{explained:?}");
}
