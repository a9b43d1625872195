//! Drops package lists that apt prints beside the list of new packages: suggested, recommended, no
//! longer required, and additional packages, which the list of new packages repeats.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// Headings of these lists.
const HEADINGS: &[&str] = &[
    "The following additional packages will be installed:",
    "Suggested packages:",
    "Recommended packages:",
    "The following packages were automatically installed and are no longer required:",
    "The following package was automatically installed and is no longer required:",
];

#[derive(Default)]
pub(crate) struct AptLists {
    is_inside: bool,
    found: bool,
}

impl Reducer for AptLists {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.is_inside && line.starts_with("  ") {
            self.found = true;
            return out.noise(line);
        }
        self.is_inside = HEADINGS.contains(&line);
        out.keep(line);
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}
