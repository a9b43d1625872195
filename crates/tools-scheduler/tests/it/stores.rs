//! What every store of tasks does, on each of them.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use tools_scheduler::{
    PostgresTasks, ScheduleError, SchedulerConfig, SchedulerPolicy, SqliteTasks, TaskName, TaskStore,
};
use tools_testkit::PostgresServer;

use crate::support::periodic;

fn start() -> Timestamp {
    "2026-11-23T00:00:00Z".parse().expect("a time")
}

fn after(minutes: i64) -> Timestamp {
    start() + SignedDuration::from_mins(minutes)
}

fn policy() -> SchedulerPolicy {
    SchedulerConfig::default().compile().expect("it can be used")
}

/// Everything that a store promises, of two handles of one store.
async fn check(one: Arc<dyn TaskStore>, other: Arc<dyn TaskStore>) {
    let policy = policy();
    let name = |text: &str| TaskName::parse(text).expect("a name");
    let mut task = periodic("a", "*/10 * * * *", start());
    task.policy_snapshot_hash = Some("digest".to_owned());
    task.max_runs = Some(3);
    one.put(task.clone(), false, 2).await.unwrap();
    assert_eq!(other.list("/w").await.unwrap(), [task.clone()]);
    assert!(matches!(other.put(task.clone(), false, 2).await, Err(ScheduleError::Exists(_))));
    one.put(periodic("b", "*/10 * * * *", start()), false, 2).await.unwrap();
    assert!(matches!(
        other.put(periodic("c", "*/10 * * * *", start()), false, 2).await,
        Err(ScheduleError::TooMany(2))
    ));
    assert!(other.list("/elsewhere").await.unwrap().is_empty());
    assert_eq!(other.next("/w").await.unwrap(), Some(after(10)));
    // Each is taken by one of them, and by nobody before it has ended.
    assert!(one.claim("/w", "one", after(9), &policy, 9).await.unwrap().is_empty());
    let (first, second) =
        tokio::join!(one.claim("/w", "one", after(10), &policy, 9), other.claim("/w", "other", after(10), &policy, 9));
    let (first, second) = (first.unwrap(), second.unwrap());
    let mut taken: Vec<&str> = first.iter().chain(&second).map(|claim| claim.task.name.as_str()).collect();
    taken.sort_unstable();
    assert_eq!(taken, ["a", "b"]);
    for (claims, owner) in [(&first, "one"), (&second, "other")] {
        for claim in claims.iter().filter(|claim| claim.task.name == name("a")) {
            assert!(matches!(
                other.claim_now("/w", &name("a"), "x", after(10), &policy).await,
                Err(ScheduleError::Running(_))
            ));
            // Somebody else's word about it does not count.
            other.finish(claim, "stranger", "stolen").await.unwrap();
            one.renew(claim, owner, after(12)).await.unwrap();
            assert_eq!(other.list("/w").await.unwrap()[0].lease_until, Some(after(12)));
            one.finish(claim, owner, "ok").await.unwrap();
        }
    }
    let ran = other.list("/w").await.unwrap().remove(0);
    assert_eq!((ran.runs, ran.last_status.as_deref(), ran.lease_until), (1, Some("ok"), None));
    assert_eq!((ran.last_run, ran.next_run), (Some(after(10)), Some(after(20))));
    assert_eq!(ran.policy_snapshot_hash.as_deref(), Some("digest"));
    let now = other.claim_now("/w", &name("a"), "x", after(11), &policy).await.unwrap().unwrap();
    other.finish(&now, "x", "ok").await.unwrap();
    assert_eq!(one.list("/w").await.unwrap()[0].next_run, Some(after(20)));
    // Replaced, it begins anew; removed, it is gone.
    one.put(task.clone(), true, 2).await.unwrap();
    assert_eq!(other.list("/w").await.unwrap()[0], task);
    assert_eq!(other.remove("/w", &name("a")).await.unwrap(), Some(task));
    assert_eq!(one.remove("/w", &name("a")).await.unwrap(), None);
    assert!(one.claim_now("/w", &name("a"), "x", after(11), &policy).await.unwrap().is_none());
}

#[tokio::test]
async fn a_file_keeps_the_promises() {
    let folder = tempfile::tempdir().unwrap();
    let store = || Arc::new(SqliteTasks::at(folder.path().join("tasks.db")));
    check(store(), store()).await;
}

#[tokio::test]
async fn a_server_keeps_the_promises() {
    let server = match PostgresServer::start() {
        Ok(server) => server,
        Err(missing) => {
            eprintln!("SKIPPED: {missing}");
            return;
        }
    };
    let store = || Arc::new(PostgresTasks::at(&server.address()).unwrap());
    check(store(), store()).await;
    assert!(PostgresTasks::at("sqlite:x").is_err());
    let stored = PostgresTasks::at("postgres://me:hunter2@localhost/db").unwrap();
    assert!(!format!("{stored:?}").contains("hunter2"));
}
