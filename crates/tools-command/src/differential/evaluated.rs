//! No generated bash line runs a program that the analysis neither lists nor calls opaque.

use super::figures::{Figures, LeastShares, MarkedLine, Plan, marker};
use super::generator::{line, option_lines};
use super::oracle::Oracle;
use crate::Analysis;

const PLAN: Plan = Plan { lines: 20_000, batch: 400, parts: 4, seed: 20_261_122, sample: 8 };
const LEAST: LeastShares = LeastShares { ran: 3, clear: 10 };

fn is_seen(found: &Analysis, marker: &str) -> bool {
    let names = |command: &crate::Command| !command.program.is_exact || command.program.text == marker;
    let is_known = |file: &crate::Value| file.is_exact && !file.has_pattern;
    !found.opaque.is_empty() || found.commands.iter().any(names) || !found.writes.iter().all(is_known)
}

fn check(part: usize) {
    let (plan, oracle) = (PLAN.or_as_set(), Oracle::new());
    let mut figures = Figures::default();
    for lines in plan.batches(part, line) {
        figures.add(&lines, plan.sample, is_seen, |lines| oracle.evaluated(lines));
    }
    figures.check(&plan, LEAST);
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
    let lines = option_lines(options, |program| if program == "trap" { "zz EXIT" } else { "zz" }.to_owned());
    let lines: Vec<MarkedLine> = lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| MarkedLine { line: line.replace("zz", &marker(at)), marker: marker(at) })
        .collect();
    let (oracle, mut figures) = (Oracle::new(), Figures::default());
    figures.add(&lines, PLAN.sample, is_seen, |lines| oracle.evaluated(lines));
    assert_eq!(figures.missed, Vec::<String>::new());
    assert_eq!(figures.clear, 0);
}
