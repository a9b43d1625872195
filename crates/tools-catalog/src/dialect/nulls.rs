//! Reverses a change of strict interfaces, in which an omitted parameter arrives as null.

use serde_json::Value;
use tools_core::{JsonObject, ToolDef};

/// Removes nulls that stand for omitted parameters: those of optional parameters whose schema does
/// not accept null.
pub fn without_added_nulls(tool: &ToolDef, params: JsonObject) -> JsonObject {
    match cleaned(Value::Object(params), tool.input.as_value()) {
        Value::Object(params) => params,
        _ => JsonObject::new(),
    }
}

fn cleaned(value: Value, schema: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let required: Vec<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let schema_of = |name: &str| schema["properties"].get(name).unwrap_or(&Value::Null);
            let stays = |name: &String, value: &Value| {
                !value.is_null() || required.contains(&name.as_str()) || takes_null(schema_of(name))
            };
            let kept = map.into_iter().filter(|(name, value)| stays(name, value));
            Value::Object(kept.map(|(name, value)| (name.clone(), cleaned(value, schema_of(&name)))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(|item| cleaned(item, &schema["items"])).collect()),
        scalar => scalar,
    }
}

fn takes_null(schema: &Value) -> bool {
    let choices = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    match schema.get("type") {
        Some(Value::String(name)) => name == "null",
        Some(Value::Array(names)) => names.iter().any(|name| name == "null"),
        _ => {
            let mut choices = choices.peekable();
            // Null is accepted if the schema does not restrict the value, or one of its choices
            // accepts it.
            choices.peek().is_none()
                && schema.get("enum").is_none_or(|list| list.as_array().is_some_and(|list| list.contains(&Value::Null)))
                || choices.any(takes_null)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tools_core::{ToolKind, ToolName, ToolTraits};

    use super::*;

    #[test]
    fn only_nulls_that_stand_for_nothing_go() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "mode": {"enum": ["a", "b"]},
                "limit": {"type": ["integer", "null"]},
                "edits": {"type": "array", "items": {"type": "object", "properties": {"all": {"type": "boolean"}}}},
            },
            "required": ["path"],
        });
        let name = ToolName::parse("x").unwrap();
        let schema = serde_json::from_value(schema).unwrap();
        let tool = ToolDef::new(name, "", schema, ToolKind::Other, ToolTraits::CAUTIOUS);
        let given = json!({"path": null, "mode": null, "limit": null, "edits": [{"all": null}], "odd": null});
        let Value::Object(given) = given else { unreachable!("it is an object") };
        let cleaned = without_added_nulls(&tool, given);
        assert_eq!(Value::Object(cleaned), json!({"path": null, "limit": null, "edits": [{}], "odd": null}));
    }
}
