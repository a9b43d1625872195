//! Errors of servers and of calls to them, their codes, and their categories as tool errors.

use std::time::Duration;

use rmcp::{ServiceError, model::ErrorCode};
use serde::{Deserialize, Serialize};
use tools_core::{InputError, KeyFault, ToolError, ToolErrorCategory as Category, classify_http_status};

use crate::ServerConfigError;

impl ServerConfigError {
    /// Converts to a fault of the section `mcp`.
    pub fn fault(self) -> KeyFault {
        KeyFault::new(format!("servers[{}].{}", self.index, self.key), self.problem)
    }
}

/// Kind of a server's failure: a closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpErrorCode {
    /// The connection broke, or is being re-established.
    Transient,
    /// The server limits the rate of requests.
    RateLimited,
    /// The server rejects the parameters.
    InvalidInput,
    /// The server rejects the credentials.
    AuthFailure,
    /// The server failed, or violates the protocol.
    ServerError,
    /// The server has no such tool.
    NotFound,
    /// Refused here: the definition is not the accepted one.
    PolicyBlocked,
}

impl McpErrorCode {
    /// Whether the same call may succeed later.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Transient | Self::RateLimited | Self::ServerError)
    }

    /// Category as a tool error.
    pub fn category(self) -> Category {
        match self {
            Self::Transient => Category::NetworkError,
            Self::RateLimited => Category::RateLimited,
            Self::InvalidInput => Category::InvalidParameters,
            Self::AuthFailure | Self::PolicyBlocked => Category::PolicyBlocked,
            Self::ServerError => Category::ServerError,
            Self::NotFound => Category::PermanentFailure,
        }
    }

    /// The permanent name that errors carry.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Transient => "mcp_transient",
            Self::RateLimited => "mcp_rate_limited",
            Self::InvalidInput => "mcp_invalid_input",
            Self::AuthFailure => "mcp_auth_failure",
            Self::ServerError => "mcp_server_error",
            Self::NotFound => "mcp_not_found",
            Self::PolicyBlocked => "mcp_policy_blocked",
        }
    }
}

/// A failure of a server or of a call to it. Text of the server is contained only with hidden
/// characters made visible; `server` is its key in the configuration.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum McpError {
    /// The server answered a call with a protocol error.
    #[error("the MCP server `{server}` refused the call: {message}")]
    ToolCall { server: String, code: McpErrorCode, message: String },
    /// The server cannot be started.
    #[error("the MCP server `{server}` cannot be started: {problem}")]
    Start { server: String, problem: String },
    /// The server started, but did not list its tools.
    #[error("the MCP server `{server}` did not come up: {problem}")]
    Handshake { server: String, problem: String },
    /// The server failed a moment ago and is not restarted yet.
    #[error("the MCP server `{server}` failed {failures} times and is started again in {} s", wait.as_secs().max(1))]
    BackingOff { server: String, failures: u32, wait: Duration },
    /// The connection ended during the call.
    #[error("the MCP server `{server}` went away during the call{}", detail(.problem.as_ref()))]
    Gone { server: String, problem: Option<String> },
    /// The server's address cannot be reached; nothing was sent.
    #[error("the MCP server `{server}` cannot be reached: {problem}")]
    Unreachable { server: String, problem: String },
    /// Connecting to the server's address is not allowed.
    #[error("the MCP server `{server}` cannot be reached: {problem}")]
    Address { server: String, problem: String },
    /// There is no token to send.
    #[error("there is no token for the MCP server `{server}`: {problem}")]
    NoToken { server: String, problem: String },
    /// A person has to log in, again or for the first time.
    #[error("the MCP server `{server}` needs a login: {problem}; `haft mcp login {server}` makes one")]
    LoginNeeded { server: String, problem: String },
    /// The server answered with an HTTP error status.
    #[error("the MCP server `{server}` answered with the HTTP status {status}")]
    Status { server: String, status: u16, wait: Option<Duration> },
    /// The server no longer knows the session and did not run the call.
    #[error("the MCP server `{server}` knows the session no more")]
    SessionLost { server: String },
    /// The call took too long; the server was told to stop.
    #[error("the MCP server `{server}` did not answer within {} s", after.as_secs())]
    Timeout { server: String, after: Duration },
    /// The server sent something that violates the protocol.
    #[error("the MCP server `{server}` does not keep to the protocol: {problem}")]
    Protocol { server: String, problem: String },
    /// The server requires a client feature that was not offered.
    #[error("the MCP server `{server}` asked for {wanted}, which it was not offered")]
    NotOffered { server: String, wanted: &'static str },
    /// The server requires input of the person behind the call, who was not asked or did not
    /// answer.
    #[error("the MCP server `{server}` asks before it goes on: {error}")]
    Input { server: String, error: InputError },
    /// The server no longer lists the tool.
    #[error("the MCP server `{server}` has no tool `{tool}`")]
    NoTool { server: String, tool: String },
    /// The definition is not the accepted one.
    #[error("the tool `{tool}` of the MCP server `{server}` is held: {reason}")]
    Held { server: String, tool: String, reason: String },
    /// The file of accepted definitions cannot be used.
    #[error("the accepted definitions of MCP servers cannot be read: {0}")]
    Lock(String),
}

fn detail(problem: Option<&String>) -> String {
    problem.map_or_else(String::new, |problem| format!(" ({problem})"))
}

impl McpError {
    /// Kind of the failure.
    pub fn code(&self) -> McpErrorCode {
        match self {
            Self::ToolCall { code, .. } => *code,
            Self::BackingOff { .. }
            | Self::Gone { .. }
            | Self::Timeout { .. }
            | Self::Unreachable { .. }
            | Self::SessionLost { .. } => McpErrorCode::Transient,
            Self::NoToken { .. } | Self::LoginNeeded { .. } => McpErrorCode::AuthFailure,
            Self::Status { status, .. } => of_status(*status),
            Self::Start { .. }
            | Self::Handshake { .. }
            | Self::Protocol { .. }
            | Self::NotOffered { .. }
            | Self::Input { .. } => McpErrorCode::ServerError,
            Self::NoTool { .. } => McpErrorCode::NotFound,
            Self::Held { .. } | Self::Lock(_) | Self::Address { .. } => McpErrorCode::PolicyBlocked,
        }
    }

    /// Converts rmcp's error of a request; `gone` says why the transport ended, if it knows.
    pub(crate) fn of_service(server: &str, error: ServiceError, gone: Option<String>) -> Self {
        #[cfg(feature = "http")]
        if let Some(fault) = http_fault(&error) {
            return fault.of(server);
        }
        let server = server.to_owned();
        match error {
            ServiceError::McpError(data) => {
                let code = of_protocol(data.code, data.data.as_ref());
                Self::ToolCall { server, code, message: shown(&data.message) }
            }
            ServiceError::TransportClosed | ServiceError::TransportSend(_) | ServiceError::Cancelled { .. } => {
                Self::Gone { server, problem: gone }
            }
            ServiceError::Timeout { timeout } => Self::Timeout { server, after: timeout },
            ServiceError::UnexpectedResponse => {
                Self::Protocol { server, problem: "its answer is of another kind than the request".to_owned() }
            }
            other => Self::Protocol { server, problem: shown(&other.to_string()) },
        }
    }
}

/// Prepares a server's text for an error: visible, on one line, short.
pub(crate) fn shown(text: &str) -> String {
    tools_core::VisibleText::of(text).shortened(600).to_string()
}

/// The code of a protocol error. An HTTP status in its data says more than the number.
fn of_protocol(code: ErrorCode, data: Option<&serde_json::Value>) -> McpErrorCode {
    let status = data.and_then(|data| ["status", "statusCode", "code"].iter().find_map(|key| data.get(key)?.as_u64()));
    if let Some(status) = status.and_then(|status| u16::try_from(status).ok()).filter(|status| *status >= 400) {
        return of_status(status);
    }
    match code {
        ErrorCode::INVALID_PARAMS => McpErrorCode::InvalidInput,
        ErrorCode::METHOD_NOT_FOUND => McpErrorCode::NotFound,
        _ => McpErrorCode::ServerError,
    }
}

/// The HTTP failure behind a failed request.
#[cfg(feature = "http")]
fn http_fault(error: &ServiceError) -> Option<crate::http::HttpFault> {
    use rmcp::transport::streamable_http_client::StreamableHttpError;
    let ServiceError::TransportSend(error) = error else { return None };
    match error.error.downcast_ref::<StreamableHttpError<crate::http::HttpFault>>()? {
        StreamableHttpError::Client(fault) => Some(fault.clone()),
        _ => None,
    }
}

/// The code of an HTTP status.
fn of_status(status: u16) -> McpErrorCode {
    match classify_http_status(status) {
        Category::InvalidParameters => McpErrorCode::InvalidInput,
        Category::PolicyBlocked => McpErrorCode::AuthFailure,
        Category::RateLimited => McpErrorCode::RateLimited,
        _ if status == 404 => McpErrorCode::NotFound,
        _ => McpErrorCode::ServerError,
    }
}

impl From<McpError> for ToolError {
    fn from(error: McpError) -> Self {
        if let McpError::Input { error, .. } = error {
            return error.into();
        }
        let code = error.code();
        let category = match &error {
            McpError::Timeout { .. } => Category::Timeout,
            McpError::NoTool { .. } => Category::ToolNotFound,
            // Retrying gives the same result.
            McpError::Start { .. } | McpError::Protocol { .. } | McpError::NotOffered { .. } => {
                Category::PermanentFailure
            }
            _ => code.category(),
        };
        let made = Self::new(category, code.as_str(), error.to_string());
        match &error {
            McpError::Held { .. } => made.with_suggestion(
                "Do not try this again: the user has to look at the change with `haft pins review` and accept it.",
            ),
            McpError::BackingOff { wait, .. } | McpError::Status { wait: Some(wait), .. } => {
                made.with_retry_after(*wait)
            }
            McpError::Start { .. } | McpError::Handshake { .. } => made.with_suggestion(
                "Go on without this tool, and tell the user that `haft mcp test` says why the server does not start.",
            ),
            McpError::LoginNeeded { server, .. } => made.with_suggestion(format!(
                "Go on without this tool, and tell the user to run `haft mcp login {server}`; afterwards it can be called \
                 again.",
            )),
            McpError::NoToken { .. } | McpError::Status { status: 401 | 403, .. } => made.with_suggestion(
                "Go on without this tool, and tell the user that the server does not take the token of its section in \
                 `[[mcp.servers]]`.",
            ),
            _ => made,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_that_may_pass_are_the_documented_ones() {
        use McpErrorCode as C;
        let all = [
            (C::Transient, true, Category::NetworkError),
            (C::RateLimited, true, Category::RateLimited),
            (C::InvalidInput, false, Category::InvalidParameters),
            (C::AuthFailure, false, Category::PolicyBlocked),
            (C::ServerError, true, Category::ServerError),
            (C::NotFound, false, Category::PermanentFailure),
            (C::PolicyBlocked, false, Category::PolicyBlocked),
        ];
        for (code, is_retryable, category) in all {
            assert_eq!((code.is_retryable(), code.category()), (is_retryable, category), "{code:?}");
        }
    }

    #[test]
    fn errors_of_the_protocol_have_the_code_of_their_number_or_status() {
        let check = |code: i32, data: serde_json::Value, expected: McpErrorCode| {
            assert_eq!(of_protocol(ErrorCode(code), Some(&data)), expected, "{code} {data}");
        };
        check(-32602, serde_json::json!(null), McpErrorCode::InvalidInput);
        check(-32601, serde_json::json!(null), McpErrorCode::NotFound);
        check(-32603, serde_json::json!({"text": "x"}), McpErrorCode::ServerError);
        for (status, expected) in [
            (429, McpErrorCode::RateLimited),
            (401, McpErrorCode::AuthFailure),
            (403, McpErrorCode::AuthFailure),
            (404, McpErrorCode::NotFound),
            (422, McpErrorCode::InvalidInput),
            (503, McpErrorCode::ServerError),
        ] {
            check(-32000, serde_json::json!({"status": status}), expected);
        }
    }
}
