//! Converts places from a language server to hits: only places that the call may read and that
//! still contain the name.

use std::sync::Arc;

use crate::hit::{Hit, Layer};
use crate::lsp::Place;
use crate::parse::{Lines, one_line};
use crate::structural::Search;
use crate::words::words;

impl Search<'_> {
    /// The places as hits, and the number of dropped ones: outside, denied, or without the name.
    pub(crate) fn hits_at(&self, places: &[Place], name: &str) -> (Vec<Hit>, usize) {
        let mut hits = Vec::new();
        for place in places {
            let is_wanted =
                crate::languages::form_of(&place.path).is_some_and(|form| self.wanted.holds(&place.path, form.name()));
            let fresh = is_wanted.then(|| self.index.fresh(self.sight, &place.path, self.policy)).flatten();
            let Some(fresh) = fresh else { continue };
            let lines = Lines::of(&fresh.text);
            let line = &fresh.text[lines.range(place.line as usize)];
            if words(line).any(|word| word.text == name.as_bytes()) {
                hits.push(Hit {
                    layers: vec![Layer::Lsp],
                    path: Arc::from(place.path.as_path()),
                    hash: fresh.hash,
                    line: place.line,
                    first: place.line,
                    last: place.line,
                    symbol: None,
                    score: 1.0,
                });
            }
        }
        let elsewhere = places.len() - hits.len();
        (hits, elsewhere)
    }

    /// Text of a server about a name, on one line and without credentials.
    pub(crate) fn shown_of(&self, text: &str) -> String {
        let shown = self.sight.hide(std::path::Path::new("hover"), one_line(text).into_bytes());
        String::from_utf8_lossy(&shown).into_owned()
    }
}
