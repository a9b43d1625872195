//! What commands print, as far as it tells whether a line chooses it: names of what is there, and
//! what files hold.

use std::ops::Range;

use super::line::{Reader, last_part};
use crate::grammar::{Feed, Simple, Word};

/// Programs that print names of what is there, numbers and identifiers.
const NAMING: [&str; 23] = [
    "find",
    "fd",
    "fdfind",
    "ls",
    "pwd",
    "which",
    "dirname",
    "basename",
    "realpath",
    "readlink",
    "nproc",
    "mktemp",
    "id",
    "whoami",
    "uname",
    "hostname",
    "date",
    "pgrep",
    "pidof",
    "pkg-config",
    "pkgconf",
    "llvm-config",
    "seq",
];
/// Programs that pass on some of the lines that they are fed.
const PICKING: [&str; 9] = ["grep", "egrep", "fgrep", "head", "tail", "sort", "uniq", "tac", "tr"];
/// Programs of [`NAMING`] that print a part of what they are given.
const COPYING: [&str; 2] = ["basename", "dirname"];
/// Programs of [`NAMING`] whose arguments with blanks are patterns, not part of what they print.
const MATCHING: [&str; 4] = ["find", "fd", "fdfind", "ls"];
/// Programs that print names where they are asked for these things.
const NAMING_WITH: [(&str, &[&str]); 8] = [
    ("git", &["ls-files", "rev-parse", "describe", "--show-current", "--name-only", "merge-base", "ls-tree", "-l"]),
    ("grep", &["-l", "-L", "-rl", "-lr", "-Rl", "-lR", "-ril", "-lir", "-rlZ", "-lZ", "--files-with-matches"]),
    ("rg", &["-l", "--files", "--files-with-matches"]),
    ("go", &["list"]),
    ("docker", &["ps", "images"]),
    ("podman", &["ps", "images"]),
    ("command", &["-v"]),
    ("brew", &["--prefix"]),
];
/// Programs that print what files hold, or a part of it.
const READING: [&str; 4] = ["cat", "cut", "jq", "head"];

impl Reader<'_> {
    /// Whether all of these commands print what files hold that this line does not write.
    pub(super) fn prints_files(&self, commands: &[Simple]) -> bool {
        let is_own = |word: &Word| {
            word.literal().is_none_or(|text| text.contains(" -") || text.contains('\\') || self.is_written(&text))
        };
        !commands.is_empty()
            && commands.iter().all(|command| {
                let program = command.words.first().and_then(Word::literal).unwrap_or_default();
                let program = last_part(&program);
                let is_fed = matches!(command.feed, Feed::None | Feed::Pipe(_));
                let reads = READING.contains(&program) || PICKING.contains(&program);
                reads && is_fed && !self.functions.contains(program) && !command.words.iter().any(is_own)
            })
    }

    /// Whether a command of a text is fed nothing but names: by a pipe, or by words that stand
    /// there.
    pub(super) fn feeds_names(&self, commands: &[Simple], command: &Simple) -> bool {
        let words: Vec<Option<String>> = command.words.iter().map(Word::literal).collect();
        let is_name = |word: &Option<String>| word.as_ref().is_some_and(|word| !word.starts_with(['-', ':']));
        if let Some(at) = words.iter().position(|word| word.as_deref() == Some(":::")) {
            return words[at + 1..].iter().all(is_name);
        }
        matches!(&command.feed, Feed::Pipe(range) if self.prints_names(commands, range.clone()))
    }

    /// Whether all of these commands print names of what is there.
    pub(super) fn prints_names(&self, commands: &[Simple], range: Range<usize>) -> bool {
        let Some(these) = commands.get(range).filter(|these| !these.is_empty()) else { return false };
        these.iter().all(|command| {
            let mut words = command.words.iter();
            let Some(path) = words.next().and_then(Word::literal) else { return false };
            let program = last_part(&path);
            let args: Vec<String> = words.filter_map(Word::literal).collect();
            let picks = PICKING.contains(&program)
                && matches!(&command.feed, Feed::Pipe(range) if self.prints_names(commands, range.clone()));
            let has = |wanted: &&str| args.iter().any(|arg| arg == wanted);
            let is_asked = NAMING_WITH.iter().any(|(name, with)| *name == program && with.iter().any(has));
            let says = |arg: &String| {
                arg.contains(char::is_whitespace) && !MATCHING.contains(&program)
                    || ["-printf", "--format", "+-", "--sq-quote"].iter().any(|start| arg.starts_with(start))
                    || COPYING.contains(&program) && last_part(arg).starts_with('-') && arg.contains('/')
            };
            let names = is_asked || NAMING.contains(&program);
            !self.functions.contains(program) && (picks || names && !args.iter().any(says))
        })
    }
}
