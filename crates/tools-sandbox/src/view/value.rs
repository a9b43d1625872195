//! The view as a value: the concealed folders, the grants in them, and queries.

use std::{
    collections::HashSet,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::below::{below_any, holds_any, is_below};

/// A folder that is empty for child processes apart from the grants in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConcealedFolder {
    /// The folder, canonical.
    pub path: PathBuf,
    /// Reason of the concealment.
    pub why: String,
}

/// A file or folder in a concealed one that child processes may read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedPath {
    /// Path inside the view.
    pub path: PathBuf,
    /// Path of the content: canonical, in most cases the same path.
    pub source: PathBuf,
    /// Reason of the grant.
    pub why: String,
}

/// A symbolic link in a concealed folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Path of the link.
    pub at: PathBuf,
    /// Target of the link.
    pub to: PathBuf,
}

/// A file that child processes see in place of the user's own: a copy without credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubstituteFile {
    /// Path inside the view.
    pub path: PathBuf,
    /// Content of the file.
    pub content: Vec<u8>,
    /// The environment variable that names such a file, for levels that cannot show a file in place
    /// of another.
    pub variable: Option<&'static str>,
}

/// The files that child processes of one workspace see beyond the system, the writable folders and
/// a private temporary folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// Folders that are empty apart from the entries below; none lies in another.
    pub concealed: Vec<ConcealedFolder>,
    /// Readable paths in them; none lies in another.
    pub granted: Vec<GrantedPath>,
    /// Links in them: the user's links on the way to granted paths, and links from the package
    /// managers' usual places to `caches`.
    pub links: Vec<Link>,
    /// Copies of files in them.
    pub handed_in: Vec<SubstituteFile>,
    /// The writable cache folder.
    pub caches: Option<PathBuf>,
    /// Credentials in granted folders: they stay hidden.
    pub closed: Vec<PathBuf>,
    /// Granted folders that are searched for files that must not be read: they contain more than
    /// programs.
    pub searched: Vec<PathBuf>,
    /// Folders of git, canonical, that the workspace's repository needs and that are not writable:
    /// commits fail until they are.
    pub read_only_git: Vec<PathBuf>,
    /// Environment variables that lead package managers to `caches` where no link does.
    pub variables: Vec<(String, OsString)>,
    /// Like `variables`, for levels without links.
    pub variables_without_links: Vec<(String, OsString)>,
}

impl View {
    /// The copies, each with whether a process sees it. If a copy cannot replace the user's file
    /// (`by_variable`), only the first copy of each variable is visible.
    pub(crate) fn substitutes(&self, by_variable: bool) -> impl Iterator<Item = (&SubstituteFile, bool)> {
        let mut named = HashSet::new();
        self.handed_in.iter().map(move |copy| {
            let is_there = !by_variable || copy.variable.is_some_and(|name| named.insert(name));
            (copy, is_there)
        })
    }

    /// The concealed folder that hides `path`; `None` if this view does not hide it. `writable` are
    /// the writable folders. Links in `path` are not followed.
    pub(crate) fn conceals(&self, path: &Path, writable: &[PathBuf]) -> Option<&ConcealedFolder> {
        let concealed = self.concealed.iter().find(|concealed| is_below(path, &concealed.path))?;
        let is_seen = below_any(path, writable)
            || self.granted.iter().any(|granted| is_below(path, &granted.path))
            || self.caches.iter().any(|caches| is_below(path, caches))
            || self.handed_in.iter().any(|copy| copy.path == path)
            || self.links.iter().any(|link| is_below(path, &link.at));
        // The folders above visible paths exist, too.
        let leads = holds_any(path, writable) || self.granted.iter().any(|granted| is_below(&granted.path, path));
        (!is_seen && !leads).then_some(concealed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_concealed_folder_is_seen_only_where_something_was_granted() {
        let granted = |path: &str| GrantedPath { path: path.into(), source: path.into(), why: String::new() };
        let view = View {
            concealed: vec![ConcealedFolder { path: "/home".into(), why: "homes".to_owned() }],
            granted: vec![granted("/home/me/.rustup")],
            links: vec![Link { at: "/home/me/.npm".into(), to: "/elsewhere".into() }],
            ..View::default()
        };
        let roots = [PathBuf::from("/home/me/work")];
        let check = |path: &str, expected: bool| {
            assert_eq!(view.conceals(Path::new(path), &roots).is_some(), expected, "{path}");
        };
        check("/home/me/.ssh/id", true);
        check("/home/you", true);
        check("/home/me/work2", true);
        check("/home/me/work/x", false);
        check("/home/me/.rustup/settings.toml", false);
        check("/home/me/.npm/_cacache", false);
        check("/home/me", false);
        check("/usr/lib", false);
    }
}
