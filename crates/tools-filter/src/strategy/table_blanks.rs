//! Shortens the blanks that align columns to one, or to two where cells contain blanks, and drops
//! trailing blanks. A table is several consecutive rows with the same number of columns, separated
//! by blanks, or by bars below an underlined heading. Cell order stays. A row with an empty cell
//! stays as it is.

use tools_core::FilterConfidence;

use super::{Reducer, margins::blame_prefix, unfinished::names_running};
use crate::emit::{Emitter, marked};

/// Minimum number of rows in a table.
const MIN_ROWS: usize = 3;
/// Maximum length in bytes of a row.
const MAX_ROW_BYTES: usize = 1000;

#[derive(Default)]
pub(crate) struct TableBlanks {
    /// Rows that may be the beginning of a table.
    held: Vec<String>,
    /// The shape of the current table; `None` while there are too few rows.
    shape: Option<Shape>,
    /// The previous line, which may be the heading of a table with bars.
    heading: Option<String>,
    found: bool,
}

/// What the rows of a table have in common.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// The number of columns, separated by two blanks or more.
    Blanks(usize),
    /// The number of bars between cells.
    Bars(usize),
}

/// The columns of a row, separated by two blanks or more; `None` for other lines.
fn columns(line: &str) -> Option<Vec<&str>> {
    let text = line.trim_end();
    if text.is_empty() || text.starts_with('\t') || text.len() > MAX_ROW_BYTES || text.contains(['^', '~']) {
        return None;
    }
    // Text after the margin of a source line keeps its indentation.
    if !text.contains("  ") || names_running(line) || blame_prefix(line).is_some() {
        return None;
    }
    let columns: Vec<&str> =
        text.split("  ").map(|column| column.trim_matches(' ')).filter(|c| !c.is_empty()).collect();
    // Indented text may be aligned with the line above, or marks may point into it.
    let fewest = if text.starts_with(' ') { MIN_LONG_COLUMNS } else { 2 };
    (columns.len() >= fewest && !is_indented(&columns)).then_some(columns)
}

/// Minimum number of columns of an indented row; in a table of at least so many rows, fewer.
const MIN_INDENTED_COLUMNS: usize = 4;
const MIN_LONG_ROWS: usize = 10;
const MIN_LONG_COLUMNS: usize = 3;
/// Maximum indentation that a row keeps.
const INDENT: usize = 2;

/// Whether a row needs many others beside it to be one of a table.
fn may_be_text(row: &str) -> bool {
    row.starts_with(' ') && columns(row).is_none_or(|columns| columns.len() < MIN_INDENTED_COLUMNS)
}

/// Whether the blanks after the first cell are indentation: the cell is the sign of a diff line or
/// a comment, or the number of a source line.
fn is_indented(columns: &[&str]) -> bool {
    columns.first().is_some_and(|first| {
        let has = |of: fn(char) -> bool| first.contains(of);
        !has(char::is_alphanumeric) || (columns.len() == 2 && !has(char::is_alphabetic))
    })
}

/// Whether a line is the underline of a heading with bars: `----+-----`, `|---|:--:|`.
fn is_underline(line: &str) -> bool {
    let text = line.trim();
    text.len() > 4
        && text.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'|' | b':' | b'=' | b' '))
        && text.contains("--")
        && text.contains(['+', '|'])
}

/// The number of bars in a row, or of crossings in an underline.
fn bars(line: &str) -> usize {
    if is_underline(line) {
        return line.trim().matches(['+', '|']).count();
    }
    line.matches('|').count()
}

fn narrow(line: &str, shape: Shape) -> Option<String> {
    let narrow = match shape {
        Shape::Bars(_) if is_underline(line) => {
            let mut text = String::new();
            for sign in line.trim().chars().filter(|sign| *sign != ' ') {
                if !text.ends_with(sign) || sign != '-' {
                    text.push(sign);
                }
            }
            text
        }
        Shape::Bars(_) => {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            cells.join(" | ").trim().to_owned()
        }
        Shape::Blanks(of_table) => {
            let indent = (line.len() - line.trim_start_matches(' ').len()).min(INDENT);
            let columns = columns(line).filter(|columns| columns.len() == of_table)?;
            format!("{:indent$}{}", "", joined(&columns))
        }
    };
    (narrow.len() < line.len()).then_some(narrow)
}

/// The cells of a row, separated by one blank if none but the last contains blanks.
fn joined(cells: &[&str]) -> String {
    let are_words = cells.split_last().is_some_and(|(_, before)| before.iter().all(|cell| !cell.contains(' ')));
    cells.join(if are_words { " " } else { "  " })
}

impl TableBlanks {
    fn write(&mut self, line: &str, shape: Option<Shape>, out: &mut Emitter<'_>) {
        // A line outside a table stays as it is; even its trailing blanks may matter.
        match shape.and_then(|shape| narrow(line, shape)) {
            Some(narrow) => {
                self.found = true;
                out.fold(line);
                out.write(&narrow);
            }
            None => out.keep(line),
        }
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        self.shape = None;
        for line in std::mem::take(&mut self.held) {
            self.write(&line, None, out);
        }
    }

    fn row(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some(columns) = columns(line) else {
            self.end(out);
            return self.write(line, None, out);
        };
        if let Some(shape @ Shape::Blanks(_)) = self.shape {
            return self.write(line, Some(shape), out);
        }
        self.end_bars(out);
        let is_text = may_be_text(line);
        if self.held.first().is_some_and(|first| may_be_text(first) != is_text) {
            self.end(out);
        }
        self.held.push(line.to_owned());
        let least = if is_text { MIN_LONG_ROWS } else { MIN_ROWS };
        if self.held.len() >= least {
            // The heading may have more columns than a row, or two words for one column.
            let count = |line: &String| self::columns(line).map_or(0, |columns| columns.len());
            let counts: Vec<usize> = self.held.iter().map(count).collect();
            let common = counts.iter().copied().max_by_key(|count| counts.iter().filter(|c| *c == count).count());
            let shape = Shape::Blanks(common.unwrap_or(columns.len()));
            for line in std::mem::take(&mut self.held) {
                self.write(&line, Some(shape), out);
            }
            self.shape = Some(shape);
        }
    }

    fn end_bars(&mut self, out: &mut Emitter<'_>) {
        if matches!(self.shape, Some(Shape::Bars(_))) {
            self.end(out);
        }
    }

    fn take(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(shape @ Shape::Bars(count)) = self.shape {
            if bars(line) == count && line.len() < MAX_ROW_BYTES {
                return self.write(line, Some(shape), out);
            }
            self.end(out);
        }
        self.row(line, out);
    }
}

impl Reducer for TableBlanks {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(heading) = self.heading.take() {
            let count = bars(&heading);
            if is_underline(line) && bars(line) == count && line.len() < MAX_ROW_BYTES {
                self.end(out);
                let shape = Shape::Bars(count);
                self.write(&heading, Some(shape), out);
                self.write(line, Some(shape), out);
                self.shape = Some(shape);
                return;
            }
            self.take(&heading, out);
        }
        let is_in_bars = matches!(self.shape, Some(Shape::Bars(_)));
        if !is_in_bars && line.contains('|') && line.len() < MAX_ROW_BYTES && marked(line).is_none() {
            self.heading = Some(line.to_owned());
        } else {
            self.take(line, out);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(heading) = self.heading.take() {
            self.take(&heading, out);
        }
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    fn check(text: &str, expected: &str) {
        let filtered = FilterPipeline::builtin().filter("./report", Exit::Code(0), text.as_bytes()).text;
        assert_eq!(filtered, expected);
    }

    #[test]
    fn cells_stand_one_blank_apart() {
        check(
            "NAME      STATE      AGE\nalpha     ready      3d\nbeta      failing    4d\ngamma     ready      9d\n",
            "NAME STATE AGE\nalpha ready 3d\nbeta failing 4d\ngamma ready 9d\n",
        );
    }

    #[test]
    fn rows_that_are_indented_are_a_table_with_many_columns() {
        check(
            "   ncalls  tottime  percall  place\n      7/1    0.000    0.000  a.py:1(run)\n        1    0.000    0.021  b.py:2(find it)\n       23    0.000    0.021  c.py:3(x)\n",
            "  ncalls tottime percall place\n  7/1 0.000 0.000 a.py:1(run)\n  1 0.000 0.021 b.py:2(find it)\n  23 0.000 0.021 c.py:3(x)\n",
        );
    }

    #[test]
    fn indented_rows_with_few_columns_are_a_table_when_there_are_many() {
        let names = ["ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine"];
        let kinds = ["tall", "white", "red", "old"];
        let row = |(at, name): (usize, &&str)| format!("    bool {name:<16}= {:<16}{}\n", at * at * 7, kinds[at % 4]);
        let rows: Vec<String> = names.iter().enumerate().map(row).collect();
        let narrow = |(at, name): (usize, &&str)| format!("  bool {name}  = {}  {}\n", at * at * 7, kinds[at % 4]);
        check(&rows.concat(), &names.iter().enumerate().map(narrow).collect::<String>());
        check(&rows[..9].concat(), &rows[..9].concat());
    }

    #[test]
    fn a_row_with_an_empty_cell_stands_as_it_came() {
        check(
            "NAME      STATE      AGE\nalpha     ready      3d\nbeta                 4d\ngamma     ready      9d\ndelta     ready      1d\n",
            "NAME STATE AGE\nalpha ready 3d\nbeta                 4d\ngamma ready 9d\ndelta ready 1d\n",
        );
    }

    #[test]
    fn cells_between_bars_are_trimmed_below_an_underlined_heading() {
        check(
            " id |  name   | mail \n----+---------+------\n  1 | user a  | x\n 27 | user bc |\n(2 rows)\n",
            "id | name | mail\n-+-+-\n1 | user a | x\n27 | user bc |\n(2 rows)\n",
        );
        check(
            "| file     | lines |\n|----------|------:|\n| src/a.rs |    12 |\n",
            "| file | lines |\n|-|-:|\n| src/a.rs | 12 |\n",
        );
    }

    #[test]
    fn what_points_into_a_line_above_and_source_stand() {
        for text in [
            "12 | let a =      b;\n   |              ^ here\n13 | let c =      d;\n14 | let e =      f;\n",
            "line one of it          x\n                        ^\n",
            "-    def __init__(self):\n-        self.sku = sku\n+    def __init__(self, sku):\n+        self.sku = sku\n",
            "12    def a():\n13        pass\n14    def b():\n15        return 1\n",
            "#   Failed test 'adds'\n#   at t/a.t line 3.\n#          got: '3'\n#     expected: '4'\n",
            "    indented      a      b\n    indented      c      d\n    indented      e      f\n    indented      g      h\n",
        ] {
            check(text, text);
        }
    }
}
