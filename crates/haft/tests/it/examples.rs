//! The examples are run as their first lines say.
#![expect(clippy::disallowed_methods, reason = "the examples are programs")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tools_testkit::Workspace;

/// An example that runs in a folder of its own, with a home of its own.
struct Example {
    home: Workspace,
    project: Workspace,
}

impl Example {
    fn new() -> Self {
        Self { home: Workspace::new(), project: Workspace::new() }
    }

    fn command(&self, name: &str) -> Command {
        // Examples lie beside the folder of the tests.
        let test = std::env::current_exe().expect("the test is a program");
        let program: PathBuf = test.ancestors().nth(2).expect("a target folder").join("examples").join(name);
        let mut command = Command::new(program);
        command.current_dir(self.project.root()).env("HOME", self.home.root()).env_remove("XDG_CONFIG_HOME");
        command.env_remove("XDG_STATE_HOME").env_remove("XDG_CACHE_HOME").env_remove("XDG_DATA_HOME");
        command
    }

    fn run(&self, name: &str, arguments: &[&str]) -> String {
        let ran = self.command(name).args(arguments).output().expect("the example starts");
        assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).into_owned()
    }
}

#[test]
fn a_call_in_a_few_lines() {
    let source = include_str!("../../examples/library.rs");
    assert!(source.lines().count() < 20);
    assert!(Example::new().run("library", &[]).contains("hello from /"));
}

#[test]
fn a_tool_a_layer_and_a_provider() {
    let example = Example::new();
    let tool = example.run("own_tool", &[]);
    assert_eq!(tool, "7: the build fails on a fresh clone\n8: there is no ticket 8\n");
    let layer = example.run("own_layer", &[]);
    assert!(layer.contains("\nbash: 1 calls, ") && layer.contains("\nlist_directory: 1 calls, "), "{layer}");
    assert!(example.run("own_provider", &[]).contains("It printed: polly"));
}

#[test]
fn a_sub_agent_reads_and_changes_nothing() {
    let example = Example::new();
    example.project.file("notes.txt", "buy milk\n");
    let rule = "[[tools.permissions.review]]\npattern = \"*\"\naction = \"allow\"\n";
    example.home.file(".config/haft/config.toml", rule);
    let script = example.home.file(
        "script.toml",
        r#"
[[turns]]
calls = [{ tool = "review", params = { task = "Is notes.txt right?" } }]

[[turns]]
calls = [
    { tool = "read", params = { path = "notes.txt" } },
    { tool = "write", params = { path = "notes.txt", content = "gone" } },
]

[[turns]]
expect = "only read"
text = "The notes are about milk."

[[turns]]
expect = "about milk"
text = "The reviewer read them."
"#,
    );
    let script = script.to_str().expect("a path that is text");
    assert_eq!(example.run("sub_agent", &["Have the notes reviewed.", script]), "The reviewer read them.\n");
    assert_eq!(std::fs::read_to_string(example.project.path("notes.txt")).expect("it is there"), "buy milk\n");
}

/// A service that ends with this value.
struct Service(Child);

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The whole answer to a request.
fn post(address: &str, token: &str, path: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    answer
}

#[test]
fn a_service_has_a_session_for_each_client() {
    let example = Example::new();
    let mut started = example.command("http_service");
    let mut service =
        Service(started.env("TOKEN", "secret").stdout(Stdio::piped()).spawn().expect("the example starts"));
    let mut line = String::new();
    BufReader::new(service.0.stdout.take().expect("it is a pipe")).read_line(&mut line).expect("it prints its address");
    let address = line.trim().strip_prefix("http://").expect("an address");
    let call = |session: &str, token: &str, body: &str| {
        let answer = post(address, token, &format!("/sessions/{session}/calls"), body);
        (answer[9..12].to_owned(), answer.contains(r#""ok":true"#))
    };
    let served = |ok: bool| ("200".to_owned(), ok);
    let bash = |line: &str| format!(r#"{{"tool":"bash","params":{{"command":"{line}"}}}}"#);
    assert_eq!(call("one", "wrong", &bash("echo hello")).0, "401");
    assert_eq!(call("one", "secret", "{}").0, "422");
    assert_eq!(call("one", "secret", &bash("echo hello")), served(true));
    assert_eq!(call("one", "secret", &bash("rm -rf /")), served(false));
    // The session that read another content may not write over the new one.
    example.project.file("notes.txt", "buy milk\n");
    let write = r#"{"tool":"write","params":{"path":"notes.txt","content":"buy bread\n"}}"#;
    assert_eq!(call("one", "secret", r#"{"tool":"read","params":{"path":"notes.txt"}}"#), served(true));
    example.project.file("notes.txt", "buy milk and eggs\n");
    assert_eq!(call("one", "secret", write), served(false));
    assert_eq!(call("two", "secret", write), served(true));
}
