//! Distinguishes failures at paths that commands do not see from failures at missing paths: the
//! configuration can fix the former.

use std::path::{Component, Path, PathBuf};

use tools_core::quoted;
use tools_sandbox::kernel::{MaskRules, Sandbox};

/// Messages of programs about a path they cannot reach.
const COMPLAINTS: [&str; 7] =
    ["no such file", "enoent", "permission denied", "eacces", "not found", "cannot find", "read-only file system"];
/// Maximum number of named paths.
const MAX_PATHS: usize = 3;
/// Maximum number of bytes searched, from the end of the text.
const MAX_BYTES: usize = 64 * 1024;

/// A note on the paths in `text` that commands do not see; `None` if there are none.
pub(crate) fn note(text: &str, workdir: &Path, sandbox: &Sandbox, hidden: &MaskRules) -> Option<String> {
    let is_unseen = |path: &Path| sandbox.conceals(path) && !hidden.denies(path);
    let paths = unseen(text, workdir, &is_unseen);
    if paths.is_empty() {
        return None;
    }
    let named = quoted(paths.iter().map(|path| path.display()));
    let (verb, them) = if paths.len() == 1 { ("lies", "it") } else { ("lie", "them") };
    Some(format!(
        "{named} {verb} where commands see only what toolchains need; the operator can grant {them} with `tools.shell.read_paths`"
    ))
}

/// The paths in complaints for which `is_unseen` is true.
fn unseen(text: &str, workdir: &Path, is_unseen: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let start = text.len().saturating_sub(MAX_BYTES);
    let text = text.get(text.ceil_char_boundary(start)..).unwrap_or_default();
    let mut found = Vec::new();
    for line in text.lines() {
        let lower = line.to_ascii_lowercase();
        if !COMPLAINTS.iter().any(|complaint| lower.contains(complaint)) {
            continue;
        }
        let is_border = |c: char| c.is_whitespace() || "'\"`‘’“”()[]{}<>,;=".contains(c);
        for word in line.split(is_border).map(|word| word.trim_end_matches([':', '.', '!', '?'])) {
            if !word.starts_with('/') && !word.starts_with("../") {
                continue;
            }
            let path = normal(&workdir.join(word));
            if is_unseen(&path) && !found.contains(&path) {
                found.push(path);
            }
            if found.len() == MAX_PATHS {
                return found;
            }
        }
    }
    found
}

/// Normalises a path without reading the file system.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complaints_about_unseen_paths_are_noted() {
        let check = |text: &str, expected: &[&str]| {
            let found = unseen(text, Path::new("/home/me/work"), &|path| {
                path.starts_with("/home") && !path.starts_with("/home/me/work")
            });
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{text}");
        };
        check("cat: /home/me/other/x: No such file or directory", &["/home/me/other/x"]);
        check("cat: '../other/x y': No such file", &["/home/me/other/x"]);
        check("error: failed to read `/home/me/lib/Cargo.toml`\n\nNo such file or directory (os error 2)", &[]);
        check("open '/home/a': ENOENT, open \"/home/b\": EACCES", &["/home/a", "/home/b"]);
        check("cat: /home/me/work/x: No such file", &[]);
        check("reading /home/me/other/x", &[]);
        check("cat: /etc/x: No such file or directory", &[]);
    }
}
