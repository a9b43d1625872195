//! Sanitizes a server's messages: parses them, redacts the secrets that were sent to it, and limits
//! events.

use std::{borrow::Cow, time::Duration};

use hyper::header::HeaderValue;
use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use serde_json::Value;
use sse_stream::Sse;
use tools_core::with_texts;
use tools_secrets::KnownValues;

use crate::{credential::Secret, transport::Notes};

/// Maximum length of an event id that is sent back.
const MAX_EVENT_ID_LEN: usize = 1024;
/// Minimum delay before a stream is resumed, whatever the server asks for.
const MIN_RETRY: Duration = Duration::from_millis(100);
const MAX_RETRY: Duration = Duration::from_mins(1);

/// Replacement for a secret.
const HIDDEN: &str = "[secret]";

/// Parses the message of a body or an event; `None` if it is not one. An unreadable answer is
/// delivered as an error to whoever waits for it.
pub(super) fn message(text: &[u8], secrets: &[Secret]) -> Option<ServerJsonRpcMessage> {
    let value: Value = serde_json::from_slice(text).ok()?;
    let known = known(secrets);
    let value = with_texts(&value, &|text| hidden(text, secrets, &known));
    let object = value.as_object()?;
    let id = object.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let is_answer = id.is_some() && !object.contains_key("method");
    match serde_json::from_value(value) {
        Ok(message) => Some(message),
        Err(_) if is_answer => {
            let error = ErrorData::internal_error("the server's answer has not the form of one", None);
            Some(ServerJsonRpcMessage::error(error, id))
        }
        Err(_) => None,
    }
}

/// The secrets as a server may repeat them: in any of the usual encodings, with or without their
/// scheme.
fn known(secrets: &[Secret]) -> KnownValues {
    KnownValues::new(
        secrets.iter().flat_map(Secret::parts).flat_map(|part| [part.to_owned(), format!("Bearer {part}")]),
    )
}

/// Replaces the secrets in a text.
fn hidden<'a>(text: &'a str, secrets: &[Secret], encoded: &KnownValues) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for part in secrets.iter().flat_map(Secret::parts) {
        if text.contains(part) {
            text = Cow::Owned(text.replace(part, HIDDEN));
        }
    }
    encoded.hidden(&text, HIDDEN).map_or(text, Cow::Owned)
}

/// Sanitizes an event; `None` if it is neither a message nor a keep-alive.
pub(super) fn sanitize_event(event: Sse, secrets: &[Secret], notes: &Notes) -> Option<Sse> {
    let milliseconds = |retry: Duration| u64::try_from(retry.as_millis()).unwrap_or(u64::MAX);
    let retry = event.retry.map(|retry| retry.clamp(milliseconds(MIN_RETRY), milliseconds(MAX_RETRY)));
    let can_be_sent = |id: &String| id.len() <= MAX_EVENT_ID_LEN && HeaderValue::from_str(id).is_ok();
    let id = event.id.filter(can_be_sent);
    let is_message = matches!(event.event.as_deref(), None | Some("" | "message"));
    let said = event.data.filter(|data| is_message && !data.trim().is_empty());
    let data = said.as_ref().and_then(|data| message(data.as_bytes(), secrets));
    if let (Some(said), None) = (&said, &data) {
        notes.noise_of(said.as_bytes()).ok()?;
    }
    let data = data.and_then(|message| serde_json::to_string(&message).ok());
    Some(Sse { event: None, data, id, retry })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_taken_out_of_names_too() {
        let secrets = [Secret::new("Bearer abcdefgh12345678").unwrap()];
        let text =
            r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"abcdefgh12345678":{"YWJjZGVmZ2gxMjM0NTY3OA==":1}}]}}"#;
        let said = serde_json::to_string(&message(text.as_bytes(), &secrets).unwrap()).unwrap();
        assert!(said.contains(r#"{"[secret]":{"[secret]"#) && !said.contains("YWJj"), "{said}");
    }

    #[test]
    fn a_secret_that_a_server_repeats_is_taken_out() {
        let secrets = [Secret::new("Bearer abcdefgh12345678").unwrap(), Secret::new("short").unwrap()];
        let text =
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"short: \u0061bcdefgh12345678 is wrong"}}"#;
        let Some(ServerJsonRpcMessage::Error(error)) = message(text.as_bytes(), &secrets) else { panic!("an error") };
        assert_eq!(error.error.message, "short: [secret] is wrong");
        for encoded in [
            "YWJjZGVmZ2gxMjM0NTY3OA==",
            "QmVhcmVyIGFiY2RlZmdoMTIzNDU2Nzg=",
            "61626364656667683132333435363738",
            "%61%62%63%64%65%66%67%68%31%32%33%34%35%36%37%38",
        ] {
            let text =
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": format!("got {encoded}")}});
            let Some(ServerJsonRpcMessage::Error(error)) = message(text.to_string().as_bytes(), &secrets) else {
                panic!("an error")
            };
            assert!(error.error.message.starts_with("got [secret]"), "{encoded}: {}", error.error.message);
        }
    }

    #[test]
    fn what_a_server_asks_of_a_stream_is_bounded() {
        let notes = Notes::default();
        let event = |id: &str, retry: u64| Sse { id: Some(id.to_owned()), retry: Some(retry), ..Sse::default() };
        let tidied = |event: Sse| sanitize_event(event, &[], &notes).unwrap();
        assert_eq!(tidied(event("7", 0)), event("7", 100));
        assert_eq!(tidied(event("7", u64::MAX)).retry, Some(60_000));
        assert_eq!(tidied(event(&"x".repeat(2_000), 500)).id, None);
        assert_eq!(tidied(event("a\nb", 500)).id, None);
        let noise = Sse { data: Some("hello".to_owned()), ..Sse::default() };
        assert_eq!((tidied(noise).data, notes.noise()), (None, 1));
        let bad = Sse { data: Some(r#"{"jsonrpc":"2.0","id":2,"error":7}"#.to_owned()), ..Sse::default() };
        assert!(tidied(bad).data.unwrap().contains("-32603"));
    }
}
