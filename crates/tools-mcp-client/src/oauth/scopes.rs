//! Scopes of tokens, and the selection of those to request.

use std::{collections::BTreeSet, fmt};

use serde::{Deserialize, Serialize};

/// Maximum number of scopes of one login; further ones are dropped.
const MAX_SCOPES: usize = 64;
/// Maximum length of a scope.
const MAX_SCOPE_LEN: usize = 256;
/// Scope that requests a refresh token if the authorization server supports it.
const OFFLINE: &str = "offline_access";

/// A set of scopes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scopes(BTreeSet<String>);

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, scope) in self.0.iter().enumerate() {
            write!(f, "{}{scope}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl<S: AsRef<str>> FromIterator<S> for Scopes {
    /// Collects valid scopes, up to a limit.
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let fit = texts.into_iter().filter(|text| is_scope(text.as_ref()));
        Self(fit.take(MAX_SCOPES).map(|text| text.as_ref().to_owned()).collect())
    }
}

impl Scopes {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it contains all of `other`.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        other.0.is_subset(&self.0)
    }

    /// The union of both.
    pub(crate) fn and(&self, other: &Self) -> Self {
        self.0.iter().chain(&other.0).collect()
    }
}

/// Parses scopes separated by spaces.
pub(crate) fn parse(text: &str) -> Scopes {
    text.split(' ').collect()
}

/// Whether a text is a valid scope.
pub(crate) fn is_scope(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    (1..=MAX_SCOPE_LEN).contains(&text.len()) && text.bytes().all(fits)
}

/// Sources of scopes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sources<'a> {
    /// Scopes that the operator configured or typed.
    pub(crate) typed: Option<&'a Scopes>,
    /// Scopes of the server's last challenge.
    pub(crate) challenged: Option<&'a Scopes>,
    /// Scopes in the server's metadata.
    pub(crate) supported: Option<&'a Scopes>,
    /// Scopes requested in an earlier login, if the server requires more.
    pub(crate) earlier: Option<&'a Scopes>,
    /// Scopes in the authorization server's metadata.
    pub(crate) issuable: Option<&'a Scopes>,
}

/// The scopes to request: those of the operator and of the challenge, else all that the server
/// names. Earlier ones are added, so that a login never removes what another one granted.
pub(crate) fn selected(sources: Sources<'_>) -> Scopes {
    let none = Scopes::default();
    let some = |scopes: Option<&Scopes>| scopes.filter(|scopes| !scopes.is_empty()).cloned();
    let wanted = match (some(sources.typed), some(sources.challenged)) {
        (Some(typed), challenged) => typed.and(&challenged.unwrap_or_default()),
        (None, Some(challenged)) => challenged,
        (None, None) => some(sources.supported).unwrap_or_default(),
    };
    let all = wanted.and(sources.earlier.unwrap_or(&none));
    let offline = Scopes::from_iter([OFFLINE]);
    if sources.issuable.is_some_and(|issuable| issuable.covers(&offline)) { all.and(&offline) } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_source_decides_and_nothing_is_taken_away() {
        let (typed, challenged, supported) = (parse("t"), parse("c"), parse("s1 s2"));
        let (earlier, issuable) = (parse("e"), parse("x offline_access"));
        let check = |sources: Sources<'_>, expected: &str| assert_eq!(selected(sources).to_string(), expected);
        let none = Sources::default();
        check(none, "");
        check(Sources { supported: Some(&supported), ..none }, "s1 s2");
        let both = Sources { supported: Some(&supported), challenged: Some(&challenged), ..none };
        check(both, "c");
        check(Sources { typed: Some(&typed), ..both }, "c t");
        check(Sources { earlier: Some(&earlier), ..both }, "c e");
        check(Sources { issuable: Some(&issuable), ..both }, "c offline_access");
        check(Sources { issuable: Some(&supported), ..none }, "");
        check(Sources { challenged: Some(&Scopes::default()), ..both }, "s1 s2");
    }

    #[test]
    fn what_is_no_scope_is_left_out_and_there_is_an_end() {
        assert_eq!(parse("a  b \u{e4} c\"d e\\f").to_string(), "a b");
        assert!((0..1000).map(|n| n.to_string()).collect::<Scopes>().0.len() == MAX_SCOPES);
        assert!(Scopes::from_iter(["x".repeat(300)]).is_empty());
        assert!(parse("a b").covers(&parse("b")) && !parse("a").covers(&parse("b")) && parse("a").covers(&parse("")));
    }
}
