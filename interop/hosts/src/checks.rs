//! What is looked at, in the order in which a user meets it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    commands::{ATTACKS, EVERYDAY},
    home::{Home, SECRET},
    host::Host,
    model::Step,
    session,
    watcher::Watcher,
};

/// What was found of one host.
pub struct Report {
    pub version: String,
    pub rows: Vec<Row>,
}

/// One line of the table.
pub struct Row {
    pub what: &'static str,
    pub is_good: bool,
    pub found: String,
}

/// Everything, in one home.
pub fn run(host: &dyn Host, haft: &Path, program: &Path) -> Result<Report, String> {
    let home = Home::new()?;
    let version = home.finished(home.command(program).arg("--version"))?;
    let version = String::from_utf8_lossy(&version.stdout).lines().next().unwrap_or_default().to_owned();
    let mut rows = Vec::new();
    for (file, text) in host.files() {
        home.write(&format!("home/{file}"), text)?;
    }
    home.finished(home.command(haft).args(["-q", "init", "--write"]))?;
    let before = texts(&home, host);
    home.finished(home.command(haft).args(["setup", host.name()]))?;
    rows.push(Row { what: "setup", is_good: texts(&home, host) != before, found: "entries written".to_owned() });
    plugged_in(host, &home, haft, program, &mut rows)?;
    everyday(host, &home, program, &mut rows)?;
    attacks(host, &home, program, &mut rows)?;
    let with = texts(&home, host);
    home.finished(home.command(haft).args(["setup", host.name(), "--undo"]))?;
    rows.push(undone(&before, &with, &texts(&home, host)));
    Ok(Report { version, rows })
}

/// The server is offered, a call of it runs, and one is approved by a person.
fn plugged_in(host: &dyn Host, home: &Home, haft: &Path, program: &Path, rows: &mut Vec<Row>) -> Result<(), String> {
    let watcher = Watcher::start(home, haft)?;
    let bash = |line: &str| Step { is_tool: host.is_ours("bash"), input: json!({"command": line}) };
    let steps = vec![
        bash("cat README.md"),
        bash("dd if=README.md of=made-by-approval"),
        bash("dd if=README.md of=made-without"),
    ];
    let session = session::run(host, home, program, "server", steps)?;
    let ours = session.seen.offered.iter().filter(|name| name.contains("haft")).count();
    rows.push(Row {
        what: "the host lists our tools",
        is_good: ours > 1,
        found: format!("{ours} of {}", session.seen.offered.len()),
    });
    let told = |number: usize| session.seen.told.get(number).map_or("", |told| told.text.as_str());
    let is_read = told(0).contains("marker-of-readme");
    let problem = || session.seen.problem.clone().unwrap_or_else(|| short(&session.printed));
    rows.push(Row {
        what: "calls one",
        is_good: is_read,
        found: if told(0).is_empty() { problem() } else { short(told(0)) },
    });
    let (asked, made) = (watcher.asked().len(), home.path("workspace/made-by-approval").exists());
    let refused = !home.path("workspace/made-without").exists();
    rows.push(Row {
        what: "one is approved, one refused",
        is_good: asked == 2 && made && refused,
        found: format!("{asked} questions; {}; {}", short(told(1)), short(told(2))),
    });
    Ok(())
}

/// Twenty commands of the host's own shell that nobody wants to be asked about.
fn everyday(host: &dyn Host, home: &Home, program: &Path, rows: &mut Vec<Row>) -> Result<(), String> {
    let steps = EVERYDAY.iter().map(|it| Step { is_tool: host.is_shell(), input: host.shell(it.line) }).collect();
    let earlier = home.judged(host.name()).len();
    let session = session::run(host, home, program, "everyday", steps)?;
    let judged = home.judged(host.name()).split_off(earlier);
    let told = |number: usize| session.seen.told.get(number).map(|told| told.text.as_str());
    let is_run = |number: usize, shows: &str| {
        told(number).is_some_and(|text| text.contains(shows)) && judged.get(number) == Some(&true)
    };
    let failed = EVERYDAY.iter().enumerate().filter(|(number, it)| !is_run(*number, it.shows));
    let failed: Vec<String> = failed
        .map(|(number, it)| format!("`{}`: {}", it.line, told(number).map_or_else(|| "never called".to_owned(), short)))
        .collect();
    rows.push(Row {
        what: "everyday commands run unasked",
        is_good: failed.is_empty(),
        found: summary(EVERYDAY.len(), &failed, session.seen.problem.as_ref()),
    });
    Ok(())
}

/// Twenty that must leave nothing behind: each is refused, or fails because it is confined.
fn attacks(host: &dyn Host, home: &Home, program: &Path, rows: &mut Vec<Row>) -> Result<(), String> {
    let steps =
        ATTACKS.iter().map(|line| Step { is_tool: host.is_shell(), input: host.shell(&home.placed(line)) }).collect();
    let before = home.untouched();
    let earlier = home.judged(host.name()).len();
    let session = session::run(host, home, program, "attacks", steps)?;
    let judged = home.judged(host.name()).split_off(earlier);
    let told = |number: usize| session.seen.told.get(number).map(|told| told.text.as_str());
    let mut failed = Vec::new();
    if judged.len() != ATTACKS.len() {
        failed.push(format!("the hook judged {} calls", judged.len()));
    }
    for (number, line) in ATTACKS.iter().enumerate() {
        match told(number) {
            None => failed.push(format!("`{line}`: never called")),
            Some(text) if text.contains(SECRET) => failed.push(format!("`{line}`: the key was read")),
            Some(_) => {}
        }
    }
    let after = home.untouched();
    failed.extend(
        before
            .iter()
            .filter(|(what, state)| after.get(*what) != Some(state))
            .map(|(what, _)| format!("{what} changed")),
    );
    let copies = home.files("workspace");
    let holds = |bytes: &[u8]| bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
    failed.extend(copies.iter().filter(|(_, bytes)| holds(bytes)).map(|(path, _)| format!("the key is in {path:?}")));
    let mut found = summary(ATTACKS.len(), &failed, session.seen.problem.as_ref());
    let refused = judged.iter().filter(|is_run| !**is_run).count();
    found.push_str(&format!("; {refused} refused by the hook, the others failed below the confinement"));
    rows.push(Row { what: "attacks are stopped", is_good: failed.is_empty(), found });
    Ok(())
}

fn summary(all: usize, failed: &[String], problem: Option<&String>) -> String {
    let problem = problem.map(|problem| format!("; {problem}")).unwrap_or_default();
    match failed {
        [] => format!("{all} of {all}{problem}"),
        some => format!("{} of {all} fail: {}{problem}", some.len(), some.join("; ")),
    }
}

/// The files of the host that Haft writes into or makes.
fn texts(home: &Home, host: &dyn Host) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let places =
        [".claude.json", ".claude/settings.json", ".codex/config.toml", ".codex/hooks.json", ".gemini/settings.json"];
    let places = places.iter().copied().chain(host.files().iter().map(|(file, _)| *file));
    for path in places.map(|place| home.path(&format!("home/{place}"))) {
        if let Ok(bytes) = fs::read(&path) {
            files.insert(path, bytes);
        }
    }
    files
}

/// What setup wrote is gone: to the byte, or, in a file that the host wrote anew meanwhile, as an
/// entry.
fn undone(
    before: &BTreeMap<PathBuf, Vec<u8>>,
    with: &BTreeMap<PathBuf, Vec<u8>>,
    after: &BTreeMap<PathBuf, Vec<u8>>,
) -> Row {
    let mut found = Vec::new();
    let mut is_good = true;
    let all: std::collections::BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    for path in all {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let word = match (before.get(path), after.get(path)) {
            (old, new) if old == new => "byte-equal",
            (_, Some(new)) if without_ours(with.get(path)) == parsed(new) => "rewritten by the host, our entries gone",
            _ => {
                is_good = false;
                "NOT taken back"
            }
        };
        found.push(format!("{name}: {word}"));
    }
    Row { what: "undo", is_good, found: found.join("; ") }
}

fn parsed(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

/// What a host's own file says without the server; `None` where it is no JSON.
fn without_ours(bytes: Option<&Vec<u8>>) -> Option<Value> {
    let mut value = parsed(bytes?)?;
    let members = value.as_object_mut()?;
    let servers = members.get_mut("mcpServers")?.as_object_mut()?;
    servers.remove("haft");
    if servers.is_empty() {
        members.remove("mcpServers");
    }
    Some(value)
}

fn short(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(110).collect();
    if cut.len() < line.len() { format!("{cut}…") } else { cut }
}
