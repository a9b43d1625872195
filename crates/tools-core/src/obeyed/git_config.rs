//! Parser for the syntax of git's configuration files, as far as needed to find the settings. Pure;
//! the settings are interpreted elsewhere, and git is never started.

/// One setting of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// The section, in lower case.
    pub(super) section: String,
    /// The subsection, as it is written; empty when there is none.
    pub(super) subsection: String,
    /// The key, in lower case.
    pub(super) key: String,
    /// The value; `None` for a key without `=`.
    pub(super) value: Option<Vec<u8>>,
}

/// The settings of a file in order. Git refuses a file with a syntax error; here the readable parts
/// count, since the error may be fixed when git reads it.
pub(super) fn settings(text: &[u8]) -> Vec<Setting> {
    let mut reader = Reader { text: text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text), at: 0 };
    let (mut found, mut section, mut subsection) = (Vec::new(), String::new(), String::new());
    while let Some(byte) = reader.next() {
        match byte {
            b'#' | b';' => reader.skip_line(),
            b'[' => (section, subsection) = reader.header(),
            byte if byte.is_ascii_alphabetic() => {
                let (key, value) = reader.setting(byte);
                found.push(Setting { section: section.clone(), subsection: subsection.clone(), key, value });
            }
            _ => {}
        }
    }
    found
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next byte. Lines end with a line feed on every system.
    fn next(&mut self) -> Option<u8> {
        let byte = *self.text.get(self.at)?;
        self.at += 1;
        if byte == b'\r' && self.text.get(self.at) == Some(&b'\n') {
            self.at += 1;
            return Some(b'\n');
        }
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_line(&mut self) {
        while self.next().is_some_and(|byte| byte != b'\n') {}
    }

    /// The text between brackets: `section`, `section.subsection`, `section "subsection"`.
    fn header(&mut self) -> (String, String) {
        let (mut name, mut subsection) = (Vec::new(), None);
        while let Some(byte) = self.next() {
            match byte {
                b']' | b'\n' => break,
                b'"' => subsection = Some(self.quoted()),
                b' ' | b'\t' => {}
                byte => name.push(byte.to_ascii_lowercase()),
            }
        }
        let name = text(&name);
        match (subsection, name.split_once('.')) {
            (Some(subsection), _) => (name, text(&subsection)),
            (None, Some((section, subsection))) => (section.to_owned(), subsection.to_owned()),
            (None, None) => (name, String::new()),
        }
    }

    fn quoted(&mut self) -> Vec<u8> {
        let mut content = Vec::new();
        while let Some(byte) = self.next() {
            match byte {
                b'"' | b'\n' => break,
                b'\\' => content.extend(self.next()),
                byte => content.push(byte),
            }
        }
        content
    }

    /// A key that begins with this byte, and its value.
    fn setting(&mut self, first: u8) -> (String, Option<Vec<u8>>) {
        let mut key = vec![first.to_ascii_lowercase()];
        while let Some(byte) = self.peek().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') {
            key.push(byte.to_ascii_lowercase());
            self.at += 1;
        }
        while self.peek().is_some_and(|byte| byte == b' ' || byte == b'\t') {
            self.at += 1;
        }
        let value = if self.peek() == Some(b'=') {
            self.at += 1;
            Some(self.value())
        } else {
            self.skip_line();
            None
        };
        (text(&key), value)
    }

    /// A value up to the end of its line. It may contain quotes, a final backslash continues it on
    /// the next line, and space at both ends is dropped.
    fn value(&mut self) -> Vec<u8> {
        let (mut value, mut length, mut is_quoted) = (Vec::new(), 0, false);
        while let Some(byte) = self.next() {
            match byte {
                b'\n' => break,
                b'"' => {
                    is_quoted = !is_quoted;
                    continue;
                }
                b'#' | b';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                b' ' | b'\t' if !is_quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'\\' => match self.next() {
                    None => break,
                    Some(b'\n') => continue,
                    Some(b'n') => value.push(b'\n'),
                    Some(b't') => value.push(b'\t'),
                    Some(b'b') => value.push(8),
                    Some(other) => value.push(other),
                },
                byte => value.push(byte),
            }
            length = value.len();
        }
        value.truncate(length);
        value
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(file: &str, expected: &[(&str, Option<&str>)]) {
        let told = |setting: Setting| {
            let Setting { section, subsection, key, value } = setting;
            let place = if subsection.is_empty() { section } else { format!("{section}.{subsection}") };
            (format!("{place}.{key}"), value.map(|value| String::from_utf8(value).unwrap()))
        };
        let found: Vec<_> = settings(file.as_bytes()).into_iter().map(told).collect();
        let expected: Vec<_> =
            expected.iter().map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned))).collect();
        assert_eq!(found, expected, "{file}");
    }

    #[test]
    fn settings_are_read_as_git_reads_them() {
        check("[core]\n\thooksPath = tools/hooks\n", &[("core.hookspath", Some("tools/hooks"))]);
        check("[Core] HooksPath=a b  # c\r\n", &[("core.hookspath", Some("a b"))]);
        check("[include]path=../x.cfg", &[("include.path", Some("../x.cfg"))]);
        check("[includeIf \"gitdir:~/A/\"]\npath = \"a;b#c \" ; d", &[("includeif.gitdir:~/A/.path", Some("a;b#c "))]);
        check("[filter \"a\\\"b\"]\nclean = x\\\n  y\n", &[("filter.a\"b.clean", Some("x  y"))]);
        check("[filter.Lfs]\nprocess = p", &[("filter.lfs.process", Some("p"))]);
        check("[a]\nb\nc = \nd = \"e\\tf\"g", &[("a.b", None), ("a.c", Some("")), ("a.d", Some("e\tfg"))]);
        check("# [a]\n; b = c\n[a] # x = y\nb = c", &[("a.b", Some("c"))]);
        check("\u{feff}[a]\nb = c", &[("a.b", Some("c"))]);
    }

    #[test]
    fn what_stands_behind_a_fault_is_read_all_the_same() {
        check(
            "[a\nb = c\n=\n\"x\n[d]\ne = \"f\ng = h\n",
            &[("a.b", Some("c")), ("a.x", None), ("d.e", Some("f")), ("d.g", Some("h"))],
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "[\\[\\]a.=\"\\\\#\r\n ]{0,60}") {
            settings(&bytes);
            settings(text.as_bytes());
        }
    }
}
