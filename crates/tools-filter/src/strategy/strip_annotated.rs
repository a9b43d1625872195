//! `strip_annotated`: drops annotations such as `note:` and `help:`, then shortens the output if it
//! is still long.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, StrategyError, clip::Clip, patterns::Patterns};
use crate::emit::Emitter;

/// Parameters of `strip_annotated`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StripAnnotated {
    /// Beginnings of an annotation, after blanks, `|` and `=`.
    pub prefixes: Vec<String>,
    /// Regular expressions that match annotations.
    pub patterns: Vec<String>,
    /// A line that this regular expression matches is kept in any case.
    pub summary_pattern: Option<String>,
    /// With more lines than this, only beginning and end are kept; 0 for no limit.
    pub long_output_threshold: usize,
    /// Lines kept at the beginning of a long output.
    pub keep_head: usize,
    /// Lines kept at the end of a long output.
    pub keep_tail: usize,
}

impl Default for StripAnnotated {
    fn default() -> Self {
        Self {
            prefixes: vec!["note:".to_owned(), "help:".to_owned()],
            patterns: Vec::new(),
            summary_pattern: None,
            long_output_threshold: 0,
            keep_head: 20,
            keep_tail: 20,
        }
    }
}

pub(crate) struct Compiled {
    prefixes: Vec<String>,
    patterns: Patterns,
    summary: Patterns,
    limit: Option<(usize, usize)>,
}

impl StripAnnotated {
    pub(crate) fn compile(&self) -> Result<Compiled, StrategyError> {
        if self.prefixes.is_empty() && self.patterns.is_empty() {
            return Err(StrategyError::Empty("prefixes"));
        }
        let kept = self.keep_head.saturating_add(self.keep_tail);
        if self.long_output_threshold > 0 && self.long_output_threshold < kept {
            return Err(StrategyError::Threshold {
                limit: "long_output_threshold",
                head: "keep_head",
                tail: "keep_tail",
            });
        }
        let summary: Vec<String> = self.summary_pattern.iter().cloned().collect();
        Ok(Compiled {
            prefixes: self.prefixes.clone(),
            patterns: Patterns::compile(&self.patterns)?,
            summary: Patterns::compile(&summary)?,
            limit: (self.long_output_threshold > 0)
                .then_some((self.keep_head, self.long_output_threshold - self.keep_head)),
        })
    }
}

impl Strategy for Compiled {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine {
            prefixes: self.prefixes.clone(),
            patterns: self.patterns.clone(),
            summary: self.summary.clone(),
            clip: self.limit.map(|(head, tail)| Clip::new(head, tail)),
            found: false,
        })
    }
}

struct Machine {
    prefixes: Vec<String>,
    patterns: Patterns,
    summary: Patterns,
    clip: Option<Clip>,
    found: bool,
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let text = line.trim_start_matches([' ', '\t', '|', '=']);
        let annotated = self.prefixes.iter().any(|prefix| text.starts_with(prefix)) || self.patterns.is_match(line);
        if annotated && !self.summary.is_match(line) {
            self.found = true;
            return out.noise(line);
        }
        match &mut self.clip {
            Some(clip) => clip.line(line, out),
            None => out.keep(line),
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(clip) = &mut self.clip {
            clip.finish(out);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}
