//! `long_lines`: shortens very long lines (minified code, a JSON document) to the beginning, the
//! end and the text around words of failure.

use std::{fmt::Write as _, sync::LazyLock};

use regex::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy};
use crate::{emit::Emitter, lines::regex};

/// Parameters of `long_lines`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LongLines {
    /// Maximum length in bytes of a line that is left as it is.
    pub max_length: usize,
}

impl Default for LongLines {
    fn default() -> Self {
        Self { max_length: 8000 }
    }
}

impl Strategy for LongLines {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { max_length: self.max_length.max(64), found: false })
    }
}

struct Machine {
    max_length: usize,
    found: bool,
}

static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i-u)error|fail|panic|fatal|exception|denied|refused|exceeded|not found|invalid|abort|conflict|unexpected")
});

/// Maximum number of places with words of failure shown; a note counts the others.
const PLACES: usize = 4;

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if line.len() <= self.max_length {
            return out.keep(line);
        }
        self.found = true;
        out.fold(line);
        out.write(&shortened(line, self.max_length));
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Partial)
    }
}

fn shortened(line: &str, max_length: usize) -> String {
    let around = (max_length / 16).min(120);
    let mut spans = vec![(0, floor(line, max_length / 4)), (ceil(line, line.len() - max_length / 8), line.len())];
    let mut places = WORDS.find_iter(line).map(|found| (found.start(), found.end()));
    for (start, end) in places.by_ref().take(PLACES) {
        spans.push((ceil(line, start.saturating_sub(around)), floor(line, (end + around).min(line.len()))));
    }
    let more = places.count();
    spans.sort_unstable();
    let mut text = String::new();
    let mut at = 0;
    for (start, end) in spans {
        if start > at {
            let _ = write!(text, "[… {} bytes omitted]", start - at);
            at = start;
        }
        if end > at {
            text.push_str(&line[at..end]);
            at = end;
        }
    }
    if more > 0 {
        let _ = write!(text, " [… {more} more places in this line report something]");
    }
    text
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn ceil(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
