//! Fixed places outside a workspace that patterns of the read rules name: they can be masked,
//! unlike patterns that require a search.

use std::path::{Path, PathBuf};

use crate::access::{ReadRules, SECRET_PRESET};
use crate::account::{expand_home, homes};

/// The places outside a workspace, in the homes of the user and elsewhere, that `rules` close.
///
/// `typed` is the list that they were compiled from ([`ReadRules::compile`]); `None` for the
/// unchanged preset. Places of the preset that the list opens are left out.
pub fn closed_places(typed: Option<&[String]>, rules: &ReadRules) -> Vec<PathBuf> {
    // If the environment and the user database name two homes, both may hold credentials.
    let homes = homes();
    let first = homes.first().map(PathBuf::as_path);
    let is_closed = |place: &PathBuf| typed.is_none() || rules.denies(place) || rules.denies(&place.join("any"));
    let patterns = typed.into_iter().flatten().map(String::as_str).chain(SECRET_PRESET.iter().copied());
    let closed = patterns.filter(|pattern| named_place(pattern, first).is_some_and(|place| is_closed(&place)));
    let in_each = |pattern| {
        let others = homes.iter().skip(1).map(|home| Some(home.as_path()));
        std::iter::once(first).chain(others).filter_map(move |home| named_place(pattern, home))
    };
    closed.flat_map(in_each).collect()
}

/// The single place that a pattern of the read rules names, whatever the workspace; `None` if it
/// requires a search. `~` is `home`.
pub fn named_place(pattern: &str, home: Option<&Path>) -> Option<PathBuf> {
    let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
    // A pattern for the whole home requires a search: a workspace may lie in it.
    if pattern.contains(['*', '?', '[', '{', '!']) || pattern == "~" {
        return None;
    }
    expand_home(pattern, home).filter(|place| place.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_patterns_of_one_place_name_it() {
        let check = |pattern: &str, expected: Option<&str>| {
            assert_eq!(named_place(pattern, Some(Path::new("/home/me"))), expected.map(PathBuf::from), "{pattern}");
        };
        check("~/.ssh", Some("/home/me/.ssh"));
        check("~/.aws/**", Some("/home/me/.aws"));
        check("/etc/shadow", Some("/etc/shadow"));
        check("**/.env", None);
        check("/proc/*/environ", None);
        check("!/etc/x", None);
        check("relative", None);
        check("~/**", None);
    }
}
