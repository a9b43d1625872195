//! Finding the files and folders a child must not read: a bounded walk of the writable folders for what the read rules
//! deny, and the control sockets of daemons that would act for it. Hiding them is the sandbox's part.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Entries of the writable folders looked at for files to hide.
const MOST_ENTRIES: usize = 50_000;

/// Folders that are large and hold no secrets by name.
const SKIPPED: [&str; 3] = ["node_modules", "target", "objects"];

/// What a walk found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Masks {
    /// Denied paths that exist; nothing below a denied folder is listed again.
    pub paths: Vec<PathBuf>,
    /// Set when the budget ended the walk before the tree did.
    pub incomplete: bool,
}

/// Which files no child may read: the file tools' read rules, brought to the kernel.
#[derive(Clone)]
pub struct Hidden {
    /// Whether a path may not be read.
    pub denies: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
    /// Places outside the workspace to look at, such as `~/.ssh`.
    pub places: Vec<PathBuf>,
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hidden").field("places", &self.places).finish_non_exhaustive()
    }
}

impl Hidden {
    /// What has to be hidden from a child that may write `roots`, as it lies there now.
    pub fn masks(&self, roots: &[PathBuf]) -> Masks {
        let is_denied = |path: &Path| !is_git_config(path) && (self.denies)(path);
        let mut masks = find_masks(roots, MOST_ENTRIES, is_denied);
        masks.paths.extend(self.places.iter().filter(|place| !is_git_config(place)).cloned());
        masks
    }
}

/// `git` cannot work without its configuration: children may read it though the file tools may not.
fn is_git_config(path: &Path) -> bool {
    path.ends_with(".git/config")
}

/// Walks `roots` and lists what `is_denied` refuses, looking at no more than `budget` entries. Links are not followed:
/// what they lead to is denied, or not, where it lies.
pub fn find_masks(roots: &[PathBuf], budget: usize, is_denied: impl Fn(&Path) -> bool) -> Masks {
    let mut masks = Masks::default();
    let mut left = budget;
    let mut folders: Vec<PathBuf> = roots.to_vec();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if left == 0 {
                masks.incomplete = true;
                return masks;
            }
            left -= 1;
            let path = entry.path();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_denied(&path) {
                masks.paths.push(path);
            } else if is_folder && !SKIPPED.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            }
        }
    }
    masks
}

/// Sockets of daemons that start processes or hold keys for whoever may connect.
#[derive(Debug, Clone, Copy)]
pub struct ControlSockets;

impl ControlSockets {
    /// Those that exist on this machine.
    pub fn existing() -> Vec<PathBuf> {
        let user = format!("/run/user/{}", crate::process::effective_ids().0);
        let fixed = [
            "/run/docker.sock",
            "/run/containerd/containerd.sock",
            "/run/podman/podman.sock",
            "/run/crio/crio.sock",
            "/run/libvirt/libvirt-sock",
            "/run/systemd/private",
            "/run/dbus/system_bus_socket",
        ];
        let of_user = ["bus", "systemd/private", "docker.sock", "podman/podman.sock"];
        let of_user = of_user.iter().map(|name| Path::new(&user).join(name));
        fixed.iter().map(PathBuf::from).chain(of_user).filter(|path| path.exists()).collect()
    }
}

/// Whether a path is one of these or lies below one.
pub(crate) fn below_any(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in [".env", "sub/.env", "secrets/key", "src/main.rs", "node_modules/.env"] {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        root
    }

    fn is_denied(path: &Path) -> bool {
        path.ends_with(".env") || path.ends_with("secrets")
    }

    #[test]
    fn denied_files_and_whole_folders_are_found() {
        let root = tree();
        let masks = find_masks(&[root.path().to_owned()], 100, is_denied);
        let mut found: Vec<_> = masks.paths.iter().map(|path| path.strip_prefix(root.path()).unwrap()).collect();
        found.sort();
        assert_eq!(found, [Path::new(".env"), Path::new("secrets"), Path::new("sub/.env")]);
        assert!(!masks.incomplete);
    }

    #[test]
    fn a_child_may_read_what_git_needs() {
        let root = tree();
        std::fs::create_dir(root.path().join(".git")).unwrap();
        std::fs::write(root.path().join(".git/config"), "").unwrap();
        let hidden = Hidden { denies: Arc::new(|path| path.ends_with("config")), places: vec!["/home/me/.ssh".into()] };
        assert_eq!(hidden.masks(&[root.path().to_owned()]).paths, [Path::new("/home/me/.ssh")]);
    }

    #[test]
    fn a_spent_budget_is_reported() {
        let root = tree();
        assert!(find_masks(&[root.path().to_owned()], 2, is_denied).incomplete);
    }
}
