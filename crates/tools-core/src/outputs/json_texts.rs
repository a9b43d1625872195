//! The texts of a JSON value.

use std::borrow::Cow;

use serde_json::Value;

/// The value with every text at any depth replaced by the result of `change`, including member
/// names. If two members get the same name, the later one stays.
pub fn with_texts(value: &Value, change: &dyn Fn(&str) -> Cow<'_, str>) -> Value {
    match value {
        Value::String(text) => Value::String(change(text).into_owned()),
        Value::Array(items) => items.iter().map(|item| with_texts(item, change)).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (change(name).into_owned(), with_texts(value, change))).collect()
        }
        other => other.clone(),
    }
}
