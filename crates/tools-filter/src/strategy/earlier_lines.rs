//! Counts a line that is identical to one further above, whatever is between them. A short line,
//! which may be a value, is counted from its third occurrence. These lines always stay: failures,
//! places, diff lines, the heading of an indented block, the last line (it may be the verdict) and
//! rows of findings, which belong to the file above them.

use std::collections::HashMap;

use tools_core::FilterConfidence;

use super::{Reducer, findings::is_row_below_file, unfinished::names_running};
use crate::{
    emit::Emitter,
    signal::{names_place, reports_failure},
};

/// Minimum length in bytes and number of words; less is a value or a name.
const MIN_BYTES: usize = 16;
const MIN_WORDS: usize = 2;
/// Minimum length in bytes of a line that is counted from its second occurrence.
const LONG: usize = 36;
/// Maximum length in bytes of a remembered line, and maximum number of them.
const MAX_BYTES: usize = 1 << 10;
const MAX_LINES: usize = 1000;

#[derive(Default)]
pub(crate) struct EarlierLines {
    /// How often each line occurred.
    told: HashMap<String, u32>,
    /// The previous line, a repetition. It is counted unless it is a heading or the last line.
    held: Option<String>,
    found: bool,
}

/// The text of a line if its repetitions may be counted.
fn saying(line: &str) -> Option<&str> {
    let text = line.trim();
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    let is_saying = (MIN_BYTES..=MAX_BYTES).contains(&text.len())
        && !line.starts_with(['+', '-', '@'])
        && !text.starts_with("[… ")
        // It belongs to the file above it, which differs.
        && !is_row_below_file(line)
        && !is_joined(text)
        && text.split(' ').filter(is_word).nth(MIN_WORDS - 1).is_some();
    is_saying.then_some(text)
}

/// Whether a line may stand for several, with variants between braces. A mark would count it as
/// one.
fn is_joined(text: &str) -> bool {
    text.split_once('{').and_then(|(_, rest)| rest.split_once('}')).is_some_and(|(inner, _)| inner.contains(", "))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

impl EarlierLines {
    /// Whether this text already occurred often enough; also counts this occurrence.
    fn is_told(&mut self, text: &str) -> bool {
        if let Some(times) = self.told.get_mut(text) {
            *times += 1;
            return *times > 2 || text.len() >= LONG;
        }
        if self.told.len() < MAX_LINES {
            self.told.insert(text.to_owned(), 1);
        }
        false
    }
}

impl Reducer for EarlierLines {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some(held) = self.held.take_if(|_| !line.trim().is_empty()) {
            if indent(line) > indent(&held) {
                out.keep(&held);
            } else {
                self.found = true;
                out.omit(&held);
            }
        }
        match saying(line) {
            Some(text)
                if self.is_told(text) && !reports_failure(line) && !names_place(line) && !names_running(line) =>
            {
                self.held = Some(line.to_owned());
            }
            _ => out.keep(line),
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if let Some(held) = self.held.take() {
            out.keep(&held);
        }
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn what_stood_above_is_counted() {
        let text = "unused a of the lot\n  help: Consider removing this declaration\nunused b of the lot\n  \
                    help: Consider removing this declaration\nvalue is low\nvalue is low\n";
        assert_eq!(
            FilterPipeline::builtin().filter("./lint", Exit::Code(1), text.as_bytes()).text,
            "unused a of the lot\n  help: Consider removing this declaration\nunused b of the lot\n[… 1 line]\n\
             value is low\nvalue is low\n"
        );
    }

    #[test]
    fn the_same_finding_in_another_file_stands() {
        let of_file = |file: &str| {
            format!(
                "{file}:8:21: warning: format expects a matching argument\n\
                 {file}:9:7: warning: suggest parentheses around an assignment\n\
                 {file}:11:1: warning: unused parameter\nmake: *** Error {}\n",
                file.len()
            )
        };
        let text = of_file("src/shop/cart.c") + &of_file("src/shop/basket.c") + &of_file("src/shop/till.c");
        let filtered = FilterPipeline::builtin().filter("make -k", Exit::Code(2), text.as_bytes()).text;
        assert_eq!(filtered.matches("8:21 warning: format expects").count(), 3, "{filtered}");
        assert!(!filtered.contains("[…"), "{filtered}");
    }

    #[test]
    fn what_stands_for_several_lines_is_not_counted_as_one() {
        let part =
            "linked alpha into place\nlinked beta into place\nlinked gamma into place\nlinked delta into place\n";
        let joined = "linked {alpha, beta, gamma, delta} into place\n";
        assert_eq!(
            FilterPipeline::builtin()
                .filter("./run.sh", Exit::Code(0), format!("{part}between\n{part}end\n").as_bytes())
                .text,
            format!("{joined}between\n{joined}end\n")
        );
    }

    #[test]
    fn a_report_a_heading_and_the_last_line_stand() {
        let part = |n| format!("what the check of a part had to say is this\n  error: the part {n} is broken\n");
        let all = "all of it is as it should be, it says\n";
        let text = format!("{}between\n{}{all}between\n{all}", part(1), part(2));
        assert_eq!(FilterPipeline::builtin().filter("./check", Exit::Code(1), text.as_bytes()).text, text);
    }
}
