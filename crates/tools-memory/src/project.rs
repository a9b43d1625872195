//! Determines the project of a folder.

use std::path::{Path, PathBuf};

/// The project of a working directory: the nearest folder, itself or above, with a git repository;
/// otherwise the folder itself. A home is not the project of folders below it.
pub fn project_of(workdir: &Path) -> String {
    let workdir = workdir.canonicalize().unwrap_or_else(|_| workdir.to_owned());
    let homes: Vec<PathBuf> = tools_sandbox::homes().iter().filter_map(|home| home.canonicalize().ok()).collect();
    let is_kept = |folder: &&Path| folder.join(".git").exists();
    let below_homes = |folder: &&Path| folder.parent().is_some() && !homes.iter().any(|home| home == folder);
    let project = workdir.ancestors().take_while(below_homes).find(is_kept).unwrap_or(&workdir);
    project.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_below_one_repository_are_one_project_and_others_are_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("a/.git")).unwrap();
        std::fs::create_dir_all(base.join("a/deep/er")).unwrap();
        std::fs::create_dir_all(base.join("b")).unwrap();
        let project = |name: &str| project_of(&base.join(name));
        assert_eq!(project("a/deep/er"), base.join("a").to_string_lossy());
        assert_eq!(project("a"), project("a/deep"));
        assert_eq!(project("b"), base.join("b").to_string_lossy());
        std::os::unix::fs::symlink(base.join("a/deep"), base.join("link")).unwrap();
        assert_eq!(project("link"), project("a"));
    }
}
