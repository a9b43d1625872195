//! What is left out is counted where it stood: lines that are shown and lines that are counted are
//! all lines.

use std::fmt::Write as _;

use proptest::prelude::*;
use tools_filter::{Exit, FilterPipeline};

/// How many lines of the output a line of the result stands for.
fn stands_for(line: &str) -> u64 {
    let number = |text: &str| text.split([' ', ']', ',']).next().and_then(|word| word.parse::<u64>().ok());
    if let Some(count) = line.trim_start().strip_prefix("[… ").and_then(number) {
        return count;
    }
    // What a message goes on with in lines of its own stands behind it.
    let lines = 1 + line.matches(" / ").count() as u64;
    // What several lines have in common, around what each of them has.
    if let Some((before, rest)) = line.split_once('{')
        && let Some((stretches, _)) = rest.split_once('}')
        && !before.is_empty()
    {
        return 1 + stretches.matches(", ").count() as u64;
    }
    // The name of a file stands over its findings, each of which may have several places.
    if line == "src/a.c" {
        return 0;
    }
    if let Some((places, _)) = line.strip_prefix("  ").and_then(|row| row.split_once(' '))
        && places
            .split(',')
            .all(|place| place.split_once(':').is_some_and(|(row, column)| is_number(row) && is_number(column)))
    {
        return places.split(',').count() as u64 * lines;
    }
    // One message with all its places.
    let places = line.split_once(" [×").and_then(|(_, rest)| rest.split_once("]: ")?.0.parse::<u64>().ok());
    places.unwrap_or(1) * lines
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Commands whose output is shortened by its form, alone or behind a list of noise. What rewrites
/// an output as a whole (a diff, a list of files, JSON) has no lines to count.
const COMMANDS: &[&str] = &[
    "./run.sh",
    "unknown-runner --all",
    "make",
    "node a.js",
    "npm install",
    "pip install x",
    "go build ./...",
    "apt-get install x",
];

/// Pieces of output; `#` becomes a number that grows from one to the next, `%` one that does not.
const PIECES: &[&str] = &[
    "step # of 40 is done",
    "[1#/40] Compiling a thing",
    "row % | % | %",
    "  ✓ works #",
    "ok # - parses the header",
    "waiting for the server",
    "Downloading # ████████░░░░ %%",
    "Thread.run: % ms",
    "    at Object.<anonymous> (/app/node_modules/x/i.js:%:3)",
    "    at own (/app/src/i.js:%:3)",
    "   #: core::panicking::panic_fmt",
    "             at /rustc/x/library/core/src/panicking.rs:%:14",
    "ERROR job % failed",
    "src/a.c:%:2: unused thing",
    "gcc -c mod_#.c -o mod_#.o",
    "npm warn deprecated a@%",
    "Collecting package#",
    "name-#.txt",
    "plain",
    "",
    "2026-11-20T04:11:09Z INFO order # stored in % ms",
    "10:00:0# worker-% is idle",
    "{\"level\":\"info\",\"msg\":\"served\",\"ms\":%}",
    "INFO  pool has # connections, % of them idle",
    "Building part # of the whole",
    "Epoch #/40 step % takes a while",
    "a message in two lines, told twice",
    "      it goes on with words",
    "  # | let x = %;",
    "copying part#.py -> build/lib",
    "[#/40] Linking unit%",
    "  help: Consider removing this declaration.",
    "==47==    at 0x10917E: sum (san.c:%)",
    "changed: [host%] => a line that is as long as those that are told by what differs in them from the one above, with more words behind",
    "Collecting thing# (from -r all.txt)",
    "hint: run \"git rebase --continue\"",
    "make[1]: Entering directory '/app/part#'",
    "running # tests",
    "   Compiling unit# v1.%.0",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn what_is_shown_and_what_is_counted_is_all(
        runs in prop::collection::vec((prop::sample::select(PIECES), 1_u32..9, 0_u32..1000), 1..40),
        command in prop::sample::select(COMMANDS),
        failed in any::<bool>(),
    ) {
        let mut text = String::new();
        let mut all = 0;
        for (piece, times, seed) in runs {
            for n in 0..times {
                let line = piece.replace('#', &n.to_string()).replace('%', &((seed + 7919 * n) % 1000).to_string());
                all += if line.is_empty() { 0 } else { stands_for(&line) };
                let _ = writeln!(text, "{line}");
            }
        }
        let exit = Exit::Code(i32::from(failed));
        let filtered = FilterPipeline::builtin().filter(command, exit, text.as_bytes()).text;
        let counted: u64 = filtered.lines().filter(|line| !line.trim().is_empty()).map(stands_for).sum();
        prop_assert_eq!(counted, all, "`{}` of\n{}became\n{}", command, text, filtered);
    }
}

/// Output of a command that no rule is about becomes shorter, and what it reports stays.
#[test]
fn any_output_is_shortened_by_its_form() {
    let mut script = String::new();
    for n in 1..=40 {
        let _ = writeln!(script, "+ sync shard {n}\nsyncing shard {n} of 40");
    }
    script.push_str("+ cp gone.cfg out\ncp: cannot stat 'gone.cfg': No such file or directory\n");
    let mut runner = String::new();
    for n in 1..=60 {
        let said = if n % 25 == 0 { "wrong\n  wanted: 12\n  got: 13" } else { "good" };
        let _ = writeln!(runner, "CASE {n}: {said}");
    }
    let mut tap = String::from("TAP version 13\n");
    for n in 1..=30 {
        let _ = writeln!(tap, "# Subtest: row {n}\nok {n} - row {n}\n  ---\n  duration_ms: 0.{n}\n  ...");
    }
    tap.push_str("# Subtest: sums\nnot ok 31 - sums\n  ---\n  error: '3 !== 4'\n  ...\n1..31\n# fail 1\n");
    let mut stylish = String::from("/app/src/cart.js\n");
    for n in 1..=20 {
        let _ = writeln!(stylish, "  {n}:5  error    'x' is assigned a value but never used        no-unused-vars");
    }
    stylish.push_str("\n✖ 20 problems (20 errors, 0 warnings)\n");
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "bash -x ./sync.sh",
            &script,
            &["cp: cannot stat 'gone.cfg': No such file or directory", "syncing shard 1 of 40"],
        ),
        ("./check.sh", &runner, &["CASE 25: wrong", "CASE 50: wrong", "  wanted: 12", "  got: 13"]),
        ("node --test", &tap, &["not ok 31 - sums", "  error: '3 !== 4'", "# fail 1"]),
        (
            "eslint src",
            &stylish,
            &["/app/src/cart.js", "20:5", "no-unused-vars", "✖ 20 problems (20 errors, 0 warnings)"],
        ),
    ];
    for (command, text, wanted) in cases {
        let filtered = FilterPipeline::builtin().filter(command, Exit::Code(1), text.as_bytes()).text;
        assert!(filtered.len() * 2 < text.len(), "`{command}` kept {} of {}:\n{filtered}", filtered.len(), text.len());
        for part in *wanted {
            assert!(filtered.contains(part), "`{command}` lost `{part}`:\n{filtered}");
        }
    }
}

/// What was once dropped as noise though it is what the command was run for.
#[test]
fn content_is_not_taken_for_noise() {
    let cases = [
        (
            "terraform plan",
            "  # db.main will be created\n  + resource \"db\" \"main\" {\n      + id = (known after apply)\n      + publicly_accessible = true\n      + port = 22\n    }\n",
            &["publicly_accessible = true", "port = 22"][..],
        ),
        (
            "cargo update",
            "    Updating mirror index\n    Updating serde v1.0.200 -> v1.0.210\n      Adding bytes v1.6.0\n",
            &["Updating serde v1.0.200 -> v1.0.210", "Adding bytes v1.6.0"],
        ),
        (
            "go get x",
            "go: downloading golang.org/x/text v0.14.0\ngo: added golang.org/x/text v0.14.0\n",
            &["go: added golang.org/x/text v0.14.0"],
        ),
        (
            "black .",
            "reformatted src/cart.py\nreformatted src/order.py\nAll done!\n2 files reformatted.\n",
            &["src/cart.py", "src/order.py"],
        ),
        (
            "uv sync",
            "Resolved 3 packages in 2ms\n + flask==3.0.0\n + jinja2==3.1.0\n",
            &["flask==3.0.0", "jinja2==3.1.0"],
        ),
        (
            "./configure",
            "checking for gcc... gcc\nconfigure: error: no tls\ninstall libssl-dev and re-run configure\n",
            &["install libssl-dev and re-run configure"],
        ),
        (
            "vite build",
            "transforming...\n✓ 12 modules transformed.\ndist/index.js  812.34 kB\n✓ built in 93ms\n",
            &["dist/index.js  812.34 kB", "built in 93ms"],
        ),
        (
            "cargo test",
            "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n",
            &["ok. 0 passed"],
        ),
        ("cargo clippy", "    Checking demo v0.1.0 (/app)\n    Finished `dev` profile in 0.5s\n", &["Finished"]),
        (
            "javac A.java",
            "A.java:3: error: ';' expected\n    int y = 1\n             ^\n1 error\n",
            &["             ^"],
        ),
        ("node --test", "    1 | f(\n    -------------------^\nnot ok 1 - f\n", &["    -------------------^"]),
        (
            "ava",
            "   1: use x\n   2: test(\"adds\")\n   3: core.run(1)\n   4: main(2)\n  x failed\n",
            &["2: test(\"adds\")", "3: core.run(1)"],
        ),
    ];
    for (command, text, wanted) in cases {
        for exit in [Exit::Code(0), Exit::Code(1)] {
            let filtered = FilterPipeline::builtin().filter(command, exit, text.as_bytes()).text;
            for part in wanted {
                assert!(filtered.contains(part), "`{command}` lost `{part}`:\n{filtered}");
            }
        }
    }
}

/// What says again what stands elsewhere, each form of it in a run that failed.
#[test]
fn what_stands_elsewhere_is_counted() {
    let mut gcc = String::new();
    for n in 1..=6 {
        let _ = write!(gcc, "src/a.c:{n}:9: warning: unused variable ‘x{n}’\n    {n} | int x{n};\n      |     ^~\n");
    }
    let mut rubocop = String::from("Offenses:\n\n");
    for n in 1..=6 {
        let _ = write!(rubocop, "a.rb:{n}:7: C: Style/X: Use something else, number {n}.\n  def m a,b\n      ^\n");
    }
    let mut compact = String::new();
    for n in 1..=9 {
        let _ = writeln!(compact, "/home/dev/shop/src/cart.js: line {n}, col 5, Error - Missing semicolon {n}. (semi)");
    }
    let mut traced = String::new();
    for n in 1..=9 {
        let _ = write!(traced, "+ for m in core api web\n+ touch out/core/part{n}.o\n+ test -f out/core/part{n}.o\n");
    }
    let cases: &[(&str, &str, &[&str], &[&str])] = &[
        ("gcc -Wall a.c", &gcc, &["src/a.c", "1:9", "6:9", "x6"], &["^~", "int x4"]),
        ("rubocop", &rubocop, &["a.rb:1:7", "a.rb:6:7", "number 6", "Offenses"], &["number 2.\n  def"]),
        ("npx eslint -f compact .", &compact, &["/home/dev/shop/src/cart.js", "9:5", "semicolon 9"], &["line 9"]),
        ("bash -x build.sh", &traced, &["part9.o"], &["part5.o"]),
        (
            "ansible-playbook p.yml",
            "TASK [write config] *************************************************\nfatal: [db]: FAILED! => no space left\n",
            &["TASK [write config] ***", "FAILED! => no space left"],
            &["****"],
        ),
        (
            "npx tsc --pretty",
            "src/a.ts:2:45 - error TS18048: 'u' is possibly 'undefined'.\n\n2 export const f = (u: User | undefined) => u.name;\n                                              ~~~~~~\n",
            &["TS18048", "src/a.ts:2:45"],
            &["~~~~", "export const"],
        ),
        (
            "apt-get install nginx",
            "The following additional packages will be installed:\n  libnginx-mod-a libxslt1.1\nSuggested packages:\n  fcgiwrap nginx-doc\nThe following NEW packages will be installed:\n  libnginx-mod-a libxslt1.1 nginx\n",
            &["Suggested packages:", "NEW packages will be installed:\n  libnginx-mod-a libxslt1.1 nginx"],
            &["fcgiwrap"],
        ),
        (
            "deno check a.ts",
            "TS2339 [ERROR]: Property 'foo' does not exist on type 'Row'.\nx1.foo()\n   ~~~\n    at file:///app/a.ts:9:4\n\nTS2322 [ERROR]: Type 'string' is not assignable to type 'number'.\nconst x1: Row = { id: 'one' }\n                  ~~\n    at file:///app/a.ts:3:19\n",
            &["TS2339", "TS2322", "x1.foo()", "a.ts:9:4", "a.ts:3:19"],
            &["const x1"],
        ),
        (
            "bandit -r app",
            "[main]\tINFO\tprofile include tests: None\n>> Issue: [B110:try_except_pass] Try, Except, Pass detected.\n   Severity: Low\n   CWE: CWE-703 (https://cwe.example.org/703.html)\n   Location: app/cart.py:27:8\nRun metrics:\n\t\tUndefined: 0\n\t\tLow: 3\n",
            &["[B110:try_except_pass]", "Severity: Low", "app/cart.py:27:8", "Low: 3"],
            &["INFO", "CWE-703"],
        ),
        (
            "shellcheck a.sh",
            "In a.sh line 2:\ncd $1\n^---^ SC2164 (warning): Use 'cd ... || exit' in case cd fails.\n\nFor more information:\n  https://docs.example.org/wiki/SC2164 -- Use 'cd ... || exit' in case cd f...\n",
            &["In a.sh line 2:", "cd $1", "SC2164 (warning): Use 'cd ... || exit' in case cd fails."],
            &["wiki", "For more"],
        ),
        (
            "cargo deny check",
            "error: no such command: `deny`\n\nhelp: view all installed commands with `cargo --list`\nhelp: find a package to install `deny` with `cargo search cargo-deny`\n",
            &["no such command: `deny`", "cargo search cargo-deny"],
            &["--list"],
        ),
        (
            "node --test",
            "not ok 1 - sums\n  ---\n  duration_ms: 1.888893\n  error: '3 !== 4'\n  operator: 'strictEqual'\n  ...\n# fail 1\n",
            &["not ok 1 - sums", "error: '3 !== 4'", "# fail 1"],
            &["duration_ms", "operator"],
        ),
    ];
    for (command, text, wanted, unwanted) in cases {
        let filtered = FilterPipeline::builtin().filter(command, Exit::Code(1), text.as_bytes()).text;
        for part in *wanted {
            assert!(filtered.contains(part), "`{command}` lost `{part}`:\n{filtered}");
        }
        for part in *unwanted {
            assert!(!filtered.contains(part), "`{command}` kept `{part}`:\n{filtered}");
        }
        assert!(filtered.len() < text.len(), "`{command}`:\n{filtered}");
    }
}

/// An excerpt under a place without a column is all that names it.
#[test]
fn marks_that_alone_name_the_column_stand() {
    for text in [
        "  File \"a.py\", line 3\n    int y = 1 +\n               ^\nSyntaxError: invalid syntax\n",
        "/app/a.js:3\nlet y = = 1\n        ^\nSyntaxError: Unexpected token '='\n",
    ] {
        let filtered = FilterPipeline::builtin().filter("./run", Exit::Code(1), text.as_bytes()).text;
        assert_eq!(filtered, text);
    }
}

/// What is printed further above already is counted, and what it is says the mark.
#[test]
fn a_block_that_stood_above_is_counted() {
    let block = "Traceback of the fixture:\n  connecting to the store db-1\n  store refused the name shop\n";
    let text = format!("case one\n{block}case two\n{block}case three\n  something else\n{block}");
    let filtered = FilterPipeline::builtin().filter("./run", Exit::Code(1), text.as_bytes()).text;
    let first = "[… 3 lines, again from `Traceback of the fixture:` on]";
    let second = first.replace(" lines", "");
    assert_eq!(filtered, format!("case one\n{block}case two\n{first}\ncase three\n  something else\n{second}\n"));
}

/// A block is named by a line that stood once.
/// The name of a file above its findings is in no block that is counted: they would be about
/// another.
#[test]
fn a_file_is_named_above_its_findings() {
    let step = |n| {
        format!(
            "src/a.c:{n}:2: unused thing\nsrc/a.c:{}:2: unused thing\nsrc/a.c:{}:2: unused thing\n",
            n + 900,
            n + 800
        )
    };
    let work = "compiled the first of all parts\nlinked what was compiled before\nwrote a list of all that is there\n";
    let text = format!("{work}{}{work}{}", step(7), step(8));
    let filtered = FilterPipeline::builtin().filter("npm install", Exit::Code(0), text.as_bytes()).text;
    let findings = filtered.lines().filter(|line| line.contains("unused thing")).count();
    let named = filtered.lines().filter(|line| line.contains("src/a.c")).count();
    assert_eq!(findings, named, "{filtered}");
}

#[test]
fn a_block_that_nobody_can_tell_from_another_stands() {
    let text = "the request was sent to the peer\n  it answered with one word\n  it is done with this\n\
                the request was sent to the peer\n  it answered with many words\n  it is done with that\nfirst\n\
                the request was sent to the peer\n  it answered with one word\n  it is done with this\nsecond\n";
    let filtered = FilterPipeline::builtin().filter("./run", Exit::Code(1), text.as_bytes()).text;
    assert_eq!(filtered, text);
    // A row below the name of a file is a place in it.
    let rows = "  1:30 error: mismatched types in this\n  1:88 error: no function of this name\n  1:90 error: no operator of this kind\n";
    let text = format!("examples/a.rs\n{rows}end of a\nexamples/b.rs\n{rows}end of b\n");
    let filtered = FilterPipeline::builtin().filter("./run", Exit::Code(1), text.as_bytes()).text;
    assert_eq!(filtered, text);
}

/// A message that goes on in a line of its own is one finding; the folder of many files is named
/// once.
#[test]
fn a_finding_has_all_of_its_lines() {
    let mut text = String::new();
    for n in 1..=6 {
        let file = format!("/home/dev/shop/app/m{n}.py");
        let _ = write!(
            text,
            "{file}\n  {file}:15:12 - error: Type \"int\" is not assignable\n    \u{a0}\u{a0}\"int\" is no text (reportType)\n"
        );
    }
    text.push_str("6 errors, 0 warnings\n");
    let filtered = FilterPipeline::builtin().filter("pyright", Exit::Code(1), text.as_bytes()).text;
    let expected = "- error: Type \"int\" is not assignable / \"int\" is no text (reportType) [×6]: \
                    /home/dev/shop/app/{m1.py:15:12, m2.py:15:12, m3.py:15:12, m4.py:15:12, m5.py:15:12, m6.py:15:12}\n\
                    6 errors, 0 warnings\n";
    assert_eq!(filtered, expected);
}

/// Of a log in the output of any command two lines of a kind stand, and all that report something.
#[test]
fn a_log_of_any_command_is_shortened() {
    let mut log = String::new();
    for n in 0..200 {
        let _ = writeln!(
            log,
            "2026-11-20 04:11:{:02},120 INFO     [app.http] GET /api/orders/{n} 200 {}ms",
            n % 60,
            n * 7 % 90
        );
        if n % 3 == 0 {
            let _ = writeln!(log, "2026-11-20 04:11:{:02},121 DEBUG    [app.db] pool size=10 idle={}", n % 60, n % 10);
        }
        if n == 77 || n == 150 {
            let _ = writeln!(
                log,
                "2026-11-20 04:11:{:02},122 ERROR    [app.db] deadlock on relation orders (pid {n})",
                n % 60
            );
        }
    }
    for command in ["./serve", "python serve.py", "npm run serve"] {
        let filtered = FilterPipeline::builtin().filter(command, Exit::Code(0), log.as_bytes()).text;
        assert!(filtered.len() * 10 < log.len(), "`{command}`:\n{filtered}");
        for part in ["(pid 77)", "(pid 150)", "/api/orders/0 200", "/api/orders/199 200", "pool size=10 idle=0"] {
            assert!(filtered.contains(part), "`{command}` lost `{part}`:\n{filtered}");
        }
        let counted: u64 = filtered.lines().map(stands_for).sum();
        assert_eq!(counted, log.lines().count() as u64, "`{command}`:\n{filtered}");
    }
}

/// Rare lines of a log that say how bad it is in a word of their own are all shown.
#[test]
fn each_severe_line_of_a_log_stands() {
    let mut log = String::new();
    for n in 0..240 {
        let _ = writeln!(log, "2026-11-20T04:11:09Z INFO order {n} stored");
        if n == 120 || n == 180 {
            let _ = writeln!(log, "2026-11-20T04:11:09Z SEVERE ledger for order {n} gone");
        }
    }
    let filtered = FilterPipeline::builtin().filter("docker logs x", Exit::Code(0), log.as_bytes()).text;
    assert!(filtered.contains("order 120 gone") && filtered.contains("order 180 gone"), "{filtered}");
}

/// What a list of files or of hits was, told from what is shown: a line that names a file or a
/// folder, and what is in it.
fn put_back(shown: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut above = String::new();
    // The folder that stands around files with hits.
    let mut around = "";
    for line in shown.lines() {
        if let Some(folder) = line.strip_suffix('{').filter(|folder| folder.ends_with('/')) {
            around = folder;
        } else if line == "}" {
            around = "";
        } else if let Some((folder, names)) = line.split_once(" :  ") {
            folder.clone_into(&mut above);
            lines.extend(names.split("  ").map(|name| format!("{above}{name}")));
        } else if let Some(names) = line.strip_prefix("   ") {
            lines.extend(names.split("  ").map(|name| format!("{above}{name}")));
        } else if line.starts_with(|first: char| first.is_ascii_digit()) {
            lines.push(format!("{above}:{line}"));
        } else if line.contains(':') || line.rsplit('/').next().is_some_and(|name| !name.contains('.')) {
            lines.push(format!("{around}{line}"));
        } else {
            above = format!("{around}{line}");
        }
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_message_stands_whose_source_is_told(
        messages in prop::collection::vec((1..900_u32, "[a-z]{3,9} [a-z]{3,9}", " {0,8}[a-zA-Z(){};=. é]{1,60}x", 0..60_usize, 1..9_usize), 1..12),
        command in prop::sample::select(&["javac A.java", "./build", "make", "python lint.py"][..]),
    ) {
        let mut text = String::new();
        for (row, message, source, column, width) in &messages {
            let _ = write!(text, "A.java:{row}: error: {message}\n{source}\n{}{}\n", " ".repeat(*column), "^".repeat(*width));
        }
        let shown = FilterPipeline::builtin().filter(command, Exit::Code(1), text.as_bytes()).text;
        prop_assert!(shown.len() <= text.len());
        for (row, message, ..) in &messages {
            prop_assert!(shown.contains(message.as_str()) && shown.contains(&row.to_string()), "{}\nof\n{}", shown, text);
        }
    }

    #[test]
    fn what_fails_in_a_log_stands(
        lines in prop::collection::vec((0..8_usize, 0..1000_u32), 1..200),
        command in prop::sample::select(&["./serve", "python serve.py", "npm run serve", "make run"][..]),
    ) {
        let kinds = [
            "2026-11-20T04:11:#Z INFO order % stored", "10:00:# worker % is idle", "{\"level\":\"info\",\"ms\":%}", "Building part % of all",
            "[%/40] step", "2026-11-20T04:11:#Z ERROR order % lost", "check % did not pass", "",
        ];
        let mut text = String::new();
        for (at, (kind, number)) in lines.iter().enumerate() {
            let line = kinds[*kind].replace('%', &number.to_string()).replace('#', &format!("{:02}", at % 60));
            let _ = writeln!(text, "{line}");
        }
        let shown = FilterPipeline::builtin().filter(command, Exit::Code(1), text.as_bytes()).text;
        prop_assert!(shown.len() <= text.len());
        for line in text.lines().filter(|line| line.contains("lost") || line.contains("pass")) {
            // Many in sequence are joined.
            let is_joined = |joined: &str| joined.contains('{') && line.split(' ').all(|word| joined.contains(word));
            prop_assert!(shown.contains(line) || shown.lines().any(is_joined), "{line} is lost in\n{shown}");
        }
        if command != "make run" {
            let all = text.lines().filter(|line| !line.is_empty()).count() as u64;
            let counted: u64 = shown.lines().filter(|line| !line.trim().is_empty()).map(stands_for).sum();
            prop_assert_eq!(counted, all, "{}\nof\n{}", shown, text);
        }
    }
}

proptest! {
    #[test]
    fn hits_are_whole_below_the_name_of_their_file(hits in prop::collection::vec((0..4_u8, 1..9000_u32, "[a-z(){} ]{0,40}[a-z]"), 1..60)) {
        let lines: Vec<String> = hits.iter().map(|(file, row, text)| format!("src/part{file}/main.rs:{row}:{text}")).collect();
        let text = lines.join("\n") + "\n";
        let shown = FilterPipeline::builtin().filter("grep -rn x src", Exit::Code(0), text.as_bytes()).text;
        prop_assert!(shown.len() <= text.len());
        prop_assert_eq!(put_back(&shown), lines, "{}", shown);
    }

    #[test]
    fn paths_are_whole_behind_the_name_of_their_folder(paths in prop::collection::vec((0..3_u8, "[a-z]{2,30}"), 1..55)) {
        let lines: Vec<String> = paths.iter().map(|(folder, name)| format!("/srv/part{folder}/{name}")).collect();
        let text = lines.join("\n") + "\n";
        let shown = FilterPipeline::builtin().filter("find /srv", Exit::Code(0), text.as_bytes()).text;
        prop_assert!(shown.len() <= text.len());
        prop_assert_eq!(put_back(&shown), lines, "{}", shown);
    }
}
