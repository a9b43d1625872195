//! Patterns of the table in a form for comparison: names in lower case, without regular
//! expressions.

/// One component of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// Exactly this name.
    Name(&'static str),
    /// A name with this prefix and this suffix, which do not overlap.
    Ends(&'static str, &'static str),
    /// Any number of names.
    Any,
}

/// Result of comparing a path suffix with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SuffixMatch {
    /// The whole pattern matches.
    Whole,
    /// It is a folder on the way to a match.
    Beginning,
    /// No match.
    None,
}

pub(super) fn pieces(pattern: &'static str) -> Vec<Piece> {
    let piece = |part: &'static str| match part.split_once('*') {
        _ if part == "**" => Piece::Any,
        None => Piece::Name(part),
        Some((start, end)) => Piece::Ends(start, end),
    };
    pattern.trim_start_matches('/').split('/').map(piece).collect()
}

/// Compares a name with a piece, ignoring case.
pub(super) fn is_name(piece: Piece, name: &str) -> bool {
    match piece {
        Piece::Name(own) => name.eq_ignore_ascii_case(own),
        Piece::Ends(start, end) => {
            let name = name.as_bytes();
            name.len() >= start.len() + end.len()
                && name[..start.len()].eq_ignore_ascii_case(start.as_bytes())
                && name[name.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
        }
        Piece::Any => true,
    }
}

/// Compares all of `names` with a whole pattern. A name that is not valid text matches no piece but
/// `**`.
pub(super) fn fit(pieces: &[Piece], names: &[Option<&str>]) -> SuffixMatch {
    match (pieces, names) {
        ([] | [Piece::Any], []) | ([Piece::Any], _) => SuffixMatch::Whole,
        (_, []) => SuffixMatch::Beginning,
        ([Piece::Any, rest @ ..], [_, others @ ..]) => match fit(rest, names) {
            SuffixMatch::Whole => SuffixMatch::Whole,
            other => match fit(pieces, others) {
                SuffixMatch::None => other,
                found => found,
            },
        },
        ([first, rest @ ..], [Some(name), others @ ..]) if is_name(*first, name) => fit(rest, others),
        _ => SuffixMatch::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &'static str, path: &str, expected: SuffixMatch) {
        let names: Vec<_> = path.split('/').map(Some).collect();
        assert_eq!(fit(&pieces(pattern), &names), expected, "{pattern} {path}");
    }

    #[test]
    fn patterns_are_compared_name_by_name() {
        check("a/b", "a/b", SuffixMatch::Whole);
        check("a/b", "A/B", SuffixMatch::Whole);
        check("a/b", "a", SuffixMatch::Beginning);
        check("a/b", "a/b/c", SuffixMatch::None);
        check("a/**", "a", SuffixMatch::Whole);
        check("a/**", "a/b/c", SuffixMatch::Whole);
        check("a/**/c", "a/c", SuffixMatch::Whole);
        check("a/**/c", "a/x/y/c", SuffixMatch::Whole);
        check("a/**/c", "a/x/y", SuffixMatch::Beginning);
        check("a/**/c/**", "a/x/c/d/e", SuffixMatch::Whole);
        check("a*.yml", "a.yml", SuffixMatch::Whole);
        check("a*.yml", "ab.YML", SuffixMatch::Whole);
        check("a*a", "a", SuffixMatch::None);
        check("a/*/c", "a/b/c", SuffixMatch::Whole);
        check("a/*/c", "a/b/x/c", SuffixMatch::None);
    }
}
