//! The formats of hosts: which calls their tools are, and how answers look.

use serde_json::{Value, json};
use tools_hosts::Host;
use tools_hosts::hook::{Answer, Decision, Format, HookRequest, HookStart, map_strings};

fn format(host: Host) -> &'static dyn Format {
    host.hooks().expect("the host has hooks")
}

/// The tools that a call of the host's is, with the path or command of each; `unread` where it is
/// not understood.
#[expect(clippy::needless_pass_by_value, reason = "callers write literals")]
fn check(host: Host, event: &str, tool: &str, input: Value, expected: &[&str]) {
    let input =
        json!({"hook_event_name": event, "session_id": "s", "cwd": "/w", "tool_name": tool, "tool_input": input});
    let found: Vec<String> = match format(host).read(&input) {
        Ok(event) => match event.meaning {
            HookRequest::Before(calls) => calls
                .iter()
                .map(|call| {
                    let names = ["command", "path", "url", "source", "pattern"];
                    let first = names.iter().find_map(|name| call.params[*name].as_str());
                    format!("{} {}", call.tool, first.unwrap_or_default())
                })
                .collect(),
            HookRequest::After { .. } => vec!["after".to_owned()],
            HookRequest::Nothing => vec!["nothing".to_owned()],
        },
        Err(_) => vec!["unread".to_owned()],
    };
    assert_eq!(found, expected, "{host} {tool} {input}");
}

#[test]
fn tools_of_claude_code() {
    let check =
        |tool: &str, input: Value, expected: &[&str]| check(Host::ClaudeCode, "PreToolUse", tool, input, expected);
    check("Bash", json!({"command": "ls", "timeout": 5}), &["bash ls"]);
    check("Read", json!({"file_path": "/w/a", "limit": 3}), &["read /w/a"]);
    check("Write", json!({"file_path": "/w/a", "content": "x"}), &["write /w/a"]);
    check("Edit", json!({"file_path": "/w/a", "old_string": "a", "new_string": "b"}), &["edit /w/a"]);
    check("Edit", json!({"file_path": "/w/a", "old_string": "", "new_string": "b"}), &["write /w/a"]);
    check("MultiEdit", json!({"file_path": "/w/a", "edits": []}), &["edit /w/a"]);
    check("NotebookEdit", json!({"notebook_path": "/w/n", "new_source": ""}), &["write /w/n"]);
    check("Grep", json!({"pattern": "x", "path": "/etc"}), &["grep /etc"]);
    check("Grep", json!({"pattern": "x", "glob": "*.rs"}), &["grep x"]);
    check("Grep", json!({"pattern": "x", "path": "/w", "glob": ".env"}), &["grep /w", "grep /w/.env"]);
    // Some versions cut white space and put the home in the place of `~`, some do not.
    for path in [" /etc/x", "a.txt ", "\t../x", "\u{a0}/etc/x", "\u{feff}/etc/x", "~", "~/x", "~root/x"] {
        check("Read", json!({"file_path": path}), &["unread"]);
        check("Write", json!({"file_path": path, "content": ""}), &["unread"]);
        check("Edit", json!({"file_path": path, "old_string": "a", "new_string": "b"}), &["unread"]);
        check("Glob", json!({"pattern": "*", "path": path}), &["unread"]);
        check("Grep", json!({"pattern": "*", "path": path}), &["unread"]);
        check("LS", json!({"path": path}), &["unread"]);
    }
    check("Glob", json!({"pattern": "**/*.rs"}), &["find_path **/*.rs"]);
    check("WebFetch", json!({"url": "https://a.example", "prompt": "x"}), &["fetch https://a.example"]);
    check("mcp__haft__bash", json!({"command": "rm -rf /"}), &["nothing"]);
    check("TodoWrite", json!({"todos": []}), &["nothing"]);
    // What another version may send: a tool or a shape that is not known is never taken for
    // harmless.
    check("Bash", json!({"command": ["rm", "-rf", "/"]}), &["unread"]);
    check("Bash", json!({"script": "rm"}), &["unread"]);
    check("Bash", json!("rm"), &["unread"]);
    check("Shell2", json!({"command": "rm"}), &["unread"]);
    check("Telepathy", json!({"thought": "rm"}), &["nothing"]);
    for name in ["filePath", "FILE-NAMES", "target_file", "workdir", "uri", "imageUrls", "shell_command"] {
        check("Telepathy", json!({name: "x"}), &["unread"]);
    }
    for place in ["/etc/passwd", "./.env", "../x", "~/.ssh/id", "file:///etc/passwd"] {
        check("Telepathy", json!({"what": [{"deep": place}]}), &["unread"]);
    }
    check("Telepathy", json!({"thought": "/ is the root, and 1/2 is less", "direction": "up"}), &["nothing"]);
}

#[test]
fn tools_of_codex() {
    let check = |tool: &str, input: Value, expected: &[&str]| check(Host::Codex, "PreToolUse", tool, input, expected);
    for tool in ["Bash", "shell_command", "unified_exec"] {
        check(tool, json!({"command": "ls"}), &["bash ls"]);
    }
    check("exec_command", json!({"cmd": "rm a", "workdir": "/etc"}), &["bash cd -- '/etc'\nrm a"]);
    let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Add File: b\n+z\n*** End Patch";
    check("apply_patch", json!({"command": patch}), &["edit a", "write b"]);
    check("apply_patch", json!(patch), &["edit a", "write b"]);
    check("apply_patch", json!({"command": "rm"}), &["unread"]);
    check("write_stdin", json!({"chars": "x"}), &["nothing"]);
    check("Bash", json!({"command": ["bash", "-lc", "ls"]}), &["unread"]);
}

#[test]
fn tools_of_gemini_and_cursor() {
    let gemini = |tool: &str, input: Value, expected: &[&str]| check(Host::Gemini, "BeforeTool", tool, input, expected);
    gemini("run_shell_command", json!({"command": "ls", "dir_path": "sub"}), &["bash cd -- 'sub'\nls"]);
    gemini("replace", json!({"file_path": "a", "old_string": "x", "new_string": "y"}), &["edit a"]);
    gemini("read_many_files", json!({"include": ["**"]}), &["unread"]);
    gemini("mcp_haft_bash", json!({"command": "ls"}), &["nothing"]);
    let cursor = |tool: &str, input: Value, expected: &[&str]| check(Host::Cursor, "preToolUse", tool, input, expected);
    cursor("Shell", json!({"command": "ls"}), &["bash ls"]);
    cursor("Delete", json!({"path": "a"}), &["delete_path a"]);
    cursor("MCP:haft", json!({"command": "ls"}), &["nothing"]);
}

#[test]
fn an_input_without_an_event_is_never_read_as_harmless() {
    for host in Host::ALL.into_iter().filter(|host| host.hooks().is_some()) {
        for input in [json!(null), json!([]), json!({}), json!({"hook_event_name": 1}), json!({"tool_name": "Bash"})] {
            assert!(format(host).read(&input).is_err(), "{host} {input}");
        }
    }
}

#[test]
fn only_consent_lets_a_call_run_in_any_format() {
    let before = |event: &str| json!({"hook_event_name": event, "tool_input": {"command": "a", "description": "d"}});
    let hosts = [
        (Host::ClaudeCode, "PreToolUse"),
        (Host::Codex, "PreToolUse"),
        (Host::Gemini, "BeforeTool"),
        (Host::Cursor, "preToolUse"),
        (Host::Cursor, "beforeShellExecution"),
    ];
    for (host, event) in hosts {
        for decision in [Decision::Ask, Decision::Deny] {
            for reason in ["", "why"] {
                let answer = Answer { decision, reason: reason.to_owned(), command: Some("b".to_owned()) };
                let text = format(host).answer(&before(event), &answer).to_string();
                assert!(
                    !text.contains("\"allow\"") && (text.contains("\"ask\"") || text.contains("\"deny\"")),
                    "{text}"
                );
            }
        }
        let unread = Answer { decision: Decision::Ask, reason: "x".to_owned(), command: None };
        let unread = format(host).answer(&Value::Null, &unread).to_string();
        assert!(unread.contains("\"ask\"") || unread.contains("\"deny\""), "{unread}");
    }
}

#[test]
fn answers_keep_what_was_not_rewritten() {
    let input = json!({"hook_event_name": "PreToolUse", "tool_input": {"command": "a", "description": "d"}});
    let answer = Answer { decision: Decision::Allow, reason: String::new(), command: Some("b".to_owned()) };
    let claude = format(Host::ClaudeCode).answer(&input, &answer);
    assert_eq!(claude["hookSpecificOutput"]["updatedInput"], json!({"command": "b", "description": "d"}));
    // It refuses consent that rewrites nothing, and a question.
    let plain = Answer { command: None, ..answer };
    assert_eq!(format(Host::Codex).answer(&input, &plain), json!({}));
    let asked = Answer { decision: Decision::Ask, ..plain };
    assert_eq!(format(Host::Codex).answer(&input, &asked)["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn every_text_of_a_result_is_changed_and_nothing_else() {
    let shout = |text: &str| (text == "x").then(|| "X".to_owned());
    let value = json!({"x": ["x", {"a": "x", "n": 1}], "y": null});
    assert_eq!(map_strings(&value, &shout), Some(json!({"x": ["X", {"a": "X", "n": 1}], "y": null})));
    assert_eq!(map_strings(&json!(["y", 1]), &shout), None);
}

#[test]
fn nobody_sits_at_gemini_in_a_script() {
    let check = |terminal: bool, arguments: &[&str], expected: bool| {
        let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
        let seat = HookStart { terminal, arguments };
        assert_eq!(format(Host::Gemini).is_attended(&seat), expected, "{seat:?}");
        assert!(format(Host::ClaudeCode).is_attended(&seat), "it refuses by itself what nobody can be asked about");
    };
    check(true, &["node", "/usr/bin/gemini"], true);
    check(true, &["node", "/usr/bin/gemini", "-i", "go"], true);
    check(true, &["node", "/usr/bin/gemini", "-p", "go"], false);
    check(true, &["node", "/usr/bin/gemini", "--prompt=go"], false);
    check(false, &["node", "/usr/bin/gemini"], false);
    check(false, &[], false);
    check(false, &["node", "/usr/bin/gemini", "--acp"], true);
}
