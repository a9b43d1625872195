//! Rules for the sources that a compiler does not check. Each submodule is one family of rules,
//! without I/O; this file reads the repository, runs them all and prints every finding.

mod consistency;
mod executor;
mod links;
mod readmes;
mod rust_text;
mod sources;
mod tool_names;
mod width;
mod wording;

use crate::failure::Failure;
use crate::repository::{self, File};
use rust_text::RustFile;

/// Checks the repository and prints every finding.
pub(crate) fn run() -> Result<(), Failure> {
    let files = read()?;
    let findings = findings(&files);
    for finding in &findings {
        eprintln!("tidy: {finding}");
    }
    match findings.len() {
        0 => {
            println!("tidy: {} files, nothing found", files.len());
            Ok(())
        }
        count => Err(Failure::Found(format!("tidy: findings: {count}"))),
    }
}

fn read() -> Result<Vec<File>, Failure> {
    let root = repository::root();
    let endings = [".rs", ".md", "Cargo.toml"];
    let mut files = repository::top_files(root, &endings)?;
    for folder in ["crates", "xtask", "docs"] {
        files.extend(repository::files(root, folder, &endings)?);
    }
    Ok(files)
}

fn findings(files: &[File]) -> Vec<String> {
    let rust: Vec<RustFile> = files
        .iter()
        .filter(|file| repository::is_rust(&file.path))
        .map(|file| RustFile::new(&file.path, &file.text))
        .collect();
    let mut found: Vec<String> = rust.iter().flat_map(sources::check).collect();
    found.extend(rust.iter().flat_map(tool_names::check));
    found.extend(executor::check(&rust));
    found.extend(consistency::check(files));
    found.extend(links::check(files));
    found.extend(readmes::check(files));
    found.extend(width::check(files, &rust));
    found.extend(wording::check(&rust));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn every_finding_is_reported() {
        let files = [
            file("crates/tools-file/Cargo.toml", "[package]\n"),
            file("crates/tools-file/src/lib.rs", "#[allow(dead_code)]\nfn a() { unsafe {} }\n"),
        ];
        let expected = [
            "crates/tools-file/src/lib.rs:1: begins without a `//!` line that says what lives here",
            "crates/tools-file/src/lib.rs:1: `#[allow(..)]`: use `#[expect(lint, reason = \"..\")]`, which says when it is no longer needed",
            "crates/tools-file/src/lib.rs:2: `unsafe` outside crates/tools-sandbox",
            "crates/tools-file/src/lib.rs:2: `fn` in a file that declares and re-exports modules and holds no logic",
            "crates/tools-file/Cargo.toml: without `[lints] workspace = true`",
            "crates/tools-file/Cargo.toml: without `description`, which published packages have",
            "crates/tools-file/Cargo.toml: without `keywords`, which published packages have",
            "crates/tools-file: without a README.md",
            "crates/tools-file/src/lib.rs: without `#[doc = include_str!(\"../README.md\")]`, which compiles the examples of the README",
            "crates/tools-file/README.md: without an example",
        ];
        assert_eq!(findings(&files), expected);
    }
}
