//! `diagnostics`: keeps compilers' messages; of warnings the source shown again under them is dropped, of errors
//! nothing is.

use std::sync::LazyLock;

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, StrategyError, patterns::Patterns};
use crate::{emit::Emitter, lines::regex};

/// Parameters of `diagnostics`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Diagnostics {
    /// Lines that one of these regular expressions matches are dropped.
    pub noise: Vec<String>,
}

pub(crate) struct Compiled(Patterns);

impl Diagnostics {
    pub(crate) fn compile(&self) -> Result<Compiled, StrategyError> {
        Patterns::compile(&self.noise).map(Compiled)
    }
}

impl Strategy for Compiled {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { noise: self.0.clone(), in_warning: false, found: false })
    }
}

static WARNING: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\S.*[:)] (?:warning|note|remark)(?:\[\w+\])?: |^(?:warning|note): "));
static OTHER: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\berror\b"));
static SNIPPET: LazyLock<Regex> = LazyLock::new(|| regex(r"^ *\d* \| ?|^\s*[~^]+[\s~^]*$"));

struct Machine {
    noise: Patterns,
    in_warning: bool,
    found: bool,
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.in_warning && SNIPPET.is_match(line) {
            self.found = true;
            // The source, not a report: its words are the program's.
            return out.fold(line);
        }
        if self.noise.is_match(line) {
            self.found = true;
            self.in_warning = false;
            return out.noise(line);
        }
        if WARNING.is_match(line) {
            self.in_warning = true;
        } else if OTHER.is_match(line) || !line.starts_with([' ', '\t']) {
            self.in_warning = false;
        }
        out.keep(line);
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}
