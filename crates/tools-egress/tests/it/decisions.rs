//! What is decided: rules, questions, addresses, budgets.

use std::sync::Arc;
use tokio::task::JoinSet;
use tools_core::Verdict::{Allow, Ask, Deny};
use tools_egress::endpoint::Permit;

use crate::world::{PUBLIC, World};

const OK: &str = "HTTP/1.1 200 Connection established";
const FORBIDDEN: &str = "HTTP/1.1 403 Forbidden";

#[tokio::test]
async fn what_no_rule_names_is_asked_once_however_many_wait() {
    let world = Arc::new(World::new(&[("known.org:*", Allow), ("*.evil.org:*", Deny), ("asks.org:*", Ask)]).await);
    world.person_allows("new.org").person_allows("asks.org");
    let mut tasks = JoinSet::new();
    for turn in 0..60 {
        let (world, host) = (Arc::clone(&world), ["new.org:99", "asks.org:99", "other.org:99"][turn % 3]);
        tasks.spawn(async move { (host, world.connect(host, b"x").await.0) });
    }
    while let Some(ended) = tasks.join_next().await {
        let (host, status) = ended.unwrap();
        assert_eq!(status, if host == "other.org:99" { FORBIDDEN } else { OK }, "{host}");
    }
    let mut questions = world.questions();
    questions.sort();
    assert_eq!(questions, ["asks.org:99", "new.org:99", "other.org:99"]);
    assert_eq!(world.connect("known.org:1", b"").await.0, OK);
    assert_eq!(world.connect("a.evil.org:1", b"").await.0, FORBIDDEN);
    assert_eq!(world.questions().len(), 3);
    let refused = world.ended(62).await.into_iter().filter(|ended| matches!(ended.permit, Permit::Refused { .. }));
    assert_eq!(refused.count(), 21);
}

#[tokio::test]
async fn nobody_is_asked_about_what_is_not_public() {
    let world = World::new(&[("*:*", Ask)]).await;
    for host in [
        "localhost",
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "169.254.169.254",
        "metadata.google.internal",
        "db",
        "printer.local",
    ] {
        assert_eq!(world.connect(&format!("{host}:80"), b"").await.0, FORBIDDEN, "{host}");
    }
    assert_eq!((world.questions(), world.dialled()), (vec![], vec![]));
}

#[tokio::test]
async fn a_rule_for_everything_lets_nothing_private_through() {
    let world = World::new(&[("*:*", Allow)]).await;
    world.resolve("inside.org", &[&["10.0.0.1"]]).resolve("mixed.org", &[&[PUBLIC, "127.0.0.1"]]);
    for host in ["inside.org", "mixed.org", "localhost", "127.0.0.1", "169.254.169.254"] {
        assert_eq!(world.connect(&format!("{host}:80"), b"").await.0, FORBIDDEN, "{host}");
    }
    assert_eq!(world.dialled(), []);
}

#[tokio::test]
async fn a_host_that_is_named_with_its_port_may_be_private() {
    let world =
        World::new(&[("localhost:5432", Allow), ("db.internal:5433", Allow), ("169.254.169.254:80", Allow)]).await;
    world.resolve("db.internal", &[&["10.0.0.7"]]);
    assert_eq!(world.connect("localhost:5432", b"").await.0, OK);
    assert_eq!(world.connect("db.internal:5433", b"").await.0, OK);
    for target in ["localhost:5433", "db.internal:5432", "127.0.0.1:5432", "169.254.169.254:80"] {
        assert_eq!(world.connect(target, b"").await.0, FORBIDDEN, "{target}");
    }
    let dialled: Vec<String> = world.dialled().iter().map(ToString::to_string).collect();
    assert_eq!(dialled, ["127.0.0.1:5432", "10.0.0.7:5433"]);
}

#[tokio::test]
async fn rebinding_connects_to_no_private_address() {
    let world = World::new(&[("*:*", Allow)]).await;
    world.resolve("a.org", &[&[PUBLIC], &["10.0.0.1"], &["127.0.0.1", PUBLIC]]);
    // As many as a run of all tests has time for; more are tried on demand.
    let count: usize = std::env::var("HAFT_TEST_REBINDING").map_or(9_999, |text| text.parse().expect("a number"));
    for turn in 0..count {
        let expected = if turn % 3 == 0 { OK } else { FORBIDDEN };
        assert_eq!(world.connect("a.org:80", b"").await.0, expected);
    }
    assert_eq!(world.dialled().len(), count.div_ceil(3));
    assert!(world.dialled().iter().all(|address| address.ip().to_string() == PUBLIC));
}

#[tokio::test]
async fn a_host_gets_no_more_bytes_than_its_budget() {
    let world = World::new(&[("*:*", Allow)]).await;
    world.budget(100);
    assert_eq!(world.connect("a.org:80", &[b'x'; 60]).await.1.len(), 62);
    assert!(world.connect("a.org:80", &[b'x'; 60]).await.1.len() < 60);
    assert_eq!(world.connect("b.org:80", &[b'x'; 60]).await.1.len(), 62, "each host has its own");
    let ended = world.ended(3).await;
    let sent: u64 = ended.iter().filter(|one| one.target.host.to_string() == "a.org").map(|one| one.sent).sum();
    assert!(sent <= 100, "{sent}");
    assert!(ended.iter().any(|one| one.problem.as_ref().is_some_and(|problem| problem.contains("sent_per_host"))));
}
