//! Replaces a block of lines that was already shown further above with a mark that counts it and
//! quotes its first line. Examples: a trace under another test, a message repeated below its class,
//! a failure repeated with other indentation in the final list.

use std::collections::HashMap;

use tools_core::FilterConfidence;

use super::{Reducer, findings::is_file, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::is_change,
};

/// Minimum number of lines with text in a block.
const MIN_LINES: u64 = 2;
/// Minimum bytes saved by the mark.
const MIN_SAVED_BYTES: usize = 12;
/// Maximum number of lines and bytes that are remembered.
const MAX_LINES: usize = 4000;
const MAX_BYTES: usize = 256 << 10;
/// Maximum length in bytes of a line in a block.
const MAX_LINE_BYTES: usize = 1 << 10;
/// Maximum number of lines in a block.
const MAX_BLOCK: usize = 200;
/// Maximum number of earlier positions of a line that are tried.
const MAX_PLACES: usize = 8;
/// Number of characters of the first line that the mark quotes.
const NAMED_CHARS: usize = 28;

#[derive(Default)]
pub(crate) struct EarlierBlocks {
    /// The lines shown so far without blank ones, and the positions of each line by its text.
    shown: Vec<String>,
    places: HashMap<String, Vec<usize>>,
    bytes: usize,
    /// The lines that may be a repeated block, and the earlier positions where it may begin.
    held: Vec<String>,
    begun: Vec<usize>,
    /// Number of held lines that are not blank.
    lines: usize,
    found: bool,
}

/// How many lines with text a line stands for.
fn weight(line: &str) -> u64 {
    let is_empty = line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'=' | b'_' | b'*'));
    marked(line).unwrap_or_else(|| u64::from(!is_empty))
}

/// Whether a line begins with a line number in the file named above: `3:14 error`, `L12 | text`,
/// `line 7: text`.
fn is_row(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['L', ':', '*', '•', '>', '|', '@', '-', ' ']);
    text.strip_prefix("line ").unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
}

fn may_be_part(line: &str) -> bool {
    line.len() < MAX_LINE_BYTES
        && !is_row(line)
        // The same change in another file is a different change.
        && !is_change(line)
        // The rows below belong to this file.
        && !is_file(line)
        && (!line.trim_start().starts_with("[…") || marked(line).is_some())
        && !names_running(line)
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn indent(line: &str) -> isize {
    (line.len() - line.trim_start().len()).cast_signed()
}

/// Whether a line equals the shown one when its block is indented by `less` columns less here.
/// Marks are never indented.
fn is_same(shown: &str, line: &str, less: isize) -> bool {
    shown.trim() == line.trim() && (marked(line).is_some() || indent(shown) - indent(line) == less)
}

fn may_begin(line: &str) -> bool {
    line.trim().len() >= 8 && marked(line).is_none() && weight(line) > 0
}

impl EarlierBlocks {
    fn show(&mut self, line: &str, out: &mut Emitter<'_>) {
        out.keep(line);
        if !is_blank(line) && self.shown.len() < MAX_LINES && self.bytes < MAX_BYTES {
            if may_be_part(line) && may_begin(line) {
                let places = self.places.entry(line.trim().to_owned()).or_default();
                if places.len() < MAX_PLACES {
                    places.push(self.shown.len());
                }
            }
            self.bytes += line.len();
            self.shown.push(line.to_owned());
        }
    }

    fn take(&mut self, line: &str, out: &mut Emitter<'_>) {
        if !may_be_part(line) {
            return self.show(line, out);
        }
        match self.places.get(line.trim()) {
            Some(places) if may_begin(line) => {
                self.begun.clone_from(places);
                self.held.push(line.to_owned());
                self.lines = 1;
            }
            _ => self.show(line, out),
        }
    }

    /// Whether the held block continues with this line.
    fn goes_on(&mut self, line: &str) -> bool {
        if self.held.len() >= MAX_BLOCK || !may_be_part(line) {
            return false;
        }
        if is_blank(line) {
            self.held.push(line.to_owned());
            return true;
        }
        let (shown, at) = (&self.shown, self.lines);
        let first = self.held.first().map_or(0, |first| indent(first));
        let goes_on = |begin: &usize| {
            let less = shown.get(*begin).map_or(0, |shown| indent(shown) - first);
            shown.get(begin + at).is_some_and(|shown| is_same(shown, line, less))
        };
        if !self.begun.iter().any(goes_on) {
            return false;
        }
        self.begun.retain(goes_on);
        self.held.push(line.to_owned());
        self.lines += 1;
        true
    }

    /// Ends the held block. If it is not worth a mark, its lines may start another block.
    fn end(&mut self, out: &mut Emitter<'_>) {
        let mut block = std::mem::take(&mut self.held);
        // Trailing blank lines separate the block from what follows.
        let end = block.iter().rposition(|line| !is_blank(line)).map_or(0, |at| at + 1);
        let rest = block.split_off(end);
        // The quoted line must occur only once above, or the mark would be ambiguous.
        let is_unique = |line: &String| self.places.get(line.trim()).is_some_and(|places| places.len() == 1);
        let named = block.iter().position(is_unique).unwrap_or(block.len());
        let counted = block.split_off(named);
        let lines: u64 = counted.iter().map(|line| weight(line)).sum();
        let bytes: usize = counted.iter().map(|line| line.len() + 1).sum();
        let name: String = counted.first().map_or("", |line| line.trim()).chars().take(NAMED_CHARS).collect();
        let mark = format!("[… {lines} lines, again from `{name}` on]");
        let text = counted.iter().filter(|line| marked(line).is_none() && weight(line) > 0).count();
        if text as u64 >= MIN_LINES && mark.len() + MIN_SAVED_BYTES < bytes {
            self.found = true;
            for line in &block {
                self.show(line, out);
            }
            for line in &counted {
                out.forget(line);
            }
            out.write(&mark);
            for line in &rest {
                out.keep(line);
            }
            return;
        }
        let mut lines = block.into_iter().chain(counted).chain(rest);
        if let Some(first) = lines.next() {
            self.show(&first, out);
        }
        for line in lines {
            self.line(&line, out);
        }
    }
}

impl Reducer for EarlierBlocks {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if !self.held.is_empty() {
            if self.goes_on(line) {
                return;
            }
            self.end(out);
            // The held lines may start another block that this line continues.
            if !self.held.is_empty() {
                return self.line(line, out);
            }
        }
        self.take(line, out);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        while !self.held.is_empty() {
            self.end(out);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    fn filtered(text: &str) -> String {
        FilterPipeline::builtin().filter("./run.sh", Exit::Code(1), text.as_bytes()).text
    }

    #[test]
    fn the_same_change_of_another_file_stands() {
        let of_file = |name: &str| {
            format!(
                "--- a/{name}\n+++ b/{name}\n@@ -1,3 +1,3 @@\n line one of it\n-the old value of alpha\n\
                 -the old value of beta\n+the new value of alpha\n+the new value of beta\n"
            )
        };
        let text = of_file("a.txt") + &of_file("b.txt");
        let filtered = FilterPipeline::builtin().filter("./format.sh", Exit::Code(0), text.as_bytes()).text;
        assert_eq!(filtered.matches("+the new value of beta").count(), 2, "{filtered}");
    }

    #[test]
    fn a_failure_that_a_list_repeats_is_counted() {
        let failure = |indent: &str| {
            ["x applies discount", "  values differ here", "  one is lower than the other", "  at cart.test.mjs"]
                .map(|line| format!("{indent}{line}\n"))
                .concat()
        };
        let text = format!("cart\n{}  done\nfailing tests:\n{}", failure("  "), failure(""));
        assert_eq!(
            filtered(&text),
            format!("cart\n{}  done\nfailing tests:\n[… 4 lines, again from `x applies discount` on]\n", failure("  "))
        );
    }

    #[test]
    fn lines_that_are_indented_against_each_other_are_others() {
        let block =
            "if first_thing_holds:\n    second_thing(of_many)\n    third_thing(of_many)\n    fourth_thing(of_many)\n";
        let other = "if first_thing_holds:\n    second_thing(of_many)\nthird_thing(of_many)\nfourth_thing(of_many)\n";
        let text = format!("{block}between\n{other}");
        assert_eq!(filtered(&text), text);
    }
}
