//! Output of commands, as far as it decides whether the line chooses it: names of existing files,
//! and contents of files.

use std::ops::Range;

use super::line::{Reader, last_part};
use crate::grammar::{Feed, Simple, Word};
use crate::registry::{Prints, prints};

/// Beginnings of arguments that determine the output themselves.
const FORMATS: [&str; 4] = ["-printf", "--format", "+-", "--sq-quote"];

impl Reader<'_> {
    /// Whether all of these commands print contents of files that this line does not write.
    pub(super) fn prints_files(&self, commands: &[Simple]) -> bool {
        let is_own = |word: &Word| {
            word.literal().is_none_or(|text| text.contains(" -") || text.contains('\\') || self.is_written(&text))
        };
        !commands.is_empty()
            && commands.iter().all(|command| {
                let program = command.words.first().and_then(Word::literal).unwrap_or_default();
                let program = last_part(&program);
                let is_fed = matches!(command.feed, Feed::None | Feed::Pipe(_));
                let reads = matches!(prints(program), Prints::Contents | Prints::Lines(_));
                reads && is_fed && !self.functions.contains(program) && !command.words.iter().any(is_own)
            })
    }

    /// Whether the input of a command consists only of names: from a pipe, or from the words after
    /// `:::`.
    pub(super) fn feeds_names(&self, commands: &[Simple], command: &Simple) -> bool {
        let words: Vec<Option<String>> = command.words.iter().map(Word::literal).collect();
        let is_name = |word: &Option<String>| word.as_ref().is_some_and(|word| !word.starts_with(['-', ':']));
        if let Some(at) = words.iter().position(|word| word.as_deref() == Some(":::")) {
            return words[at + 1..].iter().all(is_name);
        }
        matches!(&command.feed, Feed::Pipe(range) if self.prints_names(commands, range.clone()))
    }

    /// Whether all of these commands print names of existing files.
    pub(super) fn prints_names(&self, commands: &[Simple], range: Range<usize>) -> bool {
        let Some(these) = commands.get(range).filter(|these| !these.is_empty()) else { return false };
        these.iter().all(|command| {
            let mut words = command.words.iter();
            let Some(path) = words.next().and_then(Word::literal) else { return false };
            let program = last_part(&path);
            let args: Vec<String> = words.filter_map(Word::literal).collect();
            let prints = prints(program);
            let picks = matches!(prints, Prints::Lines(_))
                && matches!(&command.feed, Feed::Pipe(range) if self.prints_names(commands, range.clone()));
            let names = match prints {
                Prints::Names | Prints::FoundNames | Prints::PartsOfNames => true,
                Prints::NamesWith(with) | Prints::Lines(with) => {
                    with.split_ascii_whitespace().any(|wanted| args.iter().any(|arg| arg == wanted))
                }
                Prints::Anything | Prints::Contents => false,
            };
            let says = |arg: &String| {
                arg.contains(char::is_whitespace) && prints != Prints::FoundNames
                    || FORMATS.iter().any(|start| arg.starts_with(start))
                    || prints == Prints::PartsOfNames && last_part(arg).starts_with('-') && arg.contains('/')
            };
            let is_open = |word: &Word| word.literal().is_none() && self.leaves_option(word);
            let says_more = || args.iter().any(says) || command.words.iter().any(is_open);
            !self.functions.contains(program) && (picks || names && !says_more())
        })
    }
}
