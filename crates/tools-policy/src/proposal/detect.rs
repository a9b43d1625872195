//! What sort of project a folder holds, by the files that say so. Looks, and opens nothing.

use std::path::Path;

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

/// The sorts of project that a folder holds; more than one where several tools build it, none where
/// nothing says.
pub fn detect(folder: &Path) -> Vec<ProjectKind> {
    let holds = |names: &[&str]| names.iter().any(|name| folder.join(name).symlink_metadata().is_ok());
    SIGNS.iter().filter(|(_, names)| holds(names)).map(|(kind, _)| *kind).collect()
}
