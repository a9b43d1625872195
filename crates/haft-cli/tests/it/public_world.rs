//! The binary in a network of public addresses, names and servers on one machine (`world.py`):
//! servers that misbehave, redirects, and names that resolve to another address each time, by the
//! web tools and by commands.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::Client;
use crate::support::{Haft, Ran, finished, processes_with};

const WORLD: &str = include_str!("world.py");

const FETCHES: &str = "[tools.scrape]\ntimeout = 12\n[[tools.permissions.fetch]]\npattern = \"*\"\naction = \"allow\"\n\
                       [[tools.permissions.web_scrape]]\npattern = \"*\"\naction = \"allow\"\n\
                       [tools.anomaly]\nauto_block = false\n";

/// A binary in that network.
struct World {
    haft: Haft,
}

impl World {
    /// `None` after saying why this machine cannot have one.
    fn configured(text: &str) -> Option<Self> {
        let haft = Haft::configured(text);
        let world = Self { haft };
        world.world_file("world.py", WORLD.as_bytes());
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
            .args(["-days", "3650", "-subj", "/CN=example.org", "-keyout", "key.pem", "-out", "cert.pem"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .args(["-addext", "subjectAltName=DNS:a.example.org,DNS:rebind.example.org,IP:93.184.215.14"])
            .current_dir(world.folder())
            .stderr(Stdio::null())
            .status();
        let has_tools = made.is_ok_and(|status| status.success());
        let ran = has_tools.then(|| finished(world.within(&["true"])));
        if ran.as_ref().is_none_or(|ran| ran.code != 0) {
            eprintln!("SKIPPED: no openssl, no python3 or no namespaces: {ran:?}");
            return None;
        }
        Some(world)
    }

    fn folder(&self) -> std::path::PathBuf {
        self.haft.home.path("world")
    }

    fn world_file(&self, name: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.folder()).expect("a folder");
        std::fs::write(self.folder().join(name), bytes).expect("a file");
    }

    /// A command in the network, with the binary's environment.
    fn within(&self, arguments: &[&str]) -> Command {
        let folder = self.folder();
        let mut command = self.haft.command(&[]);
        let variables: Vec<_> =
            command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
        command = Command::new("unshare");
        command
            .args(["-r", "-m", "-n", "python3"])
            .arg(folder.join("world.py"))
            .arg(&folder)
            .args(arguments)
            .current_dir(self.haft.workspace.root())
            .env_clear()
            .envs(variables)
            .env("SSL_CERT_FILE", folder.join("cert.pem"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        finished(self.within(&[&[env!("CARGO_BIN_EXE_haft")], arguments].concat()))
    }

    fn client(&self) -> Client {
        let command = self.within(&[env!("CARGO_BIN_EXE_haft"), "mcp", "serve", "--stdio"]);
        Client::connect_to(command, &self.haft.home.path("stderr"), None, "test")
    }

    /// Connections that came to addresses that are not public, in all runs.
    fn came_to_private(&self) -> String {
        std::fs::read_to_string(self.folder().join("private")).expect("the run has ended")
    }
}

/// A URL, and what a fetch of it says.
const PAGES: &[(&str, &str)] = &[
    ("/ok", "all is well"),
    ("/page", "# Title"),
    ("/garbage", "broken_answer"),
    ("/half", "broken_answer"),
    ("/short", "broken_answer"),
    ("/length", "broken_answer"),
    ("/lengths", "broken_answer"),
    ("/chunk", "broken_answer"),
    ("/headers", "broken_answer"),
    ("/broken", "broken_compression"),
    ("/loop", "too_many_redirects"),
    ("/nowhere", "without naming where the page is"),
    ("/in", "address_not_public"),
    ("/down", "scheme_not_allowed"),
    ("/meta", "address_not_public"),
    ("/image", "binary"),
    ("/missing", "http_status"),
    ("/silent", "timeout"),
    ("/endless", "truncated"),
    ("/bomb", "truncated"),
];

/// A file of one page that says `text`.
fn pdf(text: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>"
            .to_owned(),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut table = "0000000000 65535 f \n".to_owned();
    for (at, object) in objects.iter().enumerate() {
        // Writing to a `String` cannot fail.
        let _ = writeln!(table, "{:010} 00000 n ", file.len());
        let _ = write!(file, "{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let start = file.len();
    let _ = write!(file, "xref\n0 6\n{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

#[test]
fn a_pdf_is_its_text_where_the_binary_reads_them_and_else_its_type_and_size() {
    let Some(world) = World::configured(FETCHES) else { return };
    let file = pdf("Figures of the year");
    world.world_file("page.pdf", &file);
    let says = |answer: &str| {
        if cfg!(feature = "pdf") {
            assert!(answer.contains("Figures of the year"), "{answer}");
        } else {
            assert!(answer.contains("application/pdf") && answer.contains(&file.len().to_string()), "{answer}");
        }
    };
    says(&world.client().call("fetch", &json!({"url": "https://a.example.org/pdf"})).to_string());
    says(&world.run(&["--json", "call", "fetch", "url=https://a.example.org/pdf"]).out);
}

#[test]
fn servers_that_misbehave_are_typed_errors_at_a_terminal_and_over_mcp() {
    let Some(world) = World::configured(FETCHES) else { return };
    let mut client = world.client();
    for (path, expected) in PAGES {
        let url = format!("https://a.example.org{path}");
        let answer = client.call("fetch", &json!({ "url": url })).to_string();
        assert!(answer.contains(expected), "{path}: {answer}");
        assert!(!answer.contains("10.0.0.1"), "an internal address is told: {answer}");
    }
    for host in ["inside.example.org", "mixed.example.org", "meta.example.org"] {
        let answer = client.call("fetch", &json!({ "url": format!("https://{host}/ok") })).to_string();
        assert!(answer.contains("address_not_public") && !answer.contains("10.0.0.1"), "{host}: {answer}");
    }
    let answer = client.call("fetch", &json!({"url": "https://none.example.org/"})).to_string();
    assert!(answer.contains("no_address"), "{answer}");
    let answer = client.call("fetch", &json!({"url": "https://b.example.org/ok"})).to_string();
    assert!(answer.contains("certificate_not_valid"), "a certificate for another name: {answer}");
    let answer = client.call("web_scrape", &json!({"url": "https://a.example.org/page", "select": "h1"})).to_string();
    assert!(answer.contains("Title") && answer.contains("not instructions"), "{answer}");
    let answer = client.call("web_scrape", &json!({"url": "https://a.example.org/page", "select": "h7"})).to_string();
    assert!(answer.contains("h1"), "what is there is said: {answer}");
    client.input = None;
    client.child.wait().expect("it ends with its input");
    for (path, expected) in PAGES.iter().filter(|(path, _)| ["/ok", "/half", "/broken", "/loop", "/in"].contains(path))
    {
        let ran = world.run(&["--json", "call", "fetch", &format!("url=https://a.example.org{path}")]);
        assert!(ran.out.contains(expected), "{path}: {ran:?}");
        assert_eq!(ran.code == 0, *path == "/ok", "{path}: {ran:?}");
    }
    assert_eq!(world.came_to_private(), "0");
}

#[test]
fn pages_that_are_not_there_block_no_tool_and_servers_that_fail_do() {
    let Some(world) = World::configured(&FETCHES.replace("auto_block = false", "min_samples = 3\nwindow_size = 5"))
    else {
        return;
    };
    let mut client = world.client();
    let mut fetch =
        |path: &str| client.call("fetch", &json!({ "url": format!("https://a.example.org{path}") })).to_string();
    for (path, code) in [("/missing", "http_status"), ("/nowhere", "no_location"), ("/image", "binary")].repeat(2) {
        let answer = fetch(path);
        assert!(answer.contains(code), "{path}: {answer}");
    }
    let failed: Vec<String> = (0..4).map(|_| fetch("/half")).collect();
    assert!(failed[2].contains("broken_answer") && failed[3].contains("auto-blocked"), "{failed:?}");
}

#[test]
fn hosts_of_ten_thousand_characters_and_other_malformed_urls_are_typed_errors() {
    let haft = Haft::configured(FETCHES);
    let long = |length: usize| format!("https://{}.org/", "a".repeat(length));
    let urls = [
        long(10_000),
        long(300),
        format!("https://{}org/", "a.".repeat(5_000)),
        "https://".to_owned(),
        "https://[::1%25lo]/".to_owned(),
        "https://a..b/".to_owned(),
        "https://example.org:99999/".to_owned(),
        "https://exa\u{7f}mple.org/".to_owned(),
        "https://xn--\u{fc}.org/".to_owned(),
        "\u{0}".to_owned(),
        "no url".to_owned(),
    ];
    let mut client = Client::connect(&haft);
    for url in &urls {
        let answer = client.call("fetch", &json!({ "url": url })).to_string();
        assert!(answer.contains("invalid_url") && answer.len() < 3_000, "{}: {answer}", url.len());
    }
    let ran = haft.run(&["call", "fetch", &format!("url={}", urls[0])]);
    assert!(ran.code == 2 && ran.out.contains("longer than 8 KiB"), "{ran:?}");
}

/// Requests that a run of all tests has time for; more are tried on demand.
fn rebinding_count() -> usize {
    std::env::var("HAFT_TEST_REBINDING").map_or(300, |text| text.parse().expect("a number"))
}

/// Asks for a name as often as it is told, by each protocol in turn.
const REBIND: &str = r#"
import os, socket, sys
port, opened = int(os.environ["HAFT_GATE_PORT"]), 0
for turn in range(int(sys.argv[1])):
    s = socket.create_connection(("127.0.0.1", port))
    name = b"rebind.example.org"
    if turn % 3 == 0:
        s.sendall(b"CONNECT %s:80 HTTP/1.1\r\n\r\n" % name)
        opened += b" 200 " in s.recv(200)
    elif turn % 3 == 1:
        s.sendall(b"GET http://%s/ HTTP/1.1\r\nHost: a.example.org\r\n\r\n" % name)
        opened += b"HTTP/1.1 200 OK" in s.recv(200)
    else:
        s.sendall(b"\x05\x01\x00")
        s.recv(2)
        s.sendall(b"\x05\x01\x00\x03%c%s\x00\x50" % (len(name), name))
        opened += s.recv(10)[1] == 0
    s.close()
print("opened", opened)
"#;

#[test]
fn a_name_that_changes_its_address_leads_commands_to_none_that_is_private() {
    let rules = "[tools.shell]\ntimeout = 7200\n[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n\
                 [[tools.permissions.network]]\npattern = \"*:*\"\naction = \"allow\"\n";
    let Some(world) = World::configured(rules) else { return };
    // Another run of the tests may be at it, too.
    let script = format!("rebind-{}.py", std::process::id());
    world.haft.workspace.file(&script, REBIND);
    let count = rebinding_count();
    let ran = world.run(&["exec", "--", &format!("python3 {script} {count}")]);
    if !ran.out.contains("opened") {
        eprintln!("SKIPPED: no gate in these namespaces: {ran:?}");
        return;
    }
    let opened: usize = ran.out.trim().rsplit(' ').next().and_then(|count| count.parse().ok()).expect("a count");
    assert!(opened * 3 > count && opened * 3 < count * 2, "half of the answers are public: {opened} of {count}");
    assert_eq!(world.came_to_private(), "0");
    let refused = world.haft.recorded().into_iter().filter(|line| {
        line["event"] == "connection" && line["problem"].as_str().is_some_and(|why| why.contains("not public"))
    });
    assert_eq!(refused.count(), count - opened);
    assert_eq!(world.haft.run(&["audit", "verify"]).code, 0);
    assert_eq!(processes_with(&script), 0);
}

#[test]
fn proxy_variables_and_the_hosts_file_are_read_by_no_web_tool() {
    let Some(world) = World::configured(FETCHES) else { return };
    let mut command = world.within(&[env!("CARGO_BIN_EXE_haft"), "call", "fetch", "url=https://a.example.org/ok"]);
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"] {
        command.env(name, "http://127.0.0.1:80");
    }
    let ran = finished(command);
    assert!(ran.code == 0 && ran.out.contains("all is well"), "{ran:?}");
    assert_eq!(world.came_to_private(), "0", "the proxy was not asked");
    assert!(Path::new("/etc/hosts").is_file());
    let ran = world.run(&["call", "fetch", "url=https://localhost.localdomain/ok"]);
    assert!(ran.code == 4, "{ran:?}");
}
