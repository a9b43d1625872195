//! Changes every string in a value.

use serde_json::Value;

/// The value with each string, except keys, replaced by the result of `change`; `None` when nothing
/// changes.
pub fn map_strings(value: &Value, change: &impl Fn(&str) -> Option<String>) -> Option<Value> {
    match value {
        Value::String(text) => change(text).map(Value::String),
        Value::Array(items) => {
            let changed: Vec<Option<Value>> = items.iter().map(|item| map_strings(item, change)).collect();
            let is_changed = changed.iter().any(Option::is_some);
            let together = changed.into_iter().zip(items).map(|(new, old)| new.unwrap_or_else(|| old.clone()));
            is_changed.then(|| together.collect())
        }
        Value::Object(members) => {
            let mut changed = members.clone();
            let mut is_changed = false;
            for (name, member) in members {
                if let Some(new) = map_strings(member, change) {
                    changed.insert(name.clone(), new);
                    is_changed = true;
                }
            }
            is_changed.then_some(Value::Object(changed))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}
