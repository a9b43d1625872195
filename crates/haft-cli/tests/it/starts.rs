//! Starts of the binary side by side, and starts that are killed at any moment. Needs nothing of
//! the other tests, so that a bench can do the same at length.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Folders for the binary: home, workspace, place for temporary folders.
pub(crate) struct Place {
    binary: PathBuf,
    folder: PathBuf,
}

/// What came of starts side by side.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    /// What the failed ones said.
    pub(crate) failed: Vec<String>,
    /// How strongly commands were confined, each level once.
    pub(crate) levels: Vec<String>,
}

impl Place {
    pub(crate) fn new(binary: &Path, folder: &Path) -> Self {
        for name in ["home", "work", "temp"] {
            fs::create_dir_all(folder.join(name)).expect("folders can be made");
        }
        Self { binary: binary.to_owned(), folder: folder.to_owned() }
    }

    fn call(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .args(["call", "--json", "--yes", "bash", "command=true"])
            .current_dir(self.folder.join("work"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.join("home"))
            .env("TMPDIR", self.folder.join("temp"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Calls `true`; the level at which it was confined, or what was said instead.
    pub(crate) fn level(&self) -> Result<String, String> {
        let output = self.call().output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = || format!("{text}{}", String::from_utf8_lossy(&output.stderr));
        let report: serde_json::Value = serde_json::from_str(&text).map_err(|_| said())?;
        let level = find(&report, "level").filter(|_| output.status.success());
        level.map(str::to_owned).ok_or_else(said)
    }

    /// So many starts, `beside` of them at a time.
    pub(crate) fn start(&self, starts: usize, beside: usize) -> Starts {
        let left = AtomicUsize::new(starts);
        let take = || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        let ended: Vec<Result<String, String>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..beside)
                .map(|_| {
                    scope.spawn(|| {
                        let mut ended = Vec::new();
                        while take() {
                            ended.push(self.level());
                        }
                        ended
                    })
                })
                .collect();
            workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
        });
        let mut result = Starts::default();
        for one in ended {
            match one {
                Ok(level) if result.levels.contains(&level) => {}
                Ok(level) => result.levels.push(level),
                Err(said) => result.failed.push(said),
            }
        }
        result
    }

    /// So many starts that are killed, at moments spread over `whole`.
    pub(crate) fn kill(&self, starts: u32, whole: Duration) {
        let mut random = 0x9E37_79B9_u32;
        for _ in 0..starts {
            let mut child = self.call().spawn().expect("the binary starts");
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            std::thread::sleep(whole * (random >> 16) / 0xffff);
            child.kill().expect("it can be killed");
            child.wait().expect("it ends");
        }
    }

    /// What processes left in the place for temporary folders.
    pub(crate) fn left(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.join("temp")).expect("the folder is there");
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    }
}

/// The first text under this name, at any depth.
fn find<'a>(value: &'a serde_json::Value, name: &str) -> Option<&'a str> {
    match value {
        serde_json::Value::Object(fields) => fields
            .get(name)
            .and_then(serde_json::Value::as_str)
            .or_else(|| fields.values().find_map(|value| find(value, name))),
        serde_json::Value::Array(items) => items.iter().find_map(|value| find(value, name)),
        _ => None,
    }
}
