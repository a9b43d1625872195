//! Databases that are opened, shared and refused.
#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use tools_store::{Database, Schema, StoreError};

const OLD: Schema = Schema { application: 0x7465_7374, migrations: &["CREATE TABLE a (x INTEGER NOT NULL)"] };
const NEW: Schema = Schema {
    application: 0x7465_7374,
    migrations: &["CREATE TABLE a (x INTEGER NOT NULL)", "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 7"],
};
const OTHER: Schema = Schema { application: 0x6f74_6865, migrations: OLD.migrations };

async fn insert(database: &Database, value: i64) -> Result<(), StoreError> {
    let mut change = database.write().await?;
    sqlx::query("INSERT INTO a (x) VALUES ($1)").bind(value).execute(&mut *change).await?;
    Ok(change.commit().await?)
}

async fn refused(path: &Path, schema: Schema) -> StoreError {
    let before = std::fs::read(path).unwrap();
    let error = insert(&Database::at(path, schema), 1).await.unwrap_err();
    assert!(std::fs::read(path).unwrap() == before, "the file was changed");
    error
}

#[tokio::test]
async fn a_database_is_private_migrated_and_read_by_later_versions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/a.db");
    insert(&Database::at(&path, OLD), 1).await.unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let newer = Database::at(&path, NEW);
    let rows: Vec<(i64, i64)> =
        sqlx::query_as("SELECT x, y FROM a").fetch_all(newer.reader().await.unwrap()).await.unwrap();
    assert_eq!(rows, [(1, 7)]);
}

#[tokio::test]
async fn damaged_newer_and_foreign_files_are_refused_and_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let new = Database::at(path("new.db"), NEW);
    insert(&new, 1).await.unwrap();
    new.close().await;
    let error = refused(&path("new.db"), OLD).await;
    assert!(matches!(error, StoreError::Newer { found: 2, known: 1 }), "{error:?}");
    assert!(matches!(refused(&path("new.db"), OTHER).await, StoreError::Foreign));
    std::fs::write(path("text.db"), "this is no database at all, only some text\n".repeat(200)).unwrap();
    assert!(matches!(refused(&path("text.db"), OLD).await, StoreError::Damaged(_)));
    let mut bytes = std::fs::read(path("new.db")).unwrap();
    bytes[100..].fill(0xa5);
    std::fs::write(path("half.db"), bytes).unwrap();
    assert!(matches!(refused(&path("half.db"), NEW).await, StoreError::Damaged(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_that_open_one_new_file_at_once_all_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let writers = (0..8).map(|value| {
        let database = Database::at(&path, NEW);
        tokio::spawn(async move { insert(&database, value).await })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap().unwrap();
    }
    let database = Database::at(&path, NEW);
    let (count,): (i64,) =
        sqlx::query_as("SELECT count(*) FROM a").fetch_one(database.reader().await.unwrap()).await.unwrap();
    assert_eq!(count, 8);
}

#[tokio::test]
async fn a_place_where_no_file_can_be_is_named_as_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let check = async |path: &Path| {
        let error = insert(&Database::at(path, OLD), 1).await.unwrap_err();
        assert!(matches!(error, StoreError::Unopened(_)), "{path:?}: {error:?}");
    };
    check(folder.path()).await;
    check(&folder.path().join("file/a.db")).await;
    check(Path::new("/proc/a.db")).await;
    check(Path::new("")).await;
}

#[test]
fn a_runtime_without_timers_is_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let database = Database::at(&path, OLD);
    let bare = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let refused = bare.block_on(insert(&database, 1)).unwrap_err();
    assert!(matches!(refused, StoreError::Runtime) && refused.to_string().contains("enable_all"), "{refused:?}");
    let polled = pin!(insert(&database, 1)).as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Ready(Err(StoreError::Runtime))));
    assert!(!path.exists());
    let timed = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    timed.block_on(insert(&database, 1)).unwrap();
}
