//! Repairs definitions so that they can be shown and checked, whatever a server sent.

use std::{collections::HashSet, sync::Arc};

use serde_json::{Map, Value, json};
use tools_core::{ToolDef, ToolDescription, is_hidden};

use super::CatalogFault;
use super::references::{self, BadReference};

/// Maximum length of a description in bytes.
const MAX_DESCRIPTION_BYTES: usize = 16 << 10;
/// Maximum nesting of a schema.
const DEEPEST: usize = 64;
const TYPES: &[&str] = &["array", "boolean", "integer", "null", "number", "object", "string"];

/// The repaired definition and its faults; the same `Arc` when there are none.
pub(super) fn repaired(tool: &Arc<ToolDef>, faults: &mut Vec<CatalogFault>) -> Arc<ToolDef> {
    let before = faults.len();
    let description = description(tool, faults);
    let given = tool.input.as_value();
    let mut schema = if references::has_any(given) {
        references::followed(given, &mut |path, bad| {
            let (tool, path) = (tool.name.clone(), path.to_owned());
            let fault = match bad {
                BadReference::Outside(reference) => CatalogFault::Reference { tool, path, reference },
                BadReference::Endless => CatalogFault::Endless { tool, path },
            };
            // A reference that occurs in many places is reported once.
            let is_told = faults.iter().skip(before).any(|told| told.is_like(&fault));
            if !is_told {
                faults.push(fault);
            }
        })
    } else {
        given.clone()
    };
    let mut bad = Vec::new();
    keywords("", &mut schema, DEEPEST, &mut bad);
    faults.extend(bad.into_iter().map(|(path, keyword)| CatalogFault::Keyword {
        tool: tool.name.clone(),
        path,
        keyword,
    }));
    root(tool, &mut schema, faults);
    if faults.len() == before && schema == *given {
        return Arc::clone(tool);
    }
    match serde_json::from_value(schema) {
        Ok(schema) => Arc::new(ToolDef::clone(tool).described(description).with_input(schema)),
        // Only a value that is neither an object nor a boolean is not a schema, and it became an
        // object.
        Err(_) => Arc::clone(tool),
    }
}

impl CatalogFault {
    /// Whether the other fault is the same at another place.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Reference { reference: a, .. }, Self::Reference { reference: b, .. }) => a == b,
            (Self::Endless { .. }, Self::Endless { .. }) => true,
            _ => false,
        }
    }
}

fn description(tool: &ToolDef, faults: &mut Vec<CatalogFault>) -> ToolDescription {
    let mut text = tool.description.clone();
    if text.len() > MAX_DESCRIPTION_BYTES {
        let kept = text.floor_char_boundary(MAX_DESCRIPTION_BYTES);
        faults.push(CatalogFault::Long { tool: tool.name.clone(), bytes: text.len(), kept });
        text = text[..kept].to_owned().into();
    }
    let is_odd = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t');
    if text.chars().any(is_odd) {
        faults.push(CatalogFault::Hidden(tool.name.clone()));
        text = text.chars().filter(|c| !is_odd(*c)).collect::<String>().into();
    }
    text
}

/// Makes the parameters an object.
fn root(tool: &ToolDef, schema: &mut Value, faults: &mut Vec<CatalogFault>) {
    let takes_objects = match schema.get("type") {
        None => schema.is_object() || *schema == Value::Bool(true),
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        Some(_) => false,
    };
    if !takes_objects {
        faults.push(CatalogFault::NoObject(tool.name.clone()));
        *schema = json!({"type": "object"});
    }
    match schema {
        Value::Object(map) => {
            map.insert("type".to_owned(), "object".into());
        }
        any => *any = json!({"type": "object"}),
    }
}

/// Removes keywords with invalid values.
fn keywords(path: &str, schema: &mut Value, deepest: usize, bad: &mut Vec<(String, String)>) {
    let Value::Object(map) = schema else { return };
    if deepest == 0 {
        bad.push((path.to_owned(), "properties".to_owned()));
        map.clear();
        return;
    }
    // References were replaced, so definitions are no longer needed.
    map.remove("$defs");
    map.remove("definitions");
    for list in ["required", "type"] {
        map.get_mut(list).into_iter().for_each(without_repeats);
    }
    for names in map.get_mut("dependentRequired").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        without_repeats(names);
    }
    let wrong: Vec<String> =
        map.iter().filter(|(name, value)| !may_be(name, value)).map(|(name, _)| name.clone()).collect();
    for keyword in wrong {
        map.remove(&keyword);
        bad.push((path.to_owned(), keyword));
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        for (name, schema) in properties {
            let at = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            keywords(&at, schema, deepest - 1, bad);
        }
    }
    for several in ["patternProperties", "dependentSchemas"] {
        for schema in map.get_mut(several).and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
            keywords(path, schema, deepest - 1, bad);
        }
    }
    for below in [
        "unevaluatedItems",
        "unevaluatedProperties",
        "items",
        "additionalProperties",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
    ] {
        if let Some(schema) = map.get_mut(below) {
            keywords(&format!("{path}[]"), schema, deepest - 1, bad);
        }
    }
    for list in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        for schema in map.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            keywords(path, schema, deepest - 1, bad);
        }
    }
}

/// Removes repeated entries of a list of names: JSON Schema forbids them, and they have no effect.
fn without_repeats(list: &mut Value) {
    let mut names = HashSet::new();
    if let Value::Array(list) = list {
        list.retain(|name| name.as_str().is_none_or(|name| names.insert(name.to_owned())));
    }
}

/// Whether a keyword may have this value. Checks only faults that would make the schema unusable.
fn may_be(keyword: &str, value: &Value) -> bool {
    let is_schema = |value: &Value| value.is_object() || value.is_boolean();
    let is_type = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match keyword {
        "type" => {
            is_type(value) || value.as_array().is_some_and(|names| !names.is_empty() && names.iter().all(is_type))
        }
        "properties" | "patternProperties" | "dependentSchemas" => {
            let are_schemas = |map: &Map<String, Value>| map.values().all(is_schema);
            value.as_object().is_some_and(are_schemas)
                && (keyword != "patternProperties"
                    || value.as_object().is_some_and(|map| map.keys().all(|key| is_pattern(key))))
        }
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => is_schema(value),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
            value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_schema))
        }
        "enum" => value.is_array(),
        "required" => value.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
        "pattern" => value.as_str().is_some_and(is_pattern),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|number| number > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "minContains"
        | "maxContains" => value.is_u64(),
        "uniqueItems" => value.is_boolean(),
        "description" | "title" | "format" => value.is_string(),
        "dependentRequired" => value.as_object().is_some_and(|map| {
            map.values().all(|names| names.as_array().is_some_and(|names| names.iter().all(Value::is_string)))
        }),
        "$ref" | "$schema" | "$id" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "$recursiveRef" | "$vocabulary"
        | "id" => false,
        _ => true,
    }
}

fn is_pattern(pattern: &str) -> bool {
    jsonschema::validator_for(&json!({"pattern": pattern})).is_ok()
}
