//! Generated skills, judged by us and by the reference implementation of the format (`skills-ref`
//! of the Python package index). Without it the test says that it was skipped; `HAFT_SKILLS_REF`
//! names a Python that has it.

#![expect(clippy::disallowed_methods, reason = "the reference implementation is a program")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use tools_skills::check;
use tools_testkit::{Numbers, Workspace};

/// Names a Python in which the reference implementation can be imported.
const PYTHON: &str = "HAFT_SKILLS_REF";
/// How many files are generated, where the environment does not say.
const COUNT: &str = "HAFT_SKILLS_REF_FILES";

/// Prints a JSON object: for each folder on standard input what is wrong with its skill.
const JUDGE: &str = "
import json, sys
from pathlib import Path
from skills_ref import validate
found = {}
for line in sys.stdin:
    folder = line.rstrip('\\n')
    try:
        found[folder] = validate(Path(folder))
    except Exception as error:
        found[folder] = ['broke: ' + type(error).__name__]
print(json.dumps(found))
";

/// The same files in every run.
struct Dice(Numbers);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        usize::try_from(self.0.below(sides as u64)).unwrap_or_default()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        self.0.of(of)
    }
}

const GOOD: &[&str] = &["pdf", "data-analysis", "a1", "größe", "1", "日本", "naïve", "x"];
const NAMES: &[&str] = &[
    "Büro",
    "-x",
    "x-",
    "a--b",
    "UPPER",
    "with_underscore",
    "two words",
    "x.y",
    "ﬁle",
    "ǆ",
    "İ",
    "ß",
    "٣",
    "x\u{301}",
    "a/b",
    "-",
    "''",
    "\"quoted\"",
    "  padded  ",
    "ⅷ",
    "²",
    "a\u{200d}b",
    "null",
    "true",
    "~",
];
const TEXTS: &[&str] = &[
    "Does things.",
    "\"quoted: yes\"",
    "'it''s'",
    ">\n  folded\n  text",
    "|\n  lit\n  eral",
    ">-\n  stripped\n\n  twice",
    "|2\n    indented",
    "",
    "   ",
    "yes",
    "123",
    "1.5e3",
    "- list",
    "\n  - a\n  - b",
    "[a, b]",
    "[]",
    "{a: b}",
    "{}",
    "a: b",
    "\n  a: b",
    "!!str x",
    "!x y",
    "&a x",
    "*a",
    "~",
    "null",
    "\"tab\\t\"",
    "\"\\x41\"",
    "\"\\q\"",
    "has # hash",
    "has  #comment",
    "# only a comment",
    "colon:no",
    "ends with colon:",
    "@at",
    "`tick`",
    "%p",
    "? q",
    "multi\n  line plain",
    "two\nlines",
    "\"open",
    "'open",
    "\"a\" b",
    "dash - inside",
    "three --- dashes",
    "---",
    "...",
    "a\ttab",
    "trailing   ",
    "\u{feff}bom",
    "<<",
    "=",
    "2026-11-23",
    "\"multi\n  line\"",
    "emoji 🦀",
    "\u{85}next",
    "\u{7}bell",
    "x{1024}",
    "x{1025}",
    "ü{1024}",
    "x{500}",
    "x{501}",
];
const EXTRA: &[&str] = &[
    "license: MIT",
    "license:\n  - x",
    "license:",
    "compatibility:\n  a: b",
    "metadata:\n  a: b\n  c: 1",
    "metadata: {a: b}",
    "metadata:\n  a:\n    b: c",
    "metadata:\n  - a",
    "metadata: text",
    "metadata:",
    "metadata:\n  a: b\n  a: c",
    "metadata:\n  a:\n  - b",
    "metadata:\n a: b\n  c: d",
    "metadata:\n  tool.x: echo {a}\n  tool.x.a: says",
    "allowed-tools: Read Bash(git:*)",
    "allowed-tools:\n  - Read\n  - Write",
    "author: me",
    "version: 1",
    "Name: x",
    "name: again",
    "# comment",
    "  # indented comment",
    "  license: indented",
    "\tlicense: tab",
    "\"license\": MIT",
    "'license': MIT",
    "license : MIT",
    "license:MIT",
    "? license\n: MIT",
    "license",
    "- item",
    "%YAML 1.2",
    "<<: *a",
    "\"\": x",
    ": x",
    "1: x",
    "true: x",
];

/// A text of the lists, in which `c{n}` stands for so many of `c`.
fn spelled(text: &str) -> String {
    let count = |text: &str| text.strip_suffix('}')?.split_once('{').map(|(c, n)| (c.to_owned(), n.parse::<usize>()));
    match count(text) {
        Some((c, Ok(n))) => c.repeat(n),
        _ => text.to_owned(),
    }
}

/// The name of a folder, and the text of the file in it.
fn generated(dice: &mut Dice) -> (String, String) {
    let name = if dice.roll(10) < 7 { dice.one(GOOD) } else { dice.one(NAMES) };
    let long = ["a".repeat(64), "a".repeat(65)];
    let name = if dice.roll(40) == 0 { long[dice.roll(2)].as_str() } else { name };
    let folder = if dice.roll(12) == 0 { dice.one(GOOD) } else { name };
    let folder = folder.trim().trim_matches(['"', '\'']).replace('/', "-");
    let folder = if folder.is_empty() { "empty".to_owned() } else { folder };
    let mut lines = vec![];
    if dice.roll(20) > 0 {
        let quoted = [
            format!("name: {name}"),
            format!("name: \"{name}\""),
            format!("name: '{name}'"),
            format!("name:  {name} "),
        ];
        lines.push(quoted[if dice.roll(4) == 0 { dice.roll(4) } else { 0 }].clone());
    }
    if dice.roll(20) > 0 {
        let text = if dice.roll(2) == 0 { "Does things." } else { dice.one(TEXTS) };
        lines.push(format!("description: {}", spelled(text)));
    }
    if dice.roll(6) == 0 {
        lines.push(format!("compatibility: {}", spelled(dice.one(TEXTS))));
    }
    for _ in 0..[0, 0, 0, 1, 1, 2][dice.roll(6)] {
        lines.push(dice.one(EXTRA).to_owned());
    }
    if dice.roll(4) == 0 && lines.len() > 1 {
        let (one, other) = (dice.roll(lines.len()), dice.roll(lines.len()));
        lines.swap(one, other);
    }
    let usual = |dice: &mut Dice, usual: &'static str, others: &[&'static str]| match dice.roll(10) {
        0 => dice.one(others),
        _ => usual,
    };
    let open =
        usual(dice, "---\n", &["--- \n", "", "\n---\n", "---\r\n", "----\n", "---\n\n", "\u{feff}---\n", "--- # c\n"]);
    let close =
        usual(dice, "\n---\n", &["\n", "\n----\n", "\n...\n---\n", "\r\n---\r\n", "---\n", "\n  ---\n", "\n--- \n"]);
    let body = dice.one(&["Body.\n", "", "a --- b\n", "---\n---\n"]);
    let damaged = dice.roll(3) == 0;
    let between = if dice.roll(15) == 0 { "\r\n" } else { "\n" };
    let mut front = lines.join(between);
    if damaged {
        for _ in 0..=dice.roll(3) {
            damage(dice, &mut front);
        }
    }
    (folder, format!("{open}{front}{close}{body}"))
}

/// Puts a character that YAML has a use for somewhere into a text, or takes one out.
fn damage(dice: &mut Dice, text: &mut String) {
    const MARKS: &[&str] = &[
        ":", ": ", "-", "- ", "#", " #", "'", "\"", "{", "}", "[", "]", "|", ">", "&", "*", "!", "%", "@", "`", ",",
        "? ", " ", "  ", "\t", "\n", "\n  ", "\r", "\\", "~", "=", "<", "0", "ä", "---", "\u{a0}", "\u{2028}",
        "\u{feff}", "\0",
    ];
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let Some(at) = (!places.is_empty()).then(|| places[dice.roll(places.len())]) else { return };
    if dice.roll(4) == 0 {
        text.remove(at);
    } else {
        text.insert_str(at, dice.one(MARKS));
    }
}

/// What the reference implementation finds; `None` where it is not installed.
fn reference(folders: &[PathBuf]) -> Option<BTreeMap<PathBuf, Vec<String>>> {
    use std::io::Write as _;
    let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
    let piped = std::process::Stdio::piped;
    let mut judge =
        Command::new(python).args(["-c", JUDGE]).stdin(piped()).stdout(piped()).stderr(piped()).spawn().ok()?;
    let list = folders.iter().map(|folder| format!("{}\n", folder.display())).collect::<Vec<_>>().concat();
    // One that cannot import the package is gone already.
    let _ = judge.stdin.take()?.write_all(list.as_bytes());
    let told = judge.wait_with_output().ok()?;
    told.status.success().then(|| serde_json::from_slice(&told.stdout).expect("it prints JSON"))
}

fn text_of(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("SKILL.md")).unwrap_or_default()
}

/// The differences that stay: `docs/concepts/skills.md` says why.
fn is_known(text: &str, ours: &[String]) -> bool {
    text.contains(['\u{85}', '\u{2028}', '\u{2029}'])
        || ours.iter().any(|fault| fault.contains("invalid indentation in quoted scalar"))
}

/// What the comparison found, once and for all: these need no reference implementation.
#[test]
fn what_the_reference_implementation_refuses_is_refused() {
    let workspace = Workspace::new();
    let check = |front: &str, is_valid: bool| {
        let path = workspace.file("pdf/SKILL.md", format!("---\n{front}\n---\n"));
        let faults = check(path.parent().expect("a folder")).unwrap_or_else(|error| vec![error.to_string()]);
        assert_eq!(faults.is_empty(), is_valid, "{front:?}: {faults:?}");
    };
    for value in ["=", "<<", "a\ttab", "\tx", "\u{7}bell", "\0", "x\t", "\t|2\n    x"] {
        check(&format!("name: pdf\ndescription: {value}"), false);
    }
    check("name: pdf\ndescription\t: x", false);
    check("name: pdf\ndescription: x\nmetadata:\t\n  a: b", false);
    check("name: pdf\ndescription: x\nmetadata:\n  \t- a", false);
    for value in
        ["\"=\"", "a = b", "\"a\ttab\"", "'\t'x'", "|\n  a\ttab", ">-\n  a\ttab", "x # a\ttab", "x#y", "\u{a0}x"]
    {
        check(&format!("name: pdf\ndescription: {value}"), !value.starts_with("'\t'x"));
    }
    check("name: pdf\ndescription: x\nlicense: =", true);
}

#[test]
fn the_reference_implementation_judges_alike() {
    let count = std::env::var(COUNT).ok().and_then(|count| count.parse().ok()).unwrap_or(400);
    let workspace = Workspace::new();
    let mut dice = Dice(Numbers::new(0x9e37_79b9_7f4a_7c15));
    let mut folders = vec![];
    for number in 0..count {
        let (folder, text) = generated(&mut dice);
        let path = workspace.file(format!("{number:05}/{folder}/SKILL.md"), text);
        folders.push(path.parent().expect("a folder").to_owned());
    }
    let Some(theirs) = reference(&folders) else {
        eprintln!("SKIPPED: `skills-ref` is not installed; `{PYTHON}` names a Python that has it");
        return;
    };
    let (mut valid, mut known, mut stricter, mut laxer) = (0, 0, vec![], vec![]);
    for folder in &folders {
        let ours = check(folder).unwrap_or_else(|error| vec![error.to_string()]);
        let theirs = &theirs[folder];
        valid += usize::from(theirs.is_empty());
        match (ours.is_empty(), theirs.is_empty()) {
            (false, true) if is_known(&text_of(folder), &ours) => known += 1,
            (false, true) => stricter.push(format!("{:?}\n  ours: {ours:?}", text_of(folder))),
            (true, false) => laxer.push(format!("{:?}\n  theirs: {theirs:?}", text_of(folder))),
            _ => {}
        }
    }
    eprintln!("{count} skills, {valid} of them valid; {known} differ in a known way");
    assert!(valid > count / 8 && valid < count * 7 / 8, "{valid} of {count} are valid");
    assert!(
        stricter.is_empty() && laxer.is_empty(),
        "stricter:\n{}\nlaxer:\n{}",
        stricter.join("\n"),
        laxer.join("\n")
    );
}
