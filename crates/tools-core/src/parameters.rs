//! Decoding of parameters with errors a model can act on: every field at fault, by path, with what would be right.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{JsonObject, ToolError, ToolErrorCategory, ToolName, definition::input_schema, nearest};

pub(crate) fn decode<T: DeserializeOwned + JsonSchema>(tool: &ToolName, params: &JsonObject) -> Result<T, ToolError> {
    let value = Value::Object(params.clone());
    serde_path_to_error::deserialize(&value).map_err(|error| {
        // The schema is only built when something is wrong: the good path pays nothing for good messages.
        let problems = problems(&value, input_schema::<T>().as_value());
        report(tool, &problems, &error)
    })
}

fn report(tool: &ToolName, problems: &[Problem], error: &serde_path_to_error::Error<serde_json::Error>) -> ToolError {
    let only_types = !problems.is_empty() && problems.iter().all(|p| matches!(p.fault, Fault::WrongType { .. }));
    let (category, code) = if only_types {
        (ToolErrorCategory::TypeMismatch, "type_mismatch")
    } else {
        (ToolErrorCategory::InvalidParameters, "invalid_parameters")
    };
    let mut message = format!("invalid parameters for `{tool}`: ");
    if problems.is_empty() {
        // The schema is met, so a value is of the right type but not acceptable (a bad enum member, out of range).
        let path = error.path().to_string();
        if path != "." {
            let _ = write!(message, "`{path}`: ");
        }
        let _ = write!(message, "{}", error.inner());
    } else {
        let lines: Vec<String> = problems.iter().take(8).map(Problem::to_string).collect();
        message.push_str(&lines.join("; "));
        if problems.len() > 8 {
            let _ = write!(message, "; and {} more", problems.len() - 8);
        }
    }
    ToolError::new(category, code, message)
}

/// One thing that is wrong with a value, and where.
#[derive(Debug, Clone, PartialEq)]
struct Problem {
    path: String,
    fault: Fault,
}

#[derive(Debug, Clone, PartialEq)]
enum Fault {
    Missing { expected: String },
    Unknown { near: Vec<String>, known: Vec<String> },
    WrongType { expected: String, found: &'static str },
    NotListed { allowed: Vec<String> },
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = &self.path;
        match &self.fault {
            Fault::Missing { expected } => write!(f, "missing field `{path}` ({expected})"),
            Fault::Unknown { near, known } if near.is_empty() => {
                write!(f, "unknown field `{path}`, known are {}", quoted(known))
            }
            Fault::Unknown { near, .. } => write!(f, "unknown field `{path}`, did you mean {}?", quoted(near)),
            Fault::WrongType { expected, found } => write!(f, "`{path}`: expected {expected}, found {found}"),
            Fault::NotListed { allowed } => write!(f, "`{path}`: expected one of {}", quoted(allowed)),
        }
    }
}

fn quoted(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn problems(value: &Value, schema: &Value) -> Vec<Problem> {
    let mut found = Vec::new();
    collect(&mut found, "", value, schema);
    found
}

/// Walks value and schema side by side. Knows what `schemars` writes for plain structs; where it does not understand a
/// schema it says nothing, and serde's own message is used.
fn collect(found: &mut Vec<Problem>, path: &str, value: &Value, schema: &Value) {
    if let Some(branches) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
        return collect_branches(found, path, value, branches);
    }
    let expected = expected_types(schema);
    if !expected.is_empty() && !expected.iter().any(|name| has_type(value, name)) {
        let expected = expected.iter().map(|name| article(name)).collect::<Vec<_>>().join(" or ");
        let fault = Fault::WrongType { expected, found: json_type(value) };
        found.push(Problem { path: path.to_owned(), fault });
        return;
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed = allowed.iter().filter(|v| !v.is_null()).map(plain).collect();
        found.push(Problem { path: path.to_owned(), fault: Fault::NotListed { allowed } });
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

/// A value that fits one branch is fine; else the branch with the fewest complaints is what was meant.
fn collect_branches(found: &mut Vec<Problem>, path: &str, value: &Value, branches: &[Value]) {
    let constants: Vec<&Value> = branches.iter().filter_map(|branch| branch.get("const")).collect();
    if constants.len() == branches.len() && value.is_string() {
        if !constants.contains(&value) {
            let allowed = constants.into_iter().map(plain).collect();
            found.push(Problem { path: path.to_owned(), fault: Fault::NotListed { allowed } });
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

fn collect_object(found: &mut Vec<Problem>, path: &str, map: &JsonObject, schema: &Value) {
    let empty = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let at = |name: &str| {
        if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
    };
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !map.contains_key(name) {
            let types = properties.get(name).map(expected_types).unwrap_or_default();
            let expected = types.first().map_or("a value", |name| article(name)).to_owned();
            found.push(Problem { path: at(name), fault: Fault::Missing { expected } });
        }
    }
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in map {
        match properties.get(name) {
            Some(schema) => collect(found, &at(name), value, schema),
            None if closed => {
                let near =
                    nearest(name, properties.keys().map(String::as_str)).into_iter().map(str::to_owned).collect();
                let known = properties.keys().cloned().collect();
                let shown: String = name.chars().take(80).flat_map(char::escape_debug).collect();
                found.push(Problem { path: at(&shown), fault: Fault::Unknown { near, known } });
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only decoded")]
    struct Args {
        path: String,
        #[serde(default)]
        limit: Option<u32>,
        #[serde(default)]
        edits: Vec<Edit>,
        #[serde(default)]
        mode: Mode,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only decoded")]
    struct Edit {
        old: String,
    }

    #[derive(Debug, Default, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        /// Documented members become a list of constants.
        #[default]
        Plain,
        /// Like this one.
        Fancy,
    }

    fn check(params: Value, expected: &str) {
        let Value::Object(params) = params else { unreachable!("a test passes an object") };
        let error = decode::<Args>(&ToolName::parse("edit").unwrap(), &params).map(|_| ()).unwrap_err();
        assert_eq!(format!("{}: {error}", error.category()), expected);
    }

    #[test]
    fn every_fault_is_named_by_path() {
        check(json!({}), "invalid_parameters: invalid parameters for `edit`: missing field `path` (a string)");
        check(
            json!({"path": 1, "limit": "5"}),
            "type_mismatch: invalid parameters for `edit`: `limit`: expected an integer or null, found a string; `path`: expected a string, found an integer",
        );
        check(
            json!({"path": "a", "edits": [{"old": "x"}, {"old": 7}]}),
            "type_mismatch: invalid parameters for `edit`: `edits[1].old`: expected a string, found an integer",
        );
        check(
            json!({"pth": "a"}),
            "invalid_parameters: invalid parameters for `edit`: missing field `path` (a string); unknown field `pth`, did you mean `path`?",
        );
        check(
            json!({"path": "a", "zzz": 1}),
            "invalid_parameters: invalid parameters for `edit`: unknown field `zzz`, known are `edits`, `limit`, `mode`, `path`",
        );
        check(
            json!({"path": "a", "mode": "odd"}),
            "invalid_parameters: invalid parameters for `edit`: `mode`: expected one of `plain`, `fancy`",
        );
    }

    #[test]
    fn a_value_of_the_right_type_that_is_out_of_range_says_so() {
        check(
            json!({"path": "a", "limit": -1}),
            "invalid_parameters: invalid parameters for `edit`: `limit`: invalid value: integer `-1`, expected u32",
        );
    }
}
