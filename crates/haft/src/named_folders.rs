//! Folders that people name: which of them are not there, and what was probably meant.

#[cfg(feature = "shell")]
use std::path::PathBuf;
use std::{fs, path::Path};

#[cfg(any(feature = "shell", feature = "file"))]
use tools_core::did_you_mean;
use tools_core::nearest;

/// The folder beside a missing one whose name is close to its name, with the path as it was typed;
/// `None` when there is none.
pub fn near_folder(missing: &Path) -> Option<String> {
    let name = missing.file_name()?.to_str()?;
    let beside = missing.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = fs::read_dir(beside.unwrap_or(Path::new("."))).ok()?.filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let near = *nearest(name, names.iter().map(String::as_str)).first()?;
    Some(beside.map_or_else(|| near.to_owned(), |beside| beside.join(near).display().to_string()))
}

/// The end of a message about a missing folder: what was probably meant, or nothing.
#[cfg(any(feature = "shell", feature = "file"))]
pub(crate) fn hint(missing: &Path) -> String {
    did_you_mean(near_folder(missing).as_slice()).map(|question| format!("; {question}")).unwrap_or_default()
}

/// Folders of the section for commands that do not count as they were typed.
#[cfg(feature = "shell")]
pub(crate) fn lint(config: &crate::config::HaftConfig, workdir: &Path) -> Vec<String> {
    let (shell, home) = (&config.tools.shell, tools_sandbox::home());
    let place =
        |typed: &str| tools_sandbox::expand_home(typed, home.as_deref()).unwrap_or_else(|| PathBuf::from(typed));
    let mut found = vec![];
    for typed in &shell.allowed_paths {
        let folder = workdir.join(place(typed));
        if !folder.is_dir() {
            found.push(format!(
                "`tools.shell.allowed_paths`: `{}` is not a folder, and no command runs without it{}",
                folder.display(),
                hint(&folder)
            ));
        }
    }
    for typed in &shell.caches {
        let folder = place(typed);
        if folder.is_relative() {
            found.push(format!(
                "`tools.shell.caches`: `{typed}` is relative and does not count; write it from `/` or `~/` on"
            ));
        } else if !folder.is_dir() {
            found.push(format!("`tools.shell.caches`: `{typed}` is not a folder and does not count{}", hint(&folder)));
        }
    }
    for typed in &shell.read_paths {
        let folder = workdir.join(place(typed));
        if !folder.exists() {
            found.push(format!("`tools.shell.read_paths`: `{}` does not exist{}", folder.display(), hint(&folder)));
        }
    }
    found
}
