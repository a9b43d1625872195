//! The text layer: lines that contain the exact text of a query.

use std::{path::Path, sync::Arc};

use crate::hit::{Hit, Layer};
use crate::parse::Lines;
use crate::query::Query;
use crate::redacted_text::blank_credentials;
use crate::structural::{Search, order};
use crate::words::words;

/// Maximum number of files that one call searches.
const FILES: usize = 4000;
/// Maximum number of lines from one file.
const LINES: usize = 50;

impl Search<'_> {
    /// The lines that contain the text of a query.
    pub(crate) fn lines(&self, query: &Query) -> Vec<Hit> {
        let wanted = query.text.as_bytes();
        let mut hits = Vec::new();
        for path in self.files_of(wanted) {
            if self.sight.is_cancelled() {
                break;
            }
            let Some(fresh) = self.index.fresh(self.sight, &path, self.policy) else { continue };
            let lines = Lines::of(&fresh.text);
            let weight = self.index.state().file_at(&path).map_or(1.0, |file| file.weight);
            if !holds(&fresh.text, wanted) {
                continue;
            }
            let searched = blank_credentials(self.sight, &path, &fresh.text);
            let holding = (0..lines.count()).filter(|line| holds(&searched[lines.range(*line)], wanted));
            for line in holding.take(LINES).filter_map(|line| u32::try_from(line).ok()) {
                hits.push(Hit::of_line(Layer::Text, &path, fresh.hash, line, weight));
            }
        }
        hits.sort_by(order);
        hits
    }

    /// The files that may contain a text: those with a name that contains its longest word.
    fn files_of(&self, wanted: &[u8]) -> Vec<Arc<Path>> {
        let longest = words(wanted).max_by_key(|word| word.text.len()).map_or(&[][..], |word| word.text);
        let state = self.index.state();
        let numbers = state.vocabulary.holding(longest);
        let mut files: Vec<Arc<Path>> = numbers
            .filter_map(|number| state.file(number))
            .filter(|file| self.wanted.holds(&file.path, file.form))
            .map(|file| Arc::clone(&file.path))
            .collect();
        files.sort_unstable();
        files.dedup();
        files.truncate(FILES);
        files
    }
}

fn holds(line: &[u8], wanted: &[u8]) -> bool {
    line.windows(wanted.len().max(1)).any(|part| part == wanted)
}
