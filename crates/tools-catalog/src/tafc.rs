//! A field in which a model thinks about the parameters before it writes them, for tools that are
//! hard to call.
//!
//! This module does not remove the field from calls: a [`tools_core::ToolCall`] is always made
//! without it, so that no executor, record or event contains the thoughts.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tools_core::{THOUGHT_PREFIX, ToolDef};

/// Version of the formula of [`complexity`]; raised when it changes.
pub const COMPLEXITY_VERSION: u32 = 1;

/// Default threshold, used if the configured one is not a finite number.
const THRESHOLD: f64 = 0.6;
/// Maximum depth to which a schema is examined.
const DEEPEST: usize = 32;

/// The section `[tools.tafc]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TafcConfig {
    /// Whether tools with complex parameters get an extra first field in which the model thinks.
    /// Its content is dropped before the call is made.
    pub enabled: bool,
    /// Minimum complexity of a tool's parameters, from 0 to 1, for the extra field. A value that is
    /// not a number counts as 0.6.
    pub complexity_threshold: f64,
}

impl Default for TafcConfig {
    fn default() -> Self {
        Self { enabled: false, complexity_threshold: THRESHOLD }
    }
}

/// The compiled section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TafcPolicy {
    enabled: bool,
    threshold: f64,
}

impl TafcConfig {
    /// Compiles the section; every number is valid.
    pub fn compile(&self) -> TafcPolicy {
        let given = self.complexity_threshold;
        let threshold = if given.is_finite() { given.clamp(0.0, 1.0) } else { THRESHOLD };
        TafcPolicy { enabled: self.enabled, threshold }
    }
}

impl TafcPolicy {
    /// The definition for models that call tools natively: with the field first in `properties` if
    /// the parameters are complex; `None` leaves the definition unchanged. The field is never
    /// required.
    pub fn augment(&self, tool: &ToolDef) -> Option<ToolDef> {
        if !self.enabled || complexity(tool.input.as_value()) < self.threshold {
            return None;
        }
        let mut schema = tool.input.as_object().cloned()?;
        let field = json!({
            "type": "string",
            "description": "Think step by step here, before the other parameters: what each of them has to be, and why.",
        });
        // Inserted first, for maps that keep the insertion order.
        let mut properties = Map::new();
        properties.insert(THOUGHT_PREFIX.to_owned(), field);
        if let Some(Value::Object(others)) = schema.remove("properties") {
            properties.extend(others);
        }
        schema.insert("properties".to_owned(), properties.into());
        let schema = serde_json::from_value(Value::Object(schema)).ok()?;
        Some(tool.clone().with_input(schema))
    }
}

/// A schema without the field, for models that do not call tools natively.
pub(crate) fn without_thought(schema: &Value) -> Cow<'_, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    if !properties.is_some_and(|properties| properties.keys().any(|name| name.starts_with(THOUGHT_PREFIX))) {
        return Cow::Borrowed(schema);
    }
    let mut schema = schema.clone();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !name.starts_with(THOUGHT_PREFIX));
    }
    Cow::Owned(schema)
}

/// The difficulty of filling in the parameters, from 0 to 1: `clamp(0.4·min(required/6, 1) +
/// 0.35·min(depth/4, 1) + 0.25·min(max_enum/20, 1), 0, 1)`.
///
/// `required` counts required parameters at every depth; `depth` is the longest way from the
/// parameters to a value without parts, both included; `max_enum` is the longest list of allowed
/// values.
pub fn complexity(schema: &Value) -> f64 {
    let shape = Shape::of(schema, DEEPEST);
    let part =
        |count: usize, full: u16| f64::from(u16::try_from(count).unwrap_or(u16::MAX).min(full)) / f64::from(full);
    let sum = 0.4 * part(shape.required, 6) + 0.35 * part(shape.depth, 4) + 0.25 * part(shape.listed, 20);
    sum.clamp(0.0, 1.0)
}

#[derive(Default)]
struct Shape {
    required: usize,
    depth: usize,
    listed: usize,
}

impl Shape {
    fn of(schema: &Value, deepest: usize) -> Self {
        let Some(map) = schema.as_object().filter(|_| deepest > 0) else { return Self { depth: 1, ..Self::default() } };
        let list = |key: &str| map.get(key).and_then(Value::as_array).into_iter().flatten();
        let constants = ["oneOf", "anyOf"].map(|key| list(key).filter(|one| one.get("const").is_some()).count());
        let mut shape = Self {
            required: list("required").count(),
            depth: 1,
            listed: list("enum").count().max(constants[0]).max(constants[1]),
        };
        let properties = map.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(_, one)| one);
        let others =
            ["items", "additionalProperties"].into_iter().filter_map(|key| map.get(key)).filter(|one| one.is_object());
        for below in properties.chain(others) {
            let below = Self::of(below, deepest - 1);
            shape.add(below.required, below.depth + 1, below.listed);
        }
        for choice in ["anyOf", "oneOf", "allOf"].into_iter().flat_map(list) {
            let Self { required, depth, listed } = Self::of(choice, deepest - 1);
            shape.add(required, depth, listed);
        }
        shape
    }

    fn add(&mut self, required: usize, depth: usize, listed: usize) {
        self.required += required;
        self.depth = self.depth.max(depth);
        self.listed = self.listed.max(listed);
    }
}

#[cfg(test)]
mod tests {
    use tools_core::{ToolKind, ToolName, ToolTraits};

    use super::*;

    fn tool(schema: Value) -> ToolDef {
        let schema = serde_json::from_value(schema).unwrap();
        ToolDef::new(ToolName::parse("x").unwrap(), "Does it.", schema, ToolKind::Other, ToolTraits::CAUTIOUS)
    }

    fn nested() -> Value {
        let inner = json!({"type": "object", "properties": {"value": {"type": "string"}}});
        let names: Vec<String> = (0..8).map(|n| format!("p{n}")).collect();
        let properties: Map<String, Value> = names.iter().map(|name| (name.clone(), inner.clone())).collect();
        json!({"type": "object", "properties": properties, "required": names})
    }

    #[test]
    fn complexity_follows_the_written_formula() {
        let check = |schema: Value, expected: f64| {
            let found = complexity(&schema);
            assert!((found - expected).abs() < 1e-9, "{found}: {schema}");
        };
        check(json!({}), 0.35 / 4.0);
        check(json!({"properties": {"a": {"type": "string"}}, "required": ["a"]}), 0.4 / 6.0 + 0.35 / 2.0);
        check(nested(), 0.4 + 0.35 * 3.0 / 4.0);
        let values: Vec<usize> = (0..40).collect();
        check(json!({"properties": {"a": {"enum": values}}}), 0.35 / 2.0 + 0.25);
        check(json!({"properties": {"a": {"items": {"anyOf": [nested(), {"type": "null"}]}}}}), 0.4 + 0.35);
    }

    #[test]
    fn thresholds_that_mean_nothing_are_put_right() {
        let threshold = |complexity_threshold| TafcConfig { enabled: true, complexity_threshold }.compile().threshold;
        for (given, expected) in
            [(f64::NAN, 0.6), (f64::INFINITY, 0.6), (f64::NEG_INFINITY, 0.6), (-1.0, 0.0), (2.0, 1.0), (0.3, 0.3)]
        {
            assert!((threshold(given) - expected).abs() < f64::EPSILON, "{given}");
        }
    }

    #[test]
    fn the_field_comes_first_and_only_for_complex_tools() {
        let policy = TafcConfig { enabled: true, ..TafcConfig::default() }.compile();
        let simple = tool(json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}));
        assert!(policy.augment(&simple).is_none());
        let augmented = policy.augment(&tool(nested())).unwrap();
        let bytes = crate::canonical_bytes(augmented.input.as_value());
        assert!(bytes.starts_with(r#"{"properties":{"_tafc_think":{"description":"#), "{bytes}");
        assert!(!augmented.input.as_value()["required"].to_string().contains("_tafc_think"));
        assert!(TafcConfig::default().compile().augment(&tool(nested())).is_none(), "it is off");
        for dialect in crate::Dialect::ALL {
            let bytes = dialect.render(&[std::sync::Arc::new(augmented.clone())]).bytes();
            assert!(bytes.contains(r#""properties":{"_tafc_think":"#), "{dialect}: {bytes}");
        }
    }
}
