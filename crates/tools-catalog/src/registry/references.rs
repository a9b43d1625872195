//! Replaces each `$ref` by its target, because providers accept schemas without references.

use serde_json::{Map, Value};

/// Maximum number of times a reference is replaced inside itself.
const REPEATED: usize = 2;
/// Maximum number of values in a schema whose references are replaced.
const MAX_VALUES: usize = 20_000;

/// Fault of a reference.
pub(super) enum BadReference {
    /// Its target does not exist.
    Outside(String),
    /// It leads back to itself too often.
    Endless,
}

/// A schema without references. `bad` is called with the path of each reference that could not be
/// replaced; any value is accepted in its place.
pub(super) fn followed(schema: &Value, bad: &mut dyn FnMut(&str, BadReference)) -> Value {
    let mut following = ReferenceWalk { root: schema, open: vec![], left: MAX_VALUES, bad };
    match schema {
        // Definitions are inserted where they are referred to.
        Value::Object(map) if !map.contains_key("$ref") => {
            let is_said = |name: &str| !matches!(name, "$defs" | "definitions");
            Value::Object(following.members("", map.iter().filter(|(name, _)| is_said(name))))
        }
        other => following.follow("", other),
    }
}

/// Whether the schema contains a reference.
pub(super) fn has_any(schema: &Value) -> bool {
    match schema {
        Value::Object(map) => map.contains_key("$ref") || map.values().any(has_any),
        Value::Array(items) => items.iter().any(has_any),
        _ => false,
    }
}

struct ReferenceWalk<'a> {
    root: &'a Value,
    /// The references that are being replaced.
    open: Vec<&'a str>,
    left: usize,
    bad: &'a mut dyn FnMut(&str, BadReference),
}

impl<'a> ReferenceWalk<'a> {
    fn follow(&mut self, path: &str, schema: &'a Value) -> Value {
        if self.left == 0 {
            (self.bad)(path, BadReference::Endless);
            return Value::Object(Map::new());
        }
        self.left -= 1;
        match schema {
            Value::Object(map) => {
                if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                    return self.referred(path, reference, map);
                }
                Value::Object(self.members(path, map.iter()))
            }
            Value::Array(items) => Value::Array(items.iter().map(|item| self.follow(path, item)).collect()),
            scalar => scalar.clone(),
        }
    }

    fn referred(&mut self, path: &str, reference: &'a str, map: &'a Map<String, Value>) -> Value {
        let target = reference.strip_prefix('#').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let Some(target) = target.and_then(|pointer| self.root.pointer(pointer)) else {
            let shown: String = reference.chars().take(80).flat_map(char::escape_debug).collect();
            (self.bad)(path, BadReference::Outside(shown));
            return Value::Object(self.beside(path, map));
        };
        if self.open.iter().filter(|open| **open == reference).count() >= REPEATED {
            (self.bad)(path, BadReference::Endless);
            return Value::Object(self.beside(path, map));
        }
        self.open.push(reference);
        let followed = self.follow(path, target);
        self.open.pop();
        match followed {
            Value::Object(mut there) => {
                for (name, value) in self.beside(path, map) {
                    let value = with_both(&name, there.remove(&name), value);
                    there.insert(name, value);
                }
                Value::Object(there)
            }
            other => other,
        }
    }

    /// The keywords next to a reference, with their references replaced. Definitions are inserted
    /// where they are referred to.
    fn beside(&mut self, path: &str, map: &'a Map<String, Value>) -> Map<String, Value> {
        self.members(path, map.iter().filter(|(name, _)| !matches!(name.as_str(), "$ref" | "$defs" | "definitions")))
    }

    fn members(&mut self, path: &str, members: impl Iterator<Item = (&'a String, &'a Value)>) -> Map<String, Value> {
        members.map(|(name, value)| (name.clone(), self.follow(&joined(path, name), value))).collect()
    }
}

/// Combines a keyword next to a reference with the same keyword in its target: properties and
/// requirements of both apply. For other keywords the one next to the reference counts, because it
/// is more specific.
fn with_both(keyword: &str, there: Option<Value>, beside: Value) -> Value {
    match (keyword, there, beside) {
        ("properties" | "patternProperties", Some(Value::Object(mut all)), Value::Object(nearer)) => {
            all.extend(nearer);
            Value::Object(all)
        }
        ("required", Some(Value::Array(mut all)), Value::Array(nearer)) => {
            all.extend(nearer);
            Value::Array(all)
        }
        (_, _, beside) => beside,
    }
}

fn joined(path: &str, name: &str) -> String {
    if matches!(name, "properties" | "items" | "anyOf" | "oneOf" | "allOf") {
        return path.to_owned();
    }
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}
