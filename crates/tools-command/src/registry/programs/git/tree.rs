//! Whether `git checkout` and similar commands restore more than the named files.

use std::path::Path;

use crate::plain_path;
use crate::registry::Doubt;
use crate::registry::prelude::*;

/// Discards changes if an operand covers every file, a folder or a pattern. Single named files do
/// not count.
pub(super) fn discards_several(parsed: &Parsed<'_>) -> Vec<Effect> {
    let folder = parsed.command.folder.as_deref();
    // The first operand of `checkout` before a `--` is more often a branch than a path.
    let is_checkout = parsed.path.last().is_some_and(|one| one.names == "checkout");
    let is_path =
        |number: usize, at: usize| !is_checkout || number > 0 || parsed.dashes.is_some_and(|dashes| at > dashes);
    let is_whole = parsed.operands.iter().zip(parsed.operands()).enumerate().any(|(number, (at, operand))| {
        covers(&operand.text, folder)
            || operand.is_exact && (is_pattern(&operand.text) || is_path(number, *at) && is_folder(&operand.text))
    });
    // An unknown operand before a `--` is more often a revision than a path.
    let open = parsed.after_dashes().iter().filter(|operand| operand.start().is_some());
    let open = open.map(|operand| Effect::MayDecide(operand.clone(), Doubt::Operand));
    is_whole.then(|| Effect::is(Consequence::DiscardsWork)).into_iter().chain(open).collect()
}

/// Whether a path is a pattern, which cannot be the name of a branch.
fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// Whether a path looks like a folder: `src/`, `crates/core`. Files without an extension begin with
/// a capital letter: `Makefile`.
fn is_folder(path: &str) -> bool {
    let last = path.rsplit(['/', ')']).next().unwrap_or_default();
    last.is_empty() || last.starts_with(|first: char| first.is_ascii_lowercase()) && !last.contains('.')
}

/// Whether a path covers the folder it is used in.
fn covers(path: &str, folder: Option<&str>) -> bool {
    let bare = match path.strip_prefix(":(") {
        Some(magic) => magic.split_once(')').map_or("", |(_, rest)| rest),
        None => path.strip_prefix(':').map_or(path, |rest| rest.trim_start_matches(['/', '!', '^'])),
    };
    if bare.is_empty() {
        return path.starts_with(':');
    }
    let steps: Vec<&str> = bare.split('/').filter(|step| !matches!(*step, "" | "." | "*" | "**")).collect();
    let is_up = steps.iter().all(|step| *step == "..");
    let resolved = folder.map(|folder| (plain_path(&Path::new(folder).join(bare)), Path::new(folder)));
    is_up && !bare.starts_with('/')
        || matches!(bare, "/" | "*.*" | "?*")
        || resolved.is_some_and(|(resolved, folder)| folder.starts_with(resolved))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_mean_everything_are_told_from_files() {
        let check = |path: &str, expected: bool| assert_eq!(covers(path, Some("/w/p")), expected, "{path}");
        for path in
            [".", "./", ":/", ":", "*", "**", "./*", "..", "../", "src/..", "/w/p", "/w", ":(top)", ":/*", ":(glob)**"]
        {
            check(path, true);
        }
        for path in ["src", "src/main.rs", "main", "../p2", "*.rs", ":(top)src", "HEAD~1", "a.b", ":/src"] {
            check(path, false);
        }
    }

    #[test]
    fn folders_are_told_from_files() {
        for path in ["src", "src/", "crates/core", ":(top)src", ".github/"] {
            assert!(is_folder(path), "{path}");
        }
        for path in ["src/main.rs", "Makefile", "docs/LICENSE", ".gitignore", "a.b"] {
            assert!(!is_folder(path), "{path}");
        }
    }
}
