//! The record: one line per call, whoever writes, and every change found.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use crate::support::{Haft, json_lines};

#[test]
fn every_call_is_one_line_and_one_changed_byte_is_found() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "x");
    haft.run(&["call", "read", "path=a.txt"]);
    haft.run(&["call", "raed", "path=a.txt"]);
    haft.run(&["call", "bash", "command=sudo id"]);
    haft.run(&["call", "bash", "command=touch a"]);
    let verified = haft.run(&["audit", "verify", "--json"]).json();
    assert_eq!((&verified["lines"], &verified["intact"]), (&4.into(), &true.into()), "{verified}");

    let view = haft.run(&["audit", "view"]);
    let outcomes: Vec<&str> = view.out.lines().filter_map(|line| line.split_whitespace().nth(4)).collect();
    assert_eq!(outcomes, ["ok", "tool_not_found", "command_blocked", "confirmation_required"], "{view:?}");

    let mut bytes = fs::read(haft.record()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let copy = haft.home.file("changed.jsonl", &bytes);
    let broken = haft.run(&["audit", "verify", copy.to_str().unwrap()]);
    assert_eq!(broken.code, 1, "{broken:?}");
    assert!(broken.out.contains("BROKEN"), "{broken:?}");
}

#[test]
fn a_token_as_the_name_of_a_tool_is_not_on_record() {
    let haft = Haft::new();
    let token = format!("ghp_{}", "Z9y8X7w6V5u4T3s2R1q0P9o8N7m6L5k4J3h2");
    assert_ne!(haft.run(&["call", &token]).code, 0);
    assert!(!fs::read_to_string(haft.record()).unwrap().contains(&token[8..20]));
}

#[test]
fn the_exit_code_is_that_of_the_result_though_nobody_reads_it() {
    let haft = Haft::new();
    haft.run(&["call", "read", "path=a.txt"]);
    let changed =
        haft.home.file("changed.jsonl", fs::read_to_string(haft.record()).unwrap().replacen("read", "raed", 1));
    let changed = changed.to_str().unwrap();
    for (arguments, code) in [
        (&["audit", "verify", changed] as &[&str], 1),
        (&["explain", "bash", "command=rm -rf /"], 4),
        (&["init", "--write"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status =
            haft.command(arguments).stdin(Stdio::null()).stdout(writer).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn processes_that_write_at_once_leave_one_chain() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "x");
    let input: String = (0..50).map(|_| "{\"tool\":\"read\",\"params\":{\"path\":\"a.txt\"}}\n").collect();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(haft.run_with_input(&["batch"], input.as_bytes()).out.lines().count(), 50));
        }
    });
    let verified = haft.run(&["audit", "verify", "--json"]).json();
    assert_eq!((&verified["lines"], &verified["intact"]), (&400.into(), &true.into()), "{verified}");
}

#[test]
fn what_was_answered_before_a_kill_is_on_record() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "x");
    let mut answered = Vec::new();
    for round in 0..6_usize {
        let mut child = haft
            .command(&["batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let feeding = std::thread::spawn(move || {
            for call in 0.. {
                let line =
                    format!("{{\"id\":\"r{round}-{call}\",\"tool\":\"read\",\"params\":{{\"path\":\"a.txt\"}}}}\n");
                if input.write_all(line.as_bytes()).is_err() {
                    return;
                }
            }
        });
        // Killed in the midst of answering, after another number of answers each time.
        let mut answers = BufReader::new(output).lines();
        answered.extend(answers.by_ref().take(3 + round * 7).map_while(Result::ok));
        child.kill().unwrap();
        answered.extend(answers.map_while(Result::ok));
        child.wait().unwrap();
        feeding.join().unwrap();
    }
    let record = fs::read_to_string(haft.record()).unwrap();
    let ids = answered.iter().filter_map(|answer| serde_json::from_str::<serde_json::Value>(answer).ok());
    let ids: Vec<String> = ids.map(|answer| answer["id"].as_str().unwrap().to_owned()).collect();
    assert!(ids.len() > 6 * 3, "{}", ids.len());
    for id in ids {
        assert!(record.contains(&format!("\"call_id\":\"{id}\"")), "{id} was answered and is not on record");
    }
    assert_eq!(haft.run(&["audit", "verify"]).code, 0);
}

#[test]
fn a_full_disk_stops_calls_or_warns_and_leaves_no_half_line() {
    let full = |on_error: &str| {
        let haft = Haft::configured(&format!("[tools.audit]\non_error = \"{on_error}\"\n"));
        haft.workspace.file("a.txt", "x");
        let input = "{\"tool\":\"read\",\"params\":{\"path\":\"a.txt\"}}\n".repeat(60);
        let input = haft.home.file("batch.jsonl", input);
        // No file of this process may grow beyond 32 KiB: what a full disk is to a record.
        let script = "trap '' XFSZ; ulimit -f 32; exec \"$0\" batch \"$1\"";
        let mut limited = Command::new("bash");
        limited.args(["-c", script, env!("CARGO_BIN_EXE_haft"), input.to_str().unwrap()]);
        let output = limited.current_dir(haft.workspace.root()).env("HOME", haft.home.root()).output().unwrap();
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        let verified = haft.run(&["audit", "verify", "--json"]).json();
        assert_eq!((&verified["intact"], &verified["damaged"]), (&true.into(), &serde_json::json!([])), "{verified}");
        assert!(fs::read(haft.record()).unwrap().ends_with(b"\n"));
        let answers = json_lines(&out);
        assert_eq!(answers.len(), 60, "every call is answered");
        (answers, verified["lines"].as_u64().unwrap())
    };
    let (answers, lines) = full("block");
    let ok = answers.iter().filter(|answer| answer["ok"] == true).count() as u64;
    assert!(ok <= lines, "a result is given only where its line is: {ok} of {lines}");
    let refused = answers.iter().filter(|answer| answer["error"]["code"] == "audit_failed").count() as u64;
    assert!(refused > 0 && ok + refused == 60, "{ok} {refused}");
    let (answers, lines) = full("warn");
    assert!(lines < 60 && answers.iter().all(|answer| answer["ok"] == true));
    let warned = |answer: &serde_json::Value| answer["warnings"].to_string().contains("not in the audit log");
    assert!(answers.iter().filter(|answer| warned(answer)).count() as u64 >= 60 - lines);
}

#[test]
fn a_half_written_line_does_not_end_the_record() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "x");
    haft.run(&["call", "read", "path=a.txt"]);
    let mut bytes = fs::read(haft.record()).unwrap();
    bytes.extend(b"{\"v\":1,\"seq\":2,\"ts\":\"20");
    fs::write(haft.record(), bytes).unwrap();
    assert_eq!(haft.run(&["call", "read", "path=a.txt"]).code, 0);
    let verified = haft.run(&["audit", "verify", "--json"]).json();
    assert_eq!(verified["intact"], true, "{verified}");
    assert_eq!(verified["damaged"].as_array().map(Vec::len), Some(1), "{verified}");
}

#[test]
fn a_record_that_cannot_be_written_stops_calls_before_they_run() {
    let haft = Haft::new();
    fs::create_dir_all(haft.record()).unwrap();
    let ran = haft.run(&["call", "write", "path=made", "content=x", "--yes"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("tools.audit.path"), "{ran:?}");
    assert_eq!(haft.workspace.read("made"), None);
}

#[test]
fn a_killed_process_leaves_its_record_and_nothing_running() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "x");
    let mark = format!("87{}", std::process::id());
    let read = "{\"tool\":\"read\",\"params\":{\"path\":\"a.txt\"}}\n";
    let sleep = format!(
        "{{\"tool\":\"bash\",\"params\":{{\"command\":\"setsid sleep {mark} & sleep {mark}\"}},\"approve\":true}}\n"
    );
    let input = haft.home.file("batch.jsonl", format!("{read}{sleep}"));
    let mut child =
        haft.command(&["batch", input.to_str().unwrap()]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    assert!(crate::support::eventually(|| crate::support::processes_with(&mark) > 0), "the command starts");
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    assert!(crate::support::eventually(|| crate::support::processes_with(&mark) == 0), "nothing survives");
    let verified = haft.run(&["audit", "verify", "--json"]).json();
    assert_eq!((&verified["lines"], &verified["intact"]), (&1.into(), &true.into()), "{verified}");
}

#[test]
fn rules_named_by_a_bare_file_name_or_a_link_are_as_safe() {
    let haft = Haft::new();
    let rules = "[[tools.permissions.write]]\npattern = \"**\"\naction = \"allow\"\n";
    haft.workspace.file("my.toml", rules);
    haft.workspace.link("link.toml", "my.toml");
    for named in ["my.toml", "./my.toml", "link.toml"] {
        for target in ["my.toml", named] {
            let path = format!("path={target}");
            let ran = haft.run(&["--config", named, "call", "write", &path, "content=x"]);
            assert_eq!(ran.code, 4, "{named} {target}: {ran:?}");
            assert!(ran.out.contains("cannot be changed by a tool"), "{named} {target}: {ran:?}");
        }
    }
    assert_eq!(haft.workspace.read("my.toml"), Some(rules.as_bytes().to_vec()));
}

#[test]
fn no_tool_may_change_the_record_or_the_rules() {
    if !tools_testkit::namespaces() {
        return;
    }
    let haft = Haft::new();
    let config = haft.home.file(".config/haft/config.toml", "[tools.shell]\ntimeout = 9\n");
    haft.run(&["call", "list_directory", "path=."]);
    let record = haft.record();
    let named = config.to_string_lossy().into_owned();
    // The whole home is the workspace: both files lie inside it.
    for path in [&config, &record] {
        let before = fs::read(path).unwrap();
        let path = path.to_str().unwrap();
        let home = haft.home.root().to_str().unwrap();
        let in_home = |arguments: &[&str]| haft.run(&[&["--workdir", home, "--config", &named], arguments].concat());
        in_home(&["call", "write", &format!("path={path}"), "content=x", "--yes"]);
        in_home(&["call", "delete_path", &format!("path={path}"), "--yes"]);
        in_home(&["call", "move_path", &format!("source={path}"), "destination=elsewhere", "--yes"]);
        in_home(&["call", "bash", &format!("command=echo x > {path}"), "--yes"]);
        let folder = std::path::Path::new(path).parent().unwrap().display();
        in_home(&["call", "bash", &format!("command=mv {folder} {folder}-moved; mkdir {folder}"), "--yes"]);
        in_home(&["call", "bash", &format!("command=python3 -c 'import os; os.remove(\"{path}\")'"), "--yes"]);
        assert!(fs::read(path).unwrap().starts_with(&before), "{path} is as it was, but for new lines");
    }
}
