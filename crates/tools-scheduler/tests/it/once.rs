//! At most once: processes that are killed between writing and running, and several that serve one
//! store.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]
#![expect(clippy::disallowed_methods, reason = "the test is started anew to be killed")]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tools_scheduler::{CatchUp, PostgresTasks, SchedulerConfig, SchedulerPolicy, SqliteTasks, TaskStore};
use tools_testkit::PostgresServer;

use crate::support::periodic;

/// Makes this test a process that serves the folder it names.
const SERVER: &str = "HAFT_SCHEDULER_SERVER";
/// Where the store of such a process is, if on a server.
const ADDRESS: &str = "HAFT_SCHEDULER_ADDRESS";

fn start() -> Timestamp {
    "2026-11-23T00:00:00Z".parse().expect("a time")
}

fn policy() -> SchedulerPolicy {
    let config = SchedulerConfig { catch_up: CatchUp::All, grace_secs: 1_000_000_000, ..SchedulerConfig::default() };
    SchedulerPolicy { lease: SignedDuration::from_secs(30), ..config.compile().expect("it can be used") }
}

/// The store of a folder, or the one on a server.
fn store(folder: &Path, address: Option<&str>) -> Arc<dyn TaskStore> {
    match address {
        Some(address) => Arc::new(PostgresTasks::at(address).expect("an address")),
        None => Arc::new(SqliteTasks::at(folder.join("tasks.db"))),
    }
}

/// Serves for as long as it lives: a minute passes with each look, whoever looks. What runs is a
/// line in a file.
async fn serve(folder: &Path) {
    let address = std::env::var(ADDRESS).ok();
    let store = store(folder, address.as_deref());
    let owner = std::process::id().to_string();
    let mut fired = std::fs::OpenOptions::new().create(true).append(true).open(folder.join("fired")).expect("it works");
    for minute in 1_i64.. {
        let now = start() + SignedDuration::from_mins(minute);
        for claim in store.claim("/w", &owner, now, &policy(), 100).await.expect("it works") {
            println!("took {}", claim.due);
            // One write of less than a page to a file in append mode is whole or not there.
            fired.write_all(format!("{} {}\n", claim.task.name, claim.due).as_bytes()).expect("it works");
            store.finish(&claim, &owner, "ok").await.expect("it works");
        }
    }
}

fn server(folder: &Path, test: &str, address: Option<&str>) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("it works"));
    command
        .args(["--exact", test, "--nocapture"])
        .env(SERVER, folder)
        .envs(address.map(|address| (ADDRESS, address)))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it works")
}

#[tokio::test]
async fn nothing_fires_twice_whatever_is_killed_and_whoever_serves() {
    if let Some(folder) = std::env::var_os(SERVER) {
        return serve(Path::new(&folder)).await;
    }
    nothing_fires_twice("once::nothing_fires_twice_whatever_is_killed_and_whoever_serves", None).await;
}

#[tokio::test]
async fn nothing_fires_twice_on_a_server_either() {
    if let Some(folder) = std::env::var_os(SERVER) {
        return serve(Path::new(&folder)).await;
    }
    match PostgresServer::start() {
        Ok(server) => {
            nothing_fires_twice("once::nothing_fires_twice_on_a_server_either", Some(&server.address())).await;
        }
        Err(missing) => eprintln!("SKIPPED: {missing}"),
    }
}

async fn nothing_fires_twice(test: &str, address: Option<&str>) {
    let kills: u64 = std::env::var("HAFT_SCHEDULER_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(10);
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), address);
    for name in ["a", "b", "c"] {
        store.put(periodic(name, "* * * * *", start()), false, 10).await.unwrap();
    }
    // Until a process is connected to a server it takes longer.
    let begin = if address.is_some() { 500 } else { 150 };
    for kill in 0..kills {
        let mut both = [server(folder.path(), test, address), server(folder.path(), test, address)];
        let lines = BufReader::new(both[0].stdout.take().unwrap()).lines();
        let took = lines.map_while(Result::ok).filter(|line| line.contains("took "));
        // The first may get none because the second is faster: a killed one ends its lines.
        std::thread::scope(|scope| {
            let [first, second] = &mut both;
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(begin + kill * 37 % 100));
                let _ = second.kill();
                std::thread::sleep(Duration::from_micros(kill * 7919 % 9_000));
                let _ = first.kill();
            });
            took.count();
        });
        for server in &mut both {
            server.wait().unwrap();
        }
    }
    let fired = std::fs::read_to_string(folder.path().join("fired")).unwrap();
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for line in fired.lines() {
        *times.entry(line).or_default() += 1;
    }
    let twice: Vec<_> = times.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    assert!(times.len() as u64 > kills / 4, "{}", times.len());
    let runs: u64 = store.list("/w").await.unwrap().iter().map(|task| task.runs).sum();
    let lost = runs - times.len() as u64;
    // A kill costs at most what each of the two processes had taken and not yet run.
    assert!(lost <= kills * 6, "{lost} of {runs}");
    eprintln!("{kills} kills of two processes: {} runs, {lost} lost, none twice", times.len());
}
