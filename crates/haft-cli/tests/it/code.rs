//! `search_code` through the binary and over MCP: what it shows, and what it never shows.

use serde_json::json;

use crate::{client::Client, support::Haft};

const SOURCE: &str = "/// Checks the token of a request.\npub fn auth_layer(limit: usize) -> usize {\n    limit\n}\n";

fn project(config: &str) -> Haft {
    let haft = Haft::configured(config);
    haft.workspace.file("src/auth.rs", SOURCE);
    haft.workspace.file("src/main.rs", "mod auth;\nfn main() {\n    auth::auth_layer(3);\n}\n");
    haft
}

#[test]
fn code_is_found_from_a_terminal_and_by_a_client() {
    let haft = project("");
    let ran = haft.run(&["call", "search_code", "query=auth_layer", "kind=definition"]);
    let expected =
        "[structural] src/auth.rs:2 pub fn auth_layer(limit: usize) -> usize\n    /// Checks the token of a request.";
    assert_eq!((ran.code, ran.out.trim_end()), (0, expected), "{ran:?}");
    let ran = haft.run(&["call", "search_code", "query=token of requests"]);
    assert!(ran.out.starts_with("[semantic] src/auth.rs:1-4 (score: "), "{ran:?}");
    let ran = haft.run(&["call", "search_code", "query=!!!"]);
    assert!(ran.code == 2 && ran.out.contains("no name and no word"), "{ran:?}");
    let ran = haft.run(&["call", "search_code", "kind=outline", "path=../elsewhere"]);
    assert_eq!(ran.code, 4, "{ran:?}");

    let mut client = Client::connect(&haft);
    let listed = client.request(2, "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "search_code").expect("it is listed");
    assert_eq!(
        (&tool["annotations"]["readOnlyHint"], &tool["annotations"]["idempotentHint"]),
        (&json!(true), &json!(true))
    );
    let mut ask = |id: u64, arguments: serde_json::Value| {
        let called = client.request(id, "tools/call", &json!({"name": "search_code", "arguments": arguments}));
        called["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        ask(3, json!({"query": "auth_layer", "kind": "reference"})),
        "[structural] src/main.rs:3 auth::auth_layer(3);"
    );
    // The next call sees what was changed since.
    haft.workspace.file("src/auth.rs", format!("\n\n{SOURCE}"));
    assert!(ask(4, json!({"query": "auth_layer", "kind": "definition"})).starts_with("[structural] src/auth.rs:4 "));
    std::fs::remove_file(haft.workspace.root().join("src/auth.rs")).unwrap();
    assert!(ask(5, json!({"query": "auth_layer", "kind": "definition"})).starts_with("[no definition of that name"));
}

/// `read` shows a placeholder, and no search tells what stands behind it.
#[test]
fn no_search_finds_a_part_of_a_credential() {
    let haft = project("");
    let token = ["ghp", "_16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    haft.workspace.file("settings.py", format!("TOKEN = \"{token}\"\nLIMIT = 3\n"));
    let mut client = Client::connect(&haft);
    let mut ask = |id: u64, kind: &str, query: &str| {
        let params = json!({"name": "search_code", "arguments": {"query": query, "kind": kind}});
        client.request(id, "tools/call", &params)["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(ask(2, "text", "TOKEN = ").contains("settings.py:1"));
    for (id, kind, query) in
        [(3, "text", &token[..8]), (4, "text", &token[4..]), (5, "reference", &token), (6, "semantic", &token)]
    {
        let found = ask(id, kind, query);
        assert!(!found.contains("settings.py"), "{kind} {query}: {found}");
    }
}

/// A running server learns of every change of a file, by whichever program it is made.
#[test]
fn the_next_call_of_a_client_finds_what_anybody_changed() {
    let haft = project("");
    for folder in ["src", "sub/deep", ".git/info", "bare"] {
        std::fs::create_dir_all(haft.workspace.root().join(folder)).unwrap();
    }
    let mut client = Client::connect(&haft);
    let mut id = 1;
    let mut found = |name: &str| {
        id += 1;
        let arguments = json!({"query": name, "kind": "definition"});
        let called = client.request(id, "tools/call", &json!({"name": "search_code", "arguments": arguments}));
        let text = called["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        text.strip_prefix("[structural] ").and_then(|rest| rest.split(':').next()).map(str::to_owned)
    };
    let at = |name: &str| haft.workspace.root().join(name);
    assert_eq!(found("auth_layer").as_deref(), Some("src/auth.rs"));
    assert_eq!(found("nobody"), None);
    // Into a folder that held nothing when it was first seen.
    haft.workspace.file("bare/new.rs", "pub fn created() {}\n");
    assert_eq!(found("created").as_deref(), Some("bare/new.rs"));
    haft.workspace.file("made/in/one/go.rs", "pub fn in_one_go() {}\n");
    assert_eq!(found("in_one_go").as_deref(), Some("made/in/one/go.rs"));
    std::fs::rename(at("made/in"), at("moved")).unwrap();
    assert_eq!(found("in_one_go").as_deref(), Some("moved/one/go.rs"));
    haft.workspace.file("moved/one/go.rs", "pub fn after_the_move() {}\n");
    assert_eq!((found("in_one_go"), found("after_the_move").as_deref()), (None, Some("moved/one/go.rs")));
    // By another program.
    let wrote = std::process::Command::new("sh")
        .current_dir(haft.workspace.root())
        .args(["-c", "printf 'pub fn by_another() {}' > sub/deep/x.rs; mv src/main.rs src/third.rs"])
        .status()
        .unwrap();
    assert!(wrote.success());
    assert_eq!(found("by_another").as_deref(), Some("sub/deep/x.rs"));
    assert_eq!(found("main").as_deref(), Some("src/third.rs"));
    // What ignore files say, in the folder and of the repository.
    haft.workspace.file("sub/.gitignore", "deep/\n");
    assert_eq!(found("by_another"), None);
    std::fs::remove_file(at("sub/.gitignore")).unwrap();
    assert_eq!(found("by_another").as_deref(), Some("sub/deep/x.rs"));
    haft.workspace.file(".git/info/exclude", "/moved\n");
    assert_eq!(found("after_the_move"), None);
    std::fs::remove_dir_all(at("sub")).unwrap();
    assert_eq!((found("by_another"), found("created").as_deref()), (None, Some("bare/new.rs")));
}

#[test]
fn what_is_closed_ignored_or_elsewhere_is_not_shown() {
    let haft = project(
        r#"
        [tools.file]
        deny_read = ["**/closed/**"]
        [[tools.permissions.search_code]]
        pattern = "src/internal/**"
        action = "deny"
        [[tools.permissions.search_code]]
        pattern = "*"
        action = "allow"
        "#,
    );
    let outside = haft.home.file("elsewhere/outside.rs", "pub fn wanted_outside() {}\n");
    haft.workspace.file("closed/key.rs", "pub fn wanted_closed() {}\n");
    haft.workspace.file("src/internal/own.rs", "pub fn wanted_internal() {}\n");
    haft.workspace.file("made/out.rs", "pub fn wanted_made() {}\n");
    haft.workspace.file(".gitignore", "made/\n");
    haft.workspace.file("src/open.rs", "pub fn wanted_open() {}\n");
    let _ = outside;
    std::os::unix::fs::symlink(haft.home.path("elsewhere"), haft.workspace.root().join("src/link")).unwrap();
    std::os::unix::fs::symlink(haft.home.path("elsewhere/outside.rs"), haft.workspace.root().join("src/linked.rs"))
        .unwrap();
    for kind in ["auto", "definition", "semantic", "text", "outline"] {
        let ran = haft.run(&["call", "search_code", "query=wanted", &format!("kind={kind}")]);
        for hidden in ["closed", "outside", "made"] {
            assert!(!ran.out.contains(&format!("wanted_{hidden}")), "{kind} {hidden}: {ran:?}");
        }
        assert!(!ran.out.contains("wanted_internal"), "{kind}: {ran:?}");
    }
    let ran = haft.run(&["call", "search_code", "query=wanted_open"]);
    assert!(ran.out.starts_with("[structural] src/open.rs:1 "), "{ran:?}");
}

#[test]
fn a_credential_is_not_shown() {
    let haft = project("");
    let key = format!("AKIA{}", "Q3EGRIW2ZLQNKYF5");
    haft.workspace.file("src/key.rs", format!("pub const ACCESS_KEY: &str = \"{key}\";\n"));
    for kind in ["auto", "text", "outline"] {
        let ran = haft.run(&["call", "search_code", "query=ACCESS_KEY", &format!("kind={kind}"), "--json"]);
        assert!(ran.out.contains("src/key.rs") && !ran.out.contains(&key), "{kind}: {ran:?}");
    }
}

#[test]
fn nonsense_and_endless_queries_have_an_answer() {
    let haft = project("");
    haft.workspace.file("src/bytes.rs", b"fn auth_\xff\xfe() {}\n");
    haft.workspace.file("src/long.rs", format!("fn auth_long() {{}} // {}\n", "x".repeat(2 << 20)));
    for query in ["\u{202e} \0 ((", &"auth_layer ".repeat(1_000), &"z".repeat(10_000), "*", "\"", "'; DROP"] {
        let answer = haft.run(&["call", "--json", "search_code", &serde_json::json!({"query": query}).to_string()]);
        let said = answer.json();
        assert!(said["ok"] == true || said["error"]["code"].is_string(), "{query:?}: {answer:?}");
    }
    let ran = haft.run(&["call", "search_code", "query=auth_layer"]);
    assert!(ran.out.contains("src/auth.rs"), "{ran:?}");
}

#[test]
fn one_key_switches_it_off_and_what_cannot_be_used_is_said() {
    let off = project("[index]\nenabled = false\n");
    let ran = off.run(&["call", "search_code", "query=auth_layer"]);
    assert!(ran.code != 0 && !ran.out.contains("src/auth.rs"), "{ran:?}");
    let wrong = project("[index.qdrant]\ncollection = \"a/b\"\n");
    let ran = wrong.run(&["call", "search_code", "query=auth_layer"]);
    assert!(ran.code != 0 && ran.err.contains("index.qdrant.collection"), "{ran:?}");
    let wrong = project("[index]\nexclude = [\"{\"]\n");
    let ran = wrong.run(&["call", "search_code", "query=auth_layer"]);
    assert!(ran.code != 0 && ran.err.contains("index.exclude"), "{ran:?}");
    let qdrant = project("[index]\nvector_backend = \"qdrant\"\nexclude = [\"**/main.rs\"]\n");
    let ran = qdrant.run(&["call", "search_code", "query=auth_layer"]);
    assert!(ran.out.contains("[semantic: by words only: there is no model (`embedding.model`)]"), "{ran:?}");
    assert!(!ran.out.contains("main.rs"), "{ran:?}");
}

/// Speaks the protocol as far as one question takes, after it has tried to change the workspace.
const SERVER: &str = r#"
import json, sys
try:
    open("made.txt", "w").write("x")
except OSError:
    pass
def read():
    length = 0
    while True:
        line = sys.stdin.buffer.readline().strip()
        if not line:
            break
        name, value = line.split(b":")
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length)) if length else None
def send(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()
def at(uri, line):
    place = {"line": line, "character": 0}
    return {"uri": uri, "range": {"start": place, "end": place}}
while (message := read()):
    method, uri = message.get("method"), message.get("params", {}).get("textDocument", {}).get("uri")
    if method == "initialize":
        result = {"capabilities": {}}
    elif method == "textDocument/definition":
        result = at(uri, 0)
    elif method == "textDocument/references":
        # One that is there, one that is not, one outside.
        result = [at(uri, 3), at(uri, 1), at("file:///etc/hostname", 0)]
    elif method == "textDocument/hover":
        result = {"contents": {"kind": "plaintext", "value": "wanted(a: int)"}}
    else:
        continue
    send({"jsonrpc": "2.0", "id": message["id"], "result": result})
"#;

#[test]
fn a_language_server_is_asked_and_held_like_a_command() {
    let haft = Haft::configured("[index.lsp.python]\ncommand = \"python3\"\nargs = [\"server.py\"]\ntimeout = 60\n");
    haft.workspace.file("server.py", SERVER);
    haft.workspace.file("a.py", "def wanted(a):\n    return a\n\nprint(wanted(1))\n");
    let ran = haft.run(&["call", "search_code", "query=wanted", "kind=definition", "path=a.py"]);
    if ran.out.contains("is not installed") {
        eprintln!("skipped: there is no python3 on this machine");
        return;
    }
    let expected = "[lsp] 1 references, 2 more outside of what is searched\n[lsp] wanted(a: int)\n[structural] a.py:1 def wanted(a)";
    assert_eq!(ran.out.trim_end(), expected, "{ran:?}");
    let report = haft.run(&["doctor"]);
    if report.out.lines().next().is_some_and(|line| line.contains("namespaces")) {
        assert_eq!(haft.workspace.read("made.txt"), None, "a server changes nothing");
    } else {
        eprintln!("skipped: this machine has no namespaces, so that a server is not kept from writing");
    }
    // Where nothing keeps it from writing, there is a look at what it wrote.
    let open = "[tools.shell]\nsandbox = \"off\"\n[index.lsp.python]\ncommand = \"python3\"\nargs = [\"server.py\"]\n";
    let haft = Haft::configured(&format!("{open}timeout = 60\n"));
    haft.workspace.file("server.py", SERVER.replace("made.txt", ".envrc"));
    haft.workspace.file("a.py", "def wanted(a):\n    return a\n");
    let ran = haft.run(&["call", "search_code", "query=wanted", "kind=definition", "path=a.py"]);
    assert!(format!("{ran:?}").contains("put aside, since direnv"), "{ran:?}");
    assert_eq!(haft.workspace.read(".envrc"), None);
    let gone = project("[index.lsp.rust]\ncommand = \"no-such-server\"\n");
    let ran = gone.run(&["call", "search_code", "query=auth_layer", "kind=definition"]);
    assert!(ran.out.starts_with("[structural] src/auth.rs:2 "), "{ran:?}");
    assert!(ran.out.contains("[lsp: `no-such-server` is not installed]"), "{ran:?}");
}
