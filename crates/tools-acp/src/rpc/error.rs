//! Errors for the client, with codes of JSON-RPC and of the protocol.

use serde::Serialize;

/// An error object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: String,
}

impl RpcError {
    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The text is not JSON.
    pub(crate) fn parse(message: impl Into<String>) -> Self {
        Self::new(-32700, message)
    }

    /// The JSON is not a request, or not one allowed at this time.
    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(-32600, message)
    }

    /// There is no such method.
    pub(crate) fn no_method(method: &str) -> Self {
        Self::new(-32601, format!("there is no method `{}`", shortened(method)))
    }

    /// The parameters are invalid for the method.
    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// An internal failure.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }

    /// The session does not exist.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(-32002, message)
    }
}

/// Beginning of a name from the client, for a message.
fn shortened(text: &str) -> String {
    text.chars().take(80).flat_map(char::escape_debug).collect()
}
