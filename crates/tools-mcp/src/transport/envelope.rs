//! Determines the answer to a line that is not a valid message: its recipient and error.

use std::{borrow::Cow, fmt};

use rmcp::model::{ErrorCode, ErrorData, RequestId};
use serde::Deserializer as _;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Recognised parts of a request, even if it is incomplete.
#[derive(Debug, Default)]
struct Envelope {
    id: Option<RequestId>,
    /// Whether there is an invalid identifier.
    has_bad_id: bool,
    has_method: bool,
}

/// The answer to a line that could not be parsed as a message; `None` if JSON-RPC requires no
/// answer.
pub(super) fn complaint(line: &[u8]) -> Option<(Option<RequestId>, ErrorData)> {
    let (envelope, complete) = look(line);
    if !complete {
        let error = ErrorData::new(ErrorCode::PARSE_ERROR, "the line is not valid JSON", None);
        return Some((envelope.id, error));
    }
    if envelope.has_bad_id {
        let text = "the `id` of a message is a string or an integer of 64 bits";
        return Some((None, ErrorData::new(ErrorCode::INVALID_REQUEST, text, None)));
    }
    if envelope.has_method && envelope.id.is_none() {
        return None;
    }
    if let Some(number) = beyond_range(line) {
        let text = format!("the number `{number}` in the message is out of range");
        return Some((envelope.id, ErrorData::new(ErrorCode::PARSE_ERROR, text, None)));
    }
    let text: Cow<'static, str> = match serde_json::from_slice::<IgnoredStrings>(line) {
        Ok(_) => "the line is not a JSON-RPC 2.0 message".into(),
        // The error can only be recognised by its text.
        Err(error) if error.to_string().starts_with("recursion limit") => {
            "the message is nested too deeply: at most 127 levels are read".into()
        }
        Err(_) => "a string in the message is not valid Unicode".into(),
    };
    Some((envelope.id, ErrorData::new(ErrorCode::INVALID_REQUEST, text, None)))
}

/// First number of a valid JSON text that exceeds the range of a double, cut to its beginning.
fn beyond_range(line: &[u8]) -> Option<String> {
    const SHOWN_CHARS: usize = 40;
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    let mut at = 0;
    while let Some(&byte) = line.get(at) {
        let rest = &line[at..];
        at += match byte {
            b'"' => string_len(rest),
            b'-' | b'0'..=b'9' => {
                let number = &rest[..rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len())];
                let text = String::from_utf8_lossy(number);
                // A number out of range is parsed as infinite.
                if text.parse::<f64>().is_ok_and(f64::is_infinite) {
                    return Some(text.chars().take(SHOWN_CHARS).collect());
                }
                number.len()
            }
            _ => 1,
        };
    }
    None
}

/// Length of the string at the beginning of a JSON text, including quotation marks.
fn string_len(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// Identifier of a request of which only the beginning was read.
pub(super) fn id_of(start: &[u8]) -> Option<RequestId> {
    look(start).0.id
}

/// Top-level members of a JSON object, and whether the text is complete.
///
/// Strings are skipped, not decoded: lone surrogates and bytes that are not UTF-8 do not hide the
/// identifier.
fn look(text: &[u8]) -> (Envelope, bool) {
    let mut envelope = Envelope::default();
    let mut json = serde_json::Deserializer::from_slice(text);
    let visited = json.deserialize_any(EnvelopeVisitor(&mut envelope));
    let complete = visited.is_ok() && json.end().is_ok();
    (envelope, complete)
}

struct EnvelopeVisitor<'a>(&'a mut Envelope);

impl<'de> Visitor<'de> for EnvelopeVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "id" => {
                    let id = serde_json::from_str::<Option<RequestId>>(map.next_value::<&RawValue>()?.get());
                    self.0.has_bad_id = id.is_err();
                    self.0.id = id.unwrap_or_default();
                }
                "method" => {
                    map.next_value::<IgnoredAny>()?;
                    self.0.has_method = true;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// Any JSON whose strings are valid Unicode.
type IgnoredStrings = serde_json::Value;

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    fn check(line: &[u8], expected: Option<(Option<i64>, i32)>) {
        let number = |id| if let NumberOrString::Number(number) = id { number } else { -1 };
        let found = complaint(line).map(|(id, error)| (id.map(number), error.code.0));
        assert_eq!(found, expected, "{}", String::from_utf8_lossy(line));
    }

    #[test]
    fn a_complaint_reaches_its_sender_where_that_is_possible() {
        check(b"garbage", Some((None, -32700)));
        check(b"{\"id\":7,\"method\":\"x\"", Some((Some(7), -32700)));
        check(b"[]", Some((None, -32600)));
        check(b"7", Some((None, -32600)));
        check(b"\"x\"", Some((None, -32600)));
        check(b"{}", Some((None, -32600)));
        check(br#"{"id":7,"method":5}"#, Some((Some(7), -32600)));
        check(br#"{"jsonrpc":"1.0","id":"a","method":"x"}"#, Some((Some(-1), -32600)));
        check(br#"{"method":"x","params":7}"#, None);
        check(br#"{"id":8,"method":"x","params":{"p":"\udcff"}}"#, Some((Some(8), -32600)));
        check(b"{\"params\":{\"p\":\"\xff\"},\"id\":9,\"method\":\"x\"}", Some((Some(9), -32600)));
        check(br#"{"id":7.0,"method":5}"#, Some((Some(7), -32600)));
    }

    #[test]
    fn an_identifier_that_is_none_is_named() {
        for id in ["{}", "1.5", "18446744073709551617", "1e999", "true", r#"["\udcff"]"#, r#""\udcff""#] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#);
            let (answered, error) = complaint(line.as_bytes()).unwrap();
            assert_eq!((answered, error.code.0), (None, -32600), "{id}");
            assert_eq!(error.message, "the `id` of a message is a string or an integer of 64 bits", "{id}");
        }
    }

    #[test]
    fn a_number_beyond_what_a_double_holds_is_named() {
        let check = |params: &str, expected: &str| {
            let line = format!(r#"{{"id":7,"method":"x","params":{params}}}"#);
            let said = complaint(line.as_bytes()).map(|(_, error)| (error.code.0, error.message.into_owned()));
            let (code, text) = said.unwrap_or_default();
            assert_eq!(text, expected, "{params}");
            assert_eq!(code == -32700, text.contains("out of range"), "{params}");
        };
        check(r#"{"limit":1e999}"#, "the number `1e999` in the message is out of range");
        check(r#"["1e999\\\"",[-2.5E+400]]"#, "the number `-2.5E+400` in the message is out of range");
        check(r#"{"1e999":1e308,"x":"\udcff"}"#, "a string in the message is not valid Unicode");
        check(r#"["1e999",1e-999,12]"#, "the line is not a JSON-RPC 2.0 message");
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        check(&deep, "the message is nested too deeply: at most 127 levels are read");
    }

    #[test]
    fn the_identifier_is_found_in_the_beginning_of_a_message() {
        assert_eq!(id_of(br#"{"jsonrpc":"2.0","id":5,"params":{"text":"aaa"#), Some(NumberOrString::Number(5)));
        assert_eq!(id_of(br#"{"params":{"text":"aaa"#), None);
    }

    #[test]
    fn deep_nesting_is_survived() {
        let deep = format!("{{\"id\":1,\"params\":{}", "[".repeat(100_000));
        assert!(complaint(deep.as_bytes()).is_some());
    }
}
