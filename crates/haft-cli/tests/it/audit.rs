//! The record: one line per call, whoever writes, and every change found.

use std::{fs, os::unix::process::ExitStatusExt, process::Stdio};

use crate::support::Haft;

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
fn processes_that_write_at_once_leave_one_chain() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "x");
    let input: String = (0..50).map(|_| "{\"tool\":\"read\",\"params\":{\"path\":\"a.txt\"}}\n").collect();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(haft.run_with_input(&["batch"], input.as_bytes()).out.lines().count(), 50));
        }
    });
    let verified = haft.run(&["audit", "verify", "--json"]).json();
    assert_eq!((&verified["lines"], &verified["intact"]), (&200.into(), &true.into()), "{verified}");
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
    let haft = Haft::new();
    let config = haft.home.file(".config/haft/config.toml", "[tools.shell]\ntimeout = 9\n");
    haft.run(&["call", "list_directory", "path=."]);
    let record = haft.record();
    // The whole home is the workspace: both files lie inside it.
    for path in [&config, &record] {
        let before = fs::read(path).unwrap();
        let path = path.to_str().unwrap();
        let home = haft.home.root().to_str().unwrap();
        let in_home = |arguments: &[&str]| haft.run(&[&["--workdir", home], arguments].concat());
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
