//! Output of commands on its way to a model: `haft filter`, and what calls and `haft exec` make of
//! theirs.

use std::os::unix::fs::PermissionsExt;

use crate::support::{BASH_ALLOWED, Haft, Ran};

const TESTS: &str = "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n\nthread 'b' \
                     (7) panicked at src/lib.rs:4:9:\nassertion failed: x\n\n\nfailures:\n    b\n\ntest result: FAILED. \
                     1 passed; 1 failed; 0 ignored\n";

const FILTERED: &str = "[… 2 lines]\ntest b ... FAILED\nthread 'b' (7) panicked at src/lib.rs:4:9:\nassertion failed: x\ntest result: FAILED. \
                        1 passed; 1 failed; 0 ignored\n";

/// Lines that stand on their own, for tables.
fn lines(ran: &Ran) -> Vec<&str> {
    ran.out.lines().collect()
}

/// A command that prints the tests' output and is matched as them.
fn print_tests(haft: &Haft, tests: &str) -> &'static str {
    haft.workspace.file("cargo", format!("#!/bin/sh\ncat <<'END'\n{tests}END\necho to stderr >&2\nexit 101\n"));
    std::fs::set_permissions(haft.workspace.path("cargo"), std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    "./cargo test"
}

#[test]
fn standard_input_is_filtered_as_the_output_of_a_command() {
    let haft = Haft::new();
    let ran = haft.run_with_input(
        &["filter", "--command", "cd x && cargo test 2>&1 | tail -80", "--exit-code", "101", "--stats"],
        TESTS.as_bytes(),
    );
    assert_eq!((ran.code, ran.out.as_str()), (0, FILTERED), "{ran:?}");
    let mut notes = ran.err.lines();
    assert_eq!(notes.next(), Some("[shell] 16 lines -> 5 lines, 68.8% filtered"), "{ran:?}");
    assert!(notes.next().is_some_and(|line| line.starts_with("rule `cargo-test`, confidence full, ")), "{ran:?}");
}

#[test]
fn the_end_of_the_last_line_is_as_it_came() {
    let haft = Haft::new();
    for text in ["", "a", "a\n", "\n", "a\n\nb"] {
        assert_eq!(haft.run_with_input(&["filter", "--command", "unknown"], text.as_bytes()).out, text);
    }
}

#[test]
fn what_json_says_of_tests_that_passed_is_counted() {
    let event = |action: &str, test: &str, output: &str| {
        format!("{{\"Action\":\"{action}\",\"Package\":\"p\",\"Test\":\"{test}\",\"Output\":\"{output}\"}}\n")
    };
    let passed = |name: &str| {
        let printed = format!("--- PASS: {name} (0.00s)\\n");
        event("run", name, "") + &event("output", name, &printed) + &event("pass", name, "")
    };
    let failed = event("run", "C", "") + &event("output", "C", "--- FAIL: C (0.00s)\\n") + &event("fail", "C", "");
    let text = passed("A") + &passed("B") + &failed;
    let ran =
        Haft::new().run_with_input(&["filter", "--command", "go test -json", "--exit-code", "1"], text.as_bytes());
    assert_eq!((ran.code, ran.out.as_str()), (0, "[… 4 lines]\n--- FAIL: C (0.00s)\n"), "{ran:?}");
}

#[test]
fn the_difference_shows_what_was_dropped() {
    let ran = Haft::new().run_with_input(&["filter", "--command", "cargo test", "--diff"], TESTS.as_bytes());
    assert!(lines(&ran).contains(&"-test a ... ok") && lines(&ran).contains(&" assertion failed: x"), "{ran:?}");
    let json = Haft::new().run_with_input(&["filter", "--command", "cargo test", "--json"], TESTS.as_bytes()).json();
    assert_eq!((&json["text"], &json["filter"]["rule"]), (&FILTERED.into(), &"cargo-test".into()));
    assert_eq!(json["bytes"]["raw"], TESTS.len());
}

#[test]
fn credentials_are_taken_out_whatever_the_command_is() {
    let haft = Haft::new();
    let value = ["k8dz7y3doqnvelbuiz", "vohdbyhtvr2owpA7Qx"].concat();
    let ran = haft.run_with_input(&["filter", "--command", "unknown"], format!("API_KEY={value}\nx\n").as_bytes());
    assert_eq!(ran.out, "API_KEY=«secret:key#1»\nx\n", "{ran:?}");
    assert_eq!(ran.err, "warning: 1 credential in the output was replaced\n");
    let off = Haft::configured("[tools.filters.security]\nenabled = false\n");
    let ran = off.run_with_input(&["filter", "--command", "unknown"], format!("API_KEY={value}\n").as_bytes());
    assert_eq!(ran.out, format!("API_KEY={value}\n"));
}

#[test]
fn a_wrong_option_or_configuration_says_so() {
    let ran = Haft::new().run_with_input(&["filter", "--comand", "x"], b"");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("--command"), "{ran:?}");
    let ran = Haft::configured("[tools.filters]\nenabeld = false\n").run_with_input(&["filter", "--command", "x"], b"");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("did you mean `enabled`?"), "{ran:?}");
}

#[test]
fn what_was_asked_for_line_by_line_stands() {
    let haft = Haft::new();
    let rows: Vec<String> = (1..40).map(|n| format!("{n},user {n},u{n}@example.com\n")).collect();
    let rows = rows.concat();
    let entry = |n: u32| format!("-rw-r--r-- 1 me me {} Nov 23 18:44 part-{n}.txt\n", 5000 + n);
    let entries = (1..90).map(entry).collect::<Vec<_>>().concat();
    let findings = "src/a.py:3:5: E711 comparison to None\nsrc/b.py:9:1: E302 expected 2 blank lines\n";
    let filter =
        |command: &str, text: &str| haft.run_with_input(&["filter", "--command", command], text.as_bytes()).out;
    assert_eq!(filter("psql --csv -c q", &rows), rows);
    let listed = filter("ls -l", &entries);
    assert!((1..90).all(|n| listed.contains(&format!("part-{n}.txt {}", 5000 + n))), "{listed}");
    assert_eq!(filter("flake8", findings), findings);
}

#[test]
fn a_call_is_filtered_and_its_envelope_is_not() {
    let haft = Haft::configured(BASH_ALLOWED);
    // So many that what is left out is longer than the line that says where it is.
    let passed: Vec<String> = (0..30).map(|n| format!("test passing::number_{n} ... ok\n")).collect();
    let tests = TESTS.replacen("test a", &format!("{}test a", passed.concat()), 1);
    let filtered = FILTERED.replacen("2 lines", "32 lines", 1);
    let command = print_tests(&haft, &tests);
    let report = haft.run(&["--json", "call", "--yes", "bash", &format!("command={command}")]).json();
    let reference = report["overflow"].as_str().expect("what is left out is stored");
    let notice = format!("[47 lines stored whole: read_overflow, ref {reference}]");
    // The streams are two pipes: which of them is read first is not the command's to say.
    let text = report["text"].as_str().expect("it is text").replacen("to stderr\n", "", 1);
    assert_eq!(text, format!("{filtered}{notice}\n[exit code 101]"), "{report}");
    assert!(report["text"].to_string().contains("to stderr"), "{report}");
    assert_eq!(report["raw_response"]["stdout"], tests);
    assert_eq!((&report["filter"]["rule"], &report["filter"]["confidence"]), (&"cargo-test".into(), &"full".into()));
    assert_eq!((&report["filter"]["lines_in"], &report["filter"]["lines_out"]), (&47.into(), &6.into()));
    assert_eq!(report["truncated"], false);
    let line = std::fs::read_to_string(haft.record()).unwrap();
    let entry: serde_json::Value = serde_json::from_str(line.lines().last().unwrap()).unwrap();
    assert_eq!(entry["filter"]["rule"], "cargo-test", "{entry}");
    let model = report["text"].as_str().unwrap().len();
    let raw = tests.len() + "to stderr\n".len();
    assert_eq!((&entry["bytes"]["raw"], &entry["bytes"]["model"]), (&raw.into(), &model.into()), "{entry}");
    let ran = haft.run(&["call", "--yes", "bash", &format!("command={command}")]);
    assert!(ran.err.contains("[shell] 47 lines -> 6 lines, 87.2% filtered"), "{ran:?}");
}

#[test]
fn exec_filters_each_stream_and_keeps_the_exit_code() {
    let Some(haft) = Haft::confined(BASH_ALLOWED) else { return };
    let command = print_tests(&haft, TESTS);
    let ran = haft.run(&["exec", "--yes", "--filter", "--", command]);
    assert_eq!((ran.code, ran.out.as_str()), (101, FILTERED), "{ran:?}");
    assert!(ran.err.starts_with("to stderr\n"), "{ran:?}");
    assert!(ran.err.contains("[shell] 17 lines -> 6 lines, 64.7% filtered"), "{ran:?}");
    let off = Haft::configured(&format!("[tools.filters]\nenabled = false\n{BASH_ALLOWED}"));
    let command = print_tests(&off, TESTS);
    assert_eq!(off.run(&["exec", "--yes", "--filter", "--", command]).out, TESTS);
}

const RULES: &str = "[[rules]]\nname = \"mine\"\nmatch = { prefix = \"sh\" }\nstrategy = { type = \"strip_noise\", patterns = \
                     ['^noise'] }\n[[rules]]\nname = \"bad\"\nmatch = {}\nstrategy = { type = \"git_diff\" }\n";

#[test]
fn rules_of_the_user_hold_and_wrong_ones_are_told() {
    let Some(haft) = Haft::confined(BASH_ALLOWED) else { return };
    haft.home.file(".config/haft/filters.toml", RULES);
    haft.workspace
        .file("x", "for i in 1 2 3 4; do echo noise of some length that is not worth a line; done; echo result");
    let report = haft.run(&["--json", "call", "bash", "command=sh ./x"]).json();
    assert_eq!(report["filter"]["rule"], "mine", "{report}");
    let text = report["text"].as_str().unwrap();
    assert!(
        text.starts_with(
            "[… 4 lines]
result
[5 lines stored whole: "
        ),
        "{report}"
    );
    assert!(report["warnings"][0].as_str().unwrap().contains("rule `bad` is skipped"), "{report}");
    let checked = haft.run(&["config", "check"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(checked.out.contains("filters.toml`: rule `bad` is skipped: `match` needs exactly one"), "{checked:?}");
    let ran = haft.run_with_input(&["filter", "--command", "sh ./x"], b"noise of some length\nresult\n");
    assert_eq!(ran.out, "[… 1 line]\nresult\n", "{ran:?}");
    assert!(ran.err.contains("rule `bad` is skipped"), "{ran:?}");
}

#[test]
fn rules_hold_without_a_configuration_beside_them() {
    let haft = Haft::new();
    haft.home.file(".config/haft/filters.toml", RULES);
    let ran = haft.run_with_input(&["filter", "--command", "sh ./x"], b"noise of some length\nresult\n");
    assert_eq!(ran.out, "[… 1 line]\nresult\n", "{ran:?}");
    assert!(haft.run(&["config", "check"]).out.contains("rule `bad` is skipped"));
}
