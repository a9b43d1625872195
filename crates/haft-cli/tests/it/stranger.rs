//! A stranger tries everything that the README and `haft --help` name: in four kinds of folders, at
//! a terminal of 80 columns, through a pipe and with `--json`. Exit codes and first lines are those
//! of `stranger.txt`.

use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, thread};

use serde_json::Value;

use crate::support::{Haft, Ran, finished};
use crate::terminal::at_terminal;

/// One thing that is typed: the words after `haft`, and what is on standard input.
struct Step(&'static [&'static str], Option<&'static str>);

const fn typed(words: &'static [&'static str]) -> Step {
    Step(words, None)
}

const CALLS: &str = "{\"id\":\"1\",\"tool\":\"read\",\"params\":{\"path\":\"README.md\"}}\n";
const TESTS: &str = "running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed; 0 failed\n";
const NO_ID: &str = "00000000-0000-0000-0000-000000000000";

/// Everything that is tried, in this order. What changes the configuration comes last.
const STEPS: &[Step] = &[
    typed(&[]),
    typed(&["--help"]),
    typed(&["--version"]),
    typed(&["hlep"]),
    typed(&["call", "read", "path=README.md", "limit=20"]),
    typed(&["call", "bash", "command=git status --short"]),
    typed(&["call", "bash", "command=touch made"]),
    typed(&["call", "bash", "command=touch made", "--yes"]),
    typed(&["call", "bash", "command=echo one; exit 3", "--yes"]),
    typed(&["call", "write", "path=new.txt", "content=x", "--yes"]),
    typed(&["call", "raed", "path=a"]),
    typed(&["call", "read", "pth=a"]),
    typed(&["call", "read", "{"]),
    typed(&["--workdir", "no/such", "call", "read", "path=a"]),
    typed(&["explain", "bash", "command=git status && rm -rf target"]),
    typed(&["exec", "--yes", "--", "echo", "hello"]),
    typed(&["exec", "--yes", "--", "exit 7"]),
    typed(&["exec", "--", "touch", "made"]),
    typed(&["exec", "--yes", "--", "no-such-program"]),
    Step(&["filter", "--command", "cargo test"], Some(TESTS)),
    typed(&["undo", "--list"]),
    typed(&["undo", "--diff"]),
    typed(&["undo"]),
    typed(&["redo"]),
    typed(&["undo", "99"]),
    Step(&["batch"], Some(CALLS)),
    typed(&["tools"]),
    typed(&["tools", "--format", "json"]),
    typed(&["tools", "--dialect", "openai-chat"]),
    typed(&["tools", "--cost"]),
    typed(&["layers"]),
    typed(&["doctor"]),
    typed(&["scan", "README.md"]),
    typed(&["scan", "."]),
    typed(&["policy", "check", "read", "path=README.md"]),
    typed(&["policy", "replay"]),
    typed(&["policy", "suggest"]),
    typed(&["policy", "test"]),
    typed(&["policy", "approvals"]),
    typed(&["policy", "allow", "bash", "make *"]),
    typed(&["policy", "allow", "bsh", "make *"]),
    typed(&["policy", "revoke", "1"]),
    typed(&["trust", "reset", "bash"]),
    typed(&["trust", "reset", "bsh"]),
    typed(&["audit", "view"]),
    typed(&["audit", "tail", "--no-follow"]),
    typed(&["audit", "verify"]),
    typed(&["audit", "prune", "--days", "30"]),
    typed(&["audit", "replay"]),
    typed(&["audit", "report", "--out", "-"]),
    typed(&["overflow", "show", NO_ID]),
    typed(&["memory", "list"]),
    typed(&["memory", "show", NO_ID]),
    typed(&["memory", "rm", NO_ID]),
    typed(&["memory", "export"]),
    Step(&["memory", "import"], Some("")),
    typed(&["schedule", "list"]),
    typed(&["schedule", "next", "none"]),
    typed(&["schedule", "run", "none"]),
    typed(&["schedule", "rm", "none"]),
    typed(&["skills", "list"]),
    typed(&["skills", "check"]),
    typed(&["skills", "trust", "none"]),
    typed(&["sessions", "list"]),
    typed(&["sessions", "show", "none"]),
    typed(&["sessions", "rm", "none"]),
    typed(&["run", "say hello"]),
    Step(&["acp"], Some("")),
    Step(&["mcp", "serve"], Some("")),
    Step(&["hook", "claude-code"], Some("")),
    typed(&["completions", "bash"]),
    typed(&["config", "show"]),
    typed(&["config", "check"]),
    typed(&["config", "schema"]),
    typed(&["config", "migrate", "--dry-run"]),
    typed(&["setup"]),
    typed(&["setup", "claude-code", "--dry-run"]),
    typed(&["mcp", "list"]),
    typed(&["mcp", "test"]),
    typed(&["mcp", "import", "--dry-run"]),
    typed(&["pins", "review"]),
    typed(&["mcp", "remove", "none"]),
    typed(&["init"]),
    typed(&["init", "--write"]),
    typed(&["init", "--write"]),
    typed(&["config", "check"]),
    typed(&["mcp", "add", "here", "--", "true"]),
    typed(&["mcp", "list"]),
    typed(&["mcp", "remove", "here"]),
];

/// Verbs that run until they are interrupted, or for seconds: other tests have them.
const ELSEWHERE: [&str; 4] = ["approvals", "demo", "help", "top"];

/// Verbs that speak a protocol, or print a page, a file's differences or a host's format, whatever
/// `--json` says.
const OWN_FORMAT: [&[&str]; 6] =
    [&["audit", "report"], &["acp"], &["mcp", "serve"], &["hook"], &["--help"], &["--version"]];

/// A kind of folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Repository,
    Empty,
    ReadOnly,
    Foreign,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Repository, Self::Empty, Self::ReadOnly, Self::Foreign];

    fn title(self) -> &'static str {
        match self {
            Self::Repository => "a git repository",
            Self::Empty => "an empty folder",
            Self::ReadOnly => "a read-only folder",
            Self::Foreign => "a repository of another user",
        }
    }
}

/// A folder of a kind, and a home.
struct Place {
    haft: Haft,
    kind: Kind,
}

impl Place {
    /// `None` where this machine cannot make one.
    fn new(kind: Kind) -> Option<Self> {
        let haft = Haft::new();
        if kind != Kind::Empty {
            haft.workspace.file("README.md", "# Sample\n\nTODO: more\n");
            haft.workspace.file("src/main.rs", "fn main() {}\n");
            haft.workspace.file("Cargo.toml", "[package]\nname = \"sample\"\n");
            haft.commit();
        }
        let place = Self { haft, kind };
        let can = match kind {
            Kind::Repository | Kind::Empty => true,
            Kind::ReadOnly => place.run(&["true".into()]).code == 0,
            Kind::Foreign => {
                let changed = Command::new("chown").args(["-R", "4242:4242"]).arg(place.root()).output();
                changed.expect("there is `chown`").status.success()
            }
        };
        if !can {
            eprintln!("SKIPPED {}: this user cannot make one here", kind.title());
        }
        can.then_some(place)
    }

    fn root(&self) -> &Path {
        self.haft.workspace.root()
    }

    /// The words that run `words` in the folder.
    fn words(&self, words: &[String]) -> Vec<String> {
        let mut all = vec![];
        if self.kind == Kind::ReadOnly {
            let script =
                "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && cd \"$1\" && shift && exec \"$@\"";
            let root = self.root().display().to_string();
            all.extend(["unshare", "--mount"].map(str::to_owned));
            if !is_root() {
                all.push("--map-root-user".to_owned());
            }
            all.extend(["sh".to_owned(), "-c".to_owned(), script.to_owned(), "sh".to_owned(), root]);
        }
        all.extend_from_slice(words);
        all
    }

    /// Runs through a pipe, without a terminal.
    fn run(&self, words: &[String]) -> Ran {
        let words = self.words(words);
        let mut command = self.haft.command(&[]);
        let mut wrapped = Command::new(&words[0]);
        wrapped.args(&words[1..]).current_dir(self.root()).env_clear().stdin(Stdio::null());
        wrapped.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        std::mem::swap(&mut command, &mut wrapped);
        finished(command)
    }

    /// Runs at a terminal. Questions are answered with no.
    fn run_at_terminal(&self, line: &str) -> Ran {
        let mut command = at_terminal(&self.haft, &format!("stty cols 80 rows 24; exec {line}"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("there is `script`");
        let (mut input, mut output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let (mut shown, mut buffer) = (vec![], [0; 4096]);
        loop {
            let read = output.read(&mut buffer).unwrap_or_default();
            if read == 0 {
                break;
            }
            shown.extend(&buffer[..read]);
            if shown.ends_with(b"\r\n> ") {
                let _ = input.write_all(b"n\n").and_then(|()| input.flush());
            }
        }
        let code = child.wait().expect("it ends").code().unwrap_or(-1);
        Ran { code, out: String::from_utf8_lossy(&shown).replace("\r\n", "\n"), err: String::new() }
    }

    /// The words of a step. What is on standard input comes from a file, at a terminal too.
    fn step(&self, step: &Step, more: &[&str]) -> Vec<String> {
        let Step(words, input) = step;
        let mut all = vec![];
        if let Some(input) = input {
            let file = self.haft.home.file("input", input).display().to_string();
            all.extend(["sh", "-c", "f=$1; shift; exec \"$@\" < \"$f\"", "sh", &file].map(str::to_owned));
        }
        all.push(env!("CARGO_BIN_EXE_haft").to_owned());
        all.extend(more.iter().chain(words.iter()).map(|word| (*word).to_owned()));
        all
    }

    /// What the test says of a run: its exit code and the first line that it showed.
    fn told(&self, ran: &Ran) -> String {
        let first = |text: &str| text.lines().map(str::trim_end).find(|line| !line.is_empty()).map(str::to_owned);
        let line = match (first(&ran.out), first(&ran.err)) {
            (Some(line), _) => line,
            (None, Some(line)) => format!("(error) {line}"),
            (None, None) => "(nothing)".to_owned(),
        };
        assert!(!ran.out.contains("panicked") && !ran.err.contains("panicked") && ran.code != 101, "{ran:?}");
        format!("{} {}", ran.code, self.fixed(&line))
    }

    /// The line without what differs from run to run and from machine to machine.
    fn fixed(&self, line: &str) -> String {
        if let Some((before, _)) = line.split_once("confined by: ") {
            return format!("{before}confined by: <mode>");
        }
        let line = line
            .replace(&self.root().display().to_string(), "<folder>")
            .replace(&self.haft.home.root().display().to_string(), "<home>")
            .replace(env!("CARGO_PKG_VERSION"), "<version>");
        let mut fixed = String::new();
        for word in line.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
            let (word, end) = match word.char_indices().next_back() {
                Some((at, c)) if !c.is_ascii_alphanumeric() && c != '-' => word.split_at(at),
                _ => (word, ""),
            };
            let is_id = word.len() > 7 && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
            if is_id && word.contains(|c: char| c.is_ascii_digit()) && word != NO_ID {
                fixed.push_str("<id>");
            } else {
                fixed.push_str(word);
            }
            fixed.push_str(end);
        }
        let mut short = String::new();
        for c in fixed.chars() {
            match c {
                '0'..='9' if short.ends_with('#') => {}
                '0'..='9' => short.push('#'),
                ' ' if short.ends_with(' ') => {}
                c => short.push(c),
            }
        }
        short.chars().take(150).collect()
    }
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect::<Vec<_>>().join(" ")
}

/// What happens at every step, a line for each; at a terminal only what differs.
fn played(kind: Kind) -> Option<Vec<String>> {
    let (piped, shown) = (Place::new(kind)?, Place::new(kind)?);
    let mut lines = vec![];
    for step in STEPS {
        let typed = format!("haft {}", step.0.join(" "));
        let through_pipe = piped.told(&piped.run(&piped.step(step, &[])));
        let at_terminal = shown.told(&shown.run_at_terminal(&quoted(&shown.words(&shown.step(step, &[])))));
        let mut line = format!("$ {}\n  {through_pipe}\n", typed.trim_end());
        if at_terminal.replacen("(error) ", "", 1) != through_pipe.replacen("(error) ", "", 1) {
            let _ = writeln!(line, "  at a terminal: {at_terminal}");
        }
        lines.push(line);
    }
    Some(lines)
}

#[test]
fn a_stranger_tries_everything() {
    if !tools_testkit::namespaces() {
        return;
    }
    let all = thread::scope(|scope| {
        Kind::ALL.map(|kind| scope.spawn(move || played(kind))).map(|playing| playing.join().expect("it is played"))
    });
    let committed = include_str!("stranger.txt");
    let section = |title: &str| {
        let rest = committed.split_once(&format!("## In {title}\n\n"))?.1;
        Some(rest.split("## In ").next().unwrap_or_default().trim_end().to_owned())
    };
    let usual = all[0].clone().expect("a repository can be made everywhere");
    let (mut text, mut differs) =
        (String::from("# What a stranger sees: exit code and first line of each command\n"), vec![]);
    for (kind, lines) in Kind::ALL.into_iter().zip(&all) {
        let title = match kind {
            Kind::Repository => kind.title().to_owned(),
            _ => format!("{}, where it differs", kind.title()),
        };
        let now = match lines {
            Some(lines) if kind == Kind::Repository => lines.concat(),
            Some(lines) => {
                lines.iter().zip(&usual).filter(|(line, usual)| line != usual).map(|(line, _)| line.as_str()).collect()
            }
            None => section(&title).unwrap_or_default(),
        };
        if section(&title).as_deref() != Some(now.trim_end()) {
            differs.push(title.clone());
        }
        let _ = write!(text, "\n## In {title}\n\n{}\n", now.trim_end());
    }
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stranger.txt");
    fs::write(&file, text).expect("a file is written");
    assert!(differs.is_empty(), "{differs:?}: compare `tests/it/stranger.txt` with `{}`, and copy it", file.display());
}

#[test]
fn every_verb_is_tried_and_has_json() {
    let place = Place::new(Kind::Repository).expect("a repository can be made everywhere");
    let help = place.haft.run(&["--help"]).out;
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    for verb in verbs.filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let verb = verb.split_whitespace().next().unwrap_or_default();
        let is_tried = STEPS.iter().any(|step| step.0.first() == Some(&verb));
        assert!(is_tried || ELSEWHERE.contains(&verb), "`{verb}` is in no list");
    }
    let mut without = vec![];
    for step in STEPS.iter().filter(|step| !OWN_FORMAT.iter().any(|own| step.0.starts_with(own))) {
        let ran = place.run(&place.step(step, &["--json"]));
        // What cannot be parsed at all is told by the parser of the command line.
        if step.0.is_empty() || step.0 == ["hlep"] {
            continue;
        }
        let is_exec = step.0[0] == "exec";
        let whole = serde_json::from_str::<Value>(&ran.out).is_ok();
        let lines = ran.out.lines().all(|line| serde_json::from_str::<Value>(line).is_ok());
        // A list that is printed line by line may be empty.
        let may_be_empty = [
            &["memory", "export"][..],
            &["audit", "tail"],
            &["audit", "replay"],
            &["scan"],
            &["policy", "replay"],
            &["policy", "test"],
            &["policy", "approvals"],
            &["mcp", "list"],
            &["mcp", "test"],
            &["pins", "review"],
            &["sessions", "list"],
        ];
        let has_output = !ran.out.trim().is_empty() || may_be_empty.iter().any(|verb| step.0.starts_with(verb));
        if !(has_output && (whole || lines || is_exec)) {
            without.push(format!("{:?}: {} {}", step.0, ran.out.chars().take(100).collect::<String>(), ran.err));
        }
    }
    assert!(without.is_empty(), "{}", without.join("\n"));
}

#[test]
fn the_demo_holds_in_every_kind_of_folder() {
    for kind in Kind::ALL {
        let Some(place) = Place::new(kind) else { continue };
        let ran = place.run(&[env!("CARGO_BIN_EXE_haft").to_owned(), "demo".into(), "--json".into()]);
        let told = ran.json();
        assert_eq!((ran.code, &told["ok"]), (0, &true.into()), "{kind:?}: {told:#}");
        let directory = PathBuf::from(told["directory"].as_str().expect("a path"));
        assert_eq!(directory == place.root(), kind != Kind::ReadOnly, "{kind:?}: {told:#}");
        if kind == Kind::ReadOnly {
            assert!(told["audit"].as_str().is_some_and(|audit| Path::new(audit).exists()), "{told:#}");
            fs::remove_dir_all(directory.parent().expect("it is in a folder of its own")).expect("it is ours");
        }
    }
}

#[test]
fn the_demo_holds_in_a_folder_of_more_than_a_hundred_thousand_files() {
    let place = Place::new(Kind::Repository).expect("a repository can be made everywhere");
    for folder in 0..110 {
        let folder = place.root().join(format!("many/{folder}"));
        fs::create_dir_all(&folder).expect("a folder is made");
        for file in 0..1000 {
            fs::File::create(folder.join(file.to_string())).expect("a file is made");
        }
    }
    let ran = place.run(&[env!("CARGO_BIN_EXE_haft").to_owned(), "demo".into()]);
    assert_eq!(ran.code, 0, "{}\n{}", ran.out, ran.err);
    assert!(ran.out.contains("everything held"), "{}", ran.out);
}
