//! Entries in TOML: a table at the end of the file, so that nothing before it moves.

use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, value as toml_value};

use super::{Entry, Problem};

/// Adds a table.
pub(super) fn add(text: &str, entry: &Entry) -> Result<String, Problem> {
    let before = parse(text)?;
    let text = match found(&before, entry)? {
        None => text.to_owned(),
        Some(there) if there.to_string() == table(entry)?.to_string() => return Ok(text.to_owned()),
        Some(there) if starts_ours(entry, there) => remove(text, entry)?,
        Some(_) => return Err(Problem::Taken(entry.name())),
    };
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut after = text.clone();
    if !after.is_empty() {
        if !after.ends_with('\n') {
            after.push_str(line_end);
        }
        after.push_str(line_end);
    }
    after.push_str(&format!("[{}]\n{}", header(entry), table(entry)?).replace('\n', line_end));
    let is_there = parse(&after)?;
    let is_there = found(&is_there, entry)?.is_some_and(|there| same(there, &table(entry).unwrap_or_default()));
    if is_there { Ok(after) } else { Err(Problem::Shape(entry.name())) }
}

/// Removes the table, with the empty line before it.
pub(super) fn remove(text: &str, entry: &Entry) -> Result<String, Problem> {
    let before = parse(text)?;
    let Some(there) = found(&before, entry)? else { return Ok(text.to_owned()) };
    if !starts_ours(entry, there) {
        return Ok(text.to_owned());
    }
    let (ours, below) = (format!("[{}]", header(entry)), format!("[{}.", header(entry)));
    let mut kept: Vec<&str> = Vec::new();
    let mut is_within = false;
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with('[') {
            is_within = trimmed.trim_end() == ours || trimmed.starts_with(&below);
            if is_within {
                count += 1;
                if kept.last().is_some_and(|line| line.trim().is_empty()) {
                    kept.pop();
                }
            }
        }
        if !is_within {
            kept.push(line);
        }
    }
    let after: String = kept.concat();
    let without = parse(&after)?;
    if count > 0 && found(&without, entry)?.is_none() { Ok(after) } else { Err(Problem::Shape(entry.name())) }
}

fn parse(text: &str) -> Result<DocumentMut, Problem> {
    text.parse().map_err(|error: toml_edit::TomlError| Problem::Unreadable(error.message().to_owned()))
}

/// The table with this name; an error if a parent is not a table that can be extended.
fn found<'a>(document: &'a DocumentMut, entry: &Entry) -> Result<Option<&'a Item>, Problem> {
    let mut item = document.as_item();
    for key in &entry.path {
        if item.is_inline_table() || item.as_table_like().is_none() {
            return Err(Problem::Shape(entry.name()));
        }
        let Some(inner) = item.get(key.as_str()) else { return Ok(None) };
        item = inner;
    }
    Ok(Some(item))
}

fn starts_ours(entry: &Entry, item: &Item) -> bool {
    let texts = item.as_table_like().map(|table| {
        let command = table.get("command").and_then(Item::as_str).unwrap_or_default();
        let arguments = table.get("args").and_then(Item::as_array);
        let arguments = arguments.into_iter().flatten().filter_map(|value| value.as_str());
        let words: Vec<Value> = std::iter::once(command).chain(arguments).map(Value::from).collect();
        Value::from(words)
    });
    texts.is_some_and(|texts| entry.is_ours(&texts))
}

fn same(there: &Item, wanted: &Table) -> bool {
    let Some(there) = there.as_table_like() else { return false };
    there.len() == wanted.len()
        && wanted.iter().all(|(name, value)| {
            there.get(name).is_some_and(|found| found.to_string().trim() == value.to_string().trim())
        })
}

fn header(entry: &Entry) -> String {
    entry.path.join(".")
}

fn table(entry: &Entry) -> Result<Table, Problem> {
    let mut table = Table::new();
    for (name, value) in entry.value.as_object().into_iter().flatten() {
        let item = match value {
            Value::String(text) => toml_value(text.as_str()),
            Value::Bool(bool) => toml_value(*bool),
            Value::Number(number) => toml_value(number.as_i64().unwrap_or_default()),
            Value::Array(items) => toml_value(items.iter().filter_map(Value::as_str).collect::<Array>()),
            Value::Null | Value::Object(_) => return Err(Problem::Shape(entry.name())),
        };
        table.insert(name, item);
    }
    Ok(table)
}
