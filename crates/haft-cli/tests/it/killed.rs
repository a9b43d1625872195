//! A server that is killed in the middle of a call: what the call did is on record, and can be
//! taken back.

use std::os::unix::process::ExitStatusExt as _;

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{BASH_ALLOWED, Haft, eventually, processes_with};

/// Has a server run a command that ends in `sleep MARK`, and kills it when that is reached.
fn killed_while(haft: &Haft, command: &str, mark: &str) {
    let mut client = Client::connect(haft);
    let arguments = json!({"command": command});
    let params = json!({"name": "bash", "arguments": arguments});
    client.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}));
    assert!(eventually(|| processes_with(mark) > 0), "the command comes to its end");
    client.child.kill().expect("it is ours");
    assert_eq!(client.child.wait().expect("it was started").signal(), Some(9));
    assert!(eventually(|| processes_with(mark) == 0), "nothing survives");
}

#[test]
fn a_call_whose_server_was_killed_is_on_record_and_taken_back() {
    if !tools_testkit::namespaces() {
        return;
    }
    let mark = format!("86{}", std::process::id());
    let command = format!(
        "echo x > a.txt; mv dir moved; rm gone.txt; mkdir -p new/sub; echo y > new/sub/c.txt; chmod 600 a.txt; \
         sleep {mark}"
    );
    let haft = Haft::configured(&BASH_ALLOWED.replace('*', &command));
    haft.workspace.file("a.txt", "one\n");
    haft.workspace.file("dir/b.txt", "two\n");
    haft.workspace.file("gone.txt", "three\n");
    let before = haft.workspace.digest();
    killed_while(&haft, &command, &mark);
    assert_eq!(haft.workspace.read("a.txt").as_deref(), Some(&b"x\n"[..]), "the command ran");
    assert_eq!(haft.recorded().len(), 0, "nobody was there to write it");

    // Whoever makes calls next.
    assert_eq!(haft.run(&["call", "read", "path=a.txt"]).code, 0);
    let recorded = haft.recorded();
    let [line, read] = recorded.as_slice() else { panic!("{recorded:?}") };
    assert_eq!(read["tool"], "read");
    assert_eq!(
        (&line["tool"], &line["result"], &line["error_code"], &line["decision"]),
        (&json!("bash"), &json!("unknown"), &json!("killed"), &json!("allow")),
    );
    assert!(line["call"]["command"].as_str().is_some_and(|told| told.contains("rm gone.txt")), "{line}");
    let verified = haft.run(&["audit", "verify", "--json"]).json();
    assert_eq!((&verified["lines"], &verified["intact"]), (&2.into(), &true.into()), "{verified}");

    let list = haft.run(&["undo", "--list"]);
    assert!(list.out.contains("bash") && list.out.contains("gone.txt"), "{list:?}");
    let ran = haft.run(&["undo"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("was killed"), "{ran:?}");
    assert_eq!(haft.workspace.digest(), before, "{ran:?}");
    assert_eq!(haft.run(&["undo", "--list"]).out, "");
}

#[test]
fn a_call_that_another_server_runs_is_not_taken_for_killed() {
    let Some(haft) = Haft::confined(BASH_ALLOWED) else { return };
    haft.workspace.file("a.txt", "one\n");
    let mark = format!("85{}", std::process::id());
    let mut client = Client::connect(&haft);
    let params = json!({"name": "bash", "arguments": {"command": format!("echo x > a.txt; exec sleep {mark}")}});
    client.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}));
    assert!(eventually(|| processes_with(&mark) > 0), "the command runs");
    assert_eq!(haft.run(&["undo", "--list"]).out, "");
    assert_eq!(haft.run(&["call", "read", "path=a.txt"]).code, 0);
    assert_eq!(haft.recorded().len(), 1, "the read alone");
    drop(client.input.take());
    client.child.wait().expect("it was started");
    let told: Vec<Value> = haft.recorded().iter().map(|line| line["tool"].clone()).collect();
    assert_eq!(told, ["read", "bash"], "each once");
}
