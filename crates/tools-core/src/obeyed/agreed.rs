//! Which of these files calls of this process may change just now: what one call makes with a
//! person's agreement is not taken for the doing of another that runs beside it.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Instant,
};

use super::find::is_guarded;
use crate::{Access, Subject};

/// How many of the calls that have ended are remembered: more than can end while another runs.
const MAX_ENDED: usize = 1000;

static AGREED: Mutex<Consents> = Mutex::new(Consents { next: 0, running: Vec::new(), ended: VecDeque::new() });

#[derive(Debug)]
struct Consents {
    next: u64,
    running: Vec<(u64, Vec<PathBuf>)>,
    ended: VecDeque<(Instant, Vec<PathBuf>)>,
}

/// A call that was let run. It counts as running until this is dropped.
#[derive(Debug)]
pub(crate) struct AgreedCall(Option<u64>);

impl AgreedCall {
    /// Remembers what the call names of such files.
    pub(crate) fn new(subjects: &[Subject]) -> Self {
        let guarded = subjects.iter().filter_map(|subject| match subject {
            Subject::Path { path, access: Access::Write | Access::Delete, .. } if is_guarded(path) => {
                Some(path.clone())
            }
            _ => None,
        });
        let guarded: Vec<PathBuf> = guarded.collect();
        if guarded.is_empty() {
            return Self(None);
        }
        let mut agreed = AGREED.lock().unwrap_or_else(PoisonError::into_inner);
        agreed.next += 1;
        let number = agreed.next;
        agreed.running.push((number, guarded));
        Self(Some(number))
    }
}

impl Drop for AgreedCall {
    fn drop(&mut self) {
        let Some(own) = self.0 else { return };
        let mut agreed = AGREED.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(place) = agreed.running.iter().position(|(number, _)| *number == own) else { return };
        let (_, paths) = agreed.running.swap_remove(place);
        agreed.ended.push_back((Instant::now(), paths));
        if agreed.ended.len() > MAX_ENDED {
            agreed.ended.pop_front();
        }
    }
}

/// Whether a call that ran at any time since then named the guarded `path`, something above it or
/// something below it.
pub fn was_agreed_since(path: &Path, since: Instant) -> bool {
    let agreed = AGREED.lock().unwrap_or_else(PoisonError::into_inner);
    let names = |paths: &[PathBuf]| paths.iter().any(|named| path.starts_with(named) || named.starts_with(path));
    agreed.running.iter().any(|(_, paths)| names(paths))
        || agreed.ended.iter().any(|(ended, paths)| *ended >= since && names(paths))
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
            assert!(!was("/agreed/.mcp.json", since) && !was("/agreed/src", since) && !was("/agreed/.envrc", since));
        };
        check(while_it_runs, true);
        drop(call);
        check(while_it_runs, true);
        check(Instant::now(), false);
    }
}
