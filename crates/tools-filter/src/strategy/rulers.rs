//! Lines that are drawn and say nothing. A ruler that stands alone becomes a blank line, beside a
//! title a short one, and so do the dots that lead from a title to what is said of it; the edges of
//! a drawn box and empty lines inside of it go, and so do the blanks that fill a line up.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// What rulers are made of.
const SIGNS: &[char] = &['=', '-', '_', '*', '#', '─', '━', '═', '⎯', '―', '~', '.'];
/// A shorter one is left as it is.
const LONG: usize = 9;
/// What stands for one.
const SHORT: usize = 3;
/// As many dots as lead from a title to what is said of it.
const DOTS: &str = ".........";

#[derive(Default)]
pub(crate) struct Rulers {
    found: bool,
}

/// The length of the ruler that the text begins with, in characters and in bytes.
fn ruler(mut chars: impl Iterator<Item = char>) -> (usize, usize) {
    let Some(first) = chars.next().filter(|first| SIGNS.contains(first)) else { return (0, 0) };
    let count = 1 + chars.take_while(|next| *next == first).count();
    (count, count * first.len_utf8())
}

/// Whether a ruler of these signs may stand beside a title.
fn drawn_beside(sign: Option<char>) -> bool {
    !matches!(sign, Some('~' | '.' | '#'))
}

/// The line with short rulers, nothing for one that is a ruler only; `None` when it has no long one
/// at its beginning or behind a title, or may point into the line above.
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
        // Tildes and dots point, or are a row of tests.
        return (count >= LONG && !matches!(first, Some('~' | '.'))).then(String::new);
    }
    let has_title = |title: &str| title.starts_with(' ') || title.ends_with(' ');
    let is_count = |title: &str| {
        let count = title.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        count.is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/'))
    };
    // `⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/7]⎯` parts what is told one after the other.
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
        // Behind a blank: what follows a word at once may be a part of it.
        let is_masked = title.trim_end().ends_with([':', '=']);
        return (title.ends_with(' ') && !title.trim().is_empty() && !title.starts_with(' ') && !is_masked)
            .then(|| format!("{title}{}", short(last)));
    }
    None
}

/// The line with short dots between a title and what is said of it: `type check.........Failed`.
fn led(line: &str) -> Option<String> {
    let (title, rest) = line.split_once(DOTS)?;
    let said = rest.trim_start_matches('.');
    let is_title = title.ends_with(|c: char| c.is_alphanumeric() || matches!(c, ' ' | ')' | ']'));
    // `test_a.py ......... [100%]` is a row of tests.
    let is_said = said.starts_with(|c: char| c.is_alphanumeric() || matches!(c, ' ' | '(')) && !said.contains('[');
    (is_title && is_said && !said.contains(DOTS) && !title.trim().is_empty() && !said.trim().is_empty())
        .then(|| format!("{title}...{said}"))
}

/// Corners and crossings at which the edge of a box begins and ends.
const LEFT_ENDS: &[char] = &['┌', '├', '└', '╭', '╰', '╔', '╠', '╚', '┏', '┣', '┗', '╟', '╞', '┠', '┡'];
const RIGHT_ENDS: &[char] = &['┐', '┤', '┘', '╮', '╯', '╗', '╣', '╝', '┓', '┫', '┛', '╢', '╡', '┨', '┩'];

/// Whether a line is the edge of a drawn box, or an empty line inside of one.
fn is_edge(line: &str) -> bool {
    let text = line.trim();
    let is_drawn = |c: char| matches!(c, '\u{2500}'..='\u{257F}' | ' ' | '▶' | '◀' | '▲' | '▼');
    if !text.starts_with(|c: char| matches!(c, '\u{2500}'..='\u{257F}')) || !text.chars().all(is_drawn) {
        return false;
    }
    let is_bar = |c: char| matches!(c, '│' | '┃' | '║' | '╷' | '╵');
    let is_empty = text.chars().all(|c| is_bar(c) || c == ' ');
    // A drawing: several corners and crossings.
    let corners = text.chars().filter(|c| LEFT_ENDS.contains(c) || RIGHT_ENDS.contains(c)).count();
    is_empty || corners > 2 || (text.len() > LONG && text.starts_with(LEFT_ENDS) && text.ends_with(RIGHT_ENDS))
}

/// A line inside of a drawn box: its cells without what fills them up, a bar between them; `None`
/// for every other.
fn unfilled(line: &str) -> Option<String> {
    const SIDES: [char; 3] = ['│', '┃', '║'];
    let text = line.trim().strip_prefix(SIDES)?.strip_suffix(SIDES)?;
    if text.len() > 1000 {
        return None;
    }
    let cells: Vec<&str> = text.split(SIDES).collect();
    match cells.as_slice() {
        // What is indented in a box is so still.
        [cell] => Some(cell.strip_prefix(' ').unwrap_or(cell).trim_end().to_owned()),
        cells => {
            Some(cells.iter().map(|cell| cell.trim()).chain([""]).collect::<Vec<_>>().join(" | ").trim().to_owned())
        }
    }
}

/// So many blanks at the end of a line only fill it up.
const FILLING: &str = "  ";

impl Reducer for Rulers {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        // Most lines end in a word.
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
