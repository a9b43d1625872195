//! Progress notifications: when, how many, and never too late.

use std::{sync::Arc, time::Duration};

use serde_json::json;

use crate::support::{Client, Person, Raw, builder, call, connect, text};

#[tokio::test(start_paused = true)]
async fn progress_rises_at_most_four_times_a_second_and_ends_with_the_answer() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    client.initialize("2025-11-25").await;
    let parameters = json!({"name": "count", "_meta": {"progressToken": "p"}});
    client
        .send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}).to_string().as_bytes())
        .await;
    let mut told = vec![];
    loop {
        let message = client.receive().await;
        if message["id"] == 1 {
            assert_eq!(message["result"]["content"][0]["text"], "counted");
            break;
        }
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "p");
        told.push((tokio::time::Instant::now(), message["params"]["progress"].as_f64().unwrap()));
    }
    assert!(told.len() >= 3, "{told:?}");
    for pair in told.windows(2) {
        assert!(pair[0].1 < pair[1].1, "{told:?}");
        assert!(pair[1].0 - pair[0].0 >= Duration::from_millis(249), "{told:?}");
    }
    let pong = client.ask(json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).await;
    assert_eq!(pong["id"], 2, "nothing comes after the answer");
}

#[tokio::test(start_paused = true)]
async fn a_silent_call_gives_a_sign_of_life_within_a_second() {
    let mut client = Raw::connect(builder(&Arc::default()).build());
    client.initialize("2025-11-25").await;
    let started = tokio::time::Instant::now();
    let parameters = json!({"name": "hang", "_meta": {"progressToken": 7}});
    client
        .send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}).to_string().as_bytes())
        .await;
    let message = client.receive().await;
    assert_eq!(message["params"]["progressToken"], 7);
    assert!(started.elapsed() <= Duration::from_millis(1_050), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn who_did_not_ask_for_progress_gets_none_from_a_fast_call() {
    let (client, _serving) = connect(builder(&Arc::default()).build(), Client::new(Person::None)).await;
    assert_eq!(text(&call(&client, "echo", json!({"text": "x"})).await), "x");
    assert!(client.service().progress.lock().unwrap().is_empty());
}
