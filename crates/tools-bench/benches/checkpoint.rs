//! What undo costs a command that could change anything: `env true` through the whole stack,
//! confined, in trees of several sizes, with and without checkpoints, beside `find . -printf` of
//! the same tree.
//!
//! Interleaved round by round, so that a busy machine slows all of them alike. Prints medians and
//! differences.

#![expect(clippy::disallowed_methods, reason = "the bare start is what is compared with")]

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use haft::{Toolbox, core::ToolCall};
use serde_json::json;
use tempfile::TempDir;
use tokio::{process::Command, runtime::Runtime};
use tools_bench::{Times, allowed, ratio};

const ROUNDS: usize = 40;

fn toolbox(folder: &TempDir, workspace: &Path, checkpoints: bool) -> Toolbox {
    let text = format!("[tools.checkpoints]\nenabled = {checkpoints}\n{}", allowed("bash"));
    tools_bench::toolbox(&text, &folder.path().join(checkpoints.to_string()), workspace)
}

/// Files of about four kilobytes, no two alike, fifty to a folder.
fn furnish(workspace: &Path, files: usize) {
    for file in 0..files {
        let folder = workspace.join(format!("d{}/e{}", file / 2500, file / 50));
        if file % 50 == 0 {
            fs::create_dir_all(&folder).expect("a folder");
        }
        let line = format!("line {file} of some text that a source file could hold\n");
        fs::write(folder.join(format!("file-{file}.txt")), line.repeat(20 + file % 120)).expect("a file");
    }
}

async fn through(toolbox: &Toolbox, line: &str) -> Duration {
    let call = ToolCall::new("bash", json!({ "command": line })).expect("a name and an object");
    let start = Instant::now();
    let output = toolbox.stack().dispatch(call, &toolbox.context()).await.expect("it is allowed");
    let took = start.elapsed();
    assert_eq!(output.raw_response.expect("an envelope")["exit_code"], 0);
    took
}

async fn find(workspace: &Path) -> Duration {
    let mut command = Command::new("find");
    command.args([".", "-printf", "%i %s %T@ %C@ %m %p\\n"]).current_dir(workspace);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    assert!(command.status().await.expect("find starts").success());
    start.elapsed()
}

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    println!("env true through the whole stack, {ROUNDS} rounds interleaved");
    for files in [100, 5_000, 50_000] {
        let folder = TempDir::new().expect("a folder");
        let workspace = folder.path().join("workspace");
        fs::create_dir(&workspace).expect("a folder");
        furnish(&workspace, files);
        let (with, without) = (toolbox(&folder, &workspace, true), toolbox(&folder, &workspace, false));
        let first = runtime.block_on(through(&with, "env true"));
        let [mut on, mut off, mut listed, mut changing]: [Times; 4] = std::array::from_fn(|_| Times::default());
        for round in 0..ROUNDS + 3 {
            let times = runtime.block_on(async {
                (
                    through(&without, "env true").await,
                    through(&with, "env true").await,
                    find(&workspace).await,
                    through(&with, "printf x >> d0/e0/file-0.txt").await,
                )
            });
            if round < 3 {
                continue; // warming up
            }
            off.push(times.0);
            on.push(times.1);
            listed.push(times.2);
            changing.push(times.3);
        }
        let added = on.median().saturating_sub(off.median());
        let (times, added_ms) = (ratio(on.median(), off.median()), added.as_secs_f64() * 1e3);
        println!("{files} files");
        println!("  without checkpoints      p50 {:>8.2} ms", off.ms(0.5));
        println!("  with checkpoints         p50 {:>8.2} ms   {times:>5.2} x   added {added_ms:.2} ms", on.ms(0.5));
        println!("  one file changed         p50 {:>8.2} ms", changing.ms(0.5));
        let of_find = ratio(added, listed.median());
        println!("  find . -printf           p50 {:>8.2} ms   added = {of_find:.2} x find", listed.ms(0.5));
        println!("  the first call of all        {:>8.2} ms", first.as_secs_f64() * 1e3);
    }
}
