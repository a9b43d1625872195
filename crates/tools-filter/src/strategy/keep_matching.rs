//! `keep_matching`: keeps lines that match and whatever reports something. An output in which
//! nothing matches is left as it is.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, StrategyError, patterns::Patterns};
use crate::emit::Emitter;

/// Parameters of `keep_matching`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepMatching {
    /// A line that one of these regular expressions matches is kept.
    pub patterns: Vec<String>,
}

pub(crate) struct Compiled(Patterns);

impl KeepMatching {
    pub(crate) fn compile(&self) -> Result<Compiled, StrategyError> {
        if self.patterns.is_empty() {
            return Err(StrategyError::Empty("patterns"));
        }
        Patterns::compile(&self.patterns).map(Compiled)
    }
}

impl Strategy for Compiled {
    fn start(&self, facts: &Facts) -> Box<dyn Reducer> {
        let state = State::Waiting { lines: Vec::new(), bytes: 0 };
        // The rule describes a successful run. After a failure nothing is removed.
        let state = if facts.exit.is_failure() { State::Passing } else { state };
        Box::new(Machine { wanted: self.0.clone(), state })
    }
}

/// Bytes without a match after which the rule does not apply to the output.
const PATIENCE: usize = 1 << 20;

enum State {
    Waiting { lines: Vec<String>, bytes: usize },
    Keeping,
    Passing,
}

struct Machine {
    wanted: Patterns,
    state: State,
}

impl Machine {
    fn release(&mut self, next: State, out: &mut Emitter<'_>) {
        if let State::Waiting { lines, .. } = std::mem::replace(&mut self.state, next) {
            for line in lines {
                self.line(&line, out);
            }
        }
    }
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        match &mut self.state {
            State::Passing => out.keep(line),
            State::Keeping if self.wanted.is_match(line) => out.keep(line),
            State::Keeping => out.cut(line),
            State::Waiting { lines, bytes } => {
                lines.push(line.to_owned());
                *bytes += line.len();
                if self.wanted.is_match(line) {
                    self.release(State::Keeping, out);
                } else if *bytes > PATIENCE {
                    self.release(State::Passing, out);
                }
            }
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        match self.state {
            State::Keeping => Some(FilterConfidence::Full),
            State::Passing => None,
            State::Waiting { .. } => {
                self.release(State::Passing, out);
                None
            }
        }
    }
}
