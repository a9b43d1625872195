//! Divides changes of the same path between calls that ran concurrently.

use crate::decide::same;
use crate::record::{Change, Checkpoint};

/// Adjusts the changes of an ended call to calls that ended while it ran.
///
/// If the other call changed a path last, this call's part ends where the other's began. If this
/// call changed it after the other, its change contains the other's, which cannot be separated.
pub(crate) fn settle(changes: &mut Vec<Change>, meanwhile: &[Checkpoint]) {
    for checkpoint in meanwhile.iter().rev() {
        changes.retain_mut(|change| {
            let Some(other) = checkpoint.changes.iter().find(|other| other.path == change.path) else { return true };
            if !change.is_reportable() || !other.is_reportable() {
                return true;
            }
            if same(other.after.as_ref(), change.after.as_ref()) {
                change.after.clone_from(&other.before);
                return !same(change.before.as_ref(), change.after.as_ref());
            }
            change.shared = true;
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{Name, State};

    fn file(hash: &str) -> Option<State> {
        let hash = (!hash.is_empty()).then(|| hash.to_owned());
        let file = State { mode: 0o644, modified: (1, 1), size: 1, ..State::default() };
        hash.map(|hash| State { hash: Some(hash), ..file })
    }

    fn change(before: &str, after: &str) -> Change {
        Change { path: Name("/w/f".into()), before: file(before), after: file(after), shared: false }
    }

    #[test]
    fn each_call_keeps_its_part() {
        let check = |own: Change, others: &[Change], expected: Option<Change>| {
            let record = |change: &Change| Checkpoint { changes: vec![change.clone()], ..Checkpoint::default() };
            let mut changes = vec![own];
            settle(&mut changes, &others.iter().map(record).collect::<Vec<_>>());
            assert_eq!(changes.pop(), expected);
        };
        // The other came after: a -> b is this call's, b -> c the other's.
        check(change("a", "c"), &[change("b", "c")], Some(change("a", "b")));
        // None of it is this call's.
        check(change("a", "c"), &[change("a", "c")], None);
        check(change("", "c"), &[change("", "b"), change("b", "c")], None);
        // The other came in between.
        check(change("a", "d"), &[change("b", "c")], Some(Change { shared: true, ..change("a", "d") }));
        check(change("a", "b"), &[], Some(change("a", "b")));
    }
}
