//! Lists of regular expressions as one automaton: whether any of them matches is one search, however many there are.

use regex::{Regex, RegexBuilder};

use super::StrategyError;
use crate::{MAX_PATTERN, lines::ascii};

/// Compiles one pattern of a rule.
pub(crate) fn pattern(text: &str) -> Result<Regex, StrategyError> {
    if text.chars().count() > MAX_PATTERN {
        return Err(StrategyError::TooLong);
    }
    RegexBuilder::new(&ascii(text)).size_limit(1 << 20).build().map_err(|_| StrategyError::Pattern(text.to_owned()))
}

/// Any of several patterns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patterns(Option<Regex>);

impl Patterns {
    /// Compiles each alone, so that an error names the one at fault and none can reach into another.
    pub(crate) fn compile(list: &[String]) -> Result<Self, StrategyError> {
        for text in list {
            pattern(text)?;
        }
        if list.is_empty() {
            return Ok(Self(None));
        }
        let all: Vec<String> = list.iter().map(|text| format!("(?:{text})")).collect();
        let all = all.join("|");
        let regex = RegexBuilder::new(&ascii(&all)).size_limit(16 << 20).build();
        regex.map(|regex| Self(Some(regex))).map_err(|_| StrategyError::Pattern(all))
    }

    pub(crate) fn is_match(&self, line: &str) -> bool {
        self.0.as_ref().is_some_and(|regex| regex.is_match(line))
    }
}
