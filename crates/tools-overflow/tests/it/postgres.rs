//! The PostgreSQL store against a real server: a private cluster in a temporary folder, gone with the test.

use std::{
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
};

use jiff::SignedDuration;
use tempfile::TempDir;
use tools_overflow::{Archive, OverflowConfig, PostgresStore};
use tools_testkit::FakeClock;

use crate::stores;

/// A server of our own, reached through a socket in its folder.
struct Server {
    folder: TempDir,
    tools: PathBuf,
}

impl Server {
    /// Starts one; what is missing where none can be started.
    fn start() -> Result<Self, String> {
        let tools = tools().ok_or("no PostgreSQL server is installed (`initdb` is nowhere)")?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        let server = Self { folder, tools };
        let data = server.data();
        server.run("initdb", &["-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync", "-D", &data])?;
        let socket = server.folder.path().display().to_string();
        let options = format!("-c listen_addresses= -c unix_socket_directories={socket} -c max_connections=120");
        let log = server.folder.path().join("log").display().to_string();
        server.run("pg_ctl", &["-D", &data, "-w", "-t", "60", "-l", &log, "-o", &options, "start"])?;
        Ok(server)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn address(&self) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{socket}/postgres")
    }

    /// Runs one of the server's tools, which refuse to be root.
    fn run(&self, tool: &str, arguments: &[&str]) -> Result<(), String> {
        let mut command = Command::new(self.tools.join(tool));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        if is_root() {
            let user = postgres_user().ok_or("this is root, and there is no user `postgres`")?;
            command.uid(user.0).gid(user.1);
        }
        // Into a file: a pipe would be held open by the server.
        let said = self.folder.path().join(format!("{tool}.err"));
        command.stderr(std::fs::File::create(&said).unwrap());
        let status = command.status().map_err(|error| format!("`{tool}` cannot be started: {error}"))?;
        let said = || std::fs::read_to_string(&said).unwrap_or_default();
        if status.success() { Ok(()) } else { Err(format!("`{tool}` failed: {}", said())) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.run("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "stop"]);
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
}

fn postgres_user() -> Option<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let fields: Vec<&str> = users.lines().find(|line| line.starts_with("postgres:"))?.split(':').collect();
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}

/// Where the newest server's tools are.
fn tools() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let searched: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.into_iter().rev().chain(searched).find(|folder: &PathBuf| Path::new(folder).join("initdb").is_file())
}

/// One server for all of it: starting one takes longer than the rest.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql_is_a_store_like_the_others() {
    let server = match Server::start() {
        Ok(server) => server,
        Err(missing) => {
            eprintln!("SKIPPED: {missing}");
            return;
        }
    };
    let store = || Arc::new(PostgresStore::at(&server.address()).unwrap());
    // Two that make the schema at once, as two machines would.
    let (one, two) =
        (Archive::new(store(), &OverflowConfig::default()), Archive::new(store(), &OverflowConfig::default()));
    let (first, second) = tokio::join!(one.keep("c", "one"), two.keep("c", "two"));
    assert_eq!(stores::read_whole(&two, "c", &first.unwrap()).await, "one");
    assert_eq!(stores::read_whole(&one, "c", &second.unwrap()).await, "two");
    one.remove_conversation("c").await.unwrap();
    stores::empty_conversations_go(store()).await;
    let mut connection = <sqlx::PgConnection as sqlx::Connection>::connect(&server.address()).await.unwrap();
    let conversations = "SELECT id FROM conversations";
    let left: Vec<(String,)> = sqlx::query_as(conversations).fetch_all(&mut connection).await.unwrap();
    assert_eq!(left, [("young".to_owned(),)]);
    storing_and_cleaning_at_once_loses_nothing(store).await;
    stores::check(store()).await;
    stores::nothing_is_lost(store(), stores::entries()).await;
}

/// A conversation that is old, with nothing in it that is not: stored in by several while others remove what is empty.
async fn storing_and_cleaning_at_once_loses_nothing(store: impl Fn() -> Arc<PostgresStore>) {
    let clock = FakeClock::default();
    let archive = || Archive::with_clock(store(), &OverflowConfig::default(), Arc::new(clock.clone()));
    let (one, two) = (archive(), archive());
    for round in 0..60 {
        clock.advance(SignedDuration::from_hours(24 * 8));
        let (first, _, second, _, third) =
            tokio::join!(one.keep("c", "1"), two.clean(), two.keep("c", "2"), one.clean(), two.keep("c", "3"));
        for (stored, text) in [(first, "1"), (second, "2"), (third, "3")] {
            assert_eq!(stores::read_whole(&one, "c", &stored.unwrap()).await, text, "round {round}");
        }
    }
}

#[test]
fn what_is_no_address_is_refused_and_a_password_is_not_shown() {
    assert!(PostgresStore::at("sqlite:x").is_err());
    let store = PostgresStore::at("postgres://me:hunter2@localhost/db").unwrap();
    assert_eq!(format!("{store:?}"), r#"PostgresStore { database: Some("db"), .. }"#);
}
