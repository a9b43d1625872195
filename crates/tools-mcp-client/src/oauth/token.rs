//! Answers of a token endpoint.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::{LoginError, code};
use super::scopes::{self, Scopes};

pub(crate) const TOKEN: &str = "the token";
/// Maximum length of a token: it has to fit into a header.
const MAX_TOKEN_LEN: usize = 16 << 10;
/// Maximum accepted lifetime in seconds.
const MAX_SECONDS: u64 = 10 * 365 * 24 * 60 * 60;

/// Tokens from an authorization server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tokens {
    pub(crate) access: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) refresh: Option<String>,
    /// Expiry in seconds since the epoch; `None` if the server does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires: Option<i64>,
}

tools_core::partial_debug!(Tokens { expires });

/// Parses the tokens of an answer received at `now`, and their scopes if the server states them.
pub(crate) fn read(status: u16, answer: Option<&Value>, now: i64) -> Result<(Tokens, Option<Scopes>), LoginError> {
    let unusable = |problem: &str| LoginError::Answer { what: TOKEN, problem: problem.to_owned() };
    let text = |name: &str| answer.and_then(|answer| answer.get(name)).and_then(Value::as_str);
    if !(200..300).contains(&status) {
        return Err(match text("error") {
            Some(error) if status < 500 => LoginError::Refused { what: TOKEN, code: code(error) },
            _ => LoginError::Answer {
                what: TOKEN,
                problem: format!("the authorization server answered with the HTTP status {status}"),
            },
        });
    }
    // Some servers send an error with status 200.
    if let Some(error) = text("error") {
        return Err(LoginError::Refused { what: TOKEN, code: code(error) });
    }
    if !text("token_type").is_some_and(|kind| kind.eq_ignore_ascii_case("bearer")) {
        return Err(unusable("it is not a bearer token"));
    }
    let fits =
        |text: &str| (1..=MAX_TOKEN_LEN).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    let access = text("access_token")
        .filter(|token| fits(token))
        .ok_or_else(|| unusable("the answer holds none that can be sent"))?;
    let refresh = text("refresh_token").filter(|token| fits(token)).map(str::to_owned);
    let seconds = answer.and_then(|answer| answer.get("expires_in")).and_then(|seconds| {
        // Some servers write the number as a string.
        seconds.as_u64().or_else(|| seconds.as_str()?.parse().ok())
    });
    let seconds = seconds.map(|seconds| i64::try_from(seconds.min(MAX_SECONDS)).unwrap_or(i64::MAX));
    let tokens =
        Tokens { access: access.to_owned(), refresh, expires: seconds.map(|seconds| now.saturating_add(seconds)) };
    Ok((tokens, text("scope").map(scopes::parse)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_taken_or_refused_without_their_text() {
        let check = |status: u16, answer: Value, expected: Result<(&str, Option<&str>, Option<i64>), &str>| {
            let found = read(status, Some(&answer), 100);
            match (&found, expected) {
                (Ok((tokens, _)), Ok(expected)) => {
                    assert_eq!(
                        (tokens.access.as_str(), tokens.refresh.as_deref(), tokens.expires),
                        expected,
                        "{answer}"
                    );
                }
                (Err(error), Err(part)) => {
                    let error = error.to_string();
                    assert!(error.contains(part) && !error.contains("s3cret"), "{answer}: {error}");
                }
                _ => panic!("{answer}: {found:?}"),
            }
        };
        let fine =
            json!({"access_token": "t", "token_type": "bearer", "expires_in": 60, "refresh_token": "r", "scope": "a"});
        check(200, fine, Ok(("t", Some("r"), Some(160))));
        check(200, json!({"access_token": "t", "token_type": "Bearer"}), Ok(("t", None, None)));
        check(
            200,
            json!({"access_token": "t", "token_type": "Bearer", "expires_in": "60"}),
            Ok(("t", None, Some(160))),
        );
        check(200, json!({"access_token": "t", "token_type": "Bearer", "expires_in": -1}), Ok(("t", None, None)));
        check(200, json!({"access_token": "t", "token_type": "DPoP"}), Err("bearer"));
        check(200, json!({"access_token": "t"}), Err("bearer"));
        check(200, json!({"access_token": "t\r\nX: y", "token_type": "Bearer"}), Err("none that can be sent"));
        check(200, json!({"access_token": "x".repeat(20_000), "token_type": "Bearer"}), Err("none that can be sent"));
        check(200, json!({"error": "invalid_grant", "error_description": "s3cret"}), Err("invalid_grant"));
        check(400, json!({"error": "invalid_grant", "error_description": "s3cret"}), Err("invalid_grant"));
        check(400, json!({"error": "s3cret"}), Err("not one of the protocol's"));
        check(503, json!({"error": "s3cret"}), Err("HTTP status 503"));
        check(302, json!({}), Err("HTTP status 302"));
        check(200, json!(["s3cret"]), Err("bearer"));
        let forever = json!({"access_token": "t", "token_type": "Bearer", "expires_in": u64::MAX});
        check(200, forever, Ok(("t", None, Some(100 + 10 * 365 * 24 * 60 * 60))));
    }
}
