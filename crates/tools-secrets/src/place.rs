//! The position of a name's value: how it is joined to the name, and where it begins and ends. Does
//! not decide whether either is a credential.

/// Minimum length in bytes of a value.
pub(crate) const MIN_VALUE_BYTES: usize = 6;
/// Maximum bytes of a value that are read.
const MAX_VALUE_BYTES: usize = 8192;
/// Maximum bytes of a line that are read before a name.
const LINE: usize = 256;

/// How a value is joined to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `name = value`, `name: value`, `'name' => value`.
    Assigned,
    /// `<name>value</name>`.
    Element,
    /// `PASSWORD 'value'`, `--password value`.
    Statement,
    /// `the password is value`, `password value` alone on a line.
    Prose,
}

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) style: Style,
    /// Whether it is quoted.
    pub(crate) quoted: bool,
    /// The position after a quoted value, where the changed value may follow.
    pub(crate) next: Option<usize>,
}

/// How a value follows a name.
struct Join {
    from: usize,
    style: Style,
    /// Whether the value must be quoted.
    needs_quote: bool,
}

impl Join {
    fn new(from: usize, style: Style) -> Self {
        Self { from, style, needs_quote: false }
    }
}

/// The value of a name; `is_meant` decides whether it is wanted, before it is read.
pub(crate) fn of(text: &str, name: (usize, usize), is_meant: impl FnOnce() -> bool) -> Option<Place> {
    let join = join(text, name)?;
    if is_meant() { extent(text, &join, name.0) } else { None }
}

/// The new value after a quoted one: `"old" -> "new"`.
pub(crate) fn changed_to(text: &str, at: usize) -> Option<Place> {
    let rest = text.get(at..)?;
    if rest.starts_with("{+") {
        return word_changed(text, at, Style::Assigned);
    }
    let arrow = rest.strip_prefix(['"', '\''])?.trim_start_matches(' ').strip_prefix("->")?;
    let from = text.len() - arrow.len();
    let join = Join { from, style: Style::Assigned, needs_quote: true };
    extent(text, &join, from)
}

fn join(text: &str, (name_start, name_end): (usize, usize)) -> Option<Join> {
    let bytes = text.as_bytes();
    let before = name_start.checked_sub(1).map(|at| bytes[at]);
    let mut at = colours(bytes, name_end);
    if bytes.get(at) == Some(&b'>') && before == Some(b'<') {
        return Some(Join::new(at + 1, Style::Element));
    }
    if bytes.get(at) == Some(&b'<') && before == Some(b'>') {
        return element_pair(text, name_start, at);
    }
    let mut quoted = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            byte if is_quote(*byte) => quoted = true,
            b'\\' | b']' => {}
            _ => break,
        }
        at += 1;
    }
    let gap = blanks(bytes, at);
    // `[name]: target`, a link in a text.
    let is_link =
        matches!(before, Some(b'[' | b'`')) && bytes[name_end..at].contains(&b']') && bytes.get(at) == Some(&b':');
    if is_link && !bytes.get(at + 1 + blanks(bytes, at + 1)).is_some_and(|byte| is_quote(*byte)) {
        return None;
    }
    let is_flag = name_start >= 2 && &bytes[name_start - 2..name_start] == b"--";
    let after = at + gap;
    match bytes.get(after)? {
        // `Type::name`
        b':' if bytes.get(after + 1) == Some(&b':') => None,
        b':' | b'=' => assigned(text, after, name_start),
        // A row of a table.
        b'|' if gap > 0 && line_before(text, name_start).trim_end().ends_with('|') => {
            Some(Join::new(after + 1, Style::Assigned))
        }
        b',' if quoted => named_pair(text, name_start, at).or_else(|| argument(text, name_start, after + 1)),
        b'>' if quoted && is_named(text, name_start) => Some(Join::new(after + 1, Style::Element)),
        // `PASSWORD 'value'`, `IDENTIFIED BY 'value'`
        b'"' | b'\'' if gap > 0 && !quoted => Some(Join::new(after, Style::Statement)),
        b'(' if &text[name_start..name_end] == "PASSWORD"
            && bytes.get(after + 1).is_some_and(|byte| is_quote(*byte)) =>
        {
            Some(Join::new(after + 1, Style::Statement))
        }
        b'\\' if is_flag && gap > 0 && text[after..].starts_with("\\\n") => {
            Some(Join::new(after + 2 + blanks(bytes, after + 2), Style::Assigned))
        }
        _ if is_flag && gap == 1 => Some(Join::new(after, Style::Assigned)),
        b'\r' | b'\n' | b'{' => named_pair(text, name_start, at),
        _ if gap > 0 => named_pair(text, name_start, at).or_else(|| spaced(text, name_start, after)),
        _ => None,
    }
}

/// The join after `:` or `=`.
fn assigned(text: &str, at: usize, name_start: usize) -> Option<Join> {
    let bytes = text.as_bytes();
    // `arn:aws:secretsmanager:…:secret:name`: a part of a longer name.
    let is_part = name_start > 0 && bytes[name_start - 1] == b':' && !matches!(bytes.get(at + 1), Some(b' ' | b'"'));
    if is_part && bytes[at] == b':' {
        return None;
    }
    // `:=`, `=>`, `==`
    let signs = bytes[at..].iter().take(4).take_while(|byte| matches!(byte, b'=' | b'>' | b':')).count();
    let is_compared = bytes[at..at + signs].starts_with(b"==");
    if bytes[at] == b':'
        && signs == 1
        && let Some(from) = behind_type(text, at + 1)
    {
        return Some(Join { from, style: Style::Assigned, needs_quote: true });
    }
    Some(Join { from: at + signs, style: Style::Assigned, needs_quote: is_compared })
}

/// `define('NAME', 'value')`, `("NAME", "value")`, but not a list of names.
fn argument(text: &str, name_start: usize, from: usize) -> Option<Join> {
    let before = text[..name_start].trim_end_matches(['"', '\'', '\\']);
    let before = before.strip_suffix(' ').unwrap_or(before);
    before.ends_with('(').then_some(Join { from, style: Style::Assigned, needs_quote: true })
}

/// `: &str = "value"`: the start of the value after a declared type.
fn behind_type(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'<' | b'>' | b'&' | b' ' | b'?' | b'|' | b'.' | b':')
    };
    let length = rest.bytes().take(40).take_while(|byte| is_part(byte) || *byte == b'\'').count();
    let is_named = rest[..length].trim().starts_with(|first: char| first.is_ascii_alphabetic() || first == '&');
    let value = rest[length..].strip_prefix('=')?;
    (is_named && value.trim_start_matches(' ').starts_with(['"', '\'', '`'])).then(|| text.len() - value.len())
}

/// A value after blanks only, if the words before the name allow it.
fn spaced(text: &str, name_start: usize, after: usize) -> Option<Join> {
    let rest = &text[after..];
    if let Some(value) = rest.strip_prefix("is ").or_else(|| rest.strip_prefix("is: ")) {
        return Some(Join::new(text.len() - value.len(), Style::Prose));
    }
    if let Some(value) = rest.strip_prefix("BY ").filter(|value| value.starts_with(['"', '\''])) {
        return Some(Join::new(text.len() - value.len(), Style::Statement));
    }
    // `read NAME <<< value`
    if let Some(value) = rest.strip_prefix("<<<") {
        return Some(Join::new(text.len() - value.len(), Style::Assigned));
    }
    // A word of letters or a short word is not a credential.
    let word = rest.bytes().take(LINE).take_while(|byte| byte.is_ascii_graphic() && !b"\"'`\\|<>[]{}".contains(byte));
    let (length, is_lower) = word.fold((0, true), |(length, is), byte| (length + 1, is && byte.is_ascii_lowercase()));
    let is_ended = matches!(rest.as_bytes().get(length), Some(b' ' | b'\n'));
    let is_last = matches!(rest.as_bytes().get(length), None | Some(b'\r' | b'\n'));
    if is_ended && length > 0 && (is_lower || length < MIN_VALUE_BYTES) {
        return None;
    }
    let line = line_before(text, name_start);
    let is_set = ["setenv ", "set -x ", "set -gx ", "set -Ux ", "ENV ", "ARG "].iter().any(|word| line.ends_with(word));
    let is_configured = line.contains("config") && line.contains(" set ");
    // `.netrc`: on one line, or on a line of its own below the login.
    let is_login = line.contains("login ") || line.contains("machine ");
    let is_below = line.trim().is_empty() && {
        let above = text[..name_start - line.len()].trim_end();
        let above = &above[above.floor_char_boundary(above.len().saturating_sub(LINE))..];
        above.rsplit('\n').next().is_some_and(|above| above.trim_start().starts_with("login "))
    };
    if is_set || is_configured || is_login || is_below {
        return Some(Join::new(after, Style::Assigned));
    }
    // `requirepass value`: a settings line without separators.
    (is_last && is_line_start(text.as_bytes(), name_start)).then(|| Join::new(after, Style::Prose))
}

/// `name: NAME` with `value: …` next to it, in YAML, JSON, XML or HCL.
fn named_pair(text: &str, name_start: usize, from: usize) -> Option<Join> {
    if !is_named(text, name_start) {
        return None;
    }
    let rest = text.get(from..)?;
    let rest = &rest[..rest.floor_char_boundary(160)];
    if let Some(field) = rest.strip_prefix("\r\n\r\n")
        && line_before(text, name_start).contains("form-data")
    {
        return Some(Join::new(from + (rest.len() - field.len()), Style::Assigned));
    }
    let mut lines = 0;
    let between = |character: char| {
        lines += usize::from(character == '\n');
        lines < 2 && matches!(character, ' ' | '\t' | ',' | '"' | '\'' | '{' | '\r' | '\n')
    };
    let value = rest.trim_start_matches(between);
    let at = from + (rest.len() - value.len());
    let word = ["value", "default"]
        .iter()
        .find(|word| value.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))?;
    let bytes = text.as_bytes();
    let mut at = at + word.len();
    at += bytes[at..].iter().take(1).filter(|byte| is_quote(**byte)).count();
    at += blanks(bytes, at);
    matches!(bytes.get(at), Some(b':' | b'=')).then(|| Join::new(at + 1, Style::Assigned))
}

/// `<key>NAME</key>` followed by `<string>…`, `<name>NAME</name>` followed by `<value>…`.
fn element_pair(text: &str, name_start: usize, from: usize) -> Option<Join> {
    let pairs = [("<key>", "</key>", "<string>"), ("<name>", "</name>", "<value>")];
    let value = pairs.into_iter().find_map(|(open, close, value)| {
        let rest = text[..name_start].ends_with(open).then(|| text[from..].strip_prefix(close))??;
        let between = rest.bytes().take(LINE).take_while(u8::is_ascii_whitespace).count();
        rest[between..].strip_prefix(value)
    })?;
    Some(Join::new(text.len() - value.len(), Style::Element))
}

/// Whether this position is itself the value of `name`, `key` or similar.
fn is_named(text: &str, name_start: usize) -> bool {
    let before = &text.as_bytes()[name_start.saturating_sub(LINE)..name_start];
    let between = |byte: &u8| matches!(byte, b'"' | b'\'' | b' ' | b':' | b'=' | b'\\');
    let end = before.len() - before.iter().rev().take_while(|byte| between(byte)).count();
    let ends_with = |word: &&str| {
        let start = end.checked_sub(word.len());
        start.is_some_and(|start| before[start..end].eq_ignore_ascii_case(word.as_bytes()))
    };
    ["name", "key", "variable", "property"].iter().any(ends_with)
}

/// The start and end of the value.
fn extent(text: &str, join: &Join, name_start: usize) -> Option<Place> {
    let bytes = text.as_bytes();
    let style = join.style;
    let mut at = join.from + blanks(bytes, join.from);
    at = colours(bytes, at);
    at = block(text, at);
    if let Some(place) = word_changed(text, at, style) {
        return Some(place);
    }
    let escapes = bytes[at.min(bytes.len())..].iter().take(8).take_while(|byte| **byte == b'\\').count();
    let is_escaped = escapes > 0 && bytes.get(at + escapes).is_some_and(|byte| is_quote(*byte));
    at += if is_escaped { escapes } else { 0 };
    at += wrapper(text, at);
    // `b"…"`, `f'…'`, `@"…"`
    let is_marked = matches!(bytes.get(at), Some(b'b' | b'f' | b'r' | b'u' | b'@'));
    at += usize::from(is_marked && matches!(bytes.get(at + 1), Some(b'"' | b'\'')));
    let quote = bytes.get(at).copied().filter(|byte| is_quote(*byte));
    if join.needs_quote && quote.is_none() || quote.is_some_and(|quote| !is_escaped && closes(text, name_start, quote))
    {
        return None;
    }
    let start = at + usize::from(quote.is_some());
    let rest = text.get(start..)?;
    let rest = &rest[..rest.floor_char_boundary(MAX_VALUE_BYTES)];
    let alone = is_line_start(bytes, name_start);
    let ends = |character: char| match (style, quote) {
        (Style::Element, _) => matches!(character, '<' | '\n'),
        (_, Some(quote)) => character == char::from(quote) || character == '\n' || (is_escaped && character == '\\'),
        // No text continues after a null byte.
        (_, None) if character.is_whitespace() || matches!(character, '"' | '\'' | '\x1b' | '`' | '\0') => true,
        // A value alone on its line ends with the line; elsewhere others may follow.
        (_, None) => !alone && matches!(character, ';' | '&' | ',' | '<' | '\\'),
    };
    let end = start + rest.find(ends).unwrap_or(rest.len());
    let value = &text[start..end];
    let follows = bytes.get(end);
    let is_closed = match (style, quote) {
        (Style::Element, _) => text[end..].starts_with("</"),
        // Cut off in the middle, or not a quotation.
        (_, Some(quote)) => follows == Some(&quote) || (is_escaped && follows == Some(&b'\\')) || !value.contains(' '),
        (_, None) => true,
    };
    let trimmed =
        value.trim_end_matches(|character: char| quote.is_none() && matches!(character, ',' | ';' | '\\') && !alone);
    let next = quote.filter(|quote| follows == Some(quote)).map(|_| end);
    is_closed.then_some(Place { start, end: start + trimmed.len(), style, quoted: quote.is_some(), next })
}

/// `[-old-]{+new+}`: a value in a word diff; the next one is its new value.
fn word_changed(text: &str, at: usize, style: Style) -> Option<Place> {
    let rest = text.get(at..)?;
    let close = if rest.starts_with("[-") {
        "-]"
    } else if rest.starts_with("{+") {
        "+}"
    } else {
        return None;
    };
    let line = &rest[2..rest.floor_char_boundary(MAX_VALUE_BYTES)];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let length = line.find(close)?;
    let (start, end) = (at + 2, at + 2 + length);
    let next = text[end + 2..].starts_with("{+").then_some(end + 2);
    Some(Place { start, end, style, quoted: true, next })
}

/// Length of the beginning of an expression that only wraps a literal.
pub(crate) fn wrapper(text: &str, at: usize) -> usize {
    const WRAPPERS: &[&str] = &[
        "Some(",
        "Ok(",
        "String::from(",
        "SecretString::from(",
        "SecretString::new(",
        "Secret::new(",
        "SecretStr(",
        "new String(",
        "Buffer.from(",
        "bytes(",
    ];
    let Some(rest) = text.get(at..) else { return 0 };
    let wraps = |wrapper: &&&str| rest.strip_prefix(**wrapper).is_some_and(|literal| literal.starts_with(['"', '\'']));
    WRAPPERS.iter().find(wraps).map_or(0, |wrapper| wrapper.len())
}

/// Skips the mark of a YAML block whose text begins on the next line.
fn block(text: &str, at: usize) -> usize {
    let Some(rest) = text.get(at..) else { return at };
    let Some(rest) = rest.strip_prefix(['|', '>']) else { return at };
    let rest = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    let Some(rest) = rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n")) else { return at };
    text.len() - rest.trim_start_matches([' ', '\t', '+', '-']).len()
}

/// Whether a quote closes a quotation before the name instead of opening a value: `printf
/// 'Password: '`.
fn closes(text: &str, name_start: usize, quote: u8) -> bool {
    let line = line_before(text, name_start).as_bytes();
    let is_mark = |at: usize| {
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        // An apostrophe.
        line[at] == quote
            && !(is_letter(at.checked_sub(1).and_then(|at| line.get(at))) && is_letter(line.get(at + 1)))
            && (at == 0 || line[at - 1] != b'\\')
    };
    let is_inside = memchr::memchr_iter(quote, line).filter(|at| is_mark(*at)).count() % 2 == 1;
    if line.last() != Some(&quote) {
        return is_inside;
    }
    // `'name': 'value'`: the quote before the name is closed after it.
    let name = text.as_bytes()[name_start..].iter().take(LINE);
    !name.take_while(|byte| !matches!(byte, b':' | b'=' | b',' | b'\n')).any(|byte| *byte == quote)
}

/// Whether a name is first on its line, apart from indentation, `export` and a diff mark.
fn is_line_start(bytes: &[u8], name_start: usize) -> bool {
    let line = bytes[..name_start].iter().rev().take(64).take_while(|byte| **byte != b'\n').count();
    let before = String::from_utf8_lossy(&bytes[name_start - line..name_start]).into_owned();
    let before = before
        .trim_matches(|character: char| character.is_whitespace() || matches!(character, '+' | '-' | '>' | '"' | '\''));
    let before = before.trim_start_matches(|character: char| character.is_ascii_digit() || character.is_whitespace());
    matches!(before, "" | "export" | "set" | "ENV" | "ARG")
}

/// The part of the line before a position.
fn line_before(text: &str, at: usize) -> &str {
    let before = &text[..at];
    let before = &before[before.ceil_char_boundary(at.saturating_sub(LINE))..];
    &before[memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |line| line + 1)..]
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take(64).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Skips escape sequences of a terminal.
fn colours(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at) == Some(&0x1b) && bytes.get(at + 1) == Some(&b'[') {
        let length = bytes[at + 2..].iter().take(16).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
        at += 2 + length + 1;
    }
    at.min(bytes.len())
}
