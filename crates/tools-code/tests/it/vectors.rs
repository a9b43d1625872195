//! Passages by their vectors: found without a common word, kept in step with the files, and found
//! by words where the store fails. Everything over the store in memory and over a server.

#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::{collection::vec, prelude::*, test_runner::TestRunner};
use serde_json::json;
use tools_code::{
    Chunk, ChunkIndex, ChunkIndexError, ChunkSpace, FileChunks, IndexConfig, MemoryChunks, QdrantChunks, QdrantConfig,
    SearchCode, VectorBackend,
};
use tools_core::{Embedder, EmbedderError, Shared, Stack};
use tools_testkit::FakeClock;

use crate::fake_qdrant::{FakeQdrant, Mood};
use crate::folder::{Folder, answer, call};

/// Knows what four groups of words are about, and remembers what it was shown.
#[derive(Debug, Default)]
struct Topics(Mutex<Vec<String>>);

const TOPICS: [&[&str]; 4] = [
    &["retry", "again", "repeat"],
    &["login", "password", "authenticate"],
    &["paint", "colour", "draw"],
    &["queue", "waiting", "backlog"],
];

impl Embedder for Topics {
    fn name(&self) -> &'static str {
        "topics"
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        self.0.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        let count = |text: &str, topic: &[&str]| {
            let count = topic.iter().map(|word| text.to_lowercase().matches(word).count()).sum::<usize>();
            f32::from(u16::try_from(count).unwrap())
        };
        Ok(texts.iter().map(|text| TOPICS.iter().map(|topic| count(text, topic)).collect()).collect())
    }
}

struct Fixture {
    _root: tempfile::TempDir,
    folder: Folder,
    clock: FakeClock,
    model: Arc<Topics>,
}

impl Fixture {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::new(root.path());
        folder.write(
            "src/net.rs",
            "/// Makes the request again.\npub fn once_more() {}\n\n/// Nothing.\npub fn idle() {}\n",
        );
        folder.write("src/user.rs", "/// Asks for the password, which is hunter2.\npub fn come_in() {}\n");
        folder.write("src/view.rs", "/// Draws a line.\npub fn line() {}\n");
        let clock = FakeClock::at("2026-11-23T08:00:00Z".parse().unwrap());
        Self { _root: root, folder, clock, model: Arc::default() }
    }

    fn stack(&self, store: Arc<dyn ChunkIndex>, per_call: usize) -> Stack {
        let config =
            IndexConfig { vector_backend: VectorBackend::Memory, vectors_per_call: per_call, ..IndexConfig::default() };
        let tool = SearchCode::new(Shared::new(config.compile().unwrap()), Arc::new(self.folder.clone()));
        let model: Arc<dyn Embedder> = Arc::<Topics>::clone(&self.model);
        Stack::new(vec![], tool.storing(store, model, Arc::new(self.clock.clone())).into_executor())
    }

    async fn ask(&self, stack: &Stack, query: &str) -> String {
        answer(stack, &self.folder.root, "semantic", query).await
    }

    fn seen(&self) -> usize {
        self.model.0.lock().unwrap().len()
    }
}

fn at(server: &FakeQdrant, key: Option<&str>) -> Arc<QdrantChunks> {
    let config = QdrantConfig { url: server.url.clone(), timeout_secs: 1, ..QdrantConfig::default() };
    Arc::new(QdrantChunks::new(&config, key).unwrap())
}

fn in_memory() -> Arc<MemoryChunks> {
    Arc::new(MemoryChunks::up_to(1 << 20))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_shares_no_word_is_found_by_its_meaning() {
    let server = FakeQdrant::start();
    let stores: [Arc<dyn ChunkIndex>; 2] = [in_memory(), at(&server, None)];
    for store in stores {
        let fixture = Fixture::new();
        let words = fixture.folder.stack(&IndexConfig::default());
        assert!(answer(&words, &fixture.folder.root, "semantic", "retry").await.contains("nothing found"));
        let stack = fixture.stack(store, 1000);
        let found = fixture.ask(&stack, "retry").await;
        assert!(found.starts_with("[semantic] src/net.rs:1-2 (score: ") && found.contains("once_more"), "{found}");
        assert!(!found.contains("by words only") && !found.contains("idle") && !found.contains("view.rs"), "{found}");
        // Words and meaning together, and what a call does not ask about stays out.
        let both = fixture.ask(&stack, "repeat line").await;
        assert!(both.contains("src/net.rs") && both.contains("src/view.rs"), "{both}");
        let params = json!({"kind": "auto", "query": "retry it", "path": "src/user.rs"});
        let elsewhere = call(&stack, &fixture.folder.root, params).await.unwrap();
        assert!(!elsewhere.summary.contains("net.rs"), "{}", elsewhere.summary);
        assert_eq!(elsewhere.raw_response.unwrap()["layers"]["semantic"], "ok");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_holds_what_the_files_hold_and_no_text() {
    let (server, fixture) = (FakeQdrant::start(), Fixture::new());
    let stack = fixture.stack(at(&server, None), 1000);
    fixture.ask(&stack, "login").await;
    assert_eq!((server.points_of("net.rs"), server.points_of("user.rs"), server.points_of("view.rs")), (1, 1, 1));
    // The model reads no credential, and the server no text.
    assert!(!fixture.model.0.lock().unwrap().iter().any(|text| text.contains("hunter2")));
    let sent = server.state.lock().unwrap().requests.join("\n");
    for text in ["hunter2", "password", "come_in", "retry"] {
        assert!(!sent.contains(text), "{text}: {sent}");
    }
    // Another process finds it there and embeds nothing but its question.
    let before = fixture.seen();
    let other = fixture.stack(at(&server, None), 1000);
    assert!(fixture.ask(&other, "login").await.contains("src/user.rs"));
    assert_eq!(fixture.seen(), before + 1);
    // A changed file: nothing of before is found or stays.
    fixture
        .folder
        .write("src/net.rs", "/// The colour of nets.\npub fn net() {}\n\n/// A backlog.\npub fn held() {}\n");
    let again = fixture.ask(&stack, "retry").await;
    assert!(again.contains("nothing found"), "{again}");
    assert!(fixture.ask(&stack, "waiting").await.contains("src/net.rs:4-5"));
    let digests: Vec<_> = server.payloads().iter().map(|payload| payload["digest"].clone()).collect();
    assert_eq!((digests.len(), server.points_of("net.rs")), (4, 2));
    // A closed file and one that is gone leave the store, also where the call asks about another.
    fixture.folder.closed.lock().unwrap().insert(fixture.folder.root.join("src/user.rs"));
    std::fs::remove_file(fixture.folder.root.join("src/view.rs")).unwrap();
    let params = json!({"kind": "semantic", "query": "password login", "path": "src/net.rs"});
    let closed = call(&stack, &fixture.folder.root, params).await.unwrap().summary;
    assert!(!closed.contains("user.rs"), "{closed}");
    assert_eq!((server.points_of("net.rs"), server.points_of("user.rs"), server.points_of("view.rs")), (2, 0, 0));
    // What another process put in that had wider rules is not shown by this one.
    let wider = Fixture { folder: Folder::new(&fixture.folder.root), ..Fixture::new() };
    wider.ask(&wider.stack(at(&server, None), 1000), "login").await;
    assert_eq!(server.points_of("user.rs"), 1);
    assert!(!fixture.ask(&stack, "login").await.contains("user.rs"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_fails_leaves_the_words() {
    let (server, fixture) = (FakeQdrant::start(), Fixture::new());
    let stack = fixture.stack(at(&server, Some("a-key")), 1000);
    server.state.lock().unwrap().key = Some("a-key");
    assert!(fixture.ask(&stack, "retry").await.contains("net.rs"));
    let port = server.url.rsplit('/').next().unwrap().to_owned();
    let moods = [
        (Mood::Status(500), "answered with status 500".to_owned()),
        (Mood::Status(429), "answered with status 429".to_owned()),
        (Mood::Status(302), "answered with status 302".to_owned()),
        (Mood::Status(401), "refuses the key (`index.qdrant.key_env`)".to_owned()),
        (Mood::Silent, "did not answer within 1 s".to_owned()),
        (Mood::NoJson, "an answer that cannot be read".to_owned()),
        (Mood::OtherJson, "an answer that cannot be read".to_owned()),
        (Mood::Cut, "an answer that cannot be read".to_owned()),
        (Mood::Endless, "an answer that cannot be read".to_owned()),
        (Mood::HangsUp, format!("`{port}` cannot be reached")),
    ];
    for (mood, text) in moods {
        server.is(mood);
        let found = fixture.ask(&stack, "draws a line").await;
        assert!(found.contains("src/view.rs"), "{mood:?}: {found}");
        assert!(found.contains(&text) && found.contains("[semantic: by words only: "), "{mood:?}: {found}");
        assert!(!found.contains("IGNORE"), "{mood:?}: {found}");
        // It is not asked again at once, and when it is well it is.
        server.is(Mood::Well);
        let before = server.requests();
        assert!(fixture.ask(&stack, "retry").await.contains("[semantic: by words only: "), "{mood:?}");
        assert_eq!(server.requests(), before);
        fixture.clock.advance(jiff::SignedDuration::from_secs(30));
        assert!(fixture.ask(&stack, "retry").await.contains("net.rs"), "{mood:?}");
    }
    // A wrong key, and a server that lost everything.
    let refused = fixture.stack(at(&server, None), 1000);
    assert!(fixture.ask(&refused, "retry").await.contains("refuses the key"));
    server.forgets_everything();
    assert!(fixture.ask(&stack, "retry").await.contains("was emptied"));
    fixture.clock.advance(jiff::SignedDuration::from_secs(30));
    assert!(fixture.ask(&stack, "retry").await.contains("net.rs"));
    let shown = format!("{:?}", at(&server, Some("a-key")));
    assert!(!shown.contains("a-key"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_makes_so_many_vectors_and_later_ones_the_rest() {
    let fixture = Fixture::new();
    let stack = fixture.stack(in_memory(), 1);
    let first = fixture.ask(&stack, "retry").await;
    assert!(first.contains("[2 files have no vectors yet and were found by words; later calls go on]"), "{first}");
    assert!(fixture.ask(&stack, "retry").await.contains("[1 files have no vectors yet"));
    assert!(!fixture.ask(&stack, "retry").await.contains("no vectors yet"));
    assert!(fixture.ask(&stack, "draw").await.contains("view.rs"));
    // A store that is full says how many it has no room for, and the words go on.
    let full = fixture.stack(Arc::new(MemoryChunks::up_to(10)), 1000);
    let found = fixture.ask(&full, "draws a line").await;
    assert!(found.contains("files have no vectors yet") && found.contains("view.rs"), "{found}");
}

#[test]
fn what_cannot_be_used_is_refused_when_it_is_read() {
    let check = |qdrant: QdrantConfig, key: &str| {
        let error = IndexConfig { qdrant, ..IndexConfig::default() }.compile().unwrap_err();
        assert_eq!(error.key, key, "{error}");
    };
    check(QdrantConfig { url: "http://q.test:6333".to_owned(), ..QdrantConfig::default() }, "qdrant.url");
    check(QdrantConfig { collection: "../x".to_owned(), ..QdrantConfig::default() }, "qdrant.collection");
    check(QdrantConfig { timeout_secs: 0, ..QdrantConfig::default() }, "qdrant.timeout_secs");
    let none = IndexConfig { vectors_per_call: 0, ..IndexConfig::default() }.compile().unwrap_err();
    assert_eq!(none.key, "vectors_per_call");
    assert!(QdrantChunks::new(&QdrantConfig::default(), Some("two\nlines")).is_err());
}

/// One step: which workspace, which file, and what is put in (`None` removes it).
type Step = (u8, u8, Option<Vec<(f32, f32)>>);

/// What a store says after a step: its files with their digests, and the passages in them.
type Said = (BTreeMap<String, u64>, Vec<(String, u32)>);

fn play(steps: &[Step], store: &dyn ChunkIndex) -> Vec<Said> {
    let mut seen = vec![];
    for (at, (workspace, file, chunks)) in steps.iter().enumerate() {
        let space = ChunkSpace { workspace: format!("/w{workspace}"), model: "m".to_owned() };
        let file = format!("/w{workspace}/{file}");
        match chunks {
            Some(vectors) => {
                let chunk = |(number, (x, y)): (u32, &(f32, f32))| Chunk {
                    number,
                    first: number,
                    last: number,
                    vector: vec![*x, *y],
                };
                let chunks = (0..).zip(vectors).map(chunk).collect();
                store.put(&space, &[FileChunks { file, digest: at as u64 + (1 << 60), chunks }]).unwrap();
            }
            None => store.remove(&space, &[file]).unwrap(),
        }
        let mut near: Vec<_> = store.near(&space, &[1.0, 0.5], 100).unwrap();
        near.sort_by(|a, b| a.file.cmp(&b.file).then(a.number.cmp(&b.number)));
        let files = store.files(&space).unwrap();
        assert!(near.iter().all(|near| files.get(&near.file) == Some(&near.digest)));
        seen.push((files, near.into_iter().map(|near| (near.file, near.number)).collect()));
    }
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn both_stores_do_the_same() {
    let compared = tokio::task::spawn_blocking(|| {
        let step = (0..2_u8, 0..5_u8, proptest::option::weighted(0.8, vec((0.1_f32..1.0, 0.1_f32..1.0), 1..6)));
        let mut runner = TestRunner::new(ProptestConfig { cases: 12, ..ProptestConfig::default() });
        runner.run(&vec(step, 1..20), |steps| {
            let server = FakeQdrant::start();
            prop_assert_eq!(play(&steps, in_memory().as_ref()), play(&steps, at(&server, None).as_ref()));
            Ok(())
        })
    });
    compared.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_of_another_length_and_a_server_that_is_not_there_are_typed_errors() {
    let server = FakeQdrant::start();
    let (store, nobody) = (at(&server, None), {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        FakeQdrant { url: format!("http://{}", listener.local_addr().unwrap()), ..server.clone() }
    });
    let work = tokio::task::spawn_blocking(move || {
        let space = ChunkSpace { workspace: "/w".to_owned(), model: "m".to_owned() };
        let file = |vector: Vec<f32>| {
            let chunks = vec![Chunk { number: 0, first: 0, last: 0, vector }];
            [FileChunks { file: "/w/a".to_owned(), digest: 1, chunks }]
        };
        store.put(&space, &file(vec![1.0, 0.0])).unwrap();
        let other = at(&server, None).put(&space, &file(vec![1.0, 0.0, 0.0]));
        assert_eq!(other, Err(ChunkIndexError::Dimension { expected: 3, found: 2 }));
        assert_eq!(store.near(&space, &[1.0], 5), Err(ChunkIndexError::Status(400)));
        let unreachable = at(&nobody, None).files(&space);
        assert!(matches!(unreachable, Err(ChunkIndexError::Unreachable(_))), "{unreachable:?}");
    });
    tokio::time::timeout(Duration::from_secs(30), work).await.unwrap().unwrap();
}
