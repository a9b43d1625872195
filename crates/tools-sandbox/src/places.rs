//! The places outside of a workspace that patterns of the read rules name: a mask can be put on
//! them, where a pattern that has to be looked for cannot be.

use std::path::{Path, PathBuf};

use crate::access::{ReadRules, SECRET_PRESET};
use crate::account::{expand_home, homes};

/// The places in the homes of the user, and elsewhere outside of a workspace, that `rules` close.
///
/// `typed` is the list that they were compiled from ([`ReadRules::compile`]); `None` where the
/// preset holds as it is. What the list opens of the preset is not among them.
pub fn closed_places(typed: Option<&[String]>, rules: &ReadRules) -> Vec<PathBuf> {
    // Where the environment and the user database name two homes, both hold credentials.
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

/// The one place that a pattern of the read rules names, wherever the workspace is; `None` when it
/// has to be looked for. `~` is `home`.
pub fn named_place(pattern: &str, home: Option<&Path>) -> Option<PathBuf> {
    let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
    // The whole home is looked through: a workspace may lie in it.
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
