//! Counts lines without readable content in a report, when three or more are consecutive: the
//! encoded text of a certificate or key, and rows of measurements that are all zero.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::{
    emit::{Emitter, marked},
    signal::reports,
};

/// Minimum number of consecutive lines to count.
const MIN_LINES: usize = 3;
/// Minimum number of lines with text above. Without them the lines are what the user asked for.
const MIN_ABOVE: usize = 4;
/// Minimum length in bytes of an encoded line, except the last.
const ENCODED_BYTES: usize = 48;
/// Minimum number of zeros in a row.
const ZEROS: usize = 2;

#[derive(Default)]
pub(crate) struct Opaque {
    kind: Option<Kind>,
    held: Vec<String>,
    above: usize,
    found: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Encoded,
    Zeros,
}

fn is_encoded(line: &str) -> bool {
    is_hex(line) || is_base64(line)
}

/// Whether a line is like `00:e0:4b:50`, with any separator.
fn is_hex(line: &str) -> bool {
    let bytes = line.trim().trim_end_matches(':').split([':', ' ']);
    bytes.clone().all(|byte| byte.len() == 2 && byte.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

fn is_base64(line: &str) -> bool {
    line.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
        && line.len() <= 80
        && line.bytes().any(|byte| byte.is_ascii_digit())
        && line.bytes().any(|byte| byte.is_ascii_uppercase())
        && line.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether a line is like `12/1 0.000 0.000 0.000 fetch`: several decimal numbers, all zero.
fn is_zero(line: &str) -> bool {
    let is_number = |word: &str| {
        let word = word.trim_end_matches('%');
        word.contains('.') && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    let mut numbers = line.split_ascii_whitespace().filter(|word| is_number(word)).peekable();
    numbers.peek().is_some()
        && numbers.try_fold(0, |count, word| word.bytes().all(|byte| b"0.%".contains(&byte)).then_some(count + 1))
            >= Some(ZEROS)
}

impl Opaque {
    fn end(&mut self, out: &mut Emitter<'_>) {
        self.kind = None;
        if self.held.len() < MIN_LINES {
            return self.held.drain(..).for_each(|line| out.keep(&line));
        }
        self.found = true;
        self.held.drain(..).for_each(|line| out.omit(&line));
    }

    fn kind(&self, line: &str) -> Option<Kind> {
        if self.above < MIN_ABOVE || line.len() > 400 || marked(line).is_some() {
            return None;
        }
        let is_end = self.kind == Some(Kind::Encoded) && !line.is_empty();
        if (line.len() >= ENCODED_BYTES || is_end) && is_encoded(line) {
            return Some(Kind::Encoded);
        }
        // A cheap check, since most lines have no such number.
        (line.contains("0.0") && is_zero(line) && !reports(line)).then_some(Kind::Zeros)
    }
}

impl Reducer for Opaque {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let kind = self.kind(line);
        if kind != self.kind {
            self.end(out);
            self.kind = kind;
        }
        if kind.is_none() {
            self.above += usize::from(!line.trim().is_empty());
            return out.keep(line);
        }
        self.held.push(line.to_owned());
        if self.held.len() > MIN_LINES {
            self.found = true;
            self.held.drain(..1).for_each(|line| out.omit(&line));
        }
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
    fn what_cannot_be_read_is_counted() {
        let encoded = "MIIDXTCCAkWgAwIBAgIUWcBErmjj1JVwV9uKnvKVJnAd0hswDQYJKoZIhvcNAQEL\n".repeat(4) + "0Qx=\n";
        let above = "one\ntwo\nthree\nfour\n";
        let filter = |text: &str| FilterPipeline::builtin().filter("./show", Exit::Code(0), text.as_bytes()).text;
        assert_eq!(filter(&format!("{above}{encoded}five\n")), format!("{above}[… 5 lines]\nfive\n"));
        assert!(filter(&encoded).starts_with("MII"));
        let first = "9 0.000 0.210 0.000 a.py:3(f)\n";
        let rows = "9 0.000 0.000 0.000 a.py:3(f)\n".repeat(4);
        assert_eq!(filter(&format!("{above}{first}{rows}")), format!("{above}{first}[… 4 lines]\n"));
    }

    #[test]
    fn rows_of_zeros_are_told() {
        for (line, expected) in [
            ("5/1 0.000 0.000 0.0 x", true),
            ("5/1 0.000 0.010 0.0 0.0 x", false),
            ("0.00 0.000000 0 6 mprotect", true),
            ("0.0% x", false),
            ("0 0 0 0", false),
            ("", false),
        ] {
            assert_eq!(is_zero(line), expected, "{line}");
        }
    }
}
