//! Whatever is edited between two calls, no answer shows a line that is not there, and every
//! definition is found.

use std::{collections::BTreeMap, path::Path, sync::atomic::Ordering};

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
    MoveFolder { from: usize, to: usize },
    RemoveFolder { folder: usize },
    Ignore { name: usize },
    Ask { name: u8, kind: usize, path: Option<usize> },
}

const KINDS: [&str; 5] = ["auto", "definition", "reference", "semantic", "outline"];
/// Two in the root, two in each of two folders, one of which lies in the other.
const FILES: [&str; 6] = ["m0.rs", "m1.rs", "sub/m2.rs", "sub/m3.rs", "sub/deep/m4.rs", "sub/deep/m0.rs"];
const FOLDERS: [&str; 3] = ["sub", "sub/deep", "other"];
const IGNORED: [&str; 4] = ["", "m0.rs", "deep", "sub"];

fn edit() -> impl Strategy<Value = Edit> {
    let file = 0..FILES.len();
    let folder = 0..FOLDERS.len();
    prop_oneof![
        6 => (file.clone(), proptest::collection::vec(0..6_u8, 0..5), 0..3_usize)
            .prop_map(|(file, names, blank)| Edit::Write { file, names, blank }),
        4 => (file.clone(), 0..6_u8).prop_map(|(file, name)| Edit::Append { file, name }),
        2 => file.clone().prop_map(|file| Edit::Delete { file }),
        2 => (file.clone(), file).prop_map(|(from, to)| Edit::Rename { from, to }),
        1 => (folder.clone(), folder.clone()).prop_map(|(from, to)| Edit::MoveFolder { from, to }),
        1 => folder.clone().prop_map(|folder| Edit::RemoveFolder { folder }),
        1 => (0..IGNORED.len()).prop_map(|name| Edit::Ignore { name }),
        10 => (0..6_u8, 0..KINDS.len(), proptest::option::weighted(0.2, folder))
            .prop_map(|(name, kind, path)| Edit::Ask { name, kind, path }),
    ]
}

fn function(name: u8) -> String {
    format!("/// Does the work of number {name}.\npub fn work_{name}() {{\n    call_{name}();\n}}\n")
}

/// What should be in a folder.
#[derive(Debug, Default)]
struct Expected {
    files: BTreeMap<String, String>,
    ignored: &'static str,
}

impl Expected {
    /// Those that a call which names `path` is about.
    fn searched(&self, path: Option<&str>) -> BTreeMap<String, String> {
        let is_below = |name: &str| path.is_none_or(|path| name.starts_with(&format!("{path}/")));
        let below = |name: &str| path.map_or(name.to_owned(), |path| name[path.len() + 1..].to_owned());
        let is_ignored = |name: &str| below(name).split('/').any(|part| part == self.ignored);
        let files = self.files.iter().filter(|(name, _)| is_below(name) && !is_ignored(name));
        files.map(|(name, text)| (name.clone(), text.clone())).collect()
    }

    fn apply(&mut self, folder: &Folder, edit: &Edit) {
        let at = |name: &str| folder.root.join(name);
        match edit {
            Edit::Write { file, names, blank } => {
                let text = "\n".repeat(*blank) + &names.iter().copied().map(function).collect::<String>();
                folder.write(FILES[*file], &text);
                self.files.insert(FILES[*file].to_owned(), text);
            }
            Edit::Append { file, name } => {
                let text = self.files.entry(FILES[*file].to_owned()).or_default();
                text.push_str(&function(*name));
                folder.write(FILES[*file], text.as_str());
            }
            Edit::Delete { file } => {
                if self.files.remove(FILES[*file]).is_some() {
                    std::fs::remove_file(at(FILES[*file])).unwrap();
                }
            }
            Edit::Rename { from, to } => {
                let (from, to) = (FILES[*from], FILES[*to]);
                if let Some(text) = self.files.remove(from) {
                    std::fs::create_dir_all(at(to).parent().unwrap()).unwrap();
                    std::fs::rename(at(from), at(to)).unwrap();
                    self.files.insert(to.to_owned(), text);
                }
            }
            Edit::MoveFolder { from, to } => {
                let (from, to) = (FOLDERS[*from], FOLDERS[*to]);
                if at(from).is_dir() && !at(to).exists() && !to.starts_with(from) {
                    std::fs::create_dir_all(at(to).parent().unwrap()).unwrap();
                    std::fs::rename(at(from), at(to)).unwrap();
                    let moved = |name: &String| match name.strip_prefix(&format!("{from}/")) {
                        Some(rest) => format!("{to}/{rest}"),
                        None => name.clone(),
                    };
                    self.files = self.files.iter().map(|(name, text)| (moved(name), text.clone())).collect();
                }
            }
            Edit::RemoveFolder { folder } => {
                let _ = std::fs::remove_dir_all(at(FOLDERS[*folder]));
                self.files.retain(|name, _| !name.starts_with(&format!("{}/", FOLDERS[*folder])));
            }
            Edit::Ignore { name } => {
                self.ignored = IGNORED[*name];
                folder.write(".ignore", self.ignored);
            }
            Edit::Ask { .. } => {}
        }
    }
}

/// Makes the edits on a real folder and on a map of what should be there, and asks in between.
async fn check(edits: Vec<Edit>, config: IndexConfig) {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::new(root.path());
    let stack = folder.stack(&config);
    let mut expected = Expected::default();
    for edit in edits {
        expected.apply(&folder, &edit);
        if let Edit::Ask { name, kind, path } = edit {
            let path = path.map(|path| FOLDERS[path]).filter(|path| folder.root.join(path).is_dir());
            ask(&stack, &folder, &expected.searched(path), (name, KINDS[kind], path)).await;
        }
    }
}

async fn ask(
    stack: &tools_core::Stack,
    folder: &Folder,
    files: &BTreeMap<String, String>,
    (name, kind, path): (u8, &str, Option<&str>),
) {
    let wanted = if kind == "reference" { format!("call_{name}") } else { format!("work_{name}") };
    let params = json!({"kind": kind, "query": wanted, "limit": 50, "path": path});
    let output = call(stack, &folder.root, params).await.unwrap();
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
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_line_is_stale_and_none_is_missing(edits in proptest::collection::vec(edit(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(check(edits, IndexConfig::default()));
    }

    #[test]
    fn nor_is_one_where_each_call_looks_for_itself(edits in proptest::collection::vec(edit(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(check(edits, IndexConfig { watch: false, ..IndexConfig::default() }));
    }
}

/// What a call finds of a name, and how many folders were read for it.
async fn defined(stack: &tools_core::Stack, folder: &Folder, name: &str) -> (Vec<String>, usize) {
    let before = folder.entered.load(Ordering::Relaxed);
    let output = call(stack, &folder.root, json!({"kind": "definition", "query": name})).await.unwrap();
    let raw = output.raw_response.unwrap();
    assert_eq!(raw["watch"], json!(null), "{raw}");
    let paths = raw["hits"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap().to_owned()).collect();
    (paths, folder.entered.load(Ordering::Relaxed) - before)
}

fn a_folder_with_many(root: &Path) -> Folder {
    let folder = Folder::new(root);
    for number in 0..20 {
        folder.write(&format!("d{number}/a.rs"), format!("pub fn f_{number}() {{}}\n"));
    }
    folder.write("d0/empty/note.bin", "");
    folder
}

/// Only the first call reads every folder. The next call finds a change by any program.
#[tokio::test]
async fn after_the_first_call_only_what_changed_is_looked_at() {
    let root = tempfile::tempdir().unwrap();
    let folder = a_folder_with_many(root.path());
    let stack = folder.stack(&IndexConfig::default());
    let found = |paths: &[&str], read: usize| (paths.iter().map(|&path| path.to_owned()).collect::<Vec<_>>(), read);
    assert_eq!(defined(&stack, &folder, "f_3").await, found(&["d3/a.rs"], 22));
    assert_eq!(defined(&stack, &folder, "f_3").await, found(&["d3/a.rs"], 0));
    folder.write("d3/a.rs", "pub fn other_3() {}\n");
    assert_eq!(defined(&stack, &folder, "f_3").await, found(&[], 0));
    assert_eq!(defined(&stack, &folder, "other_3").await, found(&["d3/a.rs"], 0));
    // As editors do it.
    folder.write("d3/a.rs.tmp", "pub fn third_3() {}\n");
    std::fs::rename(folder.root.join("d3/a.rs.tmp"), folder.root.join("d3/a.rs")).unwrap();
    assert_eq!(defined(&stack, &folder, "third_3").await, found(&["d3/a.rs"], 0));
    // A new file: the way to it.
    folder.write("d0/empty/b.rs", "pub fn created() {}\n");
    assert_eq!(defined(&stack, &folder, "created").await, found(&["d0/empty/b.rs"], 3));
    // A folder that came filled, and what is put into it later.
    folder.write("new/er/c.rs", "pub fn within() {}\n");
    assert_eq!(defined(&stack, &folder, "within").await, found(&["new/er/c.rs"], 3));
    folder.write("new/er/c.rs", "pub fn later() {}\n");
    assert_eq!(defined(&stack, &folder, "later").await, found(&["new/er/c.rs"], 0));
    // A folder that moved: all of it.
    std::fs::rename(folder.root.join("new/er"), folder.root.join("moved")).unwrap();
    assert_eq!(defined(&stack, &folder, "later").await, found(&["moved/c.rs"], 24));
    std::fs::remove_dir_all(folder.root.join("moved")).unwrap();
    assert_eq!(defined(&stack, &folder, "later").await, found(&[], 0));
    folder.write(".ignore", "d3");
    assert_eq!(defined(&stack, &folder, "third_3").await, found(&[], 22));
}

/// More changes than the system keeps for a reader.
#[tokio::test]
async fn changes_that_were_lost_are_looked_for() {
    let root = tempfile::tempdir().unwrap();
    let folder = a_folder_with_many(root.path());
    let stack = folder.stack(&IndexConfig::default());
    defined(&stack, &folder, "f_3").await;
    let queue: usize =
        std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap().trim().parse().unwrap();
    // Two files in turn: equal events are one.
    let mut files = ["x.bin", "y.bin"].map(|name| std::fs::File::create(folder.root.join(name)).unwrap());
    for _ in 0..queue.min(1_000_000) / 2 + 10 {
        for file in &mut files {
            std::io::Write::write_all(file, b"x").unwrap();
        }
    }
    folder.write("d7/a.rs", "pub fn last() {}\n");
    assert_eq!(defined(&stack, &folder, "last").await.0, ["d7/a.rs"]);
}

#[tokio::test]
async fn a_change_under_another_name_of_a_file_is_found() {
    let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = a_folder_with_many(root.path());
    std::fs::hard_link(folder.root.join("d3/a.rs"), outside.path().join("other")).unwrap();
    let stack = folder.stack(&IndexConfig::default());
    assert_eq!(defined(&stack, &folder, "f_3").await.0, ["d3/a.rs"]);
    std::fs::write(outside.path().join("other"), "pub fn from_outside() {}\n").unwrap();
    assert_eq!(defined(&stack, &folder, "from_outside").await.0, ["d3/a.rs"]);
    assert!(defined(&stack, &folder, "f_3").await.0.is_empty());
}

/// The folder that is searched is another one now, which its own watch does not tell.
#[tokio::test]
async fn a_workspace_that_was_replaced_is_looked_at() {
    let root = tempfile::tempdir().unwrap();
    let inner = root.path().join("above/work");
    std::fs::create_dir_all(&inner).unwrap();
    let folder = a_folder_with_many(&inner);
    let stack = folder.stack(&IndexConfig::default());
    assert_eq!(defined(&stack, &folder, "f_3").await.0, ["d3/a.rs"]);
    std::fs::rename(root.path().join("above"), root.path().join("gone")).unwrap();
    folder.write("d1/other.rs", "pub fn f_3() {}\n");
    assert_eq!(defined(&stack, &folder, "f_3").await.0, ["d1/other.rs"]);
}

/// Nothing tells of changes in `/proc`: each call looks, and says so.
#[tokio::test]
async fn where_the_system_does_not_tell_each_call_looks_and_says_why() {
    let folder = Folder::new(Path::new("/proc/self/net/stat"));
    let stack = folder.stack(&IndexConfig::default());
    for _ in 0..2 {
        let before = folder.entered.load(Ordering::Relaxed);
        let output = call(&stack, &folder.root, json!({"kind": "definition", "query": "none"})).await.unwrap();
        let watch = output.raw_response.unwrap()["watch"].clone();
        assert_eq!(watch, "off: the file system does not tell of every change");
        assert_eq!(folder.entered.load(Ordering::Relaxed) - before, 1);
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
        while !stopped.load(Ordering::Relaxed) {
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
    stop.store(true, Ordering::Relaxed);
    writing.join().unwrap();
}
