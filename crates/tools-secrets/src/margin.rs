//! The prefix of each line of a block: its number, its file, or both.

/// Maximum length in bytes of a margin.
const MAX_MARGIN_BYTES: usize = 1024;

/// The margin that the lines of a block share, apart from their numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Margin<'a> {
    /// Empty when the lines do not name their file.
    path: &'a str,
    is_numbered: bool,
}

impl<'a> Margin<'a> {
    /// The margin of the line whose first word begins at `at`, if the line below has the same; and
    /// where that line begins.
    pub(crate) fn around(text: &'a str, at: usize) -> (Self, usize) {
        let bytes = text.as_bytes();
        let from = text.ceil_char_boundary(at.saturating_sub(MAX_MARGIN_BYTES));
        let Some(line) =
            memchr::memrchr(b'\n', &bytes[from..at]).map(|end| from + end + 1).or((from == 0).then_some(0))
        else {
            return (Self::default(), from);
        };
        let below = bytes[at..].iter().take(MAX_MARGIN_BYTES).position(|byte| *byte == b'\n').map(|end| at + end + 1);
        let below = below
            .map_or("", |below| &text[below..text.floor_char_boundary((below + MAX_MARGIN_BYTES).min(text.len()))]);
        (Self::shared(&text[line..at], below), line)
    }

    /// The margin of a line, from the text before its first word, if another line has the same.
    pub(crate) fn shared(before: &'a str, other: &str) -> Self {
        if before.len() > MAX_MARGIN_BYTES {
            return Self::default();
        }
        Self::candidate(before).filter(|margin| margin.length(other).is_some()).unwrap_or_default()
    }

    fn candidate(before: &'a str) -> Option<Self> {
        if is_lead(before) {
            return None;
        }
        if number(before).is_some_and(|length| is_lead(&before[length..])) {
            return Some(Self { path: "", is_numbered: true });
        }
        let marks = || before.match_indices([':', '-']).map(|(at, _)| at).filter(|at| *at > 0);
        let numbered = marks().find(|at| file_number(&before[*at..]).is_some_and(|end| is_lead(&before[at + end..])));
        let named = || marks().find(|at| is_lead(&before[at + 1..]));
        let at = numbered.or_else(named)?;
        Some(Self { path: &before[..at], is_numbered: numbered.is_some() })
    }

    /// Whether lines have no margin.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether lines name their file.
    pub(crate) fn has_path(&self) -> bool {
        !self.path.is_empty()
    }

    /// The length of a line's margin; `None` when it has another one.
    pub(crate) fn length(&self, line: &str) -> Option<usize> {
        if self.path.is_empty() {
            return if self.is_numbered { number(line) } else { Some(0) };
        }
        let rest = line.strip_prefix(self.path)?;
        let length = if self.is_numbered { file_number(rest)? } else { rest.starts_with([':', '-']).then_some(1)? };
        Some(self.path.len() + length)
    }
}

/// Whether a text may be between a margin and a word: indentation, marks of a list or a diff,
/// quotes.
fn is_lead(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'-' | b'+' | b'"' | b'\'' | b'\\'))
}

/// `    7→`, `7:`, `7 │`: the length of a line number with its separator.
pub(crate) fn number(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches(' ');
    let rest = after_digits(rest)?;
    let bar = rest.trim_start_matches(' ').strip_prefix(['│', '|']);
    let rest = bar.or_else(|| rest.strip_prefix(['\t', '→', ':', '-', ' ']))?;
    Some(line.len() - rest.len())
}

/// `:7:`, `-7-`: the number after a file name.
pub(crate) fn file_number(text: &str) -> Option<usize> {
    let rest = after_digits(text.strip_prefix([':', '-'])?)?.strip_prefix([':', '-'])?;
    Some(text.len() - rest.len())
}

fn after_digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    (rest.len() < text.len() && text.len() - rest.len() <= 9).then_some(rest)
}
