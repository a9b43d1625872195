//! A pinned definition: what a model or a gate sees of it, in a canonical form.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// Pinned fields of a tool, in the order in which they are shown.
const FIELDS: [&str; 6] = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/// A definition that is, or could be, accepted. Two are equal if and only if a model and the gates
/// would see the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Definition(Value);

impl Definition {
    /// Extracts the pinned fields of a tool as a server lists it. The order of members and of lists
    /// that are sets (`required`, `type`) is normalized.
    pub fn of(tool: &Value) -> Self {
        let fields = FIELDS.iter().filter_map(|field| {
            let value = tool.get(field).filter(|value| !value.is_null())?;
            Some(((*field).to_owned(), ordered(value)))
        });
        Self(Value::Object(fields.collect()))
    }

    /// The server's name of the tool; empty if it has none.
    pub fn name(&self) -> &str {
        self.0.get("name").and_then(Value::as_str).unwrap_or_default()
    }

    /// The value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The existing fields, in the order in which they are shown.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        FIELDS.iter().filter_map(|field| Some((*field, self.0.get(field)?)))
    }

    /// The digest by which definitions are compared.
    pub fn digest(&self) -> String {
        digest(&self.0)
    }

    /// Digest without the name, to recognise renamed tools.
    pub(crate) fn nameless_digest(&self) -> String {
        let mut value = self.0.clone();
        if let Value::Object(map) = &mut value {
            map.remove("name");
        }
        digest(&value)
    }
}

/// The SHA-256 of a value in canonical form, in hexadecimal digits.
pub fn digest(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    hexadecimal(&Sha256::digest(text))
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Writes JSON without whitespace, members sorted by name: the order of maps differs between
/// builds.
fn write(out: &mut String, value: &Value) {
    match value {
        Value::Object(map) => {
            let mut members: Vec<_> = map.iter().collect();
            members.sort_unstable_by_key(|(name, _)| name.as_str());
            out.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(out, value);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(out, item);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn ordered(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut members: Vec<(&String, Value)> =
                map.iter().map(|(name, value)| (name, member(name, value))).collect();
            members.sort_unstable_by_key(|(name, _)| name.as_str());
            Value::Object(members.into_iter().map(|(name, value)| (name.clone(), value)).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(ordered).collect()),
        scalar => scalar.clone(),
    }
}

/// Normalizes a member's value. `required` and `type` are sets of names if they are lists of
/// strings.
fn member(name: &str, value: &Value) -> Value {
    match value {
        Value::Array(items) if matches!(name, "required" | "type") && items.iter().all(Value::is_string) => {
            let mut items = items.clone();
            items.sort_unstable_by(|a, b| a.as_str().cmp(&b.as_str()));
            Value::Array(items)
        }
        other => ordered(other),
    }
}
