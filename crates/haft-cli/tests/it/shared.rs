//! State in a PostgreSQL database, through the binary; skipped where no server is installed.

use std::{io::Write as _, path::Path, process::Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tools_testkit::PostgresServer;

use crate::http_client::{ALICE, BOB, Client, Server};
use crate::machines;
use crate::support::{Haft, eventually};

fn server() -> Option<PostgresServer> {
    PostgresServer::start().map_err(|missing| eprintln!("SKIPPED: {missing}")).ok()
}

#[test]
fn two_servers_that_are_killed_lose_no_acknowledged_call_and_keep_the_quota() {
    let Some(server) = server() else { return };
    let folder = TempDir::new().expect("a folder is made");
    let plan = machines::Plan { calls: 400, kills: 3, quota: 300 };
    let binary = Path::new(env!("CARGO_BIN_EXE_haft"));
    let outcome = machines::run(binary, &folder.path().canonicalize().expect("it is there"), &server.address(), plan);
    // A server that is killed before its first call leaves no chain.
    assert!(outcome.faults.is_empty() && (2..=5).contains(&outcome.chains), "{outcome:#?}");
    let machines::Outcome { acknowledged, refused, unanswered, ran, entries, .. } = outcome;
    assert_eq!(acknowledged + refused + unanswered, plan.calls);
    assert!(ran >= acknowledged && entries > 0, "{ran} {acknowledged} {entries}");
}

#[test]
fn without_the_database_calls_are_refused_or_run_as_configured() {
    let Some(server) = server() else { return };
    let away = server.address();
    drop(server);
    let run = |section: &str| {
        let haft =
            Haft::configured(&format!("[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n{section}"));
        let ran = haft.run(&["call", "bash", "command=touch ran", "--json"]);
        (haft.workspace.read("ran").is_some(), ran)
    };
    let audit = format!("[tools.audit]\ndatabase = \"{away}\"\n");
    let (did_run, ran) = run(&audit);
    assert!(!did_run && ran.out.contains("audit_failed"), "{ran:?}");
    let (did_run, ran) = run(&format!("{audit}on_error = \"warn\"\n"));
    assert!(did_run && ran.out.contains("not in the audit log"), "{ran:?}");
    let quota = format!("[tools.caller_quota]\ncalls = 5\ndatabase = \"{away}\"\n");
    let (did_run, ran) = run(&quota);
    assert!(!did_run && ran.out.contains("caller_quota_unavailable"), "{ran:?}");
    let (did_run, ran) = run(&format!("{quota}on_error = \"warn\"\n"));
    assert!(did_run && ran.out.contains("not counted"), "{ran:?}");
}

#[test]
fn the_record_in_a_database_is_read_like_a_file() {
    let Some(server) = server() else { return };
    let haft = Haft::configured(&format!(
        "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n[tools.audit]\ndatabase = \"{}\"\n",
        server.address()
    ));
    // Each is a process, with a chain of its own that notes the one before.
    for word in ["one", "two", "three"] {
        let ran = haft.run(&["call", "bash", &format!("command=echo {word}")]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    assert!(!haft.record().exists());
    let view = haft.run(&["audit", "view"]);
    assert!(["echo one", "echo two", "echo three"].iter().all(|line| view.out.contains(line)), "{view:?}");
    let tail = haft.run(&["audit", "tail", "--no-follow", "--lines", "1"]);
    assert!(tail.out.contains("echo three") && !tail.out.contains("echo two"), "{tail:?}");
    let report = haft.run(&["audit", "report", "--out", "-"]);
    assert!(report.out.contains("echo two"), "{report:?}");
    let replay = haft.run(&["audit", "replay", "--all"]);
    assert!(replay.out.contains("echo two"), "{replay:?}");
    let verified = haft.run(&["audit", "verify", "--json"]).json();
    assert!(verified["intact"] == true && verified["noted"] == 2, "{verified}");
    let head = verified["chains"][0]["head"].clone();
    let known = format!("{}:{}", head["seq"], head["hash"].as_str().expect("a hash"));
    assert_eq!(haft.run(&["audit", "verify", "--head", &known]).code, 0);
    let unknown = format!("9:{}", "a".repeat(64));
    let verified = haft.run(&["audit", "verify", "--head", &unknown]);
    assert!(verified.code != 0 && verified.out.contains("no chain has the head"), "{verified:?}");
    // None of it is old.
    assert_ne!(haft.run(&["audit", "prune", "--days", "0"]).code, 0);
    let pruned = haft.run(&["audit", "prune", "--days", "30", "--json"]).json();
    assert_eq!(pruned["chains"], json!([]), "{pruned}");
    let left = std::fs::read_dir(haft.home.path(".local/state/haft")).expect("it is there");
    assert!(!left.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("audit-copy")));
}

/// A server as on a machine of its own, for two guests who work in the same folder.
fn machine(config: &str, folder: &Path) -> (Haft, Server) {
    let haft = Haft::configured(config);
    let guest = |name: &str, token: &str| {
        format!("[[guest]]\nname = \"{name}\"\ntoken = \"{token}\"\nworkdir = \"{}\"\n", folder.display())
    };
    let file = haft.private_file("guests.toml", &(guest("alice", ALICE) + &guest("bob", BOB)));
    let server = Server::start(&haft, &["--guests", &file]);
    (haft, server)
}

fn greeted<'a>(server: &'a Server, token: &str) -> Client<'a> {
    server.client(token).greeted_with(&json!({"elicitation": {}}))
}

/// Whether a call runs without a question; a question is answered with no.
fn runs(client: &Client<'_>, command: &str) -> bool {
    client.call_answering("bash", &json!({"command": command}), "no").starts_with("ran")
}

#[test]
fn what_a_guest_allows_on_one_machine_counts_for_it_on_the_other_until_it_is_revoked() {
    let Some(database) = server() else { return };
    let folder = TempDir::new().expect("a folder is made");
    let folder = folder.path().canonicalize().expect("it is there");
    std::fs::write(folder.join("x.sh"), "echo ran\n").expect("it is written");
    let config = format!("[tools.approvals]\ndatabase = \"{}\"\n", database.address());
    let ((first, one), (_second, two)) = (machine(&config, &folder), machine(&config, &folder));
    let (alice, bob) = (greeted(&one, ALICE), greeted(&two, BOB));
    let alice_there = greeted(&two, ALICE);
    assert!(!runs(&alice_there, "sh x.sh"));
    let always = alice.call_answering("bash", &json!({"command": "sh x.sh"}), "always");
    assert!(always.starts_with("ran"), "{always}");
    // The process that stored it is killed at once: what was acknowledged is stored.
    drop(one);
    assert!(runs(&alice_there, "sh x.sh"), "the next call on the other machine knows of it");
    assert!(!runs(&bob, "sh x.sh"), "it is for no other guest");
    // It is for the script as it was.
    std::fs::write(folder.join("x.sh"), "echo ran differently\n").expect("it is written");
    assert!(!runs(&alice_there, "sh x.sh"));
    std::fs::write(folder.join("x.sh"), "echo ran\n").expect("it is written");
    assert!(runs(&alice_there, "sh x.sh"));
    let listed = first.run(&["policy", "approvals", "--json"]).json();
    assert_eq!(listed["approval"]["caller"], "http:alice", "{listed}");
    assert_eq!(first.run(&["policy", "revoke", "1"]).code, 0);
    assert!(!runs(&alice_there, "sh x.sh"), "the next call knows that it was revoked");
    // What an operator allows counts for everybody, and ends by itself.
    let workdir = folder.to_str().expect("it is text");
    let allowed = first.run(&["policy", "allow", "bash", "sh x.sh", "--workdir", workdir]);
    assert_eq!(allowed.code, 0, "{allowed:?}");
    assert!(runs(&alice_there, "sh x.sh") && runs(&bob, "sh x.sh"));
    drop(database);
    assert!(!runs(&bob, "sh x.sh"), "whether it was revoked is not known");
}

#[test]
fn the_database_of_approvals_is_named_where_it_is_away() {
    let Some(server) = server() else { return };
    let address = server.address();
    let haft = Haft::configured(&format!("[tools.approvals]\ndatabase = \"{address}\"\n"));
    let doctor = haft.run(&["doctor"]);
    assert!(doctor.out.contains("`tools.approvals.database`") && doctor.out.contains("can be reached"), "{doctor:?}");
    drop(server);
    let doctor = haft.run(&["doctor"]);
    assert!(doctor.out.contains("cannot be reached"), "{doctor:?}");
    let listed = haft.run(&["policy", "approvals"]);
    assert!(listed.code != 0 && listed.err.contains("stored approvals cannot be used"), "{listed:?}");
    let allowed = haft.run(&["policy", "allow", "bash", "make *"]);
    assert!(allowed.code != 0 && allowed.err.contains("cannot be stored"), "{allowed:?}");
    let wrong = Haft::configured("[tools.approvals]\ndatabase = \"mysql://x\"\n").run(&["config", "check"]);
    assert!(wrong.code == 2 && format!("{}{}", wrong.out, wrong.err).contains("tools.approvals.database"), "{wrong:?}");
}

/// A script of one answer, in a file of its home.
fn said(haft: &Haft, text: &str) -> String {
    let script = format!("[[turns]]\ntext = \"{text}\"\n");
    haft.home.file("script.toml", script).to_str().expect("it is text").to_owned()
}

fn session_of(haft: &Haft) -> Value {
    haft.run(&["sessions", "list", "--json"]).json()
}

#[test]
fn a_session_goes_on_on_another_machine_and_is_never_written_by_two() {
    let Some(server) = server() else { return };
    let config = format!("[agent.sessions]\ndatabase = \"{}\"\nowner = \"ann\"\n", server.address());
    let (one, two) = (Haft::configured(&config), Haft::configured(&config));
    let folder = TempDir::new().expect("a folder is made");
    let workdir = folder.path().canonicalize().expect("it is there");
    let workdir = workdir.to_str().expect("it is text");
    let run = |haft: &Haft, text: &str, more: &[&str]| {
        let script = said(haft, text);
        haft.run(&[&["run", "--workdir", workdir, "--scripted", &script], more].concat())
    };
    let ran = run(&one, "first", &["hello"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "first\n"), "{ran:?}");
    let ran = run(&two, "second", &["--resume", "--", "again"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "second\n"), "{ran:?}");
    let session = session_of(&one);
    assert_eq!((&session["turns"], &session["title"]), (&json!(2), &json!("hello")), "{session}");
    let id = session["session"].as_str().expect("it has a name");

    // A process that goes on with it, and waits for the next line.
    let script = said(&one, "third");
    let words = ["run", "--workdir", workdir, "--scripted", &script, "--resume", id];
    let mut holder = one.command(&words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let holder = holder.as_mut().expect("it starts");
    let mut input = holder.stdin.take().expect("it is piped");
    input.write_all(b"more\n").expect("it reads");
    let patiently = |holds: &mut dyn FnMut() -> bool| (0..4).any(|_| eventually(&mut *holds));
    assert!(patiently(&mut || session_of(&two)["turns"] == 3), "the turn is saved");
    let refused = run(&two, "never", &["--resume", id, "--", "me too"]);
    assert!(refused.code != 0 && refused.err.contains("is in use"), "{refused:?}");
    let refused = two.run(&["sessions", "rm", id]);
    assert!(refused.code != 0 && refused.err.contains("is in use"), "{refused:?}");
    // Killed: what it had saved is there, and its lease ends.
    holder.kill().expect("it is killed");
    holder.wait().expect("it ends");
    assert_eq!(session_of(&two)["turns"], 3);
    let mut ran = None;
    let goes_on = &mut || {
        let again = run(&two, "fourth", &["--resume", id, "--", "me too"]);
        let is_done = again.code == 0;
        ran = Some(again);
        is_done
    };
    assert!(patiently(goes_on), "{ran:?}");
    assert_eq!(session_of(&one)["turns"], 4);
    let other = Haft::configured(&config.replace("ann", "ben"));
    assert_eq!(other.run(&["sessions", "list"]).out, "", "sessions of somebody else");
    assert_eq!(two.run(&["sessions", "rm", id]).code, 0);
    assert_eq!(one.run(&["sessions", "list"]).out, "");

    drop(server);
    let refused = run(&one, "never", &["hello"]);
    assert!(refused.code != 0 && refused.out.is_empty() && refused.err.contains("cannot be used"), "{refused:?}");
    let warned = Haft::configured(&format!("{config}on_error = \"warn\"\n"));
    let ran = run(&warned, "unsaved", &["hello"]);
    assert!(ran.code == 0 && ran.err.contains("not saved"), "{ran:?}");
}
