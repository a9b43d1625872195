//! The first sentence of a public item names it or says what it does: "Result of a call". A clause
//! instead of a name ("What became of a call") is harder to read.

use super::rust_text::RustFile;
use crate::repository;

/// First words of such clauses.
const CLAUSE_WORDS: [&str; 7] = ["What", "How", "Where", "Who", "Whoever", "Which", "Why"];

pub(crate) fn check(rust: &[RustFile]) -> Vec<String> {
    let sources = rust.iter().filter(|file| repository::is_rust(&file.path) && file.path.contains("/src/"));
    sources.flat_map(|file| clauses(&file.path, &file.text)).collect()
}

fn clauses(path: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // The line of a first sentence that is a clause, until the item below it is found.
    let mut open = None;
    let mut is_in_comment = false;
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if let Some(words) = line.strip_prefix("///") {
            if !is_in_comment {
                let first = words.split_whitespace().next();
                open = first.filter(|word| CLAUSE_WORDS.contains(word)).map(|word| (number, word.to_owned()));
            }
            is_in_comment = true;
            continue;
        }
        is_in_comment = false;
        if line.starts_with("#[") || line.starts_with("//") {
            continue;
        }
        if let Some((number, word)) = open.take().filter(|_| line.starts_with("pub ")) {
            found.push(format!("{path}:{number}: a public item's first sentence begins with `{word}`; name the item"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_found_at_public_items_only() {
        let flagged = "/// What it is.\n#[derive(Debug)]\npub struct A;\n";
        let private = "/// Why not.\nstruct B;\n/// How.\npub(crate) fn d() {}\n";
        let named = "/// Kind of it.\n/// What follows is free.\npub enum C {}\n";
        let text = [flagged, private, named].concat();
        assert_eq!(
            clauses("a/src/a.rs", &text),
            ["a/src/a.rs:1: a public item's first sentence begins with `What`; name the item"]
        );
    }
}
