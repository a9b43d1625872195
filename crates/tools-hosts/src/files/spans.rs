//! The ranges that were inserted into a text: enough to remove them again exactly, without a copy
//! of the text, which may contain credentials.

/// Inserted ranges of a text: begin and end of each, in bytes.
pub type Spans = Vec<(usize, usize)>;

/// The ranges of `after` that are not in `before`; `None` if a part of `before` is missing.
pub fn inserted(before: &str, after: &str) -> Option<Spans> {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    // Matches the equal end first, so that an entry at the end is one range.
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let mut spans = Spans::new();
    let mut rest = &old[..old.len() - tail];
    let limit = new.len() - tail;
    for (at, byte) in new[..limit].iter().enumerate() {
        if rest.first() == Some(byte) {
            rest = &rest[1..];
            continue;
        }
        match spans.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => spans.push((at, at + 1)),
        }
    }
    rest.is_empty().then_some(spans)
}

/// The text without these ranges; `None` if they do not fit the text.
pub fn without(text: &str, spans: &[(usize, usize)]) -> Option<String> {
    let bytes = text.as_bytes();
    let mut kept = Vec::with_capacity(bytes.len());
    let mut from = 0;
    for (start, end) in spans {
        kept.extend_from_slice(bytes.get(from..*start)?);
        from = *end;
    }
    kept.extend_from_slice(bytes.get(from..)?);
    String::from_utf8(kept).ok()
}
