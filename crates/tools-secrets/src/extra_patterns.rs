//! The operator's patterns for credentials of unknown form.

use regex::{Regex, RegexBuilder};
use thiserror::Error;
use tools_core::KeyFault;

use crate::finding::Finding;

/// Maximum number of characters of a pattern.
const MAX_PATTERN_CHARS: usize = 512;
/// Maximum size in bytes of a compiled pattern.
const SIZE: usize = 1 << 20;

/// The operator's patterns.
#[derive(Debug, Clone, Default)]
pub struct ExtraPatterns(Vec<Regex>);

/// Reason why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{problem}")]
pub struct PatternError {
    /// Its index in the list, from 0.
    pub index: usize,
    /// The problem.
    pub problem: String,
}

impl PatternError {
    /// The same as a fault of the section `security`.
    pub fn fault(self) -> KeyFault {
        KeyFault::new(format!("extra_patterns[{}]", self.index), self.problem)
    }
}

impl ExtraPatterns {
    /// Compiles patterns.
    ///
    /// # Errors
    /// The first one that is no regular expression, is too long or matches nothing at all.
    pub fn compile(patterns: &[String]) -> Result<Self, PatternError> {
        let compiled = patterns
            .iter()
            .enumerate()
            .map(|(index, pattern)| compile(pattern).map_err(|problem| PatternError { index, problem }));
        compiled.collect::<Result<_, _>>().map(Self)
    }

    /// Finds matches.
    pub(crate) fn find(&self, text: &str, findings: &mut Vec<Finding>) {
        for regex in &self.0 {
            findings.extend(regex.captures_iter(text).filter_map(|found| {
                let value = found.get(1).or_else(|| found.get(0)).filter(|value| !value.is_empty())?;
                Some(Finding { start: value.start(), end: value.end(), kind: "extra", rule: "extra-pattern" })
            }));
        }
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    let length = pattern.chars().count();
    if length > MAX_PATTERN_CHARS {
        return Err(format!("a pattern of {length} characters; at most {MAX_PATTERN_CHARS} are taken"));
    }
    let regex = RegexBuilder::new(pattern).size_limit(SIZE).dfa_size_limit(SIZE).build();
    let regex = regex.map_err(|error| format!("`{pattern}` is not a valid regular expression: {error}"))?;
    let matches_nothing =
        ["", "a", " a1 ", "-\n-"].iter().any(|probe| regex.find_iter(probe).any(|found| found.is_empty()));
    if matches_nothing {
        return Err(format!("`{pattern}` also matches an empty text"));
    }
    Ok(regex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_checked_when_they_are_loaded() {
        let problem = |pattern: &str| ExtraPatterns::compile(&["ok".to_owned(), pattern.to_owned()]).map(|_| ());
        assert_eq!(problem("acme-[0-9]{8}"), Ok(()));
        for wrong in ["(", "x*", r"\b", "a|", "^", &"x".repeat(513), r"\w{900}{900}"] {
            assert_eq!(problem(wrong).unwrap_err().index, 1, "{wrong}");
        }
    }

    #[test]
    fn the_first_group_is_the_credential() {
        let patterns = ExtraPatterns::compile(&["acme:(\\w+)".to_owned(), "zz\\d+".to_owned()]).unwrap();
        let mut findings = Vec::new();
        patterns.find("acme:abc zz12", &mut findings);
        let places: Vec<_> = findings.iter().map(|found| (found.start, found.end)).collect();
        assert_eq!(places, [(5, 8), (9, 13)]);
    }
}
