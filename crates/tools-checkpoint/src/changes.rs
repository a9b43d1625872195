//! Compares two states of a folder.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tools_sandbox::tree::Node;

use crate::folder_state::{FolderState, Item};

/// A difference: certain unless it was fresh.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) folder: PathBuf,
    pub(crate) name: OsString,
    pub(crate) before: Option<Item>,
    pub(crate) after: Option<Item>,
}

/// Everything that differs.
pub(crate) fn differences(before: &FolderState, after: &FolderState) -> Vec<Difference> {
    let mut found = Vec::new();
    let folders: BTreeSet<&PathBuf> = before.folders.keys().chain(after.folders.keys()).collect();
    // The content of an unreadable folder is unknown, which is not a change.
    let is_unknown =
        |folder: &Path| folder.ancestors().any(|above| before.closed.contains(above) || after.closed.contains(above));
    for folder in folders {
        match (before.folders.get(folder), after.folders.get(folder)) {
            // No events were reported for it meanwhile.
            (Some(then), Some(now)) if Arc::ptr_eq(then, now) => {}
            _ if is_unknown(folder) => {}
            (then, now) => {
                let items = |list: Option<&'_ Arc<Vec<Item>>>| list.cloned().unwrap_or_default();
                merge(folder, &items(then), &items(now), &mut found);
            }
        }
    }
    for (path, then) in &before.alone {
        let now = after.alone.get(path);
        if now.is_none_or(|now| !then.is_untouched(now)) {
            let item = |node: &Node| Item { name: OsString::new(), node: node.clone(), hash: None };
            found.push(Difference {
                folder: path.clone(),
                name: OsString::new(),
                before: Some(item(then)),
                after: now.map(item),
            });
        }
    }
    found
}

/// Merges two lists sorted by name.
fn merge(folder: &Path, then: &[Item], now: &[Item], found: &mut Vec<Difference>) {
    let (mut then, mut now) = (then.iter().peekable(), now.iter().peekable());
    loop {
        let order = match (then.peek(), now.peek()) {
            (Some(then), Some(now)) => then.name.cmp(&now.name),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return,
        };
        let before = if order == Ordering::Greater { None } else { then.next() };
        let after = if order == Ordering::Less { None } else { now.next() };
        let is_untouched = before.zip(after).is_some_and(|(before, after)| before.node.is_untouched(&after.node));
        if let Some(item) = before.or(after).filter(|_| !is_untouched) {
            found.push(Difference {
                folder: folder.to_owned(),
                name: item.name.clone(),
                before: before.cloned(),
                after: after.cloned(),
            });
        }
    }
}
