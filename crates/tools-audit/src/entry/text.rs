//! Texts and values for the record: redacted before they are cut, and limited to the size of a
//! line.

use std::borrow::Cow;

use serde_json::{Map, Value, value::RawValue};
use tools_core::{Invocation, Redactor, canonical_json, sha256_hex};

/// Number of bytes after the kept part that are searched for credentials: a credential that begins
/// in the kept part must be seen whole, or at least well past its beginning.
const SEARCHED_BEYOND: usize = 3500;
/// Maximum length in bytes of the parameters that are recorded unchanged.
const CALL_BYTES: usize = 16 * 1024;
/// Maximum length in characters of a string in longer parameters, and of each subject.
pub(super) const STRING_CHARS: usize = 1000;
/// Maximum number of subjects, and of elements of an array in long parameters.
pub(super) const ITEMS: usize = 50;

/// The parameters as recorded, and the digest of all of them.
pub(super) fn parameters(inv: &Invocation, redactor: &dyn Redactor) -> (Box<RawValue>, String) {
    let redacted = match redactor.redact_json(&Value::Object(inv.call.params.clone())) {
        Value::Object(members) => Value::Object(members),
        // The redactor failed: the parameters stay an object for readers of the line.
        _ => Value::Object(Map::from_iter([("«not recorded»".to_owned(), Value::Null)])),
    };
    let mut text = canonical_json(&redacted);
    let digest = sha256_hex(text.as_bytes());
    if text.len() > CALL_BYTES {
        text = canonical_json(&trimmed(redacted, &mut CALL_BYTES.clone()));
    }
    let raw = RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned());
    (raw, digest)
}

/// The value with long strings and lists cut, and everything dropped once `budget` bytes are used.
fn trimmed(value: Value, budget: &mut usize) -> Value {
    *budget = budget.saturating_sub(8);
    match value {
        Value::String(text) => {
            let kept = if *budget == 0 { 0 } else { STRING_CHARS };
            let text = cut(text.into(), kept).into_owned();
            *budget = budget.saturating_sub(text.len());
            Value::String(text)
        }
        Value::Array(items) => Value::Array(
            items.into_iter().take(if *budget == 0 { 0 } else { ITEMS }).map(|item| trimmed(item, budget)).collect(),
        ),
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, member) in members {
                if *budget == 0 {
                    break;
                }
                let name = cut(name.into(), STRING_CHARS).into_owned();
                *budget = budget.saturating_sub(name.len());
                kept.insert(name, trimmed(member, budget));
            }
            Value::Object(kept)
        }
        other => other,
    }
}

/// The first `chars` characters of a text, redacted before it is cut.
pub(super) fn shortened<'a>(text: &'a str, chars: usize, redactor: &dyn Redactor) -> Cow<'a, str> {
    let searched = &text[..text.floor_char_boundary(chars + SEARCHED_BEYOND)];
    match redactor.redact(searched) {
        Cow::Borrowed(text) => Cow::Borrowed(first(text, chars)),
        Cow::Owned(text) => Cow::Owned(first(&text, chars).to_owned()),
    }
}

/// The first `chars` characters.
fn first(text: &str, chars: usize) -> &str {
    // No character is shorter than a byte: most texts need no counting.
    if text.len() <= chars {
        return text;
    }
    text.char_indices().nth(chars).map_or(text, |(end, _)| &text[..end])
}

/// The first `chars` characters, and the number of bytes that follow.
pub(super) fn cut(text: Cow<'_, str>, chars: usize) -> Cow<'_, str> {
    let kept = first(&text, chars);
    match text.len() - kept.len() {
        0 => text,
        rest => format!("{kept}…[{rest} bytes more]").into(),
    }
}
