//! Definitions as text that is identical on every run and machine, so that the prompt cache of a
//! provider stays valid.

use std::fmt::Write as _;

use serde_json::Value;
use tools_core::{JsonObject, THOUGHT_PREFIX};

/// A value as JSON without blanks, with the members of objects sorted by name. Only a field for
/// thoughts comes first, because a model fills in fields in order.
///
/// The order does not depend on the features of `serde_json`: another crate of the program may make
/// its maps keep the insertion order.
pub fn canonical_bytes(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

/// Writes the members of an object in the same way, such as the parameters of a call.
pub fn canonical_object(map: &JsonObject) -> String {
    let mut text = String::new();
    write_object(&mut text, map);
    text
}

fn write_object(out: &mut String, map: &JsonObject) {
    let mut members: Vec<_> = map.iter().collect();
    members.sort_unstable_by_key(|(name, _)| (!name.starts_with(THOUGHT_PREFIX), name.as_str()));
    out.push('{');
    for (index, (name, value)) in members.into_iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{comma}{}:", Value::from(name.as_str()));
        write(out, value);
    }
    out.push('}');
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Object(map) => write_object(out, map),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        scalar => {
            let _ = write!(out, "{scalar}");
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_are_sorted_and_thoughts_come_first() {
        let value = json!({"b": [{"z": 1, "A": "\"\n"}], "Zeta": null, "_tafc_think": {"type": "string"}, "0": true});
        assert_eq!(
            canonical_bytes(&value),
            r#"{"_tafc_think":{"type":"string"},"0":true,"Zeta":null,"b":[{"A":"\"\n","z":1}]}"#
        );
    }
}
