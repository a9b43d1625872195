//! No option of a program that starts another one makes it start what the analysis neither lists
//! nor asks about. The programs are the real ones of this machine.

use super::generator::Numbers;
use super::option_lines::{RUNNERS, Runner, option_line};
use super::oracle::Oracle;
use crate::{Analysis, Effect, Surroundings, analyse};

/// Lines of a run; `HAFT_FUZZ_LINES` asks for more.
const LINES: usize = 4_000;
/// Lines that one bash is given.
const BATCH: usize = 100;
/// Parts of a run.
const PARTS: usize = 2;
/// The seed of a run; `HAFT_FUZZ_SEED` sets another.
const SEED: u64 = 20_261_123;
/// One of so many lines that are asked about is run too, to see whether they run anything.
const SAMPLE: usize = 4;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn is_seen(found: &Analysis, marker: &str) -> bool {
    let is_marker = |value: &crate::Value| !value.is_exact || value.text == marker;
    let asks = |effect: &Effect| matches!(effect, Effect::Is { .. });
    !found.opaque.is_empty()
        || found.commands.iter().any(|command| {
            is_marker(&command.program) || command.scripts.iter().any(is_marker) || command.effects.iter().any(asks)
        })
}

/// One of the parts that a run is made of, which are tests of their own and run beside one another.
fn check(part: usize) {
    let seed = setting("HAFT_FUZZ_SEED").unwrap_or(SEED);
    let lines = setting("HAFT_FUZZ_LINES").and_then(|lines| usize::try_from(lines).ok()).unwrap_or(LINES);
    let names: Vec<&str> = RUNNERS.iter().map(|runner| runner.name).collect();
    let Some(oracle) = Oracle::with_programs(&names) else {
        eprintln!("skipped: there is no `timeout` or `setsid` that ends a line which hangs");
        return;
    };
    let there: Vec<&Runner> = RUNNERS.iter().filter(|runner| oracle.has(runner.name)).collect();
    let around = Surroundings { home: "/root".to_owned(), workdir: "/w".to_owned() };
    let (mut all, mut clear, mut tried, mut ran, mut missed) = (0, 0, 0, 0, Vec::new());
    for batch in (part..lines.div_ceil(BATCH)).step_by(PARTS) {
        let mut numbers = Numbers::new(seed.wrapping_add(batch as u64));
        let made = (0..BATCH).map(|at| {
            let marker = format!("zz{}", batch * BATCH + at);
            let runner = there[numbers.below(there.len())];
            let line = option_line(&mut numbers, runner, &marker);
            let asked = is_seen(&analyse(&line, &around), &marker);
            (line, marker, asked)
        });
        let made: Vec<(String, String, bool)> = made.collect();
        all += made.len();
        clear += made.iter().filter(|(_, _, asked)| !asked).count();
        let chosen: Vec<_> = made
            .iter()
            .enumerate()
            .filter(|(at, (_, _, asked))| !asked || at % SAMPLE == 0)
            .map(|(_, one)| one)
            .collect();
        let given: Vec<(&str, &str)> =
            chosen.iter().map(|(line, marker, _)| (line.as_str(), marker.as_str())).collect();
        let started = oracle.started(&given);
        for (line, marker, asked) in chosen {
            let has_run = started.contains(marker);
            if *asked {
                tried += 1;
                ran += usize::from(has_run);
            } else if has_run {
                missed.push(line.replace(marker, "zz"));
            }
        }
    }
    println!("seed {seed}: {all} lines; of {tried} that ask {ran} ran; {clear} are clear, {} missed", missed.len());
    let listed = missed.iter().take(60).map(|line| line.replace('\n', "⏎")).collect::<Vec<_>>().join("\n");
    assert!(missed.is_empty(), "seed {seed}, {} of {all} lines:\n{listed}", missed.len());
    // Lines that run nothing would show nothing, and an analysis that sees nothing misses nothing.
    assert!(ran * 6 > tried, "only {ran} of {tried} lines run their marker");
    assert!(clear * 50 > all, "only {clear} of {all} lines are clear");
}

#[test]
fn a_first_part_of_the_options_starts_nothing_unseen() {
    check(0);
}

#[test]
fn a_second_part_of_the_options_starts_nothing_unseen() {
    check(1);
}
