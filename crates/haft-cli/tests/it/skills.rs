//! Skills through the binary: listed, agreed to, loaded, invoked, and what they take away.

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{BASH_ALLOWED, Haft};

const SKILL: &str = "---\nname: deploy\ndescription: How to deploy. Use it before a release.\nallowed-tools: Read Bash(echo:*)\n\
                     metadata:\n  env.STAGE: green\n---\n\nDeploy $ARGUMENTS with care.\n";

fn with_skill() -> Haft {
    let haft = Haft::configured(BASH_ALLOWED);
    haft.workspace.file(".agents/skills/deploy/SKILL.md", SKILL);
    haft.workspace.file(".agents/skills/deploy/references/steps.md", "first, second\n");
    haft
}

fn call(haft: &Haft, tool: &str, params: &Value) -> Value {
    haft.run(&["call", "--json", tool, &params.to_string()]).json()
}

#[test]
fn without_skills_there_are_no_tools_for_them() {
    let haft = Haft::new();
    assert!(!haft.run(&["tools"]).out.contains("load_skill"));
    let haft = with_skill();
    haft.run(&["skills", "trust", "deploy"]);
    let listed = haft.run(&["tools", "--format", "json"]).out;
    assert!(listed.contains("load_skill") && listed.contains("How to deploy"), "{listed}");
    haft.home.file(".config/haft/config.toml", "[skills]\nenabled = false\n");
    assert!(!haft.run(&["tools"]).out.contains("load_skill"));
}

#[test]
fn a_skill_that_nobody_agreed_to_tells_a_model_its_name_and_no_more() {
    let token = ["gh", "p_", "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx"].concat();
    let text = format!(
        "---\nname: evil\ndescription: \"SYSTEM \\u202E \\U000E0041 \\e[2J {token}\"\nmetadata:\n  tool.go: echo {{x}}\n  \
         tool.go.description: \"GO \\u202E {token}\"\n---\n\nDo it.\n"
    );
    let haft = Haft::configured(BASH_ALLOWED);
    haft.workspace.file(".agents/skills/evil/SKILL.md", text);
    let lists = |client: &mut Client, id: u64| {
        let lists = ["tools/list", "prompts/list"].map(|method| client.request(id, method, &json!({})).to_string());
        [&lists[..], &[haft.run(&["skills", "list", "--json"]).out, haft.run(&["skills", "list"]).out]].concat()
    };
    let mut client = Client::connect(&haft);
    for listed in lists(&mut client, 2) {
        assert!(listed.contains("evil") && !listed.contains("SYSTEM") && !listed.contains(&token), "{listed}");
    }
    assert_eq!(haft.run(&["skills", "trust", "evil"]).code, 0);
    // Prompts are listed anew, definitions of tools at the next start.
    let prompts = client.request(3, "prompts/list", &json!({})).to_string();
    assert!(prompts.contains("SYSTEM"), "{prompts}");
    let mut client = Client::connect(&haft);
    client.request(4, "tools/call", &json!({"name": "invoke_skill", "arguments": {"name": "evil"}}));
    let all = lists(&mut client, 5);
    assert!(all[0].contains("SYSTEM") && all[0].contains("GO "), "{}", all[0]);
    for listed in all {
        assert!(!listed.contains(&token), "{listed}");
        for hidden in ["\u{202e}", "\u{e0041}", "\u{1b}", "\\u202e", "\\udb40", "\\u001b"] {
            assert!(!listed.contains(hidden), "{hidden:?} {listed}");
        }
    }
}

#[test]
fn a_skill_of_the_project_is_agreed_to_and_again_when_a_file_of_it_changes() {
    let haft = with_skill();
    let asks = |haft: &Haft| {
        let ran = haft.run(&["call", "load_skill", "name=deploy"]);
        assert!(ran.code == 0 || ran.code == 3, "{ran:?}");
        ran.code == 3
    };
    assert!(asks(&haft));
    assert_eq!(haft.run(&["skills", "trust", "deploy"]).code, 0);
    assert!(!asks(&haft));
    haft.workspace.file(".agents/skills/deploy/references/steps.md", "first, third\n");
    assert!(asks(&haft), "one of its files is another");
    assert_eq!(haft.run(&["call", "--yes", "load_skill", "name=deploy"]).code, 0);
    assert!(!asks(&haft), "the consent was for what it holds");
    haft.workspace.file(".agents/skills/deploy/SKILL.md", SKILL.replace("with care", "without care"));
    assert!(asks(&haft));
    assert_eq!(haft.run(&["skills", "trust", "--revoke", "deploy"]).code, 0);
    assert!(haft.run(&["skills", "list"]).out.contains("asks"));
    // The user's own count as they are; the project's goes before them.
    haft.home.file(".agents/skills/own/SKILL.md", SKILL.replace("name: deploy", "name: own"));
    assert_eq!(haft.run(&["call", "load_skill", "name=own"]).code, 0);
    haft.home.file(".agents/skills/deploy/SKILL.md", SKILL);
    assert!(haft.run(&["skills", "list"]).out.contains("shadowed") && asks(&haft));
}

#[test]
fn files_of_a_skill_are_read_inside_of_it_alone() {
    let haft = with_skill();
    haft.workspace.file("outside.txt", "outside\n");
    haft.run(&["skills", "trust", "deploy"]);
    let file = |name: &str| call(&haft, "load_skill", &json!({"name": "deploy", "file": name}));
    assert_eq!(file("references/steps.md")["text"], "first, second\n");
    for name in
        ["../../../outside.txt", "/etc/passwd", "", "references", "nothing.md", "references/../../../../outside.txt"]
    {
        let refused = file(name);
        assert_eq!(refused["error"]["code"], "skill_file_not_found", "{name}: {refused}");
    }
    haft.workspace.link(".agents/skills/deploy/link.txt", "../../../outside.txt");
    assert_eq!(file("link.txt")["error"]["code"], "nobody_to_ask", "it is another skill now");
    haft.run(&["skills", "trust", "deploy"]);
    let refused = file("link.txt");
    assert_eq!(refused["error"]["code"], "skill_link", "{refused}");
}

#[test]
fn an_invoked_skill_takes_away_gives_variables_and_nothing_else() {
    let haft = with_skill();
    haft.run(&["skills", "trust", "deploy"]);
    let mut client = Client::connect(&haft);
    let mut id = 1;
    let mut request = |tool: &str, arguments: Value| {
        id += 1;
        client.request(id, "tools/call", &json!({"name": tool, "arguments": arguments}))["result"].to_string()
    };
    assert!(!request("bash", json!({"command": "echo stage=$STAGE"})).contains("green"));
    let loaded = request("load_skill", json!({"name": "deploy"}));
    assert!(loaded.contains("with care") && loaded.contains("references/steps.md"), "{loaded}");
    assert!(request("load_skill", json!({"name": "deploy"})).contains("loaded already"));
    let invoked = request("invoke_skill", json!({"name": "deploy", "args": "the site"}));
    assert!(invoked.contains("Deploy the site with care"), "{invoked}");
    assert!(request("bash", json!({"command": "echo stage=$STAGE"})).contains("stage=green"));
    for refused in [
        request("bash", json!({"command": "ls"})),
        request("bash", json!({"command": "echo x; ls"})),
        request("grep", json!({"pattern": "x"})),
    ] {
        assert!(refused.contains("not among the tools of the skill `deploy`"), "{refused}");
    }
    let unknown = request("load_skill", json!({"name": "deplay"}));
    assert!(unknown.contains("`deploy`"), "{unknown}");
}

#[test]
fn broken_skills_are_told_and_hinder_nothing() {
    let haft = with_skill();
    let big = format!("---\nname: big\ndescription: Big.\n---\n{}", "x".repeat(10 << 20));
    haft.workspace.file(".agents/skills/big/SKILL.md", big);
    haft.workspace.file(".agents/skills/yaml/SKILL.md", "---\nname: [unclosed\n---\n");
    haft.workspace.file(".agents/skills/bytes/SKILL.md", b"---\nname: \xff\xfe\n---\n");
    haft.workspace.link(".agents/skills/circle", "circle");
    haft.workspace.file(".agents/skills/loops/SKILL.md", SKILL.replace("name: deploy", "name: loops"));
    haft.workspace.link(".agents/skills/loops/deeper", ".");
    let listed = haft.run(&["skills", "list"]);
    for text in ["too large", "front matter", "not UTF-8", "in a circle"] {
        assert!(listed.out.contains(text), "{text}: {listed:?}");
    }
    // One bad link closes nothing else.
    assert_eq!(haft.run(&["skills", "check"]).code, 1);
    haft.run(&["skills", "trust", "loops"]);
    let looping = haft.run(&["call", "load_skill", "name=loops"]);
    let said = "[left out: `deeper` is a link that leads in a circle or out of the skill]";
    assert!(looping.code == 0 && looping.out.contains("with care") && looping.out.contains(said), "{looping:?}");
    assert_eq!(haft.run(&["skills", "check", ".agents/skills/deploy"]).code, 0);
    haft.run(&["skills", "trust", "deploy"]);
    assert_eq!(haft.run(&["call", "load_skill", "name=deploy"]).code, 0);
}

const DECLARING: &str = "---\nname: greet\ndescription: Greets.\nmetadata:\n  tool.hello: echo hello {who}\n  \
     tool.hello.who: Whom.\n  tool.wipe: rm -r {what}\n  tool.grep: echo taken\n---\n\nBe kind.\n";

#[test]
fn tools_of_an_active_skill_are_listed_and_judged_as_the_commands_that_they_are() {
    let haft = Haft::configured(
        "[[tools.permissions.bash]]\npattern = \"rm *\"\naction = \"deny\"\n\
         [[tools.permissions.bash]]\npattern = \"echo *\"\naction = \"allow\"\n",
    );
    haft.workspace.file(".agents/skills/greet/SKILL.md", DECLARING);
    // What it declares is part of what a person agrees to.
    let asked = haft.run(&["call", "load_skill", "name=greet"]);
    assert!(asked.code == 3 && asked.err.contains("its tool `hello` runs `echo hello {who}`"), "{asked:?}");
    haft.run(&["skills", "trust", "greet"]);
    let left_out = "the tool `grep` is left out: there is another tool of that name";
    let listed = haft.run(&["skills", "list"]);
    assert!(listed.out.contains(&format!("  warning: {left_out}\n")), "{listed:?}");
    let listed = haft.run(&["skills", "list", "--json"]).json();
    assert_eq!(listed["skills"][0]["tools"], json!(["hello", "wipe"]), "{listed}");
    let checked = haft.run(&["skills", "check"]);
    assert!(checked.code == 1 && checked.out.contains(left_out), "{checked:?}");
    let mut client = Client::connect(&haft);
    let mut id = 1;
    let mut request = |method: &str, params: Value| {
        id += 1;
        client.request(id, method, &params)["result"].clone()
    };
    let call = |request: &mut dyn FnMut(&str, Value) -> Value, tool: &str, arguments: Value| {
        request("tools/call", json!({"name": tool, "arguments": arguments})).to_string()
    };
    let names = |listed: Value| -> Vec<String> {
        let tools = listed["tools"].as_array().cloned().unwrap_or_default();
        tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
    };
    let before = names(request("tools/list", json!({})));
    assert!(before.contains(&"grep".to_owned()) && !before.contains(&"hello".to_owned()));
    assert!(call(&mut request, "hello", json!({"who": "x"})).contains("there is no tool `hello`"));
    let invoked = call(&mut request, "invoke_skill", json!({"name": "greet"}));
    assert!(invoked.contains("- hello: Runs the command") && invoked.contains(left_out), "{invoked}");
    assert!(!invoked.contains("- grep: "), "{invoked}");
    let after = names(request("tools/list", json!({})));
    assert_eq!(
        after,
        [before.clone(), vec!["hello".to_owned(), "wipe".to_owned()]].concat(),
        "a name that is taken stays"
    );
    // One word to the shell, whatever is in it.
    let hello = call(&mut request, "hello", json!({"who": "it's $(touch made); touch made"}));
    assert!(hello.contains("hello it's $(touch made); touch made"), "{hello}");
    assert!(!haft.workspace.path("made").exists());
    let denied = call(&mut request, "wipe", json!({"what": "x"}));
    assert!(denied.contains("do not let `bash` do this"), "{denied}");
    let wrong = call(&mut request, "hello", json!({"whom": "x"}));
    assert!(wrong.contains("it takes `who`"), "{wrong}");
    // Credentials and the record are those of a command.
    let token = format!("ghp_{}", "Ab3dEf6hIj9k".repeat(3));
    let hidden = call(&mut request, "hello", json!({"who": &token}));
    assert!(!hidden.contains(&token), "{hidden}");
    drop(client);
    let record = std::fs::read_to_string(haft.record()).unwrap();
    let line = record.lines().find(|line| line.contains("hello it") || line.contains("echo hello 'it")).unwrap();
    let entry: Value = serde_json::from_str(line).unwrap();
    assert_eq!(entry["tool"], "bash", "{entry}");
    assert_eq!(entry["skill"], json!({"name": "greet", "tool": "hello"}), "{entry}");
}

#[test]
fn skills_are_prompts_of_the_server_and_each_is_a_call_that_is_judged() {
    let haft = with_skill();
    haft.home.file(".agents/skills/own/SKILL.md", SKILL.replace("name: deploy", "name: own"));
    let mut client = Client::connect(&haft);
    let listed = client.request(2, "prompts/list", &json!({}))["result"]["prompts"].clone();
    let names: Vec<&str> = listed.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(names.contains(&"deploy") && names.contains(&"own"), "{listed}");
    assert_eq!(listed[0]["arguments"][0]["name"], "arguments", "{listed}");
    let mut id = 2;
    let mut prompt = |name: &str, arguments: Value| {
        id += 1;
        client.request(id, "prompts/get", &json!({"name": name, "arguments": arguments}))
    };
    let own = prompt("own", json!({"arguments": "the green one"}));
    let message = &own["result"]["messages"][0];
    let text = message["content"]["text"].as_str().unwrap_or_default();
    assert!(message["role"] == "user" && text.contains("Deploy the green one with care"), "{own}");
    // Each time whole: the host may have begun a new conversation.
    assert!(prompt("own", json!({})).to_string().contains("with care"));
    // A skill of the project needs somebody who agreed, as the tool does.
    let refused = prompt("deploy", json!({}));
    assert_eq!(refused["error"]["data"]["haft/category"], "confirmation_required", "{refused}");
    assert_eq!(haft.run(&["skills", "trust", "deploy"]).code, 0);
    assert!(prompt("deploy", json!({})).to_string().contains("with care"));
    for (name, arguments) in [("none", json!({})), ("own", json!({"other": "x"})), ("own", json!({"arguments": 1}))] {
        let refused = prompt(name, arguments);
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let record = std::fs::read_to_string(haft.record()).expect("there is a record");
    assert!(record.contains("\"tool\":\"invoke_skill\""), "{record}");
    let haft = Haft::configured("[tools.permissions]\ninvoke_skill = [{pattern = \"*\", action = \"deny\"}]\n");
    haft.home.file(".agents/skills/own/SKILL.md", SKILL.replace("name: deploy", "name: own"));
    let refused = Client::connect(&haft).request(2, "prompts/get", &json!({"name": "own"}));
    assert!(!refused["error"].is_null(), "a rule about the tool counts: {refused}");
}
