//! Credentials and the binary: `haft scan`, and what a call shows of one in a file, in an output
//! and on record. Values that look real are put together here, so that none stands in the source.

use std::process::Command;

use serde_json::{Value, json};

use crate::{client::Client, support::Haft};

const RANDOM: &str = "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx";

fn github() -> String {
    ["gh", "p_", RANDOM].concat()
}

const ALLOW: &str = "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n\
    [[tools.permissions.edit]]\npattern = \"*\"\naction = \"allow\"\n\
    [[tools.permissions.write]]\npattern = \"*\"\naction = \"allow\"\n";

fn input(calls: &[Value]) -> String {
    calls.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn scan_tells_place_and_kind_and_never_the_value() {
    let haft = Haft::new();
    haft.workspace.file("a.env", format!("A=1\né={}\nDB_PASSWORD={RANDOM}\n", github()));
    haft.workspace.file("b.txt", "nothing here\n");
    let ran = haft.run(&["scan", "a.env", "b.txt"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.out.contains(RANDOM), "{ran:?}");
    assert_eq!(
        ran.rows(),
        [
            json!({"file": "a.env", "kind": "github", "rule": "ghp_", "line": 2, "column": 3, "length": 40}),
            json!({"file": "a.env", "kind": "password", "rule": "assignment", "line": 3, "column": 13, "length": 36}),
        ]
    );
    assert_eq!(haft.run(&["scan", "--check", "a.env"]).code, 1);
    assert_eq!(haft.run(&["scan", "--check", "b.txt"]).code, 0);
}

#[test]
fn scan_reads_standard_input_and_redacts_it_byte_by_byte() {
    let haft = Haft::new();
    let input = [b"caf\xe9 \x00 token=".as_slice(), github().as_bytes(), b"\r\nend"].concat();
    let ran = haft.run_with_input(&["scan", "--redact"], &input);
    assert_eq!((ran.code, ran.out.contains("token=«secret:github#1»\r\nend")), (0, true), "{ran:?}");
    let utf16: Vec<u8> = format!("\u{feff}token={}\n", github()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let ran = haft.run_with_input(&["scan", "-"], &utf16);
    assert_eq!(ran.rows()[0]["kind"], "github", "{ran:?}");
}

#[test]
fn scan_refuses_what_would_never_end_and_goes_on() {
    let haft = Haft::new();
    haft.workspace.file("a.env", format!("X={}\n", github()));
    let made = Command::new("mkfifo").arg(haft.workspace.path("pipe")).status().expect("coreutils are there");
    assert!(made.success());
    let ran = haft.run(&["scan", "pipe", ".", "missing", "/dev/zero", "a.env"]);
    assert_eq!((ran.code, ran.rows().len()), (2, 1), "{ran:?}");
    assert_eq!(ran.err.lines().count(), 4, "{ran:?}");
}

#[test]
fn patterns_of_the_operator_are_checked_at_load_and_used() {
    let pattern = |text: &str| format!("[tools.filters.security]\nextra_patterns = [{text}]\n");
    let haft = Haft::configured(&pattern("'acme-\\d{6}'"));
    let ran = haft.run_with_input(&["scan", "--redact"], b"id acme-123456.");
    assert_eq!(ran.out, "id «secret:extra#1».", "{ran:?}");
    let haft = Haft::configured(&pattern("'x*'"));
    let ran = haft.run(&["call", "read", "path=a"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("tools.filters.security.extra_patterns[0]"), "{ran:?}");
}

#[test]
fn no_surface_of_a_call_shows_the_value() {
    let haft = Haft::configured(ALLOW);
    haft.workspace.file("a.txt", format!("one\nTOKEN={}\n", github()));
    let calls = [
        json!({"tool": "read", "params": {"path": "a.txt"}}),
        json!({"tool": "grep", "params": {"pattern": "TOKEN"}}),
        json!({"tool": "bash", "params": {"command": "cat a.txt; cat a.txt >&2; exit 3"}}),
        json!({"tool": "bash", "params": {"command": format!("echo {}", github())}}),
        json!({"tool": "read", "params": {"path": github()}}),
        json!({"tool": "edit", "params": {"path": "a.txt", "old_string": github(), "new_string": "x"}}),
        json!({"tool": "write", "params": {"path": "/outside", "content": github()}}),
    ];
    let input = input(&calls);
    let ran = haft.run_with_input(&["batch"], input.as_bytes());
    let record = std::fs::read_to_string(haft.record()).expect("there is a record");
    assert_eq!(ran.rows().len(), calls.len(), "{ran:?}");
    for text in [&ran.out, &ran.err, &record] {
        assert!(!text.contains(RANDOM), "{text}");
    }
    let read = &ran.rows()[0];
    assert_eq!(unmarked(&read["text"]), "     1\tone\n     2\tTOKEN=«secret:github#1»");
    assert_eq!(read["warnings"], json!(["1 credential in the result, replaced by placeholders: 1 github"]));
    let ran = haft.run(&["exec", "--filter", "--", "cat", "a.txt"]);
    assert!(!ran.out.contains(RANDOM) && !ran.err.contains(RANDOM), "{ran:?}");
}

/// The text without the marks of its session.
fn unmarked(text: &Value) -> String {
    let text = text.as_str().unwrap_or_default();
    let mut parts = text.split('·');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + &part[6..])
}

/// What a call over MCP answers with.
fn called(client: &mut Client, tool: &str, arguments: &Value) -> String {
    let answer = client.request(7, "tools/call", &json!({"name": tool, "arguments": arguments}));
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

/// The first placeholder in a text.
fn placeholder(text: &str) -> String {
    let start = text.find("«secret:").unwrap_or_else(|| panic!("no placeholder: {text}"));
    let end = text[start..].find('»').expect("it ends") + "»".len();
    text[start..start + end].to_owned()
}

#[test]
fn what_is_written_back_is_the_credential_and_the_record_has_the_placeholder() {
    let haft = Haft::configured(ALLOW);
    haft.workspace.file("a.txt", format!("one\nTOKEN={}\n", github()));
    let mut client = Client::connect(&haft);
    let hidden = placeholder(&called(&mut client, "read", &json!({"path": "a.txt"})));
    let edited = called(
        &mut client,
        "edit",
        &json!({"path": "a.txt", "old_string": format!("one\nTOKEN={hidden}"), "new_string": format!("two\nTOKEN={hidden}")}),
    );
    let content = |name: &str| std::fs::read_to_string(haft.workspace.path(name)).unwrap_or_default();
    assert_eq!(content("a.txt"), format!("two\nTOKEN={}\n", github()), "{edited}");
    let unknown = called(&mut client, "write", &json!({"path": "c.txt", "content": "«secret:github#1»"}));
    assert!(unknown.contains("stands for nothing in this session"), "{unknown}");
    assert_eq!(content("c.txt"), "");
    let record = std::fs::read_to_string(haft.record()).expect("there is a record");
    assert!(record.contains(&hidden) && !record.contains(RANDOM), "{record}");
}

#[test]
fn a_credential_goes_to_another_file_only_when_a_person_read_from_where_to_where() {
    let haft = Haft::configured(ALLOW);
    // Nothing but its name tells that this is a password.
    let password = ["Tr0ub", "-4x-horse"].concat();
    haft.workspace.file("c.yml", format!("password: {password}\n"));
    let sentence = |hidden: &str| json!({"path": "notes.md", "content": format!("the first is {hidden} and\n")});
    let content = |name: &str| std::fs::read_to_string(haft.workspace.path(name)).unwrap_or_default();

    let mut alone = Client::connect(&haft);
    let hidden = placeholder(&called(&mut alone, "read", &json!({"path": "c.yml"})));
    let refused = called(&mut alone, "write", &sentence(&hidden));
    assert!(refused.contains("`c.yml`") && refused.contains("`notes.md`"), "{refused}");
    assert_eq!(content("notes.md"), "");
    // None of these gives a placeholder back.
    let echoed = called(
        &mut alone,
        "bash",
        &json!({"command": format!("echo '{hidden}' | tee e.txt; printf %s '{hidden}' | base64")}),
    );
    assert!(!echoed.contains(&password), "{echoed}");
    assert_eq!(content("e.txt"), format!("{hidden}\n"));

    let mut agreeing = Client::connect_answering(&haft, Some("once"));
    let hidden = placeholder(&called(&mut agreeing, "read", &json!({"path": "c.yml"})));
    let written = called(&mut agreeing, "write", &sentence(&hidden));
    let question = agreeing.asked.pop().expect("a person is asked");
    assert!(question.contains("puts the password of `c.yml` into `notes.md`"), "{question}");
    assert_eq!(content("notes.md"), format!("the first is {password} and\n"), "{written}");
    // It is known now, whatever shows it.
    let mut seen = written;
    for (tool, arguments) in [
        ("read", json!({"path": "notes.md"})),
        ("grep", json!({"pattern": "first"})),
        ("bash", json!({"command": "cat notes.md; cat -n notes.md; base64 notes.md; xxd -p notes.md; echo x >&2"})),
        ("edit", json!({"path": "notes.md", "old_string": "first", "new_string": "second"})),
    ] {
        seen += &called(&mut agreeing, tool, &arguments);
    }
    drop(agreeing);
    seen += &std::fs::read_to_string(haft.record()).expect("there is a record");
    assert!(!seen.contains(&password), "{seen}");
    let shown_again = ["VHIwdWIt", "5472307562"].into_iter().find(|encoded| seen.contains(encoded));
    assert_eq!(shown_again, None, "{seen}");
}

#[test]
fn a_file_that_guesses_placeholders_gets_no_credential() {
    let haft = Haft::configured(ALLOW);
    haft.workspace.file("config.json", format!("{{\"api_key\": \"{RANDOM}\"}}\n"));
    haft.workspace.file("README.md", "See «secret:key#1» for detials.\n");
    let mut client = Client::connect(&haft);
    called(&mut client, "read", &json!({"path": "config.json"}));
    let shown = called(&mut client, "read", &json!({"path": "README.md"}));
    assert!(shown.contains("«literal:secret:key#1»"), "{shown}");
    let content = "See «literal:secret:key#1» for details.\n";
    called(&mut client, "write", &json!({"path": "README.md", "content": content}));
    let written = std::fs::read_to_string(haft.workspace.path("README.md")).expect("it is there");
    assert_eq!(written, "See «secret:key#1» for details.\n");
}

#[test]
fn commands_get_no_variable_that_holds_a_credential() {
    let haft = Haft::configured(ALLOW);
    let mut command = haft.command(&["call", "bash", "command=env", "--json"]);
    command.envs([
        ("PLAIN", "hello"),
        ("SOME_TOKEN", "abcdefghij"),
        ("NEUTRAL", github().as_str()),
        ("BUNDLE_GITHUB__COM", "abcdefghij"),
        ("MONGO", "mongodb+srv://app:Zx81pQ7mLw2k@db/x"),
    ]);
    let ran = crate::support::finished(command);
    let text = ran.json()["raw_response"]["stdout"].as_str().unwrap_or_default().to_owned();
    assert!(text.contains("PLAIN=hello"), "{text}");
    for gone in ["SOME_TOKEN", "NEUTRAL", "BUNDLE_GITHUB__COM", "MONGO"] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
}

/// Files in which only lines above tell what a value is, and the values.
fn files() -> Vec<(&'static str, String, Vec<String>)> {
    let password = || ["Zx81pQ7m", "Lw2kT9"].concat();
    let armour: Vec<String> = (0..12).map(|line| format!("{line:02}{}{RANDOM}", &RANDOM[..26])).collect();
    let (begin, end) = (["-----BEGIN PRIVATE", " KEY-----"].concat(), ["-----END PRIVATE", " KEY-----"].concat());
    let escaped = format!("{{\"type\": \"x\", \"private_key\": \"{begin}\\n{}\\n{end}\\n\"}}\n", armour.join("\\n"));
    vec![
        ("pod.yaml", format!("env:\n  - name: DB_PASSWORD\n    value: {}\n", password()), vec![password()]),
        ("logins.txt", format!("machine db.local\nlogin app\npassword {}\n", password()), vec![password()]),
        ("folded.yaml", format!("a: 1\npassword: >-\n  {}\nb: 2\n", password()), vec![password()]),
        ("people.csv", format!("user,password,since\nann,{},2026\n", password()), vec![password()]),
        ("deploykey.txt", format!("{begin}\n{}\n{end}\n", armour.join("\n")), armour.clone()),
        ("sa.json", escaped, armour),
    ]
}

#[test]
fn a_value_is_hidden_alike_in_whatever_shows_a_file() {
    for (name, text, values) in files() {
        let haft = Haft::configured(ALLOW);
        haft.workspace.file(name, &text);
        let bash = |command: String| ("bash", json!({"command": command}));
        for (tool, arguments) in [
            ("read", json!({"path": name})),
            ("read", json!({"path": name, "offset": text.lines().count() / 2, "limit": 3})),
            ("grep", json!({"pattern": ".", "path": name})),
            ("grep", json!({"pattern": "Zx|private_key|^0", "path": name})),
            bash(format!("cat {name}")),
            bash(format!("cat -n {name}")),
            bash(format!("grep -n . {name}")),
            bash(format!("grep -Hn . {name}")),
            bash(format!("git diff --no-index /dev/null {name}")),
            bash(format!("sed 's/^/2026-01-02T03:04:05.678Z /' {name}")),
        ] {
            // What an earlier call showed would be known.
            let mut client = Client::connect(&haft);
            let shown = called(&mut client, tool, &arguments);
            for value in &values {
                assert!(!shown.contains(value.as_str()), "{name} by {tool} {arguments}:\n{shown}");
                assert!(!shown.contains(&value[..20.min(value.len())]), "{name} by {tool} {arguments}:\n{shown}");
            }
        }
        let record = std::fs::read_to_string(haft.record()).expect("there is a record");
        assert!(values.iter().all(|value| !record.contains(value.as_str())), "{name}: {record}");
    }
}

#[test]
fn what_a_terminal_does_not_show_hides_no_value() {
    let haft = Haft::configured(ALLOW);
    let utf16: Vec<u8> =
        format!("\u{feff}GITHUB_TOKEN={}\r\n", github()).encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(haft.workspace.root().join("u16.env"), utf16).expect("the workspace is writable");
    haft.workspace.file("c.json", format!("{{\"db\": {{\"password\": \"{RANDOM}\"}}}}\n"));
    let token = github();
    for command in [
        "cat u16.env".to_owned(),
        "grep --color=always -rn password c.json".to_owned(),
        format!("grep --color=always {} c.json", &RANDOM[8..20]),
        format!("printf '{}\\033[1m{}\\n'", &token[..4], &token[4..]),
        format!("printf 'token={}\\0{}\\n'", &token[..9], &token[9..]),
        format!("printf 'token={}x\\b{}\\n'", &token[..9], &token[9..]),
    ] {
        // What an earlier call showed would be known.
        let mut client = Client::connect(&haft);
        let shown = called(&mut client, "bash", &json!({"command": command}));
        assert!(!shown.contains(RANDOM), "{command}:\n{shown}");
        let ran = haft.run(&["exec", "--filter", "--", "bash", "-c", &command]);
        assert!(!ran.out.contains(RANDOM), "{command}:\n{}", ran.out);
    }
}

#[test]
fn no_edit_takes_a_hidden_value_apart_or_says_what_it_is() {
    let haft = Haft::configured(ALLOW);
    let text = format!("# a\ntoken = \"{}\"\nname = \"k8d\"\n", github());
    haft.workspace.file("a.toml", &text);
    let mut client = Client::connect(&haft);
    let shown = called(&mut client, "read", &json!({"path": "a.toml"}));
    let mut edit = |old: &str, new: &str, all: bool| {
        let arguments = json!({"path": "a.toml", "old_string": old, "new_string": new, "replace_all": all});
        called(&mut client, "edit", &arguments)
    };
    // A part that is there and one that is not get the same answer.
    let answers = [&github()[..4], &github()[..12], &RANDOM[2..9], "token = \"gh", "Kk8dz7y", "ghq_"]
        .map(|part| (part.to_owned(), edit(part, "g h p ", false)));
    for (part, answer) in &answers {
        assert!(answer.contains("not found"), "{part}: {answer}");
        assert!(!answer.contains(&RANDOM[..8]), "{part}: {answer}");
    }
    let answer = edit("k8d", "x", true);
    assert!(answer.contains("1 replacement") && answer.contains("each counts as a whole"), "{answer}");
    let expected = text.replace("\"k8d\"", "\"x\"");
    assert_eq!(std::fs::read_to_string(haft.workspace.root().join("a.toml")).unwrap(), expected);
    // As a whole it goes, by its placeholder.
    let answer = edit(&format!("token = \"{}\"", placeholder(&shown)), "token = \"none\"", false);
    assert!(answer.contains("1 replacement") && !answer.contains(RANDOM), "{answer}");
}

#[test]
fn the_nearest_text_of_a_failed_edit_shows_a_placeholder_whole() {
    let haft = Haft::configured(ALLOW);
    haft.workspace.file("netrc", format!("machine x login y password {RANDOM}\n"));
    let mut client = Client::connect(&haft);
    let arguments = json!({"path": "netrc", "old_string": "password k8d", "new_string": "password x"});
    let answer = called(&mut client, "edit", &arguments);
    assert!(answer.contains("not found") && answer.contains("nearest text"), "{answer}");
    assert!(!answer.contains("«secret:«") && !answer.contains("secret#"), "{answer}");
    assert_eq!(answer.matches("secret:").count(), answer.matches("«secret:password#1·").count(), "{answer}");
}

#[test]
fn no_pattern_says_what_a_hidden_value_is() {
    let haft = Haft::configured(ALLOW);
    haft.workspace.file("config.json", format!("{{\"api_key\": \"{RANDOM}\"}}\n"));
    let first = &RANDOM[..1];
    let count = |pattern: &str| {
        let ran = haft.run(&["call", "grep", &format!("pattern={pattern}"), "mode=counts"]);
        ran.out.contains("config.json:1")
    };
    assert!(count("api_key"));
    for pattern in
        [format!("\"{first}"), format!(": \"[{first}]"), format!("api_key\": \"{first}.*"), RANDOM.to_owned()]
    {
        assert!(!count(&pattern), "{pattern}");
    }
}
