//! Compacts a compiler error in rustc's format: message, place, labels, notes and help stay without
//! the frame. The first errors of a run also keep source and suggested code.

use std::sync::LazyLock;

use regex::Regex;

use crate::{lines::regex, table::GUTTER};

/// Whether the source of an error is shown too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Shown,
    Hidden,
}

static CODE: LazyLock<Regex> = LazyLock::new(|| regex(r"^ *(\d+) +([-|+~])(?: (.*))?$"));
/// The toolchain's commit in paths of the standard library.
static COMMIT: LazyLock<Regex> = LazyLock::new(|| regex(r"/rustc/[0-9a-f]{40}/"));

/// The compact lines of the block.
pub(crate) fn compact(block: &[String], source: Source) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // A suggestion shows the code as it is, as it would be, and with marks; the second of these is
    // enough.
    let mut suggests = false;
    // Whether a note continues on the next line.
    let mut goes_on = false;
    // The number of the current source line, and the line number of the last place.
    let (mut source_line, mut place_line) = ("", "");
    for line in block {
        let text = line.trim();
        if let Some(place) = text.strip_prefix("--> ").or_else(|| text.strip_prefix("::: ")) {
            place_line = place.split(':').nth(1).unwrap_or_default();
            let place = if place.contains("/rustc/") { COMMIT.replace(place, "/rustc/…/") } else { place.into() };
            match lines.last_mut().filter(|last| !last.contains(" --> ") && !suggests) {
                Some(last) => last.extend([" --> ", &place]),
                None => lines.push(format!(" --> {place}")),
            }
            goes_on = false;
        } else if let Some(code) = CODE.captures(line) {
            source_line = code.get(1).map_or("", |number| number.as_str());
            let text = code.get(3).map_or("", |text| text.as_str()).trim_start_matches(['/', '|', ' ']).trim_end();
            if source == Source::Shown && !(suggests && &code[2] == "-") && !text.is_empty() {
                lines.push(format!("{} | {text}", &code[1]));
            }
            goes_on = false;
        } else if GUTTER.is_match(line) {
            let label = text.trim_start_matches(['.', '|', ' ', '^', '-', '~', '_', '+', '/']);
            let sign = if line.contains('^') { '^' } else { '-' };
            if suggests || label.is_empty() {
            } else if source == Source::Shown {
                lines.push(format!("{sign} {label}"));
            } else if sign == '-' && source_line != place_line {
                // The place of another label: where a borrow begins, where a value was moved.
                lines.push(format!("{source_line} {sign} {label}"));
            } else if !is_said(label, sign, &lines) {
                lines.push(format!("{sign} {label}"));
            }
            goes_on = false;
        } else if let Some(note) = text.strip_prefix("= ") {
            lines.push(format!("= {note}"));
            goes_on = true;
        } else if text.is_empty() || text == "..." {
        } else {
            suggests = line.starts_with("help: ");
            if goes_on && line.starts_with("      ") {
                lines.push(format!("  {text}"));
            } else {
                lines.push(line.trim_end().to_owned());
                goes_on = !line.starts_with("error") && !line.starts_with("warning");
            }
        }
    }
    lines
}

/// Whether a label under hidden source only repeats the lines above. The label at the error's own
/// place must be contained in them word by word; of any other label, all names must be.
fn is_said(label: &str, sign: char, lines: &[String]) -> bool {
    if sign == '^' {
        let is_word = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric());
        return lines.iter().any(|line| line.match_indices(label).any(|(at, _)| is_word(&line[..at])));
    }
    let is_advice = label.starts_with("help: ") || label.starts_with("note: ");
    let mut names = label.split('`').skip(1).step_by(2);
    !is_advice && names.all(|name| lines.iter().any(|line| line.contains(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, source: Source, expected: &[&str]) {
        let block: Vec<String> = text.lines().map(str::to_owned).collect();
        assert_eq!(compact(&block, source), expected);
    }

    const ERROR: &str = "\
error[E0308]: mismatched types
  --> src/main.rs:11:22
   |
11 |     let count: u32 = s.count(\"bolt\");
   |                ---   ^^^^^^^^^^^^^^^ expected `u32`, found `usize`
   |                |
   |                expected due to this
   |
   = note: expected type `u32`
              found type `usize`
help: you can convert a `usize` to a `u32`
   |
11 -     let count: u32 = s.count(\"bolt\");
11 +     let count: u32 = s.count(\"bolt\").try_into().unwrap();
   |                                      ++++++++++++++++++++
note: method defined here
  --> /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/a.rs:2910:0
";

    #[test]
    fn an_error_keeps_all_that_it_says() {
        check(
            ERROR,
            Source::Shown,
            &[
                "error[E0308]: mismatched types --> src/main.rs:11:22",
                "11 | let count: u32 = s.count(\"bolt\");",
                "^ expected `u32`, found `usize`",
                "- expected due to this",
                "= note: expected type `u32`",
                "  found type `usize`",
                "help: you can convert a `usize` to a `u32`",
                "11 | let count: u32 = s.count(\"bolt\").try_into().unwrap();",
                "note: method defined here --> /rustc/…/library/std/src/a.rs:2910:0",
            ],
        );
    }

    #[test]
    fn a_later_error_goes_without_source() {
        check(
            ERROR,
            Source::Hidden,
            &[
                "error[E0308]: mismatched types --> src/main.rs:11:22",
                "^ expected `u32`, found `usize`",
                "= note: expected type `u32`",
                "  found type `usize`",
                "help: you can convert a `usize` to a `u32`",
                "note: method defined here --> /rustc/…/library/std/src/a.rs:2910:0",
            ],
        );
    }

    #[test]
    fn labels_at_other_lines_say_where_they_are() {
        check(
            "\
error[E0502]: cannot borrow `s` as mutable because it is also borrowed as immutable
  --> src/main.rs:15:5
   |
14 |     let r = &s;
   |             -- immutable borrow occurs here
15 |     s.push('x');
   |     ^^^^^^^^^^^ mutable borrow occurs here
16 |     println!(\"{r}\");
   |                - immutable borrow later used here
",
            Source::Hidden,
            &[
                "error[E0502]: cannot borrow `s` as mutable because it is also borrowed as immutable --> src/main.rs:15:5",
                "14 - immutable borrow occurs here",
                "^ mutable borrow occurs here",
                "16 - immutable borrow later used here",
            ],
        );
    }
}
