//! Sockets of other programs in the file system. A process that connects to one can make its owner
//! act outside any sandbox: an editor, a terminal, a container daemon or a key agent follows its
//! requests.

use std::{
    os::unix::fs::FileTypeExt as _,
    path::{Path, PathBuf},
};

/// The names by which sockets can be granted, as an alternative to paths.
pub const SOCKET_NAMES: [&str; 4] = ["ssh-agent", "docker", "database", "display"];

/// The existing paths for names of [`SOCKET_NAMES`] and absolute paths; `variable` returns
/// environment variables.
pub fn granted_sockets(names: &[String], variable: impl Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let runtime = variable("XDG_RUNTIME_DIR").map(PathBuf::from);
    let home = crate::account::home();
    let below = |folder: &Option<PathBuf>, name: &str| folder.as_ref().map(|folder| folder.join(name));
    let mut paths: Vec<Option<PathBuf>> = Vec::new();
    for name in names {
        match name.as_str() {
            "ssh-agent" => paths.push(variable("SSH_AUTH_SOCK").map(PathBuf::from)),
            "docker" => {
                let host = variable("DOCKER_HOST");
                paths.push(host.and_then(|host| host.strip_prefix("unix://").map(PathBuf::from)));
                paths.push(Some("/run/docker.sock".into()));
                paths.extend([below(&runtime, "docker.sock"), below(&home, ".docker/run/docker.sock")]);
            }
            "database" => {
                paths.extend(["/run/postgresql", "/run/mysqld", "/run/redis"].map(|path| Some(path.into())));
            }
            "display" => {
                let display = variable("DISPLAY").unwrap_or_default();
                let number: String = display.trim_start_matches(':').chars().take_while(char::is_ascii_digit).collect();
                if display.starts_with(':') && !number.is_empty() {
                    paths.push(Some(format!("/tmp/.X11-unix/X{number}").into()));
                }
                let wayland = variable("WAYLAND_DISPLAY").unwrap_or_else(|| "wayland-0".to_owned());
                paths.push(below(&runtime, &wayland));
            }
            path => paths.push(Some(path.into())),
        }
    }
    let absolute = paths.into_iter().flatten().filter(|path| path.is_absolute());
    let mut found: Vec<PathBuf> = absolute.filter_map(|path| path.canonicalize().ok()).collect();
    found.sort();
    found.dedup();
    found
}

/// The sockets on which programs of this machine listen now, as canonical paths.
pub(crate) fn bound_sockets() -> Vec<PathBuf> {
    let table = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let mut found: Vec<PathBuf> = named_in(&table)
        .into_iter()
        .filter(|path| std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket()))
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    found.sort();
    found.dedup();
    found
}

/// The absolute paths in the kernel's table of local sockets. Abstract names begin with `@`.
fn named_in(table: &str) -> Vec<PathBuf> {
    // Numbers come first, and contain no slash.
    let named = table.lines().skip(1).filter_map(|line| Some(PathBuf::from(&line[line.find(" /")? + 1..])));
    let mut paths: Vec<PathBuf> = named.collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Whether a socket lies in a folder that was granted for work and so belongs to the project. A
/// home or the whole machine is granted for its files.
pub(crate) fn is_of_workspace(socket: &Path, roots: &[&PathBuf], homes: &[PathBuf]) -> bool {
    roots.iter().any(|root| {
        socket.starts_with(root) && root.as_path() != Path::new("/") && !homes.iter().any(|home| home.starts_with(root))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_from_the_kernels_table() {
        let table = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                     ffff8880: 00000002 00000000 00010000 0001 01 22222 /run/a b.sock\n\
                     ffff8881: 00000003 00000000 00000000 0001 03     7\n\
                     ffff8882: 00000002 00000000 00010000 0001 01   333 @/tmp/abstract\n\
                     ffff8883: 00000002 00000000 00000000 0002 01 44444 /var/x\n\
                     ffff8884: 00000002 00000000 00010000 0001 01     5 relative\n";
        assert_eq!(named_in(table), [PathBuf::from("/run/a b.sock"), PathBuf::from("/var/x")]);
    }

    #[test]
    fn what_is_bound_now_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("s");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(bound_sockets().contains(&path));
    }

    #[test]
    fn sockets_of_the_workspace_are_not_those_of_a_home() {
        let check = |socket: &str, root: &str, expected: bool| {
            let root = PathBuf::from(root);
            let found = is_of_workspace(Path::new(socket), &[&root], &["/home/me".into()]);
            assert_eq!(found, expected, "{socket} in {root:?}");
        };
        check("/home/me/work/s", "/home/me/work", true);
        check("/home/me/.docker/s", "/home/me", false);
        check("/srv/s", "/", false);
        check("/srv/s", "/work", false);
    }

    #[test]
    fn names_stand_for_paths_that_exist() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("agent");
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let variable = |name: &str| (name == "SSH_AUTH_SOCK").then(|| path.to_string_lossy().into_owned());
        assert_eq!(granted_sockets(&["ssh-agent".to_owned()], variable), std::slice::from_ref(&path));
        assert!(granted_sockets(&["display".to_owned(), "/missing".to_owned()], variable).is_empty());
    }
}
