//! Obeyed files that running calls of this process may change. A change that a person agreed to for
//! one call is not attributed to another call at the same time.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use super::find::is_guarded;
use crate::{Access, Locked as _, Subject};

/// Maximum number of ended calls that are remembered: more than can end while another runs.
const MAX_ENDED: usize = 1000;

/// Maximum number of remembered files of one call that only a repository's configuration could
/// name.
const MAX_OTHERS: usize = 100;

static AGREED: Mutex<Consents> = Mutex::new(Consents { next: 0, running: Vec::new(), ended: VecDeque::new() });

#[derive(Debug)]
struct Consents {
    next: u64,
    running: Vec<(u64, NamedPaths)>,
    ended: VecDeque<(Instant, NamedPaths)>,
}

/// Paths that a call names as changed.
#[derive(Debug, Default)]
struct NamedPaths {
    /// Guarded files of the table, and folders that contain such files.
    guarded: Vec<PathBuf>,
    /// Other paths. They must match exactly, since a folder's name says nothing about the files in
    /// it.
    others: Vec<PathBuf>,
}

impl NamedPaths {
    fn of(subjects: &[Subject]) -> Self {
        let mut named = Self::default();
        for subject in subjects {
            let Subject::Path { path, access: Access::Write | Access::Delete, .. } = subject else { continue };
            if is_guarded(path) {
                named.guarded.push(path.clone());
            } else if named.others.len() < MAX_OTHERS {
                named.others.push(path.clone());
            }
        }
        named
    }

    fn has(&self, path: &Path) -> bool {
        let is_near = |named: &PathBuf| path.starts_with(named) || named.starts_with(path);
        self.guarded.iter().any(is_near) || self.others.iter().any(|named| named == path)
    }
}

/// A call that was allowed to run. It counts as running until this is dropped.
#[derive(Debug)]
pub(crate) struct AgreedCall(Option<u64>);

impl AgreedCall {
    /// Remembers the obeyed files that the call names.
    pub(crate) fn new(subjects: &[Subject]) -> Self {
        let named = NamedPaths::of(subjects);
        if named.guarded.is_empty() && named.others.is_empty() {
            return Self(None);
        }
        let mut agreed = AGREED.locked();
        agreed.next += 1;
        let number = agreed.next;
        agreed.running.push((number, named));
        Self(Some(number))
    }
}

impl Drop for AgreedCall {
    fn drop(&mut self) {
        let Some(own) = self.0 else { return };
        let mut agreed = AGREED.locked();
        let Some(place) = agreed.running.iter().position(|(number, _)| *number == own) else { return };
        let (_, named) = agreed.running.swap_remove(place);
        agreed.ended.push_back((Instant::now(), named));
        if agreed.ended.len() > MAX_ENDED {
            agreed.ended.pop_front();
        }
    }
}

/// Whether a call that was running at any time since `since` named `path`, or a guarded path above
/// or below it.
pub fn was_agreed_since(path: &Path, since: Instant) -> bool {
    let agreed = AGREED.locked();
    agreed.running.iter().any(|(_, named)| named.has(path))
        || agreed.ended.iter().any(|(ended, named)| *ended >= since && named.has(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_call_may_change_is_remembered_until_it_has_ended() {
        let subject = |path: &str, access| Subject::path(path, access);
        let call = AgreedCall::new(&[
            subject("/agreed/.vscode/tasks.json", Access::Write),
            subject("/agreed/.mcp.json", Access::Read),
            subject("/agreed/src", Access::Write),
        ]);
        let while_it_runs = Instant::now();
        let was = |path: &str, since| was_agreed_since(Path::new(path), since);
        let check = |since, expected| {
            assert_eq!(was("/agreed/.vscode", since), expected);
            assert_eq!(was("/agreed/.vscode/tasks.json", since), expected);
            assert_eq!(was("/agreed/src", since), expected);
            assert!(!was("/agreed/.mcp.json", since) && !was("/agreed/src/.envrc", since));
        };
        check(while_it_runs, true);
        drop(call);
        check(while_it_runs, true);
        check(Instant::now(), false);
    }
}
