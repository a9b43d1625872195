//! Rulers: one beside a title is shortened, one alone is dropped. Marks that point into the line
//! above are not rulers.

use std::sync::LazyLock;

use regex::Regex;

use crate::{emit::Emitter, lines::regex};

/// A ruler with or without a title, but not marks that point into the line above.
static RULED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:={3,}|-{3,}|_{3,}|─{3,}|━{3,}|⎯{3,}|\*{3,}|#{3,})(?:[^\^┬┴╰╭]*[^\^┬┴╰╭ ])?$"));
static RULER: LazyLock<Regex> = LazyLock::new(|| regex(r"={6,}|-{8,}|_{6,}|─{6,}|━{6,}|⎯{6,}|\*{8,}|#{8,}"));

/// A cheap check whether a line may have a ruler.
fn may_have_ruler(line: &str) -> bool {
    let runs = |sign: &str| line.contains(sign);
    ["======", "------", "______", "******", "######"].iter().any(|sign| runs(sign)) || !line.is_ascii()
}

/// Keeps a line with its ruler shortened; drops a line that is only a ruler.
pub(super) fn shorten(line: &str, out: &mut Emitter<'_>) {
    if may_have_ruler(line) && RULED.is_match(line) && RULER.is_match(line) {
        if line.chars().all(|sign| line.starts_with(sign)) {
            return out.fold(line);
        }
        let short = RULER.replace_all(line, |found: &regex::Captures<'_>| found[0].chars().take(3).collect::<String>());
        out.fold(line);
        out.write(&short);
    } else {
        out.keep(line);
    }
}
