//! Selects the concealed folders: the homes of all users, top-level folders that are no part of the
//! system, and data of users and services in system folders.

use std::path::{Path, PathBuf};

use super::{surroundings::Surroundings, value::ConcealedFolder};

/// Top-level folders of the system. `/tmp` is private to child processes anyway.
const SYSTEM: [&str; 20] = [
    "bin",
    "boot",
    "dev",
    "etc",
    "gnu",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "lost+found",
    "nix",
    "opt",
    "proc",
    "run",
    "sbin",
    "snap",
    "sys",
    "tmp",
    "usr",
    "var",
];
/// Folders in system folders with data of users and services, with the reason to conceal each.
pub(super) const LEFT_IN_SYSTEM: [(&str, &str); 4] = [
    ("/var/mail", "mail of users"),
    ("/var/spool", "mail and tasks of users"),
    ("/var/tmp", "temporary files of others"),
    ("/var/www", "other projects"),
];
/// System folders below which no home is concealed: services have their homes there.
const HOLDS_NO_HOME: [&str; 10] = ["/bin", "/boot", "/dev", "/etc", "/lib", "/nix", "/proc", "/sbin", "/sys", "/usr"];
/// System folders that are never a home, whatever the user database says.
const NO_HOME: [&str; 10] =
    ["/opt", "/run", "/tmp", "/var", "/var/cache", "/var/lib", "/var/log", "/var/run", "/var/spool", "/var/tmp"];

/// The folders concealed from processes that may write `writable` and read `explicit`; outermost
/// only.
pub(super) fn concealed(
    around: &Surroundings,
    further: Option<ConcealedFolder>,
    writable: &[PathBuf],
    explicit: &[PathBuf],
) -> Vec<ConcealedFolder> {
    let top = around.top.iter().filter(|folder| !is_system(folder)).map(|folder| ConcealedFolder {
        path: folder.clone(),
        why: match folder.to_str() {
            Some("/home") => "homes of users".to_owned(),
            _ => "no folder of the system".to_owned(),
        },
    });
    let left = around.left.iter().filter_map(|path| {
        let (_, why) = LEFT_IN_SYSTEM.iter().find(|(folder, _)| path == Path::new(folder))?;
        Some(ConcealedFolder { path: path.clone(), why: (*why).to_owned() })
    });
    let own = around.homes.iter().map(|home| (home, "your home"));
    let others = around.others.iter().map(|home| (home, "the home of another user"));
    let homes = own.chain(others).filter(|(home, _)| is_home(home));
    let homes = homes.map(|(home, why)| ConcealedFolder { path: home.clone(), why: why.to_owned() });
    let is_open =
        |path: &Path| writable.iter().chain(explicit).any(|root| path.starts_with(root) || path == Path::new("/"));
    let mut all: Vec<ConcealedFolder> =
        top.chain(left).chain(homes).chain(further).filter(|concealed| !is_open(&concealed.path)).collect();
    all.sort_by(|a, b| a.path.cmp(&b.path));
    let mut outermost: Vec<ConcealedFolder> = Vec::new();
    for concealed in all {
        match outermost.last() {
            Some(outer) if concealed.path == outer.path => {
                // A top-level home: that reason says more.
                outermost.pop();
                outermost.push(concealed);
            }
            Some(outer) if concealed.path.starts_with(&outer.path) => {}
            _ => outermost.push(concealed),
        }
    }
    outermost
}

fn is_system(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| SYSTEM.iter().any(|system| name == *system))
}

fn is_home(path: &Path) -> bool {
    path.parent().is_some()
        && !HOLDS_NO_HOME.iter().any(|system| path.starts_with(system))
        && !NO_HOME.iter().any(|system| path == Path::new(system))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(homes: &[&str], writable: &[&str], explicit: &[&str], expected: &[&str]) {
        let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
        let around = Surroundings {
            homes: paths(homes),
            others: paths(&["/root", "/data/you", "/usr/games"]),
            left: paths(&["/var/tmp"]),
            top: paths(&["/data", "/etc", "/home", "/root", "/srv", "/tmp", "/usr", "/var"]),
            ..Surroundings::default()
        };
        let found = concealed(&around, None, &paths(writable), &paths(explicit));
        let found: Vec<_> = found.into_iter().map(|concealed| concealed.path).collect();
        assert_eq!(found, paths(expected), "{homes:?} {writable:?} {explicit:?}");
    }

    #[test]
    fn homes_and_what_is_no_part_of_the_system_are_concealed() {
        check(&["/home/me"], &["/home/me/work"], &[], &["/data", "/home", "/root", "/srv", "/var/tmp"]);
        check(&["/var/lib/ci"], &["/srv/build"], &[], &["/data", "/home", "/root", "/srv", "/var/lib/ci", "/var/tmp"]);
        check(&["/root"], &["/data/x"], &["/srv"], &["/data", "/home", "/root", "/var/tmp"]);
    }

    #[test]
    fn the_root_folder_and_folders_of_the_system_are_no_homes() {
        check(&["/"], &["/w"], &[], &["/data", "/home", "/root", "/srv", "/var/tmp"]);
        check(&["/tmp"], &["/w"], &[], &["/data", "/home", "/root", "/srv", "/var/tmp"]);
    }

    #[test]
    fn what_may_be_written_is_not_concealed() {
        check(&["/home/me"], &["/home/me"], &[], &["/data", "/home", "/root", "/srv", "/var/tmp"]);
        check(&["/home/me"], &["/home"], &[], &["/data", "/root", "/srv", "/var/tmp"]);
        check(&["/home/me"], &["/var/tmp"], &[], &["/data", "/home", "/root", "/srv"]);
        check(&["/home/me"], &["/"], &[], &[]);
        check(&["/home/me"], &["/home/me/w"], &["/home/me"], &["/data", "/home", "/root", "/srv", "/var/tmp"]);
    }
}
