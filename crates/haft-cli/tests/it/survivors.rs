//! A host that is killed without a chance to clean up: nothing it started is left, and what it left
//! on disk goes at the next start.

use std::{fs, io::Write as _, path::Path, process::Stdio};

use serde_json::json;

use crate::support::{Haft, eventually, processes_with};

const YES: &str =
    "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n[tools.shell]\nconfirm_patterns = []\n";

/// Every way to stay behind at once; each `sleep` is found by its odd duration.
fn ways(mark: &str) -> String {
    let pipeline = vec![format!("sleep {mark}"); 40].join(" | ");
    format!(
        "sleep {mark} & nohup sleep {mark} >/dev/null 2>&1 & setsid sleep {mark} & \
         (setsid bash -c '(sleep {mark}) & exit' &) ; sleep {mark} & disown -a; \
         (trap '' TERM HUP INT; sleep {mark}) & {pipeline}"
    )
}

#[test]
fn a_killed_host_leaves_no_process_of_a_command_or_a_job() {
    let haft = Haft::configured(YES);
    let mark = format!("86{}", std::process::id());
    let line = |params| json!({ "tool": "bash", "params": params, "approve": true }).to_string();
    let job = line(json!({ "command": ways(&mark), "background": true }));
    let command = line(json!({ "command": ways(&mark) }));
    let input = haft.home.file("batch.jsonl", format!("{job}\n{command}\n"));
    let mut child =
        haft.command(&["batch", input.to_str().unwrap()]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(eventually(|| processes_with(&mark) > 80), "both run");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(eventually(|| processes_with(&mark) == 0), "{} survive", processes_with(&mark));
}

#[test]
fn jobs_end_with_the_client_of_the_server() {
    let haft = Haft::configured(YES);
    let mark = format!("85{}", std::process::id());
    let mut child = haft
        .command(&["mcp", "serve", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let hello =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let job = json!({"name": "bash", "arguments": {"command": ways(&mark), "background": true}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": job}),
    ] {
        writeln!(input, "{message}").unwrap();
    }
    assert!(eventually(|| processes_with(&mark) > 40), "the job runs");
    drop(input);
    assert!(eventually(|| child.try_wait().unwrap().is_some()), "the server ends");
    assert!(eventually(|| processes_with(&mark) == 0), "{} survive", processes_with(&mark));
}

#[test]
fn what_a_killed_host_left_on_disk_goes_at_the_next_start() {
    let haft = Haft::configured(YES);
    let temporary = haft.home.dir("tmp");
    let left = |place: &Path| {
        let names = fs::read_dir(place).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_str().is_some_and(|name| name.starts_with(".haft-own-"))).count()
    };
    let mark = format!("84{}", std::process::id());
    let start = |line: &str| {
        let mut command = haft.command(&["call", "bash", &format!("command={line}"), "--yes"]);
        command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut killed = start(&format!("sleep {mark}"));
    assert!(eventually(|| processes_with(&mark) > 0), "the command starts");
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(eventually(|| processes_with(&mark) == 0));
    assert_eq!(left(&temporary), 1);

    let mut living = start(&format!("sleep {mark}"));
    assert!(eventually(|| processes_with(&mark) > 0), "the command starts");
    assert_eq!(left(&temporary), 1, "the dead one's is gone, the living one's is there");
    assert_eq!(start("true").wait().unwrap().code(), Some(0));
    assert_eq!(left(&temporary), 1, "the living one's is still there");
    living.kill().unwrap();
    living.wait().unwrap();
}
