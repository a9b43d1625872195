//! Rules for the first texts that a reader sees: the README of a library has an example, every
//! example in it is compiled, and the page of the crates lists the crate.

use crate::repository::File;

const CRATES_PAGE: &str = "docs/start/library.md";
const COMPILED: &str = "#[doc = include_str!(\"../README.md\")]";

pub(crate) fn check(files: &[File]) -> Vec<String> {
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    let page = text(CRATES_PAGE);
    let mut found = Vec::new();
    for file in files {
        let Some(folder) = file.path.strip_suffix("/src/lib.rs").filter(|folder| folder.starts_with("crates/")) else {
            continue;
        };
        if !file.text.contains(COMPILED) {
            found.push(format!("{}: without `{COMPILED}`, which compiles the examples of the README", file.path));
        }
        let readme = text(&format!("{folder}/README.md")).unwrap_or_default();
        if readme.lines().any(|line| line.starts_with("```rust") && line.contains("ignore")) {
            found.push(format!("{folder}/README.md: an example that is not compiled"));
        }
        if shows_hidden_lines(readme) {
            found.push(format!("{folder}/README.md: an example with lines that only rustdoc hides"));
        }
        let is_published =
            !text(&format!("{folder}/Cargo.toml")).is_some_and(|manifest| manifest.contains("\npublish = false"));
        if !is_published {
            continue;
        }
        if !readme.contains("```rust") {
            found.push(format!("{folder}/README.md: without an example"));
        }
        let name = folder.trim_start_matches("crates/");
        if page.is_some_and(|page| !page.contains(&format!("`{name}`"))) {
            found.push(format!("{CRATES_PAGE}: does not name `{name}`"));
        }
    }
    found
}

/// Whether a line of an example begins with `# `: registries and forges show such lines.
fn shows_hidden_lines(readme: &str) -> bool {
    let mut in_example = false;
    readme.lines().any(|line| {
        if line.starts_with("```") {
            in_example = line.starts_with("```rust");
        }
        in_example && line.starts_with("# ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| File { path: (*path).to_owned(), text: (*text).to_owned() };
        check(&files.iter().map(file).collect::<Vec<_>>())
    }

    #[test]
    fn a_library_shows_compiled_examples_and_is_on_the_page() {
        let example = "```rust\nlet a = 1;\n```\n";
        let good = [
            ("crates/a/src/lib.rs", COMPILED),
            ("crates/a/README.md", example),
            (CRATES_PAGE, "| `a` |"),
            ("crates/b/src/main.rs", ""),
        ];
        assert_eq!(found(&good), Vec::<String>::new());
        let bad =
            [("crates/a/src/lib.rs", ""), ("crates/a/README.md", "```rust,ignore\nlet\n```\n"), (CRATES_PAGE, "`ab`")];
        assert_eq!(found(&bad).len(), 3, "{:?}", found(&bad));
        let bare = [("crates/a/src/lib.rs", COMPILED), ("crates/a/README.md", "text"), (CRATES_PAGE, "`a`")];
        assert_eq!(found(&bare), ["crates/a/README.md: without an example"]);
        let hidden = [
            ("crates/a/src/lib.rs", COMPILED),
            ("crates/a/README.md", "# a\n\n```rust\n# Ok(())\n```\n# b\n"),
            (CRATES_PAGE, "`a`"),
        ];
        assert_eq!(found(&hidden), ["crates/a/README.md: an example with lines that only rustdoc hides"]);
        let kept = [
            ("crates/a/src/lib.rs", COMPILED),
            ("crates/a/README.md", "text"),
            ("crates/a/Cargo.toml", "[package]\npublish = false\n"),
            (CRATES_PAGE, ""),
        ];
        assert_eq!(found(&kept), Vec::<String>::new());
    }
}
