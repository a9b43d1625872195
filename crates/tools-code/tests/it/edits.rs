//! Whatever is edited between two calls, no answer shows a line that is not there, and every
//! definition is found.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;
use tools_code::IndexConfig;

use crate::folder::{Folder, call};

#[derive(Debug, Clone)]
enum Edit {
    Write { file: usize, names: Vec<u8>, blank: usize },
    Append { file: usize, name: u8 },
    Delete { file: usize },
    Rename { from: usize, to: usize },
    Ask { name: u8, kind: usize },
}

const KINDS: [&str; 5] = ["auto", "definition", "reference", "semantic", "outline"];

fn edit() -> impl Strategy<Value = Edit> {
    let file = 0..4_usize;
    prop_oneof![
        3 => (file.clone(), proptest::collection::vec(0..6_u8, 0..5), 0..3_usize)
            .prop_map(|(file, names, blank)| Edit::Write { file, names, blank }),
        2 => (file.clone(), 0..6_u8).prop_map(|(file, name)| Edit::Append { file, name }),
        1 => file.clone().prop_map(|file| Edit::Delete { file }),
        1 => (file.clone(), file).prop_map(|(from, to)| Edit::Rename { from, to }),
        5 => (0..6_u8, 0..KINDS.len()).prop_map(|(name, kind)| Edit::Ask { name, kind }),
    ]
}

fn function(name: u8) -> String {
    format!("/// Does the work of number {name}.\npub fn work_{name}() {{\n    call_{name}();\n}}\n")
}

fn file_name(file: usize) -> String {
    format!("m{file}.rs")
}

/// Makes the edits on a real folder and on a map of what should be there, and asks in between.
async fn check(edits: Vec<Edit>, watch: bool) {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::new(root.path());
    let stack = folder.stack(&IndexConfig { watch, ..IndexConfig::default() });
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for edit in edits {
        match edit {
            Edit::Write { file, names, blank } => {
                let text = "\n".repeat(blank) + &names.into_iter().map(function).collect::<String>();
                folder.write(&file_name(file), &text);
                files.insert(file_name(file), text);
            }
            Edit::Append { file, name } => {
                let text = files.entry(file_name(file)).or_default();
                text.push_str(&function(name));
                folder.write(&file_name(file), text.as_str());
            }
            Edit::Delete { file } => {
                if files.remove(&file_name(file)).is_some() {
                    std::fs::remove_file(folder.root.join(file_name(file))).unwrap();
                }
            }
            Edit::Rename { from, to } => {
                if let Some(text) = files.remove(&file_name(from)) {
                    std::fs::rename(folder.root.join(file_name(from)), folder.root.join(file_name(to))).unwrap();
                    files.insert(file_name(to), text);
                }
            }
            Edit::Ask { name, kind } => ask(&stack, &folder, &files, name, KINDS[kind]).await,
        }
    }
}

async fn ask(stack: &tools_core::Stack, folder: &Folder, files: &BTreeMap<String, String>, name: u8, kind: &str) {
    let wanted = if kind == "reference" { format!("call_{name}") } else { format!("work_{name}") };
    let output = call(stack, &folder.root, json!({"kind": kind, "query": wanted, "limit": 50})).await.unwrap();
    let hits = output.raw_response.unwrap()["hits"].as_array().unwrap().clone();
    let mut found: Vec<(String, usize)> = Vec::new();
    for hit in &hits {
        let (path, line) = (hit["path"].as_str().unwrap(), usize::try_from(hit["line"].as_u64().unwrap()).unwrap());
        let text = files.get(path).unwrap_or_else(|| panic!("{kind}: `{path}` is not there"));
        let there = text.lines().nth(line - 1).unwrap_or_else(|| panic!("{kind}: {path}:{line} is not there"));
        let snippet = hit["snippet"].as_str().unwrap();
        assert!(there.trim().starts_with(snippet), "{kind}: {path}:{line} is `{there}`, shown was `{snippet}`");
        if there.contains(&wanted) {
            found.push((path.to_owned(), line));
        }
    }
    let pattern = if kind == "reference" { format!("    {wanted}();") } else { format!("pub fn {wanted}() {{") };
    let mut expected: Vec<(String, usize)> = Vec::new();
    for (path, text) in files {
        let lines = text.lines().enumerate().filter(|(_, line)| *line == pattern);
        expected.extend(lines.map(|(at, _)| (path.clone(), at + 1)));
    }
    found.sort();
    expected.sort();
    if kind == "semantic" {
        assert_eq!(found.is_empty(), expected.is_empty(), "{wanted}");
    } else {
        assert_eq!(found, expected, "{kind} {wanted}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_line_is_stale_and_none_is_missing(edits in proptest::collection::vec(edit(), 1..40), watch: bool) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(check(edits, watch));
    }
}

/// A file that changes between the look at it and the answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_during_the_call_is_searched_again() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::new(root.path());
    folder.write("a.rs", "pub fn wanted() {}\n");
    let stack = folder.stack(&IndexConfig::default());
    let (stop, writer) = (std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false)), folder.clone());
    let stopped = std::sync::Arc::clone(&stop);
    let writing = std::thread::spawn(move || {
        let mut blank = 0;
        while !stopped.load(std::sync::atomic::Ordering::Relaxed) {
            blank = (blank + 1) % 7;
            // In one step, as editors do it: half a file is nobody's line.
            writer.write("new.tmp", "\n".repeat(blank) + "pub fn wanted() {}\n");
            std::fs::rename(writer.root.join("new.tmp"), writer.root.join("a.rs")).unwrap();
        }
    });
    for _ in 0..100 {
        let output = call(&stack, &folder.root, json!({"kind": "definition", "query": "wanted"})).await.unwrap();
        for hit in output.raw_response.unwrap()["hits"].as_array().unwrap() {
            assert_eq!(hit["snippet"], "pub fn wanted() {}");
        }
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    writing.join().unwrap();
}
