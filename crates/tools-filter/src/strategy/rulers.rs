//! Shortens decoration. A ruler alone becomes a blank line; a ruler beside a title, or leader dots
//! between a title and its value, becomes a short one. Edges and empty lines of drawn boxes go, and
//! so do the blanks that fill up a line.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// Characters that form rulers.
const SIGNS: &[char] = &['=', '-', '_', '*', '#', '─', '━', '═', '⎯', '―', '~', '.'];
/// Minimum length in characters of a ruler to shorten.
const LONG: usize = 9;
/// Length of a shortened ruler.
const SHORT: usize = 3;
/// Minimum leader dots between a title and its value.
const DOTS: &str = ".........";

#[derive(Default)]
pub(crate) struct Rulers {
    found: bool,
}

/// The length of the ruler at the beginning of the text, in characters and in bytes.
fn ruler(mut chars: impl Iterator<Item = char>) -> (usize, usize) {
    let Some(first) = chars.next().filter(|first| SIGNS.contains(first)) else { return (0, 0) };
    let count = 1 + chars.take_while(|next| *next == first).count();
    (count, count * first.len_utf8())
}

/// Whether a ruler of this character may be beside a title.
fn drawn_beside(sign: Option<char>) -> bool {
    !matches!(sign, Some('~' | '.' | '#'))
}

/// The line with short rulers, empty if it is only a ruler. `None` when no long ruler is at its
/// beginning or behind a title, or when it may point into the line above.
fn shortened(line: &str) -> Option<String> {
    let text = line.trim_end();
    if text.len() < LONG || text.len() > 1000 {
        return None;
    }
    let (count, bytes) = ruler(text.chars());
    let (end_count, end_bytes) = ruler(text.chars().rev());
    let is_whole = bytes == text.len();
    let short = |sign: Option<char>| sign.map(|sign| sign.to_string().repeat(SHORT)).unwrap_or_default();
    let (first, last) = (text.chars().next(), text.chars().next_back());
    if is_whole {
        // Tildes and dots may point to something or be a row of test results.
        return (count >= LONG && !matches!(first, Some('~' | '.'))).then(String::new);
    }
    let has_title = |title: &str| title.starts_with(' ') || title.ends_with(' ');
    let is_count = |title: &str| {
        let count = title.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        count.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/'))
    };
    // `⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/7]⎯` separates consecutive reports.
    if count >= LONG
        && drawn_beside(first)
        && text.get(bytes..).is_some_and(|rest| is_count(rest.trim_end_matches(SIGNS)))
    {
        return Some(String::new());
    }
    if count >= LONG && end_count >= LONG && first == last && drawn_beside(first) {
        let title = text.get(bytes..text.len() - end_bytes)?;
        return has_title(title).then(|| format!("{}{title}{}", short(first), short(last)));
    }
    if end_count >= LONG && drawn_beside(last) {
        let title = text.get(..text.len() - end_bytes)?;
        // A blank must precede the ruler: directly after a word it may be part of the word.
        let is_masked = title.trim_end().ends_with([':', '=']);
        return (title.ends_with(' ') && !title.trim().is_empty() && !title.starts_with(' ') && !is_masked)
            .then(|| format!("{title}{}", short(last)));
    }
    None
}

/// The line with short leader dots: `type check.........Failed`.
fn led(line: &str) -> Option<String> {
    let (title, rest) = line.split_once(DOTS)?;
    let said = rest.trim_start_matches('.');
    let is_title = title.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ' ' | ')' | ']'));
    // `test_a.py ......... [100%]` is a row of test results.
    let is_said = said.starts_with(|c: char| c.is_alphanumeric() || matches!(c, ' ' | '(')) && !said.contains('[');
    (is_title && is_said && !said.contains(DOTS) && !title.trim().is_empty() && !said.trim().is_empty())
        .then(|| format!("{title}...{said}"))
}

/// Characters at which the edge of a box begins and ends.
const LEFT_ENDS: &[char] = &['┌', '├', '└', '╭', '╰', '╔', '╠', '╚', '┏', '┣', '┗', '╟', '╞', '┠', '┡'];
const RIGHT_ENDS: &[char] = &['┐', '┤', '┘', '╮', '╯', '╗', '╣', '╝', '┓', '┫', '┛', '╢', '╡', '┨', '┩'];

/// Whether a line is the edge of a drawn box, or an empty line inside one.
fn is_edge(line: &str) -> bool {
    let text = line.trim();
    let is_drawn = |c: char| matches!(c, '\u{2500}'..='\u{257F}' | ' ' | '▶' | '◀' | '▲' | '▼');
    if !text.starts_with(|c: char| matches!(c, '\u{2500}'..='\u{257F}')) || !text.chars().all(is_drawn) {
        return false;
    }
    let is_bar = |c: char| matches!(c, '│' | '┃' | '║' | '╷' | '╵');
    let is_empty = text.chars().all(|c| is_bar(c) || c == ' ');
    // A line with several corners and crossings is a drawing.
    let corners = text.chars().filter(|c| LEFT_ENDS.contains(c) || RIGHT_ENDS.contains(c)).count();
    is_empty || corners > 2 || (text.len() > LONG && text.starts_with(LEFT_ENDS) && text.ends_with(RIGHT_ENDS))
}

/// The cells of a line inside a drawn box, without padding and separated by bars; `None` for any
/// other line.
fn unfilled(line: &str) -> Option<String> {
    const SIDES: [char; 3] = ['│', '┃', '║'];
    let text = line.trim().strip_prefix(SIDES)?.strip_suffix(SIDES)?;
    if text.len() > 1000 {
        return None;
    }
    let cells: Vec<&str> = text.split(SIDES).collect();
    match cells.as_slice() {
        // Indentation inside a box stays.
        [cell] => Some(cell.strip_prefix(' ').unwrap_or(cell).trim_end().to_owned()),
        cells => {
            Some(cells.iter().map(|cell| cell.trim()).chain([""]).collect::<Vec<_>>().join(" | ").trim().to_owned())
        }
    }
}

/// Minimum trailing blanks that count as padding.
const FILLING: &str = "  ";

impl Reducer for Rulers {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        // A cheap check, since most lines end in a word.
        let is_candidate = line.trim_end().ends_with(SIGNS);
        match is_candidate.then(|| shortened(line)).flatten().or_else(|| led(line)) {
            Some(short) => {
                self.found = true;
                out.fold(line);
                if short.is_empty() { out.keep("") } else { out.write(&short) }
            }
            None if is_edge(line) => {
                self.found = true;
                out.fold(line);
            }
            None if unfilled(line).is_some() => {
                self.found = true;
                out.fold(line);
                out.write(&unfilled(line).unwrap_or_default());
            }
            None if line.ends_with(FILLING) && !line.trim().is_empty() => {
                self.found = true;
                out.fold(line);
                out.write(line.trim_end_matches(' '));
            }
            None => out.keep(line),
        }
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulers_are_told_from_marks() {
        let table = [
            ("------------------------------", Some("")),
            ("⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[12/17]⎯", Some("")),
            ("============ FAILURES ============", Some("=== FAILURES ===")),
            ("TASK [step 0] ****************", Some("TASK [step 0] ***")),
            ("⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯ Failed ⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯", Some("⎯⎯⎯ Failed ⎯⎯⎯")),
            ("    -------------------^", None),
            ("            ~~~~~~~~~~~~~~~~", None),
            ("~~~~~~~~~~~~~~~~", None),
            ("....................", None),
            ("        ────────┬───────", None),
            ("x = aaaaaaaaaaaaaa", None),
            ("---", None),
            ("test ..........", None),
            ("+++-============-=========", None),
            ("password: ************", None),
            ("", None),
        ];
        for (line, expected) in table {
            assert_eq!(shortened(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn dots_that_lead_somewhere_become_few() {
        let table = [
            ("type check...............................Failed", Some("type check...Failed")),
            ("go vet..............(no files to check)Skipped", Some("go vet...(no files to check)Skipped")),
            ("1/2 Test #1: adds ............. Passed 0.01 sec", Some("1/2 Test #1: adds ... Passed 0.01 sec")),
            ("...............F.........", None),
            ("tests/test_a.py ............... [100%]", None),
            ("a ........... b ........... c", None),
            ("and so on...", None),
        ];
        for (line, expected) in table {
            assert_eq!(led(line).as_deref(), expected, "{line}");
        }
    }
}
