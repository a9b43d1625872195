//! Rules for the structure of the repository: required files of every crate, one test binary each,
//! and decision records numbered without gaps.

use std::collections::BTreeSet;

use crate::repository::{File, is_rust};

const DECISIONS: &str = "docs/decisions/";

pub(crate) fn check(files: &[File]) -> Vec<String> {
    let mut found: Vec<String> = crates(files).iter().flat_map(|name| one_crate(files, name)).collect();
    found.extend(decision_numbers(files));
    found
}

/// The folders that contain a package.
fn crates(files: &[File]) -> BTreeSet<&str> {
    files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml")).collect()
}

fn one_crate(files: &[File], name: &str) -> Vec<String> {
    let own = |file: &&File| file.path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    let has = |wanted: &str| files.iter().filter(own).any(|file| file.path[name.len()..] == *wanted);
    let mut found = Vec::new();
    let manifest = files.iter().filter(own).find(|file| file.path.ends_with("/Cargo.toml"));
    if !manifest.is_some_and(|file| file.text.contains("[lints]\nworkspace = true")) {
        found.push(format!("{name}/Cargo.toml: without `[lints] workspace = true`"));
    }
    found.extend(manifest.iter().flat_map(|manifest| unpublishable(manifest)));
    if !has("/README.md") {
        found.push(format!("{name}: without a README.md"));
    }
    let roots: Vec<&str> = files.iter().filter(own).filter_map(|file| test_root(&file.path[name.len()..])).collect();
    found.extend(
        roots.iter().map(|root| format!("{name}{root}: a second test binary; tests are modules of tests/it/main.rs")),
    );
    let has_tests = files.iter().filter(own).any(|file| file.path[name.len()..].starts_with("/tests/it/"));
    if has_tests && !has("/tests/it/main.rs") {
        found.push(format!("{name}/tests/it: without a main.rs"));
    }
    found
}

/// The keys that published packages have and the manifest lacks.
fn unpublishable(manifest: &File) -> Vec<String> {
    let name = &manifest.path;
    let package = manifest.text.split("\n[").next().unwrap_or_default();
    if !name.starts_with("crates/") || package.contains("\npublish = false") {
        return Vec::new();
    }
    let lacks = |key: &str| !package.lines().any(|line| line.starts_with(&format!("{key} = ")));
    let wanted = ["description", "keywords"].into_iter().filter(|key| lacks(key));
    wanted.map(|key| format!("{name}: without `{key}`, which published packages have")).collect()
}

/// A path below a crate that cargo would build as a separate test binary, other than `it`.
fn test_root(path: &str) -> Option<&str> {
    let rest = path.strip_prefix("/tests/").filter(|rest| is_rust(rest))?;
    let parts: Vec<&str> = rest.split('/').collect();
    matches!(parts[..], [_] | [_, "main.rs"]).then_some(path).filter(|_| rest != "it/main.rs")
}

fn decision_numbers(files: &[File]) -> Vec<String> {
    let records = files.iter().filter_map(|file| file.path.strip_prefix(DECISIONS)).filter(|name| *name != "README.md");
    records
        .zip(1_usize..)
        .filter(|(name, number)| !name.starts_with(&format!("{number:04}-")))
        .map(|(name, number)| format!("{DECISIONS}{name}: expected number {number:04}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<File> =
            files.iter().map(|(path, text)| File { path: (*path).to_owned(), text: (*text).to_owned() }).collect();
        check(&files)
    }

    const LINTS: &str = "[package]\ndescription = \"a\"\nkeywords = [\"a\"]\n\n[lints]\nworkspace = true\n";

    #[test]
    fn what_is_published_says_what_it_is() {
        let bare = "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n";
        let expected = [
            "crates/a/Cargo.toml: without `description`, which published packages have",
            "crates/a/Cargo.toml: without `keywords`, which published packages have",
        ];
        assert_eq!(found(&[("crates/a/Cargo.toml", bare), ("crates/a/README.md", "")]), expected);
        let kept = bare.replace("\n\n[lints]", "\npublish = false\n\n[lints]");
        assert_eq!(found(&[("crates/a/Cargo.toml", &kept), ("crates/a/README.md", "")]), Vec::<String>::new());
    }

    #[test]
    fn a_whole_crate_passes() {
        let files = [
            ("crates/a/Cargo.toml", LINTS),
            ("crates/a/README.md", ""),
            ("crates/a/tests/it/main.rs", ""),
            ("crates/a/tests/it/paths.rs", ""),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }

    #[test]
    fn a_crate_needs_its_parts() {
        let described = "[package]\ndescription = \"a\"\nkeywords = []\n";
        let files =
            [("crates/a/Cargo.toml", described), ("crates/a/tests/it/paths.rs", ""), ("crates/ab/README.md", "")];
        let expected = [
            "crates/a/Cargo.toml: without `[lints] workspace = true`",
            "crates/a: without a README.md",
            "crates/a/tests/it: without a main.rs",
        ];
        assert_eq!(found(&files), expected);
    }

    #[test]
    fn a_second_test_binary_is_found() {
        let files = [
            ("crates/a/Cargo.toml", LINTS),
            ("crates/a/README.md", ""),
            ("crates/a/tests/paths.rs", ""),
            ("crates/a/tests/slow/main.rs", ""),
        ];
        assert_eq!(found(&files).len(), 2);
    }

    #[test]
    fn decisions_are_numbered_without_gaps() {
        let files = [("docs/decisions/0001-a.md", ""), ("docs/decisions/0003-b.md", "")];
        assert_eq!(found(&files), ["docs/decisions/0003-b.md: expected number 0002"]);
    }
}
