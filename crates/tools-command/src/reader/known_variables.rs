//! Variables whose value is known where they are used: set once on the line, to a text, by a
//! command that has certainly run before, and changed by nothing else.

use std::collections::BTreeMap;

use super::builtins;
use super::names;
use crate::grammar::{Parsed, Part, Place, Simple, Word};

/// The known variables of one text.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownVariables {
    values: BTreeMap<String, Assignment>,
    /// Whether words are split as by default.
    splits_as_usual: bool,
}

#[derive(Debug, Clone)]
struct Assignment {
    text: String,
    at: usize,
    /// The chain of commands in which the value holds; `None` if it holds everywhere after it.
    chain: Option<u32>,
}

/// Builtins that may change any variable or run code that does.
const UNKNOWN: [&str; 12] =
    ["eval", "source", ".", "trap", "alias", "unalias", "enable", "exec", "builtin", "command", "env", "coproc"];

impl KnownVariables {
    /// Finds the known variables of a text.
    pub(super) fn of(parsed: &Parsed) -> Self {
        let mut known = Self { values: BTreeMap::new(), splits_as_usual: true };
        let candidates = parsed.commands.iter().any(|command| command.place != Place::Unknown && is_bare(command));
        if !candidates || parsed.commands.iter().any(may_change_any) {
            return known;
        }
        for (at, command) in parsed.commands.iter().enumerate() {
            known.splits_as_usual &= command.assignments.iter().all(|(name, _)| name != "IFS");
            let chain = match command.place {
                Place::Always => None,
                Place::InChain => command.chains.last().copied(),
                Place::Unknown => continue,
            };
            let [(name, word)] = command.assignments.as_slice() else { continue };
            let Some(text) = text(word, &known, at, &command.chains).filter(|_| is_bare(command)) else { continue };
            if names::is_ordinary(name) && is_set_once(name, parsed) {
                known.values.insert(name.clone(), Assignment { text, at, chain });
            }
        }
        known
    }

    /// The value of a variable in the command at this index.
    pub(super) fn value(&self, name: &str, quoted: bool, at: usize, chains: &[u32]) -> Option<&str> {
        let assigned = self.values.get(name).filter(|assigned| assigned.at < at)?;
        let holds = assigned.chain.is_none_or(|own| chains.contains(&own));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./,:@%+=-".contains(c);
        let is_whole =
            quoted || (self.splits_as_usual && !assigned.text.is_empty() && assigned.text.chars().all(is_plain));
        (holds && is_whole).then_some(assigned.text.as_str())
    }
}

/// Whether a command consists only of assignments.
fn is_bare(command: &Simple) -> bool {
    command.words.is_empty() && command.redirects.is_empty() && command.assignments.len() == 1
}

/// The assigned value, if it is a text.
fn text(word: &Word, known: &KnownVariables, at: usize, chains: &[u32]) -> Option<String> {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Text { text: piece, quoted } if *quoted || !piece.contains(['~', '{']) => text.push_str(piece),
            // Assignments are neither split nor matched against file names.
            Part::Variable { name, .. } => text.push_str(known.value(name, true, at, chains)?),
            _ => return None,
        }
    }
    Some(text)
}

fn may_change_any(command: &Simple) -> bool {
    let Some(first) = command.words.first() else { return false };
    let Some(name) = first.literal() else { return true };
    let rest = &command.words[1..];
    let takes_names = builtins::declares(&name)
        || matches!(name.as_str(), "read" | "mapfile" | "readarray" | "unset" | "getopts" | "let" | "wait");
    let is_open = || rest.iter().any(|word| word.literal().is_none());
    let sets_by_print =
        name == "printf" && rest.first().is_some_and(|word| word.literal().is_none_or(|text| text.starts_with("-v")));
    UNKNOWN.contains(&name.as_str()) || (takes_names && is_open()) || (sets_by_print && is_open())
}

/// Whether the text sets the variable in a single assignment and names it as a target nowhere else.
fn is_set_once(name: &str, parsed: &Parsed) -> bool {
    let assigned = parsed.commands.iter().flat_map(|command| &command.assignments).filter(|(own, _)| own == name);
    let is_set_otherwise = parsed.settings.iter().any(|setting| setting.name == name);
    let is_in_expression = parsed.expressions.iter().any(|word| {
        let pieces = word.source.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        word.source.contains(['=', '+', '-', '$', '`']) && pieces.clone().any(|piece| piece == name)
            || word.source.contains('=') && word.source.contains(['$', '`'])
    });
    let is_argument = parsed.commands.iter().any(|command| sets_by_argument(command, name));
    assigned.count() == 1 && !is_set_otherwise && !is_in_expression && !is_argument
}

fn sets_by_argument(command: &Simple, name: &str) -> bool {
    let Some(program) = command.words.first().and_then(Word::literal) else { return false };
    let names = builtins::declares(&program)
        || matches!(
            program.as_str(),
            "read" | "mapfile" | "readarray" | "unset" | "getopts" | "let" | "wait" | "printf"
        );
    names
        && command.words.iter().skip(1).filter_map(Word::literal).any(|text| {
            text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|piece| piece.ends_with(name))
        })
}
