//! The patterns that a pattern with `{a,b}` stands for.

use std::borrow::Cow;

/// All of them; `None` when there are more than `most`.
pub(super) fn expanded(glob: &str, most: usize) -> Option<Vec<Cow<'_, str>>> {
    let mut done = Vec::new();
    let mut open = vec![Cow::Borrowed(glob)];
    while let Some(glob) = open.pop() {
        let Some((before, choices, after)) = first_choice(&glob) else {
            done.push(glob);
            continue;
        };
        if done.len() + open.len() + choices.len() > most {
            return None;
        }
        open.extend(choices.iter().map(|choice| Cow::Owned(format!("{before}{choice}{after}"))));
    }
    Some(done)
}

/// What stands before the first `{…}`, what it chooses from, and what stands behind.
pub(super) fn first_choice(glob: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (mut depth, mut start, mut begin, mut choices) = (0_usize, 0, 0, Vec::new());
    let mut at = 0;
    while let Some(character) = glob[at..].chars().next() {
        let next = at + character.len_utf8();
        match character {
            '\\' => {
                at = next + glob[next..].chars().next().map_or(0, char::len_utf8);
                continue;
            }
            '[' => {
                at = next + class_length(&glob[next..]);
                continue;
            }
            '{' => {
                depth += 1;
                if depth == 1 {
                    (start, begin) = (at, next);
                }
            }
            ',' if depth == 1 => {
                choices.push(&glob[begin..at]);
                begin = next;
            }
            '}' if depth == 1 => {
                choices.push(&glob[begin..at]);
                return Some((&glob[..start], choices, &glob[next..]));
            }
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at = next;
    }
    None
}

/// How long the rest of a class is behind its `[`. A `]` right at its beginning, or behind a
/// negation, belongs to it.
fn class_length(rest: &str) -> usize {
    let inner = rest.strip_prefix(['!', '^']).unwrap_or(rest);
    let inner = inner.strip_prefix(']').unwrap_or(inner);
    rest.len() - inner.split_once(']').map_or("", |(_, behind)| behind).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_choice_is_a_pattern() {
        let check = |glob: &str, expected: &[&str]| {
            let mut found = expanded(glob, 8).unwrap();
            found.sort_unstable();
            assert_eq!(found, expected, "{glob}");
        };
        check("wc{, *}", &["wc", "wc *"]);
        check("{a,b{c,d}} x", &["a x", "bc x", "bd x"]);
        check("a,b", &["a,b"]);
        check(r"\{a,b\}", &[r"\{a,b\}"]);
        check("[{]a,b]", &["[{]a,b]"]);
        check("[]{]{a,b}", &["[]{]a", "[]{]b"]);
        check("{[,],b}x", &["[,]x", "bx"]);
        assert_eq!(expanded(&"{a,b}".repeat(9), 8), None);
    }
}
