//! What is saved, what is refused, and who finds it.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

use std::sync::Arc;

use jiff::SignedDuration;
use tools_core::Shared;
use tools_memory::{
    Filter, Limits, Memories, MemoryConfig, MemoryError, MemoryKind, MemoryStore, NewMemory, Scope, SqliteMemories,
};
use tools_secrets::SecretRedactor;
use tools_testkit::FakeClock;

pub(crate) fn clock() -> FakeClock {
    FakeClock::at("2026-11-23T08:00:00Z".parse().expect("a time"))
}

pub(crate) fn memories(clock: &FakeClock, most: u64) -> Memories {
    let policy = MemoryConfig { max_entries: most, ..MemoryConfig::default() }.compile().expect("it can be used");
    let redactor = Arc::new(SecretRedactor::default());
    Memories::new(Arc::new(SqliteMemories::in_memory()), Shared::new(policy), redactor, Arc::new(clock.clone()))
}

/// The same in another store.
pub(crate) fn memories_in(store: Arc<dyn MemoryStore>, clock: &FakeClock, most: u64) -> Memories {
    let policy = MemoryConfig { max_entries: most, ..MemoryConfig::default() }.compile().expect("it can be used");
    Memories::new(store, Shared::new(policy), Arc::new(SecretRedactor::default()), Arc::new(clock.clone()))
}

pub(crate) fn of_project(project: &str, content: &str) -> NewMemory {
    NewMemory {
        content: content.to_owned(),
        kind: MemoryKind::Fact,
        tags: vec![],
        scope: Scope::Project,
        owner: project.to_owned(),
        origin: "test".to_owned(),
        call: None,
        session: None,
        untrusted: false,
        expires_at: None,
        supersedes: None,
    }
}

pub(crate) fn in_project(project: &str) -> Filter {
    Filter { project: Some(project.to_owned()), ..Filter::default() }
}

pub(crate) async fn contents(memories: &Memories, query: &str, filter: &Filter) -> Vec<String> {
    memories
        .search(query, filter, 20)
        .await
        .expect("it can be searched")
        .into_iter()
        .map(|hit| hit.memory.content)
        .collect()
}

#[tokio::test]
async fn projects_users_and_sessions_do_not_mix() {
    projects_do_not_mix(&memories(&clock(), 100)).await;
}

pub(crate) async fn projects_do_not_mix(memories: &Memories) {
    let owners =
        [(Scope::Project, "a"), (Scope::Project, "b"), (Scope::Session, "a"), (Scope::Session, "s"), (Scope::User, "")];
    for (scope, owner) in owners {
        let content = format!("the port of {} {owner}", scope.as_str());
        memories.save(NewMemory { scope, ..of_project(owner, &content) }).await.unwrap();
        // The same text for each of them: it is a duplicate of nobody's but its own.
        let saved = memories.save(NewMemory { scope, ..of_project(owner, "the same port") }).await.unwrap();
        assert!(!saved.was_there, "{scope:?} {owner}");
    }
    let all = Filter { session: Some("s".to_owned()), user: true, ..in_project("a") };
    let mut found = contents(memories, "port", &all).await;
    found.sort();
    let same = "the same port";
    assert_eq!(found, ["the port of project a", "the port of session s", "the port of user ", same, same, same]);
    assert_eq!(contents(memories, "port", &all.clone().only(Scope::User)).await.len(), 2);
    assert_eq!(contents(memories, "port", &in_project("c")).await.len(), 0);
    assert_eq!(contents(memories, "port", &Filter::default()).await.len(), 0);
}

#[tokio::test]
async fn what_was_superseded_or_has_expired_is_not_found() {
    let clock = clock();
    superseded_and_expired_go(&memories(&clock, 100), &clock).await;
}

pub(crate) async fn superseded_and_expired_go(memories: &Memories, clock: &FakeClock) {
    let old = memories.save(of_project("a", "the port is 80")).await.unwrap().id;
    let stranger = NewMemory { supersedes: Some(old.clone()), ..of_project("b", "the port is 81") };
    assert!(matches!(memories.save(stranger).await, Err(MemoryError::NotFound(id)) if id == old));
    let new = NewMemory { supersedes: Some(old.clone()), ..of_project("a", "the port is 8080") };
    let new = memories.save(new).await.unwrap().id;
    assert_eq!(contents(memories, "port", &in_project("a")).await, ["the port is 8080"]);
    assert_eq!(memories.get(&old).await.unwrap().unwrap().superseded_by, Some(new));
    let again = NewMemory { supersedes: Some(old), ..of_project("a", "the port is 9") };
    assert!(matches!(memories.save(again).await, Err(MemoryError::NotFound(_))));
    // It may be true again.
    assert!(!memories.save(of_project("a", "the port is 80")).await.unwrap().was_there);

    let short = NewMemory {
        expires_at: Some(memories.now() + SignedDuration::from_hours(24)),
        ..of_project("a", "the port is closed today")
    };
    memories.save(short.clone()).await.unwrap();
    assert_eq!(contents(memories, "closed", &in_project("a")).await.len(), 1);
    clock.advance(SignedDuration::from_hours(24));
    assert!(contents(memories, "closed", &in_project("a")).await.is_empty());
    assert!(!memories.save(NewMemory { expires_at: None, ..short }).await.unwrap().was_there);
}

#[tokio::test]
async fn a_full_store_refuses_and_keeps_what_it_has() {
    full_stores_refuse(&memories(&clock(), 2)).await;
}

pub(crate) async fn full_stores_refuse(memories: &Memories) {
    memories.save(of_project("a", "one")).await.unwrap();
    let two = memories.save(of_project("a", "two")).await.unwrap().id;
    let error = memories.save(of_project("a", "three")).await.unwrap_err();
    assert!(matches!(error, MemoryError::Full(Limits { entries: 2, .. })), "{error:?}");
    assert_eq!(memories.list(None).await.unwrap().len(), 2);
    assert!(memories.remove(&two).await.unwrap() && !memories.remove(&two).await.unwrap());
    memories.save(of_project("a", "three")).await.unwrap();
    assert!(contents(memories, "two", &in_project("a")).await.is_empty());
}

#[tokio::test]
async fn a_nul_is_refused_before_the_store() {
    nul_is_refused(&memories(&clock(), 100)).await;
}

pub(crate) async fn nul_is_refused(memories: &Memories) {
    let parameter = |result: Result<tools_memory::SaveOutcome, MemoryError>, field: &str| match result {
        Err(MemoryError::Parameter(text)) => assert!(text.contains(field) && text.contains("leave it out"), "{text}"),
        other => panic!("{other:?}"),
    };
    let good = of_project("a", "we meet on Mondays");
    parameter(memories.save(of_project("a", "we meet\u{0}on Mondays")).await, "`content` has a NUL");
    parameter(memories.save(NewMemory { tags: vec!["a\u{0}b".to_owned()], ..good.clone() }).await, "`tags` has a NUL");
    let nobody = memories.save(NewMemory { supersedes: Some("x\u{0}".to_owned()), ..good.clone() }).await;
    assert!(matches!(nobody, Err(MemoryError::NotFound(_))), "{nobody:?}");
    assert!(memories.list(None).await.unwrap().is_empty());
    let id = memories.save(good).await.unwrap().id;
    // Nothing is found by it, and nothing breaks.
    assert_eq!(contents(memories, "meet\u{0}mondays", &in_project("a")).await.len(), 1);
    let stored = memories.get(&id).await.unwrap().unwrap();
    let imported = memories.import(tools_memory::Memory { id: "a\u{0}b".to_owned(), ..stored }).await;
    assert!(matches!(&imported, Err(MemoryError::Content(text)) if text.contains("`id`")), "{imported:?}");
    assert_eq!(memories.list(None).await.unwrap().len(), 1);
}
