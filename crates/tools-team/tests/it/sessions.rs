//! Saved sessions that several processes share: one writes at a time, and a lease ends with its
//! process or with its time.

use std::sync::Arc;

use tools_team::sessions::{SessionDatabase, SessionError, SessionRow};

use crate::{database, server, tamper};

fn process(address: &str) -> Arc<SessionDatabase> {
    Arc::new(SessionDatabase::at(address).unwrap())
}

fn row(turns: u64) -> SessionRow {
    SessionRow::new("s", "/w", "a title", turns, 2, 1_000 + i64::try_from(turns).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_writes_a_session_and_the_next_one_goes_on_with_all_of_it() {
    let Some(server) = server() else { return };
    let address = database(&server, "sessions").await;
    let (one, two) = (process(&address), process(&address));
    let held = one.hold("ann", "s").await.unwrap();
    assert!(one.list("ann").await.unwrap().is_empty(), "nothing is written yet");
    held.write(&row(1), "first").await.unwrap();
    held.write(&row(2), "second").await.unwrap();
    let refused = two.hold("ann", "s").await.unwrap_err();
    assert!(matches!(&refused, SessionError::Held { pid, .. } if *pid == i64::from(std::process::id())), "{refused}");
    assert!(matches!(two.remove("ann", "s").await, Err(SessionError::Held { .. })));
    assert_eq!(two.list("ann").await.unwrap(), [row(2)]);
    assert_eq!(two.bodies("ann", &["s", "t"]).await.unwrap(), ["second"]);
    // The same name of somebody else is another session.
    drop(two.hold("ben", "s").await.unwrap());
    assert!(two.list("ben").await.unwrap().is_empty());
    assert!(!two.remove("cid", "s").await.unwrap());

    // The first process was stopped for longer than its lease, and the other one took over.
    tamper(&address, "UPDATE haft_session SET lease_until = 0 WHERE owner = 'ann'").await;
    let taken = two.hold("ann", "s").await.unwrap();
    let late = held.write(&row(3), "late").await.unwrap_err();
    assert!(matches!(late, SessionError::Held { .. }), "{late}");
    drop(held);
    taken.write(&row(3), "third").await.unwrap();
    assert_eq!(one.bodies("ann", &["s"]).await.unwrap(), ["third"]);
    tamper(&address, "DELETE FROM haft_session WHERE owner = 'ann'").await;
    assert!(matches!(taken.write(&row(4), "fourth").await, Err(SessionError::Removed)));
    drop(server);
    assert!(matches!(one.hold("ann", "s").await, Err(SessionError::Store(_) | SessionError::Late)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_want_a_session_one_has_it_at_a_time() {
    let Some(server) = server() else { return };
    let address = database(&server, "sessions_at_once").await;
    let tasks = (0..4).map(|_| {
        let process = process(&address);
        tokio::spawn(async move {
            let mut had = 0_u64;
            while had < 10 {
                let Ok(held) = process.hold("ann", "s").await else {
                    tokio::task::yield_now().await;
                    continue;
                };
                // What is written is one more than what was read: a second writer would lose one.
                let before = process.list("ann").await.unwrap().first().map_or(0, |row| row.turns);
                held.write(&row(u64::try_from(before).unwrap() + 1), "body").await.unwrap();
                had += 1;
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    let listed = process(&address).list("ann").await.unwrap();
    assert_eq!(listed[0].turns, 40);
}
