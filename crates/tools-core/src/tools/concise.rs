//! Schemas of parameters in a form that costs a model the fewest tokens and that every client can
//! show.

use serde_json::{Map, Value, json};

/// Writes the schema of parameters with plain types.
///
/// A choice between texts is an `enum`; the meaning of each text belongs in the description of the
/// parameter. An optional parameter has the type of its value: the decoder still accepts `null`,
/// but a model need not know that, and many clients show a field for `"string"` and none for
/// `["string", "null"]`. Facts that a model assumes anyway are left out: that a count is not
/// negative, and that a flag is off unless it is set.
pub(super) fn concise(members: &mut Map<String, Value>) {
    members.values_mut().for_each(within);
    if let Some(Value::String(text)) = members.get_mut("description") {
        *text = unwrapped(text);
    }
    let required = members.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.contains(&json!(name)));
    for (name, property) in members.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        let Some(property) = property.as_object_mut() else { continue };
        property.retain(|keyword, value| {
            !(keyword == "minimum" && *value == json!(0) || keyword == "default" && *value == json!(false))
        });
        if !is_required(name) {
            without_null(property);
        }
    }
    if let Some(texts) = constants(members.get("oneOf")) {
        members.remove("oneOf");
        members.insert("type".to_owned(), json!("string"));
        members.insert("enum".to_owned(), texts.into());
    }
}

/// Joins the lines of each paragraph: models should not read, and pay for, the line breaks of doc
/// comments. Lists, tables, headings and code keep their lines.
pub(super) fn unwrapped(text: &str) -> String {
    let stands_alone = |line: &str| {
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = number.len() < line.len() && number.starts_with(['.', ')']);
        is_numbered || line.is_empty() || line.starts_with(['-', '*', '+', '#', '|', '>', ' '])
    };
    let mut joined = String::with_capacity(text.len());
    let (mut is_code, mut goes_on) = (false, false);
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        let alone = is_code || is_fence || stands_alone(line);
        if !joined.is_empty() {
            joined.push(if goes_on && !alone { ' ' } else { '\n' });
        }
        joined.push_str(line);
        is_code ^= is_fence;
        goes_on = !is_code && !is_fence && !line.is_empty() && !line.starts_with(['#', '|', ' ']);
    }
    joined
}

fn within(value: &mut Value) {
    match value {
        Value::Object(members) => concise(members),
        Value::Array(items) => items.iter_mut().for_each(within),
        _ => {}
    }
}

/// Removes `null` from the types of a parameter.
fn without_null(property: &mut Map<String, Value>) {
    if property.get("default").is_some_and(Value::is_null) {
        property.remove("default");
    }
    for (list, null) in [("type", json!("null")), ("enum", Value::Null), ("anyOf", json!({"type": "null"}))] {
        if let Some(values) = property.get_mut(list).and_then(Value::as_array_mut) {
            values.retain(|value| *value != null);
        }
    }
    let single = |value: &mut Value| value.as_array_mut().filter(|values| values.len() == 1).and_then(Vec::pop);
    if let Some(name) = property.get_mut("type").and_then(single) {
        property.insert("type".to_owned(), name);
    }
    if let Some(Value::Object(alternative)) = property.get_mut("anyOf").and_then(single) {
        property.remove("anyOf");
        for (name, value) in alternative {
            property.entry(name).or_insert(value);
        }
    }
}

/// The constants, if each alternative is one.
fn constants(alternatives: Option<&Value>) -> Option<Vec<Value>> {
    let texts = alternatives?.as_array()?.iter().map(|one| one.get("const").filter(|text| text.is_string()).cloned());
    texts.collect()
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;
    use crate::{ToolCall, ToolDef, ToolKind, ToolTraits};

    /// Looks.
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Args {
        /// How.
        how: How,
        /// How else.
        else_how: Option<How>,
        /// How many.
        limit: Option<u32>,
        /// One or many.
        names: Option<OneOrMany>,
    }

    /// A way.
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum How {
        /// In short.
        Short,
        /// In full.
        Long,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum OneOrMany {
        One(String),
        Many(Vec<String>),
    }

    #[test]
    fn paragraphs_are_one_line() {
        let check = |text: &str, expected: &str| assert_eq!(unwrapped(text), expected, "{text}");
        check("", "");
        check("One\ntwo.\n\nThree\n`four`.", "One two.\n\nThree `four`.");
        check("Lists:\n- a\n  b\n- c\n1. d\n2) e", "Lists:\n- a\n  b\n- c\n1. d\n2) e");
        check("Code:\n```\na\nb\n```\nand\nmore", "Code:\n```\na\nb\n```\nand more");
        check("| a |\n| b |", "| a |\n| b |");
    }

    #[test]
    fn parameters_have_plain_types() {
        let tool = ToolDef::of::<Args>("look", ToolKind::Other, ToolTraits::CAUTIOUS);
        let properties = &tool.input.as_value()["properties"];
        assert_eq!(properties["how"], json!({"type": "string", "enum": ["short", "long"], "description": "How."}));
        let optional = json!({"type": "string", "enum": ["short", "long"], "description": "How else."});
        assert_eq!(properties["else_how"], optional);
        assert_eq!(properties["limit"], json!({"type": "integer", "description": "How many."}));
        let either = json!([{"type": "string"}, {"type": "array", "items": {"type": "string"}}]);
        assert_eq!(properties["names"], json!({"anyOf": either, "description": "One or many."}));
        let null_or_text = json!({"held": {"type": ["string", "null"]}});
        let mut required = json!({"properties": null_or_text, "required": ["held"]});
        within(&mut required);
        assert_eq!(required["properties"], null_or_text);
    }

    #[test]
    fn null_stands_for_what_is_left_out_all_the_same() {
        let call = |params| ToolCall::new("look", params).unwrap().parse::<Args>();
        let args = call(json!({"how": "short", "else_how": null, "limit": null})).unwrap();
        assert_eq!((args.else_how.is_none(), args.limit, args.names.is_none()), (true, None, true));
        assert!(call(json!({"how": null})).is_err());
    }
}
