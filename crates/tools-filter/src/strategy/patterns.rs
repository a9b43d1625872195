//! Lists of regular expressions as one automaton: whether any of them matches is one search, however many there are.

use regex::{Regex, RegexBuilder};

use super::StrategyError;
use crate::{
    MAX_PATTERN,
    lines::{Automaton, ascii},
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
#[derive(Debug, Clone, Default)]
pub(crate) struct Patterns(Option<Automaton>);

impl Patterns {
    /// Checks each alone, so that an error names the one at fault, and compiles them together.
    pub(crate) fn compile(list: &[String]) -> Result<Self, StrategyError> {
        list.iter().try_for_each(|text| check(text))?;
        if list.is_empty() {
            return Ok(Self(None));
        }
        let all: Vec<String> = list.iter().map(|text| format!("(?:{text})")).collect();
        // What each says is well-formed: one of them is too large, or names a class that is none.
        let wrong = || list.iter().find(|text| Automaton::new(text, 1 << 20).is_err()).unwrap_or(&list[0]);
        let automaton = Automaton::new(&all.join("|"), 16 << 20);
        automaton.map(|automaton| Self(Some(automaton))).map_err(|_| StrategyError::Pattern(wrong().clone()))
    }

    pub(crate) fn is_match(&self, line: &str) -> bool {
        self.0.as_ref().is_some_and(|automaton| automaton.is_match(line))
    }
}
