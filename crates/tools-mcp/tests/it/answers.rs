//! Long answers: cut once, read on in parts.

use std::sync::Arc;

use serde_json::json;

use crate::support::{Client, Person, builder, call, connect, meta, text};

fn cursor_in(text: &str) -> Option<String> {
    let (_, after) = text.rsplit_once("cursor \"")?;
    Some(after.split('"').next()?.to_owned())
}

#[tokio::test]
async fn what_was_cut_can_be_read_on_without_a_gap() {
    let (client, _serving) = connect(builder(&Arc::default()).build(), Client::new(Person::None)).await;
    let answer = text(&call(&client, "lines", json!({"limit": 20_000})).await);
    assert!(answer.len() <= 25_000, "{}", answer.len());
    let end = "they follow by `more` with cursor \"1:16392\"; or call `lines` again with `limit`]";
    assert!(answer.ends_with(end), "{}", &answer[answer.len() - 300..]);

    let (head, rest) = answer.split_once("\n[… ").unwrap();
    let tail = rest.split_once("…]\n").unwrap().1.rsplit_once("\n[cut:").unwrap().0;
    let mut whole = format!("{head}\n");
    let mut cursor = cursor_in(&answer);
    while let Some(next) = cursor {
        let part = text(&call(&client, "more", json!({"cursor": next})).await);
        assert!(part.len() <= 25_000);
        let (lines, note) = part.rsplit_once("\n[").unwrap();
        whole.push_str(lines);
        whole.push('\n');
        cursor = cursor_in(note);
    }
    whole.push_str(tail);
    whole.push('\n');
    assert_eq!(whole, (0..20_000).map(|n| format!("line {n:06}\n")).collect::<Vec<_>>().concat());
}

#[tokio::test]
async fn a_cursor_of_another_connection_finds_nothing() {
    let server = builder(&Arc::default()).build();
    let (one, _serving) = connect(server.clone(), Client::new(Person::None)).await;
    let (other, _serving) = connect(server, Client::new(Person::None)).await;
    let cursor = cursor_in(&text(&call(&one, "lines", json!({"limit": 20_000})).await)).unwrap();
    let refused = call(&other, "more", json!({"cursor": cursor})).await;
    assert_eq!(meta(&refused, "haft/code"), "unknown_cursor");
    assert_eq!(call(&one, "more", json!({"cursor": cursor})).await.is_error, Some(false));
}
