//! Starts of the binary side by side, and starts that are killed: `cargo bench -p
//! tools-bench --bench starts -- STARTS KILLS`.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed run")]
#![expect(clippy::disallowed_methods, reason = "the binary is started as a client would start it")]

use std::time::Duration;

#[path = "../../haft-cli/tests/it/starts.rs"]
mod starts;

fn main() {
    let mut numbers = std::env::args().filter_map(|word| word.parse::<u32>().ok());
    let (count, kills) = (numbers.next().unwrap_or(400), numbers.next().unwrap_or(1000));
    let binaries = tools_bench::release(&[&["-p", "haft-cli"]]);
    let folder = tempfile::TempDir::new_in("/var/tmp").unwrap();
    let place = starts::Place::new(&binaries.join("haft"), &folder.path().canonicalize().unwrap());
    let alone = place.level().unwrap();
    for beside in [1, 8] {
        let (time, outcome) = tools_bench::timed(|| place.start(count as usize, beside));
        println!(
            "{count} starts, {beside} at a time, in {:.1} s: {} failed, at {:?}",
            time.as_secs_f64(),
            outcome.failed.len(),
            outcome.levels
        );
        outcome.failed.iter().take(5).for_each(|said| println!("{said}"));
        assert!(outcome.failed.is_empty() && outcome.levels == [alone.clone()], "a start failed or was confined less");
    }
    let (time, ()) = tools_bench::timed(|| place.kill(kills, Duration::from_millis(30)));
    let before = place.left().len();
    place.level().unwrap();
    let after = place.left();
    println!(
        "{kills} kills in {:.1} s: {before} folders left, {} after the next start",
        time.as_secs_f64(),
        after.len()
    );
    assert!(after.is_empty(), "{after:?}");
}
