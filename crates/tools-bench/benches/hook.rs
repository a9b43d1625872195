//! `haft hook` from the start of the process to its answer, with 1,000 rules configured, against a
//! start of the binary that does nothing and one of a shell: `cargo bench -p tools-bench --bench
//! hook -- ROUNDS`. The answer may take 15 ms (p50).

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed run")]
#![expect(clippy::disallowed_methods, reason = "the binary is started as a host would start it")]

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tools_bench::{Times, compare, release};

const RULES: usize = 1_000;
const GOAL: Duration = Duration::from_millis(15);

fn main() {
    let rounds = std::env::args().find_map(|word| word.parse::<usize>().ok()).unwrap_or(200);
    let binaries = release(&[&["-p", "haft-cli"]]);
    let haft = binaries.join("haft");
    let haft = haft.to_str().unwrap();
    let folder = tempfile::TempDir::new_in("/var/tmp").unwrap();
    let home = folder.path().canonicalize().unwrap();
    let (config, workspace) = (home.join(".config/haft"), home.join("project"));
    fs::create_dir_all(&config).unwrap();
    fs::create_dir_all(&workspace).unwrap();
    fs::write(config.join("config.toml"), rules()).unwrap();

    let mut all = Vec::new();
    for (host, event, tool) in [
        ("claude-code", "PreToolUse", "Bash"),
        ("codex", "PreToolUse", "Bash"),
        ("gemini", "BeforeTool", "run_shell_command"),
    ] {
        let input = home.join(format!("{host}.json"));
        let call = json!({
            "session_id": "s", "cwd": workspace, "hook_event_name": event, "tool_name": tool,
            "tool_input": {"command": "cargo test && git status --short | head -20 && tool-777 run ./src"},
        });
        fs::write(&input, call.to_string()).unwrap();
        let hook = [haft, "hook", host, "--exec"];
        let said = String::from_utf8(answer(&hook, &home, &input)).unwrap();
        assert!(said.contains("exec") && !said.contains("asks"), "a call that the rules allow is measured: {said}");
        let [mut judged, mut nothing, mut shell]: [Times; 3] = std::array::from_fn(|_| Times::default());
        for round in 0..rounds + 10 {
            let times = [
                took(&hook, &home, &input),
                took(&[haft, "--version"], &home, &input),
                took(&["bash", "--norc", "-c", ":"], &home, &input),
            ];
            if round >= 10 {
                judged.push(times[0]);
                nothing.push(times[1]);
                shell.push(times[2]);
            }
        }
        compare(&format!("hook {host}, {RULES} rules"), &judged, "haft --version", &nothing);
        compare(&format!("hook {host}, {RULES} rules"), &judged, "bash -c :", &shell);
        println!("hook {host}: p95 {:.2} ms", judged.ms(0.95));
        all.push((host, judged.median()));
    }
    for (host, median) in all {
        println!("hook {host}: {} 15 ms (p50)", if median <= GOAL { "within" } else { "NOT within" });
    }
}

/// As many rules as a company may hand to everybody, and those that the measured call needs.
fn rules() -> String {
    let mut text = String::new();
    for number in 0..RULES - 3 {
        let action = ["allow", "ask", "deny"][number % 3];
        // The measured call is one of those that are allowed.
        let action = if number == 777 { "allow" } else { action };
        let _ = write!(text, "[[tools.permissions.bash]]\npattern = \"tool-{number} *\"\naction = \"{action}\"\n");
    }
    for pattern in ["cargo *", "git status*", "head *"] {
        let _ = write!(text, "[[tools.permissions.bash]]\npattern = \"{pattern}\"\naction = \"allow\"\n");
    }
    text
}

fn command(words: &[&str], home: &Path, input: &Path) -> Command {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home);
    command.stdin(File::open(input).unwrap()).stderr(Stdio::null());
    command
}

fn answer(words: &[&str], home: &Path, input: &Path) -> Vec<u8> {
    command(words, home, input).output().unwrap().stdout
}

fn took(words: &[&str], home: &Path, input: &Path) -> Duration {
    let begun = Instant::now();
    let output = command(words, home, input).output().unwrap();
    let took = begun.elapsed();
    assert!(output.status.success(), "{words:?}");
    took
}
