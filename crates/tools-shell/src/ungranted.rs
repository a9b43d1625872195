//! Notes on failures at paths that the configuration does not grant to commands: those that they do
//! not see, and those that they may only read. A failure for another reason gets no note.

use std::path::{Path, PathBuf};

use tools_command::plain_path;
use tools_core::quoted;
use tools_sandbox::kernel::{MaskRules, Sandbox};

/// Messages of programs about a path they cannot reach.
const COMPLAINTS: [&str; 7] =
    ["no such file", "enoent", "permission denied", "eacces", "not found", "cannot find", READ_ONLY];
/// Message of programs about a path they cannot write, whether they see it or not.
const READ_ONLY: &str = "read-only file system";
/// Maximum number of named paths.
const MAX_PATHS: usize = 3;
/// Maximum number of bytes searched, from the end of the text.
const MAX_BYTES: usize = 64 * 1024;

/// Notes on the paths in `text` that commands do not see, or may only read.
pub(crate) fn notes(text: &str, workdir: &Path, sandbox: &Sandbox, hidden: &MaskRules) -> Vec<String> {
    let unseen = |path: &Path, complaint: &str| {
        let is_meant = !complaint.contains(READ_ONLY) && sandbox.conceals(path) && !hidden.denies(path);
        is_meant.then(|| path.to_owned())
    };
    let read_only = |path: &Path, complaint: &str| {
        let is_pseudo = ["/dev", "/proc", "/sys"].iter().any(|folder| path.starts_with(folder));
        let place = sandbox.read_only(path).filter(|_| !is_pseudo && !hidden.denies(path))?;
        // Landlock answers as file modes do; only for git it is clear that git wanted to write.
        let is_meant = complaint.contains(READ_ONLY) || place != path;
        is_meant.then(|| place.to_owned())
    };
    let note = |paths: &[PathBuf], one: &str, many: &str, rest: &str| {
        let verb = if paths.len() == 1 { one } else { many };
        (!paths.is_empty()).then(|| format!("{} {verb} {rest}", quoted(paths.iter().map(|path| path.display()))))
    };
    let unseen = note(
        &complained(text, workdir, &unseen),
        "lies",
        "lie",
        "where commands see only what toolchains need; the operator can grant more with `tools.shell.read_paths`",
    );
    let unwritten = note(
        &complained(text, workdir, &read_only),
        "is",
        "are",
        "read-only for commands; the operator can name further writable folders in `tools.shell.allowed_paths`, beside `.` for the workspace",
    );
    unseen.into_iter().chain(unwritten).collect()
}

/// What `of` returns for the paths in complaints, given the path and the line in lower case.
fn complained(text: &str, workdir: &Path, of: &dyn Fn(&Path, &str) -> Option<PathBuf>) -> Vec<PathBuf> {
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
            let path = of(&plain_path(&workdir.join(word)), &lower);
            found.extend(path.filter(|path| !found.contains(path)));
            if found.len() == MAX_PATHS {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_in_complaints_are_looked_at() {
        let check = |text: &str, expected: &[&str]| {
            let found = complained(text, Path::new("/home/me/work"), &|path, _| {
                let is_unseen = path.starts_with("/home") && !path.starts_with("/home/me/work");
                is_unseen.then(|| path.to_owned())
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
