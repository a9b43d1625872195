//! `bash -c /bin/true` through the whole stack, confined, against the same started bare and under
//! bubblewrap.
//!
//! Interleaved round by round, so that a busy machine slows all of them alike. Prints medians and
//! ratios.

#![expect(clippy::disallowed_methods, reason = "the bare start is what is compared with")]

use std::process::Stdio;

use haft::{Toolbox, core::ToolCall};
use serde_json::json;
use tempfile::TempDir;
use tokio::{process::Command, runtime::Runtime};
use tools_bench::{Times, ratio};

const ROUNDS: usize = 200;

fn toolbox(folder: &TempDir, sandbox: &str) -> Toolbox {
    let text = format!(
        "[tools.shell]\nsandbox = \"{sandbox}\"\nnetwork = \"off\"\n\
         [[tools.permissions.bash]]\npattern = \"/bin/true\"\naction = \"allow\"\n"
    );
    tools_bench::toolbox(&text, &folder.path().join(sandbox), &folder.path().join("workspace"))
}

async fn spawned(program: &str, arguments: &[&str]) {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.output().await.expect("it starts");
    assert!(output.status.success(), "{program} {arguments:?}: {output:?}");
}

async fn through(toolbox: &Toolbox) {
    let call = ToolCall::new("bash", json!({"command": "/bin/true"})).expect("a name and an object");
    let output = toolbox.stack().dispatch(call, &toolbox.context()).await.expect("it is allowed");
    assert_eq!(output.raw_response.expect("an envelope")["exit_code"], 0);
}

const BASH: [&str; 4] = ["--norc", "--noprofile", "-c", "/bin/true"];
const BWRAP: [&str; 16] = [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    "--cap-drop",
    "ALL",
    "--",
    "bash",
];

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    let folder = TempDir::new().expect("a folder");
    let (confining, open) = (toolbox(&folder, "best-effort"), toolbox(&folder, "off"));
    let has_bwrap = std::process::Command::new("bwrap").arg("--version").output().is_ok();
    let bwrap: Vec<&str> = BWRAP.iter().chain(BASH.iter()).copied().collect();

    let [mut bare, mut confined, mut unconfined, mut wrapped]: [Times; 4] = std::array::from_fn(|_| Times::default());
    for round in 0..ROUNDS + 10 {
        let times = runtime.block_on(async {
            let bare = timed_async(spawned("bash", &BASH)).await;
            let confined = timed_async(through(&confining)).await;
            let unconfined = timed_async(through(&open)).await;
            let wrapped = if has_bwrap { Some(timed_async(spawned("bwrap", &bwrap)).await) } else { None };
            (bare, confined, unconfined, wrapped)
        });
        if round < 10 {
            continue; // warming up
        }
        bare.push(times.0);
        confined.push(times.1);
        unconfined.push(times.2);
        if let Some(time) = times.3 {
            wrapped.push(time);
        }
    }
    let row = |name: &str, times: &Times| {
        println!(
            "{name:<44} p50 {:>7.2} ms   p90 {:>7.2} ms   {:>5.2} x bare",
            times.ms(0.5),
            times.ms(0.9),
            ratio(times.median(), bare.median())
        );
    };
    println!("bash -c /bin/true, {ROUNDS} rounds interleaved");
    row("bare, tokio::process", &bare);
    row("haft, whole stack, sandbox = off", &unconfined);
    row("haft, whole stack, confined, no network", &confined);
    if has_bwrap {
        row("bwrap, the same namespaces", &wrapped);
    } else {
        println!("bwrap is not installed: left out");
    }
}

async fn timed_async<F: Future>(body: F) -> std::time::Duration {
    let start = std::time::Instant::now();
    body.await;
    start.elapsed()
}
