//! Projects below a folder that is not a project: a check of the folder does not read their files.

use std::path::{Path, PathBuf};

use tools_core::is_made_by_others;

use crate::checkers::ALL;

/// Maximum depth of the search for projects.
const DEPTH: usize = 3;
/// Maximum number of entries visited.
const MOST: usize = 4000;

/// The project folders below `directory`, in order, without projects nested in them. Skips hidden
/// folders.
pub(crate) fn projects_below(directory: &Path) -> Vec<PathBuf> {
    let (mut found, mut left) = (Vec::new(), MOST);
    look(directory, DEPTH, &mut left, &mut found);
    found.sort();
    found
}

fn look(folder: &Path, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return;
        }
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && !name.starts_with('.') && !is_made_by_others(&name) {
            folders.push(entry.path());
        }
    }
    for below in folders {
        let mut markers = ALL.iter().flat_map(|checker| checker.markers());
        if markers.any(|marker| below.join(marker).is_file()) {
            found.push(below);
        } else if depth > 1 {
            look(&below, depth - 1, left, found);
        }
    }
}

/// A phrase that lists some of the projects; `None` if there are none.
pub(crate) fn named(projects: &[PathBuf], show: impl Fn(&Path) -> String) -> Option<String> {
    const SHOWN: usize = 5;
    if projects.is_empty() {
        return None;
    }
    let mut names: Vec<String> = projects.iter().take(SHOWN).map(|project| format!("`{}`", show(project))).collect();
    if projects.len() > SHOWN {
        names.push(format!("{} more", projects.len() - SHOWN));
    }
    let what = if projects.len() == 1 { "the project" } else { "the projects" };
    Some(format!("{what} {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use tools_testkit::Workspace;

    use super::*;

    #[test]
    fn projects_are_found_a_few_levels_down() {
        let workspace = Workspace::new();
        for file in [
            "back/Cargo.toml",
            "back/inner/Cargo.toml",
            "web/app/tsconfig.json",
            "node_modules/x/tsconfig.json",
            ".hidden/Cargo.toml",
            "a/b/c/d/Cargo.toml",
            "tool.py",
        ] {
            workspace.file(file, "");
        }
        let found = projects_below(workspace.root());
        assert_eq!(found, [workspace.path("back"), workspace.path("web/app")]);
        let show = |path: &Path| path.strip_prefix(workspace.root()).unwrap().display().to_string();
        assert_eq!(named(&found, show).unwrap(), "the projects `back`, `web/app`");
        assert_eq!(named(&[], show), None);
    }
}
