//! `haft mcp serve` against a bare server of three tools: process start to `initialize` answered,
//! idle memory, small reads one after the other. Both binaries are built first; rounds are
//! interleaved.

use std::{path::PathBuf, time::Duration};

use serde_json::json;
use tempfile::TempDir;
use tools_bench::{Server, Times, ratio, release};

const STARTS: usize = 60;
const READS: usize = 4000;
const BLOCK: usize = 200;

/// One small read.
fn read(server: &mut Server, tool: &str, path: &str) -> Duration {
    let (time, answer) = server.call(tool, &json!({"path": path}));
    assert!(answer["result"]["content"][0]["text"].is_string(), "{answer}");
    time
}

fn main() {
    let binaries = release(&[&["-p", "haft-cli"], &["-p", "tools-mcp", "--example", "bare"]]);
    let folder = TempDir::new().expect("a folder");
    std::fs::write(folder.path().join("small.txt"), "one small line\n".repeat(20)).expect("a file");
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let haft = [text(binaries.join("haft")), "mcp".into(), "serve".into(), "--stdio".into()];
    let bare = [text(binaries.join("examples/bare"))];

    let (mut starts_haft, mut starts_bare) = (Times::default(), Times::default());
    for _ in 0..STARTS {
        for (command, times) in [(&haft[..], &mut starts_haft), (&bare[..], &mut starts_bare)] {
            let (server, took) = Server::start(command, folder.path());
            times.push(took);
            server.stop();
        }
    }
    let (mut server, _) = Server::start(&haft, folder.path());
    let (mut floor, _) = Server::start(&bare, folder.path());
    std::thread::sleep(Duration::from_millis(200));
    let idle = (server.resident(), floor.resident());
    let (mut reads_haft, mut reads_bare) = (Times::default(), Times::default());
    for _ in 0..READS / BLOCK {
        (0..BLOCK).for_each(|_| reads_haft.push(read(&mut server, "read", "small.txt")));
        (0..BLOCK).for_each(|_| reads_bare.push(read(&mut floor, "read", "small.txt")));
    }
    let after = server.resident();
    server.stop();
    floor.stop();

    println!(
        "start to `initialize` answered, {STARTS} rounds: haft p50 {:.2} ms, bare p50 {:.2} ms, {:.2} x",
        starts_haft.ms(0.5),
        starts_bare.ms(0.5),
        ratio(starts_haft.median(), starts_bare.median())
    );
    println!("idle memory: haft {} KiB, bare {} KiB; haft after {READS} reads {after} KiB", idle.0, idle.1);
    println!(
        "small reads one after the other, {READS}: haft p50 {:.3} ms, bare p50 {:.3} ms; haft reaches {:.2} x of bare's rate",
        reads_haft.ms(0.5),
        reads_bare.ms(0.5),
        ratio(reads_bare.median(), reads_haft.median())
    );
}
