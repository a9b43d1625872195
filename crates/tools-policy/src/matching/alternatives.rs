//! Expands `{a,b}` in patterns.

use std::borrow::Cow;

use tools_sandbox::first_group;

/// All expanded patterns; `None` if there are more than `most`.
pub(super) fn expanded(glob: &str, most: usize) -> Option<Vec<Cow<'_, str>>> {
    let mut done = Vec::new();
    let mut open = vec![Cow::Borrowed(glob)];
    while let Some(glob) = open.pop() {
        let Ok(Some(group)) = first_group(&glob) else {
            done.push(glob);
            continue;
        };
        if done.len() + open.len() + group.parts.len() > most {
            return None;
        }
        open.extend(group.each().map(Cow::Owned).collect::<Vec<_>>());
    }
    Some(done)
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
