//! Joins consecutive rows that differ in a few cells. A heading has the common text, with `{}` for
//! each cell that differs; each row keeps only those cells, after `…`. Nothing is left out. A cell
//! is text between blanks, or a quotation. Short common cells and the key before a value stay in
//! the rows, so that a search for `12 EUR` or `"name": "x"` finds them. Table rows are joined only
//! when their cells are in the same columns, so an empty cell is never closed up; indentation
//! stays. Lines that report something, lines with a place or a running test, diff changes and prose
//! stay as they are.
//!
//! Long lists also share the beginnings of cells, see [`super::long_lists`].

use std::ops::Range;

use tools_core::FilterConfidence;

use super::{Reducer, places::is_place, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::{is_change, names_place, reports},
};

/// Minimum number of rows to join.
const MIN_ROWS: usize = 5;
/// Minimum bytes the rows have in common, and minimum bytes of each stretch moved to the heading.
const MIN_COMMON: usize = 24;
pub(super) const MIN_STRETCH: usize = 10;
/// Maximum length in bytes of a line to join, and maximum total bytes of a group.
pub(super) const MAX_LINE_BYTES: usize = 600;
pub(super) const MAX_HELD_BYTES: usize = 16 << 10;
/// Prefix of a shortened row.
pub(super) const LEFT: &str = "… ";

#[derive(Default)]
pub(crate) struct CommonCells {
    rows: Vec<String>,
    bytes: usize,
    /// What all rows have of each cell.
    common: Vec<Common>,
    found: bool,
}

/// What rows have in common of a cell. The order is that of what they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Common {
    /// The beginning, of this length in bytes.
    Beginning(usize),
    Whole,
}

/// The cells of a line: words, or whole quotations.
pub(super) fn cells(line: &str) -> Vec<&str> {
    placed(line).into_iter().map(|cell| &line[cell]).collect()
}

/// The byte ranges of the cells.
fn placed(line: &str) -> Vec<Range<usize>> {
    let (mut cells, mut start, mut is_quoted) = (Vec::new(), None, false);
    for (at, byte) in line.bytes().enumerate() {
        is_quoted ^= byte == b'"';
        match (byte == b' ' && !is_quoted, start) {
            (false, None) => start = Some(at),
            (true, Some(first)) => {
                cells.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
    cells.extend(start.map(|first| first..line.len()));
    cells
}

/// Whether the cells of two rows are in the same columns, left- or right-aligned, wherever more
/// than one blank separates them.
pub(super) fn same_columns(a: &str, b: &str) -> bool {
    let column = |line: &str, at: usize| line[..at].chars().count();
    let is_same = |(one, other): (Range<usize>, Range<usize>)| {
        let is_parted = a[..one.start].ends_with("  ") || b[..other.start].ends_with("  ");
        !is_parted || column(a, one.start) == column(b, other.start) || column(a, one.end) == column(b, other.end)
    };
    placed(a).into_iter().zip(placed(b)).skip(1).all(is_same)
}

/// A cheap check whether a line may share cells with others.
fn may_be_row(line: &str) -> bool {
    line.len() <= MAX_LINE_BYTES && line.len() > MIN_COMMON
}

/// Whether a line may be joined with others. Called only for lines that share much with another
/// one, which is rare.
pub(super) fn may_join(line: &str) -> bool {
    !line.contains("{}")
        && !is_change(line)
        && marked(line).is_none()
        && !line.trim_start().starts_with("[… ")
        && !reports(line)
        && !names_place(line)
        && !names_running(line)
        && !cells(line).into_iter().any(is_place)
}

fn is_word(cell: &str) -> bool {
    cell.len() > 1 && cell.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Bytes that all rows share.
pub(super) fn weight(cells: &[&str], common: &[Common]) -> usize {
    let bytes = |(cell, common): (&&str, &Common)| match common {
        Common::Whole => cell.len() + 1,
        Common::Beginning(bytes) => *bytes,
    };
    cells.iter().zip(common).map(bytes).sum()
}

impl CommonCells {
    /// What the line shares with the held rows; `None` when it does not belong to them.
    fn common(&self, line: &str) -> Option<Vec<Common>> {
        let (first, cells) = (cells(self.rows.first()?), cells(line));
        if first.len() != cells.len() || self.bytes >= MAX_HELD_BYTES {
            return None;
        }
        let both = |(at, common): (usize, &Common)| {
            if *common == Common::Whole && first[at] == cells[at] { Common::Whole } else { Common::Beginning(0) }
        };
        let common: Vec<Common> = self.common.iter().enumerate().map(both).collect();
        let (before, now) = (weight(&first, &self.common), weight(&first, &common));
        // A row that shares much less starts a new group.
        let is_other = now < MIN_COMMON || (self.rows.len() >= MIN_ROWS && now * 5 < before * 4);
        let are_rows =
            || may_join(line) && (self.rows.len() > 1 || may_join(&self.rows[0])) && same_columns(&self.rows[0], line);
        (!is_other && are_rows()).then_some(common)
    }

    fn hold(&mut self, line: &str) {
        self.bytes += line.len();
        self.rows.push(line.to_owned());
    }

    /// Emits the held rows. If they are too few, the rows after the first may start another group.
    fn end(&mut self, out: &mut Emitter<'_>) {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        if let Some((heading, texts)) = (rows.len() >= MIN_ROWS).then(|| joined(&rows, &self.common)).flatten() {
            self.found = true;
            for row in &rows {
                out.fold(row);
            }
            out.write(&heading);
            return texts.iter().for_each(|text| out.write(text));
        }
        if rows.len() >= MIN_ROWS {
            return rows.iter().for_each(|row| out.keep(row));
        }
        let mut rows = rows.into_iter();
        if let Some(first) = rows.next() {
            out.keep(&first);
        }
        for row in rows {
            self.line(&row, out);
        }
    }
}

/// Whether each cell leaves the rows for the heading; `None` for prose.
pub(super) fn leaves(first: &[&str], common: &[Common]) -> Option<Vec<bool>> {
    let is_whole = |at: usize| common.get(at) == Some(&Common::Whole);
    // The key of a differing value stays with it.
    let is_key = |at: usize| at + 1 < common.len() && !is_whole(at + 1) && first[at].ends_with([':', '=']);
    let mut leaves: Vec<bool> = (0..common.len()).map(|at| is_whole(at) && !is_key(at)).collect();
    let mut at = 0;
    while at < leaves.len() {
        let length = leaves[at..].iter().take_while(|leaves| **leaves).count();
        // Two consecutive words are part of a sentence, which stays whole.
        if first[at..at + length].windows(2).any(|pair| pair.iter().all(|cell| is_word(cell))) {
            return None;
        }
        if weight(&first[at..at + length], &common[at..at + length]) < MIN_STRETCH {
            leaves[at..at + length].fill(false);
        }
        at += length.max(1);
    }
    Some(leaves)
}

/// The heading with the common text and the shortened rows; `None` when that saves too little.
pub(super) fn joined(rows: &[String], common: &[Common]) -> Option<(String, Vec<String>)> {
    let first = cells(rows.first()?);
    let leaves = leaves(&first, common)?;
    // How much of a cell that stays in the rows is in the heading.
    let beginning = |at: usize| match common[at] {
        Common::Beginning(bytes) => bytes,
        Common::Whole => 0,
    };
    let heading: Vec<String> = (0..first.len())
        .map(|at| if leaves[at] { first[at].to_owned() } else { format!("{}{{}}", &first[at][..beginning(at)]) })
        .collect();
    let heading = format!("[… {} lines, each {{}} filled in below: {}]", rows.len(), heading.join(" "));
    // Blanks before cells that end in one column are no indentation.
    let first_cell = |row: &String| placed(row).first().cloned().unwrap_or_default();
    let is_right = rows.iter().all(|row| first_cell(row).end == first_cell(&rows[0]).end)
        && rows.iter().any(|row| first_cell(row).start != first_cell(&rows[0]).start);
    let left = |row: &String| {
        let left = cells(row).into_iter().enumerate().filter(|(at, _)| !leaves[*at]);
        let left: Vec<&str> = left.map(|(at, cell)| &cell[beginning(at)..]).collect();
        let indentation = if is_right { "" } else { &row[..row.len() - row.trim_start_matches(' ').len()] };
        format!("{LEFT}{indentation}{}", left.join(" "))
    };
    let texts: Vec<String> = rows.iter().map(left).collect();
    let size = |rows: &[String]| rows.iter().map(|row| row.len() + 1).sum::<usize>();
    ((heading.len() + 1 + size(&texts)) * 4 < size(rows) * 3).then_some((heading, texts))
}

impl Reducer for CommonCells {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if !may_be_row(line) {
            self.flush(out);
            return out.keep(line);
        }
        while !self.rows.is_empty() {
            if let Some(common) = self.common(line) {
                self.common = common;
                return self.hold(line);
            }
            self.end(out);
        }
        self.common = vec![Common::Whole; cells(line).len()];
        self.hold(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.flush(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

impl CommonCells {
    fn flush(&mut self, out: &mut Emitter<'_>) {
        while !self.rows.is_empty() {
            self.end(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Exit, FilterPipeline};

    fn filtered(text: &str) -> String {
        FilterPipeline::builtin().filter("./run.sh", Exit::Code(0), text.as_bytes()).text
    }

    #[test]
    fn what_all_rows_have_stands_above_them() {
        let names = ["ab", "acyclic", "bc", "cut", "dot", "env"];
        let row = |(at, name): (usize, &&str)| {
            format!("/bin/{name}: ELF 64-bit LSB executable, dynamically linked, for x86-64 1.{at}a8{at}f, stripped")
        };
        let lines: Vec<String> = names.iter().enumerate().map(row).collect();
        assert_eq!(
            filtered(&(lines.join("\n") + "\n")),
            "[… 6 lines, each {} filled in below: {} ELF 64-bit LSB executable, dynamically linked, for x86-64 {} {}]\n\
             … /bin/ab: 1.0a80f, stripped\n… /bin/acyclic: 1.1a81f, stripped\n… /bin/bc: 1.2a82f, stripped\n\
             … /bin/cut: 1.3a83f, stripped\n… /bin/dot: 1.4a84f, stripped\n… /bin/env: 1.5a85f, stripped\n"
        );
    }

    #[test]
    fn prose_and_reports_stand() {
        let kinds = ["method", "class", "module", "function", "package", "nested"];
        let lines: Vec<String> = (0..)
            .zip(kinds)
            .map(|(at, kind)| format!("D10{at} Missing description of the thing in public {kind}"))
            .collect();
        let shown = filtered(&lines.join("\n"));
        assert!(lines.iter().all(|line| shown.contains(line.as_str())), "{shown}");
    }

    #[test]
    fn an_empty_cell_is_not_closed_up_and_nesting_stays() {
        let row = |name: &str, state: &str, owner: &str| {
            format!("{name:<8}standard-replicated  eu-north-1-zone-a  {state:<9}{owner:<9}attached-to-host\n")
        };
        let table = row("va", "", "alice") + &row("vb", "bound", "") + &row("vc", "", "bob") + &row("vd", "bound", "");
        let shown = filtered(&(table.clone() + &table));
        for line in table.lines() {
            assert!(shown.contains(line.split_once("  ").map_or("", |(name, _)| name)), "{shown}");
        }
        assert!(!shown.contains("filled in"), "{shown}");
        let line = |depth: usize, name: &str| {
            format!("{:depth$}{name}: {{image: registry.example/team/base:stable, restart: always}}\n", "")
        };
        let nested = ["a", "b", "c", "d", "e", "f"].into_iter().zip([2, 4, 6, 2, 4, 4]);
        let shown = filtered(&nested.map(|(name, depth)| line(depth, name)).collect::<String>());
        assert!(shown.contains("…     b:") && shown.contains("…       c:") && shown.contains("…   d:"), "{shown}");
    }

    proptest! {
        /// Every cell is in the result, and a failure at any position stands as it was.
        #[test]
        fn no_cell_is_lost(
            rows in prop::collection::vec(("[a-z]{2,9}[0-9]{1,3}", "[A-Z]{2,7}", 0_u32..9999), 3..40),
            at in any::<prop::sample::Index>(),
        ) {
            let failure = "node9 error: volume is read-only and cannot be mounted now";
            let line = |(name, state, size): &(String, String, u32)| {
                format!("{name} class=standard zone=eu-north-1a {state} attached-to-host {size}")
            };
            let mut lines: Vec<String> = rows.iter().map(line).collect();
            lines.insert(at.index(lines.len() + 1), failure.to_owned());
            let shown = filtered(&(lines.join("\n") + "\n"));
            prop_assert!(shown.lines().any(|line| line == failure), "{shown}");
            for (name, state, size) in &rows {
                for cell in [name, state, &size.to_string()] {
                    prop_assert!(shown.contains(cell.as_str()), "{cell}: {shown}");
                }
            }
        }
    }
}
