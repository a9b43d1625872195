//! A PostgreSQL server for one test, if one is installed.

#![expect(clippy::disallowed_methods, reason = "the server is a program of its own, started by tests alone")]

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A private PostgreSQL server in a temporary folder, reached through a socket in it. It ends when
/// the value is dropped.
#[derive(Debug)]
pub struct PostgresServer {
    folder: TempDir,
    tools: PathBuf,
}

impl PostgresServer {
    /// Starts a server.
    ///
    /// # Errors
    /// The missing part if no server can be started: the test reports that it is skipped.
    pub fn start() -> Result<Self, String> {
        let tools = tools().ok_or("no PostgreSQL server is installed (`initdb` is nowhere)")?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let open = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(folder.path(), open).map_err(|error| error.to_string())?;
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

    /// The address of the server, as a store takes it.
    pub fn address(&self) -> String {
        let socket = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://postgres@{socket}/postgres")
    }

    /// Runs statements in its database, to change it without the knowledge of a store.
    ///
    /// # Errors
    /// The message of `psql`.
    pub fn execute(&self, statements: &str) -> Result<(), String> {
        let socket = self.folder.path().display().to_string();
        let options = ["-h", &socket, "-U", "postgres", "-d", "postgres", "-v", "ON_ERROR_STOP=1"];
        self.run("psql", &[&options[..], &["-c", statements]].concat())
    }

    /// Runs one of the server's tools as another user than root, which they refuse.
    fn run(&self, tool: &str, arguments: &[&str]) -> Result<(), String> {
        let mut command = Command::new(self.tools.join(tool));
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        if is_root() {
            let user = postgres_user().ok_or("this is root, and there is no user `postgres`")?;
            command.uid(user.0).gid(user.1);
        }
        // Uses a file, because the server would keep a pipe open.
        let said = self.folder.path().join(format!("{tool}.err"));
        command.stderr(std::fs::File::create(&said).map_err(|error| error.to_string())?);
        let status = command.status().map_err(|error| format!("`{tool}` cannot be started: {error}"))?;
        let said = || std::fs::read_to_string(&said).unwrap_or_default();
        if status.success() { Ok(()) } else { Err(format!("`{tool}` failed: {}", said())) }
    }
}

impl Drop for PostgresServer {
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

/// The folder with the tools of the newest server.
fn tools() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    folders.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let searched: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.into_iter().rev().chain(searched).find(|folder: &PathBuf| Path::new(folder).join("initdb").is_file())
}
