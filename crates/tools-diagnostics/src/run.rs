//! Runs one checker: finds and confines it, reads its output in bounded memory, and stops it at the
//! time limit.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, sleep_until};
use tools_core::{CallContext, OutputStream};
use tools_sandbox::kernel::{Level, Network, Sandbox, Strength};
use tools_sandbox::process::{Exit, ProcessSpec, ProcessTree, SpawnError};

use crate::checkers::Output;
use crate::project::build_folder;

/// Maximum number of bytes kept of a stream; the rest is read and counted.
const MAX_STREAM_BYTES: usize = 32 * 1024 * 1024;
/// Maximum number of bytes read from a pipe at once.
const CHUNK: usize = 64 * 1024;
/// Time for a checker to end by itself after the time limit.
const GRACE: Duration = Duration::from_millis(250);
/// Time to wait for output of processes that a checker left running.
const DRAIN: Duration = Duration::from_millis(100);

/// Result of running a checker.
pub(crate) struct CheckerResult {
    pub(crate) output: Output,
    pub(crate) exit: Exit,
    pub(crate) timed_out: bool,
    /// Number of bytes that were not kept.
    pub(crate) lost: u64,
    pub(crate) duration: Duration,
}

/// Finds a program by name in the `PATH` of an environment.
pub(crate) fn find_program(name: &str, env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let path = env.iter().find(|(variable, _)| variable == "PATH").map(|(_, value)| value.as_os_str());
    let folders = std::env::split_paths(path.unwrap_or_else(|| OsStr::new("/usr/local/bin:/usr/bin:/bin")));
    let is_program = |path: &PathBuf| {
        path.is_absolute()
            && std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    folders.map(|folder| folder.join(name)).find(is_program)
}

/// The environment of checkers: no colours, no progress bars, no build folder in a place that is
/// not writable, and no download that could not be kept.
pub(crate) fn checker_env(
    mut env: Vec<(OsString, OsString)>,
    directory: &Path,
    writable: &[PathBuf],
    strength: &Strength,
) -> Vec<(OsString, OsString)> {
    let is_beneath = |value: &Path| writable.iter().any(|root| directory.join(value).starts_with(root));
    let is_offline = strength.level != Level::Off
        && (strength.network != Network::Open || !cargo_home(&env).is_some_and(|home| is_beneath(&home)));
    env.retain(|(name, value)| match name.to_str() {
        Some("CARGO_TARGET_DIR" | "CARGO_BUILD_TARGET_DIR" | "CARGO_BUILD_BUILD_DIR") => is_beneath(Path::new(value)),
        Some("CARGO_TERM_COLOR" | "CARGO_TERM_PROGRESS_WHEN" | "CARGO_TERM_QUIET" | "NO_COLOR" | "FORCE_COLOR") => {
            false
        }
        Some("CARGO_NET_OFFLINE") => !is_offline,
        _ => true,
    });
    let fixed = [("CARGO_TERM_COLOR", "never"), ("CARGO_TERM_PROGRESS_WHEN", "never"), ("NO_COLOR", "1")];
    // Without this cargo retries for ten seconds before it fails.
    let offline = is_offline.then_some(("CARGO_NET_OFFLINE", "true"));
    env.extend(fixed.into_iter().chain(offline).map(|(name, value)| (name.into(), value.into())));
    if !env.iter().any(|(name, _)| name == "CARGO_TARGET_DIR")
        && let Some(folder) = build_folder(directory, writable)
    {
        env.push(("CARGO_TARGET_DIR".into(), folder.into()));
    }
    env
}

/// Gives `go` a writable build cache in the private folder for temporary files, because it does not
/// run without one, and prevents downloads that could not be kept.
pub(crate) fn go_caches(env: &mut Vec<(OsString, OsString)>, writable: &[PathBuf], strength: &Strength) {
    if strength.level == Level::Off {
        return;
    }
    let value = |env: &[(OsString, OsString)], wanted: &str| {
        env.iter().find(|(name, _)| name == wanted).map(|(_, value)| PathBuf::from(value))
    };
    let is_beneath = |path: &Path| writable.iter().any(|root| path.starts_with(root));
    let set = |env: &mut Vec<(OsString, OsString)>, name: &str, value: OsString| {
        env.retain(|(old, _)| old != name);
        env.push((name.into(), value));
    };
    if !value(env, "GOCACHE").is_some_and(|cache| is_beneath(&cache)) {
        let temporary = value(env, "TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
        set(env, "GOCACHE", temporary.join("go-build").into());
    }
    let modules = value(env, "GOMODCACHE").or_else(|| value(env, "GOPATH"));
    if strength.network != Network::Open || !modules.is_some_and(|folder| is_beneath(&folder)) {
        set(env, "GOPROXY", "off".into());
        set(env, "GOTOOLCHAIN", "local".into());
    }
}

/// The folder in which cargo keeps its downloads.
fn cargo_home(env: &[(OsString, OsString)]) -> Option<PathBuf> {
    let value = |wanted: &str| env.iter().find(|(name, _)| name == wanted).map(|(_, value)| PathBuf::from(value));
    value("CARGO_HOME").or_else(|| value("HOME").map(|home| home.join(".cargo")))
}

/// Runs a command until `until`. Dropping the future at any await kills it with all its processes.
pub(crate) async fn run(
    spec: &ProcessSpec,
    sandbox: &Sandbox,
    until: Instant,
    cx: &CallContext,
) -> Result<CheckerResult, SpawnError> {
    let started = Instant::now();
    let mut tree = ProcessTree::spawn_noting(spec, sandbox, cx.writes()).await?;
    let mut stdout = Stream::new(tree.take_stdout());
    let mut stderr = Stream::new(tree.take_stderr());
    let [mut out, mut err] = [vec![0; CHUNK], vec![0; CHUNK]];
    let (mut deadline, mut timed_out, mut ended) = (until, false, false);
    while !(ended && stdout.pipe.is_none() && stderr.pipe.is_none()) {
        tokio::select! {
            count = stdout.next(&mut out) => stdout.keep(&out[..count]),
            count = stderr.next(&mut err) => {
                stderr.keep(&err[..count]);
                stderr.tell(cx);
            }
            _ = tree.wait(), if !ended => {
                ended = true;
                deadline = deadline.min(Instant::now() + DRAIN);
            }
            () = sleep_until(deadline) => {
                if ended || timed_out {
                    break;
                }
                timed_out = true;
                // An error means that it has just ended, which the wait above reports.
                let _ = tree.signal(15);
                deadline = Instant::now() + GRACE;
            }
        }
    }
    tree.finish().await;
    let exit = tree.wait().await;
    Ok(CheckerResult {
        exit,
        timed_out,
        lost: stdout.lost + stderr.lost,
        output: Output { stdout: stdout.kept, stderr: stderr.kept },
        duration: started.elapsed(),
    })
}

/// One stream of a checker.
struct Stream {
    pipe: Option<Receiver>,
    kept: Vec<u8>,
    lost: u64,
    /// Number of bytes of `kept` that were already sent to listeners.
    told: usize,
}

impl Stream {
    fn new(pipe: Option<Receiver>) -> Self {
        Self { pipe, kept: Vec::new(), lost: 0, told: 0 }
    }

    /// Waits for the next bytes, or for ever once the stream has ended. Can be cancelled.
    async fn next(&mut self, buffer: &mut [u8]) -> usize {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        match pipe.read(buffer).await {
            Ok(count) if count > 0 => count,
            Ok(_) | Err(_) => {
                self.pipe = None;
                0
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let (kept, lost) = bytes.split_at(bytes.len().min(MAX_STREAM_BYTES - self.kept.len()));
        self.kept.extend_from_slice(kept);
        self.lost += lost.len() as u64;
    }

    /// Sends complete lines to listeners.
    fn tell(&mut self, cx: &CallContext) {
        if !cx.events().is_live() {
            return;
        }
        if let Some(end) = self.kept[self.told..].iter().rposition(|byte| *byte == b'\n') {
            let lines = &self.kept[self.told..=self.told + end];
            cx.events().output(OutputStream::Stderr, String::from_utf8_lossy(lines));
            self.told += end + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn programs_are_found_in_absolute_folders_of_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("checker");
        std::fs::write(&program, "").unwrap();
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        let path = format!("relative:{}", folder.path().display());
        let env = env(&[("PATH", &path)]);
        assert_eq!(find_program("checker", &env), None, "it cannot be executed");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find_program("checker", &env), Some(program));
        assert_eq!(find_program("folder", &env), None, "it is a folder");
    }

    fn strength(level: Level, network: Network) -> Strength {
        Strength { level, landlock: None, seccomp: true, network, degraded: false, not_stopped: Vec::new() }
    }

    fn has(name: &str, pairs: &[(&str, &str)], strength: &Strength) -> bool {
        let env = checker_env(env(pairs), Path::new("/w/app"), &["/w".into()], strength);
        env.iter().any(|(found, _)| found == name)
    }

    #[test]
    fn a_build_folder_is_kept_only_where_it_can_be_written() {
        let check = |value: &str, expected: bool| {
            let strength = strength(Level::Namespaces, Network::Open);
            assert_eq!(has("CARGO_TARGET_DIR", &[("CARGO_TARGET_DIR", value)], &strength), expected, "{value}");
        };
        check("/w/target", true);
        check("build", true);
        check("/var/cache/target", false);
    }

    #[test]
    fn cargo_is_told_when_it_cannot_download() {
        let check = |pairs: &[(&str, &str)], level, network, expected: bool| {
            assert_eq!(has("CARGO_NET_OFFLINE", pairs, &strength(level, network)), expected, "{pairs:?} {level:?}");
        };
        check(&[("HOME", "/root")], Level::Namespaces, Network::Open, true);
        check(&[("HOME", "/root"), ("CARGO_HOME", "/w/.cargo")], Level::Landlock, Network::Open, false);
        check(&[("CARGO_HOME", "/w/.cargo")], Level::Landlock, Network::Closed, true);
        check(&[("HOME", "/root")], Level::Off, Network::Open, false);
    }

    #[test]
    fn a_stream_keeps_its_beginning_and_counts_the_rest() {
        let mut stream = Stream::new(None);
        let chunk = vec![b'x'; 5 * 1024 * 1024];
        (0..7).for_each(|_| stream.keep(&chunk));
        assert_eq!((stream.kept.len(), stream.lost), (MAX_STREAM_BYTES, (7 * chunk.len() - MAX_STREAM_BYTES) as u64));
    }
}
