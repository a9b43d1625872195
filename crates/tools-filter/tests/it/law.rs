//! The law of failure, over generated outputs and hostile rules: what reports a failure is in the
//! result. `HAFT_LAW_CASES` says how many outputs each law is tried on.

use std::{fmt::Write as _, sync::LazyLock};

use proptest::prelude::*;
use tools_filter::{Exit, FilterConfig, FilterEvent, FilterPipeline, sanitize_output};

/// Lines that report something; `#` becomes a number of its own.
const REPORTS: &[&str] = &[
    "error[E0308]: mismatched types in f#",
    "error: could not compile `crate#` (lib) due to 2 previous errors",
    "thread 'tests::t#' (12) panicked at src/lib.rs:#:9:",
    "assertion `left == right` failed: case #",
    "test tests::case# ... FAILED",
    "test result: FAILED. 3 passed; # failed; 0 ignored",
    "E       ValueError: only # left",
    "FAILED tests/test_core.py::test_#",
    "--- FAIL: TestParse# (0.00s)",
    "    parse_test.go:#: unexpected token",
    "  × renders number # 12ms",
    "AssertionError: expected # to equal 3",
    "CONFLICT (content): Merge conflict in file#.rs",
    "fatal: not a git repository #",
    "src/main#.c:3:9: error: ‘y’ undeclared",
    "make: *** [Makefile:#: app] Error 1",
    "npm error code E#",
    "ERROR: No matching distribution found for pkg==#",
    "java.lang.IllegalStateException: state #",
    "Traceback (most recent call last) #",
    "2026-11-20T04:11:09Z ERROR worker failed job #",
    "kernel: Out of memory: Killed process # (java)",
    "Error: Unsupported argument on main.tf line #",
    "pod-# 0/1 CrashLoopBackOff 7 3m",
    "Segmentation fault (core dumped) #",
    "process exited with code 1#",
    "undefined reference to `symbol#'",
    "error: src/deep/path#.rs is not formatted",
    "tests::quiet# --- FAILED",
    "Main#.java:7: error: cannot find symbol",
    "FAIL src/app#.test.ts > adds",
    "x Build failed in #ms",
    "##[error]Process completed with exit code #.",
    "! [rejected]        main -> main# (fetch first)",
    "panic: runtime error: index out of range [#]",
    "Unhandled rejection Error: connect ECONNREFUSED 127.0.0.1:#",
    "warning: unused import: `std::rc::Rc#`",
    "W291 trailing whitespace in #: warning",
    "level=error msg=\"job # failed\"",
    "Caused by: java.sql.SQLException: deadlock #",
    "{\"level\":\"error\",\"msg\":\"request # failed\"}",
    "{\"level\": \"info\", \"msg\": \"request done\", \"id\": #, \"status\": 503}",
    "{\"reason\":\"compiler-message\",\"message\":{\"level\":\"error\",\"rendered\":\"error: broken #\"}}",
    "{\"type\":\"test\",\"event\":\"failed\",\"name\":\"t#\"}",
    "src/deep/mod#.py:12: a line that says nothing but where",
    "lib/cart.ts(#,5): this one too",
    "bind: EADDRINUSE on port # of this host",
    "read: connection reset by peer #",
    "ENOSPC: write of block #",
    "the store # is locked by another",
    "kernel: watchdog: soft lockup on cpu #",
    "certificate of host # has expired",
    "wanted # rows, expected 4",
    "1 of # cases did not pass",
    "goroutine # [running]:",
    "epoch # loss=nan",
    "SEVERE ledger # lost",
    "テスト # 失敗",
    "échec du lot #",
    "Тест # ошибка",
];

/// Lines of work, and lines that begin or end something.
const WORK: &[&str] = &[
    "2026-11-20T04:11:09Z INFO order # stored",
    "{\"level\":\"info\",\"msg\":\"served #\"}",
    "{\"level\": \"info\", \"msg\": \"request done\", \"id\": #, \"status\": 200}",
    "[#/40] Compiling a thing",
    "Running migration #_add_column ... OK",
    "                 ^",
    "    - continues with more words about it",
    "   Compiling error-chain v0.12.#",
    "running # tests",
    "test parse::error_# ... ok",
    "failures:",
    "---- tests::t# stdout ----",
    "stack backtrace:",
    "   3: core::panicking::panic_fmt",
    "    tests::t#",
    "warning: unused variable: `x#`",
    "  --> src/lib.rs:#:5",
    "   |",
    "test_a.py::test_# PASSED [ 50%]",
    "_______________ test_# _______________",
    "=============== FAILURES ===============",
    "    def test_#(self):",
    "--- PASS: TestA# (0.00s)",
    "  ✓ works # (1 ms)",
    "        FAIL [   0.010s] (4/6) demo tests::t#",
    "  stdout ───",
    "gcc -Wall -c mod_#.c -o mod_#.o",
    "=== RUN   TestA#",
    "        Start #: store",
    "[INFO] Running a.b.Store#Test",
    "a.StoreTest > saves# STARTED",
    "diff --git a/f# b/f#",
    "@@ -1,2 +1,# @@",
    "commit dfafb0492caa#",
    "Author: A <a@example.org>",
    "\tmodified:   src/file#.rs",
    "Untracked files:",
    "a/b/c#.txt",
    "-rw-r--r-- 1 root root # Nov 22 10:00 file#",
    "│   ├── file#",
    "",
    "Collecting package#",
    "hint: try again",
    "plain text #",
    "{\"Action\":\"run\",\"Package\":\"p\",\"Test\":\"T\"}",
    "{\"Action\":\"fail\",\"Package\":\"p\",\"Test\":\"T\"}",
    "{\"reason\":\"compiler-artifact\",\"id\":#}",
    "[",
    "]",
    "{",
    "Traceback:",
    "  File \"/usr/lib/python3.11/json/decoder.py\", line #, in decode",
    "    raise ValueError(#)",
    "    at Object.<anonymous> (/app/node_modules/x/i.js:#:3)",
    "\tat java.base/java.lang.Thread.run(Thread.java:#)",
    "error[E0308]: mismatched types",
    "warning: unused variable",
    "   = note: expected #",
    "help: try #",
    "# | let x = 1;",
    "  |     ^^^ label #",
    "Everything: 0 errors, 0 warnings",
    "test a# ... some output",
    "ok",
    "=============== warnings summary ===============",
    " src/a#.rs | # +++---",
    "a.c: In function ‘f#’:",
    "      |     ^~~~",
    "  ● math › adds #",
    " FAIL  vt/m.test.ts > store > bad #",
    " ❯ vt/m.test.ts:#:22",
    "      # |   const broken = fail(1);",
    "    > # |   expect(error).toBe(1);",
    "        |             ^",
    "     #|     expect(1)",
    "      at Object.toBe (a.test.js:#:23)",
    "  console.log",
    "unformatted: File would be reformatted",
    "   -     old = #",
    "# +     new = 1",
];

const COMMANDS: &[&str] = &[
    "cargo test",
    "cargo nextest run",
    "cargo clippy",
    "cargo build",
    "cargo fmt --check",
    "pytest",
    "go test ./...",
    "jest",
    "dotnet test",
    "git status",
    "git diff",
    "git log -p",
    "git push",
    "git merge x",
    "ls -la",
    "find .",
    "tree",
    "grep -rn x .",
    "cat app.log",
    "docker build .",
    "docker pull x",
    "terraform apply",
    "kubectl get pods",
    "npm install",
    "pip install x",
    "brew install x",
    "apt-get install x",
    "make",
    "gcc a.c",
    "gradle build",
    "go build",
    "npm run build",
    "node a.js",
    "tsc",
    "eslint .",
    "ruff check",
    "mypy .",
    "pylint a",
    "black .",
    "python a.py",
    "curl x",
    "ps aux",
    "cat file",
    "cargo build --message-format=json",
    "go test -json ./...",
    "javac A.java",
    "git diff --stat",
    "git pull",
    "git commit -m x",
    "git stash pop",
    "vite build",
    "isort .",
    "prettier --check .",
    "rspec",
    "mvn test",
    "helm install x",
    "journalctl -u x",
    "ctest -V",
    "ninja -C out",
    "cmake --build out",
    "unknown-command",
];

/// Rules that would drop everything.
const HOSTILE: &str = r#"
[[rules]]
name = "h1"
match = { exact = "h1" }
strategy = { type = "strip_noise", patterns = [".*"] }
[[rules]]
name = "h2"
match = { exact = "h2" }
strategy = { type = "truncate", max_lines = 2, head = 1, tail = 1 }
[[rules]]
name = "h3"
match = { exact = "h3" }
strategy = { type = "keep_matching", patterns = ["plain"] }
[[rules]]
name = "h4"
match = { exact = "h4" }
strategy = { type = "strip_annotated", patterns = ["."], long_output_threshold = 4, keep_head = 1, keep_tail = 1 }
[[rules]]
name = "h5"
match = { exact = "h5" }
strategy = [{ type = "strip_noise", patterns = ["."] }, { type = "truncate", max_lines = 0, head = 0, tail = 0 }, { type = "dedup" }]
"#;

static PIPELINE: LazyLock<FilterPipeline> = LazyLock::new(|| {
    let (pipeline, errors) = FilterPipeline::compile(&FilterConfig::default(), Some(HOSTILE));
    assert_eq!(errors, []);
    pipeline
});

fn pipeline() -> FilterPipeline {
    PIPELINE.clone()
}

/// A line, and whether it reports something.
fn line() -> impl Strategy<Value = (String, bool)> {
    let number = 100_000_u32..999_999;
    let report = (proptest::sample::select(REPORTS), number.clone())
        .prop_map(|(text, n)| (text.replace('#', &n.to_string()), true));
    let work =
        (proptest::sample::select(WORK), number).prop_map(|(text, n)| (text.replace('#', &n.to_string()), false));
    prop_oneof![1 => report, 3 => work]
}

fn exit() -> impl Strategy<Value = Exit> {
    prop_oneof![Just(Exit::Unknown), Just(Exit::Code(0)), Just(Exit::Code(1)), Just(Exit::Code(134))]
}

fn command() -> impl Strategy<Value = String> {
    let all: Vec<String> =
        COMMANDS.iter().map(|command| (*command).to_owned()).chain((1..=5).map(|n| format!("h{n}"))).collect();
    let earlier = prop::collection::vec((proptest::sample::select(all.clone()), select_joint()), 0..3);
    (earlier, proptest::sample::select(all)).prop_map(|(earlier, last)| {
        let earlier = earlier.into_iter().map(|(command, joint)| format!("{command}{joint}"));
        earlier.chain([last]).collect()
    })
}

fn select_joint() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(&["; ", " && ", "\n", " 2>&1 | tail -50; "][..])
}

fn joined(lines: &[(String, bool)]) -> String {
    lines.iter().flat_map(|(line, _)| [line.as_str(), "\n"]).collect()
}

fn cases() -> u32 {
    std::env::var("HAFT_LAW_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(600)
}

/// The words that tell a report from every other line: its longest word with a digit.
fn number(line: &str) -> &str {
    line.split(|c: char| !c.is_ascii_digit()).max_by_key(|word| word.len()).unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn what_reports_a_failure_is_in_the_result(
        lines in prop::collection::vec(line(), 0..90),
        command in command(),
        exit in exit(),
    ) {
        let text = joined(&lines);
        let filtered = pipeline().filter(&command, exit, text.as_bytes()).text;
        for (line, _) in lines.iter().filter(|(_, reports)| *reports) {
            prop_assert!(filtered.contains(number(line)), "`{command}` lost `{line}`:\n{filtered}");
        }
    }

    #[test]
    fn nothing_grows_and_a_failure_is_never_silent(
        lines in prop::collection::vec(line(), 0..60),
        command in command(),
        exit in exit(),
    ) {
        let text = joined(&lines);
        let filtered = pipeline().filter(&command, exit, text.as_bytes()).text;
        prop_assert!(filtered.len() <= text.len(), "`{command}`:\n{filtered}");
        prop_assert!(filtered.trim().is_empty() == text.trim().is_empty(), "`{command}`:\n{text}");
    }

    #[test]
    fn any_bytes_in_any_chunks_give_the_same_text(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        lines in prop::collection::vec(line(), 0..20),
        command in command(),
        size in 1_usize..50,
    ) {
        let text = joined(&lines);
        let input = [text.as_bytes(), &bytes].concat();
        let pipeline = pipeline();
        let whole = pipeline.filter(&command, Exit::Code(1), &input);
        let mut pieces = String::new();
        let mut sink = |event: FilterEvent<'_>| if let FilterEvent::Kept(line) | FilterEvent::Written(line) = event {
            pieces.push_str(line);
            pieces.push('\n');
        };
        let mut stream = pipeline.start(&command, Exit::Code(1));
        for chunk in input.chunks(size) {
            stream.push(chunk, &mut sink);
        }
        let report = stream.finish(&mut sink);
        if !report.ends_with_line_feed && pieces.ends_with('\n') {
            pieces.pop();
        }
        prop_assert_eq!(pieces, whole.text);
        prop_assert_eq!(report, whole.report);
    }
}

/// Programs that builds and tests run.
const PROGRAMS: &[&str] = &[
    "ld",
    "/usr/bin/ld",
    "ar",
    "as",
    "ranlib",
    "strip",
    "gcc",
    "g++-12",
    "cc",
    "clang",
    "collect2",
    "javac",
    "rustc",
    "nvcc",
    "install",
    "mkdir",
    "cp",
    "ln",
    "rm",
    "mv",
    "touch",
    "chmod",
    "echo",
    "bison",
    "flex",
    "protoc",
    "sh",
    "tar",
    "python3",
    "config.status",
    "x86_64-linux-gnu-gcc",
    "ninja",
    "cmake",
    "go",
    "node",
    "java",
    "docker",
    "ld.lld",
    "libtool",
];

/// What they say when they give up, in words that other lines have too; `#` becomes a name.
const MESSAGES: &[&str] = &[
    "cannot find -l#",
    "library for -l# is not here",
    "#.o: file format not recognized",
    "i386 architecture of input file `#.o' is incompatible with i386:x86-64 output",
    "hidden symbol `#' isn't defined",
    "lib#.a: malformed archive",
    "#.o: No space left on device",
    "#: File exists",
    "-r not specified; omitting directory '#'",
    "#: Is a directory",
    "1: #: Text file busy",
    "# -I/usr/include -o # is too long",
];

/// How a runner announces a test (`№` becomes its number), how it tells that it passed, and what
/// may follow when a test ends the run.
#[derive(Debug)]
struct Runner {
    command: &'static str,
    announced: &'static str,
    passed: &'static str,
    ends: &'static [&'static str],
}

const RUNNERS: &[Runner] = &[
    Runner {
        command: "go test -v ./...",
        announced: "=== RUN   Test№",
        passed: "--- PASS: Test№ (0.00s)",
        ends: &[
            "exit status 3\nFAIL\tx\t0.1s\nFAIL",
            "signal: killed\nFAIL\tx\t0.1s\nFAIL\nok  \ty\t0.2s",
            "fatal error: concurrent map writes\n\ngoroutine 9 [running]:\nexit status 2\nFAIL\tx\t0.1s\nFAIL",
        ],
    },
    Runner {
        command: "ctest",
        announced: "        Start №: store",
        passed: " №/999999 Test #№: store ....   Passed    0.01 sec",
        ends: &["Killed"],
    },
    Runner {
        command: "cargo nextest run",
        announced: "        START [         ] demo tests::t№",
        passed: "        PASS [   0.010s] demo tests::t№",
        ends: &["Terminated"],
    },
    Runner {
        command: "jest", announced: " RUNS  src/a№.test.ts", passed: "PASS src/a№.test.ts", ends: &["Killed"]
    },
    Runner {
        command: "mvn test",
        announced: "[INFO] Running a.b.Store№Test",
        passed: "[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.b.Store№Test",
        ends: &["[INFO] BUILD FAILURE"],
    },
    Runner {
        command: "gradle test",
        announced: "a.StoreTest > saves№() STARTED",
        passed: "a.StoreTest > saves№() PASSED",
        ends: &["> Task :test FAILED"],
    },
    Runner {
        command: "cargo test",
        announced: "test tests::t№ has been running for over 60 seconds",
        passed: "test tests::t№ ... ok",
        ends: &["Killed"],
    },
    Runner {
        command: "cargo test",
        announced: "test tests::t№ ... ",
        passed: "test tests::t№ ... ok",
        ends: &["Killed"],
    },
    Runner {
        command: "python -m unittest -v",
        announced: "test_t№ (a.StoreTest) ... ",
        passed: "test_t№ (a.StoreTest) ... ok",
        ends: &["Killed"],
    },
    Runner {
        command: "pytest -v",
        announced: "tests/test_a.py::test_t№ ",
        passed: "tests/test_a.py::test_t№ PASSED [ 1%]",
        ends: &[],
    },
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400.max(cases()), ..ProptestConfig::default() })]

    /// A line `program: message` is what somebody has to read, whether or not it has a word of
    /// failure in it.
    #[test]
    fn what_a_program_says_of_itself_stands(
        program in proptest::sample::select(PROGRAMS),
        message in proptest::sample::select(MESSAGES),
        name in "[g-z]{8}",
        before in prop::collection::vec(line(), 0..40),
        after in prop::collection::vec(line(), 0..10),
        command in proptest::sample::select(&["make", "ninja -C out", "cmake --build out", "./configure", "gcc a.c",
            "cargo build", "go build", "npm run build", "gradle build", "docker build .", "npm install", "pip install x"][..]),
    ) {
        let said = format!("{program}: {}", message.replace('#', &name));
        let text = format!("{}{said}\n{}", joined(&before), joined(&after));
        let filtered = pipeline().filter(command, Exit::Code(2), text.as_bytes()).text;
        prop_assert!(filtered.contains(&said), "`{command}` lost `{said}`:\n{filtered}");
    }

    /// A test that was announced and never ended is named, and not among those that passed.
    #[test]
    fn a_test_that_never_ended_is_named(
        runner in (0..RUNNERS.len()).prop_map(|at| &RUNNERS[at]),
        passed in 0_usize..120,
        at_work in 1_usize..5,
        sub in any::<bool>(),
        is_parallel in any::<bool>(),
        end in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let fill = |text: &str, n: usize| text.replace('№', &(100_000 + n).to_string());
        // Those at work were announced before the others ended, or are the last.
        let mut names: Vec<String> = (0..at_work).map(|n| fill(runner.announced, passed + n)).collect();
        if sub && runner.command.starts_with("go ") {
            names.push(format!("{}/part", names[at_work - 1]));
        }
        let ended = (0..passed).flat_map(|n| [fill(runner.announced, n), fill(runner.passed, n)]);
        let ended: Vec<String> = if runner.announced.ends_with(' ') || runner.announced.starts_with("test ") {
            ended.skip(1).step_by(2).collect()
        } else {
            ended.collect()
        };
        let lines: Vec<String> =
            if is_parallel { names.iter().cloned().chain(ended).collect() } else { ended.into_iter().chain(names.clone()).collect() };
        let mut text = lines.join("\n");
        if !is_cut && !runner.ends.is_empty() {
            text.push('\n');
            text.push_str(end.get::<&str>(runner.ends));
            text.push('\n');
        }
        let filtered = pipeline().filter(runner.command, Exit::Code(137), text.as_bytes()).text;
        // Of a test and its part the part tells both.
        for name in names.iter().filter(|name| !names.contains(&format!("{name}/part"))) {
            prop_assert!(filtered.lines().any(|line| line.trim_end() == name.trim_end()), "`{}` lost `{name}`:\n{filtered}", runner.command);
        }
    }
}

/// Signs that a line reports something, whatever printed it.
const SIGNS: &[&str] = &[
    "panicked at",
    "error[",
    "error: ",
    "ERROR",
    "CONFLICT",
    "FAILED",
    "Error 1",
    "AssertionError",
    "fatal: ",
    "Exception: ",
];

/// Outputs of real commands under other commands' rules: a shape that a rule does not know costs no
/// report.
#[test]
fn what_real_commands_report_stands_whatever_the_rule() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/fixtures");
    let narrow = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let pipeline = pipeline();
    for entry in std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "raw"))
    {
        let raw = std::fs::read(entry.path()).unwrap();
        let text = sanitize_output(&raw);
        let reports: Vec<String> = text
            .lines()
            .filter(|line| {
                SIGNS.iter().any(|sign| line.contains(sign)) && !line.contains("===") && !line.contains("____")
            })
            // A source line, a link, a frame of a library, and what maven says under every error.
            .filter(|line| !line.starts_with("    ") && !line.contains("note: run") && !line.starts_with("[ERROR]"))
            .filter(|line| line.len() < 300 && !line.contains("For more information") && !line.contains("npm error"))
            .map(narrow)
            .collect();
        for command in COMMANDS {
            for exit in [Exit::Code(0), Exit::Code(1)] {
                let filtered = narrow(&pipeline.filter(command, exit, &raw).text);
                for report in &reports {
                    // A line that was taken apart is shown in its parts: place and message under a
                    // rule, test and message.
                    let mut parts = report.split(" - ").flat_map(|part| part.split(": error: "));
                    let is_shown = parts.all(|part| {
                        let part = part.trim_start_matches("warning: ");
                        filtered.contains(part) || is_placed(&filtered, part)
                    });
                    let is_shown = is_shown || named(report).is_some_and(|name| filtered.contains(name));
                    assert!(is_shown, "`{command}` on {:?} lost `{report}`:\n{filtered}", entry.file_name());
                }
            }
        }
    }
}

/// Whether the parts of a place are shown: the name of its file stands above it.
fn is_placed(filtered: &str, place: &str) -> bool {
    let file = place.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | ',' | '(' | ')'));
    let inner = place[file.len()..].trim_matches([':', '(', ')']).replace(',', ":");
    !inner.is_empty() && filtered.contains(file) && filtered.contains(&inner)
}

/// The test that a line says has failed: shown with its failure or in the list at the end.
fn named(report: &str) -> Option<&str> {
    if let Some((_, test)) = report.split_once(".py::") {
        return test.split(' ').next()?.rsplit("::").next();
    }
    report.strip_prefix("test ")?.strip_suffix(" ... FAILED")
}

/// A long log of repeated failures: not each is shown, but how many there are is said.
#[test]
fn failures_that_are_counted_are_counted_right() {
    let mut text = String::new();
    for n in 0..5000 {
        let _ = writeln!(text, "2026-11-20T04:11:09Z INFO request {n} served");
        if n % 100 == 7 {
            let _ = writeln!(text, "2026-11-20T04:11:09Z ERROR job {n} failed");
        }
    }
    let filtered = pipeline().filter("cat app.log", Exit::Code(0), text.as_bytes()).text;
    assert!(filtered.lines().count() < 40, "{filtered}");
    assert!(filtered.contains("[×50 in all] 2026-11-20T04:11:09Z ERROR job 7 failed"), "{filtered}");
}

/// Far more than is held back: the beginning is given on long before the end.
#[test]
fn a_stream_gives_on_what_it_knows_before_it_ends() {
    for command in ["cat app.log", "cargo test", "git diff", "find .", "unknown"] {
        let pipeline = pipeline();
        let mut stream = pipeline.start(command, Exit::Unknown);
        let mut events = 0_usize;
        for n in 0..200_000 {
            let line = format!("dir{}/sub/file{n}.txt is number {n} of many lines\n", n % 7);
            stream.push(line.as_bytes(), &mut |_| events += 1);
        }
        assert!(events > 50_000, "`{command}` gave on {events}");
        stream.finish(&mut |_| {});
    }
}

#[test]
fn a_message_above_marks_is_no_source() {
    // Its own source was left out, so that the marks stand right below it.
    let marks = "                 ^";
    let at = "      at Object.toBe (a.test.js:7:23)";
    let place = "src/main.c:3:9: error: ‘y’ undeclared";
    for (command, lines) in [
        ("docker build .", ["error[E0308]: wrong type 1", marks, at, "error[E0308]: wrong type 2", marks]),
        ("docker build .", [at, "error[E0308]: wrong type 1", marks, at, "error[E0308]: wrong type 2"]),
        ("unknown-command", ["error: wrong type 1", marks, at, "error: wrong type 2", marks]),
        ("make", [place, place, "error[E0308]: wrong type 1", marks, "error[E0308]: wrong type 2"]),
    ] {
        let text = lines.map(|line| format!("{line}\n")).concat();
        let filtered = pipeline().filter(command, Exit::Unknown, text.as_bytes()).text;
        for line in lines.iter().filter(|line| line.starts_with("error")) {
            assert!(filtered.contains(line), "`{command}` lost `{line}`:\n{filtered}");
        }
    }
}

#[test]
fn a_command_that_failed_shows_the_end_of_what_was_only_work() {
    let lines: Vec<String> = (0..5000).map(|n| format!("   Compiling crate{n} v1.0.0\n")).collect();
    let text = lines.concat();
    let filtered = pipeline().filter("cargo build", Exit::Code(101), text.as_bytes()).text;
    assert!(filtered.ends_with("   Compiling crate4999 v1.0.0\n"), "{filtered}");
    let filtered = pipeline().filter("cargo build", Exit::Code(0), text.as_bytes()).text;
    assert_eq!(filtered, "[… 4999 lines]\n   Compiling crate4999 v1.0.0\n");
    assert_eq!(sanitize_output(filtered.as_bytes()), filtered);
}
