//! Decides which lines report something that must not be lost: failures, warnings and their places.
//!
//! Checks single lines for words and shapes that tools have in common. Prefers false positives to
//! false negatives; known harmless lines are listed in [`HARMLESS`].

use crate::table::{CANDIDATE, FAILURE, HARMLESS, MEASURED, PLACE, SPOKEN};

/// Whether a line begins with a place in a source file, like a compiler's message.
pub(crate) fn names_place(line: &str) -> bool {
    PLACE.is_match(line)
}

/// Whether a line has a measurement, whose numbers the user wants.
pub(crate) fn has_measurement(line: &str) -> bool {
    MEASURED.is_match(line)
}

/// Whether a line looks like a changed line of a diff. A hyphen and a blank begin a list item, two
/// hyphens an option or a message.
pub(crate) fn is_change(line: &str) -> bool {
    line.starts_with('+')
        || line.strip_prefix('-').is_some_and(|rest| rest.starts_with("  ") || !rest.starts_with([' ', '-']))
}

/// Whether a line with these words may report something, regardless of its numbers.
pub(crate) fn may_report(line: &str) -> bool {
    CANDIDATE.is_either(&SPOKEN, line)
}

/// Whether a line reports something that must be kept.
pub(crate) fn reports(line: &str) -> bool {
    if !may_report(line) || HARMLESS.is_match(line) {
        return false;
    }
    match without_counts_of_nothing(line) {
        None => true,
        Some(rest) => may_report(&rest),
    }
}

const THINGS: &[&str] = &[
    "error",
    "errors",
    "failure",
    "failures",
    "failed",
    "failing",
    "fail",
    "warning",
    "warnings",
    "problem",
    "problems",
    "conflict",
    "conflicts",
    "issue",
    "issues",
    "vulnerability",
    "vulnerabilities",
    "exception",
    "exceptions",
    "killed",
];
/// Words before a count: `errors: 0`.
const COUNTED: &[&str] = &["error", "errors", "failed", "failure", "failures", "warning", "warnings", "fail"];

/// The line without `0 errors`, `no warnings`, `failures: 0`, `exit code 0`; `None` when it has
/// none of these.
fn without_counts_of_nothing(line: &str) -> Option<String> {
    let words = words(line);
    let word = |at: usize| words.get(at).map_or("", |(start, end)| &line[*start..*end]);
    let among = |at: usize, list: &[&str]| list.iter().any(|one| word(at).eq_ignore_ascii_case(one));
    let blank = |at: usize| words.get(at + 1).is_some_and(|next| line[words[at].1..next.0] == *" ");
    let mut rest = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < words.len() {
        let span = if among(at, &["0", "no", "zero"]) && blank(at) && among(at + 1, THINGS) {
            Some((at, at + 1))
        } else if among(at, &["0", "no", "zero"]) && blank(at) && blank(at + 1) && among(at + 2, THINGS) {
            Some((at, at + 2))
        } else {
            let length = if among(at, COUNTED) {
                1
            } else if among(at, &["exit", "exited"]) && among(at + 1, &["code", "status"]) {
                2
            } else if among(at, &["exit", "exited"]) && among(at + 1, &["with"]) {
                if among(at + 2, &["code", "status"]) { 3 } else { 2 }
            } else {
                0
            };
            (length > 0 && is_zero(line, &words, at + length)).then_some((at, at + length))
        };
        match span {
            Some((first, last)) => {
                rest.push_str(&line[copied..words[first].0]);
                copied = words[last].1;
                at = last + 1;
            }
            None => at += 1,
        }
    }
    if copied == 0 {
        return None;
    }
    rest.push_str(&line[copied..]);
    Some(rest)
}

/// Whether the word is `0` and only a separator is between it and the previous word.
fn is_zero(line: &str, words: &[(usize, usize)], at: usize) -> bool {
    let (Some(before), Some((start, end))) = (words.get(at.wrapping_sub(1)), words.get(at)) else { return false };
    let between = line[before.1..*start].trim_start_matches(['"', '\'']).replace(' ', "");
    &line[*start..*end] == "0" && matches!(between.as_str(), "" | ":" | "=")
}

/// The start and end of each word of a line.
fn words(line: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, byte) in line.bytes().chain([b' ']).enumerate() {
        match (byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80, start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                words.push((first, at));
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// The numbers of the lines that report failures, from 0.
pub fn failing_lines(text: &str) -> Vec<usize> {
    let mut found = CANDIDATE.lines_of_either(&SPOKEN, text);
    let mut lines = (0..).zip(text.lines());
    found.retain(|number| lines.find(|(at, _)| at == number).is_some_and(|(_, line)| reports_failure(line)));
    found
}

/// Whether a line reports a failure: an error, a panic, a failed test, a conflict or a wrong place.
pub(crate) fn reports_failure(line: &str) -> bool {
    // A cheap check first, since the code below splits the line into words.
    if !reports(line) {
        return false;
    }
    let rest = without_counts_of_nothing(line);
    let rest = rest.as_deref().unwrap_or(line);
    FAILURE.is_match(rest) || SPOKEN.is_match(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_told_from_work() {
        let table = [
            ("error[E0432]: unresolved import `serde`", true),
            ("  --> src/store.rs:2:5", true),
            ("thread 'a' panicked at src/a.rs:1:2:", true),
            ("assertion `left == right` failed", true),
            ("test a::b ... FAILED", true),
            ("test result: FAILED. 21 passed; 8 failed; 1 ignored", true),
            ("E       ValueError: only 3 of bolt left", true),
            ("CONFLICT (content): Merge conflict in README.md", true),
            ("make: *** [Makefile:3: app] Error 1", true),
            ("gcc: error: no input files", true),
            ("java.io.IOException: No space left on device", true),
            ("Segmentation fault (core dumped)", true),
            ("  × Build failed in 93ms", true),
            ("src/a.ts(3,5): something", true),
            ("process exited with code 78", true),
            ("\"GET /x HTTP/1.1\" 503 -", true),
            ("{\"level\": \"info\", \"path\": \"/v1\", \"status\": 503, \"ms\": 9004}", true),
            ("{\"level\":\"info\",\"statusCode\":\"502\"}", true),
            ("level=info msg=done status_code=500", true),
            ("{\"level\": \"info\", \"status\": 200, \"ms\": 503}", false),
            ("level=info status=204 bytes=5030", false),
            ("Compiling foo: error: bad", true),
            ("x.c:3:1: warning: unused", true),
            ("warning: unused variable: `x`", true),
            ("npm warn deprecated a@1", true),
            ("   Compiling thiserror v1.0.3", false),
            ("test parse::error_is_reported ... ok", false),
            ("tests/test_errors.py::test_failure PASSED    [ 12%]", false),
            ("tests/test_errors.py ....s.                  [ 12%]", false),
            ("  ✓ throws an error (3 ms)", false),
            ("gcc -Wall -Werror -c error.c -o build/error.o", false),
            ("test result: ok. 3 passed; 0 failed; 0 ignored", false),
            ("0 errors, 0 warnings", false),
            ("exit code 0", false),
            ("found 0 vulnerabilities", false),
            ("Failures: 0, Errors: 1", true),
            ("\"errors\": 0", false),
            ("10 errors", true),
            ("no tests failed, but an error", true),
            ("exited with code 0", false),
            ("exit status=0", false),
            ("Has function \"futex\" : NO", true),
            ("Has function \"mmap\" : YES", false),
            ("Everything is fine", false),
            ("", false),
        ];
        for (line, expected) in table {
            assert_eq!(reports(line), expected, "{line}");
        }
    }

    #[test]
    fn failing_lines_are_told_by_their_numbers() {
        let lines =
            ["ok", "", "error: bad", "0 errors, 0 warnings", "warning: unused", "thread 'a' panicked at a.rs:1:2:"];
        for count in 0..60 {
            let text: String = (0..count).flat_map(|at| [lines[at * 7 % (3 + count % 4)], "\n"]).collect();
            let text = text + lines[count % lines.len()];
            let expected = text.lines().enumerate().filter(|(_, line)| reports_failure(line)).map(|(at, _)| at);
            assert_eq!(failing_lines(&text), expected.collect::<Vec<_>>(), "{text:?}");
        }
    }

    #[test]
    fn measurements_are_told_from_numbers() {
        let table = [
            ("BenchmarkPush-8 5000 231.5 ns/op", true),
            ("parse x 1,204 ops/sec ±0.4%", true),
            ("GC(3) Pause Full 90M->41M(128M)", true),
            ("gpu 12 it/s", false),
            ("12K -> build", false),
            ("opened 3 ops/secret", false),
        ];
        for (line, expected) in table {
            assert_eq!(has_measurement(line), expected, "{line}");
        }
    }

    #[test]
    fn changed_lines_are_told_from_lists() {
        let table = [
            ("+import dis", true),
            ("-import dis", true),
            ("-    x = 1", true),
            ("- an item", false),
            ("-- Found zlib", false),
            ("--verbose", false),
            (" same", false),
        ];
        for (line, expected) in table {
            assert_eq!(is_change(line), expected, "{line}");
        }
    }
}
