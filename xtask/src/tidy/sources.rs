//! Rules for one Rust file: its beginning, its length, and forbidden words.

use super::rust_text::{RustFile, block_end};

/// Maximum number of lines: a longer file has more than one topic.
const MAX_LINES: usize = 600;

/// Files that resolve paths which the operator configured, not a model.
const OPERATORS: &[&str] = &[
    "crates/tools-shell/src/caches.rs",
    "crates/tools-shell/src/view/copies.rs",
    "crates/tools-shell/src/view/workspace_caches.rs",
];

/// Crates whose tools act on paths from a model.
const TOOL_SOURCES: &[&str] = &[
    "crates/tools-file/src/",
    "crates/tools-command/src/",
    "crates/tools-shell/src/",
    "crates/tools-code/src/",
    "crates/tools-diagnostics/src/",
];

/// Ways to use a path as a string.
const PATH_STRINGS: &[&str] = &["canonicalize", "File::open", "File::create", "fs::read_to_string"];

pub(crate) fn check(file: &RustFile) -> Vec<String> {
    let rules = [header, length, attributes, unsafety, paths, declarations];
    rules.iter().flat_map(|rule| rule(file)).collect()
}

fn header(file: &RustFile) -> Vec<String> {
    let is_missing = !file.text.starts_with("//!");
    let text = format!("{}:1: begins without a `//!` line that says what lives here", file.path);
    is_missing.then_some(text).into_iter().collect()
}

fn length(file: &RustFile) -> Vec<String> {
    let lines = file.text.lines().count();
    if lines <= MAX_LINES || !file.path.contains("/src/") || file.is_test() {
        return Vec::new();
    }
    vec![format!("{}: {lines} lines: split it, or list it with a reason in xtask/src/tidy/sources.rs", file.path)]
}

fn attributes(file: &RustFile) -> Vec<String> {
    file.words("allow")
        .filter(|at| {
            let before = file.code.get(..*at).unwrap_or_default().trim_end();
            let after = file.code.get(at + "allow".len()..).unwrap_or_default().trim_start();
            after.starts_with('(') && (before.ends_with("#[") || before.ends_with("#!["))
        })
        .map(|at| {
            let advice = "use `#[expect(lint, reason = \"..\")]`, which says when it is no longer needed";
            format!("{}:{}: `#[allow(..)]`: {advice}", file.path, file.line(at))
        })
        .collect()
}

fn unsafety(file: &RustFile) -> Vec<String> {
    if file.path.starts_with("crates/tools-sandbox/") {
        return Vec::new();
    }
    file.words("unsafe")
        .map(|at| format!("{}:{}: `unsafe` outside crates/tools-sandbox", file.path, file.line(at)))
        .collect()
}

/// Reports paths used as strings: the path may lead to another file by the time it is opened.
fn paths(file: &RustFile) -> Vec<String> {
    let is_operators = OPERATORS.contains(&file.path.as_str());
    if file.is_test() || is_operators || !TOOL_SOURCES.iter().any(|folder| file.path.starts_with(folder)) {
        return Vec::new();
    }
    let found = PATH_STRINGS.iter().flat_map(|word| file.words(word).map(move |at| (at, word)));
    found
        .map(|(at, word)| {
            let advice = "resolve and open through `tools_sandbox`, which acts on what it checked";
            format!("{}:{}: `{word}`: {advice}", file.path, file.line(at))
        })
        .collect()
}

fn declarations(file: &RustFile) -> Vec<String> {
    let is_declaring = file.path.ends_with("/src/lib.rs") || (file.path.ends_with("/mod.rs") && !file.is_test());
    let code = file.code.as_bytes();
    // A method without a body in a trait contains no logic.
    let has_body = |at: &usize| block_end(code, *at).and_then(|end| code.get(end - 1)) == Some(&b'}');
    let first = file.words("fn").filter(|_| is_declaring).find(has_body);
    first
        .map(|at| {
            format!(
                "{}:{}: `fn` in a file that declares and re-exports modules and holds no logic",
                file.path,
                file.line(at)
            )
        })
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "//! What lives here.\n";

    fn found(path: &str, body: &str) -> Vec<String> {
        check(&RustFile::new(path, &format!("{HEAD}{body}")))
    }

    #[test]
    fn words_in_text_and_comments_are_not_code() {
        let body = "// unsafe #[allow(x)]\nconst A: &str = \"#[allow(x)] unsafe\";\n#![forbid(unsafe_code)]\n";
        assert_eq!(found("crates/tools-file/src/a.rs", body), Vec::<String>::new());
    }

    #[test]
    fn a_file_needs_its_header() {
        let found = check(&RustFile::new("crates/a/src/b.rs", "\n//! late\n"));
        assert_eq!(found, ["crates/a/src/b.rs:1: begins without a `//!` line that says what lives here"]);
    }

    #[test]
    fn inner_and_spaced_allows_are_found() {
        let found = found("crates/a/src/b.rs", "#![allow(x)]\n#[ allow (y)]\nfn allow(z: u8) {}\n");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn only_the_sandbox_may_be_unsafe() {
        assert_eq!(found("crates/tools-sandbox/src/a.rs", "unsafe fn a() {}"), Vec::<String>::new());
        assert_eq!(
            found("crates/tools-file/src/a.rs", "unsafe fn a() {}"),
            ["crates/tools-file/src/a.rs:2: `unsafe` outside crates/tools-sandbox"],
        );
    }

    #[test]
    fn tools_do_not_open_path_strings() {
        let body = "fn a(p: &Path) { p.canonicalize(); std::fs::File::open(p); }\n#[cfg(test)]\nmod tests { use std::fs::File::open; }\n";
        assert_eq!(found("crates/tools-file/src/tools/a.rs", body).len(), 2);
        assert_eq!(found("crates/tools-sandbox/src/roots.rs", body), Vec::<String>::new());
        assert_eq!(found("crates/tools-file/tests/it/a.rs", body), Vec::<String>::new());
    }

    #[test]
    fn length_counts_in_src_only() {
        let body = "const A: u8 = 0;\n".repeat(MAX_LINES);
        assert_eq!(found("crates/a/src/b.rs", &body).len(), 1);
        assert_eq!(found("crates/a/tests/it/b.rs", &body), Vec::<String>::new());
    }

    #[test]
    fn a_library_root_only_declares() {
        assert_eq!(found("crates/a/src/lib.rs", "mod b;\npub use b::B;\n"), Vec::<String>::new());
        assert_eq!(found("crates/a/src/b/mod.rs", "pub trait A { fn a(&self) -> u8; }\n"), Vec::<String>::new());
        assert_eq!(found("crates/a/src/b/mod.rs", "fn a() {}\n").len(), 1);
    }
}
