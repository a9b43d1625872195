//! Splits text into words: names as written, and their parts (`parseHTTPDate` has `parse`, `http`,
//! `date`).

/// Maximum length of a name: longer ones are data.
const MAX_NAME_CHARS: usize = 80;

/// Keywords that introduce a definition in some language: the next name is likely defined there.
const INTRODUCING: &[&[u8]] = &[
    b"fn",
    b"struct",
    b"enum",
    b"trait",
    b"type",
    b"mod",
    b"union",
    b"const",
    b"static",
    b"def",
    b"class",
    b"function",
    b"func",
    b"interface",
    b"namespace",
    b"var",
    b"let",
    b"record",
    b"define",
    b"typedef",
    b"concept",
    b"using",
    b"mut",
    b"package",
    b"macro_rules",
    b"module",
];

/// One name in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) at: usize,
    /// Whether the name may be defined here, according to its neighbours.
    pub(crate) may_define: bool,
}

fn begins(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn goes_on(byte: u8) -> bool {
    begins(byte) || byte.is_ascii_digit()
}

/// The names in a text, in their order.
pub(crate) fn words(text: &[u8]) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    let mut introduced = false;
    std::iter::from_fn(move || {
        loop {
            let byte = *text.get(at)?;
            if begins(byte) {
                let start = at;
                while at < text.len() && goes_on(text[at]) {
                    at += 1;
                }
                let word = &text[start..at];
                // `f(`, and `f = …` and `f: …` in languages that define without a keyword; prose
                // has neither.
                let next = text[at..].iter().find(|byte| **byte != b' ').copied();
                let may_define =
                    introduced || matches!(next, Some(b'(' | b'=' | b':' | b'<' | b'{' | b',' | b';' | b'}'));
                introduced = INTRODUCING.contains(&word);
                if word.len() > MAX_NAME_CHARS {
                    continue;
                }
                return Some(Word { text: word, at: start, may_define });
            }
            if byte.is_ascii_digit() {
                // Skips a number with its suffix: `0xff`, `10u64`.
                while at < text.len() && goes_on(text[at]) {
                    at += 1;
                }
                introduced = false;
                continue;
            }
            introduced &= matches!(byte, b' ' | b'\t' | b'!' | b'\n' | b'\r' | b'*' | b'&');
            at += 1;
        }
    })
}

/// The parts of a name in lower case and stemmed: `HTTPServers` gives `http` and `server`.
pub(crate) fn parts(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut parts = Vec::new();
    let mut part = String::new();
    for (at, &character) in characters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| characters[before]);
        let next = characters.get(at + 1);
        let turns = before.is_some_and(|before| {
            (before.is_lowercase() && character.is_uppercase())
                || (before.is_uppercase() && character.is_uppercase() && next.is_some_and(|next| next.is_lowercase()))
                || (before.is_alphabetic() && character.is_numeric())
        });
        if turns || !character.is_alphanumeric() {
            push(&mut parts, std::mem::take(&mut part));
        }
        if character.is_alphanumeric() {
            part.extend(character.to_lowercase());
        }
    }
    push(&mut parts, part);
    parts
}

fn push(parts: &mut Vec<String>, part: String) {
    if part.chars().count() >= 2 {
        parts.push(stem(part));
    }
}

/// A word without its usual English ending, so that `checks` matches `check`, and `parsing` matches
/// `parse`.
fn stem(word: String) -> String {
    if !word.is_ascii() || word.len() < 5 {
        return word;
    }
    let cut = |end: &str, least: usize| word.strip_suffix(end).filter(|rest| rest.len() >= least);
    let rest = if let Some(rest) = cut("ies", 3) {
        return format!("{rest}y");
    } else if let Some(rest) = cut("sses", 2) {
        return format!("{rest}ss");
    } else if let Some(rest) = cut("ing", 4).or_else(|| cut("ed", 4)) {
        let bytes = rest.as_bytes();
        match bytes {
            // `stopped` is `stop`.
            [.., a, b] if a == b && !b"lsz".contains(a) => &rest[..rest.len() - 1],
            _ => rest,
        }
    } else if let Some(rest) = cut("s", 4).filter(|rest| !rest.ends_with(['s', 'u', 'i'])) {
        rest
    } else {
        word.as_str()
    };
    rest.strip_suffix('e').filter(|rest| rest.len() >= 4).unwrap_or(rest).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_with_what_stands_around_them() {
        let check = |text: &str, expected: &[(&str, bool)]| {
            let found: Vec<_> = words(text.as_bytes())
                .map(|word| (String::from_utf8_lossy(word.text).into_owned(), word.may_define))
                .collect();
            let expected: Vec<_> = expected.iter().map(|(name, defines)| ((*name).to_owned(), *defines)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("fn read it", &[("fn", false), ("read", true), ("it", false)]);
        check("let x1 = 0xffu8 + größe", &[("let", false), ("x1", true), ("größe", false)]);
        check("macro_rules! same", &[("macro_rules", false), ("same", true)]);
        check("call (x)", &[("call", true), ("x", false)]);
        check("", &[]);
    }

    #[test]
    fn names_have_parts_without_endings() {
        let check = |name: &str, expected: &[&str]| assert_eq!(parts(name), expected, "{name}");
        check("parseHTTPDate", &["pars", "http", "date"]);
        check("parsing_dates", &["pars", "date"]);
        check("stopped", &["stop"]);
        check("policies", &["policy"]);
        check("utf8", &["utf"]);
        check("class", &["class"]);
        check("__", &[]);
    }
}
