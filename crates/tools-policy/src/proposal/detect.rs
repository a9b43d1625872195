//! What sorts of project a folder holds, by the files that say so. Looks, and opens nothing.

use std::fs;
use std::path::{Path, PathBuf};

use tools_core::is_made_by_others;

/// How deep projects are looked for below the folder, and in how many folders: `services/api` is
/// part of a repository of several.
const DEPTH: usize = 2;
const MAX_FOLDERS: usize = 500;

/// A sort of project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProjectKind {
    /// Built with cargo.
    Rust,
    /// Built with npm or one of its kin.
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

/// Files that say what sort of project it is.
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
    /// All of them.
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

/// The sorts of project that a folder holds, itself or a little below; more than one where several
/// tools build it, none where nothing says.
pub fn detect(folder: &Path) -> Vec<ProjectKind> {
    let folders = folders(folder);
    let holds = |name: &&str| folders.iter().any(|folder| folder.join(name).symlink_metadata().is_ok());
    SIGNS.iter().filter(|(_, names)| names.iter().any(holds)).map(|(kind, _)| *kind).collect()
}

/// The folder and those below it in which projects may lie. Links are not followed.
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
