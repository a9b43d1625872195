//! Values given to names of credentials, in whatever syntax: environment, YAML, JSON (also escaped), TOML, INI, XML, PHP,
//! SQL, command-line flags, headers, diffs, coloured text.

use super::{name::is_credential_key, scan::Finding, value};

/// How long a name may be.
const LONGEST_NAME: usize = 128;
/// How long a value is read.
const LONGEST_VALUE: usize = 8192;

/// Looks at the name around a keyword. Names that end before `done` were looked at.
pub(super) fn find(text: &str, start: usize, end: usize, done: &mut usize, findings: &mut Vec<Finding>) {
    if start < *done {
        return;
    }
    let name = name_around(text, start, end);
    *done = name.1;
    let bytes = text.as_bytes();
    let is_statement = text[start..end].eq_ignore_ascii_case("identified by");
    if !is_statement && !is_credential_key(&text[name.0..name.1]) {
        return;
    }
    let Some((from, style)) = separator(text, name) else { return };
    let Some((from, to)) = extent(text, from, style, name.0) else { return };
    let found = &text[from..to];
    let is_found = match style {
        // What a statement or a flag called password takes is one.
        Style::Statement => value::is_password(found) && value::is_secret_length(found),
        _ => value::is_secret(found),
    };
    if is_found {
        findings.push(Finding { start: from, end: to, kind: kind(&text[name.0..name.1]) });
        // What follows inside the value was judged with it.
        *done = (*done).max(to.min(bytes.len()));
    }
}

fn name_around(text: &str, start: usize, end: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let before = bytes[..start].iter().rev().take(LONGEST_NAME).take_while(|byte| is_part(**byte)).count();
    let mut from = start - before;
    // `\npassword` in escaped text, `ESC[31mTOKEN` in coloured text.
    if before > 0 && !super::provider::is_inside_word(bytes, from + 1) && from + 1 < start {
        let first = bytes[from];
        if matches!(first, b'n' | b't' | b'r') && from > 0 && bytes[from - 1] == b'\\' {
            from += 1;
        }
    }
    let colour = bytes[from..start].iter().take(4).position(|byte| *byte == b'm');
    if from > 0
        && bytes[from - 1] == b'['
        && let Some(at) = colour
    {
        from += at + 1;
    }
    // The dashes of a flag, the mark of a diff.
    from += bytes[from..start].iter().take_while(|byte| **byte == b'-').count();
    let after = bytes[end..].iter().take(LONGEST_NAME).take_while(|byte| is_part(**byte)).count();
    (from, end + after)
}

/// How a value is joined to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `name = value`, `name: value`, `'name' => value`.
    Assigned,
    /// `<name>value</name>`.
    Element,
    /// `PASSWORD 'value'`, `--password value`.
    Statement,
}

/// Where the value begins.
fn separator(text: &str, (name_start, name_end): (usize, usize)) -> Option<(usize, Style)> {
    let bytes = text.as_bytes();
    let mut at = colours(bytes, name_end);
    if bytes.get(at) == Some(&b'>') && name_start > 0 && bytes[name_start - 1] == b'<' {
        return Some((at + 1, Style::Element));
    }
    let is_quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
    let mut quoted = false;
    while let Some(byte) = bytes.get(at) {
        match byte {
            byte if is_quote(*byte) => quoted = true,
            b'\\' | b']' => {}
            _ => break,
        }
        at += 1;
    }
    let gap = bytes[at..].iter().take(64).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_flag = name_start >= 2 && &bytes[name_start - 2..name_start] == b"--";
    let after = at + gap;
    let style = match bytes.get(after)? {
        b':' | b'=' => Style::Assigned,
        // `define('DB_PASSWORD', 'value')`
        b',' if quoted => Style::Assigned,
        // `PASSWORD 'value'`, `IDENTIFIED BY 'value'`
        byte if gap > 0 && is_quote(*byte) => return Some((after, Style::Statement)),
        _ if is_flag && gap == 1 => return Some((after, Style::Assigned)),
        _ => return None,
    };
    // `arn:aws:secretsmanager:…:secret:name`: a part of a longer name.
    let is_part = name_start > 0 && bytes[name_start - 1] == b':' && !matches!(bytes.get(after + 1), Some(b' ' | b'"'));
    if is_part && bytes[after] == b':' {
        return None;
    }
    let mut at = after + 1;
    // `:=`, `=>`, `==`
    while matches!(bytes.get(at), Some(b'=' | b'>' | b':')) && at < after + 3 {
        at += 1;
    }
    Some((at, style))
}

/// Past the escape sequences of a terminal.
fn colours(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at) == Some(&0x1b) && bytes.get(at + 1) == Some(&b'[') {
        let length = bytes[at + 2..].iter().take(16).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
        at += 2 + length + 1;
    }
    at.min(bytes.len())
}

/// Where the value begins and ends.
fn extent(text: &str, from: usize, style: Style, name_start: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    at += bytes.get(at..)?.iter().take(64).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    at = colours(bytes, at);
    let escape = bytes.get(at) == Some(&b'\\') && matches!(bytes.get(at + 1), Some(b'"' | b'\''));
    at += usize::from(escape);
    let quote = bytes.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let start = at + usize::from(quote.is_some());
    let rest = text.get(start..)?;
    let rest = &rest[..rest.floor_char_boundary(LONGEST_VALUE)];
    let line_start = is_line_start(bytes, name_start);
    let ends = |character: char| match (style, quote) {
        (Style::Element, _) => matches!(character, '<' | '\n'),
        (_, Some(quote)) => character == char::from(quote) || character == '\n' || (escape && character == '\\'),
        (_, None) if character.is_whitespace() || matches!(character, '"' | '\'' | '\x1b' | '`') => true,
        // A line of its own has one value; elsewhere others may follow.
        (_, None) => !line_start && matches!(character, ';' | '&' | ',' | '<' | '\\'),
    };
    let end = start + rest.find(ends).unwrap_or(rest.len());
    let value = text[start..end]
        .trim_end_matches(|character: char| quote.is_none() && matches!(character, ',' | ';' | '\\') && !line_start);
    // A call or an index goes on behind the quote: `os.environ["…`.
    Some((start, start + value.len()))
}

/// Whether a name is the first of its line, but for indentation, `export`, and the mark of a diff.
fn is_line_start(bytes: &[u8], name_start: usize) -> bool {
    let line = bytes[..name_start].iter().rev().take(64).take_while(|byte| **byte != b'\n').count();
    let before = String::from_utf8_lossy(&bytes[name_start - line..name_start]).into_owned();
    let before = before
        .trim_matches(|character: char| character.is_whitespace() || matches!(character, '+' | '-' | '>' | '"' | '\''));
    matches!(before, "" | "export" | "set" | "ENV" | "ARG")
}

/// The kind that a name tells of.
fn kind(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let table = [
        ("pass", "password"),
        ("pwd", "password"),
        ("identified", "password"),
        ("token", "token"),
        ("jwt", "token"),
        ("key", "key"),
        ("auth", "authorization"),
        ("secret", "secret"),
    ];
    table.iter().find(|(part, _)| name.contains(part)).map_or("secret", |(_, kind)| kind)
}
