//! With what a file indents its lines, and new text written that way.

use std::borrow::Cow;

use super::indentation;

/// With what all indented lines of a text begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Tabs,
    /// The fewest that any line has.
    Spaces(usize),
}

impl Style {
    /// `None` when nothing is indented, or not all in one way.
    fn of(text: &str) -> Option<Self> {
        let mut style = None;
        // A single space is no indentation: comments go on that way.
        for line in text.lines().filter(|line| line.starts_with('\t') || line.starts_with("  ")) {
            let width = line.len() - line.trim_start_matches(' ').len();
            style = match (style, width) {
                (None | Some(Self::Tabs), 0) => Some(Self::Tabs),
                (None, width) => Some(Self::Spaces(width)),
                (Some(Self::Spaces(least)), 1..) => Some(Self::Spaces(least.min(width))),
                _ => return None,
            };
        }
        style
    }
}

/// `new` with its indentation written as `file` writes it; as it is where `old` or the file leave that open.
///
/// Steps of the indentation are counted, not blanks: what is left over stays as it is.
pub(super) fn in_style_of<'a>(file: &str, old: &str, new: &'a str) -> Cow<'a, str> {
    let Some(written) = Style::of(new) else { return Cow::Borrowed(new) };
    let Some(wanted) = Style::of(file) else { return Cow::Borrowed(new) };
    let (from, to) = match (written, wanted) {
        (Style::Spaces(least), Style::Tabs) => (" ".repeat(if least > 4 { 4 } else { least }), "\t".to_owned()),
        (Style::Tabs, Style::Spaces(least)) => ("\t".to_owned(), " ".repeat(if least > 8 { 4 } else { least })),
        _ => return Cow::Borrowed(new),
    };
    // The old text is indented like the new: how that compares with the file is seen there.
    if old.lines().any(|line| line.starts_with(&from)) {
        return Cow::Borrowed(new);
    }
    let line = |line: &str| {
        let indent = indentation(line);
        let steps = indent.len() / from.len();
        match indent.strip_prefix(&from.repeat(steps)) {
            Some(rest) => to.repeat(steps) + rest + &line[indent.len()..],
            None => line.to_owned(),
        }
    };
    Cow::Owned(new.split('\n').map(line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_text_is_indented_as_the_file_is() {
        let check =
            |file: &str, old: &str, new: &str, expected: &str| assert_eq!(in_style_of(file, old, new), expected);
        check("a {\n\tb\n}\n", "c", "c {\n    d\n        e\n}", "c {\n\td\n\t\te\n}");
        check("a {\n\tb\n}\n", "c", "c {\n  d\n    e\n     f\n}", "c {\n\td\n\t\te\n\t\t f\n}");
        check("a:\n  b:\n    c\n", "x", "x:\n\ty:\n\t\tz", "x:\n  y:\n    z");
        check("a\n", "c", "c {\n    d\n}", "c {\n    d\n}");
        check("a\n\tb\n    c\n", "c", "c {\n    d\n}", "c {\n    d\n}");
        check("a\n\tb\n", "c\n    d", "c {\n    d\n}", "c {\n    d\n}");
        check("/*\n * a\n */\n\tb\n", "c", "c\n  d", "c\n\td");
    }
}
