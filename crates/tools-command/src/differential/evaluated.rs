//! No line of the constructs of bash runs a program that the analysis neither lists nor calls
//! opaque.

use super::generator::{Numbers, line, option_lines};
use super::oracle::Oracle;
use crate::{Analysis, Surroundings, analyse};

/// Lines of a run; `HAFT_FUZZ_LINES` asks for more.
const LINES: usize = 20_000;
/// Lines that one bash is given.
const BATCH: usize = 400;
/// Parts of a run.
const PARTS: usize = 4;
/// The seed of a run; `HAFT_FUZZ_SEED` sets another.
const SEED: u64 = 20_261_122;

/// One of so many lines that are asked about is run too, to see whether they run anything.
const SAMPLE: usize = 8;

/// What came of some lines.
#[derive(Debug, Default)]
struct Figures {
    lines: usize,
    /// Lines that bash was given, and how many of these ran their marker.
    tried: usize,
    ran: usize,
    clear: usize,
    missed: Vec<String>,
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn is_seen(found: &Analysis, marker: &str) -> bool {
    let names = |command: &crate::Command| !command.program.is_exact || command.program.text == marker;
    let is_known = |file: &crate::Value| file.is_exact && !file.has_pattern;
    !found.opaque.is_empty() || found.commands.iter().any(names) || !found.writes.iter().all(is_known)
}

/// Compares lines with what bash does with them; each holds `zz` and its number.
fn compare(oracle: &Oracle, lines: &[String], from: usize) -> Figures {
    let around = Surroundings { home: "/root".to_owned(), workdir: "/w".to_owned() };
    let marker = |at: usize| format!("zz{}", from + at);
    let seen: Vec<bool> =
        lines.iter().enumerate().map(|(at, line)| is_seen(&analyse(line, &around), &marker(at))).collect();
    let tried: Vec<usize> = (0..lines.len()).filter(|at| !seen[*at] || at % SAMPLE == 0).collect();
    let ran = oracle.markers(&tried.iter().map(|at| lines[*at].clone()).collect::<Vec<_>>());
    let missed = tried.iter().filter(|at| !seen[**at] && ran.contains(&marker(**at)));
    Figures {
        lines: lines.len(),
        tried: tried.iter().filter(|at| seen[**at]).count(),
        ran: tried.iter().filter(|at| seen[**at] && ran.contains(&marker(**at))).count(),
        clear: seen.iter().filter(|seen| !**seen).count(),
        missed: missed.map(|at| lines[*at].replace(&marker(*at), "zz")).collect(),
    }
}

/// One of the parts that a run is made of, which are tests of their own and run beside one another.
fn check(part: usize) {
    let seed = setting("HAFT_FUZZ_SEED").unwrap_or(SEED);
    let lines = setting("HAFT_FUZZ_LINES").and_then(|lines| usize::try_from(lines).ok()).unwrap_or(LINES);
    let oracle = Oracle::new();
    let mut all = Figures::default();
    for batch in (part..lines.div_ceil(BATCH)).step_by(PARTS) {
        let mut numbers = Numbers::new(seed.wrapping_add(batch as u64));
        let from = batch * BATCH;
        let lines: Vec<String> = (from..from + BATCH).map(|at| line(&mut numbers, &format!("zz{at}"))).collect();
        let figures = compare(&oracle, &lines, from);
        all.lines += figures.lines;
        all.tried += figures.tried;
        all.ran += figures.ran;
        all.clear += figures.clear;
        all.missed.extend(figures.missed);
    }
    let Figures { lines, tried, ran, clear, missed } = &all;
    println!("seed {seed}: {lines} lines; of {tried} that ask {ran} ran; {clear} are clear, {} missed", missed.len());
    let listed = missed.iter().take(60).map(|line| line.replace('\n', "⏎")).collect::<Vec<_>>().join("\n");
    assert!(missed.is_empty(), "seed {seed}, {} of {lines} lines:\n{listed}", missed.len());
    // Lines that run nothing would show nothing, and an analysis that sees nothing misses nothing.
    assert!(ran * 3 > *tried, "only {ran} of {tried} lines run their marker");
    assert!(clear * 10 > *lines, "only {clear} of {lines} lines are clear");
}

#[test]
fn a_first_part_of_the_lines_runs_nothing_unseen() {
    check(0);
}

#[test]
fn a_second_part_of_the_lines_runs_nothing_unseen() {
    check(1);
}

#[test]
fn a_third_part_of_the_lines_runs_nothing_unseen() {
    check(2);
}

#[test]
fn a_fourth_part_of_the_lines_runs_nothing_unseen() {
    check(3);
}

#[test]
fn no_option_of_a_builtin_hides_what_it_runs() {
    let options = [
        ("command", "-p"),
        ("command", "--"),
        ("eval", "--"),
        ("builtin", "command"),
        ("builtin", "eval"),
        ("bash", "-x -c"),
        ("bash", "-ec"),
        ("bash", "--norc -c"),
        ("bash", "-o posix -c"),
        ("bash", "+x -c"),
        ("env", "bash -c"),
        ("env", "-u q bash -c"),
        ("time", "-p"),
        ("trap", "--"),
    ];
    let marked = |at: usize, line: String| line.replace("zz", &format!("zz{at}"));
    let lines = option_lines(options, |program| if program == "trap" { "zz EXIT" } else { "zz" }.to_owned());
    let lines: Vec<String> = lines.into_iter().enumerate().map(|(at, line)| marked(at, line)).collect();
    let figures = compare(&Oracle::new(), &lines, 0);
    assert_eq!(figures.missed, Vec::<String>::new());
    assert_eq!(figures.clear, 0);
}
