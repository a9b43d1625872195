//! Canonical JSON: one text for a value, regardless of key order. For digests and comparisons.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Writes a value with sorted keys and without white space.
///
/// Two equal JSON values have the same canonical text, even if another crate in the build enables
/// `serde_json`'s `preserve_order`.
pub fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_unstable_by(|a, b| a.0.cmp(b.0));
            write_list(out, '{', '}', entries, |out, (key, value)| {
                write_scalar(out, &Value::String(key.clone()));
                out.push(':');
                write_value(out, value);
            });
        }
        Value::Array(items) => write_list(out, '[', ']', items, write_value),
        scalar => write_scalar(out, scalar),
    }
}

fn write_list<T>(
    out: &mut String,
    open: char,
    close: char,
    items: impl IntoIterator<Item = T>,
    mut one: impl FnMut(&mut String, T),
) {
    out.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        one(out, item);
    }
    out.push(close);
}

fn write_scalar(out: &mut String, value: &Value) {
    // Writing to a `String` cannot fail.
    let _ = write!(out, "{value}");
}

/// The SHA-256 of `bytes` in lower-case hexadecimal digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// `bytes` as lower-case hexadecimal digits, two for each.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.extend([digit(byte >> 4), digit(byte & 15)]);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn key_order_does_not_matter_at_any_depth() {
        let a: Value = serde_json::from_str(r#"{"b":[{"y":1,"x":"\n"}],"a":null}"#).unwrap();
        let b: Value = serde_json::from_str(r#"{"a":null,"b":[{"x":"\n","y":1}]}"#).unwrap();
        assert_eq!(canonical_json(&a), r#"{"a":null,"b":[{"x":"\n","y":1}]}"#);
        assert_eq!(canonical_json(&a), canonical_json(&b));
        assert_ne!(canonical_json(&a), canonical_json(&json!({"a": null})));
    }

    #[test]
    fn digest_is_the_published_one() {
        assert_eq!(sha256_hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
