//! Answers that come after the call was refused for want of one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;

use crate::support::{Client, Person, Seen, builder, call, connect, meta, text};

/// Seconds after which the person answers, the answer, and for each further call the seconds after
/// the one before with what it meets. Gives how often the person was asked and how often the tool
/// ran.
async fn played(answers: u64, decision: &str, calls: &[(u64, &str, &str)]) -> (usize, usize) {
    let seen = Arc::new(Seen::default());
    let person = Person::AnswersAfter(Duration::from_secs(answers), json!({"decision": decision}));
    let (client, _serving) = connect(builder(&seen).build(), Client::new(person)).await;
    let refused = call(&client, "remove", json!({"path": "x"})).await;
    assert_eq!(meta(&refused, "haft/code"), "nobody_answered");
    let told = "The question stays open for 10 minutes: if the user answers it, make the same call again";
    assert!(text(&refused).contains(told), "{}", text(&refused));
    for (after, path, expected) in calls {
        tokio::time::sleep(Duration::from_secs(*after)).await;
        let result = call(&client, "remove", json!({"path": path})).await;
        assert!(text(&result).contains(expected), "{}", text(&result));
    }
    let asked = client.service().questions.lock().unwrap().len();
    (asked, seen.removed.load(Ordering::SeqCst))
}

#[tokio::test(start_paused = true)]
async fn a_late_yes_counts_for_the_same_call_once() {
    let counted = played(200, "once", &[(100, "x", "removed x"), (1, "x", "nobody answered")]).await;
    assert_eq!(counted, (2, 1), "the third call asks anew");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_comes_before_the_answer_waits_at_the_same_question() {
    assert_eq!(played(200, "once", &[(1, "x", "removed x")]).await, (1, 1));
    assert_eq!(played(300, "once", &[(1, "x", "nobody answered"), (70, "x", "removed x")]).await, (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_late_no_refuses_and_another_call_is_asked_about() {
    assert_eq!(played(200, "no", &[(100, "x", "the person declined")]).await, (1, 0));
    assert_eq!(played(200, "once", &[(100, "y", "nobody answered")]).await, (2, 0));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_too_late_is_asked_for_again() {
    assert_eq!(played(200, "once", &[(601, "x", "nobody answered")]).await, (2, 0));
}
