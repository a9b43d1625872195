//! Converts limits and switches of built-in filters to rules in `filters.toml`.

use serde::Deserialize;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};
use tools_filter::{BUILTIN, FilterConfig};

use super::Notes;
use super::tables::{drop_if_empty, find};

const FILTERS: &[&str] = &["tools", "filters"];
/// Tables of the older format.
const OLDER: &[&str] = &["test", "git", "clippy", "dir_listing", "log_dedup"];

/// Converts the tables `[tools.filters.test]`, `.git`, `.clippy`, `.dir_listing` and `.log_dedup`
/// to rules of `filters.toml` that replace the built-in ones.
pub(super) fn apply(mut root: Table, notes: &mut Notes) -> Table {
    let Some(section) = find(&mut root, FILTERS) else { return root };
    let older: Vec<&str> = OLDER.iter().copied().filter(|name| section.contains_key(name)).collect();
    if older.is_empty() {
        return root;
    }
    let named: Vec<String> = older.iter().map(|name| format!("`tools.filters.{name}`")).collect();
    let named = named.join(", ");
    let mut alone = Table::new();
    for name in &older {
        if let Some(item) = section.get(name) {
            alone.insert(name, item.clone());
        }
    }
    let text = DocumentMut::from(alone).to_string();
    let parsed = toml::Deserializer::parse(&text).ok().and_then(|parsed| FilterConfig::deserialize(parsed).ok());
    let Some(config) = parsed else {
        notes.warn(format!("{named}: stays as it is, since something in it cannot be read"));
        return root;
    };
    for name in &older {
        section.remove(name);
    }
    let rules = rules(&config);
    if rules.is_empty() {
        notes.change(format!("{named} removed: it says what holds without it"));
    } else {
        notes.change(format!("{named}: rules in `filters.toml` now"));
        notes.filter_rules = Some(rules);
    }
    drop_if_empty(&mut root, FILTERS);
    root
}

/// Built-in rules that a configuration of the older format changes, as changed by it.
fn rules(config: &FilterConfig) -> String {
    let Ok(builtin) = BUILTIN.parse::<DocumentMut>() else { return String::new() };
    let rules = builtin.get("rules").and_then(Item::as_array_of_tables);
    rules.into_iter().flatten().filter_map(|rule| changed(rule, config)).collect()
}

/// A built-in rule as changed by the configuration; `None` if it is unchanged.
fn changed(rule: &Table, config: &FilterConfig) -> Option<String> {
    let mut rule = rule.clone();
    let name = rule.get("name")?.as_str()?.to_owned();
    let is_off = kinds(&rule).iter().any(|kind| match kind.as_str() {
        "test_summary" => !config.test.enabled,
        "git_status" | "git_diff" | "git_log" => !config.git.enabled,
        "group_by_rule" => !config.clippy.enabled,
        "listing" => !config.dir_listing.enabled,
        "dedup" => !config.log_dedup.enabled,
        _ => false,
    });
    if is_off {
        return Some(format!("\n[[rules]]\nname = {name:?}\nenabled = false\n"));
    }
    let usual = FilterConfig::default();
    let number = |value: usize, usual: usize| i64::try_from(value).ok().filter(|_| value != usual);
    let parameters = [
        ("test_summary", "max_failures", number(config.test.max_failures, usual.test.max_failures)),
        (
            "test_summary",
            "truncate_stack_trace",
            number(config.test.truncate_stack_trace, usual.test.truncate_stack_trace),
        ),
        ("git_diff", "max_diff_lines", number(config.git.max_diff_lines, usual.git.max_diff_lines)),
        ("git_log", "max_log_entries", config.git.max_log_entries.and_then(|most| i64::try_from(most).ok())),
    ];
    let mut is_changed = false;
    for (kind, parameter, value) in parameters {
        if let Some(value) = value {
            is_changed |= set(&mut rule, kind, parameter, value);
        }
    }
    if !is_changed {
        return None;
    }
    rule.decor_mut().set_prefix("");
    Some(format!("\n[[rules]]\n{rule}"))
}

/// Kinds of a rule's strategies.
fn kinds(rule: &Table) -> Vec<String> {
    let kind = |strategy: &dyn TableLike| strategy.get("type").and_then(Item::as_str).map(str::to_owned);
    match rule.get("strategy").and_then(Item::as_value) {
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_inline_table).filter_map(|strategy| kind(strategy)).collect()
        }
        Some(Value::InlineTable(strategy)) => kind(strategy).into_iter().collect(),
        _ => vec![],
    }
}

/// Sets a parameter of all strategies of a kind; returns whether there was one.
fn set(rule: &mut Table, kind: &str, parameter: &str, value: i64) -> bool {
    let change = |strategy: &mut toml_edit::InlineTable| {
        let is_meant = strategy.get("type").and_then(Value::as_str) == Some(kind);
        if is_meant {
            strategy.insert(parameter, value.into());
            strategy.fmt();
        }
        is_meant
    };
    match rule.get_mut("strategy").and_then(Item::as_value_mut) {
        Some(Value::Array(list)) => {
            list.iter_mut().filter_map(Value::as_inline_table_mut).map(change).filter(|is_meant| *is_meant).count() > 0
        }
        Some(Value::InlineTable(strategy)) => change(strategy),
        _ => false,
    }
}
