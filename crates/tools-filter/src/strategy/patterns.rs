//! Lists of regular expressions as one automaton, so that one search tells whether any of them
//! matches.

use regex::{Regex, RegexBuilder};
use tools_automata::ascii;

use super::StrategyError;
use crate::{
    MAX_PATTERN,
    lines::Automaton,
    table::{self, Table},
};

/// Compiles a pattern of a rule that has capture groups.
pub(crate) fn pattern(text: &str) -> Result<Regex, StrategyError> {
    check(text)?;
    RegexBuilder::new(&ascii(text)).size_limit(1 << 20).build().map_err(|_| StrategyError::Pattern(text.to_owned()))
}

/// Checks that a pattern is valid by itself: an extra parenthesis must not affect its neighbour.
fn check(text: &str) -> Result<(), StrategyError> {
    if text.chars().count() > MAX_PATTERN {
        return Err(StrategyError::TooLong);
    }
    let parsed = regex_syntax::ast::parse::Parser::new().parse(text);
    parsed.map(drop).map_err(|_| StrategyError::Pattern(text.to_owned()))
}

/// Any of several patterns.
#[derive(Clone, Default)]
pub(crate) enum Patterns {
    /// The empty list.
    #[default]
    None,
    /// The patterns of a built-in rule.
    Table(&'static Table),
    /// The patterns of a user's rule.
    Automaton(Automaton),
}

impl Patterns {
    /// Checks each pattern alone, so that an error names it, and compiles them together.
    pub(crate) fn compile(list: &[String]) -> Result<Self, StrategyError> {
        if list.is_empty() {
            return Ok(Self::None);
        }
        let joined = list.iter().map(|text| format!("(?:{text})")).collect::<Vec<_>>().join("|");
        if let Some(table) = table::of_list(&joined) {
            return Ok(Self::Table(table));
        }
        list.iter().try_for_each(|text| check(text))?;
        // Each pattern parses, so one is too large or names an unknown class.
        let wrong = || list.iter().find(|text| Automaton::new(text, 1 << 20).is_err()).unwrap_or(&list[0]);
        let automaton = Automaton::new(&joined, 16 << 20);
        automaton.map(Self::Automaton).map_err(|_| StrategyError::Pattern(wrong().clone()))
    }

    pub(crate) fn is_match(&self, line: &str) -> bool {
        match self {
            Self::None => false,
            Self::Table(table) => table.is_match(line),
            Self::Automaton(automaton) => automaton.is_match(line),
        }
    }
}
