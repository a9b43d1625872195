//! `grep` against `rg` and `find_path` against `fd` with the same options, in this process and over
//! MCP, on the made-up tree. Rounds are interleaved; what is not installed is left out and said.

#![expect(clippy::disallowed_methods, reason = "the references are measured as a person would start them")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use haft::core::ToolCall;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tools_bench::{Server, Times, compare, release, target, timed, tree};

const ROUNDS: usize = 15;

/// One search, ours and theirs.
struct Search {
    name: &'static str,
    tool: &'static str,
    arguments: Value,
    reference: Option<Vec<String>>,
}

fn installed(names: &[&'static str]) -> Option<&'static str> {
    let found = names.iter().copied().find(|name| Command::new(name).arg("--version").output().is_ok());
    if found.is_none() {
        println!("{} is not installed: not compared", names.join(" or "));
    }
    found
}

fn searches(top: &Path) -> Vec<Search> {
    let (rg, fd) = (installed(&["rg"]), installed(&["fd", "fdfind"]));
    let top = top.to_string_lossy().into_owned();
    let grep = |name, pattern: &str, literal: bool| {
        let mut reference: Option<Vec<String>> = rg.map(|program| {
            let options = ["--line-number", "--no-heading", "--color=never", "--hidden", "--glob=!.git"];
            [program].into_iter().chain(options).map(str::to_owned).collect()
        });
        if let Some(command) = &mut reference {
            command.extend(literal.then(|| "--fixed-strings".to_owned()));
            command.extend(["-e".to_owned(), pattern.to_owned(), top.clone()]);
        }
        let arguments = json!({"pattern": pattern, "literal": literal, "limit": 20_000});
        Search { name, tool: "grep", arguments, reference }
    };
    let find = |name, pattern: &str| Search {
        name,
        tool: "find_path",
        arguments: json!({"pattern": format!("**/{pattern}"), "limit": 50_000}),
        reference: fd.map(|program| {
            let command = [program, "--color=never", "--hidden", "--exclude=.git", "--glob", pattern, &top];
            command.map(str::to_owned).to_vec()
        }),
    };
    vec![
        grep("grep, literal", tree::LITERAL, true),
        grep("grep, regex", tree::REGEX, false),
        grep("grep, rare", tree::RARE, true),
        grep("grep, no hit", tree::ABSENT, true),
        find("find_path, by extension", "*.rs"),
        find("find_path, no hit", "no-such-*.xyz"),
    ]
}

fn outside(command: &[String]) -> (Duration, usize) {
    let run = || Command::new(&command[0]).args(&command[1..]).stderr(Stdio::null()).output().expect("it runs");
    let (time, output) = timed(run);
    (time, String::from_utf8_lossy(&output.stdout).lines().count())
}

/// Lines of the result that are not remarks.
fn lines(text: &str) -> usize {
    text.lines().filter(|line| !line.starts_with('[')).count()
}

fn main() {
    let binaries = release(&[&["-p", "haft-cli"]]);
    let folder = target().join("bench");
    std::fs::create_dir_all(&folder).expect("a folder");
    let tree = tree::make(&folder).expect("the tree can be made");
    let path = tree.path.canonicalize().expect("it was made");
    println!("{} files, {} bytes, {ROUNDS} rounds", tree.files, tree.bytes);
    let state = TempDir::new().expect("a folder");
    // What is compared is a search each time.
    let config = "[tools.result_cache]\nenabled = false\n";
    std::fs::create_dir(state.path().join("haft")).expect("a folder");
    std::fs::write(state.path().join("haft/config.toml"), config).expect("a file");
    let toolbox = tools_bench::toolbox(config, state.path(), &path);
    let runtime = Runtime::new().expect("a runtime");
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let command =
        [text(&binaries.join("haft")), "mcp".into(), "serve".into(), "--stdio".into(), "--workdir".into(), text(&path)];
    let (mut server, _) = Server::start(&command, state.path());
    for search in searches(&path) {
        let Some(reference) = &search.reference else { continue };
        let [mut here, mut over, mut theirs, mut first]: [Times; 4] = Default::default();
        for round in 0..=ROUNDS {
            let (outside_time, expected) = outside(reference);
            let call = |arguments: &Value| {
                let call = ToolCall::new(search.tool, arguments.clone()).expect("a call");
                timed(|| runtime.block_on(toolbox.stack().dispatch(call, &toolbox.context())).expect("it is found"))
            };
            let (here_time, output) = call(&search.arguments);
            let (over_time, answer) = server.call(search.tool, &search.arguments);
            let mut capped = search.arguments.clone();
            capped.as_object_mut().expect("an object").remove("limit");
            let (first_time, _) = call(&capped);
            if round == 0 {
                let said = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
                println!(
                    "{}: {expected} lines from {}, {} here, {} over MCP as far as shown",
                    search.name,
                    reference[0],
                    lines(&output.summary),
                    lines(said)
                );
                continue; // the first is for the caches
            }
            theirs.push(outside_time);
            here.push(here_time);
            over.push(over_time);
            first.push(first_time);
        }
        compare(&format!("{}, in process", search.name), &here, &reference[0], &theirs);
        compare(&format!("{}, over MCP", search.name), &over, &reference[0], &theirs);
        compare(&format!("{}, in process with the usual limit", search.name), &first, &reference[0], &theirs);
    }
    server.stop();
}
