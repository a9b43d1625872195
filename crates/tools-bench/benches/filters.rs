//! Filtering output against taking the same bytes apart into lines, round by round in one run:
//! nothing to do, line rules, a long log; what a text of 64 KiB waits for; how soon the rules are
//! ready; a whole process against an empty one.

use std::{fmt::Write as _, hint::black_box, path::Path};

use haft::filter::{Exit, FilterEvent, FilterPipeline};
use tools_bench::{Times, compare, ratio, release, run, timed};

const ROUNDS: usize = 15;
const STARTS: usize = 100;
/// What a failed run of tests printed.
const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tools-filter/tests/it/fixtures/cargo-test-fail.raw");

/// A service's log, nearly all of it repetition.
fn log(lines: usize) -> String {
    let mut text = String::new();
    for number in 0..lines {
        let level = if number % 5000 == 7 { "ERROR" } else { "INFO " };
        let _ = writeln!(
            text,
            "2026-11-20T04:{:02}:{:02}.{:03}Z {level} [worker-{}] com.example.Http - 200 GET /api/orders/{} in {} ms \
             request_id={number:08x}-0000-4000-8000-{:012x}",
            number / 60 % 60,
            number % 60,
            number % 1000,
            number % 16,
            number * 7919 % 1_000_000,
            number % 900,
            number * 7919
        );
    }
    text
}

fn filtered(pipeline: &FilterPipeline, command: &str, text: &str) -> usize {
    let mut stream = pipeline.start(command, Exit::Code(0));
    let mut shown = 0;
    let mut sink = |event: FilterEvent<'_>| {
        if let FilterEvent::Kept(line) | FilterEvent::Written(line) = event {
            shown += line.len();
        }
    };
    for chunk in text.as_bytes().chunks(64 << 10) {
        stream.push(chunk, &mut sink);
    }
    stream.finish(&mut sink);
    shown
}

/// Whole processes, round by round.
fn processes() {
    let haft = release(&[&["-p", "haft-cli"]]).join("haft").to_string_lossy().into_owned();
    let filter = |command| [haft.as_str(), "filter", "--quiet", "--command", command];
    let (tests, status, make) = (filter("cargo test"), filter("git status"), filter("make"));
    let commands: [&[&str]; 5] = [&["true"], &[haft.as_str(), "--version"], &tests, &status, &make];
    let mut all = vec![Times::default(); commands.len()];
    for _ in 0..STARTS {
        for (command, times) in commands.iter().zip(&mut all) {
            times.push(run(command, Path::new(TESTS)));
        }
    }
    for (command, times) in commands.iter().zip(&all) {
        let what = command.iter().map(|word| word.rsplit('/').next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
        println!("process `{what}`: p50 {:.2} ms, p10 {:.2} ms", times.ms(0.5), times.ms(0.1));
    }
}

fn main() {
    let (first, _) = timed(|| FilterPipeline::builtin().rule_for("cargo test").is_some());
    println!("rules ready, first command matched: {:.3} ms", first.as_secs_f64() * 1e3);

    let pipeline = FilterPipeline::builtin();
    let text = log(400_000);
    println!("{} bytes", text.len());
    let mut lines = Times::default();
    let mut rounds: Vec<(&str, &str, Times)> = vec![
        ("nothing to do", "unknown", Times::default()),
        ("line rules", "npm ci", Times::default()),
        ("a build's rules", "make", Times::default()),
        ("a long log", "cat service.log", Times::default()),
    ];
    for _ in 0..ROUNDS {
        let (took, _) = timed(|| black_box(text.as_bytes().split(|byte| *byte == b'\n').map(<[u8]>::len).max()));
        let (fast, _) = timed(|| black_box(text.lines().map(str::len).max()));
        lines.push(took.min(fast));
        for (_, command, times) in &mut rounds {
            times.push(timed(|| black_box(filtered(&pipeline, command, &text))).0);
        }
    }
    for (what, _, times) in &rounds {
        compare(what, times, "lines", &lines);
        println!("  1/{:.1} of taking lines apart", ratio(times.median(), lines.median()));
    }

    let document: String = text.chars().take(64 << 10).collect();
    for (_, command, _) in &rounds {
        let mut times = Times::default();
        for _ in 0..200 {
            times.push(timed(|| black_box(pipeline.filter(command, Exit::Code(0), document.as_bytes()))).0);
        }
        println!("64 KiB as `{command}`: p50 {:.3} ms, p99 {:.3} ms", times.ms(0.5), times.ms(0.99));
    }
    processes();
}
