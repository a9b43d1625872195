//! What was put into a text: enough to take it out again to the byte, without a copy of the text
//! itself, which may hold credentials.

/// Places in a text that were put in: begin and end of each, in bytes.
pub type Spans = Vec<(usize, usize)>;

/// The text that `after` has beyond `before`; `None` where something of `before` is missing in it.
pub fn inserted(before: &str, after: &str) -> Option<Spans> {
    let (old, new) = (before.as_bytes(), after.as_bytes());
    // From the end on what is equal, so that an entry at the end is one piece.
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

/// The text without these places; `None` where they do not fit it.
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
