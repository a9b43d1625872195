//! Cuts lines for display. The placeholder of a credential is never cut or rewritten: a part of it
//! could be mistaken for a credential.

use std::ops::Range;

use tools_core::placeholders;

/// About `width` characters of a line, starting at character `from`. A placeholder at either end is
/// shown whole or omitted.
pub(super) fn cut(line: &str, from: usize, width: usize) -> String {
    let byte = |at: usize| line.char_indices().nth(at).map_or(line.len(), |(byte, _)| byte);
    part(line, byte(from)..byte(from + width))
}

/// A part of a line by its byte range, with marks where text is omitted.
pub(super) fn part(line: &str, bytes: Range<usize>) -> String {
    let Range { mut start, mut end } = bytes;
    for placeholder in placeholders(line).map(|found| found.range) {
        if placeholder.start < start && start < placeholder.end {
            start = placeholder.start;
        }
        if placeholder.start < end && end < placeholder.end {
            // A placeholder at the beginning must be shown; otherwise nothing would be.
            end = if placeholder.start <= start { placeholder.end } else { placeholder.start };
        }
    }
    let ellipsis = |is_cut: bool| if is_cut { "…" } else { "" };
    format!("{}{}{}", ellipsis(start > 0), &line[start..end], ellipsis(end < line.len()))
}

/// A text with its characters rewritten, except inside placeholders.
pub(super) fn rewritten(text: &str, write: fn(char) -> String) -> String {
    let mut written = String::with_capacity(text.len());
    let mut from = 0;
    for placeholder in placeholders(text).map(|found| found.range) {
        written.extend(text[from..placeholder.start].chars().map(write));
        written.push_str(&text[placeholder.clone()]);
        from = placeholder.end;
    }
    written.extend(text[from..].chars().map(write));
    written
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLACEHOLDER: &str = "«secret:password#1·mbakur»";

    #[test]
    fn a_placeholder_is_shown_whole_or_not_at_all() {
        let line = format!("a password {PLACEHOLDER} and more");
        let check = |from: usize, width: usize, expected: &str| assert_eq!(cut(&line, from, width), expected);
        check(0, 8, "a passwo…");
        check(0, 14, "a password …");
        check(2, 200, &format!("…password {PLACEHOLDER} and more"));
        check(14, 28, &format!("…{PLACEHOLDER} and …"));
        check(14, 3, &format!("…{PLACEHOLDER}…"));
        assert_eq!(rewritten("é «x» «secret:key#1·ab»", |c| c.escape_unicode().to_string()).matches('«').count(), 1);
    }

    proptest! {
        #[test]
        fn no_part_cuts_a_placeholder(
            before in "[a-z«» ]{0,12}", after in "[a-z«» ]{0,12}", from in 0_usize..60, width in 0_usize..60,
        ) {
            let shown = cut(&format!("{before}{PLACEHOLDER}{after}"), from, width);
            prop_assert_eq!(shown.contains("secret:"), shown.contains(PLACEHOLDER), "{}", shown);
            prop_assert!(shown.contains(PLACEHOLDER) || !shown.contains("mbakur"), "{}", shown);
        }
    }
}
