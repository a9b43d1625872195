//! Finds, creates and moves keys of a document and preserves the comments around them.

use toml_edit::{Decor, Item, Key, RawString, Table, TableLike};

/// The table at a path; `None` if it is missing or not a table.
pub(super) fn find<'a>(root: &'a mut Table, path: &[&str]) -> Option<&'a mut dyn TableLike> {
    let mut here: &mut dyn TableLike = root;
    for name in path {
        here = here.get_mut(name)?.as_table_like_mut()?;
    }
    Some(here)
}

/// The table at a path, created if it is missing; `None` if another value is in its place.
pub(super) fn make<'a>(root: &'a mut Table, path: &[&str]) -> Option<&'a mut dyn TableLike> {
    let mut here: &mut dyn TableLike = root;
    for (depth, name) in path.iter().enumerate() {
        if here.get(name).is_none_or(Item::is_none) {
            let mut table = Table::new();
            // Only the last one gets a header.
            table.set_implicit(depth + 1 < path.len());
            here.insert(name, Item::Table(table));
        }
        here = here.get_mut(name)?.as_table_like_mut()?;
    }
    Some(here)
}

/// Removes a key, with the comments above it.
pub(super) fn take(table: &mut dyn TableLike, name: &str) -> Option<(Key, Item)> {
    let key = table.key(name)?.clone();
    Some((key, table.remove(name)?))
}

/// Inserts a value under another name, with the comments of its old key.
pub(super) fn put(table: &mut dyn TableLike, name: &str, (old, mut item): (Key, Item)) {
    // Whitespace without a comment belongs to the old position.
    if let Some(value) = item.as_value_mut()
        && !has_comment(value.decor())
    {
        value.decor_mut().clear();
    }
    table.insert(name, item);
    if let Some(mut key) = table.key_mut(name)
        && has_comment(old.leaf_decor())
    {
        *key.leaf_decor_mut() = old.leaf_decor().clone();
    }
}

fn has_comment(decor: &Decor) -> bool {
    let parts = [decor.prefix(), decor.suffix()];
    parts.into_iter().flatten().filter_map(RawString::as_str).any(|text| text.contains('#'))
}

/// Removes a section that has neither keys nor comments.
pub(super) fn drop_if_empty(root: &mut Table, path: &[&str]) {
    let Some((name, above)) = path.split_last() else { return };
    let Some(parent) = find(root, above) else { return };
    let is_bare = |text: Option<&RawString>| text.and_then(RawString::as_str).is_none_or(|text| text.trim().is_empty());
    let is_empty = match parent.get(name) {
        Some(Item::Table(table)) => table.is_empty() && is_bare(table.decor().prefix()),
        Some(Item::Value(value)) => value.as_inline_table().is_some_and(toml_edit::InlineTable::is_empty),
        _ => false,
    };
    if is_empty {
        parent.remove(name);
    }
}
