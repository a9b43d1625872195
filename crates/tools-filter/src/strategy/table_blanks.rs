//! The blanks that line up a table become two; a table is told by its rows: several in sequence,
//! each with columns.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// Rows that make a table.
const MIN_ROWS: usize = 4;

#[derive(Default)]
pub(crate) struct TableBlanks {
    held: Vec<String>,
    is_table: bool,
    found: bool,
}

/// Columns of a row, parted by two blanks or more; `None` for every other line.
fn columns(line: &str) -> Option<Vec<&str>> {
    let text = line.trim_end();
    // What is indented may be aligned with what stands above it.
    if text.is_empty() || text.starts_with([' ', '\t']) || text.len() > 1000 {
        return None;
    }
    let columns: Vec<&str> =
        text.split("  ").map(|column| column.trim_matches(' ')).filter(|c| !c.is_empty()).collect();
    (columns.len() > 2).then_some(columns)
}

fn write(line: &str, out: &mut Emitter<'_>) {
    let narrow = columns(line).map(|columns| columns.join("  ")).filter(|narrow| narrow.len() < line.len());
    match narrow {
        Some(narrow) => {
            out.fold(line);
            out.write(&narrow);
        }
        None => out.keep(line),
    }
}

impl TableBlanks {
    fn end(&mut self, out: &mut Emitter<'_>) {
        self.is_table = false;
        self.held.drain(..).for_each(|line| out.keep(&line));
    }
}

impl Reducer for TableBlanks {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if columns(line).is_none() {
            self.end(out);
            return out.keep(line);
        }
        if self.is_table {
            return write(line, out);
        }
        self.held.push(line.to_owned());
        if self.held.len() == MIN_ROWS {
            (self.is_table, self.found) = (true, true);
            self.held.drain(..).for_each(|line| write(&line, out));
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}
