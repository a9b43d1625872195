//! Shortens lines that differ in one number only, in any order: the first and the last line stay,
//! and a mark between them lists the numbers of the others. A list of numbered names stays
//! complete.

use std::fmt::Write as _;

use tools_core::FilterConfidence;

use super::{Reducer, findings::is_name, runs::is_row, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::{names_place, reports},
};

/// Minimum number of lines to shorten.
const MIN_LINES: usize = 4;
/// Minimum number of file names to shorten; in a shorter list a search for a name succeeds.
const MIN_NAMES: usize = 20;
/// Maximum number of lines in a series.
const MAX_LINES: usize = 4000;

#[derive(Default)]
pub(crate) struct Series {
    /// Whether every line has a file name, so that [`MIN_NAMES`] applies.
    of_names: bool,
    lines: Vec<String>,
    numbers: Vec<u64>,
    /// The offset of the number in the line, and the length of the text after it.
    around: (usize, usize),
    found: bool,
}

/// The only number in which two lines differ: its offset, the length of the text after it, and both
/// numbers.
fn difference(a: &str, b: &str) -> Option<(usize, usize, u64, u64)> {
    if a == b {
        return None;
    }
    let (x, y) = (a.as_bytes(), b.as_bytes());
    let same = x.iter().zip(y).take_while(|(a, b)| a == b).count();
    let start = x[..same].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    let rest = x.iter().rev().zip(y.iter().rev()).take_while(|(a, b)| a == b).count();
    let rest = rest.min(x.len() - start).min(y.len() - start);
    let tail = &x[x.len() - rest..];
    let rest = rest - tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
    Some((start, rest, number(a, start, rest)?, number(b, start, rest)?))
}

/// The number between two parts of a line; `None` when the text is not a number or has leading
/// zeros.
fn number(line: &str, start: usize, rest: usize) -> Option<u64> {
    let digits = line.get(start..line.len().checked_sub(rest)?)?;
    let is_number = !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && (digits.len() == 1 || !digits.starts_with('0'))).then(|| digits.parse().ok())?
}

/// The numbers as ranges, in the given order: `1-9,12,20-14`.
fn ranges(numbers: &[u64]) -> String {
    let mut text = String::new();
    let mut rest = numbers;
    while let [first, ..] = rest {
        let up = rest.windows(2).take_while(|pair| pair[0] + 1 == pair[1]).count();
        let down = rest.windows(2).take_while(|pair| pair[1] + 1 == pair[0]).count();
        let length = 1 + up.max(down);
        if !text.is_empty() {
            text.push(',');
        }
        _ = match &rest[..length] {
            [_, .., last] => write!(text, "{first}-{last}"),
            _ => write!(text, "{first}"),
        };
        rest = &rest[length..];
    }
    text
}

/// Maximum extra bytes for listing numbers in their original order.
const ORDER: usize = 20;
/// Maximum bytes for a list of numbers that are not in file names. A longer list is replaced by the
/// smallest and the greatest number.
const MAX_LISTED: usize = 400;

/// The text for the numbers of all lines. If their order takes too much room, they are sorted and a
/// note says so. File names are usually in alphabetical order, which needs no note.
fn numbers_of(numbers: &[u64], are_names: bool) -> String {
    let in_order = ranges(numbers);
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let ascending = ranges(&sorted);
    let are_in_letters = are_names && numbers.is_sorted_by_key(u64::to_string);
    if !are_names
        && ascending.len() > MAX_LISTED
        && let (Some(least), Some(greatest)) = (sorted.first(), sorted.last())
    {
        return format!("numbers from {least} to {greatest}");
    }
    if are_in_letters {
        ascending
    } else if in_order.len() <= ascending.len() + ORDER {
        in_order
    } else {
        format!("{ascending}, in another order")
    }
}

/// Whether a line is only a file name, or a list item with one.
fn is_path(line: &str) -> bool {
    let name = line.trim_start_matches(['*', '-', '•', ' ']).trim_end();
    is_name(name) && name.contains(['/', '.'])
}

impl Series {
    /// For a file list: each line has a file name, possibly after other text.
    pub(crate) fn of_names() -> Self {
        Self { of_names: true, ..Self::default() }
    }

    fn goes_on(&self, line: &str) -> Option<u64> {
        let (start, rest) = self.around;
        let first = self.lines.first()?;
        let is_same = line.len() >= start + rest
            && line.as_bytes()[..start] == first.as_bytes()[..start]
            && line.as_bytes()[line.len() - rest..] == first.as_bytes()[first.len() - rest..];
        let number = if is_same { number(line, start, rest) } else { None };
        number.filter(|_| self.lines.len() < MAX_LINES)
    }

    fn end(&mut self, out: &mut Emitter<'_>) {
        let (lines, numbers) = (std::mem::take(&mut self.lines), std::mem::take(&mut self.numbers));
        let are_names = self.of_names || lines.first().is_some_and(|first| is_path(first));
        if let [first, between @ .., last] = lines.as_slice()
            && lines.len() >= if are_names { MIN_NAMES } else { MIN_LINES }
        {
            let told = numbers_of(&numbers[1..numbers.len() - 1], are_names);
            let text = format!("[… {} lines, the same with {told}]", between.len());
            let bytes: usize = between.iter().map(|line| line.len() + 1).sum();
            if text.len() * 4 < bytes * 3 {
                self.found = true;
                out.keep(first);
                for line in between {
                    out.forget(line);
                }
                out.write(&text);
                return out.keep(last);
            }
        }
        for line in &lines {
            out.keep(line);
        }
    }
}

impl Reducer for Series {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let may_join = line.len() < 1000
            && line.bytes().any(|byte| byte.is_ascii_digit())
            && !reports(line)
            && !names_place(line)
            && !names_running(line)
            && (self.of_names || !is_row(line))
            && marked(line).is_none();
        if may_join
            && self.lines.len() > 1
            && let Some(number) = self.goes_on(line)
        {
            self.numbers.push(number);
            return self.lines.push(line.to_owned());
        }
        if may_join
            && self.lines.len() == 1
            && let Some((start, rest, first, number)) = self.lines.first().and_then(|first| difference(first, line))
        {
            self.around = (start, rest);
            self.numbers = vec![first, number];
            return self.lines.push(line.to_owned());
        }
        self.end(out);
        if may_join { self.lines.push(line.to_owned()) } else { out.keep(line) }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exit, FilterPipeline};

    #[test]
    fn few_names_in_a_list_stand() {
        let lines: Vec<String> = (1..10).map(|n| format!("drwxr-xr-x 2 root root 4096 Nov 23 22:31 part{n}")).collect();
        let text = lines.join("\n");
        let filtered = FilterPipeline::builtin().filter("ls -lR", Exit::Code(0), text.as_bytes()).text;
        assert!((1..10).all(|n| filtered.contains(&format!("part{n}"))), "{filtered}");
    }

    #[test]
    fn the_number_that_differs_is_found() {
        let table = [
            ("f_1.ts", "f_10.ts", Some((2, 3, 1, 10))),
            ("f1/a2", "f1/a3", Some((4, 0, 2, 3))),
            ("f1/a2", "f2/a3", None),
            ("a 100 b", "a 200 b", Some((2, 2, 100, 200))),
            ("a 01", "a 02", None),
            ("a", "b", None),
            ("é1", "é2", Some((2, 0, 1, 2))),
            ("x", "x", None),
            ("1", "", None),
        ];
        for (a, b, expected) in table {
            assert_eq!(difference(a, b), expected, "{a} / {b}");
        }
    }

    #[test]
    fn the_order_of_numbers_is_told() {
        let lines = |numbers: &[u64]| {
            numbers.iter().flat_map(|n| ["id ".to_owned(), n.to_string(), "\n".to_owned()]).collect::<String>()
        };
        let shown = |numbers: &[u64]| {
            FilterPipeline::builtin().filter("./run.sh", Exit::Code(0), lines(numbers).as_bytes()).text
        };
        let up: Vec<u64> = (1..=40).collect();
        assert_eq!(shown(&up), "id 1\n[… 38 lines, the same with 2-39]\nid 40\n");
        let down: Vec<u64> = [1].into_iter().chain((2..=39).rev()).chain([40]).collect();
        assert_eq!(shown(&down), "id 1\n[… 38 lines, the same with 39-2]\nid 40\n");
        let swapped: Vec<u64> = [3, 1, 2].into_iter().chain(4..=40).collect();
        assert_eq!(shown(&swapped), "id 3\n[… 38 lines, the same with 1-2,4-39]\nid 40\n");
        let mixed: Vec<u64> = (0..40).map(|n| n * 17 % 40).collect();
        assert_eq!(shown(&mixed), "id 0\n[… 38 lines, the same with 1-22,24-39, in another order]\nid 23\n");
    }

    #[test]
    fn runs_of_numbers_go_up_and_down() {
        for (numbers, expected) in
            [(vec![3, 1, 2, 7, 9, 10], "3,1-2,7,9-10"), (vec![5, 4, 3, 8], "5-3,8"), (vec![], ""), (vec![1], "1")]
        {
            assert_eq!(ranges(&numbers), expected);
        }
        assert_eq!(numbers_of(&[1, 10, 11, 12, 2, 3], true), "1-3,10-12");
        let apart: Vec<u64> = (0..500).map(|n| n * 3).collect();
        assert_eq!(numbers_of(&apart, false), "numbers from 0 to 1497");
        assert!(numbers_of(&apart, true).ends_with(",1494,1497"));
    }
}
