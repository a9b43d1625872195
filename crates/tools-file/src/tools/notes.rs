//! Notes on what searches skipped, and settings that searches share.

use std::path::PathBuf;

use globset::{GlobBuilder, GlobMatcher};
use ignore::types::{FileTypeDef, Types, TypesBuilder};
use tools_core::nearest;

use crate::{error::FileError, walk::SkippedCounts, workspace::Site};

/// Number of threads for one search.
pub(crate) fn threads(site: &Site) -> usize {
    match site.limits().search_threads {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(8),
        threads => threads.min(64),
    }
}

/// A glob on paths below a directory. `*` stays within one component.
///
/// # Errors
/// `Pattern`, with the problem.
pub(super) fn glob(pattern: &str, glob: &str) -> Result<GlobMatcher, FileError> {
    match GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build() {
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => Err(FileError::Pattern {
            what: "glob",
            pattern: pattern.chars().take(200).collect(),
            problem: error.kind().to_string(),
        }),
    }
}

/// Names of languages that have another name in the list of types.
const TYPE_ALIASES: [(&str, &str); 14] = [
    ("javascript", "js"),
    ("jsx", "js"),
    ("typescript", "ts"),
    ("tsx", "ts"),
    ("python", "py"),
    ("markdown", "md"),
    ("rb", "ruby"),
    ("rs", "rust"),
    ("golang", "go"),
    ("c++", "cpp"),
    ("c#", "csharp"),
    ("shell", "sh"),
    ("bash", "sh"),
    ("yml", "yaml"),
];

/// The files of a type, by its common name.
///
/// # Errors
/// `Arguments`, with similar names.
pub(super) fn types(name: &str) -> Result<Types, FileError> {
    let plain = name.trim_start_matches('.').to_lowercase();
    let alias = TYPE_ALIASES.into_iter().find_map(|(alias, known)| (alias == plain).then_some(known));
    for known in [Some(name), Some(plain.as_str()), alias].into_iter().flatten() {
        if let Ok(types) = TypesBuilder::new().add_defaults().select(known).build() {
            return Ok(types);
        }
    }
    let all = TypesBuilder::new().add_defaults().definitions();
    let near = nearest(name, all.iter().map(FileTypeDef::name));
    let near: Vec<String> = near.into_iter().map(|near| format!("`{near}`")).collect();
    let hint = if near.is_empty() { String::new() } else { format!("; near ones: {}", near.join(", ")) };
    let name: String = name.chars().take(50).collect();
    Err(FileError::Arguments(format!("unknown file type `{name}`{hint}; `glob` takes any pattern, as `*.{name}`")))
}

/// Entries that a walk omitted, one phrase each.
pub(super) fn skipped(skipped: &SkippedCounts, site: &Site) -> Vec<String> {
    let mut notes = Vec::new();
    if skipped.ignored > 0 {
        notes.push(format!(
            "{} entries left out by .gitignore or .ignore (`gitignore: false` includes them)",
            skipped.ignored
        ));
    }
    if skipped.closed > 0 {
        notes.push(format!("{} directories closed by the read rules were not entered", skipped.closed));
    }
    if skipped.unreadable > 0 {
        notes.push(unreadable("directories", skipped.unreadable, &skipped.names, site));
    }
    if skipped.exhausted {
        notes.push("stopped early: too many entries; the result is not complete, narrow the path".to_owned());
    }
    notes
}

/// Lists some of the entries that could not be read.
pub(crate) fn unreadable(what: &str, count: u64, some: &[PathBuf], site: &Site) -> String {
    let names: Vec<String> = some.iter().take(5).map(|path| format!("`{}`", site.show(path))).collect();
    let more = if count > names.len() as u64 { ", …" } else { "" };
    format!("{count} {what} could not be read: {}{more}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_known_by_their_common_names() {
        let check = |name: &str, file: &str| {
            assert!(types(name).unwrap().matched(file, false).is_whitelist(), "{name} {file}");
        };
        for (alias, known) in TYPE_ALIASES {
            types(alias).unwrap();
            assert!(TypesBuilder::new().add_defaults().select(known).build().is_ok(), "{known}");
        }
        for (name, file) in [
            ("javascript", "a.js"),
            ("javascript", "a.jsx"),
            ("typescript", "a.tsx"),
            ("Python", "a.py"),
            (".py", "a.py"),
            ("markdown", "a.md"),
            ("golang", "a.go"),
            ("c++", "a.cpp"),
        ] {
            check(name, file);
        }
        assert!(types("no-such-language").is_err());
    }
}
