//! Values that models write as text: `"10"` for a number, `"true"`, a list as JSON. They are
//! converted only if the schema takes no text and they have exactly one meaning.

use serde_json::{Map, Value};

/// Converts every text in `value` that means another type; `None` if there is none.
pub(crate) fn read(value: &Value, schema: &Value) -> Option<Value> {
    match value {
        Value::String(text) if !takes(schema, "string") => from_text(text, schema),
        // Models write calculated numbers: 3.0 is an integer.
        Value::Number(number) if takes(schema, "integer") && !takes(schema, "number") => {
            let whole = number.as_f64().filter(|_| number.is_f64() && number.as_f64().is_some_and(is_whole))?;
            format!("{whole:.0}").parse::<i64>().ok().map(Value::from)
        }
        Value::Object(map) => {
            let properties = branches(schema).find_map(|schema| schema.get("properties")?.as_object())?;
            let mut changed = Map::new();
            for (name, value) in map {
                if let Some(read) = properties.get(name).and_then(|schema| read(value, schema)) {
                    changed.insert(name.clone(), read);
                }
            }
            if changed.is_empty() {
                return None;
            }
            let mut map = map.clone();
            map.extend(changed);
            Some(Value::Object(map))
        }
        Value::Array(items) => {
            let schema = branches(schema).find_map(|schema| schema.get("items"))?;
            let changed: Vec<Option<Value>> = items.iter().map(|item| read(item, schema)).collect();
            if changed.iter().all(Option::is_none) {
                return None;
            }
            let read = items.iter().zip(changed).map(|(item, changed)| changed.unwrap_or_else(|| item.clone()));
            Some(Value::Array(read.collect()))
        }
        _ => None,
    }
}

fn from_text(text: &str, schema: &Value) -> Option<Value> {
    let text = text.trim();
    match text {
        "" | "null" if takes(schema, "null") => return Some(Value::Null),
        "true" | "True" if takes(schema, "boolean") => return Some(Value::Bool(true)),
        "false" | "False" if takes(schema, "boolean") => return Some(Value::Bool(false)),
        _ => {}
    }
    let meant: Value = serde_json::from_str(text).ok()?;
    let kind = match &meant {
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) if takes(schema, "integer") => "integer",
        Value::Number(_) => "number",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        _ => return None,
    };
    takes(schema, kind).then(|| read(&meant, schema).unwrap_or(meant))
}

/// Whether a value of this JSON type can match the schema. A schema without types takes all.
fn takes(schema: &Value, kind: &str) -> bool {
    let mut any = false;
    for branch in branches(schema) {
        any = true;
        let constant = branch.get("const").or_else(|| branch.get("enum")?.get(0));
        let fits = match (branch.get("type"), constant) {
            (Some(Value::String(name)), _) => name == kind,
            (Some(Value::Array(names)), _) => names.iter().any(|name| name == kind),
            (_, Some(constant)) => constant.is_string() == (kind == "string"),
            _ => true,
        };
        if fits {
            return true;
        }
    }
    !any
}

/// The alternatives of a schema, or the schema itself.
fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
    let several = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array);
    let itself = several.is_none().then_some(schema);
    several.into_iter().flatten().chain(itself)
}

fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < 9e15
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde_json::json;

    use super::*;
    use crate::inline_schema;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Args {
        path: String,
        note: Option<String>,
        limit: Option<u32>,
        all: bool,
        ratio: f64,
        edits: Option<Vec<Edit>>,
        names: Vec<String>,
        mode: Option<Mode>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Edit {
        old: String,
        all: Option<bool>,
    }

    #[derive(JsonSchema)]
    #[schemars(rename_all = "snake_case")]
    #[expect(dead_code, reason = "only its schema is read")]
    enum Mode {
        Lines,
        Files,
    }

    #[test]
    fn text_with_one_meaning_is_read_where_no_text_belongs() {
        let schema = inline_schema::<Args>();
        let check = |value: Value, expected: Option<Value>| {
            assert_eq!(read(&value, schema.as_value()), expected, "{value}");
        };
        check(json!({"limit": "10"}), Some(json!({"limit": 10})));
        check(json!({"limit": " 7 "}), Some(json!({"limit": 7})));
        check(json!({"limit": 3.0}), Some(json!({"limit": 3})));
        check(json!({"limit": "null"}), Some(json!({"limit": null})));
        check(json!({"limit": ""}), Some(json!({"limit": null})));
        check(json!({"all": "true", "ratio": "0.5"}), Some(json!({"all": true, "ratio": 0.5})));
        check(json!({"all": "False", "ratio": "2"}), Some(json!({"all": false, "ratio": 2})));
        check(json!({"names": "[\"a\",\"b\"]"}), Some(json!({"names": ["a", "b"]})));
        check(
            json!({"edits": "[{\"old\": \"1\", \"all\": \"true\"}]"}),
            Some(json!({"edits": [{"old": "1", "all": true}]})),
        );
        check(json!({"edits": [{"old": "1", "all": "true"}]}), Some(json!({"edits": [{"old": "1", "all": true}]})));
    }

    #[test]
    fn what_may_be_text_or_means_nothing_else_stays() {
        let schema = inline_schema::<Args>();
        for value in [
            json!({"path": "10", "note": "true"}),
            json!({"path": "[1]", "note": "null"}),
            json!({"mode": "lines"}),
            json!({"limit": "ten"}),
            json!({"limit": "1.5"}),
            json!({"limit": 1.5}),
            json!({"limit": "true"}),
            json!({"all": "yes"}),
            json!({"all": "1"}),
            json!({"names": "a"}),
            json!({"names": "{\"a\": 1}"}),
            json!({"unknown": "1"}),
            json!("1"),
        ] {
            assert_eq!(read(&value, schema.as_value()), None, "{value}");
        }
    }
}
