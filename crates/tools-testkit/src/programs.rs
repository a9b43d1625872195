//! Programs of the machine that a test needs.

use std::path::PathBuf;

/// The path of the first of these programs that `PATH` has; `None` when none is installed.
pub fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

/// Whether all of these programs are installed. Prints what is missing, so that a test that returns
/// then is seen to be skipped.
pub fn installed(names: &[&str]) -> bool {
    let missing = names.iter().find(|name| program(&[name]).is_none());
    if let Some(missing) = missing {
        eprintln!("SKIPPED: no `{missing}` here");
    }
    missing.is_none()
}
