//! Separates comments and literals of Rust source from code, with a minimal scanner. It is not a
//! parser: rules that need one belong in clippy.

use std::ops::Range;

/// One file, scanned once.
#[derive(Debug)]
pub(crate) struct RustFile {
    /// Relative to the root.
    pub(crate) path: String,
    pub(crate) text: String,
    /// The text with comments, contents of literals and test modules blanked; it has the same
    /// length.
    pub(crate) code: String,
    /// Ranges of string literals with their quotes, without those in test modules.
    pub(crate) strings: Vec<Range<usize>>,
}

impl RustFile {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let mut scan = Scan { bytes: text.as_bytes(), code: text.as_bytes().to_vec(), strings: Vec::new(), at: 0 };
        scan.run();
        let Scan { mut code, mut strings, .. } = scan;
        for module in test_modules(&code) {
            strings.retain(|string| !module.contains(&string.start));
            blank(&mut code, module);
        }
        let code = String::from_utf8_lossy(&code).into_owned();
        Self { path: path.to_owned(), text: text.to_owned(), code, strings }
    }

    /// The line, counted from one, that contains a byte offset.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
    }

    /// Offsets of `word` in the code as a whole identifier.
    pub(crate) fn words<'a>(&'a self, word: &'a str) -> impl Iterator<Item = usize> + 'a {
        let bytes = self.code.as_bytes();
        self.code.match_indices(word).map(|(at, _)| at).filter(move |at| {
            let before = at.checked_sub(1).and_then(|at| bytes.get(at)).copied();
            !before.is_some_and(is_identifier) && !bytes.get(at + word.len()).copied().is_some_and(is_identifier)
        })
    }

    /// Whether the whole file is a test, a bench or a fixture.
    pub(crate) fn is_test(&self) -> bool {
        let is_test_folder = |part: &str| matches!(part, "tests" | "benches" | "examples" | "fixtures");
        self.path.ends_with("/tests.rs") || self.path.split('/').any(is_test_folder)
    }
}

fn is_identifier(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The end of the block that opens at the first `{` at or after `from`, one past its `}`.
pub(crate) fn block_end(code: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.iter().enumerate().skip(from) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return Some(at + 1),
            b'}' => depth -= 1,
            b';' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn test_modules(code: &[u8]) -> Vec<Range<usize>> {
    const MARK: &[u8] = b"#[cfg(test)]";
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = position(code, MARK, from) {
        let end = block_end(code, at + MARK.len()).unwrap_or(code.len());
        found.push(at..end);
        from = end;
    }
    found
}

fn position(code: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    code.get(from..)?.windows(wanted.len()).position(|window| window == wanted).map(|at| at + from)
}

fn blank(code: &mut [u8], range: Range<usize>) {
    for byte in code.iter_mut().take(range.end).skip(range.start) {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

struct Scan<'a> {
    bytes: &'a [u8],
    code: Vec<u8>,
    strings: Vec<Range<usize>>,
    at: usize,
}

impl Scan<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            let starts_word =
                !self.at.checked_sub(1).and_then(|at| self.bytes.get(at)).copied().is_some_and(is_identifier);
            match byte {
                b'/' if self.peek(1) == Some(b'/') => self.line_comment(),
                b'/' if self.peek(1) == Some(b'*') => self.block_comment(),
                b'"' => self.string(),
                b'r' | b'b' | b'c' if starts_word && self.raw_hashes().is_some() => self.raw_string(),
                b'\'' => self.quote(),
                _ => self.at += 1,
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn line_comment(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
        blank(&mut self.code, start..self.at);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(byte) = self.peek(0) {
            match (byte, self.peek(1)) {
                (b'/', Some(b'*')) => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                _ => self.at += 1,
            }
        }
        blank(&mut self.code, start..self.at);
    }

    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        self.literal(start);
    }

    /// Number of `#` of a raw string that starts here; `None` if none starts.
    fn raw_hashes(&self) -> Option<usize> {
        let prefix = if self.peek(0) == Some(b'r') { 1 } else { 2 };
        if prefix == 2 && self.peek(1) != Some(b'r') {
            return None;
        }
        let rest = self.bytes.get(self.at + prefix..)?;
        let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
        (self.peek(prefix + hashes) == Some(b'"')).then_some(hashes)
    }

    fn raw_string(&mut self) {
        let start = self.at;
        let hashes = self.raw_hashes().unwrap_or(0);
        while self.peek(0) != Some(b'"') {
            self.at += 1;
        }
        self.at += 1;
        while let Some(byte) = self.peek(0) {
            self.at += 1;
            if byte == b'"' && (0..hashes).all(|ahead| self.peek(ahead) == Some(b'#')) {
                self.at += hashes;
                break;
            }
        }
        self.literal(start);
    }

    fn literal(&mut self, start: usize) {
        self.at = self.at.min(self.bytes.len());
        self.strings.push(start..self.at);
        blank(&mut self.code, start + 1..self.at.saturating_sub(1));
    }

    /// A character literal, or the tick of a lifetime.
    fn quote(&mut self) {
        let start = self.at;
        let width = match self.peek(1) {
            Some(b'\\') => (3..16).find(|ahead| self.peek(*ahead) == Some(b'\'')),
            Some(_) => (2..6).find(|ahead| self.peek(*ahead) == Some(b'\'')).filter(|end| self.is_one_character(*end)),
            None => None,
        };
        self.at += width.map_or(1, |end| end + 1);
        blank(&mut self.code, start..self.at);
    }

    fn is_one_character(&self, end: usize) -> bool {
        let inside = self.bytes.get(self.at + 1..self.at + end).unwrap_or_default();
        std::str::from_utf8(inside).is_ok_and(|text| text.chars().count() == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: &str, strings: &[&str]) {
        let file = RustFile::new("x.rs", text);
        assert_eq!(file.code, code);
        let found: Vec<&str> = file.strings.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(found, strings);
    }

    #[test]
    fn comments_are_blank() {
        check("a // \"b\"\nc", "a       \nc", &[]);
        check("a /* /* b */ \" */ c", "a                 c", &[]);
    }

    #[test]
    fn strings_lose_their_contents() {
        check(r#"a("b\"c", d)"#, r#"a("    ", d)"#, &[r#""b\"c""#]);
        check(r##"r#"a"b"#;"##, r"r      #;", &[r##"r#"a"b"#"##]);
        check(r#"b"x""#, r#"b" ""#, &[r#""x""#]);
    }

    #[test]
    fn ticks_are_characters_or_lifetimes() {
        check(r#"f('"', 'a', '\'', "s")"#, r#"f(   ,    ,     , " ")"#, &[r#""s""#]);
        check("fn f<'a>(x: &'a str)", "fn f< a>(x: & a str)", &[]);
    }

    #[test]
    fn test_modules_are_not_code() {
        let file = RustFile::new("x.rs", "fn a() {}\n#[cfg(test)]\nmod tests { fn b() { \"x\" } }\nfn c() {}\n");
        assert_eq!(file.words("fn").map(|at| file.line(at)).collect::<Vec<_>>(), [1, 4]);
        assert!(file.strings.is_empty());
    }

    #[test]
    fn unfinished_text_is_no_panic() {
        for text in ["\"", "'", "r#\"", "/*", "'\\", "b'", "#[cfg(test)] mod x {", "\"\\"] {
            RustFile::new("x.rs", text);
        }
    }
}
