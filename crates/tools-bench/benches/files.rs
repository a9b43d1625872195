//! Reading, opening, editing and listing against the same work done with system calls or `ls`,
//! interleaved.

#![expect(clippy::disallowed_methods, reason = "what is measured is compared with plain calls and a plain program")]

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use haft::Toolbox;
use haft::core::{Shared, Stack, ToolCall};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tools_bench::{Times, allowed, compare, timed};
use tools_file::FileConfig;
use tools_sandbox::Roots;

const WIDTH: usize = 100;
const LINES: usize = 10_737_419;
const ENTRIES: usize = 100_000;
/// Openings that are timed together.
const EACH: u32 = 2000;

struct Bench {
    folder: TempDir,
    toolbox: Toolbox,
    runtime: Runtime,
}

impl Bench {
    fn new() -> Self {
        // Not in memory: what is written to the disk is to be written to a disk.
        let place = tools_bench::target();
        let folder = TempDir::new_in(place).expect("a folder");
        fs::create_dir_all(folder.path().join("root/deep/er")).expect("a folder");
        let text = allowed("edit")
            + &allowed("write")
            + "[tools.file]\nread_bytes = 10000000\n[tools.result_cache]\nenabled = false\n";
        let root = folder.path().join("root").canonicalize().expect("it was made");
        let toolbox = tools_bench::toolbox(&text, folder.path(), &root);
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { folder, toolbox, runtime }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().canonicalize().expect("it was made").join("root").join(name)
    }

    /// The whole stack, from the call to the text.
    fn call(&self, tool: &str, arguments: &Value) -> (std::time::Duration, String) {
        self.tool(self.toolbox.stack(), tool, arguments)
    }

    /// The tool alone.
    fn tool(&self, stack: &Stack, tool: &str, arguments: &Value) -> (std::time::Duration, String) {
        let call = ToolCall::new(tool, arguments.clone()).expect("a call");
        let cx = self.toolbox.context();
        let (time, outcome) = timed(|| self.runtime.block_on(stack.dispatch(call, &cx)));
        (time, outcome.expect("it works").summary)
    }
}

fn window(bench: &Bench, stack: &Stack) {
    let big = bench.path("big.txt");
    let mut file = BufWriter::with_capacity(1 << 20, File::create(&big).expect("a file"));
    for number in 0..LINES {
        writeln!(file, "{number:0width$}", width = WIDTH - 1).expect("room for a gigabyte");
    }
    drop(file);
    let file = File::open(&big).expect("it was made");
    println!("a file of {} bytes, 2,000 lines of it", file.metadata().expect("it is open").len());
    for (what, offset) in [("from the start", 0), ("from the middle", LINES / 2), ("at the end", LINES - 2000)] {
        let [mut ours, mut stacked, mut window, mut way]: [Times; 4] = Default::default();
        for round in 0..12 {
            let arguments = json!({"path": "big.txt", "offset": offset, "limit": 2000});
            let (time, text) = bench.tool(stack, "read", &arguments);
            assert!(text.contains(&format!("\t{:0width$}\n", offset + 1999, width = WIDTH - 1)), "{what}");
            let (through, _) = bench.call("read", &arguments);
            // Into memory of its own, as a text that is given away needs it.
            let pread = |from: usize, to: usize| {
                let (time, ()) = timed(|| {
                    let mut buffer = vec![0; (to - from).min(256 * 1024)];
                    let mut at = from as u64;
                    while at < to as u64 {
                        let most = buffer.len().min(usize::try_from(to as u64 - at).unwrap_or(usize::MAX));
                        at += file.read_at(&mut buffer[..most], at).expect("it can be read") as u64;
                    }
                });
                time
            };
            let (only, all) = (pread(offset * WIDTH, (offset + 2000) * WIDTH), pread(0, (offset + 2000) * WIDTH));
            if round > 1 {
                ours.push(time);
                stacked.push(through);
                window.push(only);
                way.push(all);
            }
        }
        compare(&format!("read {what}"), &ours, "pread up to its end", &way);
        compare(&format!("read {what}"), &ours, "pread of the window alone", &window);
        compare(&format!("read {what}, whole stack"), &stacked, "pread up to its end", &way);
    }
    fs::remove_file(big).expect("it was made");
}

fn opening(bench: &Bench) {
    fs::write(bench.path("deep/er/file.txt"), "text\n").expect("a file");
    let root = bench.path("");
    let roots = Roots::open(&[], &root).expect("a root");
    let directory = roots.open_directory(Path::new("deep/er"), &root).expect("a directory");
    let absolute = bench.path("deep/er/file.txt");
    let [mut beneath, mut judged, mut single, mut plain, mut known, mut checked]: [Times; 6] = Default::default();
    for _ in 0..25 {
        let each = |times: &mut Times, work: &mut dyn FnMut()| {
            let (time, ()) = timed(|| (0..EACH).for_each(|_| work()));
            times.push(time / EACH);
        };
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC;
        let resolve = rustix::fs::ResolveFlags::BENEATH | rustix::fs::ResolveFlags::NO_MAGICLINKS;
        let handle = File::open(&root).expect("it is there");
        each(&mut beneath, &mut || {
            let mode = rustix::fs::Mode::empty();
            drop(rustix::fs::openat2(&handle, "deep/er/file.txt", flags, mode, resolve).expect("it is there"));
        });
        each(&mut judged, &mut || drop(roots.open_file(Path::new("deep/er/file.txt"), &root).expect("it is there")));
        each(&mut single, &mut || drop(directory.open("file.txt".as_ref()).expect("it is there")));
        each(&mut plain, &mut || drop(File::open(&absolute).expect("it is there")));
        each(&mut known, &mut || {
            let file = File::open(&absolute).expect("it is there");
            assert!(file.metadata().expect("it is open").is_file());
        });
        each(&mut checked, &mut || {
            let file = File::open(absolute.canonicalize().expect("it is there")).expect("it is there");
            assert!(file.metadata().expect("it is open").is_file());
        });
    }
    compare("openat2 beneath the root, 3 components", &beneath, "plain open", &plain);
    compare("open in a directory held open", &single, "plain open", &plain);
    compare("open beneath, with canonical path and metadata", &judged, "plain open alone", &plain);
    compare("open beneath, with canonical path and metadata", &judged, "open, stat", &known);
    compare("open beneath, with canonical path and metadata", &judged, "canonicalize, open, stat", &checked);
}

fn small(bench: &Bench) {
    fs::write(bench.path("small.txt"), "one small line\n".repeat(20)).expect("a file");
    let mut times = Times::default();
    for _ in 0..5000 {
        times.push(bench.call("read", &json!({"path": "small.txt"})).0);
    }
    println!("small read, whole stack: p50 {:?}, p90 {:?}", times.median(), times.quantile(0.9));
}

fn edit(bench: &Bench) {
    let line = "    let value = compute(&input, 42)?; // what a line of a large source file looks like\n";
    let mut text: String = (0..).map(|n| format!("{n:08} {line}")).take(1024 * 1024 / (line.len() + 9)).collect();
    text.push_str("marker = 0\n");
    fs::write(bench.path("edited.txt"), &text).expect("a file");
    let (mut ours, mut plain) = (Times::default(), Times::default());
    for round in 0..60 {
        let arguments = json!({
            "path": "edited.txt",
            "old_string": format!("marker = {round}\n"),
            "new_string": format!("marker = {}\n", round + 1),
        });
        ours.push(bench.call("edit", &arguments).0);
        let (temporary, real) = (bench.path("plain.tmp"), bench.path("plain.txt"));
        let (time, ()) = timed(|| {
            let mut file = File::create(&temporary).expect("a file");
            file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).expect("it is written");
            fs::rename(&temporary, &real).expect("it is renamed");
        });
        plain.push(time);
    }
    compare(&format!("edit of {} bytes, whole stack", text.len()), &ours, "write, fsync, rename", &plain);
}

fn listing(bench: &Bench) {
    let many = bench.path("many");
    fs::create_dir(&many).expect("a folder");
    for number in 0..ENTRIES {
        File::create(many.join(format!("entry_{number:06}.txt"))).expect("a file");
    }
    let [mut usual, mut whole, mut ls, mut long]: [Times; 4] = Default::default();
    let ls_with = |option: &str| {
        let run = || Command::new("ls").arg(option).arg(&many).stdout(Stdio::piped()).output().expect("it runs");
        let (time, output) = timed(run);
        assert!(output.stdout.len() > ENTRIES * 10);
        time
    };
    for round in 0..12 {
        let times = (
            bench.call("list_directory", &json!({"path": "many"})).0,
            bench.call("list_directory", &json!({"path": "many", "limit": ENTRIES})).0,
            ls_with("-f"),
            ls_with("-ls"),
        );
        if round > 1 {
            usual.push(times.0);
            whole.push(times.1);
            ls.push(times.2);
            long.push(times.3);
        }
    }
    compare("listing 100,000 entries", &usual, "ls -f", &ls);
    compare("listing 100,000 entries, all shown with sizes", &whole, "ls -f", &ls);
    compare("listing 100,000 entries, all shown with sizes", &whole, "ls -ls", &long);
}

fn main() {
    let bench = Bench::new();
    let config = FileConfig { read_bytes: 10_000_000, ..FileConfig::default() };
    let policy = config.compile(&bench.path(""), None).expect("it is valid");
    let alone = Stack::new(Vec::new(), tools_file::executor(Shared::new(policy)));
    small(&bench);
    opening(&bench);
    edit(&bench);
    listing(&bench);
    window(&bench, &alone);
}
