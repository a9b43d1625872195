//! Parses a line as a message: a request, a notification, an answer to our request, or a fault.

use serde::Serialize;
use serde_json::{Map, Value};

use super::RpcError;

/// Identifier that pairs an answer with its request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub(crate) enum RequestId {
    Null,
    Number(i64),
    Text(String),
}

/// A received message.
#[derive(Debug, PartialEq)]
pub(crate) enum IncomingMessage {
    Request { id: RequestId, method: String, params: Value },
    Notification { method: String, params: Value },
    Response { id: RequestId, result: Result<Value, RpcError> },
}

impl IncomingMessage {
    /// Parses a line.
    ///
    /// # Errors
    /// What is wrong with it, and its identifier if recognisable.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, (RequestId, RpcError)> {
        let value: Value = serde_json::from_slice(line).map_err(|error| {
            let problem = if error.to_string().contains("recursion limit") {
                "the message is nested too deeply".to_owned()
            } else {
                format!("the message is no JSON: {error}")
            };
            (RequestId::Null, RpcError::parse(problem))
        })?;
        match value {
            Value::Object(object) => Self::of(object),
            Value::Array(_) => {
                Err(invalid(RequestId::Null, "batches are not part of the protocol: one message a line"))
            }
            _ => Err(invalid(RequestId::Null, "a message is an object")),
        }
    }

    fn of(mut object: Map<String, Value>) -> Result<Self, (RequestId, RpcError)> {
        let id = match object.remove("id") {
            None => None,
            Some(id) => Some(
                request_id(id).ok_or_else(|| invalid(RequestId::Null, "an `id` is a text, a whole number or null"))?,
            ),
        };
        let of = || id.clone().unwrap_or(RequestId::Null);
        if object.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return Err(invalid(of(), "`jsonrpc` is not \"2.0\""));
        }
        let params = object.remove("params").unwrap_or_default();
        match (object.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => Ok(Self::Request { id, method, params }),
            (Some(Value::String(method)), None) => Ok(Self::Notification { method, params }),
            (Some(_), id) => Err(invalid(id.unwrap_or(RequestId::Null), "`method` is not a string")),
            (None, Some(id)) => answer(&mut object)
                .map(|result| Self::Response { id: id.clone(), result })
                .ok_or_else(|| invalid(id, "the message has neither `method` nor `result` nor `error`")),
            (None, None) => Err(invalid(RequestId::Null, "the message has no `method`")),
        }
    }
}

fn answer(object: &mut Map<String, Value>) -> Option<Result<Value, RpcError>> {
    if let Some(error) = object.remove("error").filter(|error| !error.is_null()) {
        let code = error["code"].as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or(-32603);
        let message = error["message"].as_str().unwrap_or_default().to_owned();
        return Some(Err(RpcError { code, message }));
    }
    object.remove("result").map(Ok)
}

fn request_id(value: Value) -> Option<RequestId> {
    match value {
        Value::Null => Some(RequestId::Null),
        Value::Number(number) => number.as_i64().map(RequestId::Number),
        Value::String(text) => Some(RequestId::Text(text)),
        _ => None,
    }
}

fn invalid(id: RequestId, problem: &str) -> (RequestId, RpcError) {
    (id, RpcError::invalid_request(problem))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_line_is_a_message_or_says_what_is_wrong() {
        let code = |line: &str, expected: i32, id: RequestId| {
            let (found, error) = IncomingMessage::parse(line.as_bytes()).expect_err(line);
            assert_eq!((error.code, found), (expected, id), "{line}: {}", error.message);
        };
        code("", -32700, RequestId::Null);
        code("{", -32700, RequestId::Null);
        code(&"[".repeat(5000), -32700, RequestId::Null);
        code("[]", -32600, RequestId::Null);
        code("7", -32600, RequestId::Null);
        code("{}", -32600, RequestId::Null);
        code(r#"{"jsonrpc":"1.0","id":4,"method":"x"}"#, -32600, RequestId::Number(4));
        code(r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#, -32600, RequestId::Null);
        code(r#"{"jsonrpc":"2.0","id":{},"method":"x"}"#, -32600, RequestId::Null);
        code(r#"{"jsonrpc":"2.0","id":"a","method":7}"#, -32600, RequestId::Text("a".to_owned()));
        code(r#"{"jsonrpc":"2.0","id":3}"#, -32600, RequestId::Number(3));
        let parsed = |line: &str| IncomingMessage::parse(line.as_bytes()).expect(line);
        assert_eq!(
            parsed(r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#),
            IncomingMessage::Request { id: RequestId::Null, method: "x".to_owned(), params: Value::Null }
        );
        assert_eq!(
            parsed(r#"{"jsonrpc":"2.0","method":"x","params":[1]}"#),
            IncomingMessage::Notification { method: "x".to_owned(), params: json!([1]) }
        );
        let result = Ok(Value::Null);
        let id = RequestId::Number(2);
        assert_eq!(parsed(r#"{"jsonrpc":"2.0","id":2,"result":null}"#), IncomingMessage::Response { id, result });
        let error = RpcError { code: -32601, message: "no".to_owned() };
        assert_eq!(
            parsed(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}"#),
            IncomingMessage::Response { id: RequestId::Number(2), result: Err(error) }
        );
    }

    proptest! {
        #[test]
        fn no_line_panics(line in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = IncomingMessage::parse(&line);
        }

        #[test]
        fn no_object_panics(
            keys in prop::collection::hash_map("(id|method|params|jsonrpc|error|result)", "(null|\"2.0\"|7|-1.5|\\[\\]|\\{\\}|true)", 0..6),
        ) {
            let members: Vec<String> = keys.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            let _ = IncomingMessage::parse(format!("{{{}}}", members.join(",")).as_bytes());
        }
    }
}
