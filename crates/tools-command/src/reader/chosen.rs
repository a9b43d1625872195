//! Words whose value the line, or a text that it reads, chooses: they may become any option of the
//! program that gets them. Names of files that are there, and variables that the line does not set,
//! are taken for data.

use std::ops::Range;

use super::command::{Command, ELSEWHERE, PLACEHOLDER, Value};
use super::line::{Reader, last_part};
use crate::grammar::{Feed, Operator, Parsed, Part, Simple, Word, parse, parse_word};
use crate::registry;

/// Programs that print names of what is there, numbers and identifiers.
const NAMING: [&str; 19] = [
    "find", "fd", "fdfind", "ls", "pwd", "which", "dirname", "basename", "realpath", "readlink", "nproc", "mktemp",
    "id", "whoami", "uname", "hostname", "date", "pgrep", "pidof",
];
/// Programs that pass on some of the lines that they are fed.
const PICKING: [&str; 9] = ["grep", "egrep", "fgrep", "head", "tail", "sort", "uniq", "tac", "tr"];
/// Programs of [`NAMING`] that print a part of what they are given.
const COPYING: [&str; 2] = ["basename", "dirname"];
/// Programs of [`NAMING`] whose arguments with blanks are patterns, not part of what they print.
const MATCHING: [&str; 4] = ["find", "fd", "fdfind", "ls"];
/// Programs that print names where they are asked for these things.
const NAMING_WITH: [(&str, &[&str]); 7] = [
    ("git", &["ls-files", "rev-parse", "--name-only", "merge-base", "ls-tree", "-l"]),
    ("grep", &["-l", "-L", "-rl", "-lr", "-Rl", "-lR", "-ril", "-lir", "-rlZ", "-lZ", "--files-with-matches"]),
    ("rg", &["-l", "--files", "--files-with-matches"]),
    ("docker", &["ps", "images"]),
    ("podman", &["ps", "images"]),
    ("command", &["-v"]),
    ("brew", &["--prefix"]),
];
/// Builtins that put what they read into variables.
const READING: [&str; 3] = ["read", "mapfile", "readarray"];
/// What bash sets by itself to something that the line says.
const TAKEN: [&str; 5] = ["REPLY", "MAPFILE", "BASH_REMATCH", "OPTARG", "_"];
/// Parameters of a function, a script or a shell.
const PARAMETERS: &str = "@*123456789";

impl Reader<'_> {
    /// Notes which variables a text sets to something that may be an option.
    pub(super) fn choose(&mut self, parsed: &Parsed) {
        for setting in &parsed.settings {
            if self.may_be_option(&setting.value) {
                self.chosen.insert(setting.name.clone());
            }
        }
        for (at, command) in parsed.commands.iter().enumerate() {
            let program = command.words.first().and_then(Word::literal).unwrap_or_default();
            let rest: Vec<&Word> = command.words.iter().skip(1).collect();
            let is_reference = rest.iter().filter_map(|word| word.literal()).any(|option| option == "-n");
            for (name, word) in &command.assignments {
                if self.may_be_option(word) {
                    self.chosen.insert(name.clone());
                }
                self.chosen.extend(word.literal().filter(|_| is_reference));
            }
            self.choose_by(parsed, at, &program, &rest);
        }
    }

    fn choose_by(&mut self, parsed: &Parsed, at: usize, program: &str, rest: &[&Word]) {
        let names = || rest.iter().filter_map(|word| word.literal()).filter(|name| !name.starts_with('-'));
        let options = |from: usize| rest.iter().skip(from).any(|word| self.may_be_option(word));
        if READING.contains(&program) {
            let is_names = match &parsed.commands[at].feed {
                Feed::Pipe(range) => self.prints_names(&parsed.commands, range.clone()),
                // What a loop around it is fed.
                Feed::None => at > 0 && self.prints_names(&parsed.commands, 0..at),
                Feed::Text(_) | Feed::Unknown => false,
            };
            if !is_names {
                self.chosen.extend(names());
            }
        } else if program == "printf" && rest.first().and_then(|word| word.literal()).as_deref() == Some("-v") {
            self.chosen.extend(names().take(1));
        } else if (program == "set" || self.functions.contains(program)) && options(0)
            || registry::is_shell(last_part(program)) && options(2)
        {
            self.chosen.extend(PARAMETERS.chars().map(String::from));
        }
    }

    /// Whether a variable holds what the line chooses.
    fn holds_chosen(&self, name: &str) -> bool {
        TAKEN.contains(&name) || self.chosen.contains(name)
    }

    /// Whether a word may be an option that the line chooses.
    fn may_be_option(&self, word: &Word) -> bool {
        if let Some(text) = word.literal() {
            return text.starts_with('-') && text.len() > 2 || text.contains(" -");
        }
        let first = word.parts.iter().find(|part| !matches!(part, Part::Text { text, .. } if text.is_empty()));
        match first {
            Some(Part::Text { text, .. }) => text.starts_with('-') || text.contains(" -"),
            Some(Part::Output { text, .. }) => {
                parse(text).map_or(true, |inner| !self.prints_names(&inner.commands, 0..inner.commands.len()))
            }
            Some(Part::Variable { name, .. }) => self.holds_chosen(name),
            Some(Part::Parameter(parameter)) => {
                self.holds_chosen(&parameter.name)
                    || parameter.operator == Operator::Other && self.arithmetic.is_set(&parameter.name)
                    || parameter.word.source.trim_start_matches(['"', '\'', '$']).starts_with('-')
            }
            Some(Part::Array(words)) => words.iter().any(|word| self.may_be_option(word)),
            _ => false,
        }
    }

    /// Whether an argument of a command whose value is not known may be an option that the line, or
    /// a text that it reads, chooses.
    pub(super) fn is_chosen(&self, command: &Command, arg: &Value) -> bool {
        let is_handed_on = command.via.iter().any(|via| matches!(via.as_str(), "xargs" | "gxargs" | "parallel"));
        let is_placed = arg.text == ELSEWHERE || arg.text.starts_with(PLACEHOLDER);
        if is_handed_on && command.is_open && is_placed {
            return !self.is_fed_names;
        }
        !arg.is_exact && parse_word(&arg.text).is_none_or(|word| self.may_be_option(&word))
    }

    /// Whether a command of a text is fed nothing but names.
    pub(super) fn feeds_names(&self, parsed: &Parsed, command: &Simple) -> bool {
        matches!(&command.feed, Feed::Pipe(range) if self.prints_names(&parsed.commands, range.clone()))
    }

    /// Whether all of these commands print names of what is there.
    fn prints_names(&self, commands: &[Simple], range: Range<usize>) -> bool {
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
