//! Joins the rows of a long list like [`super::common_cells`], and also by the beginnings of their
//! cells: the folder of a path, the outer part of a dotted name, the zeros before a number
//! (`/usr/lib/{}`). Nothing is left out. A shorter list stays, so that a search for a whole path
//! succeeds.

use tools_core::FilterConfidence;

use super::{
    Reducer,
    common_cells::{
        Common, LEFT, MAX_HELD_BYTES, MAX_LINE_BYTES, cells, joined, leaves, may_join, same_columns, weight,
    },
};
use crate::emit::Emitter;

/// Minimum number of rows to join, and maximum number compared with each other.
const MIN_ROWS: usize = 20;
const MAX_ROWS: usize = 300;
/// Minimum bytes that two consecutive rows have in common, and minimum bytes of a beginning.
const MIN_COMMON: usize = 10;
const MIN_BEGINNING: usize = 8;
/// Approximate length of a heading without the common text.
const HEADING: usize = 48;

#[derive(Default)]
pub(crate) struct LongLists {
    rows: Vec<String>,
    /// What each row but the first has in common with the one above it.
    shared: Vec<Vec<Common>>,
    bytes: usize,
    found: bool,
}

/// The length of the common beginning of two different cells: up to a folder, a part of a dotted
/// name, or the first digit of a number that is not zero. Less than both cells.
fn beginning(a: &str, b: &str) -> usize {
    let shorter = a.len().min(b.len()).saturating_sub(1);
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count().min(shorter);
    let cell = a.as_bytes();
    let zeros = cell[..same].iter().take_while(|byte| **byte == b'0').count();
    let is_end = |at: &usize| match cell[*at - 1] {
        b'/' | b'\\' => true,
        // Not between the numbers of a version.
        b'.' => {
            let part = a[..*at - 1].rfind(['.', '/']).map_or(0, |dot| dot + 1);
            cell[part].is_ascii_alphabetic() && cell[*at].is_ascii_alphabetic()
        }
        _ => false,
    };
    let end = (1..=same).rev().find(is_end).unwrap_or(0).max(zeros);
    if end < MIN_BEGINNING { 0 } else { end }
}

/// What two rows share; `None` when they are not rows of one list.
fn shared(above: &str, line: &str) -> Option<Vec<Common>> {
    let (a, b) = (cells(above), cells(line));
    if a.len() != b.len() {
        return None;
    }
    let both = |(a, b): (&&str, &&str)| if a == b { Common::Whole } else { Common::Beginning(beginning(a, b)) };
    let common: Vec<Common> = a.iter().zip(&b).map(both).collect();
    (weight(&b, &common) >= MIN_COMMON && same_columns(above, line)).then_some(common)
}

/// What a group of rows gains, and where it begins.
#[derive(Clone, Copy, Default)]
struct Best {
    gain: usize,
    /// The first row of the group that ends here; `None` when the last row stays as it is.
    from: Option<usize>,
}

impl LongLists {
    /// The groups that together gain most, for each number of rows from the beginning.
    fn best(&self) -> Vec<Best> {
        let mut best = vec![Best::default(); self.rows.len() + 1];
        for first in 0..self.rows.len() {
            if best[first].gain > best[first + 1].gain {
                best[first + 1] = Best { gain: best[first].gain, from: None };
            }
            let cells = cells(&self.rows[first]);
            let mut common = vec![Common::Whole; cells.len()];
            let mut bytes = self.rows[first].len();
            let mut left = 0;
            for last in first + 1..self.rows.len() {
                let mut is_less = last == first + 1;
                for (common, shared) in common.iter_mut().zip(&self.shared[last - 1]) {
                    is_less |= shared < common;
                    *common = (*common).min(*shared);
                }
                bytes += self.rows[last].len();
                if is_less {
                    if weight(&cells, &common) < MIN_COMMON {
                        break;
                    }
                    left = gain_of_row(&cells, &common);
                }
                let rows = last + 1 - first;
                let gain = (rows * left).saturating_sub(HEADING + self.rows[first].len());
                if rows >= MIN_ROWS && gain * 4 >= bytes && best[first].gain + gain > best[last + 1].gain {
                    best[last + 1] = Best { gain: best[first].gain + gain, from: Some(first) };
                }
            }
        }
        best
    }

    fn flush(&mut self, out: &mut Emitter<'_>) {
        self.bytes = 0;
        let best = if self.rows.len() < MIN_ROWS { Vec::new() } else { self.best() };
        let (mut groups, mut end) = (Vec::new(), best.len().saturating_sub(1));
        while end > 0 {
            if let Some(from) = best[end].from {
                groups.push(from..end);
                end = from;
            } else {
                end -= 1;
            }
        }
        let (rows, shared) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.shared));
        let mut at = 0;
        for group in groups.into_iter().rev() {
            out.keep_all(&rows[at..group.start]);
            at = group.end;
            let common = shared[group.start..group.end - 1]
                .iter()
                .cloned()
                .reduce(|a, b| a.into_iter().zip(b).map(|(a, b)| a.min(b)).collect());
            let rows = &rows[group];
            let are_rows = rows.iter().all(|row| same_columns(&rows[0], row));
            let joined = common.filter(|_| are_rows).and_then(|common| joined(rows, &common));
            let Some((heading, texts)) = joined else {
                out.keep_all(rows);
                continue;
            };
            self.found = true;
            for row in rows {
                out.fold(row);
            }
            out.write(&heading);
            for text in &texts {
                out.write(text);
            }
        }
        out.keep_all(&rows[at..]);
    }
}

/// Bytes that each row loses.
fn gain_of_row(cells: &[&str], common: &[Common]) -> usize {
    let Some(leaves) = leaves(cells, common) else { return 0 };
    let bytes = |at: usize| match common[at] {
        Common::Whole if leaves[at] => cells[at].len() + 1,
        Common::Whole => 0,
        Common::Beginning(bytes) => bytes,
    };
    (0..cells.len()).map(bytes).sum::<usize>().saturating_sub(LEFT.len())
}

impl Reducer for LongLists {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if line.len() <= MIN_COMMON || line.len() > MAX_LINE_BYTES {
            self.flush(out);
            return out.keep(line);
        }
        let above = self.rows.last().filter(|_| self.bytes < MAX_HELD_BYTES && self.rows.len() < MAX_ROWS);
        let shared = above.and_then(|above| shared(above, line));
        match shared.filter(|_| may_join(line) && (self.rows.len() > 1 || may_join(&self.rows[0]))) {
            Some(shared) => self.shared.push(shared),
            None => self.flush(out),
        }
        self.bytes += line.len();
        self.rows.push(line.to_owned());
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.flush(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::beginning;
    use crate::{Exit, FilterPipeline};

    fn filtered(text: &str) -> String {
        FilterPipeline::builtin().filter("./run.sh", Exit::Code(0), text.as_bytes()).text
    }

    #[test]
    fn a_beginning_ends_at_a_part_of_a_name() {
        let table = [
            ("/usr/lib/a/x.so", "/usr/lib/a/y.so", 11),
            ("/usr/lib/a", "/usr/lib/ab", 9),
            ("net.ipv4.conf.all", "net.ipv4.conf.lo", 14),
            ("libcurl4-7.88.1", "libcurl4-7.88.15", 0),
            ("0000000000041880", "0000000000059fc0", 11),
            ("/usr/lib/a/", "/usr/lib/a/b", 9),
            ("abcdefghijkl", "abcdefghijkm", 0),
            ("", "", 0),
        ];
        for (a, b, expected) in table {
            assert_eq!(beginning(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn the_folder_of_many_rows_is_named_once_and_a_report_stands() {
        let names = ["ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "yew"];
        let row =
            |at: usize| format!("{} /srv/data/trees/{}/{}.bin\n", 700 + at * at, names[at / 12 * 5], names[at % 12]);
        let list = |rows: usize| (0..rows).map(row).collect::<String>();
        let shown = filtered(&list(24));
        assert!(
            shown.starts_with("[… 24 lines, each {} filled in below: {} /srv/data/trees/{}]\n… 700 ash/ash.bin\n"),
            "{shown}"
        );
        assert_eq!(filtered(&list(19)), list(19));
        let failed = "error: /srv/data/trees/yew cannot be read\n";
        assert!(filtered(&(list(24) + failed + &list(24))).contains(failed));
    }

    proptest! {
        /// Every row is in the result: its cells begin in the heading and end in the row.
        #[test]
        fn no_row_is_lost(rows in prop::collection::vec(("[1-9][0-9]{0,4}", 0..3_usize, "[a-z]{3,9}"), 1..60)) {
            let folder = |at: &usize| ["/var/lib/app/", "/var/lib/app/cache/", "/opt/other/place/"][*at];
            let text = rows.iter().map(|(size, at, name)| format!("{size} {}{name}.dat\n", folder(at)));
            let shown = filtered(&text.collect::<String>());
            let (mut heading, mut found) = (String::new(), Vec::new());
            for line in shown.lines() {
                if let Some((_, text)) = line.split_once("below: ") {
                    text.trim_end_matches(']').clone_into(&mut heading);
                } else if let Some(cells) = line.strip_prefix("… ") {
                    found.push(cells.split(' ').fold(heading.clone(), |row, cell| row.replacen("{}", cell, 1)));
                } else {
                    found.push(line.to_owned());
                }
            }
            if !shown.contains(['×', ',']) && !shown.contains("[… 1") {
                let expected: Vec<String> =
                    rows.iter().map(|(size, at, name)| format!("{size} {}{name}.dat", folder(at))).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
