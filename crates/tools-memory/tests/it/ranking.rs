//! What is found first, and how fast.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tools_core::{Embedder, EmbedderError, Shared};
use tools_memory::{Memories, MemoryConfig, Ranking, SqliteMemories};
use tools_secrets::SecretRedactor;

use crate::saving::{clock, in_project, memories, of_project};

/// The direction of what a text is about: a stand-in for a model.
#[derive(Debug)]
struct Topics;

impl Embedder for Topics {
    fn name(&self) -> &'static str {
        "topics"
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let topics = [["car", "automobile"], ["ship", "vessel"], ["cheese", "brie"]];
        let is_about = |text: &str, words: &[&str; 2]| words.iter().any(|word| text.contains(word));
        let vector = |text: &&str| topics.iter().map(|words| f32::from(u8::from(is_about(text, words)))).collect();
        Ok(texts.iter().map(vector).collect())
    }
}

fn hybrid(ranking: Ranking) -> Memories {
    let policy = MemoryConfig { ranking, ..MemoryConfig::default() }.compile().expect("it can be used");
    let redactor = Arc::new(SecretRedactor::default());
    let store = Arc::new(SqliteMemories::in_memory());
    Memories::new(store, Shared::new(policy), redactor, Arc::new(clock())).embedded_by(Arc::new(Topics))
}

#[tokio::test]
async fn a_model_finds_what_shares_no_word_and_without_one_words_decide() {
    for (ranking, expected) in [(Ranking::Hybrid, 1), (Ranking::Lexical, 0)] {
        let memories = hybrid(ranking);
        for text in ["the automobile is red", "a vessel of iron", "brie in the fridge", "unrelated"] {
            memories.save(of_project("a", text)).await.unwrap();
        }
        let hits = memories.search("my car", &in_project("a"), 5).await.unwrap();
        assert_eq!(hits.len(), expected, "{ranking:?}");
        assert!(hits.iter().all(|hit| hit.memory.content == "the automobile is red"));
        // No vector for the query: words alone.
        let hits = memories.search("unrelated", &in_project("a"), 5).await.unwrap();
        assert_eq!(hits.len(), 1);
        assert!(memories.search("car", &in_project("b"), 5).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn words_that_most_entries_have_follow_the_rare_ones() {
    let memories = memories(&clock(), 1_000);
    for number in 0..20 {
        let linker = if number % 10 == 3 { " of the linker" } else { "" };
        memories.save(of_project("a", &format!("build step {number}{linker}"))).await.unwrap();
    }
    let found = async |query: &str, most: usize| {
        let hits = memories.search(query, &in_project("a"), most).await.unwrap();
        let about_linker = hits.iter().take_while(|hit| hit.memory.content.ends_with("linker")).count();
        (hits.len(), about_linker)
    };
    assert_eq!(found("build linker", 2).await, (2, 2));
    assert_eq!(found("build linker", 5).await, (5, 2));
    assert_eq!(found("build step", 5).await, (5, 0));
    assert_eq!(found("build nothing", 5).await, (5, 0));
}

#[tokio::test]
async fn words_are_found_in_other_forms_and_rare_ones_count_more() {
    forms_and_rarity_count(&memories(&clock(), 1_000)).await;
}

pub(crate) async fn forms_and_rarity_count(memories: &Memories) {
    for text in [
        "Deployments are started with `make ship` on Fridays.",
        "The configuration file lies in conf/server.toml.",
        "parseHTTPRequest reads the header first.",
        "東京のサーバーは三台です。",
        "Der Schlüssel hängt im Büro.",
    ] {
        memories.save(of_project("a", text)).await.unwrap();
    }
    let first = async |query: &str| {
        let hits = memories.search(query, &in_project("a"), 5).await.unwrap();
        hits.first().map(|hit| hit.memory.content.clone()).unwrap_or_default()
    };
    assert!(first("how do I deploy, or what starts a deployment?").await.starts_with("Deployments"));
    assert!(first("configure the servers").await.starts_with("The configuration"));
    assert!(first("http request parser").await.starts_with("parseHTTP"));
    assert!(first("サーバー").await.starts_with("東京"));
    assert!(first("schlussel buro").await.starts_with("Der Schl"));
}

/// Pages of a manual in one folder, `NAME.md` with a description behind `> `: each is saved
/// whole, and without that line, and looked for by it.
#[tokio::test]
#[ignore = "needs a corpus: HAFT_MEMORY_CORPUS=<folder of Markdown pages>"]
async fn pages_are_found_by_their_descriptions() {
    let folder = std::env::var_os("HAFT_MEMORY_CORPUS").expect("HAFT_MEMORY_CORPUS names the pages");
    let (whole, rest) = (memories(&clock(), 100_000), memories(&clock(), 100_000));
    let mut queries = vec![];
    for entry in std::fs::read_dir(folder).unwrap().filter_map(Result::ok) {
        let page = std::fs::read_to_string(entry.path()).unwrap();
        let described: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        let body: String = page.chars().take(7_900).collect();
        let Some(query) = described.first() else { continue };
        let content = body.lines().filter(|line| !line.starts_with("> ")).collect::<Vec<_>>().join("\n");
        let Ok(saved) = rest.save(of_project("tldr", &content)).await else { continue };
        let Ok(complete) = whole.save(of_project("tldr", &body)).await else { continue };
        queries.push(((*query).to_owned(), complete.id, saved.id));
    }
    let (mut by_all, mut by_rest) = (0, 0);
    for (query, complete, saved) in &queries {
        let among = async |memories: &Memories, id: &String| {
            let hits = memories.search(query, &in_project("tldr"), 5).await.unwrap();
            usize::from(hits.iter().any(|hit| hit.memory.id == *id))
        };
        by_all += among(&whole, complete).await;
        by_rest += among(&rest, saved).await;
    }
    println!("recall@5: {by_all} of {}, and {by_rest} without the line that is searched for", queries.len());
}

/// Texts made of a vocabulary in which words are as common as in a language, each looked for by
/// some of its words.
fn text(seed: u64) -> (String, String) {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let words: Vec<String> = (0..60)
        .map(|_| {
            let range = 1 << next(13);
            format!("w{}x", next(range))
        })
        .collect();
    let rare: BTreeSet<&String> = words.iter().filter(|word| word.len() > 4).take(6).collect();
    let query: Vec<String> = rare.into_iter().cloned().chain(words.iter().take(6).cloned()).collect();
    (words.join(" "), query.join(" "))
}

#[tokio::test]
async fn texts_are_found_by_some_of_their_words() {
    texts_are_found(&memories(&clock(), 100_000), 600).await;
}

pub(crate) async fn texts_are_found(memories: &Memories, count: u64) {
    let mut queries = vec![];
    for seed in 0..count {
        let (content, query) = text(seed);
        queries.push((query, memories.save(of_project("a", &content)).await.unwrap().id));
    }
    let mut found = 0;
    for (query, id) in &queries {
        let hits = memories.search(query, &in_project("a"), 5).await.unwrap();
        found += usize::from(hits.iter().any(|hit| hit.memory.id == *id));
    }
    assert!(found * 10 >= queries.len() * 9, "{found} of {}", queries.len());
}

/// Of all threads of this process: what a search takes where nobody else computes.
fn processor_time() -> Duration {
    rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).try_into().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement: cargo test --release -p tools-memory -- --ignored --nocapture ten_thousand"]
async fn ten_thousand_entries_are_searched_in_milliseconds() {
    let folder = tempfile::tempdir().unwrap();
    let policy = MemoryConfig { max_entries: 20_000, ..MemoryConfig::default() }.compile().unwrap();
    let store = Arc::new(SqliteMemories::at(folder.path().join("memory.db")));
    let redactor = Arc::new(SecretRedactor::default());
    let memories = Memories::new(store, Shared::new(policy), redactor, Arc::new(clock()));
    let mut queries = vec![];
    for seed in 0..10_000 {
        let (content, query) = text(seed);
        memories.save(of_project("a", &content)).await.unwrap();
        queries.push(query);
    }
    let (mut took, mut computed) = (Vec::new(), Vec::new());
    for query in queries.iter().step_by(10) {
        let (start, before) = (Instant::now(), processor_time());
        let hits = memories.search(query, &in_project("a"), 5).await.unwrap();
        took.push(start.elapsed());
        computed.push(processor_time().saturating_sub(before));
        assert!(!hits.is_empty());
    }
    for (what, mut times) in [("", took), (" of processor time", computed)] {
        times.sort();
        println!("10,000 entries: p50 {:?}, p95 {:?}, p99 {:?}{what}", times[500], times[950], times[990]);
    }
}
