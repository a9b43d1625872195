//! Long output through the binary: shown in part, stored whole, read back by its session alone.

use serde_json::{Value, json};

use crate::support::{BASH_ALLOWED, Haft};

/// Lines that count on would be shown as one.
const UNFILTERED: &str = "[tools.filters]\nenabled = false\n";
/// More than is shown and more than the shell keeps for the model, with a failure in the middle.
const LONG: &str = "seq 1 40000; echo 'error: in the middle'; seq 40001 80000";

fn long() -> String {
    let numbers = |range: std::ops::RangeInclusive<u32>| range.map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
    format!("{}error: in the middle\n{}", numbers(1..=40_000), numbers(40_001..=80_000))
}

fn call(haft: &Haft, session: &str, tool: &str, params: &Value) -> Value {
    haft.run(&["call", "--json", "--session", session, tool, &params.to_string()]).json()
}

#[test]
fn what_is_not_shown_is_stored_and_read_back_by_its_session_alone() {
    let haft = Haft::configured(&format!("{BASH_ALLOWED}{UNFILTERED}"));
    let made = call(&haft, "mine", "bash", &json!({"command": LONG}));
    let text = made["text"].as_str().unwrap();
    assert!(text.chars().count() <= 50_000 && text.starts_with("1\n2\n"), "{}", text.len());
    assert!(text.contains("\n40001: error: in the middle\n"), "{text}");
    assert_eq!(made["truncated"], true);
    let reference = made["overflow"].as_str().unwrap();
    assert!(text.ends_with(&format!("[80001 lines stored whole: read_overflow, ref {reference}]")));

    let read =
        |session| call(&haft, session, "read_overflow", &json!({"ref": reference, "offset": 40_000, "limit": 2}));
    let mine = read("mine");
    let expected = "40000\nerror: in the middle\n[lines 40000 to 40001 of 80001; go on with offset 40002]";
    assert_eq!(mine["text"], expected);
    assert_eq!((&mine["overflow"], &mine["decision"]), (&Value::Null, &json!("allow")));
    let missing = json!({"ref": "overflow:123e4567-e89b-42d3-a456-426614174000"});
    let (foreign, missing) = (read("another"), call(&haft, "mine", "read_overflow", &missing));
    assert_eq!(foreign["error"]["code"], "overflow_not_found");
    assert_eq!(foreign["error"], missing["error"]);

    let shown = haft.run(&["overflow", "show", reference]);
    assert!(shown.code == 0 && shown.out == long());
    let lines = haft.run(&["overflow", "show", reference.strip_prefix("overflow:").unwrap(), "--lines", "2-3"]);
    assert_eq!((lines.code, lines.out.as_str()), (0, "2\n3\n"));
    let found = haft.run(&["overflow", "show", reference, "--grep", "^error", "--json"]).json();
    assert_eq!((&found["matching"], &found["session"]), (&json!(1), &json!("mine")));
    assert_eq!(found["text"], "40001:error: in the middle\n");
    assert_eq!(haft.run(&["overflow", "show", "overflow:123e4567-e89b-42d3-a456-426614174000"]).code, 1);
    assert_eq!(haft.run(&["overflow", "show", "../x"]).code, 2);

    let record = std::fs::read_to_string(haft.record()).unwrap();
    assert!(record.lines().next().unwrap().contains(&format!("\"overflow\":\"{reference}\"")), "{record}");
}

/// More than is held in memory, with one failure in the middle.
const LONG_OUTPUT: &str = "seq 1 400000; echo 'error: disk died at the centre'; seq 400001 800000; exit 4";

#[test]
fn what_is_longer_than_is_held_is_searched_and_stored_while_it_comes() {
    let haft = Haft::configured(&format!("{BASH_ALLOWED}{UNFILTERED}"));
    let made = call(&haft, "s", "bash", &json!({"command": LONG_OUTPUT}));
    let text = made["text"].as_str().unwrap();
    let failure = "400001: error: disk died at the centre";
    assert!(text.contains(&format!("; of these, the lines that report failures: ...]\n{failure}\n[...]\n")), "{text}");
    let (head, rest) = text.split_once("[... ").unwrap();
    let tail = rest.rsplit_once("[...]\n").unwrap().1;
    let numbers = |text: &str| text.lines().filter(|line| line.parse::<u32>().is_ok()).count();
    let hidden = 800_001 - numbers(head) - numbers(tail);
    assert!(rest.starts_with(&format!("{hidden} lines, ")), "{rest}");
    let reference = made["overflow"].as_str().unwrap();
    assert!(text.contains(&format!("\n[800001 lines stored whole: read_overflow, ref {reference}]")), "{text}");
    assert!(text.ends_with("\n[exit code 4]") && made["truncated"] == true, "{made}");
    let found = call(&haft, "s", "read_overflow", &json!({"ref": reference, "grep": "^error"}));
    assert_eq!(found["text"], "400001:error: disk died at the centre\n[1 matching lines in 800001 lines]");
    let shown = haft.run(&["overflow", "show", reference]).out;
    let all = |range: std::ops::RangeInclusive<u32>| range.map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
    let whole = format!("{}error: disk died at the centre\n{}", all(1..=400_000), all(400_001..=800_000));
    assert!(shown == whole, "{} bytes", shown.len());
}

#[test]
fn what_is_longer_than_is_held_is_filtered_like_any_output_also_of_a_job() {
    let reading = "[[tools.permissions.job_read]]\npattern = \"*\"\naction = \"allow\"\n";
    let haft = Haft::configured(&format!("{BASH_ALLOWED}{reading}"));
    let passed = "for n in $(seq 60000); do echo \"test module::of::the::crate::t$n ... ok\"; done";
    let command = format!(
        "cargo() {{ echo 'running 60001 tests'; {passed}; echo 'test late ... FAILED'; \
        echo 'test result: FAILED. 60000 passed; 1 failed'; return 101; }}; cargo test"
    );
    let start = json!({"id": "1", "tool": "bash", "session": "s", "params": {"command": command, "background": true}});
    let wait = json!({"id": "2", "tool": "job_read", "session": "s", "params": {"id": "job-1", "since": 1 << 30, "wait_ms": 30_000}});
    let read = json!({"id": "3", "tool": "job_read", "session": "s", "params": {"id": "job-1"}});
    let waited = (0..4).map(|_| format!("{wait}\n")).collect::<Vec<_>>().concat();
    let ran = haft.run_with_input(&["batch"], format!("{start}\n{waited}{read}\n").as_bytes());
    let job: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    let foreground = call(&haft, "s", "bash", &json!({"command": command}));
    for made in [&foreground, &job] {
        let text = made["text"].as_str().unwrap();
        assert!(text.len() < 1_000 && text.starts_with("[… 60001 lines]\n"), "{text}");
        assert!(text.contains("test late ... FAILED\ntest result: FAILED. 60000 passed; 1 failed\n"), "{text}");
        assert!(text.contains("[60003 lines stored whole: read_overflow, ref "), "{text}");
    }
}

#[test]
fn a_page_of_a_job_says_that_it_was_filtered_by_itself() {
    let reading = "[[tools.permissions.job_read]]\npattern = \"*\"\naction = \"allow\"\n";
    let haft = Haft::configured(&format!("{BASH_ALLOWED}{reading}"));
    let command =
        "cargo() { for n in $(seq 40); do echo \"test some::module::t$n ... ok\"; done; sleep 60; }; cargo test";
    let start = json!({"id": "1", "tool": "bash", "session": "s", "params": {"command": command, "background": true}});
    let read = json!({"id": "2", "tool": "job_read", "session": "s", "params": {"id": "job-1", "wait_ms": 30_000}});
    let ran = haft.run_with_input(&["batch"], format!("{start}\n{read}\n").as_bytes());
    let page: Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    let text = page["text"].as_str().unwrap_or_else(|| panic!("{page}"));
    assert!(text.contains("what is left out is counted and folded in this part alone"), "{text}");
}

#[test]
fn what_is_not_stored_of_an_output_is_said_exactly_and_lines_keep_their_numbers() {
    let budget = "[tools.overflow]\nmax_overflow_bytes = 1500000\n";
    let haft = Haft::configured(&format!("{BASH_ALLOWED}{UNFILTERED}{budget}"));
    let made = call(&haft, "s", "bash", &json!({"command": LONG_OUTPUT}));
    let text = made["text"].as_str().unwrap();
    let notice = text.rsplit_once("\n[stored but for lines ").unwrap_or_else(|| panic!("{text}")).1;
    let numbers: Vec<u64> =
        notice.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).take(3).collect();
    let [first, last, bytes] = numbers[..] else { panic!("{notice}") };
    // The failure lies in it: nobody says that there is none.
    assert!(first < 400_001 && 400_001 < last, "{notice}");
    assert!(text.contains(&format!("({bytes} bytes of it were not searched)")), "{text}");
    let reference = made["overflow"].as_str().unwrap();
    let read = |params: Value| {
        let mut all = json!({"ref": reference});
        all.as_object_mut().unwrap().extend(params.as_object().unwrap().clone());
        call(&haft, "s", "read_overflow", &all)["text"].as_str().unwrap().to_owned()
    };
    let found = read(json!({"grep": "error"}));
    let stored = 800_001 - (last - first + 1);
    let expected = format!(
        "[no match in the {stored} of 800001 lines that are stored; lines {first} to {last} ({bytes} bytes) are not]"
    );
    assert_eq!(found, expected);
    // Behind what is missing each line has the number that it had: one more than what is printed,
    // for the failure.
    assert!(read(json!({"grep": "^799999$"})).starts_with("800000:799999\n"));
    let end = read(json!({"offset": 800_000}));
    assert!(end.starts_with("799999\n800000\n[lines 800000 to 800001 of 800001; nothing follows]"), "{end}");
    let across = read(json!({"offset": first - 1, "limit": 3}));
    let mark = format!("[... lines {first} to {last} of the original, {bytes} bytes, are not stored ...]");
    assert!(across.starts_with(&format!("{}\n{mark}\n{last}\n", first - 1)), "{across}");
    let next = last + 2;
    assert!(across.contains(&format!("[lines {} to {} of 800001; go on with offset {next}]", first - 1, last + 1)));
    let inside = read(json!({"offset": 400_001, "limit": 1}));
    let said = format!("{mark}\n[lines {first} to {last} of 800001; go on with offset {}]", last + 1);
    assert!(inside.starts_with(&said), "{inside}");
    let width = |range: std::ops::RangeInclusive<u64>| range.map(|n| n.to_string().len() as u64 + 1).sum::<u64>();
    let missing = width(first..=400_000) + "error: disk died at the centre\n".len() as u64 + width(400_001..=last - 1);
    assert_eq!(bytes, missing);
}

#[test]
fn what_a_job_printed_beyond_what_is_kept_of_it_is_stored_when_it_has_ended() {
    let haft = Haft::configured(&format!(
        "{BASH_ALLOWED}[[tools.permissions.job_read]]\npattern = \"*\"\naction = \"allow\"\n"
    ));
    let start = json!({"id": "1", "tool": "bash", "session": "s", "params": {"command": LONG, "background": true}});
    // The lines of one batch run one after the other: the third finds the job ended.
    let wait = json!({"id": "2", "tool": "job_read", "session": "s", "params": {"id": "job-1", "since": 1 << 30, "wait_ms": 30_000}});
    let read = json!({"id": "3", "tool": "job_read", "session": "s", "params": {"id": "job-1"}});
    let ran = haft.run_with_input(&["batch"], format!("{start}\n{wait}\n{read}\n").as_bytes());
    let reports = ran.rows();
    let text = reports[2]["text"].as_str().unwrap();
    assert!(text.chars().count() <= 50_000, "{}", text.chars().count());
    assert!(text.contains("[`job-1` ended with exit code 0"), "{}", &text[text.len() - 300..]);
    let reference = reports[2]["overflow"].as_str().unwrap();
    let shown = haft.run(&["overflow", "show", reference]);
    assert!(shown.code == 0 && shown.out == long(), "{}", shown.out.len());
}

/// A log with credentials in what is shown of it, in what the shell keeps for the model and in what
/// is only stored; one lies across the border of what is read, and stored, at a time.
fn log_with(values: &[String]) -> String {
    const PIECE: usize = 64 << 10;
    let mut text = String::new();
    for (index, value) in values.iter().cycle().take(12).enumerate() {
        let end = text.len() + 100_000;
        while text.len() < end {
            text.push_str("a line of a log\n");
        }
        if index == 3 {
            let before = (2 * PIECE - 20 - 1 - text.len() % PIECE) % PIECE;
            text.push_str(&"-".repeat(before));
            text.push('\n');
            assert_eq!(text.len() % PIECE, PIECE - 20);
        }
        text.push_str("token=");
        text.push_str(value);
        text.push('\n');
    }
    text
}

/// Everything that a credential in long output could show in: what is answered, the record, the
/// database with its log.
#[test]
fn a_credential_in_the_stored_part_reaches_no_surface_and_not_the_database() {
    let random = "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx";
    let values = [
        ["gh", "p_", random].concat(),
        ["AK", "IA", "Y3FDOQ7NVELBUIZV"].concat(),
        ["xo", "xb-", "123456789012-", "987654321098-", "VvohdbyhtVr2owpA7Qxkz8dz"].concat(),
    ];
    let haft = Haft::configured(&format!(
        "{BASH_ALLOWED}[[tools.permissions.job_read]]\npattern = \"*\"\naction = \"allow\"\n"
    ));
    haft.workspace.file("log", log_with(&values));
    let bash = |background: bool, command: &str| json!({"tool": "bash", "session": "s", "params": {"command": command, "background": background}});
    let job = |params: Value| json!({"tool": "job_read", "session": "s", "params": params});
    let calls = [
        bash(false, "cat log"),
        bash(false, "cat log >&2; exit 3"),
        bash(true, "cat log"),
        job(json!({"id": "job-1", "since": 1 << 30, "wait_ms": 30_000})),
        job(json!({"id": "job-1"})),
        json!({"tool": "read", "session": "s", "params": {"path": "log", "offset": 4000}}),
        json!({"tool": "grep", "session": "s", "params": {"pattern": "token"}}),
    ];
    let line = |(id, call): (usize, &Value)| {
        let mut call = call.clone();
        call["id"] = json!(id.to_string());
        format!("{call}\n")
    };
    let input = calls.iter().enumerate().map(line).collect::<Vec<_>>().concat();
    let ran = haft.run_with_input(&["batch"], input.as_bytes());
    let stored: Vec<String> = ran
        .out
        .lines()
        .filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            Some(line["overflow"].as_str()?.to_owned())
        })
        .collect();
    assert!(stored.len() >= 3, "{stored:?}");
    let mut surfaces = vec![
        ("answers".to_owned(), ran.out.clone().into_bytes()),
        ("messages".to_owned(), ran.err.clone().into_bytes()),
    ];
    // What the commands and the job printed; what the file tools answered is shorter.
    for reference in &stored[..3] {
        let shown = haft.run(&["overflow", "show", reference]);
        // It is the log, with something in the place of each value.
        assert!(shown.out.len() > 900_000 && shown.out.matches("token=«secret:").count() == 12, "{}", shown.out.len());
        surfaces.push((format!("stored {reference}"), shown.out.into_bytes()));
    }
    surfaces.push(("record".to_owned(), std::fs::read(haft.record()).unwrap()));
    let database = haft.home.path(".local/state/haft/overflow");
    for entry in std::fs::read_dir(database).unwrap().flatten() {
        surfaces.push((entry.path().display().to_string(), std::fs::read(entry.path()).unwrap()));
    }
    assert!(surfaces.len() >= 7, "{}", surfaces.len());
    for (surface, bytes) in &surfaces {
        for value in &values {
            // Also half of it: a border between chunks must not leave a part.
            for part in [&value[..value.len() / 2 + 4], &value[value.len() / 2 - 4..]] {
                assert!(!String::from_utf8_lossy(bytes).contains(part), "{surface} shows a credential");
            }
        }
    }
}

#[test]
fn what_a_filter_leaves_out_can_be_had_back() {
    let haft = Haft::configured(BASH_ALLOWED);
    let all = (1..=300).map(|n| format!("test t{n} ... ok\n")).collect::<Vec<_>>().concat();
    let last = "test result: ok. 300 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s";
    let printed = format!("running 300 tests\n{all}\n{last}\n");
    haft.workspace.file("printed", &printed);
    // A command of that name that the shell finds first.
    let command = "cargo() { cat printed; }; cargo test";
    let made = call(&haft, "s", "bash", &json!({"command": command}));
    let text = made["text"].as_str().unwrap();
    assert!(text.starts_with("[… 301 lines]\ntest result: ok. 300 passed") && made["truncated"] == false, "{made}");
    let reference = made["overflow"].as_str().unwrap_or_else(|| panic!("{made}"));
    let shown = haft.run(&["overflow", "show", reference]).out;
    assert_eq!(shown, printed);
}

#[test]
fn no_tool_reads_the_store_itself() {
    let Some(haft) = Haft::confined(BASH_ALLOWED) else { return };
    let made = call(&haft, "s", "bash", &json!({"command": LONG}));
    assert!(made["overflow"].is_string());
    let folder = haft.home.path(".local/state/haft/overflow");
    assert!(folder.join("overflow.db").is_file());
    // With the home as its workspace, where nothing else keeps a tool from it.
    let home = haft.home.root().display().to_string();
    let config = haft.home.path(".config/haft/config.toml").display().to_string();
    let at_home = |tool: &str, params: &Value| {
        haft.run(&["call", "--json", "--workdir", &home, "--config", &config, tool, &params.to_string()]).json()
    };
    let read = at_home("read", &json!({"path": ".local/state/haft/overflow/overflow.db"}));
    assert_eq!(read["error"]["category"], "policy_blocked", "{read}");
    let file = folder.join("overflow.db").display().to_string();
    let cat = at_home("bash", &json!({"command": format!("head -c 15 {file}; ls {}", folder.display())}));
    assert!(!cat["text"].as_str().unwrap().contains("SQLite"), "{cat}");
    let write = at_home("write", &json!({"path": ".local/state/haft/overflow/overflow.db", "content": ""}));
    assert_eq!(write["ok"], false, "{write}");
}

#[test]
fn nothing_is_opened_for_a_call_that_is_shown_whole() {
    let haft = Haft::configured(BASH_ALLOWED);
    let made = call(&haft, "s", "bash", &json!({"command": "echo short"}));
    assert_eq!((&made["text"], &made["overflow"]), (&json!("short\n"), &Value::Null));
    assert!(!haft.home.path(".local/state/haft/overflow/overflow.db").exists());
}

#[test]
fn a_server_that_this_program_cannot_speak_to_is_a_fault_of_the_configuration() {
    let haft = Haft::configured("[tools.overflow]\ndatabase = \"mysql://x\"\n");
    let ran = haft.run(&["tools"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("line 2: `tools.overflow.database`"), "{ran:?}");
}
