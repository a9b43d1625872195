//! `haft policy` and `haft trust`: approvals that outlive a run, rules tested by their examples,
//! rules proposed.

use serde_json::json;

use crate::support::Haft;

fn explain(haft: &Haft, command: &str) -> serde_json::Value {
    haft.run(&["explain", "bash", &json!({ "command": command }).to_string(), "--json"]).json()
}

#[test]
fn an_approval_outlives_the_run_and_can_be_taken_back() {
    let haft = Haft::new();
    assert_eq!(explain(&haft, "make docs")["verdict"], "ask");
    assert_eq!(haft.run(&["policy", "allow", "bash", "make *", "--days", "3"]).code, 0);
    let explained = explain(&haft, "make docs");
    assert_eq!((&explained["verdict"], &explained["decided_by"]), (&json!("allow"), &json!("approved \"make *\"")));
    // Here, and nowhere else.
    haft.workspace.dir("sub");
    let elsewhere = haft.run(&["--workdir", "sub", "explain", "bash", r#"{"command":"make docs"}"#]);
    assert_eq!(elsewhere.code, 3, "{elsewhere:?}");
    let listed = haft.run(&["policy", "approvals"]);
    assert!(listed.out.contains("make *") && listed.out.contains("until 20"), "{listed:?}");
    assert_eq!(haft.run(&["policy", "revoke", "1"]).code, 0);
    assert_eq!(explain(&haft, "make docs")["verdict"], "ask");
    assert_eq!(haft.run(&["policy", "revoke", "1"]).code, 2);
    assert_eq!(haft.run(&["policy", "allow", "bash", "make ["]).code, 2);
}

#[test]
fn an_approval_lifts_no_denial_and_no_tool_can_write_one() {
    let deny = "[[tools.permissions.bash]]\npattern = \"make *\"\naction = \"deny\"\n";
    let write = "[[tools.permissions.write]]\npattern = \"*\"\naction = \"allow\"\n";
    let haft = Haft::new();
    let local = haft.home.dir(".local");
    let roots = format!("[tools.file]\nallowed_paths = [{local:?}]\n");
    haft.home.file(".config/haft/config.toml", format!("{deny}{write}{roots}"));
    assert_eq!(haft.run(&["policy", "allow", "bash", "*", "--everywhere"]).code, 0);
    assert_eq!(explain(&haft, "make docs")["verdict"], "deny");
    let file = haft.home.path(".local/state/haft/approvals.jsonl");
    let before = std::fs::read(&file).expect("it was written");
    let call = json!({"path": file, "content": "x"}).to_string();
    assert_eq!(haft.run(&["call", "--yes", "write", &call]).code, 4);
    let other = json!({"path": haft.home.path(".local/state/haft/new"), "content": "x"}).to_string();
    assert_eq!(haft.run(&["call", "--yes", "write", &other]).code, 4);
    assert_eq!(std::fs::read(&file).expect("it is there"), before);
}

#[test]
fn rules_are_tested_by_their_examples() {
    let rules = r#"
        [tools.permissions]
        bash = [
            { pattern = "git *", action = "allow", match = ["git log", "cd x && git diff"], not_match = ["gitk"] },
            { pattern = "git push*", action = "deny", match = ["git push -f"] },
        ]
        write = [{ pattern = "src/**", action = "allow", match = ["src/a.rs"], not_match = ["a.rs", "src/a.rs"] }]
    "#;
    let ran = Haft::configured(rules).run(&["policy", "test"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 3, "{ran:?}");
    assert!(lines[0].starts_with("permissions.bash[1]: \"git push -f\": is not decided by this rule"), "{ran:?}");
    assert!(lines[1].starts_with("permissions.write[0]: \"src/a.rs\": is decided by this rule"), "{ran:?}");
    assert_eq!(lines[2], "7 examples, 2 failed");
}

#[test]
fn the_shells_own_lists_are_rules_where_there_are_none() {
    let haft = Haft::configured("[tools.shell]\nconfirm_patterns = [\"make deploy\"]\n");
    let explained = explain(&haft, "make deploy");
    assert_eq!(explained["verdict"], "ask");
    assert_eq!(explained["subjects"][0]["rule"], "permissions.bash[0] \"make{ , * }deploy\"", "{explained}");
}

#[test]
fn every_verdict_names_its_rule_and_its_layer() {
    let rules = "[[tools.permissions.bash]]\npattern = \"make *\"\naction = \"allow\"\n[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"bash\"\nargs_match = \"prod\"\n";
    let haft = Haft::configured(rules);
    let check = |command: &str, verdict: &str, layer: &str, rule: &str| {
        let explained = explain(&haft, command);
        let found = (&explained["verdict"], &explained["layer"], &explained["decided_by"]);
        assert_eq!(found, (&json!(verdict), &json!(layer), &json!(rule)), "{command}");
    };
    check("make x", "allow", "permissions", "permissions.bash[0] \"make *\"");
    check("gcc x", "ask", "permissions", "no rule of permissions.bash matches");
    check("make prod", "deny", "policy", "policy.rules[0] deny bash args_match \"prod\"");
    check("sudo make", "deny", "executor", "command_blocked");
    let low = haft.run(&["explain", "--json", "--trust", "provisional", "bash", "command=make x"]).json();
    assert_eq!((&low["layer"], &low["decided_by"]), (&json!("trust"), &json!("trust: provisional")));
}

#[test]
fn a_reset_of_trust_is_left_for_every_process() {
    let haft = Haft::new();
    assert_eq!(haft.run(&["trust", "reset", "bash"]).code, 0);
    assert!(haft.home.path(".local/state/haft/trust-resets/bash").exists());
    assert_eq!(haft.run(&["trust", "reset", "../x"]).code, 2);
}

#[test]
fn init_looks_at_the_project_and_adds_what_is_missing() {
    let haft = Haft::new();
    haft.workspace.file("Cargo.toml", "");
    let printed = haft.run(&["init"]);
    assert!(printed.code == 0 && printed.out.starts_with("# Rules for a project of: rust."), "{printed:?}");
    assert_eq!(haft.run(&["init", "--write"]).code, 0);
    assert_eq!(explain(&haft, "cargo test 2>&1 | tail -80")["verdict"], "allow");
    assert_eq!(explain(&haft, "git push origin main")["verdict"], "ask");
    assert_eq!(explain(&haft, "RUST_BACKTRACE=1 cargo test")["verdict"], "allow");
    assert_eq!(explain(&haft, "RUSTC_WRAPPER=x cargo test")["verdict"], "ask");
    let again = haft.run(&["init", "--write"]);
    assert!(again.code == 0 && again.out.contains("already contains all of these rules"), "{again:?}");
    assert_eq!(explain(&haft, "npm ci")["verdict"], "ask");
    let node = haft.run(&["init", "--write", "--kind", "node"]);
    assert!(node.code == 0 && node.out.contains("rules to") && node.out.contains(".bak-1"), "{node:?}");
    assert_eq!(explain(&haft, "npm ci && cargo test")["verdict"], "allow");
    assert_eq!(explain(&haft, "npm publish")["verdict"], "ask");
    assert!(haft.run(&["config", "check"]).out.ends_with("ok, 0 warnings\n"));
}

#[test]
fn the_record_says_which_rules_would_have_spared_questions() {
    let haft = Haft::new();
    for number in 0..3 {
        let call = json!({"command": format!("true; make part{number}")}).to_string();
        assert_eq!(haft.run(&["call", "bash", &call]).code, 3);
    }
    let read = json!({"path": "a.txt"}).to_string();
    haft.workspace.file("a.txt", "a");
    assert_eq!(haft.run(&["call", "read", &read]).code, 0);
    let suggested = haft.run(&["policy", "suggest", "--json"]);
    let first: serde_json::Value =
        serde_json::from_str(suggested.out.lines().next().expect("a rule")).expect("an object");
    assert_eq!((&first["rule"]["pattern"], &first["spares"]), (&json!("make *"), &json!(3)), "{suggested:?}");
    assert_eq!(first["lets_through"][0]["declined"], true);
    let text = haft.run(&["policy", "suggest"]).out;
    assert!(text.contains("rules: 1; questions that they would have avoided: 3 of 3"), "{text}");

    haft.home.file("new.toml", "[[tools.permissions.bash]]\npattern = \"make *\"\naction = \"allow\"\n");
    let config = haft.home.path("new.toml");
    let config = config.to_str().expect("it is text");
    let replayed = haft.run(&["--config", config, "policy", "replay"]);
    assert!(replayed.out.contains("4 calls: 1 unchanged"), "{replayed:?}");
    assert!(replayed.out.contains("     3  ask -> allow"), "{replayed:?}");
    assert_eq!(haft.run(&["--config", config, "audit", "replay"]).out, replayed.out);
}

#[test]
fn a_record_of_anything_is_replayed_without_harm() {
    let haft = Haft::new();
    haft.workspace.file("log", "\n{\n\u{0}\n{\"tool\":\"bash\",\"call\":{\"command\":7},\"decision\":\"allow\"}\n[]\n");
    let ran = haft.run(&["policy", "replay", "log"]);
    assert!(ran.code == 0 && ran.out.contains("1 calls: 0 unchanged"), "{ran:?}");
    assert_eq!(haft.run(&["policy", "suggest", "log"]).code, 0);
    assert_eq!(haft.run(&["policy", "replay", "missing"]).code, 2);
}

#[test]
fn a_rule_or_an_approval_that_names_a_command_lets_it_run_without_a_person() {
    let haft = Haft::new();
    let run = |command: &str| {
        haft.workspace.file("build.log", "x");
        let explained = explain(&haft, command)["verdict"].clone();
        let called = haft.run(&["call", "--json", "bash", &format!("command={command}")]).json();
        assert_eq!(explained, called["decision"], "{command}: {called}");
        (called["decision"].clone(), haft.workspace.read("build.log").is_none())
    };
    assert_eq!(run("rm build.log"), (json!("ask"), false));
    assert_eq!(haft.run(&["policy", "allow", "bash", "rm *"]).code, 0);
    assert_eq!(run("rm build.log"), (json!("ask"), false));
    assert_eq!(haft.run(&["policy", "allow", "bash", "rm build.log"]).code, 0);
    assert_eq!(run("rm build.log"), (json!("allow"), true));
    assert_eq!(run("rm -f build.log"), (json!("ask"), false));
    assert_eq!(run("rm build.log; rm -rf src"), (json!("ask"), false));
    assert_eq!(haft.run(&["policy", "allow", "bash", "rm -rf /"]).code, 0);
    assert_eq!(run("rm -rf /"), (json!("deny"), false));
    let rule = "[[tools.permissions.bash]]\npattern = \"git reset --hard\"\naction = \"allow\"\n";
    let haft = Haft::configured(rule);
    assert_eq!(explain(&haft, "git reset --hard")["verdict"], "allow");
    assert_eq!(explain(&haft, "git reset --hard HEAD~3")["verdict"], "ask");
}
