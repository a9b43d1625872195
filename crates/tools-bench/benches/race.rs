//! The race of `tools-file`'s tests at length: `cargo bench -p tools-bench --bench race --
//! ATTEMPTS`.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed race")]

#[path = "../../tools-file/tests/it/race.rs"]
mod race;

fn main() {
    let attempts = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1_000_000);
    let (time, outcome) = tools_bench::timed(|| race::run(attempts));
    println!(
        "{} attempts in {:.0} s: {} worked, {} refused, {} exchanges, {} faults",
        outcome.attempts,
        time.as_secs_f64(),
        outcome.worked,
        outcome.refused,
        outcome.flips,
        outcome.faults.len()
    );
    outcome.faults.iter().take(20).for_each(|fault| println!("{fault}"));
    assert!(outcome.faults.is_empty(), "something outside was seen or changed");
}
