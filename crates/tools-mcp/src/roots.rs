//! Roots of a client: they narrow the workspace that the operator configured, and never widen it.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tools_core::{SessionId, Stack};
use url::Url;

/// The workspace of a session. Called by the server when a client has reported its roots and when
/// it has disconnected. Implemented by hosts whose tools have a list of allowed roots.
pub trait Workspace: Send + Sync {
    /// Restricts the session to `roots`, which are all inside the configured ones. An empty list
    /// means that the client's roots and the configured ones do not overlap: then no file may be
    /// used.
    ///
    /// Returns the stack for the further calls of this session; `None` keeps the current one.
    fn narrow(&self, session: &SessionId, roots: &[PathBuf]) -> Option<Arc<Stack>>;

    /// Called when the client of this session has disconnected. What still runs for it can be
    /// ended.
    fn ended(&self, session: &SessionId) {
        let _ = session;
    }
}

/// The intersection of both lists: the deeper path of each overlapping pair, in the order of
/// `client`, without paths inside another.
///
/// Both lists hold canonical absolute paths. A relative path or one with `..` is ignored.
///
/// # Security
/// A client root above a configured one is narrowed to the configured one, so `/` gives no further
/// access.
pub fn narrow(configured: &[PathBuf], client: &[PathBuf]) -> Vec<PathBuf> {
    let mut both: Vec<PathBuf> = Vec::new();
    for offered in client.iter().filter(|path| is_plain(path)) {
        for allowed in configured.iter().filter(|path| is_plain(path)) {
            let deeper = if offered.starts_with(allowed) {
                offered
            } else if allowed.starts_with(offered) {
                allowed
            } else {
                continue;
            };
            if !both.iter().any(|path| deeper.starts_with(path)) {
                both.retain(|path| !path.starts_with(deeper));
                both.push(deeper.clone());
            }
        }
    }
    both
}

fn is_plain(path: &Path) -> bool {
    path.is_absolute() && !path.components().any(|part| part == Component::ParentDir)
}

/// The path of a root's URI; `None` unless it is an absolute path on this machine.
pub(crate) fn path_of(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(configured: &[&str], client: &[&str], expected: &[&str]) {
        let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(narrow(&paths(configured), &paths(client)), paths(expected), "{configured:?} with {client:?}");
    }

    #[test]
    fn roots_only_narrow() {
        check(&["/w"], &["/w"], &["/w"]);
        check(&["/w"], &["/w/app"], &["/w/app"]);
        check(&["/w/app"], &["/w"], &["/w/app"]);
        check(&["/w"], &["/"], &["/w"]);
        check(&["/w"], &["/v"], &[]);
        check(&["/w"], &["/work"], &[]);
        check(&["/w"], &[], &[]);
        check(&[], &["/w"], &[]);
        check(&["/w", "/v"], &["/v/x", "/w/y"], &["/v/x", "/w/y"]);
        check(&["/w", "/v"], &["/"], &["/w", "/v"]);
        check(&["/w/a", "/w/b"], &["/w"], &["/w/a", "/w/b"]);
        check(&["/w"], &["/w/a", "/w", "/w/b"], &["/w"]);
        check(&["/w", "/w/a"], &["/w/a/b"], &["/w/a/b"]);
    }

    #[test]
    fn paths_that_are_not_plain_allow_nothing() {
        check(&["/w"], &["/w/../etc"], &[]);
        check(&["/w"], &["w", "", ".", "../w"], &[]);
        check(&["w", "/w/../v"], &["/w", "/v"], &[]);
    }

    #[test]
    fn only_files_of_this_machine_are_roots() {
        let check = |uri: &str, expected: Option<&str>| assert_eq!(path_of(uri), expected.map(PathBuf::from), "{uri}");
        check("file:///w/a%20b", Some("/w/a b"));
        check("file://localhost/w", Some("/w"));
        check("file:///w/../etc", Some("/etc"));
        check("file://host/w", None);
        check("https://example.com/w", None);
        check("/w", None);
        check("", None);
    }

    proptest::proptest! {
        #[test]
        fn what_is_left_lies_inside_both(
            configured in proptest::collection::vec("(/[ab.]{1,2}){1,4}", 0..4),
            client in proptest::collection::vec("(/[ab.]{1,2}){0,4}", 0..4),
        ) {
            let paths = |list: &[String]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
            let (configured, client) = (paths(&configured), paths(&client));
            for path in narrow(&configured, &client) {
                proptest::prop_assert!(configured.iter().any(|allowed| path.starts_with(allowed)));
                proptest::prop_assert!(client.iter().any(|offered| path.starts_with(offered)));
            }
        }
    }
}
