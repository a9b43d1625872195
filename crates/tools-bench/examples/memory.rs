//! The memory of `haft mcp serve` after many calls of all kinds, against that of a server that has
//! just started.
//!
//! `cargo run --release -p tools-bench --example memory -- target/release/haft 100000` prints
//! resident memory as it goes and ends with 1 where it grew by more than 16 MiB.

use std::{path::Path, process::ExitCode, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tools_bench::Server;

/// What resident memory may grow by, in KiB.
const MAX_GROWTH: u64 = 16 * 1024;
/// What lets every call of the mix run.
const RULES: &str = "[tools.permissions]\n\
    bash = [{pattern = \"*\", action = \"allow\"}]\n\
    write = [{pattern = \"**\", action = \"allow\"}]\n\
    edit = [{pattern = \"**\", action = \"allow\"}]\n\
    delete_path = [{pattern = \"**\", action = \"allow\"}]\n";

/// The call of a number: of a hundred, three run a command, and ten fail.
fn mixed(number: usize) -> (&'static str, Value) {
    let file = format!("src/{}.txt", number % 50);
    match number % 100 {
        0..40 => ("read", json!({"path": file})),
        40..55 => ("grep", json!({"pattern": format!("file {}$", number % 7)})),
        55..65 => ("list_directory", json!({"path": "src"})),
        65..75 => ("find_path", json!({"pattern": "**/*.txt"})),
        75..82 => ("write", json!({"path": format!("out/{}.txt", number % 20), "content": format!("{number}\n")})),
        // Of a file that lies there unchanged since `write`.
        82..87 => {
            ("edit", json!({"path": format!("out/{}.txt", (number - 7) % 20), "old_string": "\n", "new_string": "!\n"}))
        }
        87 => ("bash", json!({"command": "echo done"})),
        88 => ("bash", json!({"command": "seq 1 2000"})),
        89 => ("bash", json!({"command": "ls src; exit 3"})),
        90..94 => ("read", json!({"path": format!("missing/{number}")})),
        94..97 => ("read", json!({"pth": "README.md"})),
        _ => ("no_such_tool", json!({"number": number})),
    }
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let binary = arguments.next().unwrap_or_else(|| "target/release/haft".to_owned());
    let calls: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(100_000);
    let binary = Path::new(&binary).canonicalize().expect("the binary is built").to_string_lossy().into_owned();
    let (home, folder) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
    for number in 0..50 {
        let text = format!("a line of file {number}\n").repeat(200);
        std::fs::create_dir_all(folder.path().join("src")).expect("a folder is made");
        std::fs::write(folder.path().join(format!("src/{number}.txt")), text).expect("a file is written");
    }
    std::fs::create_dir_all(home.path().join("haft")).expect("a folder is made");
    let config = home.path().join("haft/config.toml");
    std::fs::write(&config, RULES).expect("a file is written");
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let command = [
        binary,
        "--config".into(),
        text(&config),
        "--workdir".into(),
        text(folder.path()),
        "mcp".into(),
        "serve".into(),
    ];
    let (mut server, _) = Server::start(&command, home.path());
    server.request("tools/list", &json!({}));
    std::thread::sleep(Duration::from_millis(500));
    let idle = server.resident();
    println!("idle: {idle} KiB");
    let mut failed = 0;
    for number in 0..calls {
        let (tool, arguments) = mixed(number);
        let answer = server.request("tools/call", &json!({"name": tool, "arguments": arguments}));
        failed += usize::from(answer["result"]["isError"] != false);
        if (number + 1) % (calls / 10).max(1) == 0 {
            println!("after {} calls: {} KiB", number + 1, server.resident());
        }
    }
    std::thread::sleep(Duration::from_millis(500));
    let after = server.resident();
    server.stop();
    let growth = after.saturating_sub(idle);
    println!("{calls} calls, {failed} of them failed: grew by {growth} KiB (limit {MAX_GROWTH} KiB)");
    ExitCode::from(u8::from(growth > MAX_GROWTH))
}
