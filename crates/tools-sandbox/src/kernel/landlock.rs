//! Landlock rules: readable and writable parts of the file tree, TCP, and the scope of signals and
//! abstract sockets. The parent plans the rules. The child opens their paths after its mounts: a
//! rule names an inode, and one opened before a mount would name the covered one.
#![expect(unsafe_code, reason = "the rules are added by a forked child, where only raw system calls are allowed")]

use std::collections::VecDeque;
use std::ffi::CString;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::config::Network;
use super::raw::call;
use super::sys::{self, Errno, Result, check};
use super::tree_mounts::NEEDED;
use crate::process::effective_ids;
use crate::view::View;

const EXECUTE: u64 = 1 << 0;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const MAKE_CHAR: u64 = 1 << 6;
const MAKE_BLOCK: u64 = 1 << 11;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;

const READ: u64 = EXECUTE | READ_FILE | READ_DIR;
/// All rights that apply to a file that is not a folder.
const FILE: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

const NET_BIND_TCP: u64 = 1 << 0;
const NET_CONNECT_TCP: u64 = 1 << 1;
const SCOPE_ABSTRACT_UNIX_SOCKET: u64 = 1 << 0;
const SCOPE_SIGNAL: u64 = 1 << 1;

const CREATE_RULESET_VERSION: u32 = 1;
const RULE_PATH_BENEATH: libc::c_int = 1;

/// Maximum number of rules for the entries beside hidden paths: each costs a few microseconds per
/// process. A folder with more entries is closed as a whole.
const MAX_BESIDE: usize = 1500;

/// Folders that are private only if a process has its own mounts: other programs keep sockets,
/// tickets and working files there.
const SHARED: [&str; 2] = ["/run", "/tmp"];

#[repr(C)]
#[derive(Clone, Copy)]
struct RulesetAttributes {
    handled_fs: u64,
    handled_net: u64,
    scoped: u64,
}

#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    parent: i32,
}

/// The Landlock ABI of the running kernel; `None` if it has none or it is switched off.
pub(crate) fn abi() -> Option<u32> {
    let nothing = std::ptr::null::<RulesetAttributes>();
    // SAFETY: with this flag the call reads nothing and returns a number.
    let version = unsafe { call!(libc::SYS_landlock_create_ruleset, nothing, 0, CREATE_RULESET_VERSION) };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

struct Rule {
    path: CString,
    allowed: u64,
}

/// A planned ruleset.
pub(crate) struct Ruleset {
    attributes: RulesetAttributes,
    size: usize,
    rules: Vec<Rule>,
}

/// Inputs of a ruleset. Paths are canonical.
pub(crate) struct RulesetInput<'a> {
    pub(crate) writable: &'a [PathBuf],
    pub(crate) hidden: &'a [PathBuf],
    pub(crate) network: Network,
    /// The visible files outside the writable folders; `None` for everything.
    pub(crate) view: Option<&'a View>,
    /// Copies handed in to the process, wherever they lie.
    pub(crate) copies: &'a [&'a Path],
    /// Whether the process has private namespaces: `/tmp`, `/run`, `/dev/shm`, `/proc`, terminals,
    /// and the network if it is closed.
    pub(crate) own_mounts: bool,
}

impl Ruleset {
    /// Plans the rules for a kernel with this ABI. The second value lists hidden paths that rules
    /// cannot hide: those below a writable folder, because a right for a folder applies to
    /// everything below it.
    pub(crate) fn plan(abi: u32, ask: &RulesetInput<'_>) -> (Self, Vec<PathBuf>) {
        let handled_fs = match abi {
            0 | 1 => REFER - 1,
            2 => (REFER << 1) - 1,
            3 | 4 => (TRUNCATE << 1) - 1,
            _ => (IOCTL_DEV << 1) - 1,
        };
        let handled_net = match (abi, ask.network) {
            // In its own network a process may listen and connect: no other program is there.
            (4.., Network::Closed) if !ask.own_mounts => NET_BIND_TCP | NET_CONNECT_TCP,
            _ => 0,
        };
        let scoped = if abi >= 6 { SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL } else { 0 };
        let size = match abi {
            0..=3 => 8,
            4 | 5 => 16,
            _ => 24,
        };
        let mut planned =
            Self { attributes: RulesetAttributes { handled_fs, handled_net, scoped }, size, rules: Vec::new() };
        let hidden = if ask.own_mounts { &[][..] } else { ask.hidden };
        // With own mounts, the mounts conceal.
        let view = ask.view.filter(|_| !ask.own_mounts);
        let concealed = view.iter().flat_map(|view| &view.concealed).map(|concealed| concealed.path.clone());
        let shared =
            SHARED.iter().filter(|_| view.is_some()).filter_map(|folder| Path::new(folder).canonicalize().ok());
        let closed: Vec<PathBuf> = hidden.iter().cloned().chain(concealed).chain(shared).collect();
        planned.read(Path::new("/"), &closed, ask.writable);
        for granted in view.iter().flat_map(|view| &view.granted) {
            planned.read(&granted.source, hidden, ask.writable);
        }
        for needed in NEEDED.iter().filter(|_| view.is_some()) {
            planned.allow(&Path::new("/run").join(needed), READ);
        }
        for copy in ask.copies {
            planned.allow(copy, READ_FILE);
        }
        // Passwords are typed at the machine's terminals, and any process of the user may open
        // them.
        let terminals = if ask.own_mounts { &["tty", "ptmx"][..] } else { &[] };
        for device in ["null", "zero", "full", "random", "urandom"].iter().chain(terminals) {
            planned.allow(&Path::new("/dev").join(device), WRITE_FILE | READ_FILE | IOCTL_DEV);
        }
        let write = handled_fs & !(MAKE_CHAR | MAKE_BLOCK);
        if ask.own_mounts {
            planned.allow(Path::new("/dev/pts"), WRITE_FILE | READ_FILE | READ_DIR | IOCTL_DEV);
            planned.allow(Path::new("/proc"), READ);
            planned.allow(Path::new("/tmp"), write);
            planned.allow(Path::new("/dev/shm"), write);
            planned.allow(&Path::new("/run/user").join(effective_ids().0.to_string()), write);
            planned.allow(Path::new("/run/lock"), write);
        }
        for folder in ask.writable.iter().chain(ask.view.and_then(|view| view.caches.as_ref())) {
            planned.allow(folder, write);
        }
        let open = hidden.iter().filter(|path| ask.writable.iter().any(|root| path.starts_with(root)));
        let not_held = open.cloned().collect();
        (planned, not_held)
    }

    fn allow(&mut self, path: &Path, allowed: u64) {
        if let Ok(path) = CString::new(path.as_os_str().as_bytes()) {
            self.rules.push(Rule { path, allowed: allowed & self.attributes.handled_fs });
        }
    }

    /// Makes `root` and everything below it readable except the hidden paths: a folder without
    /// hidden paths below gets one rule, any other is split entry by entry, outer folders first.
    /// Writable folders have rules of their own. Links need no rule, and devices get none here.
    fn read(&mut self, root: &Path, hidden: &[PathBuf], writable: &[PathBuf]) {
        let mut open = VecDeque::from([root.to_owned()]);
        let mut beside = 0;
        while let Some(path) = open.pop_front() {
            let is_within = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
            if path == Path::new("/dev") || is_within(hidden) || is_within(writable) {
                continue;
            }
            if path != Path::new("/") && !hidden.iter().any(|secret| secret.starts_with(&path)) {
                self.allow(&path, READ);
                continue;
            }
            self.allow(&path, READ_DIR);
            let entries: Vec<_> =
                std::fs::read_dir(&path).into_iter().flatten().flatten().take(MAX_BESIDE + 1).collect();
            if beside + entries.len() > MAX_BESIDE {
                continue;
            }
            beside += entries.len();
            let is_link = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
            open.extend(entries.iter().filter(|entry| !is_link(entry)).map(std::fs::DirEntry::path));
        }
    }

    /// Builds the ruleset in the calling process. Missing paths are skipped: a missing rule allows
    /// nothing.
    pub(crate) fn build(&self) -> Result<RawFd> {
        let attributes = &raw const self.attributes;
        // SAFETY: `size` bytes of `attributes` are read, which is at most its size.
        let ruleset = check(unsafe { call!(libc::SYS_landlock_create_ruleset, attributes, self.size, 0) })?;
        let ruleset = RawFd::try_from(ruleset).unwrap_or(-1);
        for rule in &self.rules {
            let Ok(parent) = sys::open(&rule.path, libc::O_PATH) else {
                continue;
            };
            let added = add(ruleset, parent, rule.allowed);
            // A file accepts fewer rights than a folder; requesting the others gives `EINVAL`.
            let added = match added {
                Err(Errno(libc::EINVAL)) => add(ruleset, parent, rule.allowed & FILE),
                other => other,
            };
            sys::close(parent);
            match added {
                // No right is left to grant, or the file system does not support rules
                // (`/proc/self/fd` of a pipe).
                Ok(()) | Err(Errno(libc::ENOMSG | libc::EBADFD)) => {}
                Err(errno) => {
                    sys::close(ruleset);
                    return Err(errno);
                }
            }
        }
        Ok(ruleset)
    }
}

fn add(ruleset: RawFd, parent: RawFd, allowed: u64) -> Result<()> {
    let rule = PathBeneath { allowed, parent };
    // SAFETY: `rule` has the layout of `struct landlock_path_beneath_attr` and lives across the
    // call.
    check(unsafe { call!(libc::SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &raw const rule, 0) }).map(|_| ())
}

/// Applies the ruleset to the calling process permanently. `no_new_privs` must be set.
pub(crate) fn restrict(ruleset: RawFd) -> Result<()> {
    // SAFETY: plain numbers.
    check(unsafe { call!(libc::SYS_landlock_restrict_self, ruleset, 0) }).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rights(ruleset: &Ruleset, path: &Path) -> Option<u64> {
        let path = CString::new(path.as_os_str().as_bytes()).unwrap();
        ruleset.rules.iter().filter(|rule| rule.path == path).map(|rule| rule.allowed).reduce(|a, b| a | b)
    }

    #[test]
    fn hidden_paths_get_no_rule_but_their_neighbours_do() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        for folder in ["secret", "open/deep"] {
            std::fs::create_dir_all(home.join(folder)).unwrap();
        }
        let hidden = [home.join("secret")];
        let ask = RulesetInput {
            writable: &[],
            hidden: &hidden,
            network: Network::Open,
            view: None,
            copies: &[],
            own_mounts: false,
        };
        let (ruleset, not_held) = Ruleset::plan(7, &ask);
        assert_eq!(not_held, Vec::<PathBuf>::new());
        assert_eq!(rights(&ruleset, &home), Some(READ_DIR));
        assert_eq!(rights(&ruleset, &home.join("secret")), None);
        assert_eq!(rights(&ruleset, &home.join("open")), Some(READ));
    }

    #[test]
    fn many_entries_beside_a_hidden_one_open_nothing() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let (many, few) = (base.join("many"), base.join("few"));
        std::fs::create_dir(&many).unwrap();
        std::fs::create_dir(&few).unwrap();
        std::fs::write(few.join("plain"), "").unwrap();
        for number in 0..=MAX_BESIDE {
            std::fs::write(many.join(number.to_string()), "").unwrap();
        }
        let hidden = [many.join(".env"), few.join(".env")];
        let ask = RulesetInput {
            writable: &[],
            hidden: &hidden,
            network: Network::Open,
            view: None,
            copies: &[],
            own_mounts: false,
        };
        let (ruleset, _) = Ruleset::plan(7, &ask);
        assert_eq!(rights(&ruleset, &many), Some(READ_DIR));
        assert_eq!(rights(&ruleset, &many.join("1")), None);
        assert_eq!(rights(&ruleset, &few.join("plain")), Some(READ), "others are as they were");
        assert_eq!(rights(&ruleset, Path::new("/")), Some(READ_DIR), "and nothing else is opened");
        // What may be written has its own rule, however much there is beside.
        let (ruleset, not_held) = Ruleset::plan(7, &RulesetInput { writable: std::slice::from_ref(&many), ..ask });
        assert_eq!(not_held, hidden[..1]);
        assert!(rights(&ruleset, &many).is_some_and(|allowed| allowed & WRITE_FILE != 0));
    }

    #[test]
    fn what_other_programs_share_is_closed_where_a_view_is() {
        let view = View::default();
        let ask = RulesetInput {
            writable: &[],
            hidden: &[],
            network: Network::Open,
            view: Some(&view),
            copies: &[],
            own_mounts: false,
        };
        for shared in SHARED {
            assert_eq!(rights(&Ruleset::plan(7, &ask).0, Path::new(shared)), None, "{shared}");
        }
        assert!(rights(&Ruleset::plan(7, &RulesetInput { view: None, ..ask }).0, Path::new("/tmp")).is_some());
    }

    #[test]
    fn what_lies_below_a_writable_folder_is_reported_as_not_held() {
        let work = tempfile::tempdir().unwrap();
        let work = work.path().canonicalize().unwrap();
        let hidden = [work.join(".env")];
        let writable = [work.clone()];
        let ask = RulesetInput {
            writable: &writable,
            hidden: &hidden,
            network: Network::Open,
            view: None,
            copies: &[],
            own_mounts: false,
        };
        assert_eq!(Ruleset::plan(7, &ask).1, hidden);
    }

    #[test]
    fn old_kernels_are_asked_only_for_what_they_know() {
        let ask = RulesetInput {
            writable: &[],
            hidden: &[],
            network: Network::Closed,
            view: None,
            copies: &[],
            own_mounts: false,
        };
        let seen = |abi| {
            let (ruleset, _) = Ruleset::plan(abi, &ask);
            (ruleset.attributes.handled_fs, ruleset.attributes.handled_net, ruleset.attributes.scoped, ruleset.size)
        };
        assert_eq!(seen(1), (0x1fff, 0, 0, 8));
        assert_eq!(seen(2), (0x3fff, 0, 0, 8));
        assert_eq!(seen(3), (0x7fff, 0, 0, 8));
        assert_eq!(seen(4), (0x7fff, 3, 0, 16));
        assert_eq!(seen(5), (0xffff, 3, 0, 16));
        assert_eq!(seen(7), (0xffff, 3, 3, 24));
    }

    #[test]
    fn devices_other_than_the_harmless_ones_get_no_rule() {
        let ask = RulesetInput {
            writable: &[],
            hidden: &[],
            network: Network::Open,
            view: None,
            copies: &[],
            own_mounts: true,
        };
        let (ruleset, _) = Ruleset::plan(7, &ask);
        assert_eq!(rights(&ruleset, Path::new("/dev")), None);
        assert_eq!(rights(&ruleset, Path::new("/dev/mem")), None);
        assert!(rights(&ruleset, Path::new("/dev/null")).is_some_and(|allowed| allowed & WRITE_FILE != 0));
        assert!(rights(&ruleset, Path::new("/dev/pts")).is_some());
        let on_the_machine = RulesetInput { own_mounts: false, ..ask };
        let (ruleset, _) = Ruleset::plan(7, &on_the_machine);
        for terminal in ["/dev/pts", "/dev/ptmx", "/dev/tty"] {
            assert_eq!(rights(&ruleset, Path::new(terminal)), None, "{terminal}");
        }
    }
}
