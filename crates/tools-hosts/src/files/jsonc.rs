//! Adds and removes entries in JSON with comments and trailing commas, by editing the text.

use jsonc_parser::ast::{Object, ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use serde_json::{Map, Value};

use super::{Entry, Problem};

/// Adds an entry.
pub(super) fn add(text: &str, entry: &Entry) -> Result<String, Problem> {
    let (mark, body) = split(text);
    let before = value(body)?;
    let expected = with(before, entry).ok_or_else(|| shape(entry))?;
    let after = added(body, entry)?;
    if value(&after).ok() == Some(expected) { Ok(format!("{mark}{after}")) } else { Err(shape(entry)) }
}

/// Removes an entry, and the tables and lists that are empty afterwards.
pub(super) fn remove(text: &str, entry: &Entry) -> Result<String, Problem> {
    let (mark, body) = split(text);
    let before = value(body)?;
    let expected = lacking(before.clone(), entry);
    if expected == before {
        return Ok(text.to_owned());
    }
    let after = removed(body, entry)?;
    if value(&after).ok() == Some(expected) { Ok(format!("{mark}{after}")) } else { Err(shape(entry)) }
}

fn added(body: &str, entry: &Entry) -> Result<String, Problem> {
    if body.trim().is_empty() {
        let whole = nested(&entry.path, entry);
        return Ok(format!("{body}{}\n", pretty(&whole, "", "  ", "\n")));
    }
    let parsed = ast(body)?;
    let Some(Node::Object(mut object)) = parsed else { return Err(shape(entry)) };
    for (depth, key) in entry.path.iter().enumerate() {
        let is_last = depth + 1 == entry.path.len();
        let Some(member) = only(&object, key, entry)? else {
            let value = nested(&entry.path[depth + 1..], entry);
            let member = |indent: &str, unit: &str, end: &str| {
                format!("{}: {}", Value::from(key.as_str()), pretty(&value, indent, unit, end))
            };
            let last = object.properties.last().map(|member| member.range.end);
            return Ok(inserted(body, object.range.start, object.range.end, last, &member));
        };
        match (&member.value, is_last) {
            (Node::Object(inner), false) => object = inner.clone(),
            (Node::Array(list), true) if entry.is_element => {
                let element = |indent: &str, unit: &str, end: &str| pretty(&entry.value, indent, unit, end);
                let found: Vec<Value> = list.elements.iter().filter_map(|node| value(span(body, node)).ok()).collect();
                let ours = found.iter().filter(|there| entry.is_ours(there)).count();
                if ours == 1 && found.contains(&entry.value) {
                    return Ok(body.to_owned());
                }
                if ours > 0 {
                    // Removes older forms first.
                    return added(&removed(body, entry)?, entry);
                }
                let end = list.elements.last().map(|node| node.range().end);
                return Ok(inserted(body, list.range.start, list.range.end, end, &element));
            }
            (there, true) if !entry.is_element => {
                let found = value(span(body, there))?;
                if found == entry.value {
                    return Ok(body.to_owned());
                }
                if !entry.is_ours(&found) {
                    return Err(Problem::Taken(entry.name()));
                }
                let indent = indent_of(body, member.range.start);
                let new = pretty(&entry.value, indent, unit(indent), line_end(body));
                return Ok([&body[..there.range().start], &new, &body[there.range().end..]].concat());
            }
            _ => return Err(shape(entry)),
        }
    }
    Err(shape(entry))
}

/// The text with another item in the brackets from `open` to `close`; `last` is the end of the
/// current last item.
fn inserted(
    body: &str,
    open: usize,
    close: usize,
    last: Option<usize>,
    item: &dyn Fn(&str, &str, &str) -> String,
) -> String {
    let close = close - 1;
    let end = line_end(body);
    let outer = indent_of(body, open);
    let inner_line = body[open + 1..close].lines().skip(1).find(|line| !line.trim().is_empty());
    let inner = inner_line.map(|line| &line[..line.len() - line.trim_start().len()]);
    let inner = inner
        .filter(|inner| inner.len() > outer.len())
        .map_or_else(|| format!("{outer}{}", unit(outer)), str::to_owned);
    let item = item(&inner, unit(&inner), end);
    // Inserted after all existing content, including comments, so that each comment stays with its
    // item.
    let at = open + 1 + body[open + 1..close].trim_end().len();
    let gap = &body[at..close];
    let tail = if gap.contains('\n') { String::new() } else { format!("{end}{outer}") };
    let Some(last) = last else { return format!("{}{end}{inner}{item}{tail}{}", &body[..at], &body[at..]) };
    let comma = comma_after(&body[last..close]);
    match comma {
        Some(_) => format!("{}{end}{inner}{item},{tail}{}", &body[..at], &body[at..]),
        None => format!("{},{}{end}{inner}{item}{tail}{}", &body[..last], &body[last..at], &body[at..]),
    }
}

fn removed(body: &str, entry: &Entry) -> Result<String, Problem> {
    let Some(Node::Object(root)) = ast(body)? else { return Err(shape(entry)) };
    let mut way = vec![root];
    let mut cut: Option<(usize, usize, usize)> = None;
    for (depth, key) in entry.path.iter().enumerate() {
        let object = way.last().ok_or_else(|| shape(entry))?.clone();
        let member = only(&object, key, entry)?.ok_or_else(|| shape(entry))?;
        let is_last = depth + 1 == entry.path.len();
        match &member.value {
            Node::Object(inner) if !is_last => way.push(inner.clone()),
            Node::Array(list) if is_last && entry.is_element => {
                let is_ours = |node: &&Node<'_>| value(span(body, node)).is_ok_and(|there| entry.is_ours(&there));
                let first = list.elements.iter().find(is_ours).ok_or_else(|| shape(entry))?;
                cut = Some(match list.elements.len() {
                    1 => (member.range.start, member.range.end, object.range.end),
                    _ => (first.range().start, first.range().end, list.range.end),
                });
            }
            _ if is_last => cut = Some((member.range.start, member.range.end, object.range.end)),
            _ => return Err(shape(entry)),
        }
    }
    let (mut start, mut end, mut close) = cut.ok_or_else(|| shape(entry))?;
    // Also removes parents that contain nothing else.
    while let [.., outer, inner] = way.as_slice() {
        let holds_only_this = inner.properties.len() == 1 && inner.range.start < start && end < inner.range.end;
        let is_member_gone = inner.properties.first().is_some_and(|member| member.range.start == start);
        if !holds_only_this || !is_member_gone {
            break;
        }
        let whole = outer.properties.iter().find(|member| member.value.range() == inner.range);
        let Some(whole) = whole else { break };
        (start, end, close) = (whole.range.start, whole.range.end, outer.range.end);
        way.pop();
    }
    let after = cut_out(body, start, end, close - 1);
    // The list may contain another element of the same kind.
    let is_left = entry.is_element && lacking(value(&after)?, entry) != value(&after)?;
    if is_left { removed(&after, entry) } else { Ok(after) }
}

/// The text without an item, its comma and the blanks before it.
fn cut_out(body: &str, start: usize, end: usize, close: usize) -> String {
    let head = body[..start].trim_end().len();
    if let Some(comma) = comma_after(&body[end..close]) {
        return [&body[..head], &body[end + comma + 1..]].concat();
    }
    let before = comma_before(body, start).unwrap_or(head);
    // Keeps a comment between the comma and the item.
    let kept = body.get(before + 1..head).filter(|_| before < head).unwrap_or_default();
    [&body[..before], kept, &body[end..]].concat()
}

/// Offset of the comma after blanks and comments.
fn comma_after(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let skipped = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        at += skipped;
        if rest.starts_with(',') {
            return Some(at);
        } else if rest.starts_with("//") {
            at += rest.find('\n')?;
        } else if rest.starts_with("/*") {
            at += rest.find("*/")? + 2;
        } else {
            return None;
        }
    }
}

/// The comma before an item, with only blanks and comments between them; parsing the changed text
/// again verifies this.
fn comma_before(body: &str, start: usize) -> Option<usize> {
    body[..start].char_indices().rev().filter(|(_, c)| *c == ',').map(|(at, _)| at).find(|at| {
        let between = &body[*at + 1..start];
        let probe = format!("{between},");
        comma_after(&probe) == Some(between.len())
    })
}

fn split(text: &str) -> (&str, &str) {
    text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body))
}

/// The member with this name.
///
/// # Errors
/// There are several: parsers differ in which one counts.
fn only<'a, 'b>(object: &'b Object<'a>, key: &str, entry: &Entry) -> Result<Option<&'b ObjectProp<'a>>, Problem> {
    let mut named = object.properties.iter().filter(|member| member.name.as_str() == key);
    let first = named.next();
    if named.next().is_some() { Err(shape(entry)) } else { Ok(first) }
}

fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn ast(text: &str) -> Result<Option<Node<'_>>, Problem> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options());
    parsed.map(|parsed| parsed.value).map_err(|error| Problem::Unreadable(error.to_string()))
}

fn value(text: &str) -> Result<Value, Problem> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    parse_to_serde_value(text, &options()).map_err(|error| Problem::Unreadable(error.to_string()))
}

fn span<'a>(body: &'a str, node: &Node<'_>) -> &'a str {
    &body[node.range().start..node.range().end]
}

/// The content of a file with the entry.
fn with(mut value: Value, entry: &Entry) -> Option<Value> {
    let (name, parents) = entry.path.split_last()?;
    let mut object = value.as_object_mut()?;
    for parent in parents {
        object = object.entry(parent.clone()).or_insert_with(|| Value::Object(Map::new())).as_object_mut()?;
    }
    if entry.is_element {
        let list = object.entry(name.clone()).or_insert_with(|| Value::Array(vec![])).as_array_mut()?;
        if !(list.contains(&entry.value) && list.iter().filter(|there| entry.is_ours(there)).count() == 1) {
            list.retain(|there| !entry.is_ours(there));
            list.push(entry.value.clone());
        }
    } else if !object.get(name).is_some_and(|there| *there != entry.value && !entry.is_ours(there)) {
        object.insert(name.clone(), entry.value.clone());
    }
    Some(value)
}

/// The content of a file without the entry.
fn lacking(value: Value, entry: &Entry) -> Value {
    fn go(value: Value, path: &[String], entry: &Entry) -> Option<Value> {
        let Some((name, rest)) = path.split_first() else {
            return match value {
                Value::Array(items) if entry.is_element => {
                    let count = items.len();
                    let left: Vec<Value> = items.into_iter().filter(|there| !entry.is_ours(there)).collect();
                    (!left.is_empty() || count == 0).then_some(Value::Array(left))
                }
                ours if !entry.is_element && entry.is_ours(&ours) => None,
                other => Some(other),
            };
        };
        let Value::Object(mut members) = value else { return Some(value) };
        if let Some(inner) = members.remove(name) {
            match go(inner, rest, entry) {
                Some(inner) => {
                    members.insert(name.clone(), inner);
                }
                None if members.is_empty() => return None,
                None => {}
            }
        }
        Some(Value::Object(members))
    }
    go(value, &entry.path, entry).unwrap_or_else(|| Value::Object(Map::new()))
}

/// The entry inside the tables that lead to it.
fn nested(path: &[String], entry: &Entry) -> Value {
    let innermost = if entry.is_element { Value::Array(vec![entry.value.clone()]) } else { entry.value.clone() };
    path.iter().rev().fold(innermost, |inner, key| Value::Object([(key.clone(), inner)].into_iter().collect()))
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn unit(indent: &str) -> &'static str {
    if indent.starts_with('\t') { "\t" } else { "  " }
}

/// The blanks at the beginning of the line that contains `at`.
fn indent_of(body: &str, at: usize) -> &str {
    let line = body[..at].rfind('\n').map_or(0, |end| end + 1);
    let line = &body[line..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn pretty(value: &Value, indent: &str, unit: &str, end: &str) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let lines = text.lines().map(|line| {
        let body = line.trim_start_matches(' ');
        format!("{}{body}", unit.repeat((line.len() - body.len()) / 2))
    });
    lines.collect::<Vec<_>>().join(&format!("{end}{indent}"))
}

fn shape(entry: &Entry) -> Problem {
    Problem::Shape(entry.name())
}
