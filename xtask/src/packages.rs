//! Compares the number of packages that each crate needs with a committed list, so that the commit
//! that adds a dependency shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use crate::{command, failure::Failure, metadata::Graph, repository};

const LIST: &str = "xtask/packages.txt";

/// Maximum number of packages for these crates, including themselves.
const CEILINGS: &[(&str, usize)] = &[("haft", 150), ("tools-core", 60), ("tools-file", 90)];

const HEAD: &str = "\
# Packages that each crate pulls with its default features, itself included, without build and test dependencies.
# Written by `cargo xtask packages --write`; `cargo xtask ci` compares.
";

/// Reports every crate whose number differs from the committed one.
pub(crate) fn check() -> Result<(), Failure> {
    let committed =
        fs::read_to_string(repository::root().join(LIST)).map_err(Failure::io(format!("reading `{LIST}`")))?;
    let counted = count()?;
    let findings = findings(&parse(&committed), &counted);
    for finding in &findings {
        eprintln!("packages: {finding}");
    }
    if findings.is_empty() {
        println!("packages: {} crates pull what {LIST} says", counted.len());
        return Ok(());
    }
    Err(Failure::Found(format!(
        "packages: findings: {}; if they are meant, `cargo xtask packages --write` writes them down",
        findings.len()
    )))
}

/// Writes the list.
pub(crate) fn write() -> Result<(), Failure> {
    let counted = count()?;
    fs::write(repository::root().join(LIST), render(&counted)).map_err(Failure::io(format!("writing `{LIST}`")))?;
    print!("{}", render(&counted));
    Ok(())
}

fn count() -> Result<BTreeMap<String, usize>, Failure> {
    let graph = Graph::of_workspace()?;
    graph.member_packages().map(|(_, package)| Ok((package.name.clone(), pulled(&package.name)?))).collect()
}

/// Resolves the features for this package alone, as for its users.
fn pulled(package: &str) -> Result<usize, Failure> {
    let tree = ["tree", "--locked", "--edges", "normal", "--prefix", "none", "--format", "{p}", "--package", package];
    let text = command::capture(&mut command::cargo(&tree))?;
    Ok(text.lines().map(|line| line.trim_end_matches(" (*)")).collect::<BTreeSet<_>>().len())
}

fn parse(list: &str) -> BTreeMap<String, usize> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .filter_map(|(name, n)| Some((name.to_owned(), n.parse().ok()?)))
        .collect()
}

fn render(counted: &BTreeMap<String, usize>) -> String {
    let mut text = HEAD.to_owned();
    for (name, count) in counted {
        let _ = writeln!(text, "{name} {count}");
    }
    text
}

fn findings(committed: &BTreeMap<String, usize>, counted: &BTreeMap<String, usize>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, count) in counted {
        match committed.get(name) {
            Some(known) if known == count => {}
            Some(known) => found.push(format!("{name} pulls {count} packages, the list says {known}")),
            None => found.push(format!("{name} pulls {count} packages and is not in the list")),
        }
    }
    found.extend(committed.keys().filter(|name| !counted.contains_key(*name)).map(|name| format!("{name} is gone")));
    for (name, most) in CEILINGS {
        if let Some(count) = counted.get(*name).filter(|count| *count > most) {
            found.push(format!("{name} pulls {count} packages, and at most {most} are wanted"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(entries: &[(&str, usize)]) -> BTreeMap<String, usize> {
        entries.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    }

    #[test]
    fn every_difference_is_named() {
        let committed = list(&[("same", 3), ("more", 5), ("gone", 1)]);
        let counted = list(&[("same", 3), ("more", 6), ("new", 2), ("tools-core", 61)]);
        let expected = [
            "more pulls 6 packages, the list says 5",
            "new pulls 2 packages and is not in the list",
            "tools-core pulls 61 packages and is not in the list",
            "gone is gone",
            "tools-core pulls 61 packages, and at most 60 are wanted",
        ];
        assert_eq!(findings(&committed, &counted), expected);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let counted = list(&[("a", 1), ("b", 20)]);
        assert_eq!(parse(&render(&counted)), counted);
    }
}
