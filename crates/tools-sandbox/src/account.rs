//! The user this process acts as: home and name, from the environment or the user database.
#![expect(unsafe_code, reason = "the user database has no safe interface in the standard library")]

use std::{
    ffi::{CStr, OsStr},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// Maximum length in bytes of a user database record.
const MAX_RECORD_BYTES: usize = 64 * 1024;

/// A user's entry in the user database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The login name.
    pub name: String,
    /// The home folder. It need not exist.
    pub home: PathBuf,
}

/// The record of the effective user; `None` if the database has none, as in containers that run
/// under arbitrary user ids. Looked up once per process.
pub(crate) fn account() -> Option<Account> {
    static OWN: OnceLock<(u32, Option<Account>)> = OnceLock::new();
    let user = rustix::process::geteuid().as_raw();
    let (of, record) = OWN.get_or_init(|| (user, look_up(user)));
    if *of == user { record.clone() } else { look_up(user) }
}

fn look_up(user: u32) -> Option<Account> {
    let mut buffer = vec![0u8; MAX_RECORD_BYTES];
    // SAFETY: zeros are a valid record of null pointers; it is read only after the call has filled
    // it.
    let mut record: libc::passwd = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    // SAFETY: the record, the buffer with its given length and the result pointer are ours across
    // the call.
    let failed =
        unsafe { libc::getpwuid_r(user, &raw mut record, buffer.as_mut_ptr().cast(), buffer.len(), &raw mut found) };
    if failed != 0 || found.is_null() {
        return None;
    }
    // SAFETY: on success both point to terminated strings in the buffer, which lives to the end of
    // this function.
    let text =
        |text: *const libc::c_char| unsafe { (!text.is_null()).then(|| CStr::from_ptr(text).to_bytes().to_vec()) };
    let home = PathBuf::from(OsStr::from_bytes(&text(record.pw_dir)?));
    Some(Account { name: String::from_utf8_lossy(&text(record.pw_name)?).into_owned(), home })
}

/// The user's home: `HOME` if it is an absolute path, otherwise the entry in the user database.
pub fn home() -> Option<PathBuf> {
    homes().into_iter().next()
}

/// Every home folder of the user: `HOME`, which programs use, and the one in the user database if
/// it differs. The first is [`home`].
pub fn homes() -> Vec<PathBuf> {
    let named = std::env::var_os("HOME").map(PathBuf::from);
    candidates(named.as_deref(), account().as_ref().map(|account| account.home.as_path()))
}

/// Replaces `~` at the beginning of `path` by the home, as a shell does for `~` and `~/below`. Any
/// other path is returned unchanged, including `~name`. `None` if the path begins with `~` and
/// `home` is unknown.
///
/// ```
/// # use std::path::{Path, PathBuf};
/// # use tools_sandbox::expand_home;
/// let home = Some(Path::new("/home/me"));
/// assert_eq!(expand_home("~/notes", home), Some(PathBuf::from("/home/me/notes")));
/// assert_eq!(expand_home("notes", home), Some(PathBuf::from("notes")));
/// assert_eq!(expand_home("~/notes", None), None);
/// ```
pub fn expand_home(path: impl AsRef<Path>, home: Option<&Path>) -> Option<PathBuf> {
    match path.as_ref().strip_prefix("~") {
        // Removes a final slash, which patterns would not match.
        Ok(below) => home.map(|home| home.join(below).components().collect()),
        Err(_) => Some(path.as_ref().to_owned()),
    }
}

fn candidates(named: Option<&Path>, recorded: Option<&Path>) -> Vec<PathBuf> {
    // A record without a home names `/` or a missing folder, and `/` is not a home.
    let recorded = recorded.filter(|home| *home != Path::new("/"));
    let mut homes: Vec<PathBuf> = Vec::new();
    for home in [named, recorded].into_iter().flatten() {
        if home.is_absolute() && !homes.iter().any(|known| known == home) {
            // Removes a final slash, which patterns would not match.
            homes.push(home.components().collect());
        }
    }
    homes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_tilde_of_its_own_is_the_home() {
        let home = Path::new("/home/me");
        for (path, expected) in [
            ("~", "/home/me"),
            ("~/", "/home/me"),
            ("~/a/b", "/home/me/a/b"),
            ("~you/a", "~you/a"),
            ("a/~/b", "a/~/b"),
            ("./~/a", "./~/a"),
            ("/a", "/a"),
            ("", ""),
        ] {
            assert_eq!(expand_home(path, Some(home)), Some(PathBuf::from(expected)), "{path}");
            let without = (!path.starts_with("~/") && path != "~").then(|| PathBuf::from(path));
            assert_eq!(expand_home(path, None), without, "{path}");
        }
    }

    #[test]
    fn the_variable_comes_first_and_the_database_is_asked_where_it_says_nothing() {
        let check = |named: Option<&str>, recorded: Option<&str>, expected: &[&str]| {
            let found = candidates(named.map(Path::new), recorded.map(Path::new));
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{named:?} {recorded:?}");
        };
        check(Some("/home/me"), Some("/home/me"), &["/home/me"]);
        check(Some("/work"), Some("/home/me"), &["/work", "/home/me"]);
        check(None, Some("/home/me"), &["/home/me"]);
        check(Some("/home/me/"), Some("/home/me"), &["/home/me"]);
        assert_eq!(candidates(Some(Path::new("/home/me/")), None)[0].as_os_str(), "/home/me");
        check(Some(""), Some("/home/me"), &["/home/me"]);
        check(Some("relative"), None, &[]);
        check(None, Some("/"), &[]);
    }

    #[test]
    fn the_database_knows_this_user_as_the_system_tool_does() {
        let entry = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let id = format!(":{}:", rustix::process::geteuid().as_raw());
        let Some(line) = entry.lines().find(|line| line.split_once(':').is_some_and(|(_, rest)| rest.contains(&id)))
        else {
            eprintln!("SKIPPED: this user is in no local user database");
            return;
        };
        let account = account().unwrap();
        assert!(line.starts_with(&format!("{}:", account.name)));
        assert!(line.contains(&format!(":{}:", account.home.display())));
    }
}
