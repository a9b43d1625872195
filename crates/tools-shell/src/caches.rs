//! Cache folders of package managers that commands may write outside of the workspace. They never
//! contain credentials or configuration.

use std::path::{Path, PathBuf};

use tools_sandbox::expand_home;

/// The configured caches that exist. `~` is `home`. Caches inside a root are left out. So are paths
/// that lead elsewhere through a link: a command that may write the place of a cache could put a
/// link there.
pub(crate) fn cache_folders(configured: &[String], home: Option<&str>, roots: &[PathBuf]) -> Vec<PathBuf> {
    let home = home.and_then(|home| Path::new(home).canonicalize().ok());
    let place = |text: &String| expand_home(text, home.as_deref());
    let is_usable = |path: &PathBuf| {
        let resolved = path.canonicalize();
        resolved.is_ok_and(|resolved| resolved == *path && resolved.is_dir())
            && !roots.iter().any(|root| path.starts_with(root) || root.starts_with(path))
    };
    configured.iter().filter_map(place).filter(is_usable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_folders_outside_of_the_roots_are_caches() {
        let base = tempfile::tempdir().unwrap();
        let home = base.path().canonicalize().unwrap();
        for folder in [".npm/_cacache", "work/.cache", "etc"] {
            std::fs::create_dir_all(home.join(folder)).unwrap();
        }
        std::fs::write(home.join("file"), "").unwrap();
        std::os::unix::fs::symlink(home.join("etc"), home.join("link")).unwrap();
        let names = [
            "~/.npm/_cacache",
            "~/missing",
            "~/file",
            "~/link",
            "~/work/.cache",
            "~/.npm/../etc",
            "relative",
            "~/work",
        ];
        let configured: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let roots = [home.join("work")];
        let found = |home: Option<&str>| cache_folders(&configured, home, &roots);
        assert_eq!(found(home.to_str()), [home.join(".npm/_cacache")]);
        assert_eq!(found(None), Vec::<PathBuf>::new());
    }
}
