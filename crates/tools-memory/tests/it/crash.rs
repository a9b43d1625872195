//! A process that is killed while it saves: what it was told to be saved is there.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]
#![expect(clippy::disallowed_methods, reason = "the test is started anew to be killed")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tools_core::Shared;
use tools_memory::{Memories, MemoryConfig, MemoryStore, PostgresMemories, SqliteMemories};
use tools_secrets::SecretRedactor;
use tools_testkit::PostgresServer;

use crate::saving::{clock, in_project, of_project};

/// Makes this test the process to be killed; names the file it writes.
const WRITER: &str = "HAFT_MEMORY_WRITER";

/// Where the store of such a process is, if on a server.
const ADDRESS: &str = "HAFT_MEMORY_ADDRESS";

fn memories(path: &Path, address: Option<&str>) -> Memories {
    let policy = MemoryConfig { max_entries: 1_000_000, ..MemoryConfig::default() }.compile().expect("it can be used");
    let store: Arc<dyn MemoryStore> = match address {
        Some(address) => Arc::new(PostgresMemories::at(address).expect("an address")),
        None => Arc::new(SqliteMemories::at(path)),
    };
    Memories::new(store, Shared::new(policy), Arc::new(SecretRedactor::default()), Arc::new(clock()))
}

/// Saves for ever and says each time what was acknowledged.
async fn write(path: &Path) {
    let address = std::env::var(ADDRESS).ok();
    let memories = memories(path, address.as_deref());
    let process = std::process::id();
    for number in 0.. {
        let saved = memories.save(of_project("a", &format!("entry {number} of process {process}"))).await;
        let mut out = std::io::stdout().lock();
        writeln!(out, "saved {} {number} {process}", saved.expect("it can be saved").id).expect("somebody reads");
        out.flush().expect("somebody reads");
    }
}

#[tokio::test]
async fn every_acknowledged_memory_outlives_a_kill() {
    if let Some(path) = std::env::var_os(WRITER) {
        return write(Path::new(&path)).await;
    }
    nothing_acknowledged_is_lost("crash::every_acknowledged_memory_outlives_a_kill", None).await;
}

#[tokio::test]
async fn every_memory_acknowledged_by_a_server_outlives_a_kill() {
    if let Some(path) = std::env::var_os(WRITER) {
        return write(Path::new(&path)).await;
    }
    match PostgresServer::start() {
        Ok(server) => {
            let test = "crash::every_memory_acknowledged_by_a_server_outlives_a_kill";
            nothing_acknowledged_is_lost(test, Some(&server.address())).await;
        }
        Err(missing) => eprintln!("SKIPPED: {missing}"),
    }
}

async fn nothing_acknowledged_is_lost(test: &str, address: Option<&str>) {
    let kills: u64 = std::env::var("HAFT_MEMORY_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(8);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let mut acknowledged: Vec<(String, String)> = Vec::new();
    for kill in 0..kills {
        let mut writer = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(WRITER, &path)
            .envs(address.map(|address| (ADDRESS, address)))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(writer.stdout.take().unwrap()).lines();
        let mut left = kill * 31 % 17;
        for line in lines.map_while(Result::ok) {
            // The harness may have begun the line with words of its own, and the last one may be
            // half a line.
            let told: Vec<&str> =
                line.split_once("saved ").map(|(_, told)| told.split(' ').collect()).unwrap_or_default();
            let [id, number, process] = told[..] else { continue };
            if process != writer.id().to_string() {
                continue;
            }
            acknowledged.push((id.to_owned(), format!("entry {number} of process {process}")));
            if left == 0 {
                std::thread::sleep(Duration::from_micros(kill * 7919 % 9000));
                let _ = writer.kill();
            }
            left = left.saturating_sub(1);
        }
        writer.wait().unwrap();
    }
    assert!(acknowledged.len() as u64 >= kills);
    let memories = memories(&path, address);
    for (id, content) in &acknowledged {
        assert_eq!(memories.get(id).await.unwrap().map(|memory| memory.content).as_ref(), Some(content));
    }
    let hits = memories.search("entry process", &in_project("a"), 20).await.unwrap();
    assert_eq!(hits.len(), 20, "the index of words is whole");
    eprintln!("{kills} kills, {} acknowledged memories, all readable", acknowledged.len());
}
