//! What changed in a file, as a diff for people and models. Bounded in time and length, whatever the file.

use std::{path::Path, sync::Arc, time::Duration};

use similar::{Algorithm, ChangeTag, TextDiff};
use tools_core::FileDiff;

use crate::text::Decoded;

/// Lines of a diff that are shown.
const SHOWN: usize = 200;
/// Characters of one of its lines.
const WIDTH: usize = 300;
/// Texts that travel with the result for an editor to render.
const CARRIED: usize = 256 * 1024;

/// The difference between two texts; `before` is `None` for a new file.
pub(crate) fn diff(path: &Path, before: Option<&str>, after: &str) -> FileDiff {
    let old = before.unwrap_or_default();
    let changes = TextDiff::configure()
        .algorithm(Algorithm::Histogram)
        .timeout(Duration::from_millis(200))
        .diff_lines(old, after);
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
        unified: bounded(&changes.unified_diff().context_radius(3).missing_newline_hint(true).to_string()),
        added,
        removed,
        before: before.and_then(carried),
        after: carried(after),
    }
}

/// The text of a file for showing it; `None` for one that is binary or too long to compare.
pub(crate) fn lossy_text(content: &[u8]) -> Option<String> {
    const LONGEST: usize = 4 * 1024 * 1024;
    if content.len() > LONGEST {
        return None;
    }
    Decoded::of(content, Path::new("")).ok().map(|decoded| decoded.text)
}

fn bounded(unified: &str) -> String {
    let mut lines = unified.lines();
    let mut text = String::new();
    for line in lines.by_ref().take(SHOWN) {
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
    use super::*;

    #[test]
    fn a_diff_counts_everything_and_shows_a_bounded_part() {
        let change = diff(Path::new("f"), Some("a\nb\nc\n"), "a\nB\nc\n");
        assert_eq!((change.added, change.removed), (1, 1));
        assert_eq!(change.unified, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
        let long = "line\n".repeat(5000);
        let change = diff(Path::new("f"), None, &long);
        assert_eq!((change.added, change.before), (5000, None));
        assert!(change.unified.lines().count() <= SHOWN + 1 && change.unified.contains("are not shown"));
        assert!(diff(Path::new("f"), None, &"x".repeat(100_000)).unified.len() < 1000);
    }
}
