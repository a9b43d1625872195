//! Detects the kinds of project in a folder by the names of files. Opens no file.

use std::fs;
use std::path::{Path, PathBuf};

use tools_core::is_made_by_others;

/// Maximum depth and number of searched folders: `services/api` is part of a repository of several.
const DEPTH: usize = 2;
const MAX_FOLDERS: usize = 500;

/// A kind of project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProjectKind {
    /// Built with cargo.
    Rust,
    /// Built with npm or a similar package manager.
    Node,
    /// Python.
    Python,
    /// Go modules.
    Go,
    /// Built with Gradle or Maven.
    Java,
    /// Ruby with Bundler.
    Ruby,
}

/// Files that identify each kind of project.
const SIGNS: &[(ProjectKind, &[&str])] = &[
    (ProjectKind::Rust, &["Cargo.toml"]),
    (ProjectKind::Node, &["package.json", "tsconfig.json", "deno.json"]),
    (ProjectKind::Python, &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile", "tox.ini"]),
    (ProjectKind::Go, &["go.mod", "go.work"]),
    (
        ProjectKind::Java,
        &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "mvnw", "gradlew"],
    ),
    (ProjectKind::Ruby, &["Gemfile", "Rakefile"]),
];

impl ProjectKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Rust, Self::Node, Self::Python, Self::Go, Self::Java, Self::Ruby];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Node => "node",
            Self::Python => "python",
            Self::Go => "go",
            Self::Java => "java",
            Self::Ruby => "ruby",
        }
    }
}

/// The kinds of project in a folder or a little below it; several if several tools build it, empty
/// if no file identifies one.
pub fn detect(folder: &Path) -> Vec<ProjectKind> {
    let folders = folders(folder);
    let holds = |name: &&str| folders.iter().any(|folder| folder.join(name).symlink_metadata().is_ok());
    SIGNS.iter().filter(|(_, names)| names.iter().any(holds)).map(|(kind, _)| *kind).collect()
}

/// The folder and the searched folders below it. Links are not followed.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut level = 0..1;
    for _ in 0..DEPTH {
        let begun = found.len();
        for at in level {
            let entries = fs::read_dir(&found[at]).into_iter().flatten().flatten();
            let below = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
            let own = below.filter(|entry| {
                let name = entry.file_name();
                let name = name.to_string_lossy();
                !name.starts_with('.') && !is_made_by_others(&name)
            });
            let room = MAX_FOLDERS.saturating_sub(found.len());
            let own: Vec<PathBuf> = own.map(|entry| entry.path()).take(room).collect();
            found.extend(own);
        }
        level = begun..found.len();
    }
    found
}
