//! Suggestions for missing folders that people name.

use std::{fs, path::Path};

use tools_core::{did_you_mean, nearest};

/// The folder beside a missing one with the most similar name, with the path as it was typed;
/// `None` if there is none.
pub fn near_folder(missing: &Path) -> Option<String> {
    let name = missing.file_name()?.to_str()?;
    let beside = missing.parent().filter(|parent| !parent.as_os_str().is_empty());
    let entries = fs::read_dir(beside.unwrap_or(Path::new("."))).ok()?.filter_map(Result::ok);
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let near = *nearest(name, names.iter().map(String::as_str)).first()?;
    Some(beside.map_or_else(|| near.to_owned(), |beside| beside.join(near).display().to_string()))
}

/// The end of a message about a missing folder: a suggestion, or an empty string.
pub fn folder_hint(missing: &Path) -> String {
    did_you_mean(near_folder(missing).as_slice()).map(|question| format!("; {question}")).unwrap_or_default()
}
