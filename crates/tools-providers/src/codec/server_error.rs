//! Interprets errors of servers.

use std::time::Duration;

use jiff::{Timestamp, fmt::rfc2822};
use serde_json::Value;

use super::ReplyError;
use crate::ProviderFault;

/// Maximum number of characters shown of a server's message.
const SHOWN_CHARS: usize = 400;
/// Maximum pause that is accepted from a server.
const MAX_PAUSE: Duration = Duration::from_hours(24);

/// Interprets a response whose status is not 2xx.
pub fn refused(status: u16, body: &[u8]) -> ReplyError {
    let value: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = value.get("error").cloned().unwrap_or_else(|| match value {
        Value::Null => Value::String(String::from_utf8_lossy(&body[..body.len().min(4 * SHOWN_CHARS)]).into_owned()),
        value => value,
    });
    let mut broken = interpret_error(&error, Some(status));
    broken.message = format!("the server answers with status {status}: {}", broken.message);
    broken
}

/// Interprets an error in an answer.
pub(super) fn interpret_error(error: &Value, status: Option<u16>) -> ReplyError {
    let of = |name: &str| error[name].as_str().unwrap_or_default();
    let (kind, code) = (of("type"), of("code"));
    let message = error.as_str().unwrap_or_else(|| of("message"));
    let message = if message.is_empty() { "no reason is given" } else { message };
    let lower = message.to_lowercase();
    let is_too_long = code == "context_length_exceeded"
        || ["prompt is too long", "maximum context length", "context length", "context window", "context size"]
            .iter()
            .any(|sign| lower.contains(sign));
    let fault = match (kind, code) {
        _ if is_too_long && !matches!(status, Some(401 | 403 | 429 | 500..)) => ProviderFault::ContextTooLong,
        // Waiting does not help if the account is empty.
        (_, "insufficient_quota" | "invalid_api_key")
        | ("insufficient_quota" | "billing_error" | "authentication_error" | "permission_error", _) => {
            ProviderFault::Auth
        }
        ("rate_limit_error", _) | (_, "rate_limit_exceeded") => ProviderFault::RateLimited,
        ("overloaded_error" | "api_error" | "server_error" | "timeout_error", _) | (_, "server_error") => {
            ProviderFault::Overloaded
        }
        ("not_found_error", _) | (_, "model_not_found") => ProviderFault::NotFound,
        _ => by_status(status),
    };
    let shown: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN_CHARS).collect();
    ReplyError::new(fault, shown)
}

fn by_status(status: Option<u16>) -> ProviderFault {
    match status {
        Some(401..=403) => ProviderFault::Auth,
        Some(404) => ProviderFault::NotFound,
        Some(429) => ProviderFault::RateLimited,
        // `None`: in a stream, whose request was already accepted.
        Some(408 | 409 | 425 | 500..) | None => ProviderFault::Overloaded,
        Some(413) => ProviderFault::ContextTooLong,
        Some(300..=399) => ProviderFault::Protocol,
        Some(_) => ProviderFault::InvalidRequest,
    }
}

/// The time that a server asks to wait: `Retry-After` in seconds or as a date, or the milliseconds
/// that some servers send.
pub fn retry_after(header: Option<&str>, millis: Option<&str>, now: Timestamp) -> Option<Duration> {
    let millis = millis.and_then(|text| text.trim().parse::<f64>().ok()).map(|millis| millis / 1_000.0);
    let seconds = millis.or_else(|| header?.trim().parse::<f64>().ok());
    let pause = if let Some(seconds) = seconds {
        Duration::try_from_secs_f64(seconds).ok()?
    } else {
        let date = rfc2822::DateTimeParser::new().relaxed_weekday(true).parse_timestamp(header?.trim()).ok()?;
        Duration::try_from(date.duration_since(now)).unwrap_or_default()
    };
    Some(pause.min(MAX_PAUSE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_read_in_each_form() {
        let now: Timestamp = "2026-11-06T08:49:37Z".parse().unwrap();
        let check = |header: &str, millis: Option<&str>, expected: Option<u64>| {
            assert_eq!(retry_after(Some(header), millis, now), expected.map(Duration::from_millis), "{header}");
        };
        check("7", None, Some(7_000));
        check(" 1.5 ", None, Some(1_500));
        check("7", Some("250"), Some(250));
        check("Fri, 06 Nov 2026 08:50:07 GMT", None, Some(30_000));
        check("Fri, 06 Nov 2026 08:49:07 GMT", None, Some(0));
        check("-3", None, None);
        check("NaN", None, None);
        check("soon", None, None);
        check("99999999999", None, Some(86_400_000));
        assert_eq!(retry_after(None, None, now), None);
    }

    #[test]
    fn what_an_error_means() {
        let check = |status: u16, body: &str, expected: ProviderFault| {
            assert_eq!(refused(status, body.as_bytes()).fault, expected, "{status} {body}");
        };
        check(401, "", ProviderFault::Auth);
        check(429, r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#, ProviderFault::RateLimited);
        check(429, r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#, ProviderFault::Auth);
        check(
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"busy"}}"#,
            ProviderFault::Overloaded,
        );
        check(400, r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#, ProviderFault::ContextTooLong);
        check(
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens"}}"#,
            ProviderFault::ContextTooLong,
        );
        check(400, r#"{"error":"model does not support tools"}"#, ProviderFault::InvalidRequest);
        check(404, r#"{"error":"model 'x' not found"}"#, ProviderFault::NotFound);
        check(302, "", ProviderFault::Protocol);
        check(500, "<html>\u{1b}[31m", ProviderFault::Overloaded);
        assert!(!refused(500, b"\x1b[31m\xff").message.contains('\u{1b}'));
    }
}
