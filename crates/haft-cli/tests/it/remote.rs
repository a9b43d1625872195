//! MCP servers over HTTP behind the binary: our own server is the one behind.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::client::Client;
use crate::http_client::{Server, certificate};
use crate::support::{Haft, finished};

/// A binary with the server in its configuration; `more` are further lines of its section.
fn in_front_of(server: &Server, more: &str) -> Haft {
    let text =
        format!("[[mcp.servers]]\nid = \"far\"\nurl = \"http://{}/mcp\"\ntimeout = 20\n{more}\n", server.address);
    Haft::configured(&text)
}

/// A server with a file in its workspace.
fn behind() -> (Haft, Server) {
    let behind = Haft::configured("");
    behind.workspace.file("note.txt", "only the server has this\n");
    let server = Server::start(&behind, &[]);
    (behind, server)
}

#[test]
fn a_server_over_http_is_tested_called_pinned_and_on_record() {
    let (_behind, server) = behind();
    let haft = in_front_of(&server, "token_env = \"FAR_TOKEN\"");
    let run = |words: &[&str]| {
        let mut command = haft.command(words);
        command.env("FAR_TOKEN", &server.token);
        finished(command)
    };
    assert!(run(&["mcp", "list"]).out.contains("not asked yet"));
    let tested = run(&["mcp", "test"]);
    assert!(
        tested.code == 0 && tested.out.contains("(haft ") && tested.out.contains("revision 2026-07-28"),
        "{tested:?}"
    );
    let asked = run(&["--json", "call", "mcp_far_read", "path=note.txt"]);
    assert_eq!(
        asked.json()["error"]["category"],
        "confirmation_required",
        "nobody believes its annotations: {asked:?}"
    );
    let read = run(&["--json", "call", "mcp_far_read", "--yes", "path=note.txt"]);
    assert!(read.code == 0 && read.out.contains("only the server has this"), "{read:?}");
    // What does not meet the pinned schema is not sent.
    let wrong = run(&["--json", "call", "mcp_far_read", "--yes", "{\"path\": 7}"]);
    assert_eq!(wrong.json()["error"]["category"], "type_mismatch", "{wrong:?}");
    let failed = run(&["--json", "call", "mcp_far_read", "--yes", "path=none.txt"]);
    assert_eq!(failed.json()["error"]["code"], "mcp_tool_failed", "{failed:?}");

    let lock = fs::read_to_string(haft.home.path(".config/haft/mcp.lock.json")).unwrap();
    assert!(lock.contains("\"sha256\"") && lock.contains("\"read\""), "{lock}");
    let record = fs::read_to_string(haft.record()).unwrap();
    assert!(record.contains(r#""mcp":{"server":"far","tool":"read"}"#), "{record}");
    for text in [&tested.out, &tested.err, &read.out, &read.err, &lock, &record] {
        assert!(!text.contains(&server.token), "{text}");
    }
}

#[test]
fn a_gateway_stands_in_front_of_a_server_over_http() {
    let (behind, server) = behind();
    let haft = in_front_of(&server, "");
    let token = haft.private_file("token", &server.token);
    let config = haft.home.path(".config/haft/config.toml");
    let text = fs::read_to_string(&config).unwrap();
    fs::write(&config, format!("{text}token_command = [\"cat\", \"{token}\"]\n")).unwrap();
    let mut client = Client::connect_answering(&haft, Some("once"));
    let listed = client.request(2, "tools/list", &json!({}));
    assert!(listed.to_string().contains("mcp_far_read"), "{listed}");
    let read = |client: &mut Client, id: u64| -> Value {
        client.request(id, "tools/call", &json!({"name": "mcp_far_read", "arguments": {"path": "note.txt"}}))
    };
    let answer = read(&mut client, 3);
    assert!(answer.to_string().contains("only the server has this"), "{answer}");
    assert!(!client.asked.is_empty(), "a person was asked");
    // The server judges and records by itself.
    let record = fs::read_to_string(behind.record()).unwrap();
    assert!(record.contains("http:"), "{record}");

    // When it goes, the call says so, and nothing shows the token.
    drop(server);
    let gone = read(&mut client, 4);
    assert!(gone["result"]["isError"] == true && gone.to_string().contains("cannot be reached"), "{gone}");
    let mine = fs::read_to_string(haft.record()).unwrap();
    let said = fs::read_to_string(haft.home.path("stderr")).unwrap();
    let token = fs::read_to_string(&token).unwrap();
    assert!(!mine.contains(&token) && !said.contains(&token), "{mine} {said}");
}

#[test]
fn a_server_over_tls_is_called_once_its_certificate_is_trusted() {
    let behind = Haft::configured("");
    behind.workspace.file("note.txt", "only the server has this\n");
    if !certificate(&behind, "far") {
        eprintln!("skipped: there is no openssl that makes certificates");
        return;
    }
    let (cert, key) = (behind.home.path("cert.pem"), behind.home.path("key.pem"));
    let path = |path: &Path| path.to_str().expect("it is text").to_owned();
    let server = Server::start(&behind, &["--tls-cert", &path(&cert), "--tls-key", &path(&key)]);
    let port = server.address.rsplit(':').next().unwrap();
    let run = |host: &str, trusted: &Path| {
        let text =
            format!("[[mcp.servers]]\nid = \"far\"\nurl = \"https://{host}:{port}/mcp\"\ntoken_env = \"FAR_TOKEN\"\n");
        let haft = Haft::configured(&text);
        let mut command = haft.command(&["--json", "call", "mcp_far_read", "--yes", "path=note.txt"]);
        command.env("FAR_TOKEN", &server.token).env("SSL_CERT_FILE", trusted);
        finished(command)
    };
    let read = run("localhost", &cert);
    assert!(read.code == 0 && read.out.contains("only the server has this"), "{read:?}");
    assert!(certificate(&behind, "other"));
    let stranger = run("localhost", &cert);
    assert!(stranger.code != 0 && stranger.err.contains("no TLS with `localhost`"), "{stranger:?}");
    assert!(stranger.err.contains("certificate"), "{stranger:?}");
    assert!(!stranger.err.contains("rmcp::"), "it is said once: {stranger:?}");
    let wrong_name = run("127.0.0.1", &cert);
    assert!(wrong_name.code != 0 && wrong_name.err.contains("no TLS with `127.0.0.1`"), "{wrong_name:?}");
}

#[test]
fn what_is_wrong_with_a_server_over_http_is_said() {
    let (_behind, server) = behind();
    let haft = in_front_of(&server, "token_env = \"FAR_TOKEN\"");
    let unset = haft.run(&["--json", "mcp", "test"]);
    assert!(unset.code != 0 && unset.out.contains("`FAR_TOKEN` is not set"), "{unset:?}");
    let mut command = haft.command(&["--json", "mcp", "test"]);
    command.env("FAR_TOKEN", "another-0123456789-0123456789");
    let refused = finished(command);
    assert_eq!((refused.code, refused.json()["code"].as_str()), (1, Some("auth_failure")), "{refused:?}");
    assert!(!refused.out.contains("another-0123456789"), "{refused:?}");
    for (text, key) in [
        ("id = \"a\"\nurl = \"http://example.com/mcp\"", "url"),
        ("id = \"a\"\nurl = \"https://example.com/mcp\"\ncommand = \"b\"", "url"),
        ("id = \"a\"", "command"),
        ("id = \"a\"\ncommand = \"b\"\ntoken_env = \"C\"", "token_env"),
        ("id = \"a\"\nurl = \"https://example.com/mcp\"\nworkspace = \"write\"", "workspace"),
    ] {
        let haft = Haft::configured(&format!("[[mcp.servers]]\n{text}\n"));
        let ran = haft.run(&["mcp", "list"]);
        assert!(ran.code != 0 && ran.err.contains(&format!("mcp.servers[0].{key}")), "{text}: {ran:?}");
    }
}

#[test]
fn servers_over_http_are_added_imported_and_removed() {
    let haft = Haft::configured("# mine\n[mcp]\nstructured = true\n");
    let url = "https://example.com/mcp";
    let words = ["mcp", "add", "far", "--url", url, "--token-env", "FAR_TOKEN", "--header-env", "X-Team=TEAM"];
    let added = haft.run(&words);
    assert_eq!(added.code, 0, "{added:?}");
    let config = || fs::read_to_string(haft.home.path(".config/haft/config.toml")).unwrap();
    let section = format!(
        "[[mcp.servers]]\nid = \"far\"\nurl = \"{url}\"\ntoken_env = \"FAR_TOKEN\"\nheader_env = {{ X-Team = \"TEAM\" }}\n"
    );
    assert!(config().ends_with(&section), "{}", config());
    assert!(haft.run(&["mcp", "list"]).out.contains(url));
    let both = haft.run(&["mcp", "add", "two", "--url", url, "--", "program"]);
    assert!(both.code != 0 && both.err.contains("--url"), "{both:?}");
    assert_ne!(haft.run(&["mcp", "add", "none"]).code, 0);
    assert_ne!(haft.run(&["mcp", "add", "plain", "--url", "http://example.com/mcp"]).code, 0);
    assert_eq!(haft.run(&["mcp", "remove", "far"]).code, 0);
    assert_eq!(config(), "# mine\n[mcp]\nstructured = true\n");

    haft.home.file(
        ".claude.json",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${WEB_TOKEN}"}}, "old": {"type": "sse", "url": "https://example.com/sse"}}}"#,
    );
    let imported = haft.run(&["mcp", "import"]);
    assert!(imported.out.contains("`web` from") && imported.out.contains("skipped `old`"), "{imported:?}");
    assert!(config().contains("token_env = \"WEB_TOKEN\""), "{}", config());
}
