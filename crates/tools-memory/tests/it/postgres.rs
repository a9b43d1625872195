//! PostgreSQL as a store of memories: what holds for the file holds for it.

use std::sync::Arc;

use sqlx::{Connection as _, PgConnection};
use tools_memory::{Filter, MemoryError, MemoryKind, NewMemory, PostgresMemories};
use tools_testkit::PostgresServer;

use crate::ranking;
use crate::saving::{self, clock, contents, in_project, memories_in, of_project};

/// The address of a database of its own.
async fn database(server: &PostgresServer, name: &str) -> String {
    let address = server.address();
    let mut connection = PgConnection::connect(&address).await.expect("the server answers");
    let create = sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
    sqlx::raw_sql(create).execute(&mut connection).await.expect("it can be made");
    format!("{}/{name}", address.strip_suffix("/postgres").expect("the usual database"))
}

/// One server for all of it: starting one takes longer than the rest.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_is_a_store_like_the_other() {
    let server = match PostgresServer::start() {
        Ok(server) => server,
        Err(missing) => {
            eprintln!("SKIPPED: {missing}");
            return;
        }
    };
    let store = |address: &str| Arc::new(PostgresMemories::at(address).unwrap());
    let address = database(&server, "owners").await;
    // Two that make the schema at once, as two machines would.
    let (one, two) = (memories_in(store(&address), &clock(), 100), memories_in(store(&address), &clock(), 100));
    let (first, second) = tokio::join!(one.save(of_project("x", "the same")), two.save(of_project("x", "the same")));
    let (first, second) = (first.unwrap(), second.unwrap());
    assert!(first.id == second.id && first.was_there != second.was_there);
    one.remove(&first.id).await.unwrap();
    saving::projects_do_not_mix(&one).await;

    let clock = clock();
    let address = database(&server, "times").await;
    saving::superseded_and_expired_go(&memories_in(store(&address), &clock, 100), &clock).await;
    let address = database(&server, "sizes").await;
    saving::full_stores_refuse(&memories_in(store(&address), &clock, 2)).await;
    let address = database(&server, "forms").await;
    ranking::forms_and_rarity_count(&memories_in(store(&address), &clock, 1_000)).await;
    let address = database(&server, "texts").await;
    ranking::texts_are_found(&memories_in(store(&address), &clock, 1_000), 300).await;

    let address = database(&server, "characters").await;
    saving::nul_is_refused(&memories_in(store(&address), &clock, 100)).await;

    let address = database(&server, "rest").await;
    let memories = memories_in(store(&address), &clock, 1_000);
    let decided = NewMemory {
        kind: MemoryKind::Decision,
        tags: vec!["Zürich".to_owned()],
        untrusted: true,
        ..of_project("a", "we meet on Mondays")
    };
    let id = memories.save(decided).await.unwrap().id;
    let stored = memories.get(&id).await.unwrap().unwrap();
    assert!(stored.untrusted && stored.kind == MemoryKind::Decision && stored.tags == ["Zürich"]);
    assert_eq!(contents(&memories, "zurich", &in_project("a")).await.len(), 1);
    let facts = Filter { kind: Some(MemoryKind::Fact), ..in_project("a") };
    assert!(contents(&memories, "mondays", &facts).await.is_empty());
    assert_eq!(memories.list(None).await.unwrap(), std::slice::from_ref(&stored));
    let copy = memories_in(store(&database(&server, "copy").await), &clock, 1_000);
    assert_eq!(copy.import(stored.clone()).await.unwrap(), tools_memory::ImportOutcome::Stored);
    assert_eq!(copy.import(stored.clone()).await.unwrap(), tools_memory::ImportOutcome::Skipped);
    assert_eq!(copy.get(&id).await.unwrap(), Some(stored));

    let mut connection = PgConnection::connect(&address).await.unwrap();
    sqlx::raw_sql("INSERT INTO haft_memory_schema VALUES (99)").execute(&mut connection).await.unwrap();
    let error = memories_in(store(&address), &clock, 9).list(None).await.unwrap_err();
    assert!(matches!(error, MemoryError::Store(tools_store::StoreError::Newer { found: 2, known: 1 })), "{error:?}");
}

#[test]
fn what_is_no_address_is_refused_and_a_password_is_not_shown() {
    assert!(PostgresMemories::at("sqlite:x").is_err());
    let store = PostgresMemories::at("postgres://me:hunter2@localhost/db").unwrap();
    assert!(!format!("{store:?}").contains("hunter2"));
}
