//! The server of `haft-cli`'s tests that is killed while it writes, at length:
//! `cargo bench -p tools-bench --bench crash -- ROUNDS`.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed run")]
#![expect(clippy::disallowed_methods, reason = "a server is started as a client would start it")]

#[path = "../../haft-cli/tests/it/crash.rs"]
mod crash;

fn main() {
    let rounds = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1000);
    let binaries = tools_bench::release(&[&["-p", "haft-cli"]]);
    let folder = tempfile::TempDir::new_in(tools_bench::target()).unwrap();
    let (time, outcome) =
        tools_bench::timed(|| crash::run(&binaries.join("haft"), &folder.path().canonicalize().unwrap(), rounds));
    println!(
        "{} rounds in {:.0} s: {} changes answered, {} rounds left something half made, {} faults",
        outcome.rounds,
        time.as_secs_f64(),
        outcome.answered,
        outcome.interrupted,
        outcome.faults.len()
    );
    outcome.faults.iter().take(20).for_each(|fault| println!("{fault}"));
    assert!(outcome.faults.is_empty(), "a file is not whole, or something was left behind");
}
