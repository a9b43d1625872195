//! A sentence or an advice that stood above already, word by word: it is counted. What reports
//! something or names a place stands as often as it is told.

use std::collections::HashSet;

use tools_core::FilterConfidence;

use super::{Reducer, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::{names_place, reports},
};

/// A shorter line, or one of fewer words, may be a value.
const MIN_BYTES: usize = 24;
const MIN_WORDS: usize = 4;
/// A longer one is not remembered, and neither are more of them.
const MAX_BYTES: usize = 1 << 10;
const MAX_SENTENCES: usize = 1000;
/// What an advice begins with.
const ADVICE: &[&str] = &["help: ", "note: ", "hint: ", "Hint: ", "HINT: ", "tip: ", "Tip: ", "Help: ", "Note: "];

#[derive(Default)]
pub(crate) struct Sentences {
    shown: HashSet<String>,
    found: bool,
}

/// The sentence or the advice that a line is.
fn sentence(line: &str) -> Option<&str> {
    let text = line.trim().trim_start_matches(['=', '|', '│', '•', '*', '-', '→']).trim_start();
    if text.len() < MIN_BYTES || text.len() > MAX_BYTES || marked(line).is_some() {
        return None;
    }
    let is_advice = ADVICE.iter().any(|begin| text.starts_with(begin));
    let ends = text.ends_with(['.', '!', '?']) && !text.ends_with("...");
    let words = text.split(' ').filter(|word| word.bytes().filter(u8::is_ascii_alphabetic).count() > 1).count();
    (words >= MIN_WORDS && (is_advice || (ends && text.starts_with(|c: char| c.is_uppercase())))).then_some(text)
}

impl Reducer for Sentences {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some(text) = sentence(line) else { return out.keep(line) };
        if self.shown.contains(text) && !reports(line) && !names_place(line) && !names_running(line) {
            self.found = true;
            return out.omit(line);
        }
        if self.shown.len() < MAX_SENTENCES {
            self.shown.insert(text.to_owned());
        }
        out.keep(line);
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn an_advice_is_told_once() {
        let text = "unused a of the lot\n  help: Consider removing this declaration\nunused b of the lot\n  \
                    help: Consider removing this declaration\nvalue is low\nvalue is low\n";
        assert_eq!(
            FilterPipeline::builtin().filter("./lint", Exit::Code(1), text.as_bytes()).text,
            "unused a of the lot\n  help: Consider removing this declaration\nunused b of the lot\n[… 1 line]\n\
             value is low\nvalue is low\n"
        );
    }
}
