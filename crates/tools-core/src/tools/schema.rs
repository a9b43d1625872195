//! JSON Schemas of our own types, and what is wrong with a value that does not meet one.
//!
//! Not a general validator: it knows what `schemars` writes for plain structs, and stays silent
//! where it does not.

use std::fmt;

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::Value;

use crate::{JsonObject, either, nearest};

/// The schema of a type as providers want it: 2020-12, everything inline, no `$schema`, no title,
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

/// One thing that is wrong with a value, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaProblem {
    /// Where: `edits[1].old`; empty for the value itself.
    pub path: String,
    /// What.
    pub fault: SchemaFault,
}

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaFault {
    /// It is required and not there.
    Missing {
        /// What would be right.
        expected: String,
    },
    /// Nothing of this name is known.
    Unknown {
        /// Known names that are close.
        near: Vec<String>,
        /// All known names.
        known: Vec<String>,
    },
    /// It has another JSON type.
    WrongType {
        /// What would be right.
        expected: String,
        /// What it is.
        found: &'static str,
    },
    /// It is none of the listed values.
    NotListed {
        /// The listed values.
        allowed: Vec<String>,
    },
}

impl fmt::Display for SchemaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.fault {
            SchemaFault::Missing { expected } => write!(f, "missing field `{path}` ({expected})"),
            SchemaFault::Unknown { near, known } if near.is_empty() => {
                write!(f, "unknown field `{path}`, known are {}", quoted(known))
            }
            SchemaFault::Unknown { near, .. } => write!(f, "unknown field `{path}`, did you mean {}?", either(near)),
            SchemaFault::WrongType { expected, found } => write!(f, "`{path}`: expected {expected}, found {found}"),
            SchemaFault::NotListed { allowed } => write!(f, "`{path}`: expected one of {}", quoted(allowed)),
        }
    }
}

fn quoted(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Everything in which `value` does not meet `schema`; empty when nothing was found.
pub fn schema_problems(value: &Value, schema: &Value) -> Vec<SchemaProblem> {
    let mut found = Vec::new();
    collect(&mut found, "", value, schema);
    found
}

fn collect(found: &mut Vec<SchemaProblem>, path: &str, value: &Value, schema: &Value) {
    if let Some(branches) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
        return collect_branches(found, path, value, branches);
    }
    let expected = expected_types(schema);
    if !expected.is_empty() && !expected.iter().any(|name| has_type(value, name)) {
        let expected = expected.iter().map(|name| article(name)).collect::<Vec<_>>().join(" or ");
        let fault = SchemaFault::WrongType { expected, found: json_type(value) };
        found.push(SchemaProblem { path: path.to_owned(), fault });
        return;
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed = allowed.iter().filter(|v| !v.is_null()).map(plain).collect();
        found.push(SchemaProblem { path: path.to_owned(), fault: SchemaFault::NotListed { allowed } });
        return;
    }
    match value {
        Value::Object(map) => collect_object(found, path, map, schema),
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    collect(found, &format!("{path}[{index}]"), item, schema);
                }
            }
        }
        _ => {}
    }
}

/// A value that fits one branch is fine; else the branch with the fewest complaints is what was
/// meant.
fn collect_branches(found: &mut Vec<SchemaProblem>, path: &str, value: &Value, branches: &[Value]) {
    let constants: Vec<&Value> = branches.iter().filter_map(|branch| branch.get("const")).collect();
    if constants.len() == branches.len() && value.is_string() {
        if !constants.contains(&value) {
            let allowed = constants.into_iter().map(plain).collect();
            found.push(SchemaProblem { path: path.to_owned(), fault: SchemaFault::NotListed { allowed } });
        }
        return;
    }
    let attempts = branches.iter().map(|branch| {
        let mut problems = Vec::new();
        collect(&mut problems, path, value, branch);
        problems
    });
    if let Some(best) = attempts.min_by_key(Vec::len) {
        found.extend(best);
    }
}

fn collect_object(found: &mut Vec<SchemaProblem>, path: &str, map: &JsonObject, schema: &Value) {
    let empty = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let at = |name: &str| {
        if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
    };
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !map.contains_key(name) {
            let types = properties.get(name).map(expected_types).unwrap_or_default();
            let expected = types.first().map_or("a value", |name| article(name)).to_owned();
            found.push(SchemaProblem { path: at(name), fault: SchemaFault::Missing { expected } });
        }
    }
    let others = schema.get("additionalProperties").unwrap_or(&Value::Null);
    for (name, value) in map {
        match properties.get(name) {
            Some(schema) => collect(found, &at(name), value, schema),
            None if others.is_object() => collect(found, &at(name), value, others),
            None if others == &Value::Bool(false) => {
                let near =
                    nearest(name, properties.keys().map(String::as_str)).into_iter().map(str::to_owned).collect();
                let known = properties.keys().cloned().collect();
                let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
                found.push(SchemaProblem { path: at(&shown), fault: SchemaFault::Unknown { near, known } });
            }
            None => {}
        }
    }
}

fn expected_types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    }
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
