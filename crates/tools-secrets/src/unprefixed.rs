//! Removes the prefixes that tools add to each line, so that rules for several lines also work in
//! listings, search results, diffs and logs.
//!
//! A copy is made only around a position that needs it, and only if an adjacent line has the same
//! margin.

use std::ops::Range;

use crate::margin::{file_number, number};

/// Maximum bytes of a block before the position.
const ABOVE: usize = 16 << 10;
/// Maximum bytes of a block after the position.
const BELOW: usize = 256 << 10;
/// Maximum length in bytes of a margin.
const MAX_MARGIN_BYTES: usize = 256;

/// The prefix of the lines of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Margin<'a> {
    /// `    7<TAB>`, `7:`, `7 │ `.
    Number,
    /// `path:7:`, `path-7-`, `path:`.
    File(&'a str, bool),
    /// Commit, author, time and number, as in `git blame`.
    Blame,
    /// A time, followed by the name of the program.
    Time,
    /// `name  | `, `[pod/name] `.
    Source(&'a str),
    /// `> `, `# `, `// `.
    Sign(&'a str),
    /// `+`, `-` or a blank.
    Diff,
}

/// A block of lines without their margin, and the original position of each.
#[derive(Debug)]
pub(crate) struct UnprefixedBlock {
    /// The text of the lines, with line ends.
    pub(crate) text: String,
    /// The start of each line in this text and in the original.
    lines: Vec<(usize, usize)>,
    /// The end of the block in the original.
    pub(crate) end: usize,
}

impl UnprefixedBlock {
    /// The blocks that contain the line at `at` (for a diff, the old and the new side), and the
    /// position up to which no further search is needed. Empty when the line has no margin, or no
    /// adjacent line has the same.
    pub(crate) fn around(text: &str, at: usize) -> (Vec<Self>, usize) {
        let bytes = text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
        let end = line_end(text, start);
        let line = &text[start..end];
        let (mut found, mut done) = (Vec::new(), end);
        // A prefix may be read in several ways; a wrong reading finds nothing.
        for (margin, _) in margins(line) {
            let range = block(text, (start, end), margin);
            if range == (start..end) {
                continue;
            }
            done = done.max(range.end);
            if margin != Margin::Diff {
                found.push(Self::of(text, range, margin, None));
                continue;
            }
            let block = &text[range.clone()];
            let has = |mark: char| block.split_inclusive('\n').any(|line| line.starts_with(mark));
            let sides = ['+', '-'].into_iter().filter(|mark| has(*mark));
            // Lines that are only indented need no copy.
            found.extend(sides.map(|mark| Self::of(text, range.clone(), margin, Some(mark))));
        }
        (found, done)
    }

    fn of(text: &str, range: Range<usize>, margin: Margin<'_>, side: Option<char>) -> Self {
        let mut bare = Self { text: String::with_capacity(range.len()), lines: Vec::new(), end: range.end };
        let mut at = range.start;
        for line in text[range].split_inclusive('\n') {
            let is_other = side.is_some_and(|side| line.starts_with(['+', '-', '\\']) && !line.starts_with(side));
            if !is_other {
                let length = if line.trim_end().is_empty() { 0 } else { length(line, margin).unwrap_or_default() };
                bare.lines.push((bare.text.len(), at + length));
                bare.text.push_str(&line[length..]);
            }
            at += line.len();
        }
        bare
    }

    /// The original ranges of a part of this text: one for each line.
    pub(crate) fn original(&self, part: Range<usize>) -> Vec<Range<usize>> {
        let first = self.lines.partition_point(|(start, _)| *start <= part.start).saturating_sub(1);
        let mut found = Vec::new();
        for (index, (start, there)) in self.lines.iter().enumerate().skip(first) {
            if *start >= part.end {
                break;
            }
            let end = self.lines.get(index + 1).map_or(self.text.len(), |(next, _)| *next).min(part.end);
            let from = part.start.max(*start);
            if from < end {
                found.push(there + (from - start)..there + (end - start));
            }
        }
        found
    }
}

/// The end of the line that begins at `start`.
fn line_end(text: &str, start: usize) -> usize {
    memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |end| start + end + 1)
}

/// The lines around one with the same margin.
fn block(text: &str, (start, end): (usize, usize), margin: Margin<'_>) -> Range<usize> {
    let bytes = text.as_bytes();
    let (mut from, mut to) = (start, end);
    while from > 0 && start - from < ABOVE {
        let above = memchr::memrchr(b'\n', &bytes[..from - 1]).map_or(0, |end| end + 1);
        if !has(&text[above..from], margin) {
            break;
        }
        from = above;
    }
    while to < text.len() && to - end < BELOW {
        let below = line_end(text, to);
        if !has(&text[to..below], margin) {
            break;
        }
        to = below;
    }
    from..to
}

fn has(line: &str, margin: Margin<'_>) -> bool {
    length(line, margin).is_some() || margin == Margin::Diff && line.trim_end().is_empty()
}

/// The possible margins of a line with their lengths; the likeliest first.
fn margins(line: &str) -> impl Iterator<Item = (Margin<'_>, usize)> {
    let near = &line[..line.floor_char_boundary(MAX_MARGIN_BYTES)];
    let blame = blame(near).map(|length| (Margin::Blame, length));
    let time = time(near).map(|length| (Margin::Time, length));
    let number = number(near).map(|length| (Margin::Number, length));
    let file = file(near);
    let source = source(near).map(|(name, length)| (Margin::Source(name), length));
    let sign = ["> ", "# ", "// "].into_iter().find(|sign| near.starts_with(sign));
    let sign = sign.map(|sign| (Margin::Sign(sign), sign.len()));
    let diff = near.starts_with(['+', '-', ' ']).then_some((Margin::Diff, 1));
    blame.into_iter().chain(time).chain(number).chain(file).chain(source).chain(sign).chain(diff)
}

/// The length of this margin in a line; `None` when the line has another.
fn length(line: &str, margin: Margin<'_>) -> Option<usize> {
    let near = &line[..line.floor_char_boundary(MAX_MARGIN_BYTES)];
    match margin {
        Margin::Number => number(near),
        Margin::File(path, true) => Some(path.len() + between(near.strip_prefix(path)?)?),
        Margin::File(path, false) => near.strip_prefix(path)?.starts_with([':', '-']).then_some(path.len() + 1),
        Margin::Blame => blame(near),
        Margin::Time => time(near),
        Margin::Source(name) => source(near).filter(|(found, _)| *found == name).map(|(_, length)| length),
        Margin::Sign(sign) => {
            let is_bare = near.trim_end() == sign.trim_end();
            if is_bare { Some(near.trim_end().len()) } else { near.starts_with(sign).then_some(sign.len()) }
        }
        Margin::Diff => near.starts_with(['+', '-', ' ', '\\']).then_some(1),
    }
}

/// `:7:`, `-7-`, but not a date after a colon.
fn between(text: &str) -> Option<usize> {
    file_number(text).filter(|length| text.as_bytes()[0] == text.as_bytes()[length - 1])
}

/// `path:7:`, `path-7-`, or `path:` if the path looks like one.
fn file(line: &str) -> Option<(Margin<'_>, usize)> {
    let marks = || line.match_indices([':', '-']).map(|(at, _)| at).filter(|at| *at > 0);
    // In `path:2026-01-` the `-01-` is not a line number.
    let numbered = marks().take_while(|at| !line[..*at].contains(':')).find_map(|at| Some((at, between(&line[at..])?)));
    if let Some((at, length)) = numbered {
        return Some((Margin::File(&line[..at], true), at + length));
    }
    let at = line.find(':').filter(|at| *at > 0)?;
    let path = &line[..at];
    let is_path = path.contains(['.', '/']) && !path.contains([' ', '"', '\'', '=', '(']);
    is_path.then_some((Margin::File(path, false), at + 1))
}

/// `1a2b3c4d (Name 2026-01-02 03:04:05 +0000 7) `
fn blame(line: &str) -> Option<usize> {
    let commit = line.trim_start_matches('^');
    let digits = commit.bytes().take_while(u8::is_ascii_hexdigit).count();
    if !(7..=40).contains(&digits) || !commit[digits..].starts_with(' ') {
        return None;
    }
    let open = line.find('(')?;
    let close = open + line[open..].find(')')?;
    let inside = &line[open + 1..close];
    let number = inside.rsplit(' ').next()?;
    let is_blame = inside.contains('-') && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let rest = &line[close + 1..];
    is_blame.then_some(close + 1 + usize::from(rest.starts_with(' ')))
}

/// `2026-01-02T03:04:05.678Z `, also in brackets or after tabs; `Jan 2 03:04:05 host program[1]: `.
fn time(line: &str) -> Option<usize> {
    // `job<TAB>step<TAB>time`
    let lead = line.match_indices('\t').nth(1).map_or(0, |(at, _)| at + 1);
    let from = if is_date(&line.as_bytes()[lead..]) { lead } else { usize::from(line.starts_with('[')) };
    let rest = &line[from..];
    if is_date(rest.as_bytes()) {
        let end =
            rest.char_indices().skip(19).find(|(_, c)| !matches!(c, '0'..='9' | '.' | ',' | 'Z' | '+' | ':' | '-'));
        let end = from + end.map_or(rest.len(), |(at, _)| at);
        let closed = end + usize::from(line[end..].starts_with(']'));
        return line[closed..].starts_with(' ').then_some(closed + 1);
    }
    let bytes = line.as_bytes();
    let is_month = bytes.first_chunk::<4>().is_some_and(|b| b[0].is_ascii_uppercase() && b[3] == b' ');
    let is_clock = bytes.get(9) == Some(&b':') && bytes.get(12) == Some(&b':') && bytes.get(15) == Some(&b' ');
    if !(is_month && is_clock) {
        return None;
    }
    let end = line.find(": ")?;
    Some(end + 2)
}

/// `2026-01-02T03:04:05`, also with a blank in the middle.
fn is_date(bytes: &[u8]) -> bool {
    let Some(bytes) = bytes.first_chunk::<19>() else { return false };
    let is_digit = |at: usize| bytes[at].is_ascii_digit();
    matches!(bytes[4], b'-' | b'/')
        && matches!(bytes[10], b'T' | b' ')
        && bytes[13] == b':'
        && bytes[16] == b':'
        && [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18].into_iter().all(is_digit)
}

/// `web-1  | `, `[pod/web-1/app] `: the source of the line.
fn source(line: &str) -> Option<(&str, usize)> {
    if let Some(rest) = line.strip_prefix('[') {
        let end = rest.find(']').filter(|end| rest[..*end].contains(['/', '-']) && !rest[..*end].contains(' '))?;
        return rest[end + 1..].starts_with(' ').then_some((&rest[..end], end + 3));
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let name = line.bytes().take_while(is_part).count();
    let rest = line[name..].trim_start_matches(' ');
    let rest = rest.strip_prefix('|').filter(|_| name > 0 && line[name..].starts_with(' '))?;
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    Some((&line[..name], line.len() - rest.len()))
}

/// Whether the value of the name that ends at `end` may be on other lines or be affected by the
/// margin: no value follows on the line, or the name is in a table.
pub(crate) fn is_asked_for(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let end = end + bytes[end..].iter().take(64).take_while(|byte| is_part(byte)).count();
    let limit = text.floor_char_boundary((end + MAX_MARGIN_BYTES).min(text.len()));
    let end = end + bytes[end..limit].iter().take_while(|byte| matches!(byte, b'"' | b'\'' | b'\\')).count();
    // A cheap check of the next byte decides for most words.
    if bytes[..limit].get(end).is_some_and(|byte| byte.is_ascii_graphic() && !b",|;:=".contains(byte)) {
        return false;
    }
    let line = memchr::memchr(b'\n', &bytes[end..limit]).map_or(limit, |length| end + length);
    let rest = text[end..line].trim_end();
    match rest.as_bytes().first() {
        None | Some(b',' | b'\t' | b'|') => true,
        Some(b';') => rest.len() > 1,
        Some(b':' | b'=') => {
            let value = rest[1..].trim_start();
            // No value, a block mark, or a value that is complete only on a line of its own.
            value.is_empty() || value.starts_with(['|', '>', '!']) || value.contains([',', ';', '&', '<', '\\'])
        }
        // Two words: `password VALUE`, as in a login file.
        Some(b' ') => {
            let words = rest.trim_start();
            let is_first = start > 0 && matches!(bytes[start - 1], b' ' | b'\t' | b':' | b'+' | b'-' | b'|');
            words.starts_with('|') || is_first && !words.is_empty() && !words.contains(' ')
        }
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each line of a text behind its margin, which may tell its number.
    fn behind(text: &str, margin: &dyn Fn(usize) -> String) -> String {
        text.lines()
            .enumerate()
            .map(|(index, line)| format!("{}{line}\n", margin(index + 1)))
            .collect::<Vec<_>>()
            .concat()
    }

    #[test]
    fn margins_are_taken_off_and_places_are_found_again() {
        let text = "- name: A\n  value: b\n\nlast line\n";
        let shapes: [&dyn Fn(usize) -> String; 10] = [
            &|number| format!("{number:>6}\t"),
            &|number| format!("{number}:"),
            &|number| format!("src/a.yml:{number}:"),
            &|_| "src/a.yml:".to_owned(),
            &|number| format!("1a2b3c4d (Some One 2026-01-02 03:04:05 +0100 {number}) "),
            &|number| format!("2026-01-02T03:04:{:02}.123Z ", number % 60),
            &|number| format!("Jan  2 03:04:{:02} host app[12]: ", number % 60),
            &|_| "web-1  | ".to_owned(),
            &|_| "[pod/web-1/app] ".to_owned(),
            &|_| "+".to_owned(),
        ];
        for shape in shapes {
            let shown = behind(text, shape);
            let at = shown.find("value").expect("it is there");
            let mut found = UnprefixedBlock::around(&shown, at).0.into_iter();
            let is_bare = |bare: &UnprefixedBlock| bare.text.replace(" \n", "\n") == text;
            let bare = found.find(is_bare).unwrap_or_else(|| panic!("no margin: {shown}"));
            let here = bare.text.find("b\n").expect("it is there");
            let there = bare.original(here..here + 1);
            assert_eq!(there.len(), 1);
            assert_eq!(&shown[there[0].clone()], "b", "{shown}");
        }
    }

    #[test]
    fn a_diff_has_two_sides() {
        let diff = " a\n-old 1\n-old 2\n+new 1\n b\n";
        let sides: Vec<String> = UnprefixedBlock::around(diff, 4).0.into_iter().map(|bare| bare.text).collect();
        assert_eq!(sides, ["a\nnew 1\nb\n", "a\nold 1\nold 2\nb\n"]);
    }

    #[test]
    fn lines_without_a_margin_are_left_alone() {
        for text in ["a: b\nc: d\n", "  indented\n  lines\n", "one\n", "12 apples\nare enough\n"] {
            assert!(UnprefixedBlock::around(text, 1).0.is_empty(), "{text}");
        }
    }
}
