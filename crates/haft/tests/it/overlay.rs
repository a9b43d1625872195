//! Overlays: what they may tighten, that they cannot loosen, and where their values are said to
//! come from.

use std::path::Path;

use haft::Toolbox;
use haft::config::{HaftConfig, LoadedConfig, Place};
use haft::core::inline_schema;
use proptest::{prelude::*, sample::select};
use serde_json::{Value, json};
use tools_core::Verdict;
use tools_testkit::Workspace;

use crate::call;

/// A configuration with its overlays, by name.
fn read(workspace: &Workspace, text: &str, overlays: &[(&str, &str)]) -> Result<LoadedConfig, String> {
    let head = format!("[tools.audit]\npath = \"{}\"\n", workspace.path("record/audit.jsonl").display());
    let file = workspace.file("user/config.toml", format!("{text}{head}"));
    let _ = std::fs::remove_dir_all(workspace.path("user/config.d"));
    for (name, text) in overlays {
        workspace.file(format!("user/config.d/{name}"), *text);
    }
    LoadedConfig::read(&file, &|_| None).map_err(|error| error.to_string())
}

fn config(workspace: &Workspace, text: &str, overlay: &str) -> HaftConfig {
    read(workspace, text, &[("a.toml", overlay)]).unwrap_or_else(|error| panic!("{error}")).config
}

#[test]
fn each_kind_of_key_is_tightened() {
    let workspace = Workspace::new();
    let tools = |text: &str, overlay: &str| config(&workspace, text, overlay).tools;
    assert_eq!(tools("", "[tools.shell]\ntimeout = 5\n").shell.timeout, 5);
    assert_eq!(tools("[tools.shell]\ntimeout = 3\n", "[tools.shell]\ntimeout = 5\n").shell.timeout, 3);
    assert_eq!(tools("", "[tools]\nmax_tool_calls_per_session = 5\n").max_tool_calls_per_session, Some(5));
    assert!(tools("", "[tools]\nread_only = true\n").read_only);
    let blocked = tools("[tools.shell]\nblocked_commands = [\"a\"]\n", "[tools.shell]\nblocked_commands = [\"b\"]\n");
    assert_eq!(blocked.shell.blocked_commands, ["a", "b"]);
    let network = |text: &str, overlay: &str| {
        let section = |value: &str| format!("[tools.shell]\nnetwork = \"{value}\"\n");
        serde_json::to_value(tools(&section(text), &section(overlay)).shell.network).unwrap()
    };
    assert_eq!((network("open", "gate"), network("off", "gate")), (json!("gate"), json!("off")));
    // With `landlock` nothing runs where that does not work; `best-effort` does not promise it.
    let sandbox = |text: &str, overlay: &str| {
        let section = |value: &str| format!("[tools.shell]\nsandbox = \"{value}\"\n");
        serde_json::to_value(tools(&section(text), &section(overlay)).shell.sandbox).unwrap()
    };
    assert_eq!(sandbox("landlock", "best-effort"), "landlock");
    assert_eq!(sandbox("landlock", "namespaces"), "namespaces");
    let level = tools(
        "[tools.trust.tools]\nread = \"untrusted\"\n",
        "[tools.trust.tools]\nread = \"provisional\"\nedit = \"untrusted\"\n",
    );
    assert_eq!(serde_json::to_value(level.trust.tools).unwrap(), json!({"read": "untrusted", "edit": "untrusted"}));
}

#[test]
fn a_list_with_a_default_is_not_replaced() {
    let workspace = Workspace::new();
    let closed =
        |text: &str| config(&workspace, text, "[tools.file]\ndeny_read = [\"**/own\"]\n").tools.file.deny_read.unwrap();
    let built_in = closed("");
    assert!(built_in.len() > 10 && built_in.last().is_some_and(|last| last == "**/own"), "{built_in:?}");
    let with_exception = closed("[tools.file]\ndeny_read = [\"!**/.env\"]\n");
    assert_eq!(with_exception.len(), built_in.len() + 1);
    assert_eq!(closed("[tools.file]\ndeny_read = []\n"), ["**/own"]);
}

#[test]
fn what_could_loosen_is_an_error_with_its_line() {
    let workspace = Workspace::new();
    let check = |overlay: &str, line: usize, said: &str| {
        let error = read(&workspace, "", &[("a.toml", overlay)]).expect_err(overlay);
        assert!(error.contains("config.d/a.toml") && error.contains(&format!("line {line}: ")), "{overlay}: {error}");
        assert!(error.contains(said), "{overlay}: {error}");
    };
    check("[tools.shell]\nallowed_paths = [\"/\"]\n", 2, "`tools.shell.allowed_paths`: an overlay cannot set this key");
    check("[tools]\nread_only = false\n", 2, "`true` is the one value");
    check("[tools.shell]\nsandbox = \"landlock\"\n", 2, "an overlay can set `off`, `best-effort`, `namespaces` here");
    check("[tools.file]\n\ndeny_read = [\"a\", \"!b\"]\n", 3, "`tools.file.deny_read[1]`: an exception loosens");
    let rule = |action: &str| format!("[[tools.permissions.bash]]\npattern = \"x\"\naction = \"{action}\"\n");
    for action in ["allow", "ask"] {
        check(&rule(action), 1, "`tools.permissions.bash[0]`: an overlay may only tighten: its rules deny");
    }
    check("[[tools.policy.rules]]\neffect = \"allow\"\n", 1, "its rules deny");
    check("[tools.shell]\ntimeot = 3\n", 2, "did you mean `timeout`?");
    check("[tools\n", 1, "");
    check("[[mcp.servers]]\nid = \"x\"\n", 1, "an overlay cannot set this key");
}

#[test]
fn an_overlay_that_cannot_be_read_is_not_left_out() {
    let workspace = Workspace::new();
    read(&workspace, "", &[("a.toml", "")]).unwrap();
    let file = workspace.path("user/config.toml");
    let read = || LoadedConfig::read(&file, &|_| None).map_err(|error| error.to_string());
    // What editors leave behind is none.
    for name in [".a.toml.swp", ".b.toml", "a.toml~", "README"] {
        workspace.file(format!("user/config.d/{name}"), [0xff, b'[']);
    }
    assert_eq!(read().unwrap().overlays().count(), 1);
    let folder = workspace.path("user/config.d");
    let aside = workspace.path("user/aside");
    std::fs::rename(&folder, &aside).unwrap();
    for place in [|path| std::fs::write(path, "").unwrap(), |path| std::os::unix::fs::symlink("nowhere", path).unwrap()]
        as [fn(&Path); 2]
    {
        place(&folder);
        assert!(read().expect_err("it is no folder").contains("config.d"));
        std::fs::remove_file(&folder).unwrap();
    }
    std::fs::rename(&aside, &folder).unwrap();
    let broken: [fn(&Path); 4] = [
        |path| std::fs::write(path, [0xff]).unwrap(),
        |path| std::fs::create_dir(path).unwrap(),
        |path| std::os::unix::fs::symlink("nowhere", path).unwrap(),
        |path| rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap(),
    ];
    for place in broken {
        let path = workspace.path("user/config.d/b.toml");
        place(&path);
        let error = read().expect_err("it is no text");
        assert!(error.contains("config.d/b.toml"), "{error}");
        if path.is_dir() { std::fs::remove_dir(&path) } else { std::fs::remove_file(&path) }.unwrap();
    }
}

#[test]
fn values_and_faults_are_placed_in_the_overlay_they_came_from() {
    let workspace = Workspace::new();
    let rule = |pattern: &str| format!("[[tools.permissions.bash]]\npattern = \"{pattern}\"\naction = \"deny\"\n");
    let loaded = read(
        &workspace,
        &format!("{}[tools.shell]\ntimeout = 9\n", rule("own [")),
        &[("10.toml", &rule("first")), ("20.toml", &format!("\n{}[tools.shell]\ntimeout = 4\n", rule("second")))],
    )
    .unwrap();
    let patterns: Vec<&str> =
        loaded.config.tools.permissions.tools["bash"].iter().map(|rule| rule.pattern.as_str()).collect();
    assert_eq!(patterns, ["second", "first", "own ["]);
    let effective = loaded.effective();
    let place = |key: &str| effective.iter().find(|(path, ..)| path == key).and_then(|(.., place)| place.clone());
    let overlay = workspace.path("user/config.d/20.toml");
    assert_eq!(place("tools.shell.timeout"), Some(Place::Overlay { file: overlay, line: 6 }));
    let of = |index: usize| loaded.fault(&format!("tools.permissions.bash[{index}].pattern"), "wrong").to_string();
    assert!(
        of(0).contains("20.toml:3: ") && of(1).contains("10.toml:2: ") && of(2).contains("line 2: "),
        "{} {} {}",
        of(0),
        of(1),
        of(2)
    );
}

/// Every rule of how an overlay may tighten a key is one that the values of the key can have.
#[test]
fn the_rules_of_overlays_fit_their_keys() {
    fn check(path: &str, schema: &Value, found: &mut usize) {
        for (name, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = format!("{path}.{name}");
            if let Some(rule) = schema.get("x-overlay") {
                *found += 1;
                let mut values = schema.clone();
                values.as_object_mut().unwrap().remove("x-overlay");
                let text = values.to_string();
                match rule {
                    Value::Bool(_) => assert_eq!(schema["type"], "boolean", "{path}"),
                    Value::String(rule) if rule == "lower" => {
                        assert!(text.contains("integer") || text.contains("number"), "{path}");
                    }
                    Value::String(rule) if rule == "extend" => assert!(text.contains("array"), "{path}"),
                    Value::String(rule) if rule == "deny" => {
                        assert!(text.contains("\"action\"") || text.contains("\"effect\""), "{path}");
                    }
                    Value::Array(names) => {
                        assert!(names.iter().all(|name| text.contains(&name.to_string())), "{path}: {text}");
                    }
                    other => panic!("{path}: {other}"),
                }
            }
            check(&path, schema, found);
        }
    }
    let mut found = 0;
    check("", inline_schema::<HaftConfig>().as_value(), &mut found);
    assert!(found > 40, "{found}");
}

/// Lines of which rules may speak.
const LINES: &[&str] = &[
    "ls",
    "rm a",
    "git push",
    "git status",
    "cat a/b",
    "cargo test",
    "touch a",
    "ls; rm a",
    "curl http://example.org",
];
const PATTERNS: &[&str] = &["*", "ls", "ls *", "rm *", "git *", "git push *", "cat *", "cargo *", "touch *", "c*"];

fn rules(actions: &'static [&'static str]) -> impl Strategy<Value = String> {
    let rule = (select(&["bash", "shell", "read", "network"][..]), select(PATTERNS), select(actions));
    let rule = rule.prop_map(|(tool, pattern, action)| {
        let pattern = if tool == "network" { "*" } else { pattern };
        format!("[[tools.permissions.{tool}]]\npattern = \"{pattern}\"\naction = \"{action}\"\n")
    });
    proptest::collection::vec(rule, 0..5).prop_map(|rules| rules.concat())
}

fn policy(effects: &'static [&'static str]) -> impl Strategy<Value = String> {
    let rule = (select(&["bash", "*", "read"][..]), select(&["rm", "git", "a"][..]), select(effects));
    let rule = rule.prop_map(|(tool, pattern, effect)| {
        format!("[[tools.policy.rules]]\neffect = \"{effect}\"\ntool = \"{tool}\"\nargs_match = \"{pattern}\"\n")
    });
    proptest::collection::vec(rule, 0..3).prop_map(|rules| rules.concat())
}

fn settings() -> impl Strategy<Value = String> {
    let lines = [
        "",
        "blocked_commands = [\"git push\"]\n",
        "confirm_patterns = [\"cat\"]\n",
        "network = \"gate\"\n",
        "sandbox = \"namespaces\"\n",
        "timeout = 9\n",
    ];
    proptest::sample::subsequence(lines.to_vec(), 0..=lines.len())
        .prop_map(|lines| format!("[tools.shell]\n{}", lines.concat()))
}

fn toolbox(loaded: LoadedConfig, workspace: &Workspace) -> Toolbox {
    let mut loaded = loaded;
    loaded.config.tools.checkpoints.enabled = false;
    loaded.config.tools.audit.enabled = false;
    Toolbox::builder(loaded, workspace.dir("work")).build().expect("it can be built")
}

fn strictness(verdict: Verdict) -> usize {
    [Verdict::Allow, Verdict::Ask, Verdict::Deny].iter().position(|other| *other == verdict).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]
    #[test]
    fn no_overlay_makes_a_verdict_milder(
        base in (rules(&["allow", "ask", "deny"]), policy(&["allow", "deny"]), settings()),
        overlay in (rules(&["deny"]), policy(&["deny"]), settings()),
    ) {
        let workspace = Workspace::new();
        let text = |(rules, policy, settings): &(String, String, String)| format!("{rules}{policy}{settings}");
        let without = toolbox(read(&workspace, &text(&base), &[]).unwrap(), &workspace);
        let with = toolbox(read(&workspace, &text(&base), &[("x.toml", &text(&overlay))]).unwrap(), &workspace);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for line in LINES {
            let verdict = |toolbox: &Toolbox| {
                let cx = toolbox.context();
                runtime.block_on(toolbox.explain(call("bash", json!({ "command": line })), &cx)).verdict
            };
            let (before, after) = (verdict(&without), verdict(&with));
            prop_assert!(strictness(after) >= strictness(before), "{line}: {before:?} became {after:?}");
        }
    }
}
