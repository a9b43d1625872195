//! Patterns of the table in the form in which they are compared: names in lower case, without
//! regular expressions.

/// One component of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// Exactly this name.
    Name(&'static str),
    /// A name with this beginning and this end, which do not overlap.
    Ends(&'static str, &'static str),
    /// Any number of names.
    Any,
}

/// How the end of a path compares with a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SuffixMatch {
    /// It is what the pattern means.
    Whole,
    /// It is a folder in which the pattern goes on.
    Beginning,
    /// Neither.
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

/// Compares a name of any case with a piece.
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

/// Compares all of `names` with a pattern, both from their beginning. A name that is no text fits
/// no piece but `**`.
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
