//! Converts output to text as a terminal would show it: resolves escape sequences, carriage returns
//! and backspaces, line by line, in bounded memory. Does not look for credentials.

use memchr::{memchr, memchr_iter, memrchr};
use unicode_width::UnicodeWidthChar;

use crate::signal::reports;

/// Maximum length in bytes of a line; a longer one is split, which bounds memory.
const MAX_LINE: usize = 1 << 20;

/// The text as a terminal would show it, with runs of blank lines collapsed.
///
/// If a line was overwritten after a carriage return, the last version stays, and every version
/// that reports a failure. Never panics; bytes that are not UTF-8 become U+FFFD.
pub fn sanitize_output(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut blank = false;
    let mut sanitizer = Sanitizer::default();
    let mut line = |line: &str| {
        let is_blank = line.trim().is_empty();
        if !(is_blank && blank) {
            text.push_str(line);
            text.push('\n');
        }
        blank = is_blank;
    };
    sanitizer.push(bytes, &mut line);
    let ended = sanitizer.finish(&mut line);
    if !ended && text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Splits a stream into lines and resolves what a terminal would. Takes any bytes in any chunks.
#[derive(Debug, Default)]
pub(crate) struct Sanitizer {
    /// The bytes of the unfinished line.
    partial: Vec<u8>,
    /// Whether the last byte ended a line.
    ended: bool,
}

impl Sanitizer {
    pub(crate) fn push(&mut self, mut bytes: &[u8], line: &mut impl FnMut(&str)) {
        if !self.partial.is_empty()
            && let Some(end) = memchr(b'\n', bytes)
        {
            self.partial.extend_from_slice(&bytes[..end]);
            render_pieces(&std::mem::take(&mut self.partial), line);
            bytes = &bytes[end + 1..];
            self.ended = true;
        }
        // Fast path: most output is plain text, whose lines need no further processing.
        if let Some(end) = memrchr(b'\n', bytes).filter(|_| self.partial.is_empty())
            && let Some(text) = plain_lines(&bytes[..end])
        {
            let mut start = 0;
            for end in memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
                line(&text[start..end]);
                start = end + 1;
            }
            bytes = &bytes[end + 1..];
            self.ended = true;
        }
        while let Some(end) = memchr(b'\n', bytes) {
            let (head, rest) = (&bytes[..end], &bytes[end + 1..]);
            if self.partial.is_empty() {
                render_pieces(head, line);
            } else {
                self.partial.extend_from_slice(head);
                render_pieces(&std::mem::take(&mut self.partial), line);
            }
            bytes = rest;
            self.ended = true;
        }
        if bytes.is_empty() {
            return;
        }
        self.ended = false;
        self.partial.extend_from_slice(bytes);
        while self.partial.len() > MAX_LINE {
            let rest = self.partial.split_off(piece_end(&self.partial));
            let piece = std::mem::replace(&mut self.partial, rest);
            render(&piece, line);
        }
    }

    /// Ends the stream; `true` when a line feed ended the last line.
    pub(crate) fn finish(&mut self, line: &mut impl FnMut(&str)) -> bool {
        let mut ended = self.ended;
        if self.partial.is_empty() {
            return ended;
        }
        // A line of only escape sequences, such as a final colour reset, is not a line.
        render_pieces(&std::mem::take(&mut self.partial), &mut |text: &str| {
            if text.is_empty() {
                ended = true;
            } else {
                ended = false;
                line(text);
            }
        });
        ended
    }
}

/// Where to split an overlong line: not inside a character or an invalid sequence.
fn piece_end(bytes: &[u8]) -> usize {
    let end = MAX_LINE.min(bytes.len());
    (end.saturating_sub(3)..=end).rev().find(|at| bytes.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80)).unwrap_or(end)
}

fn render_pieces(mut bytes: &[u8], line: &mut impl FnMut(&str)) {
    while bytes.len() > MAX_LINE {
        let (piece, rest) = bytes.split_at(piece_end(bytes));
        render(piece, line);
        bytes = rest;
    }
    render(bytes, line);
}

fn render(bytes: &[u8], line: &mut impl FnMut(&str)) {
    let mut bytes = bytes;
    while let Some(rest) = bytes.strip_suffix(b"\r") {
        bytes = rest;
    }
    let text = tools_core::utf8_lossy(bytes);
    if is_plain(&text) {
        return line(&text);
    }
    let segments = segments(&text);
    match segments.as_slice() {
        [] => line(""),
        [only] => line(only),
        all if is_old_mac(all) => all.iter().for_each(|segment| line(segment)),
        all => {
            let (last, overwritten) = all.split_last().expect("matched above: there are at least two");
            for segment in overwritten {
                if reports(segment) && segment.trim() != last.trim() {
                    line(segment);
                }
            }
            line(last);
        }
    }
}

/// The text of several lines if it has only printable characters, tabs and line ends.
fn plain_lines(bytes: &[u8]) -> Option<&str> {
    let special = |byte: u8| {
        let control = u8::from(byte < 0x20) & u8::from(byte != b'\t') & u8::from(byte != b'\n');
        control | u8::from(byte == 0x7F) | u8::from(byte == 0xC2)
    };
    let is_plain = |chunk: &[u8]| chunk.iter().fold(0, |found, byte| found | special(*byte)) == 0;
    if bytes.len() > MAX_LINE || !bytes.chunks(256).all(is_plain) {
        return None;
    }
    std::str::from_utf8(bytes).ok()
}

/// Whether the text has only printable characters and tabs.
fn is_plain(text: &str) -> bool {
    // C1 controls begin with 0xC2 in UTF-8. So do harmless characters, which the slow path keeps.
    let special = |byte: u8| {
        let control = u8::from(byte < 0x20) & u8::from(byte != b'\t');
        control | u8::from(byte == 0x7F) | u8::from(byte == 0xC2)
    };
    // No branch for each byte, so that the compiler can vectorise it.
    text.as_bytes().chunks(64).all(|chunk| chunk.iter().fold(0, |found, byte| found | special(*byte)) == 0)
}

/// Whether carriage returns are line ends: many pieces that have nothing in common, unlike the
/// steps of a progress display.
fn is_old_mac(segments: &[String]) -> bool {
    if segments.len() < 3 || segments.iter().any(|segment| segment.contains('%')) {
        return false;
    }
    let head = |segment: &String| segment.trim_start().chars().take(3).collect::<String>();
    let alike = segments.windows(2).filter(|pair| head(&pair[0]) == head(&pair[1])).count();
    alike * 3 < segments.len()
}

/// The versions of an overwritten line, oldest first, without blank ones.
fn segments(text: &str) -> Vec<String> {
    let mut rows = Vec::new();
    let mut row = Row::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => rows.push(std::mem::take(&mut row)),
            '\u{8}' => row.left(1),
            '\u{1b}' => match escape(&mut chars) {
                Effect::None => {}
                Effect::Restart => rows.push(std::mem::take(&mut row)),
                Effect::Column(column) => row.at = column,
                Effect::Left(count) => row.left(count),
                Effect::Right(count) => row.at = (row.at + count).min(row.cells.len() + 512),
                Effect::EraseToEnd => row.cells.truncate(row.at),
            },
            '\u{9b}' => match csi(&mut chars) {
                Effect::Restart => rows.push(std::mem::take(&mut row)),
                Effect::Column(column) => row.at = column,
                _ => {}
            },
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => skip_string(&mut chars),
            '\t' => row.put(c, 1),
            c if c.is_control() => {}
            c => row.put(c, c.width().unwrap_or(0)),
        }
    }
    rows.push(row);
    rows.iter().map(Row::text).filter(|text| !text.trim().is_empty()).collect()
}

/// The effect of an escape sequence on the line.
enum Effect {
    None,
    /// The cursor moves elsewhere, and the line is written again.
    Restart,
    Column(usize),
    Left(usize),
    Right(usize),
    EraseToEnd,
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Parses what follows ESC.
fn escape(chars: &mut Chars<'_>) -> Effect {
    match chars.peek().copied() {
        Some('[') => {
            chars.next();
            csi(chars)
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            chars.next();
            skip_string(chars);
            Effect::None
        }
        Some(' '..='/') => {
            while chars.next_if(|c| (' '..='/').contains(c)).is_some() {}
            chars.next_if(|c| ('0'..='~').contains(c));
            Effect::None
        }
        Some('0'..='~') => {
            chars.next();
            Effect::None
        }
        _ => Effect::None,
    }
}

/// Parses a control sequence: parameters, intermediates, one final character. Any other character
/// ends it and is kept.
fn csi(chars: &mut Chars<'_>) -> Effect {
    let mut parameters = String::new();
    while let Some(c) = chars.next_if(|c| ('0'..='?').contains(c)) {
        if parameters.len() < 16 {
            parameters.push(c);
        }
    }
    let mut plain = true;
    while chars.next_if(|c| (' '..='/').contains(c)).is_some() {
        plain = false;
    }
    let Some(last) = chars.next_if(|c| ('@'..='~').contains(c)) else { return Effect::None };
    let number = || parameters.split(';').next().and_then(|n| n.parse::<usize>().ok());
    let count = || number().unwrap_or(1).clamp(1, 512);
    match last {
        _ if !plain => Effect::None,
        'C' | 'a' => Effect::Right(count()),
        'D' => Effect::Left(count()),
        'G' | '`' if count() == 1 => Effect::Restart,
        'G' | '`' => Effect::Column(count() - 1),
        'K' if number().unwrap_or(0) == 0 => Effect::EraseToEnd,
        'A' | 'B' | 'E' | 'F' | 'H' | 'J' | 'K' | 'd' | 'f' => Effect::Restart,
        _ => Effect::None,
    }
}

/// Skips to BEL, ST or the end of the line, so that an unterminated string does not swallow what
/// follows.
fn skip_string(chars: &mut Chars<'_>) {
    while let Some(c) = chars.next() {
        match c {
            '\u{7}' | '\u{9c}' | '\u{18}' | '\u{1a}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

/// The cells of one line and the cursor in it.
#[derive(Default)]
struct Row {
    cells: Vec<Cell>,
    at: usize,
}

/// A column: a character with its combining characters; `base` is `None` for the right half of a
/// wide one.
#[derive(Clone, Default)]
struct Cell {
    base: Option<char>,
    marks: Vec<char>,
}

impl Row {
    fn left(&mut self, count: usize) {
        self.at = self.at.saturating_sub(count);
    }

    fn put(&mut self, c: char, width: usize) {
        if width == 0 {
            let end = self.at.min(self.cells.len());
            if let Some(cell) = self.cells[..end].iter_mut().rev().find(|cell| cell.base.is_some()) {
                cell.marks.push(c);
            }
            return;
        }
        let end = self.at + width;
        if self.cells.len() < end {
            self.cells.resize(end, Cell { base: Some(' '), marks: Vec::new() });
        }
        // Overwriting one half of a wide character removes the other half too.
        if self.cells[self.at].base.is_none()
            && let Some(left) = self.at.checked_sub(1)
        {
            self.cells[left] = Cell { base: Some(' '), marks: Vec::new() };
        }
        if let Some(after) = self.cells.get_mut(end)
            && after.base.is_none()
        {
            after.base = Some(' ');
        }
        self.cells[self.at] = Cell { base: Some(c), marks: Vec::new() };
        for cell in &mut self.cells[self.at + 1..end] {
            *cell = Cell::default();
        }
        self.at = end;
    }

    fn text(&self) -> String {
        let mut text = String::with_capacity(self.cells.len());
        for cell in &self.cells {
            text.extend(cell.base);
            text.extend(&cell.marks);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_is_as_a_terminal_shows_it() {
        let table: &[(&str, &str)] = &[
            ("plain\n", "plain\n"),
            ("no line feed", "no line feed"),
            ("a\r\r\nb\r\r\n", "a\nb\n"),
            ("ok\r", "ok"),
            ("10%\r50%\r100%\n", "100%\n"),
            ("progress 10%\rprogress 100%\rdone\n", "done\n"),
            ("10%\r\u{1b}[Kdone\r\u{1b}[K\n", "done\n"),
            ("\u{1b}[1;38:2::255:0:0mred\u{1b}[0m\n", "red\n"),
            ("\u{1b}[?25lhidden\u{1b}[?25h\n", "hidden\n"),
            ("\u{1b}]0;title\u{7}text\n", "text\n"),
            ("\u{1b}]8;;https://a.b\u{1b}\\link\u{1b}]8;;\u{1b}\\ end\n", "link end\n"),
            ("\u{1b}]0;never ended\nerror: x\n", "\nerror: x\n"),
            ("\u{1b}(Bx\u{1b}=\u{1b}7y\n", "xy\n"),
            ("\u{9b}31mred\u{9d}0;t\u{9c}!\n", "red!\n"),
            ("a\u{8}a b\u{8} \u{8}c\n", "a c\n"),
            ("日本\u{8}\u{8}語\n", "日語\n"),
            ("日\u{8}x\n", " x\n"),
            ("e\u{301}t\u{e9} \u{a0}£\n", "e\u{301}t\u{e9} \u{a0}£\n"),
            ("\u{1b}[2K\u{1b}[1Gstep 1\u{1b}[2K\u{1b}[1Gstep 2\n", "step 2\n"),
            ("\u{1b}[31\u{fc}x\n", "\u{fc}x\n"),
            ("a\n\n\n \nb\n", "a\n\nb\n"),
            ("bell\u{7} nul\u{0}\n", "bell nul\n"),
            ("one\rtwo\rthree\rfour", "one\ntwo\nthree\nfour"),
            ("error: disk full\rok\n", "error: disk full\nok\n"),
            ("abc\u{1b}[2D\u{1b}[KX\n", "aX\n"),
            ("", ""),
            ("\u{1b}", ""),
            ("\u{1b}[", ""),
        ];
        for (text, expected) in table {
            assert_eq!(sanitize_output(text.as_bytes()), *expected, "{text:?}");
        }
        assert_eq!(sanitize_output(b"caf\xe9\n"), "caf\u{fffd}\n");
    }

    #[test]
    fn an_endless_line_comes_in_pieces() {
        let text = "é".repeat(MAX_LINE);
        let mut lines = Vec::new();
        let mut sanitizer = Sanitizer::default();
        for chunk in text.as_bytes().chunks(1000) {
            sanitizer.push(chunk, &mut |line: &str| lines.push(line.to_owned()));
            assert!(sanitizer.partial.len() <= MAX_LINE);
        }
        assert!(!sanitizer.finish(&mut |line: &str| lines.push(line.to_owned())));
        assert_eq!(lines.concat(), text);
    }

    proptest! {
        #[test]
        fn nothing_panics_and_nothing_but_text_remains(bytes in any::<Vec<u8>>()) {
            let text = sanitize_output(&bytes);
            prop_assert!(text.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
        }

        #[test]
        fn chunks_make_no_difference(text in "[ -~\u{1b}\r\n\u{8}é日]{0,200}", size in 1_usize..9) {
            let mut pieces = String::new();
            let mut sanitizer = Sanitizer::default();
            let mut line = |line: &str| { pieces.push_str(line); pieces.push('\n'); };
            for chunk in text.as_bytes().chunks(size) {
                sanitizer.push(chunk, &mut line);
            }
            sanitizer.finish(&mut line);
            let mut whole = String::new();
            let mut sanitizer = Sanitizer::default();
            let mut line = |line: &str| { whole.push_str(line); whole.push('\n'); };
            sanitizer.push(text.as_bytes(), &mut line);
            sanitizer.finish(&mut line);
            prop_assert_eq!(pieces, whole);
        }
    }
}
