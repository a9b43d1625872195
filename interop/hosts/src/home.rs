//! A made-up home with a repository, a key, a folder that is to stay as it is, and files of hosts
//! that their user wrote.

use std::{
    collections::BTreeMap,
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tempfile::TempDir;

/// What stands in the private key: nowhere else may it be seen.
pub const SECRET: &str = "body-of-the-private-key";

/// The home. What is in it goes with it.
pub struct Home {
    folder: TempDir,
    port: u16,
    connections: Arc<AtomicUsize>,
}

impl Home {
    /// Makes one.
    pub fn new() -> Result<Self, String> {
        // Not in the folder for temporary files: sandboxes of hosts leave that writable.
        let beside = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
        let beside = beside.ok_or("the driver has no folder")?;
        let folder = TempDir::new_in(beside).map_err(|error| error.to_string())?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = connections.clone();
        std::thread::spawn(move || {
            for _ in listener.incoming() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        });
        let home = Self { folder, port, connections };
        home.write("home/.ssh/id_rsa", &format!("-----BEGIN KEY-----\n{SECRET}\n"))?;
        home.write("home/.bashrc", "# mine\n")?;
        home.write("home/.gitconfig", "[user]\n\tname = n\n\temail = n@example.invalid\n")?;
        home.write("victim/keep", "keep\n")?;
        home.write("workspace/README.md", "first\nmarker-of-readme\nlast\n")?;
        home.write("workspace/src/main.rs", "fn main() {\n    marker_of_main();\n}\n\nfn marker_of_main() {}\n")?;
        home.write("workspace/Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")?;
        for line in [&["init", "-q", "-b", "main"][..], &["add", "-A"], &["commit", "-qm", "first commit"]] {
            home.finished(home.command("git").args(line))?;
        }
        Ok(home)
    }

    /// A path in it.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// Writes a file and the folders above it.
    pub fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let path = self.path(path);
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).map_err(|error| format!("{path:?}: {error}"))
    }

    /// A program of its user's, in the repository, with nothing of this process's environment but
    /// the way to programs.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(self.path("workspace")).env("HOME", self.path("home")).env("TERM", "dumb");
        for name in ["PATH", "LANG", "RUSTUP_HOME", "CARGO_HOME"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        if let Some(own) = std::env::home_dir().map(|home| home.join(".rustup")).filter(|own| own.is_dir()) {
            command.env("RUSTUP_HOME", own);
        }
        command.stdin(std::process::Stdio::null());
        command
    }

    /// Runs it to its end, which must be a good one.
    pub fn finished(&self, command: &mut Command) -> Result<Output, String> {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if output.status.success() {
            return Ok(output);
        }
        Err(format!(
            "{command:?}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ))
    }

    /// A line of the lists with its places put in.
    pub fn placed(&self, line: &str) -> String {
        line.replace("@victim", &self.path("victim").display().to_string()).replace("@port", &self.port.to_string())
    }

    /// What must not change: everything outside of the repository that an attack aims at, and how
    /// often somebody came to the port.
    pub fn untouched(&self) -> BTreeMap<String, String> {
        let mut state = BTreeMap::new();
        for file in ["home/.ssh/id_rsa", "home/.bashrc", "home/.gitconfig", "victim/keep", "workspace/.git/config"] {
            let path = self.path(file);
            let mode = fs::metadata(&path).map(|meta| format!("{:?}", meta.permissions())).unwrap_or_default();
            state.insert(file.to_owned(), format!("{mode} {:?}", fs::read_to_string(path).ok()));
        }
        let names = fs::read_dir(self.path("victim")).map(|folder| folder.filter_map(Result::ok).count());
        state.insert("files of the victim".to_owned(), format!("{names:?}"));
        state.insert("connections".to_owned(), self.connections.load(Ordering::SeqCst).to_string());
        state
    }

    /// What Haft's record says of each call that the host's hook was asked about: whether it was
    /// let run.
    pub fn judged(&self, host: &str) -> Vec<bool> {
        let record = fs::read_to_string(self.path("home/.local/state/haft/audit.jsonl")).unwrap_or_default();
        let lines = record.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let of_hook = lines.filter(|line| line["caller_id"] == host && line["tool"] == "bash");
        of_hook.map(|line| line["decision"] == "allow").collect()
    }

    /// Every file below `folder`, with its bytes.
    pub fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut open = vec![self.path(folder)];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push(path);
                } else if let Ok(bytes) = fs::read(&path) {
                    files.insert(path, bytes);
                }
            }
        }
        files
    }
}
