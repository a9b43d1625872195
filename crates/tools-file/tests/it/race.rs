//! Every tool on paths that are exchanged for links to the outside while it works: nothing outside
//! may be seen or changed. The long version of the same race is in `tools-bench`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat, renameat_with};
use serde_json::{Value, json};
use tools_core::{CallContext, Shared, Stack, ToolCall};
use tools_file::FileConfig;

const SECRET: &str = "OUTSIDE-SECRET-77";
/// Calls between two looks at the outside.
const BLOCK: u64 = 1000;
/// Names that are used in turn.
const NAMES: u64 = 50;

/// What is exchanged for a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flipped {
    /// A directory on the way.
    Directory,
    /// The file itself.
    Leaf,
}

const RACES: [(Flipped, &str); 19] = [
    (Flipped::Directory, "read"),
    (Flipped::Directory, "list_directory"),
    (Flipped::Directory, "grep"),
    (Flipped::Directory, "find_path"),
    (Flipped::Directory, "write"),
    (Flipped::Directory, "edit"),
    (Flipped::Directory, "create_directory"),
    (Flipped::Directory, "delete_path"),
    (Flipped::Directory, "copy_out"),
    (Flipped::Directory, "copy_tree_out"),
    (Flipped::Directory, "copy_in"),
    (Flipped::Directory, "move_in"),
    (Flipped::Directory, "move_out"),
    (Flipped::Leaf, "read"),
    (Flipped::Leaf, "grep"),
    (Flipped::Leaf, "write"),
    (Flipped::Leaf, "edit"),
    (Flipped::Leaf, "copy_out"),
    (Flipped::Leaf, "copy_in"),
];

/// What came of a race.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) attempts: u64,
    pub(crate) worked: u64,
    pub(crate) refused: u64,
    pub(crate) flips: u64,
    /// Each leak and each change outside.
    pub(crate) faults: Vec<String>,
}

/// Runs about `attempts` calls, shared out evenly.
pub(crate) fn run(attempts: u64) -> Outcome {
    let each = attempts.div_ceil(RACES.len() as u64);
    RACES.iter().fold(Outcome::default(), |mut all, &(flipped, operation)| {
        let one = Race::new(flipped, operation).run(each);
        all.attempts += one.attempts;
        all.worked += one.worked;
        all.refused += one.refused;
        all.flips += one.flips;
        all.faults.extend(one.faults.into_iter().map(|fault| format!("{flipped:?} {operation}: {fault}")));
        all
    })
}

struct Race {
    _folder: tempfile::TempDir,
    root: PathBuf,
    outside: PathBuf,
    /// The directory that belongs inside.
    inside: File,
    flipped: Flipped,
    operation: &'static str,
    stack: Stack,
}

impl Race {
    fn new(flipped: Flipped, operation: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let (root, outside) = (base.join("root"), base.join("outside"));
        fs::create_dir_all(root.join("d")).unwrap();
        fs::create_dir_all(root.join("work")).unwrap();
        fs::create_dir_all(outside.join("sub")).unwrap();
        for (place, text) in [(&root.join("d"), "INSIDE-OK\n"), (&outside, &format!("{SECRET}\n"))] {
            for name in ["f.txt", "e.txt"] {
                fs::write(place.join(name), text).unwrap();
            }
        }
        for n in 0..NAMES {
            fs::write(outside.join(format!("v{n}")), SECRET).unwrap();
        }
        fs::write(outside.join(format!("{SECRET}.name")), "").unwrap();
        fs::write(root.join("source.txt"), "PWNED\n").unwrap();
        let config = FileConfig { deny_read: Some(Vec::new()), search_threads: 1, ..FileConfig::default() };
        let stack = Stack::new(vec![], tools_file::executor(Shared::new(config.compile(&root, None).unwrap())));
        let inside = File::open(root.join("d")).unwrap();
        Self { _folder: folder, root, outside, inside, flipped, operation, stack }
    }

    fn run(&self, attempts: u64) -> Outcome {
        let before = snapshot(&self.outside);
        let (stop, flips) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut outcome = Outcome::default();
        std::thread::scope(|scope| {
            scope.spawn(|| self.flip(&stop, &flips));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let cx = CallContext::new(&self.root);
            for n in 0..attempts {
                let (tool, arguments) = self.call(n);
                let call = ToolCall::new(tool, arguments).unwrap();
                let said = match runtime.block_on(self.stack.dispatch(call, &cx)) {
                    Ok(output) => {
                        outcome.worked += 1;
                        output.summary
                    }
                    Err(error) => {
                        outcome.refused += 1;
                        error.to_string()
                    }
                };
                outcome.attempts += 1;
                if said.contains(SECRET) {
                    outcome.faults.push(format!("said: {said}"));
                }
                self.look(n, &mut outcome.faults);
                if (n % BLOCK == BLOCK - 1 || n + 1 == attempts) && snapshot(&self.outside) != before {
                    outcome.faults.push("the outside changed".to_owned());
                    break;
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        outcome.flips = flips.load(Ordering::Relaxed);
        outcome
    }

    /// Exchanges the one for a link to its like outside, again and again.
    fn flip(&self, stop: &AtomicBool, flips: &AtomicU64) {
        let (name, link, target) = match self.flipped {
            Flipped::Directory => ("d", "x", self.outside.clone()),
            Flipped::Leaf => ("d/f.txt", "d/x", self.outside.join("f.txt")),
        };
        let (name, link, new) = (self.root.join(name), self.root.join(link), self.root.join("work/link"));
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        while !stop.load(Ordering::Relaxed) {
            // A write may well replace the link itself.
            if !is_link(&name) && !is_link(&link) {
                std::os::unix::fs::symlink(&target, &new).unwrap();
                fs::rename(&new, &link).unwrap();
            }
            for _ in 0..16 {
                renameat_with(CWD, &name, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
            flips.fetch_add(16, Ordering::Relaxed);
        }
    }

    fn call(&self, n: u64) -> (&'static str, Value) {
        let name = n % NAMES;
        let leaf = self.flipped == Flipped::Leaf;
        match self.operation {
            "read" => ("read", json!({"path": "d/f.txt"})),
            "list_directory" => ("list_directory", json!({"path": "d"})),
            "grep" => (
                "grep",
                json!({"pattern": "SECRET|INSIDE", "path": if leaf || n.is_multiple_of(2) { "d/f.txt" } else { "d" }}),
            ),
            "find_path" => ("find_path", json!({"pattern": "d/*"})),
            "write" if leaf => ("write", json!({"path": "d/f.txt", "content": format!("PWNED {n}\n")})),
            "write" => ("write", json!({"path": format!("d/w{name}.txt"), "content": format!("PWNED {n}\n")})),
            "edit" => {
                let (old, new) = if n.is_multiple_of(2) { ("SIDE", "S1DE") } else { ("S1DE", "SIDE") };
                let path = if leaf { "d/f.txt" } else { "d/e.txt" };
                ("edit", json!({"path": path, "old_string": old, "new_string": new}))
            }
            "create_directory" => ("create_directory", json!({"path": format!("d/new{name}/below")})),
            "delete_path" => {
                self.put(&format!("v{name}"));
                ("delete_path", json!({"path": format!("d/v{name}")}))
            }
            "copy_out" => copy("d/f.txt", &format!("work/c{name}"), true),
            "copy_tree_out" => copy("d", &format!("work/t{name}"), true),
            "copy_in" if leaf => copy("source.txt", "d/f.txt", true),
            "copy_in" => copy("source.txt", &format!("d/k{name}"), true),
            "move_in" => {
                fs::write(self.root.join(format!("work/m{n}")), "PWNED\n").unwrap();
                let arguments =
                    json!({"source": format!("work/m{n}"), "destination": format!("d/m{name}"), "overwrite": true});
                ("move_path", arguments)
            }
            "move_out" => {
                self.put(&format!("v{name}"));
                let arguments =
                    json!({"source": format!("d/v{name}"), "destination": format!("work/o{name}"), "overwrite": true});
                ("move_path", arguments)
            }
            other => unreachable!("{other}"),
        }
    }

    /// Puts a file into the directory that belongs inside, wherever that is.
    fn put(&self, name: &str) {
        let fresh = self.root.join("work/fresh");
        fs::write(&fresh, "mine").unwrap();
        renameat(CWD, &fresh, &self.inside, name).unwrap();
    }

    /// Looks at what the call has brought in.
    fn look(&self, n: u64, faults: &mut Vec<String>) {
        let name = n % NAMES;
        let brought = match self.operation {
            "copy_out" => format!("work/c{name}"),
            "copy_tree_out" => format!("work/t{name}/f.txt"),
            "move_out" => format!("work/o{name}"),
            _ => return,
        };
        let path = self.root.join(&brought);
        if fs::read_to_string(&path).is_ok_and(|text| text.contains(SECRET)) {
            faults.push(format!("`{brought}` holds it"));
            let _ = fs::remove_file(path);
        }
    }
}

fn copy(source: &str, destination: &str, overwrite: bool) -> (&'static str, Value) {
    ("copy_path", json!({"source": source, "destination": destination, "overwrite": overwrite}))
}

/// Names and contents of a directory and what is below it.
fn snapshot(directory: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(snapshot(&path));
        }
        all.insert(path.clone(), fs::read(&path).ok());
    }
    all
}

#[test]
fn nothing_outside_is_seen_or_changed_while_paths_are_exchanged_for_links() {
    let outcome = run(10_000);
    assert_eq!(outcome.faults, Vec::<String>::new());
    assert!(outcome.worked > 500 && outcome.refused > 500 && outcome.flips > 1000, "it was no race: {outcome:?}");
}
