//! Two servers on one PostgreSQL that are killed at random, at length, and what a call costs with
//! its state in the database.
//!
//! `cargo build -p haft-cli --features postgres`, then
//! `cargo run -p tools-bench --example machines -- target/debug/haft 10000 20`: the binary, calls
//! and kills. A private PostgreSQL server is started; its durability is the usual one.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed run")]
#![expect(clippy::disallowed_methods, reason = "servers are started as a user would start them")]

#[path = "../../haft-cli/tests/it/machines.rs"]
mod machines;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use machines::{Client, Outcome, Plan, Team};
use serde_json::json;
use tempfile::TempDir;
use tools_testkit::PostgresServer;

/// Calls of one client behind each other.
const CALLS: u32 = 1_000;

fn main() {
    let mut words = std::env::args().skip(1);
    let haft = PathBuf::from(words.next().expect("the binary is named")).canonicalize().unwrap();
    let mut number = |usual: u64| words.next().and_then(|word| word.parse().ok()).unwrap_or(usual);
    let (calls, kills) = (number(10_000), number(20));
    let database = PostgresServer::start().expect("PostgreSQL is installed");
    let address = database.address();
    costs(&haft, &address);
    tables(&address, "drop");

    let folder = TempDir::new().unwrap();
    let plan = Plan { calls, kills, quota: calls * 4 / 5 };
    let begun = Instant::now();
    let outcome = machines::run(&haft, &folder.path().canonicalize().unwrap(), &address, plan);
    let Outcome { acknowledged, refused, unanswered, ran, entries, chains, faults } = &outcome;
    let time = begun.elapsed();
    println!(
        "{calls} calls, {kills} kills, {:.1} s: {acknowledged} acknowledged, {refused} refused by the quota of {}, \
         {unanswered} unanswered; {ran} on record as run, {entries} stored outputs read back, {chains} chains; {} faults",
        time.as_secs_f64(),
        plan.quota,
        faults.len()
    );
    println!("in the account: {}", query(&address, "SELECT used FROM haft_quota_account"));
    faults.iter().take(20).for_each(|fault| println!("{fault}"));
    assert!(faults.is_empty());
}

/// What a call costs a client, and the database.
fn costs(haft: &Path, address: &str) {
    let audit = format!("[tools.audit]\ndatabase = \"{address}\"\n");
    let quota = format!("[tools.caller_quota]\ncalls = 1000000\ndatabase = \"{address}\"\n");
    let file = String::from("[tools.audit]\nfsync = \"always\"\n");
    let both = format!("{audit}{quota}");
    let configurations = [
        ("in files", ""),
        ("in files, synced", &file),
        ("record", &audit),
        ("quota", &quota),
        ("record and quota", &both),
    ];
    for (what, config) in configurations {
        let folder = TempDir::new().unwrap();
        let team = Team::new(haft, folder.path(), config, u64::from(CALLS));
        let server = team.start(0);
        let client = Client::greeted(&server.address).unwrap();
        // The first call connects.
        client.call("read", &json!({"path": "n/0.txt"})).unwrap();
        let before = counters(address);
        let mut times: Vec<Duration> = (0..CALLS)
            .map(|call| {
                let asked = Instant::now();
                let answer = client.call("read", &json!({"path": format!("n/{call}.txt")})).unwrap();
                assert!(answer.contains(&format!("content of {call}")), "{answer}");
                asked.elapsed()
            })
            .collect();
        let after = counters(address);
        times.sort();
        let at = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e3;
        let of_call = |at: usize| (after[at] - before[at]) / f64::from(CALLS);
        println!(
            "{what}: p50 {:.2} ms, p99 {:.2} ms a call; database: {:.1} transactions, {:.0} bytes of log, {:.0} bytes of tables",
            at(50),
            at(99),
            of_call(0),
            of_call(1),
            of_call(2)
        );
    }
}

/// Transactions, bytes of the write-ahead log and of the database so far.
fn counters(address: &str) -> Vec<f64> {
    let sql = "SELECT xact_commit || ' ' || pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') || ' ' ||
               pg_database_size(current_database()) FROM pg_stat_database WHERE datname = current_database()";
    query(address, sql).split(' ').map(|number| number.trim().parse().unwrap()).collect()
}

fn tables(address: &str, verb: &str) {
    let all = "SELECT string_agg(format('%I', tablename), ', ') FROM pg_tables WHERE schemaname = 'public'";
    let names = query(address, all);
    query(address, &format!("{verb} TABLE {names} CASCADE"));
}

fn query(address: &str, sql: &str) -> String {
    let output = Command::new("psql").args([address, "-XAtqc", sql]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
