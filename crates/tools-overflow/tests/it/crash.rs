//! A process that is killed while it writes: what it was told to be stored is there.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tools_overflow::{Archive, OverflowConfig, Reference, SqliteStore};

use crate::stores::text;

/// Makes this test the process to be killed; names the file it writes.
const WRITER: &str = "HAFT_OVERFLOW_WRITER";

fn archive(path: &Path) -> Archive {
    let config = OverflowConfig { max_total_bytes: 0, ..OverflowConfig::default() };
    Archive::new(Arc::new(SqliteStore::at(path)), &config)
}

/// Stores for ever and says each time what was acknowledged.
async fn write(path: &Path) {
    let archive = archive(path);
    for seed in 0.. {
        let stored = archive.keep("c", text(seed, size(seed))).await.expect("it can be stored");
        let mut out = std::io::stdout().lock();
        writeln!(out, "stored {seed} {}", stored.reference).expect("somebody reads");
        out.flush().expect("somebody reads");
    }
}

fn size(seed: u64) -> usize {
    usize::try_from(seed * 7919 % 300_000).expect("it is small")
}

#[tokio::test]
async fn every_acknowledged_entry_outlives_a_kill() {
    if let Some(path) = std::env::var_os(WRITER) {
        return write(Path::new(&path)).await;
    }
    let kills: u64 = std::env::var("HAFT_OVERFLOW_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(8);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overflow.db");
    let mut acknowledged: Vec<(u64, Reference)> = Vec::new();
    for kill in 0..kills {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::every_acknowledged_entry_outlives_a_kill", "--nocapture"])
            .env(WRITER, &path)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        let killed_after = kill * 31 % 17;
        let pause = Duration::from_micros(kill * 7919 % 9000);
        for line in lines.map_while(Result::ok) {
            // The harness may have begun the line with words of its own.
            let Some((_, told)) = line.split_once("stored ") else { continue };
            // The last line may be half of one.
            let Some((seed, reference)) = told.split_once(' ').filter(|(_, name)| name.len() == 45) else { continue };
            acknowledged.push((seed.parse().unwrap(), reference.parse().unwrap()));
            if acknowledged.last().is_some_and(|(seed, _)| *seed == killed_after) {
                // At some moment of the writes that follow.
                std::thread::sleep(pause);
                writer.kill().unwrap();
            }
        }
        writer.wait().unwrap();
    }
    assert!(acknowledged.len() as u64 >= kills);
    let archive = archive(&path);
    for (seed, reference) in &acknowledged {
        let entry = archive.open("c", *reference).await.unwrap();
        let whole = entry.bytes(0..u64::MAX).await.unwrap();
        assert_eq!(whole, text(*seed, size(*seed)).into_bytes(), "{seed}");
    }
    eprintln!("{kills} kills, {} acknowledged entries, all readable", acknowledged.len());
}
