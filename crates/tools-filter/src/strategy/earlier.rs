//! A block of lines that stood further above already, word by word: a trace under another test, a
//! message and again the same message below its class, a failure that a list at the end repeats
//! indented otherwise. It is counted, and its first line is named.

use std::collections::HashMap;

use tools_core::FilterConfidence;

use super::{Reducer, findings::is_file, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::is_change,
};

/// A block of fewer lines with text is shown again.
const MIN_LINES: u64 = 2;
/// A block is counted only where its mark is so much shorter.
const MIN_SAVED_BYTES: usize = 12;
/// Lines and bytes that are remembered.
const MAX_LINES: usize = 4000;
const MAX_BYTES: usize = 256 << 10;
/// A longer line is part of no block.
const MAX_LINE_BYTES: usize = 1 << 10;
/// Lines of the longest block.
const MAX_BLOCK: usize = 200;
/// Places at which one line stood that are tried.
const MAX_PLACES: usize = 8;
/// So much of its first line names a block.
const NAMED_CHARS: usize = 28;

#[derive(Default)]
pub(crate) struct EarlierBlocks {
    /// What was shown but for blank lines, and where each line of it stood, by its words.
    shown: Vec<String>,
    places: HashMap<String, Vec<usize>>,
    bytes: usize,
    /// The lines that may be a block, and where in what was shown it may have begun.
    held: Vec<String>,
    begun: Vec<usize>,
    /// Lines that are held and not blank.
    lines: usize,
    found: bool,
}

/// How many lines with text a line stands for.
fn weight(line: &str) -> u64 {
    let is_empty = line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'=' | b'_' | b'*'));
    marked(line).unwrap_or_else(|| u64::from(!is_empty))
}

/// Whether a line begins with a number, which is a place in the file that was named above:
/// `3:14 error`, `L12 | text`, `line 7: text`.
fn is_row(line: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['L', ':', '*', '•', '>', '|', '@', '-', ' ']);
    text.strip_prefix("line ").unwrap_or(text).starts_with(|c: char| c.is_ascii_digit())
}

fn may_be_part(line: &str) -> bool {
    line.len() < MAX_LINE_BYTES
        && !is_row(line)
        // The same change of another file is another change.
        && !is_change(line)
        // The rows below it are about this file.
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

/// Whether a line is the one that was shown, in a block of which the first line was indented so
/// much less here. Marks are never indented.
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

    /// Whether the block that is held goes on with this line.
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

    /// Ends the block that is held. Lines of one that is not worth a mark may begin another.
    fn end(&mut self, out: &mut Emitter<'_>) {
        let mut block = std::mem::take(&mut self.held);
        // Blank lines at its end part it from what follows.
        let end = block.iter().rposition(|line| !is_blank(line)).map_or(0, |at| at + 1);
        let rest = block.split_off(end);
        // What stands for the block must have stood once, or nobody knows which is meant.
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
            // What was held may have begun another block, with which this line may go on.
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
