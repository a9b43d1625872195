//! Long output: storing it against writing the same bytes, and a window of it whatever its length.
//! Everything that is compared runs round by round.

use std::{io::Write as _, path::Path, sync::Arc};

use haft::overflow_store::{Archive, InMemoryStore, OverflowConfig, SqliteStore};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tools_bench::{Times, compare, timed};

const MIB: usize = 1 << 20;
const ROUNDS: u32 = 41;

fn main() {
    // On a disk: the temporary folder may be memory, where waiting for the disk costs nothing.
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let runtime = Runtime::new().expect("a runtime");
    storing(&runtime, folder.path());
    windows(&runtime, folder.path());
}

/// Lines as a build or a server prints them.
fn log(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 128);
    let mut state = 1_u64;
    while text.len() < bytes {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let _ = std::fmt::Write::write_fmt(
            &mut text,
            format_args!(
                "2026-11-22T03:{:02}:{:02}Z INFO request {:016x} took {} ms\n",
                state % 60,
                state / 7 % 60,
                state,
                state % 977
            ),
        );
    }
    text.truncate(bytes);
    text
}

/// What cannot be compressed.
fn noise(bytes: usize) -> String {
    let mut state = 88_172_645_463_325_252_u64;
    let byte = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(33 + u8::try_from(state % 90).unwrap_or(0))
    };
    (0..bytes).map(byte).collect()
}

fn store(folder: &Path) -> (Arc<SqliteStore>, Archive) {
    let config = OverflowConfig { max_overflow_bytes: 0, max_total_bytes: 0, ..OverflowConfig::default() };
    let store = Arc::new(SqliteStore::at(folder.join("overflow.db")));
    let archive = Archive::new(Arc::<SqliteStore>::clone(&store), &config);
    (store, archive)
}

/// How long it takes until a text can be read, and until it is in the file and the file on the
/// disk. What happens beside is waited for before anything else is timed.
fn storing(runtime: &Runtime, folder: &Path) {
    let (store, archive) = store(&folder.join("storing"));
    let unlimited = OverflowConfig { max_overflow_bytes: 0, max_total_bytes: 0, ..OverflowConfig::default() };
    let memory = Archive::new(Arc::new(InMemoryStore::default()), &unlimited);
    runtime.block_on(archive.keep("c", "opened")).expect("it is stored");
    for (what, text) in [("log", log(10 * MIB)), ("noise", noise(10 * MIB)), ("log of 64 KiB", log(64 << 10))] {
        let text: Arc<str> = text.into();
        let [mut stored, mut settled, mut written, mut packed]: [Times; 4] = Default::default();
        for round in 0..ROUNDS {
            let plain = folder.join(format!("plain-{round}"));
            let write = || {
                let mut file = std::fs::File::create(&plain).expect("a file");
                file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).expect("it can be written");
            };
            written.push(timed(write).0);
            std::fs::remove_file(&plain).expect("it is there");
            let (keeping, _) = timed(|| runtime.block_on(archive.keep("c", Arc::clone(&text))).expect("it is stored"));
            let (settling, ()) = timed(|| runtime.block_on(store.settle()).expect("it is on the disk"));
            packed.push(timed(|| runtime.block_on(memory.keep("c", Arc::clone(&text))).expect("it is stored")).0);
            runtime.block_on(memory.remove_conversation("c")).expect("it is in memory");
            stored.push(keeping);
            settled.push(keeping + settling);
        }
        let bytes = text.len();
        compare(&format!("storing {what}, {bytes} bytes"), &stored, "writing them with fsync", &written);
        compare(&format!("compressing {what}"), &packed, "writing them with fsync", &written);
        compare(&format!("storing {what} and waiting for the disk"), &settled, "writing them with fsync", &written);
    }
}

fn windows(runtime: &Runtime, folder: &Path) {
    let (_, archive) = store(&folder.join("windows"));
    let sizes = [100 << 10, 10 * MIB, 100 * MIB];
    let stored: Vec<_> =
        sizes.iter().map(|size| runtime.block_on(archive.keep("c", log(*size))).expect("it is stored")).collect();
    let mut times = vec![(Times::default(), Times::default()); sizes.len()];
    for round in 0..400_u64 {
        for (stored, (bytes, lines)) in stored.iter().zip(&mut times) {
            let facts = stored.facts;
            let (at, line) = (round * 7_919_177 % (facts.bytes - 2048), 1 + round * 104_729 % (facts.lines - 40));
            let window = async {
                let entry = archive.open("c", stored.reference).await.expect("it is there");
                entry.bytes(at..at + 2048).await.expect("it is whole").len()
            };
            bytes.push(timed(|| runtime.block_on(window)).0);
            let window = async {
                let entry = archive.open("c", stored.reference).await.expect("it is there");
                entry.lines(line, 30).await.expect("it is whole").len()
            };
            lines.push(timed(|| runtime.block_on(window)).0);
        }
    }
    for (size, (bytes, lines)) in sizes.iter().zip(&times) {
        println!(
            "2 KB of {size} bytes: p50 {:.3} ms, p99 {:.3} ms; 30 lines: p50 {:.3} ms, p99 {:.3} ms",
            bytes.ms(0.5),
            bytes.ms(0.99),
            lines.ms(0.5),
            lines.ms(0.99)
        );
    }
}
