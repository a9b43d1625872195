//! Writes text: collapses white space, separates blocks, and puts the prefix of lists and
//! quotations before each line.

use super::control::is_taken_out;

/// Maximum depth of prefixes: the prefix costs its length on each line.
const DEEPEST: usize = 10;

/// Takes text and the breaks between pieces of text.
#[derive(Default)]
pub(super) struct Writer {
    out: String,
    prefix: String,
    /// Length of the prefix before each push.
    prefixes: Vec<usize>,
    /// Length of the part of the prefix that an empty line before the next text gets.
    blank: usize,
    /// Number of line ends before the next text.
    newlines: u8,
    /// Whether a space precedes the next text.
    space: bool,
    /// Whether the line contains nothing but a marker.
    fresh: bool,
    /// Whether everything is written on one line.
    inline: bool,
}

/// Classes of bytes, for white space and control characters.
const PLAIN: u8 = 0;
const SPACE: u8 = 1;
const SPECIAL: u8 = 2;

static CLASS: [u8; 256] = {
    let mut class = [PLAIN; 256];
    let mut byte = 0;
    while byte < 0x20 {
        class[byte] = SPECIAL;
        byte += 1;
    }
    class[0x7f] = SPECIAL;
    byte = 0x80;
    while byte < 0x100 {
        class[byte] = SPECIAL;
        byte += 1;
    }
    class[b' ' as usize] = SPACE;
    class[b'\t' as usize] = SPACE;
    class[b'\n' as usize] = SPACE;
    class[0x0c] = SPACE;
    class[b'\r' as usize] = SPACE;
    class
};

impl Writer {
    /// A writer of one line.
    pub(super) fn inline() -> Self {
        Self { inline: true, ..Self::default() }
    }

    /// Writes text with collapsed white space.
    pub(super) fn text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if CLASS[usize::from(bytes[at])] == SPACE {
                self.space = true;
                at += 1;
                continue;
            }
            let from = at;
            let mut skipped = 0;
            while let Some(byte) = bytes.get(at) {
                match CLASS[usize::from(*byte)] {
                    PLAIN => at += 1,
                    // A single space between two words stays as it is.
                    SPACE
                        if *byte == b' '
                            && bytes.get(at + 1).is_some_and(|next| CLASS[usize::from(*next)] == PLAIN) =>
                    {
                        at += 2;
                    }
                    SPACE => break,
                    _ => match text[at..].chars().next() {
                        Some(c) if is_taken_out(&text[..at], c, &text[at + c.len_utf8()..]) => {
                            skipped = c.len_utf8();
                            break;
                        }
                        Some(c) => at += c.len_utf8(),
                        None => break,
                    },
                }
            }
            if from < at {
                self.ready();
                self.out.push_str(&text[from..at]);
            }
            at += skipped;
        }
    }

    /// Writes text unchanged on the current line.
    pub(super) fn raw(&mut self, text: &str) {
        self.ready();
        self.out.push_str(text);
    }

    /// Writes a marker; the next text follows on the same line.
    pub(super) fn marker(&mut self, marker: &str) {
        self.ready();
        self.out.push_str(marker);
        self.fresh = true;
    }

    /// Writes lines unchanged.
    pub(super) fn lines(&mut self, text: &str) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                self.newlines = 1;
                self.fresh = false;
            }
            self.start_line();
            self.out.push_str(line);
        }
        self.fresh = false;
    }

    /// Starts a new line before the next text.
    pub(super) fn line(&mut self) {
        if self.inline {
            self.space = true;
        } else if !self.fresh {
            self.newlines = self.newlines.max(1);
        }
    }

    /// Puts an empty line before the next text.
    pub(super) fn block(&mut self) {
        self.line();
        if !self.inline && !self.fresh {
            self.newlines = 2;
            self.blank = self.prefix.len();
        }
    }

    /// Adds a prefix to the following lines.
    pub(super) fn push_prefix(&mut self, prefix: &str) {
        self.prefixes.push(self.prefix.len());
        if self.prefixes.len() <= DEEPEST {
            self.prefix.push_str(prefix);
        }
    }

    /// Removes the last prefix.
    pub(super) fn pop_prefix(&mut self) {
        if let Some(length) = self.prefixes.pop() {
            self.prefix.truncate(length);
        }
        self.fresh = false;
    }

    /// Earliest offset of the next text.
    pub(super) fn here(&self) -> usize {
        self.out.len()
    }

    /// Puts marks around the text since `from` if it is on one line; otherwise appends `beside`.
    pub(super) fn wrap(&mut self, from: usize, (open, close): (&str, &str), beside: &str) {
        let Some(written) = self.out.get(from..) else { return };
        let lead = written.len() - written.trim_start_matches([' ', '\n', '>', '#', '-']).len();
        if lead == written.len() {
            return;
        }
        if written[lead..].contains('\n') {
            self.out.push_str(beside);
        } else {
            self.out.insert_str(from + lead, open);
            self.out.push_str(close);
        }
    }

    /// The text.
    pub(super) fn into_string(self) -> String {
        self.out
    }

    fn ready(&mut self) {
        if self.newlines > 0 {
            self.start_line();
        } else if self.space && !self.fresh && !self.out.is_empty() {
            self.out.push(' ');
        } else if self.out.is_empty() {
            self.out.push_str(&self.prefix);
        }
        self.space = false;
        self.fresh = false;
    }

    fn start_line(&mut self) {
        if self.out.is_empty() {
            self.out.push_str(&self.prefix);
        } else {
            for left in (0..self.newlines).rev() {
                self.out.push('\n');
                let blank = self.prefix.get(..self.blank).unwrap_or(&self.prefix);
                let prefix = if left > 0 { blank.trim_end() } else { &self.prefix };
                self.out.push_str(prefix);
            }
        }
        self.newlines = 0;
        self.space = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Writer)) -> String {
        let mut writer = Writer::default();
        write(&mut writer);
        writer.into_string()
    }

    #[test]
    fn white_space_collapses_and_controls_go() {
        assert_eq!(written(|w| w.text("  a  b\n\tc d ")), "a b c d");
        assert_eq!(
            written(|w| {
                w.text("a ");
                w.text(" b");
                w.text("c");
            }),
            "a bc"
        );
        assert_eq!(written(|w| w.text("a\0b\u{1b}[31m\u{9b}é\u{a0}ü\u{e0041}!")), "ab[31mé\u{a0}ü!");
        assert_eq!(written(|w| w.text("é\u{200d}é\u{200b}a\u{200d}b")), "é\u{200d}éab");
        assert_eq!(written(|w| w.text("\u{10ffff}\u{c3} x\u{1}")), "\u{10ffff}\u{c3} x");
    }

    #[test]
    fn blocks_and_lists_stand_apart() {
        let text = written(|w| {
            w.block();
            w.text("a");
            w.block();
            w.marker("- ");
            w.push_prefix("  ");
            w.block();
            w.text("one");
            w.line();
            w.text("more");
            w.pop_prefix();
            w.line();
            w.marker("- ");
            w.text("two");
            w.block();
            w.push_prefix("> ");
            w.text("q");
            w.block();
            w.text("r");
            w.pop_prefix();
            w.block();
            w.lines("x\n\n  y");
        });
        assert_eq!(text, "a\n\n- one\n  more\n- two\n\n> q\n>\n> r\n\nx\n\n  y");
    }

    #[test]
    fn marks_stand_around_the_text_only() {
        let linked = |text: &str| {
            written(|w| {
                w.text("see ");
                let from = w.here();
                w.text(text);
                w.wrap(from, ("[", "](u)"), " (u)");
                w.text(" end");
            })
        };
        assert_eq!(linked("this"), "see [this](u) end");
        assert_eq!(linked("  "), "see end");
    }
}
