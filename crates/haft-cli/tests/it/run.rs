//! `haft run` with a script in place of a model: what happens, what it ends with, what is on record
//! and what is kept.

use serde_json::Value;
use tools_providers::Protocol;

use crate::judge::server;
use crate::support::{Haft, Ran, finished};

const RULES: &str = "[tools.permissions]\nedit = [{pattern = \"**\", action = \"allow\"}]\n\
    bash = [{pattern = \"sh check.sh\", action = \"allow\"}, {pattern = \"seq *\", action = \"allow\"}]\n";

/// Repairs what a check finds.
const REPAIR: &str = r#"
[[turns]]
text = "I run the check."
calls = [{ tool = "bash", params = { command = "sh check.sh" } }]

[[turns]]
expect = "expected 4"
calls = [{ tool = "read", params = { path = "sum.txt" } }, { tool = "list_directory", params = { path = "." } }]

[[turns]]
expect = "2 + 2 = 5"
calls = [{ tool = "edit", params = { path = "sum.txt", edits = [{ old_string = "= 5", new_string = "= 4" }] } }]

[[turns]]
calls = [{ tool = "bash", params = { command = "sh check.sh" } }]

[[turns]]
expect = "all good"
text = "The sum was wrong; it is right now."
"#;

fn repairing() -> Haft {
    let haft = Haft::configured(RULES);
    haft.workspace.file("sum.txt", "2 + 2 = 5\n");
    haft.workspace.file("check.sh", "grep -q '= 4' sum.txt && echo all good || { echo expected 4; exit 1; }\n");
    haft.home.file("script.toml", REPAIR);
    haft
}

fn script(haft: &Haft, text: &str, arguments: &[&str]) -> Ran {
    haft.home.file("script.toml", text);
    let file = haft.home.path("script.toml");
    let mut all = vec!["run", "--scripted", file.to_str().expect("a path")];
    all.extend(arguments);
    haft.run(&all)
}

#[test]
fn an_agent_repairs_what_a_check_finds_and_all_of_it_is_on_record() {
    let haft = repairing();
    let ran = script(&haft, REPAIR, &["make the check pass"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "The sum was wrong; it is right now.\n"), "{ran:?}");
    assert_eq!(std::fs::read_to_string(haft.workspace.path("sum.txt")).expect("it is there"), "2 + 2 = 4\n");
    assert!(ran.err.contains("sh check.sh") && ran.err.contains("[tokens "), "{}", ran.err);
    let lines = haft.recorded();
    let tools: Vec<&str> = lines.iter().filter_map(|line| line["tool"].as_str()).collect();
    assert_eq!(tools.len(), 5, "{tools:?}");
    for line in &lines {
        assert_eq!(line["turn"], 1);
        assert_eq!(line["agent_path"], serde_json::json!(["main"]));
        assert_eq!(line["invocation"], "native");
        assert!(line["ms"]["wait"].is_u64(), "{line}");
    }
    // The session goes on, can be looked at, and is gone when it is removed.
    let listed = haft.run(&["sessions", "list", "--json"]);
    let session = listed.json();
    assert_eq!(session["title"], "make the check pass");
    let id = session["session"].as_str().expect("a session has a name");
    let further = "[[turns]]\nexpect = \"thanks\"\ntext = \"You are welcome.\"\n";
    let ran = script(&haft, further, &["--resume", "--", "thanks"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "You are welcome.\n"), "{ran:?}");
    let shown = haft.run(&["sessions", "show", id]);
    assert!(shown.out.contains("2 turns") && shown.out.contains("USER: thanks"), "{shown:?}");
    assert_eq!(haft.run(&["sessions", "rm", id]).code, 0);
    assert_eq!(haft.run(&["sessions", "list"]).out, "");
    assert_eq!(haft.run(&["sessions", "show", id]).code, 1);
}

#[test]
fn events_are_json_lines_that_end_with_the_stop() {
    let haft = repairing();
    let ran = script(&haft, REPAIR, &["--json", "make the check pass"]);
    let events: Vec<Value> = ran.rows();
    let names: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!((names.first(), names.last()), (Some(&"turn_started"), Some(&"turn_ended")));
    assert_eq!(events.last().expect("there is one")["stop"], "done");
    let answered = names.iter().filter(|name| **name == "answered").count();
    let finished = names.iter().filter(|name| **name == "tool_finished").count();
    assert_eq!((answered, finished), (5, 5), "{names:?}");
}

#[test]
fn every_way_to_end_has_its_exit_code() {
    let haft = Haft::configured(RULES);
    let repeated = "[[turns]]\ncalls = [{ tool = \"bash\", params = { command = \"seq 3\" } }]\n".repeat(12);
    let ran = script(&haft, &repeated, &["go"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.err.contains("the same 3 times in a row"), "{}", ran.err);
    let distinct: Vec<String> = (0..12)
        .map(|n| format!("[[turns]]\ncalls = [{{ tool = \"bash\", params = {{ command = \"seq {n}\" }} }}]\n"))
        .collect();
    let distinct = distinct.concat();
    for variable in ["HAFT_AGENT_MAX_TOOL_ITERATIONS", "ZEPH_AGENT_MAX_TOOL_ITERATIONS"] {
        haft.home.file("script.toml", &distinct);
        let file = haft.home.path("script.toml");
        let mut command = haft.command(&["run", "--json", "--scripted", file.to_str().expect("a path"), "go"]);
        command.env(variable, "2");
        let ran = finished(command);
        assert_eq!(ran.code, 5, "{ran:?}");
        assert!(ran.out.contains("\"stop\":\"iteration_cap\""), "{}", ran.out);
        assert_eq!(ran.out.matches("\"event\":\"requested\"").count(), 2);
    }
    let asks = "[[turns]]\ncalls = [{ tool = \"bash\", params = { command = \"touch new\" } }]\n[[turns]]\ntext = \"I could not.\"\n";
    let ran = script(&haft, asks, &["--non-interactive", "deny", "go"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, "I could not.\n"), "{ran:?}");
    assert!(ran.err.contains("not approved: bash: touch new"), "{}", ran.err);
    let ran = script(&haft, asks, &["--non-interactive", "abort", "go"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{ran:?}");
    assert!(!haft.workspace.path("new").exists());
    let ran = script(&haft, "[[turns]]\nfault = \"status\"\nstatus = 401\n", &["go"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains("(auth)"), "{}", ran.err);
    let ran = haft.run(&["run", "go"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("[[llm.providers]]"), "{}", ran.err);
}

#[test]
fn a_batch_beyond_the_quota_is_refused_whole() {
    let haft = Haft::configured("[tools]\nmax_tool_calls_per_session = 1\n");
    haft.workspace.file("a.txt", "a\n");
    let two = "[[turns]]\ncalls = [{ tool = \"read\", params = { path = \"a.txt\" } }, { tool = \"list_directory\", params = { path = \".\" } }]\n";
    let ran = script(&haft, two, &["go"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    let codes: Vec<Value> = haft.recorded().iter().map(|line| line["error_code"].clone()).collect();
    assert_eq!(codes, ["quota_blocked", "quota_blocked"]);
}

#[test]
fn a_session_takes_tasks_and_commands_line_by_line() {
    let haft = repairing();
    let file = haft.home.path("script.toml");
    let input = b"/status\nmake the check pass\n/undo\n/compact\n/clear\n/nothing\n/quit\n";
    let ran = haft.run_with_input(&["run", "--scripted", file.to_str().expect("a path")], input);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("context: ") && ran.out.contains("it is right now"), "{}", ran.out);
    assert!(ran.out.contains("restored sum.txt"), "{}", ran.out);
    assert!(ran.err.contains("was cleared") && ran.err.contains("no command `/nothing`"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(haft.workspace.path("sum.txt")).expect("it is there"), "2 + 2 = 5\n");
}

#[test]
fn what_was_started_early_for_an_answer_that_broke_off_is_on_record_as_thrown_away() {
    let calls = "calls = [{ tool = 'read', params = { path = 'a.txt' } }, { tool = 'read', params = { path = 'b.txt' } }, \
                 { tool = 'edit', params = { path = 'a.txt', edits = [{ old_string = 'one', new_string = 'two' }] } }, \
                 { tool = 'read', params = { path = './a.txt' } }]\n";
    let script =
        format!("[[turns]]\n{calls}fault = 'stalled'\n[[turns]]\n{calls}[[turns]]\nexpect = 'two'\ntext = 'done'\n");
    for start_early in [true, false] {
        let (_runtime, server) = server(&script);
        let haft = Haft::configured(&format!(
            "[tools.permissions]\nedit = [{{pattern = '**', action = 'allow'}}]\n[agent]\nstart_early = {start_early}\n\
             [[llm.providers]]\nname = 'one'\nkind = 'openai-compatible'\nmodel = 'm'\nbase_url = '{}'\nstall_secs = 1\n",
            server.base_url(Protocol::OpenAiChat)
        ));
        haft.workspace.file("a.txt", "one\n");
        haft.workspace.file("b.txt", "three\n");
        let ran = haft.run(&["run", "go"]);
        assert_eq!((ran.code, ran.out.as_str()), (0, "done\n"), "{ran:?}");
        let lines = haft.recorded();
        let discarded: Vec<&Value> = lines.iter().filter(|line| line["speculative"] == "discarded").collect();
        assert_eq!(!discarded.is_empty(), start_early, "{lines:#?}");
        assert!(
            discarded.iter().all(|line| line["tool"] == "read" && line["error_code"] == "cancelled"),
            "{discarded:#?}"
        );
        let others: Vec<&str> = lines
            .iter()
            .filter(|line| line["speculative"] != "discarded")
            .filter_map(|line| line["tool"].as_str())
            .collect();
        assert_eq!(others, ["read", "read", "edit", "read"], "{lines:#?}");
        assert_eq!(std::fs::read_to_string(haft.workspace.path("a.txt")).expect("it is there"), "two\n");
    }
}

#[test]
fn the_status_of_a_session_names_quota_cache_jobs_and_blocked_tools() {
    let haft = Haft::configured(
        "[tools]\nmax_tool_calls_per_session = 9\n\
         [tools.permissions]\nbash = [{pattern = 'sleep *', action = 'allow'}]\n",
    );
    haft.workspace.file("a.txt", "a\n");
    let read = "calls = [{ tool = 'read', params = { path = 'a.txt' } }]\n";
    let job = "calls = [{ tool = 'bash', params = { command = 'sleep 60', background = true } }]\n";
    let script = format!("[[turns]]\n{read}[[turns]]\n{read}[[turns]]\n{job}[[turns]]\ntext = 'done'\n");
    haft.home.file("script.toml", &script);
    let file = haft.home.path("script.toml");
    let ran = haft.run_with_input(&["run", "--scripted", file.to_str().expect("a path")], b"go\n/status\n/quit\n");
    for expected in ["calls: 3 (quota 3/9)", "jobs: 1 running", "cache: "] {
        assert!(ran.out.contains(expected), "{expected}: {ran:?}");
    }
    let all = ["run", "--json", "--scripted", file.to_str().expect("a path")];
    let ran = haft.run_with_input(&all, b"go\n/status\n/quit\n");
    let mut lines = ran.out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let status = lines.rfind(|line| line["quota"].is_object()).expect("there is a status");
    assert_eq!(
        (&status["quota"]["used"], &status["jobs"], &status["totals"]["calls"]),
        (&3.into(), &1.into(), &3.into())
    );
    assert_eq!(status["blocked_tools"], serde_json::json!([]));
}

#[test]
fn a_session_in_a_file_is_written_by_one_process_at_a_time() {
    use std::{io::Write as _, process::Stdio};

    let haft = Haft::configured(RULES);
    let one = "[[turns]]\ntext = \"one\"\n";
    assert_eq!(script(&haft, one, &["hello"]).code, 0);
    let turns = || haft.run(&["sessions", "list", "--json"]).json()["turns"].clone();
    let file = haft.home.path("script.toml");
    let words = ["run", "--scripted", file.to_str().expect("a path"), "--resume"];
    let mut holder = haft.command(&words).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let holder = holder.as_mut().expect("it starts");
    let mut input = holder.stdin.take().expect("it is piped");
    input.write_all(b"more\n").expect("it reads");
    assert!(crate::support::eventually(|| turns() == 2), "the turn is saved");
    let refused = script(&haft, one, &["--resume", "--", "me too"]);
    assert!(refused.code != 0 && refused.err.contains("in use"), "{refused:?}");
    holder.kill().expect("it is killed");
    holder.wait().expect("it ends");
    // A process that it had just started may hold the lock for a moment longer.
    let resumes = || script(&haft, one, &["--resume", "--", "me too"]).code == 0;
    assert!(crate::support::eventually(resumes), "the lock ends with its process");
    assert_eq!(turns(), 3);
}
