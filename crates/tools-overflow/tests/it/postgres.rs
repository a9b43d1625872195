//! The PostgreSQL store against a real server: a private cluster in a temporary folder, gone with
//! the test.

use std::sync::Arc;

use jiff::SignedDuration;
use tools_overflow::{Archive, OverflowConfig, PostgresStore};
use tools_testkit::{FakeClock, PostgresServer};

use crate::stores;

/// One server for all of it: starting one takes longer than the rest.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_is_a_store_like_the_others() {
    let server = match PostgresServer::start() {
        Ok(server) => server,
        Err(missing) => {
            eprintln!("SKIPPED: {missing}");
            return;
        }
    };
    let store = || Arc::new(PostgresStore::at(&server.address()).unwrap());
    // Two that make the schema at once, as two machines would.
    let (one, two) =
        (Archive::new(store(), &OverflowConfig::default()), Archive::new(store(), &OverflowConfig::default()));
    let (first, second) = tokio::join!(one.keep("c", "one"), two.keep("c", "two"));
    assert_eq!(stores::read_whole(&two, "c", &first.unwrap()).await, "one");
    assert_eq!(stores::read_whole(&one, "c", &second.unwrap()).await, "two");
    one.remove_conversation("c").await.unwrap();
    stores::empty_conversations_go(store()).await;
    let mut connection = <sqlx::PgConnection as sqlx::Connection>::connect(&server.address()).await.unwrap();
    let conversations = "SELECT id FROM conversations";
    let left: Vec<(String,)> = sqlx::query_as(conversations).fetch_all(&mut connection).await.unwrap();
    assert_eq!(left, [("young".to_owned(),)]);
    storing_and_cleaning_at_once_loses_nothing(store).await;
    stores::check(store()).await;
    stores::nothing_is_lost(store(), stores::entries()).await;
}

/// A conversation that is old, with nothing in it that is not: stored in by several while others
/// remove what is empty.
async fn storing_and_cleaning_at_once_loses_nothing(store: impl Fn() -> Arc<PostgresStore>) {
    let clock = FakeClock::default();
    let archive = || Archive::with_clock(store(), &OverflowConfig::default(), Arc::new(clock.clone()));
    let (one, two) = (archive(), archive());
    for round in 0..60 {
        clock.advance(SignedDuration::from_hours(24 * 8));
        let (first, _, second, _, third) =
            tokio::join!(one.keep("c", "1"), two.clean(), two.keep("c", "2"), one.clean(), two.keep("c", "3"));
        for (stored, text) in [(first, "1"), (second, "2"), (third, "3")] {
            assert_eq!(stores::read_whole(&one, "c", &stored.unwrap()).await, text, "round {round}");
        }
    }
}

#[test]
fn what_is_no_address_is_refused_and_a_password_is_not_shown() {
    assert!(PostgresStore::at("sqlite:x").is_err());
    let store = PostgresStore::at("postgres://me:hunter2@localhost/db").unwrap();
    assert_eq!(format!("{store:?}"), r#"PostgresStore(Server { database: Some("db"), .. })"#);
}
