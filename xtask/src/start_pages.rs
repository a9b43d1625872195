//! Compiles the beginners' pages as their readers would: a crate outside of the workspace, with
//! only the dependencies and the code on the page. The documentation tests compile the same code
//! with all dependencies of the facade, so they do not detect a dependency that a page forgot.

use crate::command;
use crate::dist::files;
use crate::failure::Failure;
use crate::metadata::Graph;
use crate::repository::{self, File};

const PAGES: &str = "docs/start";
/// Folder for the generated crates.
const MADE: &str = "target/start";
const DEPENDENCIES: &str = "[dependencies]\n";

/// Compiles each page that shows dependencies.
pub(crate) fn check() -> Result<(), Failure> {
    let graph = Graph::of_workspace()?;
    let members: Vec<&str> = graph.member_packages().map(|(_, package)| package.name.as_str()).collect();
    let mut count = 0;
    for page in repository::files(repository::root(), PAGES, &[".md"])? {
        let Some((manifest, code)) = written(&page, &members) else { continue };
        let name = name(&page);
        let folder = repository::root().join(MADE).join(name);
        files::write(&folder.join("Cargo.toml"), &manifest)?;
        files::write(&folder.join("src/lib.rs"), &code)?;
        files::copy(&repository::root().join("Cargo.lock"), &folder.join("Cargo.lock"))?;
        let manifest = format!("{MADE}/{name}/Cargo.toml");
        let check = ["check", "--quiet", "--target-dir", "target", "--manifest-path", &manifest];
        command::run(&mut command::cargo(&check))?;
        println!("start pages: {} compiles", page.path);
        count += 1;
    }
    if count == 0 {
        return Err(Failure::Found(format!("no page in {PAGES} shows its dependencies")));
    }
    Ok(())
}

fn name(page: &File) -> &str {
    page.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".md")
}

/// The manifest and the code of a page; `None` if it shows no dependencies.
fn written(page: &File, members: &[&str]) -> Option<(String, String)> {
    let shown = blocks(&page.text, "toml").into_iter().find_map(|block| {
        let (_, shown) = block.split_once(DEPENDENCIES)?;
        Some(shown.to_owned())
    })?;
    let dependencies: Vec<String> = shown.lines().map(|line| dependency(line, members)).collect();
    let manifest = format!(
        "[package]\nname = \"start-{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n{DEPENDENCIES}{}\n",
        name(page),
        dependencies.join("\n"),
    );
    let modules = blocks(&page.text, "rust").into_iter().enumerate();
    let code: Vec<String> =
        modules.map(|(at, block)| format!("pub mod part_{at} {{\n{}}}\n", public(&block))).collect();
    Some((manifest, format!("#![deny(warnings)]\n{}", code.concat())))
}

/// A line of `[dependencies]`, with the local path for a crate of the workspace.
fn dependency(line: &str, members: &[&str]) -> String {
    let Some((name, value)) = line.split_once(" = ").filter(|(name, _)| members.contains(name)) else {
        return line.to_owned();
    };
    let path = format!("path = \"../../../crates/{name}\"");
    match value.strip_prefix('{') {
        Some(rest) => format!("{name} = {{ {path},{rest}"),
        None => format!("{name} = {{ {path}, version = {value} }}"),
    }
}

/// The code blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(opened)) if opened.split(',').next() == Some(language) => block = Some(String::new()),
            (Some(_), Some(_)) => found.extend(block.take()),
            // Lines that the rendered page hides are code too.
            (Some(own), None) => own.extend([line.strip_prefix("# ").unwrap_or(line), "\n"]),
            (None, _) => {}
        }
    }
    found
}

/// Makes the functions of a block public, because the compiler warns about unused private ones.
fn public(block: &str) -> String {
    let line = |line: &str| {
        let is_function = line.starts_with("fn ") || line.starts_with("async fn ");
        format!("{}{line}\n", if is_function { "pub " } else { "" })
    };
    block.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_a_crate_of_what_it_shows() {
        let text = "# A page\n\n```toml\n[dependencies]\nhaft = { version = \"0.1\", features = [\"a\"] }\ntools-core = \"0.1\"\n\
                    tokio = \"1\"\n```\n\n```rust\nuse haft::X;\n# use hidden::Y;\nfn x() {}\n```\n\n```text\nnothing\n```\n";
        let page = File { path: "docs/start/page.md".to_owned(), text: text.to_owned() };
        let (manifest, code) = written(&page, &["haft", "tools-core"]).expect("it shows dependencies");
        assert!(
            manifest.ends_with(
                "[dependencies]\nhaft = { path = \"../../../crates/haft\", version = \"0.1\", features = [\"a\"] }\n\
                 tools-core = { path = \"../../../crates/tools-core\", version = \"0.1\" }\ntokio = \"1\"\n"
            ),
            "{manifest}"
        );
        assert!(manifest.contains("name = \"start-page\""), "{manifest}");
        assert_eq!(code, "#![deny(warnings)]\npub mod part_0 {\nuse haft::X;\nuse hidden::Y;\npub fn x() {}\n}\n");
        let plain = File { path: "docs/start/other.md".to_owned(), text: "```toml\na = 1\n```\n".to_owned() };
        assert!(written(&plain, &[]).is_none());
    }
}
