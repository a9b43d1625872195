//! One list of gates: what `explain` says is what happens to the call, and a tool that is always
//! refused is not shown.

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{BASH_ALLOWED, Haft, rule};

/// What `explain` says of a call, and how the call itself ends where no user asked for it in so
/// many words.
fn both(haft: &Haft, call: &[&str]) -> (Value, Value) {
    let explained = haft.run(&[&["explain", "--json"], call].concat()).json();
    let params: serde_json::Map<String, Value> = call[1..]
        .iter()
        .filter_map(|param| param.split_once('='))
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    let line = json!({"tool": call[0], "params": params});
    (explained, haft.run_with_input(&["batch"], format!("{line}\n").as_bytes()).json())
}

#[test]
fn explain_says_yes_exactly_where_the_call_is_let_through() {
    let check = |config: &str, call: &[&str], verdict: &str, layer: &str| {
        let haft = Haft::configured(config);
        haft.workspace.file("a.txt", "text");
        let (explained, called) = both(&haft, call);
        assert_eq!(
            (&explained["verdict"], &called["decision"], &explained["layer"]),
            (&json!(verdict), &json!(verdict), &json!(layer)),
            "{config}: {call:?}\n{explained}\n{called}"
        );
    };
    let read: &[&str] = &["read", "path=a.txt"];
    let bash: &[&str] = &["bash", "command=true"];
    check("", read, "allow", "permissions");
    check("", &["bash", "command=make"], "ask", "permissions");
    check("[tools]\nmax_tool_calls_per_session = 0\n", read, "deny", "quota");
    check("[tools]\nmax_tool_calls_per_session = 1\n", read, "allow", "permissions");
    check("[tools.utility]\nenabled = true\nthreshold = 10.0\n", read, "deny", "utility");
    check("[tools.utility]\nenabled = true\nthreshold = 10.0\n", bash, "allow", "permissions");
    let exempt = "[tools.adversarial_policy]\nenabled = true\npolicies = [\"never\"]\nexempt_tools = [\"read\"]\n\
                  [[llm.providers]]\nname = \"fast\"\nkind = \"ollama\"\nmodel = \"m\"\n";
    check(exempt, read, "allow", "permissions");
    let denies = "[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"read\"\n";
    check(denies, read, "deny", "policy");
    check(&format!("[tools.policy]\nenabled = false\n{denies}"), read, "allow", "permissions");
    check("[tools.trust]\nlevel = \"untrusted\"\n", bash, "deny", "trust");
    check("[tools.trust]\nlevel = \"untrusted\"\n", read, "ask", "trust");
    check("[tools.trust]\nlevel = \"provisional\"\n", bash, "ask", "trust");
    check("[tools.trust.tools]\nbash = \"untrusted\"\n", bash, "deny", "trust");
    check(BASH_ALLOWED, &["bash", "command=make; sudo id"], "deny", "executor");
    check("[[tools.permissions.read]]\npattern = \"*\"\naction = \"deny\"\n", read, "deny", "permissions");
    let hidden = format!("{BASH_ALLOWED}[[tools.permissions.bash]]\npattern = \"> ./**/.*\"\naction = \"ask\"\n");
    check(&hidden, &["bash", "command=x=$(cat a.txt); date | tee \"$x\""], "ask", "permissions");
    check(&hidden, &["bash", "command=xargs touch < a.txt"], "ask", "permissions");
    check(&hidden, &["bash", "command=date | tee out"], "allow", "permissions");
    let several = format!("{BASH_ALLOWED}[tools]\nmax_tool_calls_per_session = 0\n{denies}");
    check(&several, read, "deny", "quota");
}

#[test]
fn a_gate_that_comes_to_nothing_is_named_by_config_check() {
    let check = |config: &str, expected: &[&str]| {
        let found = Haft::configured(config).run(&["config", "check"]);
        let text = format!("{}{}", found.out, found.err);
        for line in expected {
            assert!(text.contains(line), "{config}: {text}");
        }
        assert_eq!(text.contains("0 warnings"), expected.is_empty(), "{config}: {text}");
    };
    check(BASH_ALLOWED, &[]);
    check("[tools.retry]\nmax_attempts = 7\n", &[]);
    check("[tools.trust.tools]\nbaash = \"untrusted\"\n", &["`tools.trust.tools.baash`", "did you mean `bash`?"]);
    check(
        "[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"bahs\"\n",
        &["`tools.policy.rules[0].tool`", "did you mean `bash`?"],
    );
    check("[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"x*\"\n", &["no tool whose name matches"]);
    check("[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"glob\"\nargs_match = \"x\"\n", &[]);
    check(
        "[[tools.permissions.raed]]\npattern = \"*\"\naction = \"deny\"\n",
        &["`tools.permissions.raed`", "did you mean `read`?"],
    );
}

#[test]
fn a_tool_that_is_always_refused_is_not_shown() {
    let check = |config: &str, hidden: &[&str]| {
        let haft = Haft::configured(config);
        let listed = haft.run(&["tools", "--json"]).json();
        let names: Vec<&str> =
            listed.as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
        let prompt = haft.run(&["tools", "--format", "prompt"]).out;
        for tool in ["bash", "read", "write"] {
            assert_eq!(!names.contains(&tool), hidden.contains(&tool), "{config}: {names:?}");
            assert_eq!(
                !prompt.contains(&format!("<tool name=\"{tool}\"")),
                hidden.contains(&tool),
                "{config}: {prompt}"
            );
        }
    };
    let policy =
        |tool: &str, more: &str| format!("[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"{tool}\"\n{more}");
    check("", &[]);
    check(&rule("bash", "*", "deny"), &["bash"]);
    check(&(rule("bash", "ls *", "deny") + &rule("bash", "*", "deny")), &["bash"]);
    check(&(rule("bash", "ls *", "allow") + &rule("bash", "*", "deny")), &[]);
    check(&rule("bash", "*", "ask"), &[]);
    check(&policy("{read,write}", ""), &["read", "write"]);
    check(&policy("*", ""), &["bash", "read", "write"]);
    check(&policy("*", "paths = [\"private/**\"]\n"), &[]);
    check(&format!("[tools.policy]\nenabled = false\n{}", policy("*", "")), &[]);
}

#[test]
fn a_call_of_a_tool_that_is_always_refused_is_answered_as_if_there_were_none() {
    let haft = Haft::configured(
        "[tools.audit]\nenabled = true\n[tools.permissions]\nbash = [{ pattern = \"*\", action = \"deny\" }]\n",
    );
    let mut client = Client::connect(&haft);
    let unknown = client.call("no_such_tool", &json!({}));
    for name in ["bash", "shell"] {
        for arguments in [json!({"command": "ls"}), json!({"command": 1}), json!({"comand": "ls"})] {
            let hidden = client.call(name, &arguments);
            let as_unknown = unknown.to_string().replace("no_such_tool", "bash");
            assert_eq!(hidden.to_string(), as_unknown, "{name} {arguments}");
        }
    }
    let near = client.call("bahs", &json!({})).to_string();
    assert!(near.contains("there is no tool `bahs`") && !near.contains("`bash`"), "{near}");
    drop(client);
    let ran = haft.run(&["call", "bash", "command=ls"]);
    assert!(ran.out.contains("there is no tool `bash`") && !ran.out.contains("permission"), "{ran:?}");
    let explained = haft.run(&["explain", "bash", "command=ls"]);
    assert!(explained.out.contains("permissions.bash"), "{explained:?}");
    let record = haft.run(&["audit", "view", "--json"]).out;
    assert!(record.contains("permission_denied"), "{record}");
}

#[test]
fn a_tool_that_keeps_failing_is_blocked_and_one_whose_commands_fail_is_not() {
    let config =
        format!("{BASH_ALLOWED}[tools.anomaly]\nmin_samples = 3\nwindow_size = 5\n[tools.shell]\ntimeout = 1\n");
    let last = |command: &str| {
        let haft = Haft::configured(&config);
        let line = json!({"tool": "bash", "params": {"command": command}, "session": "one"}).to_string() + "\n";
        let ran = haft.run_with_input(&["batch"], line.repeat(5).as_bytes());
        serde_json::from_str::<Value>(ran.out.lines().last().unwrap()).unwrap()
    };
    for failing in ["no-such-program-anywhere", "sleep 5"] {
        let report = last(failing);
        assert_eq!(
            (&report["decision"], &report["error"]["category"]),
            (&json!("deny"), &json!("policy_blocked")),
            "{report}"
        );
    }
    for ending in ["exit 1", "echo 'Permission denied' >&2; exit 101", "kill -9 $$", "cat /no/such/file"] {
        let report = last(ending);
        assert_eq!((&report["decision"], &report["ok"]), (&json!("allow"), &json!(true)), "{ending}: {report}");
    }
}
