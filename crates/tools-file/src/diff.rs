//! The change of a file, as a diff for people and models. Limited in time and length for any file.

use std::{path::Path, sync::Arc, time::Duration};

use similar::{Algorithm, ChangeTag, TextDiff};
use tools_core::FileDiff;

use crate::text::FileText;

/// Number of lines shown around a change.
const CONTEXT: usize = 3;
/// Maximum number of lines of a diff that are shown.
const SHOWN_LINES: usize = 200;
/// Maximum number of characters of a diff line.
const WIDTH: usize = 300;
/// Maximum length in bytes of the texts sent with the result for an editor to render.
const CARRIED: usize = 256 * 1024;

/// The difference between two texts; `before` is `None` for a new file.
pub fn diff(path: &Path, before: Option<&str>, after: &str) -> FileDiff {
    let old = before.unwrap_or_default();
    let cut = DiffWindow::of(old, after);
    let changes = TextDiff::configure()
        .algorithm(Algorithm::Histogram)
        .timeout(Duration::from_millis(200))
        .diff_lines(&old[cut.start..cut.old_end], &after[cut.start..cut.new_end]);
    let (mut added, mut removed) = (0, 0);
    for change in changes.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => added += 1,
            ChangeTag::Delete => removed += 1,
            ChangeTag::Equal => {}
        }
    }
    let carried = |text: &str| (text.len() <= CARRIED).then(|| Arc::from(text));
    FileDiff {
        path: path.to_path_buf(),
        unified: bounded(
            &cut.renumbered(&changes.unified_diff().context_radius(CONTEXT).missing_newline_hint(true).to_string()),
        ),
        added,
        removed,
        before: before.and_then(carried),
        after: carried(after),
    }
}

/// The part in which two texts differ, with the lines around it, so that a small change of a long
/// file is cheap.
#[derive(Debug, PartialEq, Eq)]
struct DiffWindow {
    start: usize,
    old_end: usize,
    new_end: usize,
    /// Number of lines before it.
    skipped: usize,
}

impl DiffWindow {
    fn of(old: &str, new: &str) -> Self {
        let (old, new) = (old.as_bytes(), new.as_bytes());
        let same = common(old.chunks(STEP).zip(new.chunks(STEP)), |chunk| chunk.iter());
        // Cuts at line boundaries and keeps some context.
        let line_start = memchr::memrchr(b'\n', &old[..same]).map_or(0, |at| at + 1);
        let start = memchr::memrchr_iter(b'\n', &old[..line_start]).nth(CONTEXT).map_or(0, |at| at + 1);
        let (old_rest, new_rest) = (&old[line_start..], &new[line_start..]);
        let same = common(old_rest.rchunks(STEP).zip(new_rest.rchunks(STEP)), |chunk| chunk.iter().rev());
        let same = same.min(old_rest.len()).min(new_rest.len());
        let end = &old[old.len() - same..];
        let kept = memchr::memchr_iter(b'\n', end).nth(CONTEXT).map_or(end.len(), |at| at + 1);
        let left_out = end.len() - kept;
        let skipped = memchr::memchr_iter(b'\n', &old[..start]).count();
        Self { start, old_end: old.len() - left_out, new_end: new.len() - left_out, skipped }
    }

    /// The diff of the part, with the line numbers of the whole file.
    fn renumbered(&self, unified: &str) -> String {
        if self.skipped == 0 {
            return unified.to_owned();
        }
        let range = |range: &str| -> Option<String> {
            let (sign, numbers) = range.split_at_checked(1)?;
            let (first, count) = numbers.split_once(',').map_or((numbers, None), |(first, count)| (first, Some(count)));
            let first = first.parse::<usize>().ok()? + self.skipped;
            Some(count.map_or_else(|| format!("{sign}{first}"), |count| format!("{sign}{first},{count}")))
        };
        let header = |line: &str| -> Option<String> {
            let (old, new) = line.strip_prefix("@@ ")?.strip_suffix(" @@\n")?.split_once(' ')?;
            Some(format!("@@ {} {} @@\n", range(old)?, range(new)?))
        };
        unified.split_inclusive('\n').map(|line| header(line).unwrap_or_else(|| line.to_owned())).collect()
    }
}

/// Number of bytes compared at once.
const STEP: usize = 4096;

/// Number of equal bytes from the beginning of `pairs`.
fn common<'a, I: Iterator<Item = &'a u8>>(
    pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    bytes: impl Fn(&'a [u8]) -> I,
) -> usize {
    let mut same = 0;
    for (a, b) in pairs {
        if a != b {
            return same + bytes(a).zip(bytes(b)).take_while(|(a, b)| a == b).count();
        }
        same += a.len();
    }
    same
}

/// The text of a file for display; `None` for one that is binary or too long to compare.
pub(crate) fn lossy_text(content: &[u8]) -> Option<String> {
    const MAX_COMPARED_BYTES: usize = 4 * 1024 * 1024;
    if content.len() > MAX_COMPARED_BYTES {
        return None;
    }
    FileText::of(content, Path::new("")).ok().map(|decoded| decoded.shown(&decoded.text).into_owned())
}

fn bounded(unified: &str) -> String {
    let mut lines = unified.lines();
    let mut text = String::new();
    for line in lines.by_ref().take(SHOWN_LINES) {
        text.extend(line.chars().take(WIDTH));
        if line.chars().nth(WIDTH).is_some() {
            text.push('…');
        }
        text.push('\n');
    }
    match lines.count() {
        0 => text,
        more => text + &format!("… {more} more lines of the diff are not shown\n"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_diff_of_the_part_that_differs_is_the_diff_of_the_whole(
            before in "([abc]\n){0,12}[ab]?", middle in "([abc]\n){0,3}[ab]?", after in "([abc]\n){0,12}[ab]?",
            other in "([abc]\n){0,3}[ab]?",
        ) {
            let long = "line\n".repeat(20);
            let old = format!("{long}{before}{middle}{after}{long}");
            let new = format!("{long}{before}{other}{after}{long}");
            let change = diff(Path::new("f"), Some(&old), &new);
            // Applying the diff gives the new text.
            let (mut lines, mut result) = (old.split_inclusive('\n'), String::new());
            let mut at = 1;
            for line in change.unified.split_inclusive('\n') {
                if let Some(rest) = line.strip_prefix("@@ -") {
                    let first: usize = rest.split([',', ' ']).next().unwrap().parse().unwrap();
                    result.extend(lines.by_ref().take(first - at));
                    at = first;
                    continue;
                }
                match line.split_at(1) {
                    ("+", text) => result.push_str(text),
                    (sign, text) => {
                        prop_assert_eq!(lines.next(), Some(text));
                        at += 1;
                        if sign == " " {
                            result.push_str(text);
                        }
                    }
                }
            }
            result.extend(lines);
            prop_assert_eq!(result, new);
        }
    }

    #[test]
    fn a_diff_counts_everything_and_shows_a_bounded_part() {
        let change = diff(Path::new("f"), Some("a\nb\nc\n"), "a\nB\nc\n");
        assert_eq!((change.added, change.removed), (1, 1));
        assert_eq!(change.unified, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        let long = "line\n".repeat(5000);
        let change = diff(Path::new("f"), None, &long);
        assert_eq!((change.added, change.before), (5000, None));
        assert!(change.unified.lines().count() <= SHOWN_LINES + 1 && change.unified.contains("are not shown"));
        assert!(diff(Path::new("f"), None, &"x".repeat(100_000)).unified.len() < 1000);
    }
}
