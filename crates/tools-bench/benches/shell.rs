//! What the shell costs beyond starting a command: taking a line apart, ending a tree that is out
//! of time, and draining more output than anyone keeps.
//!
//! Draining is compared with `cat` to `/dev/null` through a pipe of the same bytes in the same run.

#![expect(clippy::disallowed_methods, reason = "the bare pipe is what is compared with")]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use haft::{Toolbox, core::ToolCall};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tools_bench::{Times, allowed, ratio};

/// A hundred and twenty processes, half of them in sessions of their own, that ignore the polite
/// signal.
const TREE: &str = "trap '' TERM; for i in $(seq 40); do (trap '' TERM; setsid sleep 60 & sleep 60) & done; wait";

fn toolbox(folder: &TempDir, seconds: u64) -> Toolbox {
    // With no grace nothing is waited for but the kernel.
    let text = format!("[tools.shell]\ntimeout = {seconds}\nkill_grace_ms = 0\n{}", allowed("bash"));
    tools_bench::toolbox(&text, &folder.path().join(seconds.to_string()), &folder.path().join("workspace"))
}

fn envelope(runtime: &Runtime, toolbox: &Toolbox, command: &str) -> Value {
    let call = ToolCall::new("bash", json!({ "command": command })).expect("a name and an object");
    match runtime.block_on(toolbox.stack().dispatch(call, &toolbox.context())) {
        Ok(output) => output.raw_response.expect("an envelope"),
        Err(error) => error.output().and_then(|output| output.raw_response.clone()).expect("an envelope"),
    }
}

fn analysis(runtime: &Runtime, toolbox: &Toolbox) {
    let typical = "cd app && RUST_LOG=debug timeout 60 cargo test --workspace 2>&1 | tail -80 > out.txt; git status";
    let piece = "if a \"$x\" `b`; then c $(d) | e > f; fi\n";
    println!("taking a line apart and judging it (explain)");
    for (name, line) in [
        ("a typical line", typical.to_owned()),
        ("32 KiB", piece.repeat(32 * 1024 / piece.len())),
        ("the longest accepted, 128 KiB", piece.repeat(128 * 1024 / piece.len())),
        ("128 KiB of one word", "a".repeat(128 * 1024)),
        ("128 KiB of `$(`", "$(".repeat(64 * 1024)),
    ] {
        let mut times = Times::default();
        let call = ToolCall::new("bash", json!({ "command": line })).expect("a name and an object");
        for round in 0..60 {
            let start = Instant::now();
            let _ = runtime.block_on(toolbox.stack().inspect(call.clone(), &toolbox.context()));
            if round >= 10 {
                times.push(start.elapsed());
            }
        }
        println!("  {name:<34} p50 {:>8.1} µs", times.median().as_secs_f64() * 1e6);
    }
}

fn ending(runtime: &Runtime, toolbox: &Toolbox) {
    let mut times = Times::default();
    for _ in 0..10 {
        let start = Instant::now();
        envelope(runtime, toolbox, TREE);
        times.push(start.elapsed().saturating_sub(Duration::from_secs(1)));
    }
    println!("from the time limit to the answer that the whole tree (121 processes, SIGTERM ignored) is gone");
    println!("  p50 {:.1} ms   p90 {:.1} ms", times.ms(0.5), times.ms(0.9));
}

fn draining(runtime: &Runtime, toolbox: &Toolbox) {
    println!("draining 2 GiB");
    for (name, line) in [
        ("yes | head -c 2G", "yes | head -c 2G"),
        ("one line of 2 GiB", "head -c 2G /dev/zero | tr '\\0' x"),
        ("zeros", "head -c 2G /dev/zero"),
    ] {
        let start = Instant::now();
        let piped = format!("{{ {line}; }} | cat > /dev/null");
        let status = Command::new("bash").args(["-c", &piped]).stdin(Stdio::null()).status().expect("bash");
        assert!(status.success());
        let bare = start.elapsed();
        let start = Instant::now();
        let envelope = envelope(runtime, toolbox, line);
        let drained = start.elapsed();
        assert_eq!((&envelope["exit_code"], &envelope["truncated"]), (&json!(0), &json!(true)), "{envelope}");
        println!(
            "  {name:<20} {:>5.0} MB/s   {:.2} x the time of `| cat > /dev/null`   peak of this process {} MiB",
            2.0_f64.powi(31) / 1e6 / drained.as_secs_f64(),
            ratio(drained, bare),
            peak_mib()
        );
    }
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() / 1024
}

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    let folder = TempDir::new().expect("a folder");
    let patient = toolbox(&folder, 600);
    analysis(&runtime, &patient);
    draining(&runtime, &patient);
    ending(&runtime, &toolbox(&folder, 1));
}
