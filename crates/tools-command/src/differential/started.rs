//! No option of a program that starts another one makes it start something that the analysis
//! neither lists nor asks about. The programs are the real ones of this machine.

use super::figures::{Figures, LeastShares, Plan};
use super::option_lines::{RUNNERS, Runner, option_line};
use super::oracle::Oracle;
use crate::{Analysis, Effect};

const PLAN: Plan = Plan { lines: 4_000, batch: 100, parts: 2, seed: 20_261_123, sample: 4 };
const LEAST: LeastShares = LeastShares { ran: 6, clear: 50 };

fn is_seen(found: &Analysis, marker: &str) -> bool {
    let is_marker = |value: &crate::Value| !value.is_exact || value.text == marker;
    let asks = |effect: &Effect| matches!(effect, Effect::Is { .. });
    !found.opaque.is_empty()
        || found.commands.iter().any(|command| {
            is_marker(&command.program) || command.scripts.iter().any(is_marker) || command.effects.iter().any(asks)
        })
}

fn check(part: usize) {
    let names: Vec<&str> = RUNNERS.iter().map(|runner| runner.name).collect();
    let Some(oracle) = Oracle::with_programs(&names) else {
        eprintln!("skipped: there is no `timeout` or `setsid` that ends a line which hangs");
        return;
    };
    let plan = PLAN.or_as_set();
    let there: Vec<&Runner> = RUNNERS.iter().filter(|runner| oracle.has(runner.name)).collect();
    let mut figures = Figures::default();
    for lines in plan.batches(part, |numbers, marker| {
        let runner = there[numbers.below(there.len())];
        option_line(numbers, runner, marker)
    }) {
        figures.add(&lines, plan.sample, is_seen, |lines| oracle.started(lines));
    }
    figures.check(&plan, LEAST);
}

#[test]
fn a_first_part_of_the_options_starts_nothing_unseen() {
    check(0);
}

#[test]
fn a_second_part_of_the_options_starts_nothing_unseen() {
    check(1);
}
