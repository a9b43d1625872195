//! Vectors in the binary: code and memories that share no word with what is asked for are found by
//! a model of meaning, from a terminal and by a client.

use serde_json::{Value, json};
use tools_testkit::write_model;

use crate::{client::Client, support::Haft};

/// A configuration with a model, or without; `None` where this build reads no models.
fn haft(with_model: bool, backend: &str) -> Option<Haft> {
    let haft = Haft::new();
    write_model(&haft.home.dir("model"));
    let model = if with_model { format!("model = \"{}\"", haft.home.path("model").display()) } else { String::new() };
    haft.home.file(
        ".config/haft/config.toml",
        format!(
            "[embedding]\n{model}\n[index]\nvector_backend = \"{backend}\"\n\
             [[tools.permissions.memory_save]]\npattern = \"*\"\naction = \"allow\"\n"
        ),
    );
    haft.workspace.file("src/a.rs", "/// The red automobile.\npub fn wheels() {}\n");
    haft.workspace.file("src/b.rs", "/// Holes in cheese.\npub fn holes() {}\n");
    let ran = haft.run(&["tools"]);
    if ran.err.contains("this build has no models of meaning") {
        eprintln!("skipped: this build reads no models of meaning (feature `embed`)");
        return None;
    }
    assert_eq!(ran.code, 0, "{ran:?}");
    Some(haft)
}

/// The files that a search by words of meaning found, by which layers.
fn files(answer: &Value) -> Vec<(String, Value)> {
    let hits = answer["hits"].as_array().unwrap_or_else(|| panic!("{answer}"));
    hits.iter().map(|hit| (hit["path"].as_str().unwrap_or_default().to_owned(), hit["layers"].clone())).collect()
}

fn search(haft: &Haft, query: &str) -> Vec<(String, Value)> {
    files(
        &haft.run(&["call", "--json", "search_code", &format!("query={query}"), "kind=semantic"]).json()["raw_response"],
    )
}

#[test]
fn code_that_shares_no_word_with_the_question_is_found_by_its_vector() {
    for backend in ["words", "memory"] {
        let (Some(with), Some(without)) = (haft(true, backend), haft(false, backend)) else { return };
        // Words are ranked again, but only vectors of everything find what they do not name.
        let expected = if backend == "memory" { vec![("src/a.rs".to_owned(), json!(["semantic"]))] } else { vec![] };
        assert_eq!(search(&with, "car"), expected, "{backend}");
        assert_eq!(search(&without, "car"), [], "{backend}");
    }
}

#[test]
fn a_client_finds_code_and_memories_by_meaning_and_never_what_is_gone() {
    let Some(haft) = haft(true, "memory") else { return };
    let mut client = Client::connect(&haft);
    let mut id = 1;
    let mut call = |tool: &str, arguments: Value| {
        id += 1;
        let called = client.request(id, "tools/call", &json!({"name": tool, "arguments": arguments}));
        called["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{called}")).to_owned()
    };
    let question = json!({"query": "car", "kind": "semantic"});
    let first = call("search_code", question.clone());
    assert!(first.starts_with("[semantic] src/a.rs:") && !first.contains("src/b.rs"), "{first}");
    // The vector of what was written is gone with it, and the new one is found.
    haft.workspace.file("src/a.rs", "/// Red cheese.\npub fn wheels() {}\n");
    haft.workspace.file("src/c.rs", "\n/// An automobile.\npub fn drive() {}\n");
    let second = call("search_code", question.clone());
    assert!(second.starts_with("[semantic] src/c.rs:2-3 "), "{second}");
    assert!(!second.contains("The red automobile"), "{second}");
    std::fs::remove_file(haft.workspace.root().join("src/c.rs")).unwrap();
    assert!(!call("search_code", question).contains("src/c.rs"));

    call("memory_save", json!({"content": "The automobile is in the garage."}));
    call("memory_save", json!({"content": "Nothing but cheese in there."}));
    let found = call("memory_search", json!({"query": "car"}));
    assert!(found.contains("automobile") && !found.contains("cheese"), "{found}");
}

#[test]
fn memories_of_one_run_are_found_by_meaning_in_the_next() {
    let (Some(with), Some(without)) = (haft(true, "words"), haft(false, "words")) else { return };
    for (haft, expected) in [(with, 1), (without, 0)] {
        let saved = haft.run(&["call", "memory_save", "content=The automobile is in the garage."]);
        assert_eq!(saved.code, 0, "{saved:?}");
        let found = haft.run(&["call", "--json", "memory_search", "query=car"]).json();
        assert_eq!(found["raw_response"]["hits"].as_array().map(Vec::len), Some(expected), "{found}");
    }
}
