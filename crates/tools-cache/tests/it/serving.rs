//! When a result is served again.

use serde_json::json;
use tools_cache::{CacheConfig, Metrics};
use tools_core::{SessionId, keys};

use crate::world::{World, hit};

#[tokio::test]
async fn the_same_question_gets_the_same_answer_with_all_that_belongs_to_it() {
    let world = World::new();
    let first = world.call_in(&world.cx, "looks", json!({"a": 1, "b": [{"c": 2, "d": 3}]})).await;
    // The same parameters in another order.
    let second = world.call_in(&world.cx, "looks", json!({"b": [{"d": 3, "c": 2}], "a": 1})).await;
    assert_eq!((hit(&first), hit(&second), world.runs()), (Some(false), Some(true), 1));
    assert_eq!(first.outcome.unwrap(), second.outcome.unwrap());
    assert_eq!(second.journal.value(keys::OVERFLOW), Some("overflow:x".into()));
    assert_eq!(second.journal.warnings(), ["something to hear of"]);
    assert_eq!(second.journal.runs().count, 0);
}

#[tokio::test]
async fn other_questions_are_other_questions() {
    let world = World::new();
    let elsewhere = world.cx.clone().with_workdir("/elsewhere");
    let another = world.cx.clone().in_session(SessionId::generate());
    assert_eq!(world.is_hit("looks", json!({"a": 1})).await, Some(false));
    assert_eq!(world.is_hit("looks", json!({"a": "1"})).await, Some(false));
    assert_eq!(world.is_hit("looks", json!({"a": 1, "b": null})).await, Some(false));
    assert_eq!(hit(&world.call_in(&elsewhere, "looks", json!({"a": 1})).await), Some(false));
    assert_eq!(hit(&world.call_in(&another, "looks", json!({"a": 1})).await), Some(false));
    assert_eq!(world.is_hit("looks", json!({"a": 1})).await, Some(true));
}

#[tokio::test]
async fn a_file_that_changed_is_read_again() {
    let world = World::new();
    assert_eq!(world.is_hit("looks", json!({})).await, Some(false));
    world.file.change();
    world.advance(1);
    assert_eq!(world.is_hit("looks", json!({})).await, Some(false));
    assert_eq!(world.is_hit("looks", json!({})).await, Some(true));
    assert_eq!(world.cache.metrics().stale, 1);
}

#[tokio::test]
async fn a_file_that_changed_just_now_is_not_trusted_yet() {
    let world = World::new();
    world.file.change();
    for _ in 0..2 {
        assert_eq!(world.is_hit("looks", json!({})).await, Some(false));
    }
    world.advance(1);
    assert_eq!(world.is_hit("looks", json!({})).await, Some(false));
    assert_eq!(world.is_hit("looks", json!({})).await, Some(true));
}

#[tokio::test]
async fn where_times_have_no_parts_of_seconds_a_second_must_have_passed() {
    let world = World::new();
    world.file.change();
    world.file.state.lock().unwrap().changed.1 = 0;
    world.advance(1);
    for _ in 0..2 {
        assert_eq!(world.is_hit("looks", json!({})).await, Some(false));
    }
    world.advance(1);
    assert_eq!(world.is_hit("looks", json!({})).await, Some(false));
    assert_eq!(world.is_hit("looks", json!({})).await, Some(true));
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_read_is_read_again() {
    let world = World::new();
    assert_eq!(world.is_hit("looks", json!({"changes_meanwhile": true})).await, Some(false));
    world.advance(1);
    assert_eq!(world.is_hit("looks", json!({"changes_meanwhile": true})).await, Some(false));
}

#[tokio::test]
async fn whatever_the_session_changes_ends_what_is_kept_for_it_and_for_no_other() {
    let another = |world: &World| world.cx.clone().in_session(SessionId::parse("another").unwrap());
    for (tool, params) in [
        ("writes", json!({})),
        // It may have changed something before it failed.
        ("writes", json!({"fails": true})),
        ("sometimes", json!({"change": true})),
        ("nobody_knows", json!({})),
    ] {
        let world = World::new();
        world.is_hit("fetches", json!({})).await;
        world.call_in(&another(&world), "fetches", json!({})).await;
        world.call_in(&world.cx, tool, params).await;
        let other = hit(&world.call_in(&another(&world), "fetches", json!({})).await);
        // A tool that is not there never gets past the look at what it would touch, and is no
        // reader either.
        assert_eq!((world.is_hit("fetches", json!({})).await, other), (Some(false), Some(true)), "{tool}");
    }
    let world = World::new();
    world.is_hit("fetches", json!({})).await;
    world.call_in(&world.cx, "sometimes", json!({})).await;
    assert_eq!(world.is_hit("fetches", json!({})).await, Some(true));
}

#[tokio::test]
async fn only_what_is_known_to_hold_is_kept() {
    let world = World::new();
    for (tool, params) in [("foreign", json!({})), ("writes", json!({})), ("sometimes", json!({}))] {
        for _ in 0..2 {
            assert_eq!(world.is_hit(tool, params.clone()).await, None, "{tool}");
        }
    }
    for _ in 0..2 {
        assert_eq!(world.is_hit("looks", json!({"fails": true})).await, Some(false));
        assert_eq!(world.is_hit("guesses", json!({})).await, Some(false));
    }
    assert_eq!(world.cache.metrics().unkept, 2);
    assert_eq!(world.cache.metrics().entries, 0);
}

#[tokio::test]
async fn what_only_the_tool_knows_of_is_looked_at_before_it_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, "one").unwrap();
    let params = json!({"at": path});
    let world = World::new();
    // Long after the file was made, by the clock of the cache.
    world.advance(100_000_000_000);
    assert_eq!(world.is_hit("walks", params.clone()).await, Some(false));
    assert_eq!(world.is_hit("walks", params.clone()).await, Some(true));
    let changes: [&dyn Fn(); 4] = [
        &|| std::fs::write(&path, "two").unwrap(),
        // Another file, of the same length and times.
        &|| {
            let times = std::fs::metadata(&path).unwrap();
            std::fs::write(folder.path().join("other"), "six").unwrap();
            let other = std::fs::File::options().write(true).open(folder.path().join("other")).unwrap();
            other.set_modified(times.modified().unwrap()).unwrap();
            std::fs::rename(folder.path().join("other"), &path).unwrap();
        },
        &|| {
            std::fs::remove_file(&path).unwrap();
            std::os::unix::fs::symlink("/", &path).unwrap();
        },
        &|| {
            std::fs::remove_file(&path).unwrap();
            std::fs::create_dir(&path).unwrap();
        },
    ];
    for (index, change) in changes.iter().enumerate() {
        change();
        assert_eq!(world.is_hit("walks", params.clone()).await, Some(false), "change {index}");
        assert_eq!(world.is_hit("walks", params.clone()).await, Some(true), "change {index}");
    }
    world.call_in(&world.cx, "writes", json!({})).await;
    assert_eq!(world.is_hit("walks", params.clone()).await, Some(false));
    assert_eq!(world.cache.metrics().stale, 4);
}

#[tokio::test]
async fn what_changed_only_just_before_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::new();
    // The clock of the cache stands long before the folder was made: it could change again without
    // being told from now.
    for _ in 0..2 {
        assert_eq!(world.is_hit("walks", json!({"at": folder.path()})).await, Some(false));
    }
    assert_eq!((world.cache.metrics().unkept, world.cache.metrics().entries), (2, 0));
}

#[tokio::test]
async fn a_result_grows_old() {
    let world = World::new();
    world.is_hit("fetches", json!({})).await;
    world.advance(299);
    assert_eq!(world.is_hit("fetches", json!({})).await, Some(true));
    world.advance(1);
    assert_eq!(world.is_hit("fetches", json!({})).await, Some(false));
    let world = World::with(&CacheConfig { ttl_secs: 0, ..CacheConfig::default() });
    world.is_hit("fetches", json!({})).await;
    world.advance(1_000_000_000);
    assert_eq!(world.is_hit("fetches", json!({})).await, Some(true));
}

#[tokio::test]
async fn the_bytes_are_bounded_and_clearing_starts_anew() {
    let world = World::with(&CacheConfig { max_bytes: 2000, ..CacheConfig::default() });
    for n in 0..50 {
        world.is_hit("looks", json!({"n": n})).await;
    }
    let metrics = world.cache.metrics();
    assert!(metrics.bytes <= 2000 && metrics.entries > 0, "{metrics:?}");
    assert_eq!(metrics.evicted, 50 - metrics.entries as u64);
    assert_eq!(world.is_hit("looks", json!({"n": 49})).await, Some(true));
    world.cache.clear();
    assert_eq!(world.cache.metrics(), Metrics::default());
    assert_eq!(world.is_hit("looks", json!({"n": 49})).await, Some(false));
    world.cache.forget(world.cx.session());
    assert_eq!(world.is_hit("looks", json!({"n": 49})).await, Some(false));
}

#[tokio::test]
async fn switched_off_it_has_no_part_in_anything() {
    let world = World::with(&CacheConfig { enabled: false, ..CacheConfig::default() });
    for _ in 0..2 {
        assert_eq!(world.is_hit("looks", json!({})).await, None);
    }
    assert_eq!((world.runs(), world.cache.metrics()), (2, Metrics::default()));
}
