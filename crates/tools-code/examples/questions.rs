//! What an answer to "where and what is X" costs on this repository, by `search_code` and by a
//! search with reading what it finds: `cargo run --release -p tools-code --example questions`. A
//! token is four bytes.

#![expect(
    dead_code,
    clippy::unwrap_used,
    reason = "the folder of the tests: more than this needs, and what fails there ends this"
)]

use std::path::{Path, PathBuf};

use serde_json::json;
use tools_code::IndexConfig;

#[path = "../tests/it/folder.rs"]
mod folder;

use folder::{Folder, call};

/// Names of this repository: types, traits, functions, constants and fields; common and rare ones.
const QUESTIONS: [&str; 20] = [
    "ToolCall",
    "CallContext",
    "Inspection",
    "Stack",
    "CompositeExecutor",
    "PermissionGate",
    "ToolOutput",
    "SecretRedactor",
    "Roots",
    "Sandbox",
    "OverflowLayer",
    "McpServer",
    "CronLine",
    "Memories",
    "project_of",
    "analyse",
    "settle",
    "canonical_json",
    "FIELDS",
    "would_store",
];
/// Hits that a search shows at most, and lines around a definition that are read of a file.
const HITS: usize = 100;
const AROUND: usize = 80;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        match entry.file_type().unwrap() {
            kind if kind.is_dir() && entry.file_name() != "target" => sources(&path, found),
            kind if kind.is_file() && path.extension().is_some_and(|end| end == "rs") => found.push(path),
            _ => {}
        }
    }
}

/// Whether a name stands in a line as a word.
fn names(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(name)
        .any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part))
}

#[tokio::main]
async fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let folder = Folder::new(&root);
    let mut files = vec![];
    sources(&root.join("crates"), &mut files);
    files.sort();
    let texts: Vec<(String, String)> = files
        .iter()
        .filter_map(|path| {
            let shown = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            Some((shown, std::fs::read_to_string(path).ok()?))
        })
        .collect();
    let stack = folder.stack(&IndexConfig::default());
    let (mut by_search, mut by_window, mut by_file) = (0, 0, 0);
    for name in QUESTIONS {
        let output = call(&stack, &folder.root, json!({ "query": name })).await.expect("an answer");
        let hits = output.raw_response.as_ref().unwrap()["hits"].clone();
        let (path, line) = (hits[0]["path"].as_str().unwrap(), hits[0]["line"].as_u64().unwrap());
        let listed: Vec<String> = texts
            .iter()
            .flat_map(|(path, text)| text.lines().enumerate().map(move |(number, line)| (path, number + 1, line)))
            .filter(|(_, _, line)| names(line, name))
            .map(|(path, number, line)| format!("{path}:{number}:{line}\n"))
            .take(HITS)
            .collect();
        let listed: usize = listed.iter().map(String::len).sum();
        let text = &texts.iter().find(|(known, _)| known == path).unwrap().1;
        let first = usize::try_from(line).unwrap().saturating_sub(AROUND / 4);
        // A reader numbers its lines.
        let read = |lines: &mut dyn Iterator<Item = &str>| lines.map(|line| line.len() + 8).sum::<usize>();
        let window = read(&mut text.lines().skip(first).take(AROUND));
        let whole = read(&mut text.lines());
        println!(
            "{name}: {path}:{line}; search_code {}, grep {}, window {}, file {}",
            output.summary.len() / 4,
            listed / 4,
            window / 4,
            whole / 4
        );
        by_search += output.summary.len() / 4;
        by_window += (listed + window) / 4;
        by_file += (listed + whole) / 4;
    }
    println!("20 questions: search_code {by_search} tokens; grep + {AROUND} lines {by_window}; grep + file {by_file}");
}
