//! Whether `git checkout` and its kin are told to take the whole tree back.

use std::path::Path;

use crate::plain_path;
use crate::registry::Doubt;
use crate::registry::prelude::*;

/// Discards changes where an operand means every file; those of files that are named do not count.
pub(super) fn discards_whole(parsed: &Parsed<'_>) -> Vec<Effect> {
    let folder = parsed.command.folder.as_deref();
    let is_whole = parsed.operands().any(|operand| covers(&operand.text, folder));
    // In front of a `--` a name that is put together is a revision more often than a path.
    let open = parsed.after_dashes().iter().filter(|operand| operand.start().is_some());
    let open = open.map(|operand| Effect::MayDecide(operand.clone(), Doubt::Operand));
    is_whole.then(|| Effect::is(Consequence::DiscardsWork)).into_iter().chain(open).collect()
}

/// Whether a path takes in the folder it is used in.
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
}
