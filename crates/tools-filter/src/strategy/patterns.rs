//! Lists of regular expressions as one automaton: whether any of them matches is one search,
//! however many there are.

use regex::{Regex, RegexBuilder};
use tools_automata::ascii;

use super::StrategyError;
use crate::{
    MAX_PATTERN,
    lines::Automaton,
    table::{self, Table},
};

/// Compiles one pattern of a rule of which parts are wanted.
pub(crate) fn pattern(text: &str) -> Result<Regex, StrategyError> {
    check(text)?;
    RegexBuilder::new(&ascii(text)).size_limit(1 << 20).build().map_err(|_| StrategyError::Pattern(text.to_owned()))
}

/// Whether a pattern is one, by itself: a parenthesis too many must not reach into its neighbour.
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
    /// None at all.
    #[default]
    None,
    /// Those of a built-in rule.
    Table(&'static Table),
    /// Those of a rule of the user's.
    Automaton(Automaton),
}

impl Patterns {
    /// Checks each alone, so that an error names the one at fault, and compiles them together.
    pub(crate) fn compile(list: &[String]) -> Result<Self, StrategyError> {
        if list.is_empty() {
            return Ok(Self::None);
        }
        let joined = list.iter().map(|text| format!("(?:{text})")).collect::<Vec<_>>().join("|");
        if let Some(table) = table::of_list(&joined) {
            return Ok(Self::Table(table));
        }
        list.iter().try_for_each(|text| check(text))?;
        // What each says is well-formed: one of them is too large, or names a class that is none.
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
