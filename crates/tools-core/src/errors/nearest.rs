//! Names close to a mistyped one, and lists of names as a phrase.

use std::fmt::Display;

/// The candidates that are close to `name`, best first, at most three.
///
/// Empty when nothing is close: a far-fetched suggestion misleads more than none.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (closeness(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.6)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.truncate(3);
    scored.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Names in backticks, separated by commas; empty for none.
pub fn quoted<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Names in backticks as one phrase, as in "`a`, `b` or `c`"; empty for none.
pub fn either<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The question "did you mean …?" with near names; `None` without any.
///
/// ```
/// use tools_core::{did_you_mean, nearest};
///
/// let near = nearest("raed", ["read", "write"]);
/// assert_eq!(did_you_mean(&near).as_deref(), Some("did you mean `read`?"));
/// ```
pub fn did_you_mean<S: AsRef<str>>(near: &[S]) -> Option<String> {
    (!near.is_empty()).then(|| format!("did you mean {}?", either(near)))
}

fn closeness(wanted: &str, candidate: &str) -> f64 {
    let contained =
        wanted.len() >= 3 && candidate.len() >= 3 && (candidate.contains(wanted) || wanted.contains(candidate));
    let edits = strsim::normalized_damerau_levenshtein(wanted, candidate);
    if contained { edits.max(0.75) } else { edits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_typos_and_parts_and_nothing_far_fetched() {
        let names = ["read", "read_overflow", "write", "grep", "bash", "timeout", "allowed_paths"];
        let check = |name: &str, expected: &[&str]| assert_eq!(nearest(name, names), expected, "{name}");
        check("raed", &["read"]);
        check("Read", &["read", "read_overflow"]);
        check("time_out", &["timeout"]);
        check("allow_paths", &["allowed_paths"]);
        check("kubernetes", &[]);
        check("", &[]);
    }

    #[test]
    fn names_are_one_phrase() {
        assert_eq!(either::<&str>(&[]), "");
        assert_eq!(either(&["a"]), "`a`");
        assert_eq!(either(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(did_you_mean::<&str>(&[]), None);
        assert_eq!(did_you_mean(&["a", "b"]).as_deref(), Some("did you mean `a` or `b`?"));
    }
}
