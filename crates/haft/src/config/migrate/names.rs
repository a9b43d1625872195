//! Replaces old names of tools wherever a configuration names tools.

use toml_edit::{Array, Item, Table, TableLike, Value};
use tools_core::quoted;

use super::Notes;
use super::tables::{find, put, take};

/// Old names of tools, and the names that replace each.
const RENAMED: &[(&str, &[&str])] = &[
    ("glob", &["find_path"]),
    // One name for three tools.
    ("scheduler", &["schedule_periodic", "schedule_deferred", "cancel_task"]),
];

/// `more` read the rest of a cut answer, before one tool read everything stored.
const MERGED: &[(&str, &[&str])] = &[("more", &["read_overflow"])];

/// Tables with tools as keys.
const KEYED: &[&[&str]] = &[&["tools", "permissions"], &["tools", "trust", "tools"]];
/// Lists of tools.
const LISTED: &[&[&str]] = &[&["tools", "utility", "exempt_tools"], &["tools", "adversarial_policy", "exempt_tools"]];
/// Lists of rules that name a tool each.
const RULES: &[&[&str]] = &[&["tools", "policy", "rules"], &["tools", "authorization", "rules"]];

/// Replaces `glob` by `find_path`, and `scheduler` by the three tools that it stood for.
pub(super) fn apply(root: Table, notes: &mut Notes) -> Table {
    renamed(root, RENAMED, notes)
}

/// Replaces `more` by `read_overflow`.
pub(super) fn merge(root: Table, notes: &mut Notes) -> Table {
    renamed(root, MERGED, notes)
}

fn renamed(mut root: Table, names: &[(&str, &[&str])], notes: &mut Notes) -> Table {
    for (old, new) in names {
        for path in KEYED {
            keyed(&mut root, path, old, new, notes);
        }
        for path in LISTED {
            listed(&mut root, path, old, new, notes);
        }
        for path in RULES {
            ruled(&mut root, path, old, new, notes);
        }
    }
    root
}

fn keyed(root: &mut Table, path: &[&str], old: &str, new: &[&str], notes: &mut Notes) {
    let Some(table) = find(root, path) else { return };
    let Some((key, item)) = take(table, old) else { return };
    let path = path.join(".");
    for name in new {
        let (from, to) = (format!("{path}.{old}"), format!("{path}.{name}"));
        let Some(there) = table.get_mut(name) else {
            put(table, name, (key.clone(), item.clone()));
            notes.moved(&from, &to);
            continue;
        };
        // Rules of the new name come first: if both match, they decide.
        let becomes = if append(there, &item) {
            "its rules follow those of the new name"
        } else {
            "the new key counts, the old one is removed"
        };
        notes.warn(format!("`{from}` is set beside `{to}`: {becomes}"));
    }
    notes.change(format!("`{path}.{old}` is {} now", quoted(new)));
}

/// Appends the rules of one list to another; `false` if they are not lists of rules.
fn append(there: &mut Item, item: &Item) -> bool {
    match (there, item) {
        (Item::ArrayOfTables(there), Item::ArrayOfTables(more)) => {
            more.iter().for_each(|table| there.push(table.clone()));
            true
        }
        (Item::ArrayOfTables(there), Item::Value(Value::Array(more))) => {
            for rule in more.iter().filter_map(Value::as_inline_table) {
                there.push(rule.clone().into_table());
            }
            true
        }
        (Item::Value(Value::Array(there)), Item::Value(Value::Array(more))) => {
            more.iter().for_each(|rule| there.push_formatted(rule.clone()));
            true
        }
        (Item::Value(Value::Array(there)), Item::ArrayOfTables(more)) => {
            more.iter().for_each(|table| there.push(table.clone().into_inline_table()));
            true
        }
        _ => false,
    }
}

fn listed(root: &mut Table, path: &[&str], old: &str, new: &[&str], notes: &mut Notes) {
    let Some((name, above)) = path.split_last() else { return };
    let list = find(root, above).and_then(|table| table.get_mut(name)).and_then(Item::as_array_mut);
    let Some(list) = list else { return };
    let Some(at) = position(list, old) else { return };
    let decor = list.get(at).map(|value| value.decor().clone()).unwrap_or_default();
    while let Some(at) = position(list, old) {
        list.remove(at);
    }
    let mut at = at;
    for name in new {
        if position(list, name).is_none() {
            let mut value = Value::from(*name);
            *value.decor_mut() = decor.clone();
            list.insert_formatted(at, value);
            at += 1;
        }
    }
    notes.change(format!("`{old}` in `{}` is {} now", path.join("."), quoted(new)));
}

fn position(list: &Array, name: &str) -> Option<usize> {
    list.iter().position(|value| value.as_str() == Some(name))
}

/// Replaces a rule about a tool that was split by a rule about each new tool, in its place.
fn ruled(root: &mut Table, path: &[&str], old: &str, new: &[&str], notes: &mut Notes) {
    let Some((name, above)) = path.split_last() else { return };
    let Some(rules) = find(root, above).and_then(|table| table.get_mut(name)) else { return };
    let mut is_changed = false;
    match rules {
        Item::ArrayOfTables(list) => {
            let mut renewed = toml_edit::ArrayOfTables::new();
            for rule in list.iter() {
                for rule in named(rule, old, new, &mut is_changed, Table::clone) {
                    renewed.push(rule);
                }
            }
            *list = renewed;
        }
        Item::Value(Value::Array(list)) => {
            let mut renewed = list.clone();
            renewed.clear();
            for value in list.iter() {
                let Some(rule) = value.as_inline_table() else {
                    renewed.push_formatted(value.clone());
                    continue;
                };
                for rule in named(rule, old, new, &mut is_changed, toml_edit::InlineTable::clone) {
                    renewed.push_formatted(Value::InlineTable(rule));
                }
            }
            *list = renewed;
        }
        _ => {}
    }
    if is_changed {
        notes.change(format!("`tool = \"{old}\"` in `{}` is {} now", path.join("."), quoted(new)));
    }
}

fn named<T: TableLike>(rule: &T, old: &str, new: &[&str], is_changed: &mut bool, copy: fn(&T) -> T) -> Vec<T> {
    if rule.get("tool").and_then(Item::as_str) != Some(old) {
        return vec![copy(rule)];
    }
    *is_changed = true;
    let about = |name: &&str| {
        let mut rule = copy(rule);
        let decor = rule.get("tool").and_then(Item::as_value).map(|value| value.decor().clone()).unwrap_or_default();
        let mut value = Value::from(*name);
        *value.decor_mut() = decor;
        rule.insert("tool", Item::Value(value));
        rule
    };
    new.iter().map(about).collect()
}
