//! How fast `search_code` is on a folder: `cargo run --release -p tools-code --example figures --
//! FOLDER [FILES]`. With a number of files it makes a folder of that many small ones and measures
//! an update after an edit there as well.

#![expect(
    dead_code,
    clippy::unwrap_used,
    reason = "the folder of the tests: more than this needs, and what fails there ends this"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use tools_code::IndexConfig;

#[path = "../tests/it/folder.rs"]
mod folder;

use folder::{Folder, call};

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let root = arguments.next().map_or_else(|| PathBuf::from("."), PathBuf::from);
    figures(&root).await;
    if let Some(files) = arguments.next().and_then(|count| count.to_str()?.parse().ok()) {
        updates(files).await;
    }
}

/// Bytes of the files that are searched below a folder.
fn bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let known = ["rs", "py", "js", "ts", "tsx", "go", "java", "c", "h", "cpp", "sh", "md", "txt"];
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes(&entry.path()),
            Ok(kind) if kind.is_file() => {
                let is_known = entry.path().extension().is_some_and(|end| known.iter().any(|known| end == *known));
                entry
                    .metadata()
                    .ok()
                    .filter(|found| is_known && found.len() <= 1024 * 1024)
                    .map_or(0, |found| found.len())
            }
            _ => 0,
        })
        .sum()
}

async fn timed(stack: &tools_core::Stack, root: &Path, kind: &str, query: &str) -> (Duration, String) {
    let start = Instant::now();
    let output = call(stack, root, json!({"kind": kind, "query": query})).await.expect("an answer");
    (start.elapsed(), output.summary)
}

fn p95(mut times: Vec<Duration>) -> (Duration, Duration) {
    times.sort();
    (times[times.len() / 2], times[(times.len() * 95 / 100).min(times.len() - 1)])
}

async fn figures(root: &Path) {
    let folder = Folder::new(root);
    let size = bytes(&folder.root);
    // Once for the cache of the system.
    timed(&folder.stack(&IndexConfig::default()), &folder.root, "definition", "zyxwvut").await;
    let stack = folder.stack(&IndexConfig { watch: true, ..IndexConfig::default() });
    let (cold, _) = timed(&stack, &folder.root, "definition", "zyxwvut").await;
    #[expect(clippy::cast_precision_loss, reason = "a size")]
    let size = size as f64 / 1e6;
    let speed = size / cold.as_secs_f64();
    println!("{}: {size:.1} MB, cold index {cold:?}, {speed:.0} MB/s", folder.root.display());
    let queries = [
        ("auto", "Index"),
        ("definition", "new"),
        ("auto", "parse"),
        ("semantic", "read a file line by line"),
        ("reference", "Options"),
        ("auto", "error handling of requests"),
        ("definition", "Config"),
        ("auto", "main"),
        ("semantic", "how is the configuration loaded"),
        ("text", "fn main()"),
    ];
    for round in ["first", "warm", "warm"] {
        let mut times = Vec::new();
        for (kind, query) in queries {
            let (time, _) = timed(&stack, &folder.root, kind, query).await;
            println!("  {round} {kind} `{query}`: {time:?}");
            times.push(time);
        }
        let (median, slow) = p95(times);
        println!("{round} queries: median {median:?}, p95 {slow:?}");
    }
}

async fn updates(files: usize) {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Folder::new(root.path());
    for number in 0..files {
        folder.write(
            &format!("d{}/f{number}.rs", number / 50),
            format!("/// Number {number}.\npub fn f_{number}() -> usize {{\n    {number}\n}}\n"),
        );
    }
    for watch in [false, true] {
        let stack = folder.stack(&IndexConfig { watch, ..IndexConfig::default() });
        let (first, _) = timed(&stack, &folder.root, "definition", "zyxwvut").await;
        println!("{files} files, watch = {watch}: the first query {first:?}");
        for (what, name) in
            [("an edit", "d1/f50.rs"), ("a new file", "d1/new_ROUND.rs"), ("a new folder", "n_ROUND/a.rs")]
        {
            let mut times = Vec::new();
            for round in 0..40 {
                let name = name.replace("ROUND", &round.to_string());
                let wanted = format!("in_{}_{round}", what.replace(' ', "_"));
                folder.write(&name, format!("pub fn {wanted}() {{}}\n"));
                let (time, answer) = timed(&stack, &folder.root, "definition", &wanted).await;
                assert!(answer.starts_with(&format!("[structural] {name}:1 ")), "{answer}");
                times.push(time);
                if what != "an edit" {
                    std::fs::remove_file(folder.root.join(&name)).unwrap();
                }
            }
            let (median, slow) = p95(times);
            println!("  {what} and the query for it: median {median:?}, p95 {slow:?}");
        }
    }
}
