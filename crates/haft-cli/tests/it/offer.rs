//! Which tools a client is shown, through the binary.

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{BASH_ALLOWED, Haft, finished, rule};

fn serve(haft: &Haft, arguments: &[&str]) -> Client {
    let arguments: Vec<&str> = ["mcp", "serve"].iter().chain(arguments).copied().collect();
    Client::connect_to(haft.command(&arguments), &haft.home.path("stderr"), None, "test")
}

fn listed(client: &mut Client) -> Vec<Value> {
    let answer = client.request(90, "tools/list", &json!({}));
    answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

fn call(client: &mut Client, tool: &str, arguments: &Value) -> Value {
    client.request(91, "tools/call", &json!({"name": tool, "arguments": arguments}))
}

#[test]
fn a_profile_says_what_is_listed_and_not_what_may_be_called() {
    let haft = Haft::configured(
        "[tools.profiles.small]\ntools = [\"grep\", \"read_file\"]\ndescription_length = 60\n[mcp]\nprofile = \"coding\"\n",
    );
    haft.workspace.file("a.txt", "hello\n");
    let mut core = serve(&haft, &["--profile", "core"]);
    let tools = listed(&mut core);
    assert_eq!(names(&tools), ["bash", "job_read", "job_kill", "read_overflow", "diagnostics"]);
    assert_eq!(tools[0]["_meta"]["anthropic/alwaysLoad"], true);
    let hidden = call(&mut core, "read", &json!({"path": "a.txt"}));
    assert!(text(&hidden).contains("hello"), "{hidden}");

    let mut small = serve(&haft, &["--profile", "small"]);
    let tools = listed(&mut small);
    assert_eq!(names(&tools), ["grep", "read"]);
    assert!(tools.iter().all(|tool| tool["description"].as_str().unwrap().chars().count() <= 61), "{tools:?}");
    assert!(names(&listed(&mut serve(&haft, &[]))).len() > 8, "the configured one");
    assert_eq!(
        names(&listed(&mut serve(&haft, &["--profile", "full"]))).len(),
        haft.run(&["tools", "--profile", "full"]).out.lines().count()
    );

    let wrong = haft.run(&["tools", "--profile", "cor"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("there is no profile `cor`; did you mean `core`"), "{wrong:?}");
    let odd = Haft::configured("[tools.profiles.odd]\ntools = [\"raed\"]\n[mcp]\nprofile = \"odd\"\n");
    let odd = odd.run(&["tools"]);
    assert!(odd.err.contains("line 2") && odd.err.contains("there is no tool `raed`; did you mean `read`"), "{odd:?}");
}

#[test]
fn read_only_leaves_no_tool_that_changes_anything() {
    let haft = Haft::configured(BASH_ALLOWED);
    haft.workspace.file("a.txt", "hello\n");
    let mut client = serve(&haft, &["--read-only"]);
    let tools = listed(&mut client);
    assert!(
        names(&tools).contains(&"read") && tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true),
        "{tools:?}"
    );
    assert!(text(&call(&mut client, "read", &json!({"path": "a.txt"}))).contains("hello"));
    for (tool, arguments) in [
        ("bash", json!({"command": "touch made"})),
        ("shell", json!({"command": "touch made"})),
        ("write", json!({"path": "made", "content": "x"})),
        ("delete_path", json!({"path": "a.txt"})),
    ] {
        let refused = call(&mut client, tool, &arguments);
        assert!(text(&refused).contains("tool_not_found"), "{refused}");
    }
    assert!(haft.workspace.read("made").is_none() && haft.workspace.read("a.txt").is_some());
}

#[test]
fn beyond_a_threshold_the_list_begins_short_and_grows_by_searches() {
    let haft = Haft::configured("[mcp]\nsearch_above = 6\n");
    haft.workspace.file("a.txt", "hello\n");
    let mut client = serve(&haft, &[]);
    let before = listed(&mut client);
    let core = ["bash", "job_read", "job_kill", "read_overflow", "diagnostics", "memory_save", "memory_search"];
    assert_eq!(names(&before), [&core[..], &["tool_search"]].concat());
    let search = json!({"query": "search for a regular expression in files", "limit": 2});
    let params = json!({"name": "tool_search", "arguments": search});
    client.send(&json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params}));
    let (mut is_told, mut found) = (false, Value::Null);
    while found["id"] != 5 {
        let mut line = String::new();
        assert_ne!(std::io::BufRead::read_line(&mut client.output, &mut line).expect("the server answers"), 0);
        found = serde_json::from_str(&line).expect("nothing but JSON");
        is_told |= found["method"] == "notifications/tools/list_changed";
    }
    assert!(is_told && text(&found).contains("grep: ") && text(&found).contains("parameters: {"), "{found}");
    let after = listed(&mut client);
    assert_eq!(after[..before.len()], before[..], "the beginning stays");
    assert!(names(&after).contains(&"grep") && after.len() > before.len());
    let hidden = call(&mut client, "read", &json!({"path": "a.txt"}));
    assert!(text(&hidden).contains("hello"), "{hidden}");
    assert_eq!(listed(&mut client), after);
    assert_eq!(names(&listed(&mut serve(&haft, &[]))).len(), before.len(), "another session begins anew");
}

#[test]
fn a_search_before_the_first_list_finds_no_tool_that_is_always_refused() {
    let haft = Haft::configured(
        "[mcp]\nsearch_above = 3\n[tools.permissions]\ngrep = [{ pattern = \"*\", action = \"deny\" }]\n",
    );
    let mut client = serve(&haft, &[]);
    for query in ["search for a regular expression in files", "grep, read"] {
        let found = call(&mut client, "tool_search", &json!({"query": query, "limit": 20}));
        assert!(text(&found).contains("parameters: {") && !text(&found).contains("\ngrep:"), "{query}: {found}");
    }
    assert!(!names(&listed(&mut client)).contains(&"grep"));
}

#[test]
fn a_tool_that_needs_another_waits_in_each_session() {
    let haft = Haft::configured(
        "[tools.dependencies]\nenabled = true\n[tools.dependencies.rules.grep]\nrequires = [\"list_directory\"]\n[tools.dependencies.rules.raed]\nrequires = [\"grep\"]\n",
    );
    haft.workspace.file("a.txt", "hello\n");
    let mut client = serve(&haft, &[]);
    let before = listed(&mut client);
    assert!(!names(&before).contains(&"grep"));
    let grep = json!({"pattern": "hello"});
    let early = call(&mut client, "grep", &grep);
    assert!(
        text(&early).contains("category: policy_blocked")
            && text(&early).contains("`grep` needs `list_directory` first"),
        "{early}"
    );
    let failed = call(&mut client, "list_directory", &json!({"path": "absent"}));
    assert_eq!(failed["result"]["isError"], true);
    assert!(text(&call(&mut client, "grep", &grep)).contains("needs"), "a failure completes nothing");
    call(&mut client, "list_directory", &json!({"path": "."}));
    assert!(text(&call(&mut client, "grep", &grep)).contains("hello"));
    let after = listed(&mut client);
    assert_eq!((&after[..before.len()], names(&after).last()), (&before[..], Some(&"grep")));
    let mut other = serve(&haft, &[]);
    assert!(text(&call(&mut other, "grep", &grep)).contains("needs"), "another session");
    let checked = haft.run(&["config", "check"]);
    assert!((checked.out + &checked.err).contains("`raed`, which is not a tool; the nearest is `read`"));
    assert!(haft.run(&["layers"]).out.contains("dependencies"));
}

#[test]
fn what_a_model_thinks_stays_with_it() {
    const MARKER: &str = "zebra-marker-7351";
    let haft = Haft::configured(
        "[tools.tafc]\nenabled = true\ncomplexity_threshold = 0.0\n[tools.overflow]\nthreshold = 10\n[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n",
    );
    haft.workspace.file("a.txt", "hello\n");
    let mut command = haft.command(&["mcp", "serve"]);
    command.env("HAFT_LOG", "trace");
    let mut client = Client::connect_to(command, &haft.home.path("stderr"), None, "test");
    let tools = listed(&mut client);
    for tool in &tools {
        let first = tool["inputSchema"]["properties"].to_string();
        assert!(first.starts_with("{\"_tafc_think\":"), "{tool}");
        assert!(!tool["inputSchema"]["required"].to_string().contains("_tafc"), "{tool}");
    }
    for (tool, mut arguments) in [
        ("read", json!({"path": "a.txt"})),
        ("bash", json!({"command": "seq 2000"})),
        ("write", json!({"path": "b.txt", "content": "x"})),
        ("absent", json!({})),
        ("read", json!({"path": 7})),
        ("read", json!({})),
        ("job_read", json!({})),
    ] {
        arguments["_tafc_think"] = MARKER.into();
        arguments["_tafc_think_more"] = json!([MARKER]);
        let answer = call(&mut client, tool, &arguments).to_string();
        assert!(!answer.contains(MARKER), "{answer}");
        if arguments.as_object().unwrap().len() == 2 && tool == "read" {
            assert!(answer.contains("no parameters given") && answer.contains("invalid_parameters"), "{answer}");
        }
    }
    drop(client.input.take());
    let _ = client.child.wait();
    let thought = json!({"path": "a.txt", "_tafc_think": MARKER}).to_string();
    let ran = finished({
        let mut command = haft.command(&["call", "read", &thought, "--json"]);
        command.env("HAFT_LOG", "trace");
        command
    });
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!(ran.out + &ran.err).contains(MARKER));
    let mut folders = vec![haft.home.root().to_owned(), haft.workspace.root().to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("it is ours").filter_map(Result::ok) {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() => {
                    let bytes = std::fs::read(&path).unwrap_or_default();
                    seen += 1;
                    assert!(!String::from_utf8_lossy(&bytes).contains(MARKER), "{}", path.display());
                }
                _ => {}
            }
        }
    }
    assert!(seen > 3 && haft.record().exists(), "{seen}");
}

#[test]
fn other_names_of_a_tool_are_the_tool_in_calls_and_rules() {
    let haft = Haft::configured(&rule("shell", "touch *", "allow"));
    let mut client = serve(&haft, &[]);
    let ran = call(&mut client, "run_command", &json!({"command": "touch made"}));
    assert_eq!(ran["result"]["isError"], false, "{ran}");
    assert!(text(&ran).contains("the tool `run_command` is called `bash` here"), "{ran}");
    assert!(haft.workspace.read("made").is_some());
    let record = std::fs::read_to_string(haft.record()).expect("there is a record");
    assert!(record.contains("\"tool\":\"bash\"") && !record.contains("\"tool\":\"run_command\""), "{record}");
    let denied = Haft::configured("[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"search\"\n");
    let explained = denied.run(&["explain", "grep", "pattern=x", "--json"]).json();
    assert_eq!(explained["verdict"], "deny", "{explained}");
    let explained = denied.run(&["explain", "Grep", "pattern=x", "--json"]).json();
    assert_eq!(explained["verdict"], "deny", "{explained}");
}

#[test]
fn each_interface_gets_its_form_and_says_what_it_cannot_express() {
    let haft = Haft::new();
    for dialect in [
        "anthropic",
        "gemini",
        "mcp",
        "ollama",
        "openai-chat",
        "openai-chat-strict",
        "openai-responses",
        "openai-responses-strict",
    ] {
        let shown = haft.run(&["tools", "--dialect", dialect]);
        assert_eq!((shown.code, haft.run(&["tools", "--dialect", dialect]).out == shown.out), (0, true), "{shown:?}");
        assert!(shown.json().as_array().is_some_and(|tools| tools.len() > 10), "{dialect}");
        let report = haft.run(&["tools", "--dialect", dialect, "--report", "--json"]).json();
        let complete = matches!(dialect, "anthropic" | "mcp" | "openai-chat" | "openai-responses");
        assert_eq!(report.as_array().is_some_and(Vec::is_empty), complete, "{dialect}: {report}");
    }
    let report = haft.run(&["tools", "--dialect", "gemini", "--report"]).out;
    assert!(report.contains("bash: `additionalProperties` is left out"), "{report}");
    assert!(haft.run(&["tools", "--dialect", "odd"]).err.contains("`odd` is not an interface"));
}

#[test]
fn costs_are_ranked_and_calls_are_counted() {
    let haft = Haft::new();
    haft.workspace.file("a.txt", "hello\n");
    haft.run(&["call", "read", "path=a.txt"]);
    let ranked = haft.run(&["tools", "--cost"]).out;
    let tokens: Vec<usize> = ranked
        .lines()
        .skip(1)
        .filter(|line| line.contains('%'))
        .map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap())
        .collect();
    assert!(tokens.len() > 10 && tokens.is_sorted_by(|a, b| a >= b), "{ranked}");
    let row = |name: &str| ranked.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{ranked}"));
    assert!(row("read ").ends_with(" 1") && row("grep ").ends_with("never"), "{ranked}");
    let json = haft.run(&["tools", "--cost", "--json"]).json();
    let read = json.as_array().unwrap().iter().find(|tool| tool["name"] == "read").unwrap();
    assert!(read["calls"] == 1 && read["tokens"].as_u64() > Some(50), "{read}");
}

#[test]
fn all_definitions_fit_their_budget() {
    let haft = Haft::new();
    let sum = |profile: &str| -> usize {
        let ranked = haft.run(&["tools", "--cost", "--profile", profile]).out;
        let last = ranked.lines().last().unwrap_or_default();
        last.split_whitespace().nth(1).and_then(|sum| sum.parse().ok()).unwrap_or_else(|| panic!("{ranked}"))
    };
    let encoding = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    for (profile, dialect, most) in [
        ("full", "anthropic", 2_700),
        ("full", "openai-chat", 2_800),
        ("core", "anthropic", 700),
        ("core", "openai-chat", 725),
    ] {
        let rendered = haft.run(&["tools", "--dialect", dialect, "--profile", profile]).json();
        let each = rendered.as_array().unwrap().iter().map(|tool| encoding.count(&tool.to_string()));
        let (exact, estimate) = (each.sum::<usize>(), sum(profile));
        println!("{profile} in the form of {dialect}: {exact} tokens, estimated {estimate}");
        assert!((1..=most).contains(&exact), "{profile} in the form of {dialect}: {exact}");
        assert!(estimate.abs_diff(exact) * 100 / exact <= 10, "{profile}: estimated {estimate} for {exact}");
    }
}
