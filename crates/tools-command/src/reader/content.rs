//! A text as an arithmetic expression of bash: the variables that it reads, and whether it may
//! contain a command itself. A text that is not known counts as one that contains a command.

use std::collections::BTreeSet;

use super::command::Value;
use super::numbers::{PrintedText, printed};
use crate::grammar::{Operator, Parameter, Part, Word, parse_word};

/// Name for the arguments of a function or a script.
pub(super) const ARGUMENTS: &str = "@";
/// Name for all variables together.
pub(super) const ANY: &str = "*";

/// Placeholder in a text for the value of a variable.
const HOLE: char = '\u{1}';
/// Placeholder in a text for some number.
const NUMBER: char = '\u{2}';

/// A text as an expression.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Content {
    /// Variables whose values are evaluated as part of the text.
    pub(super) names: BTreeSet<String>,
    /// Variables whose values are adjacent to other text: together they form one number, or else
    /// the name of any variable.
    pub(super) joined: BTreeSet<String>,
    /// Programs whose output the text contains, known only by their names.
    pub(super) programs: BTreeSet<String>,
    /// Whether the text consists of digits and the variables in `joined`.
    pub(super) is_number: bool,
    /// Whether the text contains array subscripts, which are names if the array is associative.
    pub(super) has_keys: bool,
    /// Whether the text may contain a command that runs when the text is evaluated.
    pub(super) may_run: bool,
    /// Whether the text contains a substitution that was not expanded.
    pub(super) holds_substitution: bool,
}

impl Content {
    /// An unknown number.
    pub(super) fn number() -> Self {
        Self { is_number: true, ..Self::default() }
    }

    /// A content of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self { may_run: true, ..Self::default() }
    }

    /// The value of a variable.
    pub(super) fn variable(name: &str) -> Self {
        Self { names: BTreeSet::from([name.to_owned()]), ..Self::default() }
    }

    /// A known text.
    pub(super) fn text(text: &str) -> Self {
        let mut shape = Shape::new();
        shape.literal(text);
        shape.finish()
    }

    /// A value as far as it is known. `is_split`: the value is matched against file names first.
    pub(super) fn value(value: &Value, is_split: bool) -> Self {
        if value.is_exact {
            let text = Self::text(&value.text);
            return Self { may_run: text.may_run || (is_split && value.has_pattern), ..text };
        }
        parse_word(&value.text).map_or_else(Self::unknown, |word| Self::word(&word, is_split))
    }

    /// A word before expansion.
    pub(super) fn word(word: &Word, is_split: bool) -> Self {
        let mut shape = Shape::new();
        for part in &word.parts {
            shape.part(part, is_split);
        }
        if word.has_braces {
            shape.found.names.insert(ANY.to_owned());
        }
        shape.finish()
    }

    /// The properties of both contents together.
    pub(super) fn with(mut self, other: Self) -> Self {
        self.names.extend(other.names);
        self.joined.extend(other.joined);
        self.programs.extend(other.programs);
        self.is_number &= other.is_number;
        self.has_keys |= other.has_keys;
        self.may_run |= other.may_run;
        self.holds_substitution |= other.holds_substitution;
        self
    }
}

/// The text of a word as far as it is known, with a placeholder for every unknown value.
struct Shape {
    text: String,
    holes: Vec<String>,
    /// Positions of values that may be words instead of the value of a variable.
    words: Vec<usize>,
    found: Content,
}

/// The name under which the value of a parameter is kept: all arguments share one.
fn held(name: String) -> String {
    let is_argument = matches!(name.as_str(), "@" | "*") || name.starts_with(|c: char| c.is_ascii_digit());
    if is_argument { ARGUMENTS.to_owned() } else { name }
}

impl Shape {
    fn new() -> Self {
        Self { text: String::new(), holes: Vec::new(), words: Vec::new(), found: Content::number() }
    }

    fn literal(&mut self, text: &str) {
        self.text.extend(text.chars().map(|c| if matches!(c, HOLE | NUMBER) { ' ' } else { c }));
    }

    fn part(&mut self, part: &Part, is_split: bool) {
        match part {
            Part::Text { text, .. } => self.literal(text),
            Part::Number { .. } => self.text.push(NUMBER),
            Part::Variable { name, .. } => self.variable(name),
            Part::Tilde(name) => {
                self.found.may_run |= name.starts_with(['+', '-']);
                self.text.push('/');
            }
            Part::Glob(character) => {
                self.found.may_run |= is_split;
                self.text.push(*character);
            }
            Part::Output { text, .. } => self.output(text),
            Part::Parameter(parameter) => self.parameter(parameter),
            Part::Array(words) => {
                for word in words {
                    self.absorb(Content::word(word, true));
                    self.text.push(' ');
                }
            }
            Part::Dynamic => {
                self.found.may_run = true;
                self.hole(ANY);
            }
        }
    }

    fn variable(&mut self, name: &str) {
        match name {
            "#" | "?" | "$" | "!" => self.text.push(NUMBER),
            "-" => self.hole(ANY),
            "@" | "*" => self.hole(ARGUMENTS),
            digits if digits.starts_with(|c: char| c.is_ascii_digit()) => self.hole(ARGUMENTS),
            name => self.hole(name),
        }
    }

    fn hole(&mut self, name: &str) {
        self.text.push(HOLE);
        self.holes.push(name.to_owned());
    }

    fn output(&mut self, commands: &str) {
        match printed(commands) {
            PrintedText::Number(program) => {
                self.found.programs.insert(program);
                self.text.push(NUMBER);
            }
            PrintedText::PartOf(program, names) => {
                let names: BTreeSet<String> = names.into_iter().map(held).collect();
                self.found.programs.insert(program);
                self.found.joined.extend(names.iter().cloned());
                self.found.names.extend(names);
                self.text.push(NUMBER);
            }
            PrintedText::Unknown => {
                self.found.may_run = true;
                self.hole(ANY);
            }
        }
    }

    fn parameter(&mut self, parameter: &Parameter) {
        let word = Content::word(&parameter.word, false);
        match parameter.operator {
            Operator::Element => self.variable(&parameter.name),
            Operator::Keys => {
                self.found.has_keys = true;
                self.text.push(NUMBER);
            }
            Operator::Default => {
                if !word.is_number {
                    self.words.push(self.text.len());
                }
                self.variable(&parameter.name);
                self.absorb(word);
            }
            Operator::TrimStart | Operator::TrimEnd => {
                self.variable(&parameter.name);
                if let Some(name) = self.holes.last().cloned() {
                    self.found.joined.insert(name);
                }
            }
            Operator::Other => {
                self.variable(&parameter.name);
                self.found.names.insert(ANY.to_owned());
                self.absorb(word);
            }
        }
    }

    fn absorb(&mut self, content: Content) {
        let found = std::mem::take(&mut self.found);
        self.found = found.with(content);
    }

    fn finish(self) -> Content {
        let mut holes = self.holes.into_iter();
        let mut names = BTreeSet::new();
        let mut joined = BTreeSet::new();
        let mut is_number = true;
        let is_beside = |at: &usize| {
            let after = self.text[*at..].chars().nth(1);
            self.text[..*at].chars().next_back().is_some_and(is_name_part) || after.is_some_and(is_name_part)
        };
        if self.words.iter().any(is_beside) {
            names.insert(ANY.to_owned());
        }
        for token in self.text.split(|c| !is_name_part(c)).filter(|token| !token.is_empty()) {
            let own: Vec<String> = token.chars().filter(|c| *c == HOLE).filter_map(|_| holes.next()).collect();
            let letter = token.find(|c: char| c.is_ascii_alphabetic() || c == '_');
            is_number &= letter.is_none();
            let is_literal = own.is_empty() && !token.contains(NUMBER);
            match (letter, is_literal) {
                (Some(0), true) => _ = names.insert(token.to_owned()),
                (Some(0), false) => _ = names.insert(ANY.to_owned()),
                _ if own.len() > 1 || token.chars().count() > 1 => joined.extend(own.iter().cloned()),
                _ => {}
            }
            names.extend(own);
        }
        is_number &= self.text.chars().all(|c| c.is_ascii_digit() || matches!(c, HOLE | NUMBER | '.'));
        if is_number {
            joined.extend(names.iter().cloned());
        }
        let has_substitution = self.text.contains("$(") || self.text.contains('`');
        let own = Content {
            names,
            joined,
            is_number,
            may_run: self.text.contains(['$', '`']),
            holds_substitution: has_substitution,
            ..Content::default()
        };
        self.found.with(own)
    }
}

fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | HOLE | NUMBER)
}
