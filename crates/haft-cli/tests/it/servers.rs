//! MCP servers behind the binary: on the command line, and for a client that sees them among Haft's
//! own tools.

use std::{fmt::Write as _, fs, net::TcpListener};

use serde_json::{Value, json};
use tools_testkit::{ScriptedMcp, installed};

use crate::client::Client;
use crate::support::{Haft, eventually};

/// A binary with one scripted server in its configuration; `more` are further keys of the server.
/// `None` after saying that there is no Python to run it.
fn with_server(tools: &Value, calls: &Value, more: &str) -> Option<(Haft, ScriptedMcp)> {
    if !installed(&["python3"]) {
        return None;
    }
    let haft = Haft::new();
    let folder = haft.home.dir("servers");
    let script = ScriptedMcp::new(&folder, "one", tools, calls);
    let args = script.args();
    let text = format!("[[mcp.servers]]\nid = \"one\"\ncommand = \"python3\"\nargs = {args:?}\n{more}\n");
    haft.home.file(".config/haft/config.toml", text);
    Some((haft, script))
}

fn named(names: &[&str]) -> Value {
    names.iter().map(|name| ScriptedMcp::tool(name)).collect()
}

fn allowing(tools: &[&str]) -> String {
    let rules: Vec<String> =
        tools.iter().map(|tool| format!("mcp_one_{tool} = [{{ pattern = \"*\", action = \"allow\" }}]")).collect();
    format!("[tools.permissions]\n{}", rules.join("\n"))
}

#[test]
fn a_call_is_judged_answered_and_on_record_and_its_definition_pinned() {
    let Some((haft, _)) = with_server(&named(&["say"]), &json!({"say": [{"text": "said"}]}), "") else { return };
    let asked = haft.run(&["--json", "call", "mcp_one_say", "{}"]);
    assert_eq!(asked.json()["error"]["category"], "confirmation_required", "{asked:?}");
    let agreed = haft.run(&["--json", "call", "mcp_one_say", "--yes", "text=x"]);
    assert!(agreed.out.contains("said") && agreed.code == 0, "{agreed:?}");
    // What does not meet the pinned schema is not sent.
    let wrong = haft.run(&["--json", "call", "mcp_one_say", "--yes", "{\"text\": 7}"]);
    assert_eq!(wrong.json()["error"]["category"], "type_mismatch", "{wrong:?}");
    let record = fs::read_to_string(haft.record()).unwrap();
    assert!(record.contains(r#""mcp":{"server":"one","tool":"say"}"#), "{record}");
    let lock = fs::read_to_string(haft.home.path(".config/haft/mcp.lock.json")).unwrap();
    assert!(lock.contains("\"sha256\"") && lock.contains("Does say."), "{lock}");
    // The rules of the configuration count for them as for any tool.
    let (haft, _) = with_server(&named(&["say"]), &json!({}), &allowing(&["say"])).unwrap();
    let allowed = haft.run(&["call", "mcp_one_say", "{}"]);
    assert!(allowed.out.contains("done") && allowed.code == 0, "{allowed:?}");
}

#[test]
fn the_status_of_a_session_names_tools_that_are_held() {
    let Some((haft, script)) = with_server(&named(&["say", "tell"]), &json!({}), &allowing(&["say", "tell"])) else {
        return;
    };
    assert_eq!(haft.run(&["mcp", "test", "one"]).code, 0);
    let turns = "[[turns]]\ncalls = [{ tool = 'mcp_one_tell', params = {} }]\n[[turns]]\ntext = 'done'\n";
    haft.home.file("script.toml", turns);
    let file = haft.home.path("script.toml");
    let status = |more: &[&str]| {
        let all = [more, &["run", "--scripted", file.to_str().unwrap()]].concat();
        haft.run_with_input(&all, b"go\n/status\n/quit\n")
    };
    assert!(!status(&[]).out.contains("held tools"));
    let mut tools = named(&["say", "tell"]);
    tools[0]["description"] = "Says more.".into();
    script.list(&tools);
    let ran = status(&[]);
    assert!(ran.out.contains("held tools: say of one; `haft pins review` shows"), "{ran:?}");
    assert!(status(&["--json"]).out.contains(r#""held_tools":[{"server":"one","tool":"say"}]"#));
}

#[test]
fn a_call_of_another_tool_does_not_wait_for_a_server() {
    let haft = Haft::configured("[[mcp.servers]]\nid = \"one\"\ncommand = \"haft-nothing\"\n");
    for verb in ["explain", "call"] {
        let known = haft.run(&[verb, "list_directory", "path=."]);
        assert!(known.code == 0 && !known.err.contains("one"), "{known:?}");
        let unknown = haft.run(&[verb, "one_tool"]);
        assert!(unknown.code != 0 && unknown.err.contains("`one`"), "{unknown:?}");
    }
}

#[test]
fn a_server_is_confined_as_its_section_says() {
    if !installed(&["python3"]) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let tools = named(&["env", "read", "secret", "write", "outside", "connect", "lock"]);
    let build = |more: &str| {
        let (haft, script) = with_server(&tools, &json!({}), more).unwrap();
        haft.workspace.file("notes.txt", "hello");
        haft.workspace.file(".env", "KEY=hidden");
        haft.home.file("private.txt", "private");
        let at = |name: &str| haft.workspace.path(name).display().to_string();
        let home = |name: &str| haft.home.path(name).display().to_string();
        script.follow(&json!({"tools": tools, "calls": {
            "env": [{"environment": true}],
            "read": [{"read": at("notes.txt")}],
            "secret": [{"read": at(".env")}],
            "write": [{"write": at("new.txt")}],
            "outside": [{"write": home("outside.txt")}],
            "lock": [{"write": home(".config/haft/mcp.lock.json")}],
            "connect": [{"connect": format!("127.0.0.1:{port}")}],
        }}));
        (haft, script)
    };
    let answer = |haft: &Haft, tool: &str| {
        let mut command = haft.command(&["call", &format!("mcp_one_{tool}"), "--yes", "{}"]);
        command.env("API_TOKEN", "t0p").env("MINE", "passed");
        crate::support::finished(command).out
    };
    let (haft, _script) = build("env = { GIVEN = \"1\" }\nenv_pass = [\"MINE\"]");
    let env = answer(&haft, "env");
    assert!(env.contains("GIVEN") && env.contains("MINE") && !env.contains("API_TOKEN"), "{env}");
    if !tools_testkit::namespaces() {
        return;
    }
    assert!(!answer(&haft, "outside").contains("written") && !haft.home.path("outside.txt").exists());
    assert!(answer(&haft, "read").contains("hello"));
    assert!(!answer(&haft, "secret").contains("hidden"));
    answer(&haft, "write");
    assert!(!haft.workspace.path("new.txt").exists());
    let before = fs::read_to_string(haft.home.path(".config/haft/mcp.lock.json")).unwrap();
    answer(&haft, "lock");
    assert_eq!(fs::read_to_string(haft.home.path(".config/haft/mcp.lock.json")).unwrap(), before);
    assert!(answer(&haft, "connect").contains("failed"));

    let (haft, _script) = build("workspace = \"write\"");
    answer(&haft, "write");
    assert_eq!(haft.workspace.read("new.txt").as_deref(), Some(&b"written"[..]));
    let (haft, _script) = build("workspace = \"none\"");
    assert!(answer(&haft, "read").contains("failed"));
}

#[test]
fn what_a_server_writes_that_programs_obey_is_told_and_on_record() {
    if !installed(&["python3"]) || !tools_testkit::namespaces() {
        return;
    }
    let tools = named(&["obeyed"]);
    let (haft, script) = with_server(&tools, &json!({}), "workspace = \"write\"").unwrap();
    let place = haft.workspace.path(".envrc").display().to_string();
    script.follow(&json!({"tools": tools, "calls": {"obeyed": [{"write": place}]}}));
    let ran = haft.run(&["call", "mcp_one_obeyed", "--yes", "{}"]);
    assert!(format!("{ran:?}").contains("put aside, since"), "{ran:?}");
    assert!(!haft.workspace.path(".envrc").exists());
    let record = fs::read_to_string(haft.record()).unwrap();
    assert!(record.contains(r#""obeyed":[{"#) && record.contains(".envrc"), "{record}");
}

#[test]
fn the_log_and_a_review_name_no_credential_of_a_server() {
    let token = ["gh", "p_", "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx"].concat();
    let steps = json!([
        {"raw": format!("connecting with {token}")}, {"stderr": format!("refused: {token}")}, {"exit": 1}
    ]);
    let Some((haft, script)) = with_server(&named(&["say"]), &json!({"say": steps}), &allowing(&["say"])) else {
        return;
    };
    let mut client = Client::connect_answering(&haft, Some("once"));
    client.request(2, "tools/list", &json!({}));
    client.call("mcp_one_say", &json!({}));
    let log = || fs::read_to_string(haft.home.path("stderr")).unwrap_or_default();
    let is_told = eventually(|| log().contains("is not a message") && log().contains("an MCP server failed"));
    assert!(is_told && !log().contains(&token) && log().contains("«secret:github"), "{}", log());
    let mut tools = named(&["say"]);
    tools[0]["description"] = format!("Says it with {token}.").into();
    script.list(&tools);
    let review = haft.run(&["pins", "review", "one"]);
    assert!(review.out.contains("+ Says it with «secret:github#1»."), "{review:?}");
    assert!(!format!("{review:?}").contains(&token), "{review:?}");
}

#[test]
fn a_definition_shows_no_credential_to_a_model() {
    let token = ["gh", "p_", "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx"].concat();
    let mut tools = named(&["say"]);
    tools[0]["title"] = format!("Say with {token}").into();
    tools[0]["description"] = format!("Says it with {token}.").into();
    tools[0]["inputSchema"] =
        json!({"type": "object", "properties": {"as": {"type": "string", "default": token, "examples": [token]}}});
    let Some((haft, _script)) = with_server(&tools, &json!({"say": [{"text": "said"}]}), "") else { return };
    let mut client = Client::connect_answering(&haft, Some("once"));
    let listed = client.request(2, "tools/list", &json!({})).to_string();
    assert!(listed.contains("Says it with «secret:github") && !listed.contains(&token), "{listed}");
    let shown = haft.run(&["tools", "--json"]);
    assert!(!format!("{shown:?}").contains(&token), "{shown:?}");
    assert!(client.call("mcp_one_say", &json!({})).to_string().contains("said"), "it is called all the same");
}

#[test]
fn a_client_finds_calls_and_loses_what_changed() {
    let Some((haft, script)) = with_server(&named(&["say", "tell"]), &json!({"say": [{"text": "said"}]}), "") else {
        return;
    };
    let mut client = Client::connect_answering(&haft, Some("once"));
    let listed = client.request(2, "tools/list", &json!({}));
    let names = |listed: &Value| -> Vec<String> {
        let tools = listed["result"]["tools"].as_array().expect("a list of tools");
        tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert!(names(&listed).contains(&"mcp_one_say".to_owned()), "{listed}");
    let call = json!({"name": "mcp_one_say", "arguments": {}});
    let answer = client.request(3, "tools/call", &call);
    assert!(answer.to_string().contains("said"), "{answer}");
    assert!(!client.asked.is_empty(), "a person was asked");
    let mut tools = named(&["say", "tell", "new"]);
    tools[0]["annotations"] = json!({"readOnlyHint": true});
    script.follow(
        &json!({"tools": tools, "calls": {"tell": [{"notify": "notifications/tools/list_changed"}, {"text": "told"}]}}),
    );
    client.request(4, "tools/call", &json!({"name": "mcp_one_tell", "arguments": {}}));
    let held = (5..60).map(|id| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        client.request(id, "tools/call", &call)
    });
    let held = held.into_iter().find(|answer| answer["result"]["isError"] == true).expect("it is held");
    assert!(
        held.to_string().contains("annotations changed") && held.to_string().contains("haft pins review"),
        "{held}"
    );
    let listed = client.request(100, "tools/list", &json!({}));
    assert!(!names(&listed).contains(&"mcp_one_new".to_owned()), "{listed}");
}

#[test]
fn many_tools_are_found_by_a_search_instead_of_listed() {
    if !installed(&["python3"]) {
        return;
    }
    let haft = Haft::new();
    let folder = haft.home.path("servers");
    fs::create_dir_all(&folder).unwrap();
    let mut text = String::from("[mcp]\nprofile = \"gateway\"\n");
    for server in 0..8 {
        let names: Vec<String> = (0..11).map(|tool| format!("topic{tool}_of_area{server}")).collect();
        let tools = named(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let script = ScriptedMcp::new(&folder, &format!("s{server}"), &tools, &json!({}));
        let args = script.args();
        let _ = writeln!(text, "[[mcp.servers]]\nid = \"s{server}\"\ncommand = \"python3\"\nargs = {args:?}");
    }
    haft.home.file(".config/haft/config.toml", text);
    let mut client = Client::connect_answering(&haft, Some("once"));
    let listed = client.request(2, "tools/list", &json!({}));
    let size = listed["result"]["tools"].to_string().len();
    // Four bytes are a token, roughly.
    assert!(size / 4 <= 2_000, "{size} bytes: {listed}");
    let found =
        client.request(3, "tools/call", &json!({"name": "tool_search", "arguments": {"query": "topic7_of_area3"}}));
    assert!(found.to_string().contains("mcp_s3_topic7_of_area3"), "{found}");
    let listed = client.request(4, "tools/list", &json!({}));
    assert!(listed.to_string().contains("mcp_s3_topic7_of_area3"), "{listed}");
    let answer = client.request(5, "tools/call", &json!({"name": "mcp_s3_topic7_of_area3", "arguments": {}}));
    assert!(answer.to_string().contains("done"), "{answer}");
}

#[test]
fn servers_are_added_tested_reviewed_and_removed() {
    if !installed(&["python3"]) {
        return;
    }
    let haft = Haft::configured("# mine\n[mcp]\nstructured = true\n");
    let folder = haft.home.path("servers");
    fs::create_dir_all(&folder).unwrap();
    let script = ScriptedMcp::new(&folder, "one", &named(&["say"]), &json!({}));
    let args = script.args();
    let added = haft.run(&["mcp", "add", "one", "--env", "A=b", "--", "python3", &args[0], &args[1]]);
    assert_eq!(added.code, 0, "{added:?}");
    let config = fs::read_to_string(haft.home.path(".config/haft/config.toml")).unwrap();
    assert!(
        config.starts_with("# mine\n[mcp]\nstructured = true\n") && config.contains("env = { A = \"b\" }"),
        "{config}"
    );
    assert_ne!(haft.run(&["mcp", "add", "one", "--", "x"]).code, 0, "the key is taken");
    assert!(haft.run(&["mcp", "list"]).out.contains("not asked yet"));
    let tested = haft.run(&["mcp", "test", "one"]);
    assert!(tested.out.contains("1 tools, 0 held") && tested.code == 0, "{tested:?}");
    assert!(haft.run(&["mcp", "list"]).out.contains("1 tools"));

    let mut tools = named(&["say"]);
    tools[0]["description"] = "Says.\u{202e}".into();
    script.list(&tools);
    let review = haft.run(&["pins", "review"]);
    assert_eq!(review.code, 3, "{review:?}");
    assert!(review.out.contains("+ Says.\\u{202e}"), "{}", review.out);
    let code = review.out.split("--accept ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    // What was shown is what is accepted: other changes have another code.
    tools[0]["title"] = "Other".into();
    script.list(&tools);
    assert_ne!(haft.run(&["pins", "review", "--accept", &code]).code, 0);
    tools[0].as_object_mut().unwrap().remove("title");
    script.list(&tools);
    let held = haft.run(&["--json", "call", "mcp_one_say", "--yes", "{}"]);
    assert_eq!(held.json()["error"]["category"], "policy_blocked", "{held:?}");
    assert_eq!(haft.run(&["pins", "review", "one", "--accept", &code]).code, 0);
    assert_eq!(haft.run(&["pins", "review"]).code, 0);
    assert_eq!(haft.run(&["call", "mcp_one_say", "--yes", "{}"]).code, 0);

    let removed = haft.run(&["mcp", "remove", "one"]);
    assert_eq!(removed.code, 0, "{removed:?}");
    let config = fs::read_to_string(haft.home.path(".config/haft/config.toml")).unwrap();
    assert_eq!(config, "# mine\n[mcp]\nstructured = true\n");
    assert!(!fs::read_to_string(haft.home.path(".config/haft/mcp.lock.json")).unwrap().contains("Says"));

    haft.home.file(".codex/config.toml", "[mcp_servers.git]\ncommand = \"uvx\"\nargs = [\"git\"]\n");
    haft.home.file(".claude.json", r#"{"mcpServers": {"web": {"url": "http://example.com"}}}"#);
    let imported = haft.run(&["mcp", "import"]);
    assert!(imported.out.contains("`git` from") && imported.out.contains("skipped `web`"), "{imported:?}");
    assert!(haft.run(&["mcp", "list"]).out.contains("uvx git"));
}

#[test]
#[ignore = "measures; run it alone on a quiet machine, with a release build"]
fn what_the_gateway_adds_to_a_call() {
    let Some((haft, script)) = with_server(&named(&["say"]), &json!({}), &allowing(&["say"])) else { return };
    let median = |client: &mut Client, tool: &str| {
        let mut took: Vec<_> = (100..600)
            .map(|id| {
                let before = std::time::Instant::now();
                let answer = client.request(id, "tools/call", &json!({"name": tool, "arguments": {}}));
                assert!(answer.to_string().contains("done"), "{answer}");
                before.elapsed()
            })
            .collect();
        took.sort_unstable();
        took[took.len() / 2]
    };
    let through = median(&mut Client::connect(&haft), "mcp_one_say");
    let mut alone = std::process::Command::new("python3");
    alone.args(script.args());
    let (mut child, answers) = {
        let mut child = alone.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let answers = std::io::BufReader::new(child.stdout.take().unwrap());
        (child, answers)
    };
    let (mut input, mut answers) = (child.stdin.take().unwrap(), answers);
    let mut took: Vec<_> = (0..500)
        .map(|id| {
            use std::io::{BufRead as _, Write as _};
            let before = std::time::Instant::now();
            let call =
                json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "say", "arguments": {}}});
            writeln!(input, "{call}").unwrap();
            let mut line = String::new();
            answers.read_line(&mut line).unwrap();
            before.elapsed()
        })
        .collect();
    took.sort_unstable();
    drop(input);
    let _ = child.wait();
    eprintln!("through the gateway {through:?}, alone {:?}", took[took.len() / 2]);
}

#[test]
fn a_form_of_a_server_reaches_the_person_behind_the_call_under_the_name_of_its_tool() {
    if !installed(&["python3"]) {
        return;
    }
    let schema = json!({"type": "object", "properties": {"name": {"type": "string", "default": "x"}}});
    let form = json!({"message": "Who\u{202e}?", "requestedSchema": schema});
    let wanted = json!({"who": {"method": "elicitation/create", "params": form}});
    let calls = json!({"form": [{"form": form}], "wants": [{"wants": wanted}]});
    for (revision, tool) in [("2025-11-25", "form"), ("2026-07-28", "wants")] {
        let answered = |section: &str, answer| {
            let more = format!("{section}\n{}", allowing(&["form", "wants"]));
            let (haft, script) = with_server(&named(&["form", "wants"]), &calls, &more).unwrap();
            script.follow(&json!({"tools": named(&["form", "wants"]), "calls": calls, "revision": revision}));
            let mut client = Client::connect_answering(&haft, answer);
            let result = client.call(&format!("mcp_one_{tool}"), &json!({}));
            (result, client.asked)
        };
        let (result, asked) = answered("elicitation = true", Some("once"));
        assert_eq!(asked, [format!("The tool `mcp_one_{tool}` asks: Who\\u{{202e}}?")], "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(r#""action": "accept""#) && text.contains(r#""name": "x""#), "{result}");
        assert!(tool == "form" || text.contains(r#""requestState": "state""#), "{result}");

        // A client that shows no forms: the server is told that the form was dismissed, or the
        // caller that the client cannot be asked.
        let (result, _) = answered("elicitation = true", None);
        let put_away = result["content"][0]["text"].as_str().unwrap().contains(r#""action": "cancel""#);
        assert!(put_away || result["_meta"]["haft/code"] == "input_not_offered", "{result}");

        // Without the key it is refused, and said.
        let (result, asked) = answered("", Some("once"));
        assert!(asked.is_empty() && result.to_string().contains("which it was not offered"), "{result}");
    }
}

#[test]
fn a_call_of_a_client_without_a_greeting_begins_anew_with_what_was_answered() {
    let form =
        json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}});
    let wanted = json!({"who": {"method": "elicitation/create", "params": form}});
    let calls = json!({"wants": [{"wants": wanted}]});
    let Some((haft, _script)) = with_server(&named(&["wants"]), &calls, "elicitation = true") else { return };
    let mut client = Client::connect_ungreeted(&haft);
    let mut ask = |id, more: Value| {
        let mut params = json!({"name": "mcp_one_wants", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        }});
        params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
        client.request(id, "tools/call", &params)["result"].clone()
    };
    // Consent covers one run: asked for before the form, and again behind it.
    let agreed = json!({"approval": {"action": "accept", "content": {"decision": "once"}}});
    let filled = json!({"who": {"action": "accept", "content": {"name": "A"}}});
    let mut result = ask(1, json!({}));
    for (id, key, answer) in [(2, "approval", &agreed), (3, "who", &filled), (4, "approval", &agreed)] {
        assert!(result["inputRequests"][key].is_object(), "{key}: {result}");
        result = ask(id, json!({"requestState": result["requestState"], "inputResponses": answer}));
    }
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains(r#""name": "A""#) && text.contains(r#""requestState": "state""#), "{result}");
}
