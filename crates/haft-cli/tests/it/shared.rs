//! State in a PostgreSQL database, through the binary; skipped where no server is installed.

use std::path::Path;

use tempfile::TempDir;
use tools_testkit::PostgresServer;

use crate::{machines, support::Haft};

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
    let left = std::fs::read_dir(haft.home.path(".local/state/haft")).expect("it is there");
    assert!(!left.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("audit-copy")));
}
