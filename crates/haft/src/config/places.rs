//! Default places of the user's configuration and state.

use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};

/// The user's configuration file: `haft/config.toml` in their configuration folder. It may not
/// exist.
///
/// `None` if the user has no home. A file in the workspace is never read by itself: a repository
/// must not supply the rules it is judged by.
pub fn config_file() -> Option<PathBuf> {
    let strategy = choose_base_strategy().ok()?;
    Some(strategy.config_dir().join("haft").join("config.toml"))
}

/// The user's configuration file if anything exists there, readable or not; `None` only if nothing
/// does.
///
/// A dangling link, as the file or as a folder above it, and a folder that cannot be entered count
/// as a file. Reading it is then an error, because without a configuration every rule would be
/// missing.
pub fn present_config_file() -> Option<PathBuf> {
    let home = choose_base_strategy().ok()?.home_dir().to_owned();
    config_file().filter(|file| {
        // The first existing path decides: if a parent lacks the entry, nothing is below it.
        let mut there = file.ancestors().map(|at| (at, at.symlink_metadata()));
        let found = there.find(|(_, found)| !found.as_ref().is_err_and(is_missing));
        found.is_some_and(|(at, found)| found.is_err() || at == file || !at.is_dir() && !home.starts_with(at))
    })
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Folder for requests to unblock a blocked tool.
pub fn resets_dir() -> PathBuf {
    state_dir().join("trust-resets")
}

/// Folder in which `haft approvals watch` listens.
pub fn watch_dir() -> PathBuf {
    state_dir().join("watch")
}

/// Whether a canonical folder is the user's home: by `HOME`, or by the user database.
pub fn is_home(folder: &Path) -> bool {
    tools_sandbox::homes().iter().any(|home| home.canonicalize().is_ok_and(|home| home == folder))
}

/// File that caches which confinement this machine supports.
#[cfg(feature = "shell")]
pub(crate) fn sandbox_record() -> PathBuf {
    state_dir().join("sandbox")
}

/// Folder for persistent state: `haft` in the user's state folder, or in the temporary folder if
/// the user has no home or it does not exist.
pub fn state_dir() -> PathBuf {
    let strategy = choose_base_strategy().ok();
    let found = strategy.and_then(|strategy| {
        let dir = strategy.state_dir().unwrap_or_else(|| strategy.data_dir());
        // A missing home is not created: it is probably the wrong path.
        let home = strategy.home_dir();
        (!dir.starts_with(home) || home.is_dir()).then_some(dir)
    });
    found.map_or_else(homeless_state_dir, |dir| dir.join("haft"))
}

/// State folder of a user without a home.
fn homeless_state_dir() -> PathBuf {
    std::env::temp_dir().join(format!("haft-{}", rustix::process::getuid().as_raw()))
}

/// Checks the state folder of a user without a home: it must belong to this user, and no other user
/// may be able to change its content. Any user can create that folder in the temporary folder.
///
/// # Errors
/// Why it cannot be used, for the operator.
pub(crate) fn own_state_dir() -> Result<(), String> {
    let folder = state_dir();
    if folder != homeless_state_dir() {
        return Ok(());
    }
    let unusable = |problem: String| {
        format!(
            "the state folder `{}` {problem}: set `XDG_STATE_HOME`, or `HOME` to a folder of yours",
            folder.display()
        )
    };
    tools_sandbox::make_private_folder(&folder).map_err(|error| unusable(format!("cannot be made: {error}")))?;
    let metadata = std::fs::symlink_metadata(&folder).map_err(|error| unusable(format!("cannot be used: {error}")))?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(unusable("belongs to somebody else".to_owned()));
    }
    if metadata.mode() & 0o077 != 0 {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700))
            .map_err(|error| unusable(format!("is open to others: {error}")))?;
    }
    Ok(())
}

/// File of the accepted definitions of MCP servers: beside the configuration, else in the user's
/// state folder.
#[cfg(feature = "mcp-client")]
pub(crate) fn lock_file(beside: Option<&Path>) -> PathBuf {
    let folder = beside.and_then(Path::parent).map_or_else(state_dir, Path::to_owned);
    folder.join("mcp.lock.json")
}

/// Folder of the logins at MCP servers, which no tool may read.
#[cfg(feature = "mcp-client")]
pub fn logins() -> PathBuf {
    state_dir().join("mcp-logins")
}
