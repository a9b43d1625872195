//! Arithmetic evaluates what variables hold, subscripts and substitutions in them included: `$((x))` runs a command when `x`
//! holds `a[$(…)]`. Collected here is which text is evaluated and what each variable of a line may hold.

use std::collections::BTreeSet;

use super::command::Value;
use crate::grammar::{Part, Word};

/// What a line evaluates as arithmetic, and what it puts into variables.
#[derive(Debug, Default)]
pub(super) struct Arithmetic {
    evaluated: Vec<String>,
    /// Whether a text that is evaluated may itself run a command.
    is_unsafe: bool,
    settings: Vec<Setting>,
}

#[derive(Debug)]
struct Setting {
    name: String,
    mentions: BTreeSet<String>,
    is_number: bool,
    is_unsafe: bool,
}

/// The name that stands for the arguments of a function or a script.
pub(super) const ARGUMENTS: &str = "@";
/// The name that stands for every variable.
const ANY: &str = "*";

impl Arithmetic {
    /// An expression as it stands in the text; its substitutions were read as commands.
    pub(super) fn expression(&mut self, text: &str) {
        let is_plain = !text.contains(['\'', '\\']);
        self.is_unsafe |= may_run(text, is_plain);
        self.evaluated.push(text.to_owned());
    }

    /// A value that is evaluated, a name or an expression.
    pub(super) fn value(&mut self, value: &Value) {
        self.is_unsafe |= may_run(&value.text, !value.is_exact && !value.text.contains(['\'', '\\']));
        self.evaluated.push(value.text.clone());
    }

    /// A variable gets the value of a word.
    pub(super) fn word(&mut self, name: &str, word: &Word) {
        let mut text = String::new();
        let mut is_unsafe =
            may_run(&word.source, true) && word.parts.iter().any(|part| matches!(part, Part::Dynamic { .. }));
        for part in &word.parts {
            if let Part::Text { text: piece, .. } = part {
                text.push_str(piece);
                is_unsafe |= piece.contains(['$', '`']);
            }
        }
        let is_one = word.parts.iter().all(|part| matches!(part, Part::Text { .. })) || text.is_empty();
        let mut mentions = mentions(&word.source);
        mentions.extend(self::mentions(&text));
        if !is_one && !text.chars().all(|c| c.is_ascii_digit() || "+-*/%. ".contains(c)) {
            mentions.insert(ANY.to_owned());
        }
        let is_number = is_one && text.chars().all(|c| c.is_ascii_digit());
        self.settings.push(Setting { name: name.to_owned(), mentions, is_number, is_unsafe });
    }

    /// A variable gets a value in another way.
    pub(super) fn set(&mut self, name: &str, value: &Value) {
        let text = value.text.as_str();
        let is_unsafe =
            if value.is_exact { text.contains(['$', '`']) } else { may_run(text, true) || text.contains('\'') };
        let is_number = value.is_exact && text.chars().all(|c| c.is_ascii_digit());
        self.settings.push(Setting { name: name.to_owned(), mentions: mentions(text), is_number, is_unsafe });
    }

    /// Whether something that is evaluated may hold a command.
    pub(super) fn may_run_commands(&self) -> bool {
        if self.is_unsafe {
            return true;
        }
        let mut reached: BTreeSet<String> = self.evaluated.iter().flat_map(|text| mentions(text)).collect();
        loop {
            let before = reached.len();
            let reads_any = reached.contains(ANY);
            for setting in
                self.settings.iter().filter(|setting| reads_any || reached.contains(&setting.name)).collect::<Vec<_>>()
            {
                if setting.is_unsafe {
                    return true;
                }
                reached.extend(setting.mentions.iter().cloned());
                // Pieces put together give names that stand nowhere.
                let pieces = self.settings.iter().filter(|other| other.name == setting.name && !other.is_number);
                if !setting.is_number && pieces.take(2).count() > 1 && self.settings.iter().any(|other| other.is_unsafe)
                {
                    reached.insert(ANY.to_owned());
                }
            }
            if reached.len() == before {
                return false;
            }
        }
    }
}

/// Every name in a text, and the arguments where one of them is used.
fn mentions(text: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
        .map(str::to_owned)
        .collect();
    let follows = |c: char| c.is_ascii_digit() || matches!(c, '@' | '*');
    let uses_arguments = text.split('$').skip(1).any(|rest| rest.trim_start_matches(['{', '!']).starts_with(follows));
    if uses_arguments {
        found.insert(ARGUMENTS.to_owned());
    }
    found
}

/// Whether a text holds a substitution whose output may be more than a number. `is_read`: its commands are judged.
fn may_run(text: &str, is_read: bool) -> bool {
    if text.contains('`') {
        return true;
    }
    let mut rest = text;
    while let Some(at) = rest.find("$(") {
        rest = &rest[at + 2..];
        if let Some(inner) = rest.strip_prefix('(') {
            rest = inner;
            continue;
        }
        let Some(end) = closing(rest) else { return true };
        if !is_read || !prints_number(&rest[..end]) {
            return true;
        }
        rest = &rest[end..];
    }
    false
}

fn closing(text: &str) -> Option<usize> {
    let mut open = 0u32;
    for (at, character) in text.char_indices() {
        match character {
            '(' => open += 1,
            ')' if open == 0 => return Some(at),
            ')' => open -= 1,
            _ => {}
        }
    }
    None
}

/// Whether a pipeline ends in a program that prints a number.
fn prints_number(commands: &str) -> bool {
    if commands.contains([';', '&', '\n', '(', '[']) || commands.contains("||") {
        return false;
    }
    let words: Vec<&str> = commands.rsplit('|').next().unwrap_or_default().split_whitespace().collect();
    match words.as_slice() {
        ["nproc" | "wc" | "seq" | "expr" | "tput", ..]
        | ["id", "-u" | "-g"]
        | ["stat", "-c%s" | "-c%Y", ..]
        | ["getconf", "_NPROCESSORS_ONLN"] => true,
        ["date", format, ..] => format.trim_matches(['"', '\'']).strip_prefix('+').is_some_and(|format| {
            ["%s", "%s%N", "%N", "%Y", "%m", "%d", "%H", "%M", "%S", "%Y%m%d", "%u", "%j"].contains(&format)
        }),
        ["grep", option, ..] => option.starts_with('-') && !option.starts_with("--") && option.contains('c'),
        ["git", "rev-list", rest @ ..] => rest.contains(&"--count"),
        ["stat", "-c", format, ..] => ["%s", "%Y", "%a"].contains(&format.trim_matches(['"', '\''])),
        _ => false,
    }
}
