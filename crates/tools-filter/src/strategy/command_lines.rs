//! Shortens a long compiler or linker command line in a build's output, which may have hundreds of
//! options and files. The beginning and end stay; a note gives the number of bytes between them.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, signal::reports};

/// Minimum length in bytes of a line to shorten.
const LONG: usize = 320;
/// Number of characters shown of the beginning and of the end.
const HEAD_AND_TAIL_CHARS: (usize, usize) = (160, 60);
/// Minimum number of words of a command line. Fewer than one in `OTHERS` may be something else than
/// an option, path or file name.
const WORDS: usize = 10;
const OTHERS: usize = 6;
/// At least one word in this many is an option: file names alone are a list.
const OPTIONS: usize = 6;

#[derive(Default)]
pub(crate) struct CommandLines {
    found: bool,
}

/// A word without quotes and list separators.
fn bare(word: &str) -> &str {
    word.trim_matches(['\'', '"', ',', '[', ']', '\\', '(', ')'])
}

/// Whether a word is an option, a path or a file name, possibly quoted or in a list.
fn is_argument(word: &str) -> bool {
    word.starts_with('-')
        || word.contains('/')
        || [".o", ".c", ".a", ".rlib", ".so"].iter().any(|end| word.ends_with(end))
}

/// The line without its middle; `None` when it is not a long command line.
fn shortened(line: &str) -> Option<String> {
    if line.len() < LONG {
        return None;
    }
    let (mut words, mut options, mut others) = (0, 0, 0);
    for word in line.split_ascii_whitespace().map(bare) {
        words += 1;
        options += usize::from(word.starts_with('-') && word.len() > 1);
        others += usize::from(!is_argument(word));
    }
    if words < WORDS || options * OPTIONS < words || others * OTHERS > words {
        return None;
    }
    // Cut between words.
    let start = line.get(..HEAD_AND_TAIL_CHARS.0).map_or(0, |head| head.rfind(' ').map_or(0, |at| at + 1));
    let tail = line.len() - HEAD_AND_TAIL_CHARS.1;
    let end = line.get(tail..).and_then(|text| text.find(' ')).map_or(line.len(), |at| tail + at);
    let between = line.get(start..end).filter(|between| start > 0 && between.len() > 64 && !reports(between))?;
    Some(format!("{}[… {} bytes]{}", &line[..start], between.len(), &line[end..]))
}

impl Reducer for CommandLines {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        match shortened(line) {
            Some(short) => {
                self.found = true;
                out.fold(line);
                out.write(&short);
            }
            None => out.keep(line),
        }
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Partial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_told_from_a_sentence() {
        let options = " -I/usr/include/part".repeat(40);
        let short = shortened(&format!("  = note: cc{options} -o app main.o"));
        assert!(short.as_ref().is_some_and(|text| {
            text.starts_with("  = note: cc -I/usr/include/part ")
                && text.ends_with(" -o app main.o")
                && text.len() < 260
        }));
        let sentence = "the quick brown fox jumps over the lazy dog and goes on ".repeat(8);
        assert_eq!(shortened(&sentence), None);
        let told = format!("cc{options} undefined-reference-error{options}");
        assert_eq!(shortened(&told), None, "words of failure stay");
        let files = "src/functions/compare.js, ".repeat(40);
        assert_eq!(shortened(&format!("warn (40) {files}")), None, "a list of files is whole");
        assert_eq!(shortened("cc -c a.c"), None);
        // Bytes that are no whole characters at the edges.
        assert!(shortened(&format!("cc {}", "-é/ééééé ".repeat(60))).is_none_or(|text| text.contains("bytes]")));
    }
}
