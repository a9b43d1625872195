//! Expansion of the alternatives of a glob: `{a,b}/c` becomes `a/c` and `b/c`. Paths without
//! wildcards can then be looked up in a table.

/// Maximum number of patterns from one expansion; a pattern with more stays unexpanded.
const MAX_PATTERNS: usize = 256;

/// The patterns without alternatives that together match the same as `pattern`. It is returned
/// unchanged if it is invalid, has too many alternatives, or combines alternatives with an adjacent
/// `**`, whose meaning depends on its neighbours.
pub(crate) fn written_out(pattern: &str) -> Vec<String> {
    all(pattern).unwrap_or_else(|| vec![pattern.to_owned()])
}

/// `None` if the pattern stays unchanged.
fn all(pattern: &str) -> Option<Vec<String>> {
    if pattern.contains("}**") || pattern.contains("**{") || double_stars_in_groups(pattern) {
        return None;
    }
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        let Some(group) = first_group(&next).ok()? else {
            done.push(next);
            continue;
        };
        // The last one is taken first, which keeps the order of the alternatives.
        open.extend(group.each().rev());
        if open.len() + done.len() > MAX_PATTERNS {
            return None;
        }
    }
    // A final `**/` matches everything; followed by an empty alternative it matches nothing.
    let ends_open = |each: &str| each.ends_with("**/");
    let is_same = |each: &String| double_stars(each) == double_stars(pattern) && ends_open(each) == ends_open(pattern);
    done.iter().all(is_same).then_some(done)
}

/// Number of positions with two adjacent stars.
fn double_stars(pattern: &str) -> usize {
    pattern.as_bytes().windows(2).filter(|pair| pair == b"**").count()
}

/// Whether alternatives contain two adjacent stars.
fn double_stars_in_groups(pattern: &str) -> bool {
    match first_group(pattern) {
        Ok(Some(Group { parts, after, .. })) => {
            parts.iter().any(|part| part.contains("**")) || double_stars_in_groups(after)
        }
        Ok(None) | Err(UnbalancedBraces) => false,
    }
}

/// The first group of outermost alternatives in a glob.
#[derive(Debug)]
pub struct Group<'a> {
    /// The glob in front of them.
    pub before: &'a str,
    /// Each alternative.
    pub parts: Vec<&'a str>,
    /// The glob behind them.
    pub after: &'a str,
}

impl Group<'_> {
    /// The glob with each of the alternatives.
    pub fn each(&self) -> impl DoubleEndedIterator<Item = String> {
        self.parts.iter().map(|part| format!("{}{part}{}", self.before, self.after))
    }
}

/// A brace or class is not closed, or a brace was not opened.
#[derive(Debug)]
pub struct UnbalancedBraces;

/// The first group of alternatives in a glob; `None` if there is none.
///
/// # Errors
/// [`UnbalancedBraces`] for an invalid glob.
pub fn first_group(pattern: &str) -> Result<Option<Group<'_>>, UnbalancedBraces> {
    let mut rest = pattern.char_indices();
    let (mut depth, mut start, mut part) = (0_usize, 0, 0);
    let mut parts = Vec::new();
    while let Some((at, character)) = rest.next() {
        match character {
            '\\' => drop(rest.next()),
            '[' => skip_class(&mut rest)?,
            '{' => {
                depth += 1;
                if depth == 1 {
                    (start, part) = (at, at + 1);
                }
            }
            ',' if depth == 1 => {
                parts.push(&pattern[part..at]);
                part = at + 1;
            }
            '}' => {
                depth = depth.checked_sub(1).ok_or(UnbalancedBraces)?;
                if depth == 0 {
                    parts.push(&pattern[part..at]);
                    return Ok(Some(Group { before: &pattern[..start], parts, after: &pattern[at + 1..] }));
                }
            }
            _ => {}
        }
    }
    if depth == 0 { Ok(None) } else { Err(UnbalancedBraces) }
}

/// Skips a class, in which braces and commas are literal, as is a bracket at its beginning.
fn skip_class(rest: &mut std::str::CharIndices<'_>) -> Result<(), UnbalancedBraces> {
    let mut next = rest.next();
    if next.is_some_and(|(_, character)| matches!(character, '!' | '^')) {
        next = rest.next();
    }
    let mut is_first = true;
    while let Some((_, character)) = next {
        if character == ']' && !is_first {
            return Ok(());
        }
        is_first = false;
        next = rest.next();
    }
    Err(UnbalancedBraces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use globset::{Glob, GlobBuilder, GlobMatcher};
    use proptest::prelude::*;

    #[test]
    fn alternatives_are_written_out_in_their_order() {
        assert_eq!(written_out("a{b,c{d,},}e"), ["abe", "acde", "ace", "ae"]);
        assert_eq!(written_out("{a,b}/{c,d}"), ["a/c", "a/d", "b/c", "b/d"]);
        assert_eq!(written_out("**/*.{a,b}"), ["**/*.a", "**/*.b"]);
        assert_eq!(written_out("/x/{a,b*,c,d*/e}"), ["/x/a", "/x/b*", "/x/c", "/x/d*/e"]);
        assert_eq!(written_out("{a,b*}"), ["a", "b*"]);
        for whole in ["a\\{b,c}", "[{,}]x", "[]{]", "{a,b", "a}", "{[,]}{", "**/{,a}"] {
            assert_eq!(written_out(whole), [whole], "{whole}");
        }
        assert_eq!(written_out("{[,],b}"), ["[,]", "b"]);
        assert_eq!(written_out("**/s/**/*.{a,b}"), ["**/s/**/*.a", "**/s/**/*.b"]);
        assert_eq!(written_out("a,b{c*,d}"), ["a,bc*", "a,bd"]);
        let many = "{a,b}".repeat(20);
        assert_eq!(written_out(&many), [many.as_str()]);
    }

    fn matcher(pattern: &str) -> Option<GlobMatcher> {
        let mut glob = GlobBuilder::new(pattern);
        let glob = glob.literal_separator(true).backslash_escape(true).empty_alternates(true).build();
        glob.ok().as_ref().map(Glob::compile_matcher)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn together_they_match_what_the_pattern_matches(
            pattern in "[ab/{},{},{},*?\\[\\]!\\\\]{0,14}",
            paths in prop::collection::vec("[ab/,{}\\[\\]]{0,6}", 40),
        ) {
            let whole = matcher(&pattern);
            let each: Option<Vec<GlobMatcher>> = written_out(&pattern).iter().map(|each| matcher(each)).collect();
            prop_assert_eq!(whole.is_some(), each.is_some(), "{} {:?}", pattern, written_out(&pattern));
            if let (Some(whole), Some(each)) = (whole, each) {
                for path in paths {
                    let any = each.iter().any(|each| each.is_match(&path));
                    prop_assert_eq!(whole.is_match(&path), any, "{} of {}", path, pattern);
                }
            }
        }
    }
}
