//! Entries in files of hosts: what was there stays to the byte, and taking the entry out gives the
//! file back.

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;
use tools_hosts::Host;
use tools_hosts::files::{Entry, HostPlaces, Launch, OsFamily, Problem, Syntax, add, edits, inserted, remove, without};

fn server() -> Entry {
    let entry = json!({"command": "/opt/haft", "args": ["mcp", "serve", "--profile", "core"]});
    Entry::member(["mcpServers", "haft"], entry)
}

fn hook() -> Entry {
    Entry::element(
        ["hooks", "PreToolUse"],
        json!({"matcher": "*", "hooks": [{"command": "/opt/haft hook claude-code"}]}),
    )
}

/// Adds, checks that nothing was lost, and takes out again in both ways.
fn check(syntax: Syntax, text: &str, entries: &[Entry]) {
    let after = add(syntax, text, entries).unwrap_or_else(|problem| panic!("{problem}: {text}"));
    assert_ne!(after, text);
    assert_eq!(add(syntax, &after, entries).as_deref(), Ok(after.as_str()), "twice changes nothing");
    let spans = inserted(text, &after).unwrap_or_else(|| panic!("something is missing in {after}"));
    assert_eq!(without(&after, &spans).as_deref(), Some(text));
    let taken = remove(syntax, &after, entries).unwrap_or_else(|problem| panic!("{problem}: {after}"));
    assert!(!taken.contains("haft"), "{taken}");
    assert_eq!(remove(syntax, &taken, entries).as_deref(), Ok(taken.as_str()));
}

#[test]
fn json_with_comments_and_trailing_commas_stays_as_it_is() {
    for text in [
        "",
        "{}",
        "{\n}\n",
        "{\"a\":1}",
        "{\n  \"a\": 1\n}\n",
        "{\r\n\t\"a\": 1,\r\n}\r\n",
        "\u{feff}{ \"a\": 1 }",
        "// head\n{\n  // first\n  \"a\": [1, 2,], /* in */ \"b\": {}, // last\n}\n// tail\n",
        "{\n  \"mcpServers\": {\n    // mine\n    \"other\": {\"command\": \"x\"} // end\n  },\n  \"hooks\": {\"PreToolUse\": [{\"hooks\": []}],}\n}",
        "{\"mcpServers\": {}, \"hooks\": {}}",
    ] {
        check(Syntax::Jsonc, text, &[server(), hook()]);
    }
}

#[test]
fn what_is_not_ours_is_never_replaced() {
    let taken = r#"{"mcpServers": {"haft": {"command": "/other/tool"}}}"#;
    assert_eq!(add(Syntax::Jsonc, taken, &[server()]), Err(Problem::Taken("mcpServers.haft".to_owned())));
    assert_eq!(remove(Syntax::Jsonc, taken, &[server()]).as_deref(), Ok(taken));
    let toml = Entry { path: vec!["mcp_servers".into(), "haft".into()], ..server() };
    let taken = "[mcp_servers.haft]\ncommand = \"other\"\n";
    assert!(matches!(add(Syntax::Toml, taken, std::slice::from_ref(&toml)), Err(Problem::Taken(_))));
    assert_eq!(remove(Syntax::Toml, taken, std::slice::from_ref(&toml)).as_deref(), Ok(taken));
    // Ours in an older form is renewed.
    let older = r#"{"mcpServers": {"haft": {"command": "haft", "args": ["mcp", "serve"]}}}"#;
    assert!(add(Syntax::Jsonc, older, &[server()]).is_ok_and(|after| after.contains("/opt/haft")));
    let elsewhere = Entry {
        value: json!({"matcher": "*", "hooks": [{"command": "'/home/ada/haft-0.1-x86_64' hook claude-code"}]}),
        ..hook()
    };
    let older = add(Syntax::Jsonc, "{}", &[elsewhere]).unwrap();
    let newer = add(Syntax::Jsonc, &older, &[hook()]).unwrap();
    assert_eq!(newer.matches(" hook ").count(), 1, "{newer}");
    for (syntax, text) in [
        (Syntax::Jsonc, r#"{"mcpServers": []}"#),
        (Syntax::Jsonc, r#"{"mcpServers": null}"#),
        (Syntax::Jsonc, r#"{"mcpServers": {}, "mcpServers": {}}"#),
        (Syntax::Jsonc, "[]"),
        (Syntax::Jsonc, "{"),
        (Syntax::Jsonc, "{\"a\" 1}"),
    ] {
        assert!(add(syntax, text, &[server()]).is_err(), "{text}");
    }
    for text in ["mcp_servers = 1", "mcp_servers = {}", "[[mcp_servers]]\na = 1", "a = "] {
        assert!(add(Syntax::Toml, text, std::slice::from_ref(&toml)).is_err(), "{text}");
    }
}

#[test]
fn toml_and_yaml_stay_as_they_are() {
    let toml = Entry { path: vec!["mcp_servers".into(), "haft".into()], ..server() };
    for text in [
        "",
        "model = \"x\"",
        "# c\r\nmodel = 'x'\r\n",
        "[mcp_servers.other]\ncommand = \"o\" # c\n\n[tui]\na = 1\n",
        "[mcp_servers]\n[a]\nb = [\n  \"[mcp_servers.x]\",\n]\n",
    ] {
        check(Syntax::Toml, text, std::slice::from_ref(&toml));
    }
    let entry = json!({"args": ["mcp", "serve"], "cmd": "/opt/haft", "enabled": true, "envs": {}, "timeout": 300});
    let yaml = Entry::member(["extensions", "haft"], entry);
    for text in [
        "",
        "a: 1\n",
        "a: 1",
        "extensions:\n",
        "# c\nextensions: # d\n    other:\n        cmd: x\n    # e\nb: 2\n",
        "extensions:\r\n  other:\r\n    cmd: x\r\n",
        "---\nb:\n  - 1\n",
    ] {
        check(Syntax::Yaml, text, std::slice::from_ref(&yaml));
    }
    for text in ["{a: 1}", "extensions: {}\n", "a: 1\n---\nb: 2\n", "extensions:\n  haft:\n    cmd: other\n"] {
        assert!(add(Syntax::Yaml, text, std::slice::from_ref(&yaml)).is_err(), "{text}");
    }
}

fn json_text() -> impl Strategy<Value = String> {
    let gap = || prop_oneof![Just(""), Just(" "), Just("\n"), Just("\r\n\t"), Just(" // c\n"), Just("/* x */")];
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("\"é\\\"}\"".to_owned()),
        Just("null".to_owned()),
        Just("[]".to_owned())
    ];
    let value = leaf.prop_recursive(3, 12, 4, move |inner| {
        (prop::collection::vec((gap(), inner, gap()), 0..4), any::<bool>(), any::<bool>()).prop_map(
            |(items, object, comma)| {
                let last = items.len();
                let parts: Vec<String> = items
                    .iter()
                    .enumerate()
                    .map(|(number, (before, item, after))| {
                        let key = if object { format!("\"k{number}\":{after}") } else { String::new() };
                        let comma = if number + 1 < last || comma { "," } else { "" };
                        format!("{before}{key}{item}{comma}{after}")
                    })
                    .collect();
                if object { format!("{{{}}}", parts.concat()) } else { format!("[{}]", parts.concat()) }
            },
        )
    });
    let name = prop_oneof![Just("mcpServers"), Just("hooks"), Just("x")];
    prop::collection::vec((name, gap(), value, gap()), 0..3).prop_map(|members| {
        let mut seen = std::collections::BTreeSet::new();
        let members: Vec<String> = members
            .into_iter()
            .filter(|(name, ..)| seen.insert(*name))
            .map(|(name, before, value, after)| format!("{before}\"{name}\":{value}{after}"))
            .collect();
        format!("{{{}}}", members.join(","))
    })
}

proptest! {
    #[test]
    fn whatever_a_file_holds_nothing_of_it_is_lost(text in json_text()) {
        let entries = [server(), hook()];
        if let Ok(after) = add(Syntax::Jsonc, &text, &entries) {
            let spans = inserted(&text, &after);
            prop_assert!(spans.is_some(), "{after}");
            prop_assert_eq!(without(&after, &spans.unwrap_or_default()), Some(text));
            prop_assert!(!remove(Syntax::Jsonc, &after, &entries).unwrap_or_default().contains("haft"));
        }
    }
}

#[test]
fn every_host_has_a_server_and_its_hooks_in_files_of_its_own() {
    let launch = Launch {
        program: "/opt/my tools/haft".to_owned(),
        config: None,
        profile: "core".to_owned(),
        hooks: true,
        confine: true,
    };
    for os in [OsFamily::Xdg, OsFamily::MacOs] {
        let at = HostPlaces { home: Path::new("/home/u"), os, variable: &|_| None };
        for host in Host::ALL {
            let files = edits(host, &launch, &at, &|_| false).expect("the path can be quoted");
            assert!(files.iter().all(|edits| edits.file.starts_with("/home/u")), "{host}");
            let mut all = String::new();
            for edits in &files {
                check(edits.syntax, "", &edits.entries);
                all += &add(edits.syntax, "", &edits.entries).expect("an empty file takes them");
            }
            assert!(all.contains("serve") && all.contains("/opt/my tools/haft"), "{host}: {all}");
            assert_eq!(
                all.contains(&format!("'/opt/my tools/haft' hook {host}")),
                host.hooks().is_some(),
                "{host}: {all}"
            );
            // Cursor rewrites no command.
            let is_confined = host.hooks().is_some() && host != Host::Cursor;
            assert_eq!(all.contains(&format!("hook {host} --exec")), is_confined, "{host}: {all}");
        }
    }
}
