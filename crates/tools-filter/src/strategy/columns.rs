//! `columns`: shortens the blanks between table columns to two; nothing else changes.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy};
use crate::emit::Emitter;

/// Parameters of `columns`: none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Columns {}

impl Strategy for Columns {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { found: false })
    }
}

struct Machine {
    found: bool,
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let text = line.trim_start();
        if !text.contains("   ") {
            return out.keep(line);
        }
        self.found = true;
        let mut narrow = line[..line.len() - text.len()].to_owned();
        for column in text.split("   ").map(|column| column.trim_start_matches(' ')).filter(|column| !column.is_empty())
        {
            if !narrow.trim_start().is_empty() {
                narrow.push_str("  ");
            }
            narrow.push_str(column.trim_end_matches(' '));
        }
        out.fold(line);
        out.write(&narrow);
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}
