//! `strip_noise`: drops lines that match a pattern, except lines that report something.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, StrategyError, patterns::Patterns};
use crate::emit::Emitter;

/// Parameters of `strip_noise`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StripNoise {
    /// A line that one of these regular expressions matches is dropped.
    pub patterns: Vec<String>,
}

pub(crate) struct Compiled(Patterns);

impl StripNoise {
    pub(crate) fn compile(&self) -> Result<Compiled, StrategyError> {
        if self.patterns.is_empty() {
            return Err(StrategyError::Empty("patterns"));
        }
        Patterns::compile(&self.patterns).map(Compiled)
    }
}

impl Strategy for Compiled {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { noise: self.0.clone(), found: false })
    }
}

struct Machine {
    noise: Patterns,
    found: bool,
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.noise.is_match(line) {
            self.found = true;
            out.noise(line);
        } else {
            out.keep(line);
        }
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}
