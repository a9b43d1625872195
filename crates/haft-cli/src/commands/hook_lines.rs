//! Removes lines of closed files from the result of a host's search.

use std::path::Path;

/// Removes lines of the form `PATH:LINE:TEXT`, `PATH-LINE-TEXT` or `PATH:TEXT` whose path
/// `is_closed`, and appends their number; `None` if there are none.
pub(super) fn without_lines(text: &str, is_closed: &impl Fn(&Path) -> bool) -> Option<String> {
    let is_left_out = |line: &str| paths(line).any(|path| is_closed(Path::new(path)));
    let kept: Vec<&str> = text.split('\n').filter(|line| !is_left_out(line)).collect();
    let left_out = text.split('\n').count() - kept.len();
    let what = if left_out == 1 { "line of a closed file is" } else { "lines of closed files are" };
    (left_out > 0).then(|| format!("{}\n[{left_out} {what} not shown]", kept.join("\n")))
}

/// Possible paths of a line: the text before each colon, and before each number between dashes. A
/// path may itself contain either.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    const MOST: usize = 8;
    let separators = line.match_indices([':', '-']).filter(|(at, separator)| {
        let rest = &line[at + 1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        *separator == ":" || (digits > 0 && rest[digits..].starts_with('-'))
    });
    separators.take(MOST).map(|(at, _)| &line[..at]).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_closed_files_are_counted_and_left_out() {
        let is_closed = |path: &Path| path == Path::new(".env") || path.starts_with("a-1-b/secrets");
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(without_lines(text, &is_closed).as_deref(), expected, "{text}");
        };
        check("src/a.rs:1:x\nsrc/b.rs-2-.env:y\n", None);
        check(
            "a:1:x\n.env:1:KEY=1\n.env-2-KEY=2\nb:1:y",
            Some("a:1:x\nb:1:y\n[2 lines of closed files are not shown]"),
        );
        check(".env:KEY=1", Some("\n[1 line of a closed file is not shown]"));
        check("a-1-b/secrets/k:3:z\n--\n", Some("--\n\n[1 line of a closed file is not shown]"));
        check("::::\n-1-\nno separator", None);
    }
}
