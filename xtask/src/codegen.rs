//! The binary writes `docs/reference/` from the types that the pages describe. This module runs the
//! binary, and for a check compares its output with the committed files. Extra features of
//! `haft-cli` in a build of the whole workspace do not change any page.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use crate::{command, failure::Failure, repository};

const REFERENCE: &str = "docs/reference";
const SCRATCH: &str = "target/reference";

/// Pages by file name.
type Pages = BTreeMap<String, Vec<u8>>;

/// Generates the pages.
pub(crate) fn write() -> Result<(), Failure> {
    generate(built(), &repository::root().join(REFERENCE))?;
    println!("codegen: wrote {REFERENCE}");
    Ok(())
}

/// Reports every page that differs from the output of the binary.
pub(crate) fn check() -> Result<(), Failure> {
    compare(built())
}

/// Does the same with an existing binary.
pub(crate) fn check_with(binary: &Path) -> Result<(), Failure> {
    compare(command::command(binary))
}

fn compare(binary: Command) -> Result<(), Failure> {
    let scratch = repository::root().join(SCRATCH);
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(Failure::io(format!("removing `{SCRATCH}`")))?;
    }
    generate(binary, &scratch)?;
    let findings = differences(&pages(&repository::root().join(REFERENCE))?, &pages(&scratch)?);
    for finding in &findings {
        eprintln!("codegen: {REFERENCE}/{finding}");
    }
    if findings.is_empty() {
        println!("codegen: {REFERENCE} is up to date");
        return Ok(());
    }
    Err(Failure::Found(format!("codegen: {} pages differ; run `cargo xtask codegen` and commit", findings.len())))
}

/// A command that builds the binary and runs it.
fn built() -> Command {
    command::cargo(&["run", "--quiet", "--package", "haft-cli", "--"])
}

fn generate(mut binary: Command, folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(Failure::io(format!("creating `{}`", folder.display())))?;
    command::run(binary.arg("reference").arg(folder))
}

fn pages(folder: &Path) -> Result<Pages, Failure> {
    let mut pages = Pages::new();
    if !folder.is_dir() {
        return Ok(pages);
    }
    let what = format!("reading `{}`", folder.display());
    for entry in fs::read_dir(folder).map_err(Failure::io(&what))? {
        let entry = entry.map_err(Failure::io(&what))?;
        let page = fs::read(entry.path()).map_err(Failure::io(format!("reading `{}`", entry.path().display())))?;
        pages.insert(entry.file_name().to_string_lossy().into_owned(), page);
    }
    Ok(pages)
}

fn differences(committed: &Pages, fresh: &Pages) -> Vec<String> {
    let stale = fresh.iter().filter_map(|(name, page)| match committed.get(name) {
        None => Some(format!("{name}: missing")),
        Some(old) if old == page => None,
        Some(old) => Some(format!("{name}: stale from line {}", first_difference(old, page))),
    });
    let left_over = committed.keys().filter(|name| !fresh.contains_key(*name));
    stale.chain(left_over.map(|name| format!("{name}: nothing generates it"))).collect()
}

fn first_difference(old: &[u8], new: &[u8]) -> usize {
    let same = old.iter().zip(new).take_while(|(old, new)| old == new);
    same.filter(|(byte, _)| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(pages: &[(&str, &str)]) -> Pages {
        pages.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn equal_pages_have_no_differences() {
        let both = pages(&[("layers.md", "a\n"), ("errors.md", "b\n")]);
        assert_eq!(differences(&both, &both), Vec::<String>::new());
    }

    #[test]
    fn every_page_that_differs_is_named() {
        let committed = pages(&[("cli.md", "a\nb\n"), ("old.md", "")]);
        let fresh = pages(&[("cli.md", "a\nc\n"), ("new.md", "x")]);
        let expected = ["cli.md: stale from line 2", "new.md: missing", "old.md: nothing generates it"];
        assert_eq!(differences(&committed, &fresh), expected);
    }

    #[test]
    fn a_page_cut_short_is_stale() {
        assert_eq!(differences(&pages(&[("a", "x\ny\n")]), &pages(&[("a", "x\n")])), ["a: stale from line 2"]);
    }
}
