//! Entries in YAML, for a simple form only: block mappings at the first column. Files in other
//! forms are not changed.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Entry, Problem};

/// Adds a member to a top-level mapping, right below its name.
pub(super) fn add(text: &str, entry: &Entry) -> Result<String, Problem> {
    let [section, name] = entry.path.as_slice() else { return Err(Problem::Shape(entry.name())) };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    check(&lines, entry)?;
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let Some(at) = heading(&lines, section, entry)? else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { end };
        return Ok(format!("{text}{gap}{section}:{end}{}", block(name, entry, 2, end)?));
    };
    let indent = indent_below(&lines, at).unwrap_or(2);
    if let Some(there) = member(&lines, at, indent, name) {
        let found: String = lines[there.clone()].concat();
        if found == block(name, entry, indent, end)? {
            return Ok(text.to_owned());
        }
        if !is_ours(&found) {
            return Err(Problem::Taken(entry.name()));
        }
        let rest = [&lines[..there.start], &lines[there.end..]].concat();
        return Ok(insert(&rest, at, &block(name, entry, indent, end)?, end));
    }
    Ok(insert(&lines, at, &block(name, entry, indent, end)?, end))
}

/// Removes the member.
pub(super) fn remove(text: &str, entry: &Entry) -> Result<String, Problem> {
    let [section, name] = entry.path.as_slice() else { return Err(Problem::Shape(entry.name())) };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    check(&lines, entry)?;
    let Some(at) = heading(&lines, section, entry)? else { return Ok(text.to_owned()) };
    let indent = indent_below(&lines, at).unwrap_or(2);
    let Some(there) = member(&lines, at, indent, name) else { return Ok(text.to_owned()) };
    if !is_ours(&lines[there.clone()].concat()) {
        return Ok(text.to_owned());
    }
    let rest = [&lines[..there.start], &lines[there.end..]].concat();
    // The name alone would be a null mapping.
    let is_empty = indent_below(&rest, at).is_none();
    Ok(if is_empty { [&rest[..at], &rest[at + 1..]].concat().concat() } else { rest.concat() })
}

fn insert(lines: &[&str], at: usize, block: &str, end: &str) -> String {
    let head: String = lines[..=at].concat();
    let gap = if head.ends_with('\n') { "" } else { end };
    format!("{head}{gap}{block}{}", lines[at + 1..].concat())
}

/// Refuses files with several documents, tabs, carriage returns as line breaks, or a top level that
/// is not a block mapping.
fn check(lines: &[&str], entry: &Entry) -> Result<(), Problem> {
    let is_odd = |(number, line): (usize, &&str)| {
        let body = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line);
        let line = line.trim_end();
        body.contains('\r')
            || line.starts_with('\t')
            || line.starts_with(['{', '[', '?', '&', '!', '%', '-']) && !(number == 0 && line == "---")
            || line == "..."
    };
    if lines.iter().enumerate().any(is_odd) { Err(Problem::Shape(entry.name())) } else { Ok(()) }
}

/// The line of a top-level name with a block below it.
fn heading(lines: &[&str], section: &str, entry: &Entry) -> Result<Option<usize>, Problem> {
    let names = [format!("{section}:"), format!("\"{section}\":"), format!("'{section}':")];
    let mut at = lines.iter().enumerate().filter(|(_, line)| names.iter().any(|name| line.starts_with(name)));
    let Some((number, line)) = at.next() else { return Ok(None) };
    let rest = line.split_once(':').map_or("", |(_, rest)| rest).trim();
    if at.next().is_some() || !(rest.is_empty() || rest.starts_with('#')) {
        return Err(Problem::Shape(entry.name()));
    }
    Ok(Some(number))
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Indentation of the members in the block below a line; `None` for an empty block.
fn indent_below(lines: &[&str], at: usize) -> Option<usize> {
    let first = lines.get(at + 1..)?.iter().find(|line| !is_blank(line))?;
    Some(indent(first)).filter(|indent| *indent > 0)
}

/// The lines of a member of the block below a line.
fn member(lines: &[&str], at: usize, deep: usize, name: &str) -> Option<std::ops::Range<usize>> {
    let block = lines.iter().enumerate().skip(at + 1);
    let within: Vec<(usize, &&str)> = block.take_while(|(_, line)| is_blank(line) || indent(line) >= deep).collect();
    let is_name = |line: &str| {
        let line = line.trim_start();
        [format!("{name}:"), format!("\"{name}\":"), format!("'{name}':")].iter().any(|form| line.starts_with(form))
    };
    let (start, _) = within.iter().find(|(_, line)| indent(line) == deep && is_name(line))?;
    let after = within.iter().filter(|(number, _)| number > start);
    let last = after.take_while(|(_, line)| is_blank(line) || indent(line) > deep).filter(|(_, line)| !is_blank(line));
    let end = last.map(|(number, _)| number + 1).last().unwrap_or(start + 1);
    Some(*start..end)
}

fn is_ours(block: &str) -> bool {
    let says = |words: &str| block.lines().any(|line| line.trim().trim_start_matches("- ").trim_matches('"') == words);
    let command = block.lines().filter_map(|line| line.trim().strip_prefix("cmd: "));
    let is_haft = |command: &str| command.trim_matches('"').rsplit('/').next() == Some("haft");
    says("mcp") && says("serve") && command.into_iter().any(is_haft)
}

/// The member as lines. Strings are in double quotes, which JSON and YAML read in the same way.
fn block(name: &str, entry: &Entry, deep: usize, end: &str) -> Result<String, Problem> {
    let pad = " ".repeat(deep);
    let mut text = format!("{pad}{name}:{end}");
    for (key, value) in entry.value.as_object().into_iter().flatten() {
        match value {
            Value::Array(items) => {
                let _ = write!(text, "{pad}  {key}:{end}");
                for item in items {
                    let _ = write!(text, "{pad}    - {item}{end}");
                }
            }
            Value::Object(members) if members.is_empty() => {
                let _ = write!(text, "{pad}  {key}: {{}}{end}");
            }
            Value::Object(_) => return Err(Problem::Shape(entry.name())),
            plain => {
                let _ = write!(text, "{pad}  {key}: {plain}{end}");
            }
        }
    }
    Ok(text)
}
