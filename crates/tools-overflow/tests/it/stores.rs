//! What must hold of every store alike.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use tools_overflow::{
    Archive, InMemoryStore, Key, OverflowConfig, OverflowError, OverflowStore, Reference, SqliteStore, StoredOutput,
};
use tools_testkit::FakeClock;

/// Text of many lines that hardly compresses, with characters of every length.
pub(crate) fn text(seed: u64, bytes: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::with_capacity(bytes + 4);
    while text.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        match state % 61 {
            0 => text.push('\n'),
            1 => text.push('ß'),
            2 => text.push('→'),
            3 => text.push('🦀'),
            4 => text.push('\0'),
            n => text.push(char::from(u8::try_from(33 + n).unwrap())),
        }
    }
    text
}

pub(crate) async fn read_whole(archive: &Archive, conversation: &str, stored: &StoredOutput) -> String {
    let entry = archive.open(conversation, stored.reference).await.unwrap();
    String::from_utf8(entry.bytes(0..u64::MAX).await.unwrap()).unwrap()
}

/// Everything that a store promises.
pub(crate) async fn check(store: Arc<dyn OverflowStore>) {
    comes_back_as_it_went_in(&store).await;
    belongs_to_its_conversation(&store).await;
    is_listed_newest_first(&store).await;
    goes_with_its_conversation(&store).await;
    goes_when_it_is_old(&store).await;
    the_oldest_makes_room(&store).await;
}

async fn comes_back_as_it_went_in(store: &Arc<dyn OverflowStore>) {
    let archive = Archive::new(Arc::clone(store), &OverflowConfig::default());
    for bytes in [0, 1, 65_535, 65_536, 65_537, 400_000] {
        let text = text(bytes as u64, bytes);
        let stored = archive.keep("c", text.as_str()).await.unwrap();
        assert_eq!(read_whole(&archive, "c", &stored).await, text, "{bytes}");
        let entry = archive.open("c", stored.reference).await.unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        assert_eq!(entry.facts().lines, lines.len() as u64);
        for first in [1, 2, lines.len() / 3, lines.len() / 2, lines.len()].into_iter().filter(|n| *n > 0) {
            let expected = lines.iter().skip(first - 1).take(7).copied().collect::<String>();
            if first <= lines.len() {
                let got = entry.lines(first as u64, 7).await.unwrap();
                assert_eq!(String::from_utf8(got).unwrap(), expected, "{bytes} bytes, line {first}");
            }
        }
        let behind = entry.lines(lines.len() as u64 + 2, 1).await;
        assert!(matches!(behind, Err(OverflowError::BehindEnd { .. })), "{behind:?}");
        let (from, to) = (bytes / 3, bytes / 3 + 2048);
        let window = entry.bytes(from as u64..to as u64).await.unwrap();
        assert_eq!(window, &text.as_bytes()[from.min(text.len())..to.min(text.len())]);
    }
}

async fn belongs_to_its_conversation(store: &Arc<dyn OverflowStore>) {
    let archive = Archive::new(Arc::clone(store), &OverflowConfig::default());
    let stored = archive.keep("mine", "text").await.unwrap();
    let foreign = archive.open("yours", stored.reference).await.unwrap_err();
    let missing = archive.open("mine", Reference::generate()).await.unwrap_err();
    assert_eq!(format!("{foreign:?} {foreign}"), format!("{missing:?} {missing}"));
    assert!(archive.open("MINE", stored.reference).await.is_err());
    assert_eq!(archive.conversation_of(stored.reference).await.unwrap().as_deref(), Some("mine"));
    assert_eq!(archive.conversation_of(Reference::generate()).await.unwrap(), None);
}

async fn is_listed_newest_first(store: &Arc<dyn OverflowStore>) {
    let archive = Archive::new(Arc::clone(store), &OverflowConfig::default());
    let mut kept = Vec::new();
    for n in 0..7_usize {
        kept.push(archive.keep("listed", "line\n".repeat(n + 1)).await.unwrap());
        archive.keep("listed too", "text").await.unwrap();
    }
    let unfinished = Key { conversation: "listed", reference: Reference::generate() };
    store.begin(unfinished, 0).await.unwrap();
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let page = archive.entries("listed", after, 3).await.unwrap();
        assert!(page.len() <= 3, "{page:?}");
        after = page.last().map(|(reference, _)| *reference);
        if after.is_none() {
            break;
        }
        seen.extend(page);
    }
    let expected: Vec<_> = kept.iter().rev().map(|stored| (stored.reference, stored.facts)).collect();
    assert_eq!(seen, expected);
    let foreign = archive.entries("listed too", Some(kept[3].reference), 3).await.unwrap();
    assert_eq!(foreign, [], "an entry of another conversation is no place to go on from");
    assert_eq!(archive.entries("nobody", None, 3).await.unwrap(), []);
}

async fn goes_with_its_conversation(store: &Arc<dyn OverflowStore>) {
    let archive = Archive::new(Arc::clone(store), &OverflowConfig::default());
    let (first, second) = (archive.keep("going", "a").await.unwrap(), archive.keep("going", "b").await.unwrap());
    let other = archive.keep("staying", "c").await.unwrap();
    assert_eq!(archive.remove_conversation("going").await.unwrap(), 2);
    assert_eq!(archive.remove_conversation("going").await.unwrap(), 0);
    for gone in [first, second] {
        assert!(matches!(archive.open("going", gone.reference).await, Err(OverflowError::NotFound)));
    }
    assert_eq!(read_whole(&archive, "staying", &other).await, "c");
}

async fn goes_when_it_is_old(store: &Arc<dyn OverflowStore>) {
    let clock = FakeClock::default();
    let config = OverflowConfig { max_total_bytes: 0, ..OverflowConfig::default() };
    let archive = || Archive::with_clock(Arc::clone(store), &config, Arc::new(clock.clone()));
    let started = archive();
    let old = started.keep("c", "old").await.unwrap();
    clock.advance(SignedDuration::from_hours(24 * 7 - 1));
    let young = started.keep("c", "young").await.unwrap();
    clock.advance(SignedDuration::from_hours(2));
    // The next start cleans when it first stores.
    let restarted = archive();
    restarted.keep("c", "new").await.unwrap();
    assert!(matches!(restarted.open("c", old.reference).await, Err(OverflowError::NotFound)));
    assert_eq!(read_whole(&restarted, "c", &young).await, "young");
}

/// Leaves one conversation that holds something, after one that held something has lost it.
pub(crate) async fn empty_conversations_go(store: Arc<dyn OverflowStore>) {
    let clock = FakeClock::default();
    let archive = Archive::with_clock(store, &OverflowConfig::default(), Arc::new(clock.clone()));
    archive.keep("old", "old").await.unwrap();
    clock.advance(SignedDuration::from_hours(24 * 8));
    archive.keep("young", "young").await.unwrap();
    assert_eq!(archive.clean().await.unwrap(), 1);
}

async fn the_oldest_makes_room(store: &Arc<dyn OverflowStore>) {
    let clock = FakeClock::default();
    let config = OverflowConfig { max_total_bytes: 200_000, retention_days: 0, ..OverflowConfig::default() };
    let archive = Archive::with_clock(Arc::clone(store), &config, Arc::new(clock.clone()));
    // Newer than whatever lies there from before.
    clock.advance(SignedDuration::from_hours(24 * 365 * 50));
    let mut all = Vec::new();
    for n in 0..6 {
        clock.advance(SignedDuration::from_secs(1));
        all.push(archive.keep("c", text(n, 60_000)).await.unwrap());
    }
    let mut there = Vec::new();
    for stored in &all {
        there.push(archive.open("c", stored.reference).await.is_ok());
    }
    assert_eq!(there, [false, false, false, true, true, true]);
}

#[tokio::test]
async fn memory() {
    check(Arc::new(InMemoryStore::default())).await;
}

#[tokio::test]
async fn sqlite() {
    let folder = tempfile::tempdir().unwrap();
    check(Arc::new(SqliteStore::at(folder.path().join("new/overflow.db")))).await;
}

#[tokio::test]
async fn a_sqlite_file_is_made_at_first_use_for_its_owner_alone_and_outlives_the_process() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/overflow.db");
    let open = || Archive::new(Arc::new(SqliteStore::at(&path)), &OverflowConfig::default());
    let first = open();
    assert!(!path.exists());
    let stored = first.keep("c", "text").await.unwrap();
    let mode = std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // In a folder that others can look into, the files are closed to them.
    let exposed = folder.path().join("exposed.db");
    let archive = Archive::new(Arc::new(SqliteStore::at(&exposed)), &OverflowConfig::default());
    archive.keep("c", "text").await.unwrap();
    for ending in ["", "-wal", "-shm"] {
        let mode = std::fs::metadata(format!("{}{ending}", exposed.display())).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{ending}");
    }
    // Beside the first, as another process would.
    assert_eq!(read_whole(&open(), "c", &stored).await, "text");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_that_many_make_at_once_is_made_once() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/overflow.db");
        let open = || Archive::new(Arc::new(SqliteStore::at(&path)), &OverflowConfig::default());
        // Each with connections of its own, as processes would have them.
        let keep = |n: u64, archive: Archive| async move { archive.keep("c", text(n, 500)).await.unwrap() };
        let writers: Vec<_> = (0..8).map(|n| tokio::spawn(keep(n, open()))).collect();
        for (n, writer) in (0..).zip(writers) {
            assert_eq!(read_whole(&open(), "c", &writer.await.unwrap()).await, text(n, 500));
        }
    }
}

#[tokio::test]
async fn a_file_with_pages_of_another_size_is_used_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overflow.db");
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path).create_if_missing(true).page_size(4096);
    let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
    sqlx::raw_sql(include_str!("../../migrations/sqlite/0001_overflow.sql")).execute(&mut connection).await.unwrap();
    sqlx::raw_sql("PRAGMA user_version = 1").execute(&mut connection).await.unwrap();
    let store: Arc<dyn OverflowStore> = Arc::new(SqliteStore::at(&path));
    check(store).await;
    let (page,): (i64,) = sqlx::query_as("PRAGMA page_size").fetch_one(&mut connection).await.unwrap();
    assert_eq!(page, 4096);
}

/// Nobody waits for the answer any more, at whatever moment of storing: what is there is whole, and
/// the next is stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn storing_that_is_dropped_leaves_nothing_half_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overflow.db");
    let archive = Archive::new(Arc::new(SqliteStore::at(&path)), &OverflowConfig::default());
    archive.keep("c", "opened").await.unwrap();
    let mut kept = 0;
    for round in 0..40_u64 {
        let storing = archive.keep("c", text(round, 1_500_000));
        kept += u32::from(tokio::time::timeout(Duration::from_micros(round * 997), storing).await.is_ok());
    }
    let stored = archive.keep("c", text(99, 300_000)).await.unwrap();
    assert_eq!(read_whole(&archive, "c", &stored).await, text(99, 300_000));
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
    let torn = "SELECT count(*) FROM tool_overflow WHERE stored_bytes !=
        (SELECT coalesce(sum(length(data)), 0) FROM tool_overflow_chunk WHERE entry = tool_overflow.number)";
    let (torn,): (i64,) = sqlx::query_as(torn).fetch_one(&mut connection).await.unwrap();
    let (there,): (i64,) =
        sqlx::query_as("SELECT count(*) FROM tool_overflow").fetch_one(&mut connection).await.unwrap();
    let (sound,): (String,) = sqlx::query_as("PRAGMA integrity_check").fetch_one(&mut connection).await.unwrap();
    assert_eq!((torn, sound.as_str()), (0, "ok"));
    assert!(there >= i64::from(kept) + 2, "{there} of {kept}");
}

#[tokio::test]
async fn what_has_settled_is_in_the_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overflow.db");
    let store = Arc::new(SqliteStore::at(&path));
    let archive = Archive::new(Arc::<SqliteStore>::clone(&store), &OverflowConfig::default());
    let stored = archive.keep("c", text(1, 6 << 20)).await.unwrap();
    store.settle().await.unwrap();
    let copy = folder.path().join("copy.db");
    std::fs::copy(&path, &copy).unwrap();
    let copied = Archive::new(Arc::new(SqliteStore::at(&copy)), &OverflowConfig::default());
    assert_eq!(read_whole(&copied, "c", &stored).await, text(1, 6 << 20));
}

#[tokio::test]
async fn a_file_stays_near_its_limit_and_shrinks_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overflow.db");
    let store = Arc::new(SqliteStore::at(&path));
    let limited = |limit| {
        let config = OverflowConfig { max_total_bytes: limit, ..OverflowConfig::default() };
        Archive::new(Arc::<SqliteStore>::clone(&store), &config)
    };
    let size = || std::fs::metadata(&path).unwrap().len();
    let archive = limited(4 << 20);
    for number in 0..24 {
        archive.keep("c", text(number, 1 << 20)).await.unwrap();
    }
    store.settle().await.unwrap();
    let (least, most) = (3 << 20, 7 << 20);
    assert!((least..most).contains(&size()), "{}", size());
    assert!(limited(1 << 20).clean().await.unwrap() > 0);
    store.settle().await.unwrap();
    assert!(size() < 2 << 20, "{}", size());
}

#[tokio::test]
async fn conversations_that_hold_nothing_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overflow.db");
    empty_conversations_go(Arc::new(SqliteStore::at(&path))).await;
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
    let left: Vec<(String,)> = sqlx::query_as("SELECT id FROM conversations").fetch_all(&mut connection).await.unwrap();
    assert_eq!(left, [("young".to_owned(),)]);
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("overflow.db");
    let open = || Archive::new(Arc::new(SqliteStore::at(&path)), &OverflowConfig::default());
    open().keep("c", "text").await.unwrap();
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
    sqlx::raw_sql("PRAGMA user_version = 999").execute(&mut connection).await.unwrap();
    let error = open().keep("c", "text").await.unwrap_err();
    assert!(matches!(error, OverflowError::Store(_)), "{error:?}");
}

#[tokio::test]
async fn of_an_output_that_is_too_long_both_ends_are_stored() {
    let config = OverflowConfig { max_overflow_bytes: 1000, ..OverflowConfig::default() };
    let archive = Archive::new(Arc::new(InMemoryStore::default()), &config);
    let text = text(1, 10_000);
    let stored = archive.keep("c", text.as_str()).await.unwrap();
    let whole = read_whole(&archive, "c", &stored).await;
    assert!((8990..9260).contains(&stored.facts.lost), "{}", stored.facts.lost);
    assert!(whole.contains(&format!(" of the original, {} bytes, are not stored ...]\n", stored.facts.lost)));
    assert!(
        whole.starts_with(&text[..text.floor_char_boundary(370)])
            && whole.ends_with(&text[text.ceil_char_boundary(text.len() - 370)..])
    );
    let unlimited = OverflowConfig { max_overflow_bytes: 0, ..OverflowConfig::default() };
    let archive = Archive::new(Arc::new(InMemoryStore::default()), &unlimited);
    let stored = archive.keep("c", text.as_str()).await.unwrap();
    assert_eq!(read_whole(&archive, "c", &stored).await, text);
}

/// Many tasks that store at once: each entry is there, whole, afterwards.
pub(crate) async fn nothing_is_lost(store: Arc<dyn OverflowStore>, entries: u64) {
    const WRITERS: u64 = 64;
    let config = OverflowConfig { max_total_bytes: 0, ..OverflowConfig::default() };
    let archive = Archive::new(store, &config);
    let write = |writer: u64, archive: Archive| async move {
        let mut stored = Vec::new();
        for n in (writer..entries).step_by(usize::try_from(WRITERS).unwrap()) {
            stored.push((n, archive.keep(&format!("writer-{writer}"), text(n, 200)).await.unwrap()));
        }
        (writer, stored)
    };
    let writers: Vec<_> = (0..WRITERS).map(|writer| tokio::spawn(write(writer, archive.clone()))).collect();
    let mut count = 0;
    for writer in writers {
        let (writer, stored) = writer.await.unwrap();
        for (n, stored) in stored {
            assert_eq!(read_whole(&archive, &format!("writer-{writer}"), &stored).await, text(n, 200));
            count += 1;
        }
    }
    assert_eq!(count, entries);
}

/// How many entries: `HAFT_OVERFLOW_ENTRIES` for the full count.
pub(crate) fn entries() -> u64 {
    std::env::var("HAFT_OVERFLOW_ENTRIES").ok().and_then(|count| count.parse().ok()).unwrap_or(2000)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_writers_of_one_file_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    nothing_is_lost(Arc::new(SqliteStore::at(folder.path().join("overflow.db"))), entries()).await;
}
