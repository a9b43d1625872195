//! Assembles events and lines of a stream from arbitrary chunks.

use super::ReplyError;

/// Maximum length of a line in bytes.
const MAX_LINE_BYTES: usize = 32 * 1024 * 1024;

/// Splits bytes into lines. A line ends with LF, CR or both.
#[derive(Debug, Default)]
pub(super) struct Lines {
    line: Vec<u8>,
    /// Whether the last line ended with CR: a following LF belongs to it.
    after_cr: bool,
    has_begun: bool,
}

impl Lines {
    /// Passes every line completed by these bytes to `each`.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(&str) -> Result<(), ReplyError>,
    ) -> Result<(), ReplyError> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(bytes);
                break;
            };
            self.line.extend_from_slice(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.line);
            self.give(&line, &mut each)?;
        }
        if self.line.len() > MAX_LINE_BYTES {
            return Err(ReplyError::protocol("a line of the answer is longer than 32 MiB"));
        }
        Ok(())
    }

    /// Passes on the last line if it has no end.
    pub(super) fn finish(&mut self, mut each: impl FnMut(&str) -> Result<(), ReplyError>) -> Result<(), ReplyError> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() { Ok(()) } else { self.give(&line, &mut each) }
    }

    fn give(&mut self, line: &[u8], each: &mut impl FnMut(&str) -> Result<(), ReplyError>) -> Result<(), ReplyError> {
        let line = std::str::from_utf8(line).map_err(|_| ReplyError::protocol("the answer is not valid UTF-8"))?;
        let line =
            if std::mem::replace(&mut self.has_begun, true) { line } else { line.trim_start_matches('\u{feff}') };
        each(line)
    }
}

/// Parses server-sent events: passes on their data without the event name, which the data repeat in
/// all protocols used here.
#[derive(Debug, Default)]
pub(super) struct Events {
    lines: Lines,
    data: String,
    has_data: bool,
}

impl Events {
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(&str) -> Result<(), ReplyError>,
    ) -> Result<(), ReplyError> {
        let Self { lines, data, has_data } = self;
        lines.push(bytes, |line| field(line, data, has_data, &mut each))
    }

    /// Passes on the last event if no empty line follows it.
    pub(super) fn finish(&mut self, mut each: impl FnMut(&str) -> Result<(), ReplyError>) -> Result<(), ReplyError> {
        let Self { lines, data, has_data } = self;
        lines.finish(|line| field(line, data, has_data, &mut each))?;
        field("", data, has_data, &mut each)
    }
}

fn field(
    line: &str,
    data: &mut String,
    has_data: &mut bool,
    each: &mut impl FnMut(&str) -> Result<(), ReplyError>,
) -> Result<(), ReplyError> {
    if line.is_empty() {
        let whole = std::mem::take(data);
        return if std::mem::take(has_data) { each(&whole) } else { Ok(()) };
    }
    let Some(value) = line.strip_prefix("data:") else { return Ok(()) };
    if std::mem::replace(has_data, true) {
        data.push('\n');
    }
    data.push_str(value.strip_prefix(' ').unwrap_or(value));
    if data.len() > MAX_LINE_BYTES {
        return Err(ReplyError::protocol("an event of the answer is longer than 32 MiB"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<String> {
        let (mut events, mut found) = (Events::default(), Vec::new());
        let mut take = |data: &str| {
            found.push(data.to_owned());
            Ok(())
        };
        for piece in pieces {
            events.push(piece, &mut take).unwrap();
        }
        events.finish(&mut take).unwrap();
        found
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        let check = |text: &str, expected: &[&str]| assert_eq!(events(&[text.as_bytes()]), expected, "{text:?}");
        check("data: a\n\ndata:b\r\n\r\ndata: c\r\r", &["a", "b", "c"]);
        check("\u{feff}: comment\nevent: x\nid: 1\ndata: a\ndata: b\n\n", &["a\nb"]);
        check("event: only a name\n\n", &[]);
        check("data: {}\n", &["{}"]);
        check("data", &[]);
        check("data:\n\n", &[""]);
        check("data:  two blanks\n\n", &[" two blanks"]);
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(text in "(data: ?[aя\u{1F600} ]{0,5}|: x|event: y|[\r\n]{1,3}){0,12}", cuts in prop::collection::vec(0_usize..200, 0..8)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([bytes.len()]) {
                pieces.push(&bytes[from..cut]);
                from = cut;
            }
            prop_assert_eq!(events(&pieces), events(&[bytes]));
        }
    }
}
