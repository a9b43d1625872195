//! JSON Schemas of our own types, and the problems of values that do not match them.
//!
//! Not a general validator: it knows the output of `schemars` for plain structs, and reports
//! nothing about anything else.

use std::fmt;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::Value;

use crate::{JsonObject, either, nearest, quoted};

/// The schema of a type as providers accept it: 2020-12, everything inline, no `$schema`, no title,
/// no formats that some of them refuse.
pub fn inline_schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema.ensure_object().values_mut().for_each(strip_formats);
    schema
}

fn strip_formats(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if map.get("format").is_some_and(Value::is_string) {
                map.remove("format");
            }
            map.values_mut().for_each(strip_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_formats),
        _ => {}
    }
}

/// One problem of a value, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaProblem {
    /// Path to the problem, such as `edits[1].old`; empty for the value itself.
    pub path: String,
    /// Kind of the problem.
    pub fault: SchemaFault,
}

/// Fault of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum SchemaFault {
    /// It is required and missing.
    Missing { expected: String },
    /// The name is unknown.
    Unknown { near: Vec<String>, known: Vec<String> },
    /// It has another JSON type.
    WrongType { expected: String, found: &'static str },
    /// It is none of the listed values.
    NotListed { allowed: Vec<String> },
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.fault {
            SchemaFault::Missing { expected } => write!(f, "missing field `{path}` ({expected})"),
            SchemaFault::Unknown { near, known } if near.is_empty() => {
                write!(f, "unknown field `{path}`, known are {}", or_none(known))
            }
            SchemaFault::Unknown { near, .. } => write!(f, "unknown field `{path}`, did you mean {}?", either(near)),
            SchemaFault::WrongType { expected, found } => write!(f, "`{path}`: expected {expected}, found {found}"),
            SchemaFault::NotListed { allowed } => write!(f, "`{path}`: expected one of {}", or_none(allowed)),
        }
    }
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { quoted(names) }
}

/// All problems of `value` under `schema`; empty if none was found.
pub fn schema_problems(value: &Value, schema: &Value) -> Vec<SchemaProblem> {
    let mut found = Vec::new();
    collect(&mut found, ValuePath::Top, value, schema);
    found
}

/// Path to a value, formatted only for problems.
#[derive(Debug, Clone, Copy)]
enum ValuePath<'a> {
    Top,
    Key(&'a ValuePath<'a>, &'a str),
    Index(&'a ValuePath<'a>, usize),
}

impl ValuePath<'_> {
    fn problem(self, fault: SchemaFault) -> SchemaProblem {
        SchemaProblem { path: self.to_string(), fault }
    }
}

impl fmt::Display for ValuePath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValuePath::Top => Ok(()),
            ValuePath::Key(ValuePath::Top, name) => write!(f, "{name}"),
            ValuePath::Key(above, name) => write!(f, "{above}.{name}"),
            ValuePath::Index(above, index) => write!(f, "{above}[{index}]"),
        }
    }
}

fn collect(found: &mut Vec<SchemaProblem>, at: ValuePath<'_>, value: &Value, schema: &Value) {
    if let Some(branches) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
        return collect_branches(found, at, value, branches);
    }
    if !has_types(value, schema) {
        let expected = expected_types(schema).map(article).collect::<Vec<_>>().join(" or ");
        found.push(at.problem(SchemaFault::WrongType { expected, found: json_type(value) }));
        return;
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed = allowed.iter().filter(|v| !v.is_null()).map(plain).collect();
        found.push(at.problem(SchemaFault::NotListed { allowed }));
        return;
    }
    match value {
        Value::Object(map) => collect_object(found, at, map, schema),
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    collect(found, ValuePath::Index(&at, index), item, schema);
                }
            }
        }
        _ => {}
    }
}

/// A value that matches one branch is valid; otherwise the branch with the fewest problems is
/// assumed to be the intended one.
fn collect_branches(found: &mut Vec<SchemaProblem>, at: ValuePath<'_>, value: &Value, branches: &[Value]) {
    let constants = || branches.iter().filter_map(|branch| branch.get("const"));
    if value.is_string() && constants().count() == branches.len() {
        if !constants().any(|constant| constant == value) {
            found.push(at.problem(SchemaFault::NotListed { allowed: constants().map(plain).collect() }));
        }
        return;
    }
    let attempts = branches.iter().map(|branch| {
        let mut problems = Vec::new();
        collect(&mut problems, at, value, branch);
        problems
    });
    if let Some(best) = attempts.min_by_key(Vec::len) {
        found.extend(best);
    }
}

fn collect_object(found: &mut Vec<SchemaProblem>, at: ValuePath<'_>, map: &JsonObject, schema: &Value) {
    let empty = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !map.contains_key(name) {
            let kind = properties.get(name).and_then(|schema| expected_types(schema).next());
            let expected = kind.map_or("a value", article).to_owned();
            found.push(ValuePath::Key(&at, name).problem(SchemaFault::Missing { expected }));
        }
    }
    let others = schema.get("additionalProperties").unwrap_or(&Value::Null);
    for (name, value) in map {
        match properties.get(name) {
            Some(schema) => collect(found, ValuePath::Key(&at, name), value, schema),
            None if others.is_object() => collect(found, ValuePath::Key(&at, name), value, others),
            None if others == &Value::Bool(false) => {
                let near =
                    nearest(name, properties.keys().map(String::as_str)).into_iter().map(str::to_owned).collect();
                let known = properties.keys().cloned().collect();
                let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
                found.push(ValuePath::Key(&at, &shown).problem(SchemaFault::Unknown { near, known }));
            }
            None => {}
        }
    }
}

/// Whether a value has one of the types in the schema; a schema without types accepts any.
fn has_types(value: &Value, schema: &Value) -> bool {
    let mut expected = expected_types(schema).peekable();
    expected.peek().is_none() || expected.any(|name| has_type(value, name))
}

fn expected_types(schema: &Value) -> impl Iterator<Item = &str> {
    let named = schema.get("type");
    let many = named.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    named.and_then(Value::as_str).into_iter().chain(many)
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

fn article(name: &str) -> &str {
    match name {
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}

pub(crate) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        // An integer that is too large is parsed as a floating-point number.
        Value::Number(number) if number.is_f64() && number.as_f64().is_some_and(|number| number.abs() > 9.2e18) => {
            "a number beyond the range of integers"
        }
        Value::Number(number) if number.is_f64() => "a fractional number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
