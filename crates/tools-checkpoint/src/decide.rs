//! Decides what an undo does about one change, from the current state.

use crate::record::Change;
use crate::state::{EntryKind, State};

/// Action for one change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The state before the change is already restored.
    Nothing,
    Remove,
    Restore,
    Refuse(&'static str),
}

/// Whether both have the same content, or none.
pub(crate) fn same(a: Option<&State>, b: Option<&State>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.holds_the_same(b),
        (None, None) => true,
        _ => false,
    }
}

/// Whether this may be left over from a killed undo: a folder with all permissions for its owner,
/// or nothing if a folder is replaced by something else.
fn is_half_made(change: &Change, now: Option<&State>) -> bool {
    let states = [change.before.as_ref(), change.after.as_ref()];
    let mut folders = states.iter().flatten().filter(|state| state.kind == EntryKind::Directory);
    match now {
        Some(now) => now.kind == EntryKind::Directory && folders.any(|folder| now.mode == folder.mode | 0o700),
        None => states.iter().all(Option::is_some) && folders.count() == 1,
    }
}

/// Decides about one change from the current state. `resumed` means that an undo of it was killed.
pub(crate) fn decide(change: &Change, now: Option<&State>, resumed: bool) -> Step {
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let times = |state: Option<&State>| state.map(|state| state.modified);
    if same(now, before)
        && (times(now) == times(before) || before.is_some_and(|state| state.kind == EntryKind::Directory))
    {
        return Step::Nothing;
    }
    if change.shared {
        return Step::Refuse("something else changed it too while the call ran");
    }
    if !(same(now, after) || resumed && is_half_made(change, now)) {
        return Step::Refuse("it was changed since");
    }
    match before {
        None => Step::Remove,
        Some(State { kind: EntryKind::File, hash: None, .. }) => Step::Refuse("its former content was not kept"),
        Some(_) => Step::Restore,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Name;

    fn file(hash: &str) -> State {
        let hash = Some(hash.to_owned());
        State { mode: 0o644, modified: (1, 1), size: 1, hash, ..State::default() }
    }

    #[test]
    fn only_what_the_call_left_is_taken_back() {
        let check = |before: Option<State>, after: Option<State>, now: Option<State>, expected: Step| {
            let change = Change { path: Name("/w/f".into()), before, after, shared: false };
            assert_eq!(decide(&change, now.as_ref(), false), expected, "{change:?} {now:?}");
        };
        let refused = || Step::Refuse("it was changed since");
        check(Some(file("a")), Some(file("b")), Some(file("b")), Step::Restore);
        check(Some(file("a")), Some(file("b")), Some(file("c")), refused());
        check(Some(file("a")), Some(file("b")), None, refused());
        check(Some(file("a")), Some(file("b")), Some(file("a")), Step::Nothing);
        check(Some(file("a")), None, None, Step::Restore);
        check(Some(file("a")), None, Some(file("c")), refused());
        check(None, Some(file("b")), Some(file("b")), Step::Remove);
        check(None, Some(file("b")), Some(file("c")), refused());
        check(None, Some(file("b")), None, Step::Nothing);
        let lost = State { hash: None, modified: (5, 5), ..file("") };
        check(Some(lost), Some(file("b")), Some(file("b")), Step::Refuse("its former content was not kept"));
        let other_mode = State { mode: 0o600, ..file("b") };
        check(Some(file("a")), Some(file("b")), Some(other_mode), refused());
        let touched = State { modified: (9, 9), ..file("b") };
        check(Some(file("a")), Some(file("b")), Some(touched), Step::Restore);
    }

    #[test]
    fn what_a_killed_undo_left_half_made_is_told_from_what_others_did() {
        let folder = |mode| Some(State { kind: EntryKind::Directory, mode, ..State::default() });
        let check = |before: Option<State>, after: Option<State>, now: Option<State>, expected: [Step; 2]| {
            let change = Change { path: Name("/w/f".into()), before, after, shared: false };
            let steps = [false, true].map(|resumed| decide(&change, now.as_ref(), resumed));
            assert_eq!(steps, expected, "{change:?} {now:?}");
        };
        let refused = || Step::Refuse("it was changed since");
        let (a, b) = (|| Some(file("a")), || Some(file("b")));
        // Between removing and renaming.
        check(a(), folder(0o755), None, [refused(), Step::Restore]);
        check(folder(0o755), b(), None, [refused(), Step::Restore]);
        check(a(), b(), None, [refused(), refused()]);
        // Created, and not made read-only again yet.
        check(folder(0o555), None, folder(0o755), [refused(), Step::Restore]);
        check(folder(0o500), folder(0o555), folder(0o700), [refused(), Step::Restore]);
        check(None, folder(0o555), folder(0o755), [refused(), Step::Remove]);
        check(folder(0o555), None, folder(0o777), [refused(), refused()]);
        check(a(), folder(0o755), Some(file("c")), [refused(), refused()]);
    }
}
