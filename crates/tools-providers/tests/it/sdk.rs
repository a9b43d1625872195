//! Requests and the scripted server against what the vendors themselves publish: the types of their
//! Python packages, and their clients. Skipped, and said so, where the packages are not installed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::json;
use tools_providers::Request;
use tools_providers::codec::{Options, encode};
use tools_providers::scripted::{Script, ScriptedServer};

use crate::{history, valid::PROTOCOLS};

/// Reads lines `{protocol, body}` and `{protocol, url}`, and holds each against the package of its
/// vendor.
const CHECK: &str = include_str!("check_with_sdk.py");

const SCRIPT: &str = "[[turns]]\ntext = 'Said.'\ncalls = [{ tool = 'read', params = { path = 'a' } }]\n";

#[tokio::test(flavor = "multi_thread")]
async fn the_vendors_own_types_take_what_is_sent_and_their_clients_what_is_scripted() {
    let python = std::env::var_os("HAFT_TEST_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let (mut cases, mut servers) = (Vec::new(), Vec::new());
    for protocol in PROTOCOLS {
        let (tools, messages) = (history::tools(), history::everything(protocol));
        let name = format!("{protocol:?}");
        let options = Options {
            cache_minimum: 0,
            thinking_tokens: Some(2_000),
            reasoning_effort: Some("low".to_owned()),
            ..Options::new(protocol, "m")
        };
        let body = encode(&options, &Request::new("Be good.", &tools, &messages, "s"));
        cases.push(json!({"protocol": name, "body": String::from_utf8(body).unwrap()}).to_string());
        let server = ScriptedServer::start(Script::parse(SCRIPT).unwrap()).await.unwrap();
        cases.push(json!({"protocol": name, "url": server.base_url(protocol)}).to_string());
        servers.push(server);
    }
    let Some((code, said, errors)) =
        tokio::task::spawn_blocking(move || run(&python, &cases.join("\n"))).await.unwrap()
    else {
        println!("skipped: there is no Python here");
        return;
    };
    if code == Some(77) {
        println!("skipped: {said}");
        return;
    }
    assert!(code == Some(0) && said.trim_end().ends_with("8 checked"), "{said}\n{errors}");
    assert!(servers.iter().all(|server| server.received().len() == 1));
}

/// The exit code of the checks and what they print; `None` without Python.
fn run(python: &Path, cases: &str) -> Option<(Option<i32>, String, String)> {
    #[expect(clippy::disallowed_methods, reason = "a test runs the vendors' own programs")]
    let started = std::process::Command::new(python)
        .args(["-c", CHECK])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.ok()?;
    child.stdin.take().unwrap().write_all(cases.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some((output.status.code(), text(&output.stdout), text(&output.stderr)))
}
