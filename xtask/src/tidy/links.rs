//! Checks that links between the written pages lead to existing pages. Web links are not checked.

use std::collections::BTreeSet;

use crate::repository::File;

pub(crate) fn check(files: &[File]) -> Vec<String> {
    let pages: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let is_fixture = |file: &File| file.path.split('/').any(|part| part == "tests");
    let written = files.iter().filter(|file| is_page(&file.path) && !is_fixture(file));
    let broken = written.flat_map(|file| {
        let links = links(&file.text).filter(|(_, link)| is_page(link) && !link.contains(':'));
        links
            .filter(|(_, link)| !resolve(&file.path, link).is_some_and(|path| pages.contains(path.as_str())))
            .map(|(line, link)| format!("{}:{line}: link to `{link}`, which is not there", file.path))
            .collect::<Vec<_>>()
    });
    broken.collect()
}

pub(super) fn is_page(path: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|extension| extension == "md")
}

/// The targets of `[text](target)` with their lines, without what follows a `#`.
fn links(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).flat_map(|(number, line)| {
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#', ' ']).next());
        targets.map(move |target| (number, target))
    })
}

/// Resolves a link relative to its page, as a path from the root; `None` when it leads out of the
/// repository.
fn resolve(page: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let page = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        check(&[page("docs/a.md", text), page("docs/decisions/0001-b.md", ""), page("SECURITY.md", "")])
    }

    #[test]
    fn links_resolve_from_the_page() {
        let text = "[b](decisions/0001-b.md#price) and [s](../SECURITY.md), [web](https://x.invalid/y.md), [a](#here)";
        assert_eq!(found(text), Vec::<String>::new());
    }

    #[test]
    fn broken_links_are_named_with_their_line() {
        let expected = [
            "docs/a.md:2: link to `gone.md`, which is not there",
            "docs/a.md:2: link to `../../x.md`, which is not there",
        ];
        assert_eq!(found("\n[a](gone.md) [b](../../x.md)"), expected);
    }
}
