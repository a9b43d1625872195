//! What a result from the cache costs against making it again: through the whole stack, with the
//! cache and without it, round by round. The trees are unchanged throughout, so what is measured of
//! a hit is mostly looking whether they are.

use std::{fmt::Write as _, path::Path, time::Duration};

use haft::Toolbox;
use haft::core::{NobodyToAsk, ToolCall};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tools_bench::{Times, compare, target, timed, tree};

fn main() {
    let folder = target().join("bench");
    std::fs::create_dir_all(&folder).expect("a folder");
    let state = TempDir::new_in(&folder).expect("a folder");
    let runtime = Runtime::new().expect("a runtime");

    let work = state.path().join("work");
    std::fs::create_dir(&work).expect("a folder");
    for (name, bytes) in [("small", 1 << 10), ("middle", 32 << 10), ("large", 240 << 10)] {
        std::fs::write(work.join(name), lines(bytes)).expect("it can be written");
    }
    for (name, count) in [("few", 20), ("many", 1000)] {
        std::fs::create_dir(work.join(name)).expect("a folder");
        for file in 0..count {
            std::fs::write(work.join(name).join(format!("file-{file}.rs")), "x").expect("it can be written");
        }
    }
    // What was made just now is not kept.
    std::thread::sleep(Duration::from_millis(50));
    let read = |name: &str| (format!("`read` of a {name} file"), "read", json!({"path": name}), 2000);
    let list = |name: &str| (format!("`list_directory` of {name}"), "list_directory", json!({"path": name}), 1000);
    let small = [read("small"), read("middle"), read("large"), list("few"), list("many")];
    measure(&runtime, state.path(), &work, &small);

    let made = tree::make(&folder).expect("the tree can be made");
    println!("{} files, {} bytes", made.files, made.bytes);
    let grep = |what: &str, pattern: &str| (format!("`grep`, {what}"), "grep", json!({"pattern": pattern}), 15);
    let find = |what: &str, glob: &str| (format!("`find_path`, {what}"), "find_path", json!({"pattern": glob}), 30);
    let large = [
        grep("many hits", tree::LITERAL),
        grep("a rare one", tree::RARE),
        grep("no hit", tree::ABSENT),
        find("many hits", "**/*.rs"),
        find("no hit", "**/no-such-*.xyz"),
    ];
    measure(&runtime, state.path(), &made.path.canonicalize().expect("it was made"), &large);
}

fn lines(bytes: usize) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "line {} of a file that somebody may want to read again", text.len());
    }
    text
}

fn measure(runtime: &Runtime, state: &Path, work: &Path, calls: &[(String, &str, Value, u32)]) {
    let toolbox = |enabled: bool| {
        let text = format!("[tools.result_cache]\nenabled = {enabled}\n");
        tools_bench::toolbox(&text, &state.join(enabled.to_string()), work)
    };
    let (with, without) = (toolbox(true), toolbox(false));
    for (what, tool, params, rounds) in calls {
        let call = |toolbox: &Toolbox| {
            let call = ToolCall::new(tool, params.clone()).expect("a call");
            timed(|| runtime.block_on(toolbox.call(call, &toolbox.context(), &NobodyToAsk))).0
        };
        let (mut hits, mut misses, mut runs) = (Times::default(), Times::default(), Times::default());
        call(&with);
        for round in 0..*rounds {
            hits.push(call(&with));
            runs.push(call(&without));
            if round % 3 == 0 {
                with.parts().cache.results().clear();
                misses.push(call(&with));
            }
        }
        compare(&format!("{what} from the cache"), &hits, "without one", &runs);
        compare(&format!("{what}, kept for the next time"), &misses, "without one", &runs);
    }
    println!("{:?}", with.parts().cache.results().metrics());
}
