//! Signs in Perl.

use super::text::{first, pattern};

pattern!(
    SIGNS,
    r"(?x)`|\b(system|exec|fork|qx|readpipe|syscall|eval|unlink|rmtree|rmdir|truncate|rename|rm_rf|rm_f|kill|require|dbmopen)\b|\bdo\s*[^\s{]|\bsocket\b|Socket
    |IPC::|LWP|HTTP::|Net::|CORE::|DynaLoader|XSLoader|Inline|open\s*\(?[^;]*\||\|\s*-?['\x22]|pack\s*\(|\(\?\??\{|&\s*[{$]|\*\s*\{
    |->\s*\$|->\s*can\b|\bdo\s*[\$'\x22]|@ARGV\s*=|push\s*\(?\s*@ARGV|\$ARGV\["
);

pub(super) fn sign(code: &str) -> Option<&str> {
    first(&SIGNS, code).or_else(|| evaluated(code))
}

/// A substitution whose replacement is code: `s/x/y/e`.
fn evaluated(code: &str) -> Option<&str> {
    for (at, _) in code.match_indices('s') {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@' | '%' | '>' | '{');
        if code[..at].ends_with(is_word) {
            continue;
        }
        let rest = code[at + 1..].trim_start();
        let Some(open) =
            rest.chars().next().filter(|c| !c.is_alphanumeric() && !matches!(c, '_' | ',' | ';' | ')' | '='))
        else {
            continue;
        };
        let Some(pattern) = part(rest, open) else { continue };
        let second = match closing(open) {
            same if same == open => pattern,
            _ => {
                let next = pattern.trim_start();
                let Some(open) = next.chars().next() else { continue };
                if closing(open) == open && open.is_alphanumeric() {
                    continue;
                }
                match part(next, open) {
                    Some(after) if flags(after).contains('e') => return Some(&code[at..]),
                    _ => continue,
                }
            }
        };
        if let Some(after) = until(second, open).filter(|after| flags(after).contains('e')) {
            return Some(&code[at..code.len() - after.len() + flags(after).len()]);
        }
    }
    None
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    }
}

/// The text after a delimited part that begins with `open`.
fn part(text: &str, open: char) -> Option<&str> {
    let text = text.strip_prefix(open)?;
    let close = closing(open);
    if close == open {
        return until(text, open);
    }
    let mut depth = 1;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            _ if letter == open => depth += 1,
            _ if letter == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(&text[at + letter.len_utf8()..]);
                }
            }
            _ => {}
        }
    }
    None
}

/// The text after the next unescaped delimiter.
fn until(text: &str, delimiter: char) -> Option<&str> {
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            _ if letter == delimiter => return Some(&text[at + letter.len_utf8()..]),
            _ => {}
        }
    }
    None
}

fn flags(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len()]
}
