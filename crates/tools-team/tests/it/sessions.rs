//! Saved sessions that several processes share: one writes at a time, and a lease ends with its
//! process or with its time.

use std::sync::Arc;

use serde_json::json;
use tools_agent::sessions::{SavedSession, SessionEntry, SessionStore as _, SessionsError};
use tools_core::SessionId;
use tools_team::sessions::{PostgresSessions, SessionDatabase};

use crate::{database, server, tamper};

fn process(address: &str, owner: &str) -> PostgresSessions {
    PostgresSessions::over(Arc::new(SessionDatabase::at(address).unwrap()), owner)
}

fn id(session: &str) -> SessionId {
    SessionId::parse(session).unwrap()
}

fn saved(turns: u64) -> SavedSession {
    let written = jiff::Timestamp::from_millisecond(1_000 + i64::try_from(turns).unwrap()).unwrap();
    let history = json!({"messages": [{"role": "user", "blocks": [{"type": "text", "text": "hello"}]}]});
    let saved = json!({"session": "s", "workdir": "/w", "title": "a title", "turns": turns, "written": written,
        "history": history});
    serde_json::from_value(saved).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_writes_a_session_and_the_next_one_goes_on_with_all_of_it() {
    let Some(server) = server() else { return };
    let address = database(&server, "sessions").await;
    let (one, two) = (process(&address, "ann"), process(&address, "ann"));
    let held = one.hold(&id("s")).await.unwrap();
    assert!(one.list().await.unwrap().is_empty(), "nothing is written yet");
    held.keep(&saved(1)).await.unwrap();
    held.keep(&saved(2)).await.unwrap();
    let Err(SessionsError::InUse(refused)) = two.hold(&id("s")).await else { panic!("two hold one session") };
    assert!(refused.starts_with(&format!("process {} on `", std::process::id())), "{refused}");
    assert!(matches!(two.remove(&id("s")).await, Err(SessionsError::InUse(_))));
    assert_eq!(two.list().await.unwrap(), [SessionEntry::from(&saved(2))]);
    assert_eq!(two.read(&[id("s"), id("t")]).await.unwrap(), [saved(2)]);
    // The same name of somebody else is another session.
    let ben = process(&address, "ben");
    drop(ben.hold(&id("s")).await.unwrap());
    assert!(ben.list().await.unwrap().is_empty());
    assert!(!process(&address, "cid").remove(&id("s")).await.unwrap());

    // The first process was stopped for longer than its lease, and the other one took over.
    tamper(&address, "UPDATE haft_session SET lease_until = 0 WHERE owner = 'ann'").await;
    let taken = two.hold(&id("s")).await.unwrap();
    let late = held.keep(&saved(3)).await.unwrap_err();
    assert!(matches!(late, SessionsError::InUse(_)), "{late}");
    drop(held);
    taken.keep(&saved(4)).await.unwrap();
    assert_eq!(one.read(&[id("s")]).await.unwrap(), [saved(4)]);
    tamper(&address, "DELETE FROM haft_session WHERE owner = 'ann'").await;
    assert!(matches!(taken.keep(&saved(5)).await, Err(SessionsError::Removed)));
    drop(server);
    assert!(matches!(one.hold(&id("s")).await, Err(SessionsError::Away(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_that_want_a_session_one_has_it_at_a_time() {
    let Some(server) = server() else { return };
    let address = database(&server, "sessions_at_once").await;
    let tasks = (0..4).map(|_| {
        let process = process(&address, "ann");
        tokio::spawn(async move {
            let mut had = 0_u64;
            while had < 10 {
                let Ok(held) = process.hold(&id("s")).await else {
                    tokio::task::yield_now().await;
                    continue;
                };
                // What is written is one more than what was read: a second writer would lose one.
                let before = process.list().await.unwrap().first().map_or(0, |entry| entry.turns);
                held.keep(&saved(before + 1)).await.unwrap();
                had += 1;
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    let listed = process(&address, "ann").list().await.unwrap();
    assert_eq!(listed[0].turns, 40);
}
