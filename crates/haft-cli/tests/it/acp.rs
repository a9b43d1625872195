//! `haft acp` with a script in place of a model: what an editor sees, what it is asked, and what is
//! left when it goes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Haft, eventually, processes_with};

const RULES: &str = "[agent]\nmax_tool_iterations = 30\n[tools.permissions]\nedit = [{pattern = \"**\", action = \"allow\"}]\n\
    write = [{pattern = \"**\", action = \"allow\"}]\ndelete_path = [{pattern = \"**\", action = \"allow\"}]\n\
    bash = [{pattern = \"seq *\", action = \"allow\"}, {pattern = \"sleep *\", action = \"allow\"}, {pattern = \"cat *\", action = \"allow\"}]\n";

/// An editor at the other end of pipes.
struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    /// What the person behind it chooses; `None` for one who does not answer.
    choice: Option<&'static str>,
    seen: Vec<Value>,
    next: u64,
    /// The programs in its terminals, with the files that they print into.
    terminals: Vec<(Child, PathBuf)>,
}

impl Editor {
    fn start(haft: &Haft, script: &str, choice: Option<&'static str>, arguments: &[&str]) -> Self {
        haft.home.file("script.toml", script);
        let file = haft.home.path("script.toml");
        let mut all = vec!["acp", "--scripted", file.to_str().expect("a path")];
        all.extend(arguments);
        let stderr = std::fs::File::create(haft.home.path("stderr")).expect("a file is made");
        let mut command = haft.command(&all);
        let mut child = command
            .current_dir(haft.home.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .expect("the agent starts");
        let input = child.stdin.take();
        let output = child.stdout.take().map(BufReader::new);
        Self { child, input, output, choice, seen: vec![], next: 1, terminals: vec![] }
    }

    /// The same, greeted and with a session in the workspace; also the session.
    fn open(haft: &Haft, script: &str, choice: Option<&'static str>) -> (Self, String) {
        let mut editor = Self::start(haft, script, choice, &[]);
        editor.greet();
        let opened = editor.request("session/new", &json!({"cwd": haft.workspace.root(), "mcpServers": []}));
        let session = opened["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
        (editor, session)
    }

    /// The same, which makes terminals.
    fn with_terminals(haft: &Haft, script: &str) -> (Self, String) {
        let mut editor = Self::start(haft, script, None, &[]);
        editor.greet_with(&json!({"terminal": true}));
        let opened = editor.request("session/new", &json!({"cwd": haft.workspace.root(), "mcpServers": []}));
        let session = opened["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
        (editor, session)
    }

    fn greet(&mut self) {
        self.greet_with(&json!({}));
    }

    fn greet_with(&mut self, capabilities: &Value) {
        let greeted = self.request("initialize", &json!({"protocolVersion": 1, "clientCapabilities": capabilities}));
        assert_eq!(greeted["result"]["protocolVersion"], 1, "{greeted}");
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{message}").expect("the agent listens");
    }

    fn begin(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    fn prompt(&mut self, session: &str, text: &str) -> u64 {
        self.begin("session/prompt", &json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
    }

    /// The next message; a question is answered on the way.
    fn message(&mut self) -> Option<Value> {
        let mut line = String::new();
        let output = self.output.as_mut().expect("it is open");
        if output.read_line(&mut line).expect("the agent writes text") == 0 {
            return None;
        }
        let message: Value = serde_json::from_str(&line).expect("nothing but JSON on standard output");
        if let (true, Some(choice)) = (message["method"] == "session/request_permission", self.choice) {
            let outcome = json!({"outcome": {"outcome": "selected", "optionId": choice}});
            self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": outcome}));
        }
        if message["method"] == "terminal/create" {
            let terminal = self.terminal(&message["params"]);
            self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"terminalId": terminal}}));
        }
        if message["method"] == "terminal/release" {
            self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {}}));
        }
        self.seen.push(message.clone());
        Some(message)
    }

    /// Starts the program of a terminal, and gives the terminal's name.
    fn terminal(&mut self, params: &Value) -> String {
        let arguments = params["args"].as_array().expect("a list");
        let printed = tempfile::NamedTempFile::new().expect("a file is made").keep().expect("it stays").1;
        let program = std::process::Command::new(params["command"].as_str().expect("a path"))
            .args(arguments.iter().map(|argument| argument.as_str().expect("a text")))
            .current_dir(params["cwd"].as_str().expect("a path"))
            .stdin(Stdio::null())
            .stdout(std::fs::File::create(&printed).expect("a file is made"))
            .spawn()
            .expect("it starts");
        self.terminals.push((program, printed));
        format!("terminal-{}", self.terminals.len())
    }

    /// Waits until a call is shown in a terminal.
    fn until_attached(&mut self) {
        self.until(|message| message["params"]["update"]["content"][0]["type"] == "terminal");
    }

    fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.message().expect("the agent is there");
            if fits(&message) {
                return message;
            }
        }
    }

    fn answer(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == id && message.get("method").is_none())
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Goes without a word; how the agent ended.
    fn leave(mut self) -> Option<i32> {
        drop((self.input.take(), self.output.take()));
        ended(&mut self.child)
    }

    /// What was told of one call, oldest first.
    fn of_call(&self, call: &str) -> Vec<&Value> {
        let updates = self.seen.iter().map(|message| &message["params"]["update"]);
        updates.filter(|update| update["toolCallId"] == call).collect()
    }

    /// The calls, in the order in which they began.
    fn calls(&self) -> Vec<String> {
        let begun = self.seen.iter().map(|message| &message["params"]["update"]);
        let begun = begun.filter(|update| update["sessionUpdate"] == "tool_call");
        begun.map(|update| update["toolCallId"].as_str().expect("a text").to_owned()).collect()
    }
}

/// How a process ended, which it has to do within ten seconds.
fn ended(child: &mut Child) -> Option<i32> {
    let until = Instant::now() + Duration::from_secs(10);
    while Instant::now() < until {
        if let Some(status) = child.try_wait().expect("the child is ours") {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("the child is ours");
    panic!("the agent does not end with its editor");
}

fn call(tool: &str, params: &str) -> String {
    format!("[[turns]]\ncalls = [{{ tool = \"{tool}\", params = {{ {params} }} }}]\n")
}

/// The text of a call's end.
fn text(update: &Value) -> String {
    let content = update["content"].as_array().cloned().unwrap_or_default();
    let texts = content.iter().filter_map(|part| part["content"]["text"].as_str());
    texts.collect()
}

/// A text without the part of its placeholders that each session draws by lot.
fn without_marks(text: &str) -> String {
    let mut parts = text.split('·');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start_matches(|c: char| c.is_ascii_alphanumeric()))
}

/// A call of each tool that needs nothing but a workspace.
fn all_tools() -> String {
    let edits = "edits = [{ old_string = \"one\", new_string = \"1\" }]";
    [
        call("read", "path = \"a.txt\""),
        call("list_directory", "path = \".\""),
        call("grep", "pattern = \"one\""),
        call("find_path", "pattern = \"*.txt\""),
        call("edit", &format!("path = \"a.txt\", {edits}")),
        call("write", "path = \"new.txt\", content = \"new\\n\""),
        call("create_directory", "path = \"folder\""),
        call("copy_path", "source = \"new.txt\", destination = \"copy.txt\""),
        call("move_path", "source = \"copy.txt\", destination = \"moved.txt\""),
        call("delete_path", "path = \"moved.txt\""),
        call("search_code", "query = \"a\""),
        call("bash", "command = \"seq 3\""),
        call("bash", "command = \"cat key.txt\""),
        call("bash", "command = \"seq 4; exit 3\""),
        call("bash", "command = \"sleep 0.1\", background = true"),
        call("memory_search", "query = \"anything\""),
        call("read", "path = \"missing.txt\""),
        call("fetch", "url = \"http://localhost/\""),
        call("no_such_tool", ""),
        "[[turns]]\ntext = \"All of it.\"\n".to_owned(),
    ]
    .concat()
}

const TOKEN: &str = "ghp_x7Kd92mQpLr4TzVbN8sWcYf3HjGa6Ue1Rk0D";

fn workspace() -> Haft {
    let haft = Haft::configured(RULES);
    haft.workspace.file("a.txt", "one\ntwo\n");
    haft.workspace.file("key.txt", format!("token = {TOKEN}\n"));
    haft
}

#[test]
fn an_editor_reads_what_the_command_line_shows() {
    let (haft, other) = (workspace(), workspace());
    other.home.file("script.toml", all_tools());
    let file = other.home.path("script.toml");
    let ran =
        other.run(&["run", "--json", "--non-interactive", "deny", "--scripted", file.to_str().expect("a path"), "go"]);
    let shown: Vec<Value> = ran.rows().into_iter().filter(|event| event["event"] == "answered").collect();

    let (mut editor, session) = Editor::open(&haft, &all_tools(), Some("reject_once"));
    let id = editor.prompt(&session, "go");
    assert_eq!(editor.answer(id)["result"]["stopReason"], "end_turn");
    let calls = editor.calls();
    assert_eq!(calls.len(), 19);
    assert_eq!(shown.len(), calls.len(), "{ran:?}");
    for (call, shown) in calls.iter().zip(&shown) {
        let updates = editor.of_call(call);
        let statuses: Vec<&str> = updates.iter().filter_map(|update| update["status"].as_str()).collect();
        let (first, last) = (updates[0], updates[updates.len() - 1]);
        assert_eq!((&first["sessionUpdate"], statuses[0]), (&json!("tool_call"), "pending"), "{updates:?}");
        assert_eq!(first["name"], shown["tool"]);
        assert!(statuses.len() < 2 || statuses.contains(&"in_progress"), "{updates:?}");
        let ends: Vec<&&str> = statuses.iter().filter(|status| ["completed", "failed"].contains(status)).collect();
        assert_eq!(ends, [&if shown["is_error"] == true { "failed" } else { "completed" }], "{updates:?}");
        // Who did not agree is told apart: there is a person here, and none at the command line.
        let here = haft.workspace.root().to_str().expect("a path");
        let told = text(last).replace(here, "/workspace");
        let there = other.workspace.root().to_str().expect("a path");
        let shown = shown["text"].as_str().expect("a text").replace(there, "/workspace");
        let of_nobody = "; nobody can be asked here";
        match shown.find(of_nobody) {
            Some(at) => assert!(told.starts_with(&shown[..at]) && told.contains("the person declined"), "{told}"),
            None => assert_eq!(without_marks(&told), without_marks(&shown)),
        }
        for place in updates.iter().filter_map(|update| update["locations"].as_array()).flatten() {
            assert!(Path::new(place["path"].as_str().expect("a path")).is_absolute(), "{place}");
        }
    }
    let diffs: Vec<&Value> = editor.seen.iter().map(|message| &message["params"]["update"]["content"][0]).collect();
    let diffs: Vec<&&Value> = diffs.iter().filter(|content| content["type"] == "diff").collect();
    assert_eq!(diffs.len(), 2, "of `edit` and `write`");
    assert_eq!((&diffs[0]["oldText"], &diffs[0]["newText"]), (&json!("one\ntwo\n"), &json!("1\ntwo\n")));
    assert_eq!((diffs[1].get("oldText"), &diffs[1]["newText"]), (None, &json!("new\n")));
    let everything = editor.seen.iter().map(Value::to_string).collect::<String>();
    assert!(!everything.contains(TOKEN) && everything.contains("«secret:"), "a credential is told");
    let updates = editor.seen.iter().map(|message| &message["params"]["update"]);
    let said = updates.filter(|update| update["sessionUpdate"] == "agent_message_chunk");
    assert_eq!(said.filter_map(|update| update["content"]["text"].as_str()).collect::<String>(), "All of it.");
    // The session goes on in another process, which tells it again, and at the command line.
    assert_eq!(editor.leave(), Some(0));
    let mut again = Editor::start(&haft, "[[turns]]\nexpect = \"thanks\"\ntext = \"Welcome.\"\n", None, &[]);
    again.greet();
    let listed = again.request("session/list", &json!({"cwd": haft.workspace.root()}));
    assert_eq!(
        (&listed["result"]["sessions"][0]["sessionId"], &listed["result"]["sessions"][0]["title"]),
        (&json!(session), &json!("go"))
    );
    let elsewhere = again.request("session/load", &json!({"sessionId": session, "cwd": "/usr", "mcpServers": []}));
    assert_eq!(elsewhere["error"]["code"], -32602, "{elsewhere}");
    let loaded =
        again.request("session/load", &json!({"sessionId": session, "cwd": haft.workspace.root(), "mcpServers": []}));
    assert_eq!(loaded["result"]["modes"]["currentModeId"], "ask", "{loaded}");
    assert_eq!(again.calls().len(), 19);
    let told_again: Vec<String> =
        again.calls().iter().map(|call| text(again.of_call(call).last().expect("there is one"))).collect();
    assert!(told_again.iter().any(|text| text.contains("edited `a.txt`")), "{told_again:?}");
    let id = again.prompt(&session, "thanks");
    assert_eq!(again.answer(id)["result"]["stopReason"], "end_turn");
    assert_eq!(again.leave(), Some(0));
    assert!(haft.run(&["sessions", "show", &session]).out.contains("USER: thanks"));
}

#[test]
fn an_answer_counts_as_it_was_given_and_none_is_a_refusal() {
    let touch = |name: &str| call("bash", &format!("command = \"touch {name}\""));
    let script =
        [touch("once"), "[[turns]]\ntext = \"a\"\n".to_owned(), touch("once"), "[[turns]]\ntext = \"b\"\n".to_owned()]
            .concat();
    let haft = Haft::configured(&format!("[acp]\npermission_timeout = 1\n{RULES}"));
    let asked = |choice: Option<&'static str>| {
        let (mut editor, session) = Editor::open(&haft, &script, choice);
        for _ in 0..2 {
            let id = editor.prompt(&session, "go");
            assert_eq!(editor.answer(id)["result"]["stopReason"], "end_turn");
        }
        let questions: Vec<Value> =
            editor.seen.iter().filter(|message| message["method"] == "session/request_permission").cloned().collect();
        let ends: Vec<String> =
            editor.calls().iter().map(|call| text(editor.of_call(call).last().expect("it has an end"))).collect();
        editor.leave();
        (questions, ends)
    };
    let made = || std::fs::remove_file(haft.workspace.path("once")).is_ok();
    let (questions, ends) = asked(Some("reject_once"));
    assert_eq!((questions.len(), made()), (2, false));
    assert!(ends[0].contains("the person declined"), "{ends:?}");
    assert!(questions[0].to_string().contains("Always allow calls that match: touch once"), "{questions:?}");
    let (questions, ends) = asked(None);
    assert_eq!((questions.len(), made()), (2, false));
    assert!(ends.iter().all(|end| end.contains("nobody answered")), "{ends:?}");
    let (questions, _) = asked(Some("allow_once"));
    assert_eq!((questions.len(), made()), (2, true));
    let (questions, _) = asked(Some("allow_session"));
    assert_eq!((questions.len(), made()), (1, true));
    let (questions, _) = asked(Some("allow_always"));
    assert_eq!((questions.len(), made()), (1, true));
    let (questions, _) = asked(None);
    assert_eq!((questions.len(), made()), (0, true), "what is always allowed is kept");
}

#[test]
fn what_is_rejected_for_good_is_refused_in_later_sessions_until_it_is_revoked() {
    let touch = |name: &str| call("bash", &format!("command = \"touch {name}\""));
    let once = [touch("never"), "[[turns]]\ntext = \"a\"\n".to_owned()].concat();
    let haft = Haft::configured("");
    let asked = |choice: Option<&'static str>| {
        let (mut editor, session) = Editor::open(&haft, &once, choice);
        let id = editor.prompt(&session, "go");
        assert_eq!(editor.answer(id)["result"]["stopReason"], "end_turn");
        let questions: Vec<Value> =
            editor.seen.iter().filter(|message| message["method"] == "session/request_permission").cloned().collect();
        let call = editor.calls().remove(0);
        let end = text(editor.of_call(&call).last().expect("it has an end"));
        editor.leave();
        (questions, end)
    };
    let made = || std::fs::remove_file(haft.workspace.path("never")).is_ok();
    let (questions, end) = asked(Some("reject_always"));
    let offered = questions[0]["params"]["options"].as_array().expect("there are some").last().expect("one").clone();
    assert_eq!(offered["kind"], "reject_always");
    assert_eq!(offered["name"], "Always reject calls that match: touch never");
    assert!(end.contains("the person declined") && !made(), "{end}");
    // Another session, whose person would agree, is not asked.
    let (questions, end) = asked(Some("allow_always"));
    assert_eq!((questions.len(), made()), (0, false));
    assert!(end.contains("policy_blocked"), "{end}");
    // The command line and MCP go by it as well, also where a rule allows the command.
    let allowed = "[[tools.permissions.bash]]\npattern = \"touch *\"\naction = \"allow\"\n";
    haft.home.file("config.toml", allowed);
    let config = haft.home.path("config.toml");
    let config = config.to_str().expect("a path");
    let call =
        |name: &str| haft.run(&["--config", config, "call", "bash", &format!("{{\"command\":\"touch {name}\"}}")]);
    assert!(call("never").code != 0 && !made());
    assert_eq!(call("other").code, 0);
    let explained = haft.run(&["--config", config, "explain", "bash", "{\"command\":\"touch never\"}"]);
    assert!(explained.out.contains("rejected \"touch never\""), "{explained:?}");
    // The rejection is listed and can be revoked, as an approval can.
    let listed = haft.run(&["policy", "approvals"]);
    assert!(listed.out.contains("touch never") && listed.out.contains("rejected, until "), "{listed:?}");
    assert_eq!(haft.run(&["policy", "revoke", "1"]).code, 0);
    assert!(haft.run(&["policy", "approvals"]).out.is_empty());
    let (questions, _) = asked(Some("allow_once"));
    assert_eq!((questions.len(), made()), (1, true));
}

#[test]
fn a_session_that_an_editor_deletes_is_gone_with_its_output() {
    let Some(haft) = Haft::confined(&format!("{RULES}[tools.overflow]\nthreshold = 2000\n")) else { return };
    let script = [call("bash", "command = \"seq 1 5000\""), "[[turns]]\ntext = \"a\"\n".to_owned()].concat();
    let (mut editor, session) = Editor::open(&haft, &script, None);
    let id = editor.prompt(&session, "go");
    assert_eq!(editor.answer(id)["result"]["stopReason"], "end_turn");
    let listed = |editor: &mut Editor| {
        let listed = editor.request("session/list", &json!({"cwd": haft.workspace.root()}));
        listed["result"]["sessions"].as_array().expect("a list").len()
    };
    assert_eq!(listed(&mut editor), 1);
    let called = editor.calls().remove(0);
    let end = text(editor.of_call(&called).last().expect("it has an end"));
    let reference = &end[end.find("overflow:").expect("its output is stored")..];
    let reference = reference.trim_end().trim_end_matches(']');
    assert_eq!(haft.run(&["overflow", "show", reference]).code, 0, "{reference}");
    assert_eq!(editor.request("session/delete", &json!({"sessionId": session}))["result"], json!({}));
    assert_eq!(listed(&mut editor), 0);
    let prompted = editor.prompt(&session, "go on");
    assert_eq!(editor.answer(prompted)["error"]["code"], -32002);
    assert_eq!(editor.request("session/delete", &json!({"sessionId": session}))["result"], json!({}));
    assert_eq!(editor.leave(), Some(0));
    assert_eq!(haft.run(&["overflow", "show", reference]).code, 1);
    assert_ne!(haft.run(&["sessions", "show", &session]).code, 0);
}

#[test]
fn a_mode_takes_calls_away_and_a_cancel_ends_what_runs() {
    let haft = workspace();
    let edits = "edits = [{ old_string = \"one\", new_string = \"1\" }]";
    let edit = call("edit", &format!("path = \"a.txt\", {edits}"));
    let mark = "61.625";
    let script = [
        edit.as_str(),
        "[[turns]]\ntext = \"x\"\n",
        &call("bash", &format!("command = \"sleep {mark}\"")),
        "[[turns]]\ntext = \"y\"\n",
    ]
    .concat();
    let (mut editor, session) = Editor::open(&haft, &script, None);
    let set = editor.request("session/set_mode", &json!({"sessionId": session, "modeId": "read-only"}));
    assert_eq!(set["result"], json!({}));
    let id = editor.prompt(&session, "edit");
    assert_eq!(editor.answer(id)["result"]["stopReason"], "end_turn");
    let refused = text(editor.of_call(&editor.calls()[0]).last().expect("it has an end"));
    assert!(refused.contains("policy_blocked") && refused.contains("planner"), "{refused}");
    assert_eq!(std::fs::read_to_string(haft.workspace.path("a.txt")).expect("it is there"), "one\ntwo\n");
    editor.request("session/set_mode", &json!({"sessionId": session, "modeId": "ask"}));
    let id = editor.prompt(&session, "wait");
    assert!(eventually(|| processes_with(mark) > 0), "it runs");
    editor.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}));
    assert_eq!(editor.answer(id)["result"]["stopReason"], "cancelled");
    assert_eq!(processes_with(mark), 0);
    let calls = editor.calls();
    let ends = editor.of_call(&calls[1]);
    let ends =
        ends.iter().filter(|update| ["completed", "failed"].contains(&update["status"].as_str().unwrap_or_default()));
    assert_eq!(ends.count(), 1);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_command_that_runs_for_a_while_is_shown_in_a_terminal_of_the_editor() {
    let haft = workspace();
    let pipe = haft.workspace.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("it runs").success());
    let script = [call("bash", "command = \"seq 3; cat pipe\""), "[[turns]]\ntext = \"done\"\n".to_owned()].concat();
    let (mut editor, session) = Editor::with_terminals(&haft, &script);
    let id = editor.prompt(&session, "go");
    editor.until_attached();
    std::fs::write(&pipe, format!("{TOKEN} \u{1b}]0;title\u{7}\n")).expect("the command reads");
    assert_eq!(editor.answer(id)["result"]["stopReason"], "end_turn");
    let end = editor.of_call(&editor.calls()[0]).last().expect("it has an end").to_owned().clone();
    assert_eq!(end["content"][0], json!({"type": "terminal", "terminalId": "terminal-1"}));
    assert!(text(&end).starts_with("1\n2\n3\n"), "{end}");
    let released = |message: &Value| message["method"] == "terminal/release";
    if !editor.seen.iter().any(released) {
        editor.until(released);
    }
    let (mut viewer, printed) = editor.terminals.remove(0);
    assert_eq!(ended(&mut viewer), Some(0));
    let shown = std::fs::read_to_string(&printed).expect("it printed text");
    assert!(shown.starts_with("1\n2\n3\n") && shown.contains("\\u{1b}]0;title"), "{shown:?}");
    assert!(!shown.contains(TOKEN) && !shown.contains('\u{1b}'), "{shown:?}");
    std::fs::remove_file(printed).expect("it is ours");
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn closing_its_terminal_cancels_a_command_and_the_turn_goes_on() {
    let haft = workspace();
    let mark = "63.875";
    let command = call("bash", &format!("command = \"seq 3; sleep {mark}\""));
    let script = [command, "[[turns]]\ntext = \"done\"\n".to_owned()].concat();
    let (mut editor, session) = Editor::with_terminals(&haft, &script);
    let id = editor.prompt(&session, "go");
    editor.until_attached();
    assert!(eventually(|| processes_with(mark) > 0), "it runs");
    let (mut viewer, printed) = editor.terminals.remove(0);
    viewer.kill().expect("it is ours");
    viewer.wait().expect("it is ours");
    assert_eq!(editor.answer(id)["result"]["stopReason"], "end_turn");
    assert_eq!(processes_with(mark), 0);
    let end = editor.of_call(&editor.calls()[0]).last().expect("it has an end").to_owned().clone();
    assert!(end["status"] == "failed" && text(&end).contains("cancelled"), "{end}");
    std::fs::remove_file(printed).expect("it is ours");
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn output_is_text_where_the_configuration_wants_no_terminal() {
    let haft = Haft::configured(&format!("[acp]\nterminal = \"local\"\n{RULES}"));
    let script = [call("bash", "command = \"seq 3; sleep 0.8\""), "[[turns]]\ntext = \"done\"\n".to_owned()].concat();
    let (mut editor, session) = Editor::with_terminals(&haft, &script);
    let id = editor.prompt(&session, "go");
    assert_eq!(editor.answer(id)["result"]["stopReason"], "end_turn");
    assert!(editor.terminals.is_empty());
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_session_works_in_a_folder_that_was_meant() {
    let haft = workspace();
    let refused = |arguments: &[&str], cwd: &Value, words: &str| {
        let mut editor = Editor::start(&haft, "", None, arguments);
        editor.greet();
        let answer = editor.request("session/new", &json!({"cwd": cwd, "mcpServers": []}));
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(words)), "{answer}");
        assert_eq!(editor.leave(), Some(0));
    };
    refused(&[], &json!("src"), "not an absolute path");
    refused(&[], &json!(haft.workspace.path("missing")), "not a folder");
    refused(&[], &json!(haft.home.root()), "write everything");
    let within = haft.workspace.root().to_str().expect("a path").to_owned();
    refused(&["--workdir", &within], &json!("/usr"), "is not in");
    assert_eq!(haft.run(&["acp", "--session", "x"]).code, 2);
    let faulty = Haft::configured("[tools]\nshel = 3\n");
    let ran = faulty.run(&["acp"]);
    assert!(ran.code == 2 && ran.err.contains("did you mean") && ran.out.is_empty(), "{ran:?}");
}

/// Goes at every message of a session that runs commands, starts jobs and asks: first by closing
/// the pipes, then by a signal, then by closing what it reads a moment before the rest.
#[test]
fn an_editor_that_goes_at_any_message_leaves_no_process() {
    let haft = workspace();
    let (job, command) = ("62.125", "62.375");
    let script = [
        call("read", "path = \"a.txt\""),
        call("bash", &format!("command = \"sleep {job}\", background = true")),
        call("bash", "command = \"touch asked\""),
        call("bash", &format!("command = \"sleep {command}\"")),
        "[[turns]]\ntext = \"unreached\"\n".to_owned(),
    ]
    .concat();
    let mut reached = 0;
    for index in 0.. {
        let mut editor = Editor::start(&haft, &script, Some("allow_once"), &[]);
        let mut count = 0;
        let mut is_over = false;
        if index > 0 {
            editor.begin("initialize", &json!({"protocolVersion": 1}));
        }
        while count < index {
            let message = editor.message().expect("the agent is there");
            count += 1;
            if message["id"] == 1 && message.get("method").is_none() {
                editor.begin("session/new", &json!({"cwd": haft.workspace.root(), "mcpServers": []}));
            } else if let Some(session) = message["result"]["sessionId"].as_str() {
                editor.prompt(session, "go");
            }
            // The last command runs, and nothing more comes.
            is_over = message["params"]["update"]["status"] == "in_progress" && message.to_string().contains(command);
            if is_over {
                break;
            }
        }
        reached = count;
        match index % 3 {
            0 => assert_eq!(editor.leave(), Some(0), "at message {index}"),
            1 => {
                let id = rustix::process::Pid::from_child(&editor.child);
                rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("it is ours");
                let code = ended(&mut editor.child);
                // A signal may come before the agent heeds it.
                assert!(matches!(code, Some(143) | None), "at message {index}: {code:?}");
            }
            _ => {
                drop(editor.output.take());
                std::thread::sleep(Duration::from_millis(30));
                drop(editor.input.take());
                assert_eq!(ended(&mut editor.child), Some(0), "at message {index}");
            }
        }
        assert!(eventually(|| processes_with(job) + processes_with(command) == 0), "left at message {index}");
        if is_over {
            break;
        }
    }
    assert!(reached > 15, "{reached} messages");
}
