//! Windows of a long text, cut at line ends.

/// A part of a text, in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window<'a> {
    pub(super) text: &'a str,
    /// Characters before the window.
    pub(super) from: usize,
    /// Characters up to the end of the window.
    pub(super) to: usize,
    pub(super) total: usize,
}

/// The window of at most `limit` characters after the first `offset`.
pub(super) fn window(text: &str, offset: usize, limit: usize) -> Window<'_> {
    let total = text.chars().count();
    let at = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    let (start, from) = (at(offset), offset.min(total));
    let rest = &text[start..];
    let mut end = rest.char_indices().nth(limit).map_or(rest.len(), |(at, _)| at);
    if end < rest.len()
        && let Some(line) = rest[..end].rfind('\n')
        && line * 2 > end
    {
        end = line + 1;
    }
    let text = &rest[..end];
    Window { text, from, to: from + text.chars().count(), total }
}

impl Window<'_> {
    /// The position of the window and the next offset; `None` when it is the whole text.
    pub(super) fn position(&self) -> Option<String> {
        if self.from == 0 && self.to == self.total {
            return None;
        }
        if self.from >= self.total {
            return Some(format!("nothing left: the text has {} characters, offset is {}", self.total, self.from));
        }
        let next = if self.to < self.total { format!("; next: offset={}", self.to) } else { String::new() };
        Some(format!("characters {}-{} of {}{next}", self.from + 1, self.to, self.total))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_join_to_the_whole_text() {
        let text = "öne\n".repeat(50) + &"x".repeat(100) + "\nlast";
        for limit in [1, 7, 40, 1000] {
            let (mut joined, mut offset) = (String::new(), 0);
            loop {
                let found = window(&text, offset, limit);
                joined.push_str(found.text);
                assert!(found.text.chars().count() <= limit);
                match found.position() {
                    Some(position) if position.contains("next") => offset = found.to,
                    _ => break,
                }
            }
            assert_eq!(joined, text, "{limit}");
        }
        assert_eq!(window("abc", 0, 10).position(), None);
        assert_eq!(window("abc", 9, 10).position().unwrap(), "nothing left: the text has 3 characters, offset is 3");
        assert_eq!(window("a\nb\nc\n", 0, 4).position().unwrap(), "characters 1-4 of 6; next: offset=4");
    }
}
