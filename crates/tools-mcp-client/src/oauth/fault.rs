//! Errors of a login. They contain no text of a server except addresses, made visible: the error
//! text of an authorization server may contain the token itself.

use thiserror::Error;

use crate::error::shown;

/// Reason why there is no login, or no longer one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum LoginError {
    /// A server names an address that is not allowed.
    #[error("the address of {what} is refused: {problem}")]
    Address { what: &'static str, problem: String },
    /// A server cannot be contacted, or violates the protocol. It may work later.
    #[error("{what}: {problem}")]
    Answer { what: &'static str, problem: String },
    /// A server's metadata are invalid.
    #[error("{what} cannot be used: {problem}")]
    Metadata { what: &'static str, problem: String },
    /// The authorization server is not that of the last login.
    #[error(
        "the authorization server was `{before}` and is now `{now}`: if that is right, log in with `--accept-issuer \
         {now}`"
    )]
    IssuerChanged { before: String, now: String },
    /// An answer names a different authorization server than the one that was asked.
    #[error("the answer is from another authorization server than the one that was asked")]
    IssuerMismatch,
    /// The authorization server does not support PKCE.
    #[error("the authorization server does not support PKCE with S256, without which a code can be stolen")]
    NoPkce,
    /// There is no client id, and registration is not supported.
    #[error(
        "the authorization server registers no clients by itself: register one there, and set `oauth.client_id` in the \
         section of the server"
    )]
    NoClient,
    /// The authorization server refused.
    #[error("the authorization server refused {what}: {code}")]
    Refused { what: &'static str, code: &'static str },
    /// The browser did not return in time.
    #[error("nobody finished the login within {0} s")]
    NobodyCame(u64),
    /// The file of the login cannot be used.
    #[error("the stored login cannot be used: {0}")]
    Store(String),
    /// The section of the server is invalid.
    #[error("{0}")]
    Config(String),
    /// The server does not require a login.
    #[error("the server asks for no login")]
    NotAsked,
}

impl LoginError {
    pub(crate) fn metadata(what: &'static str, problem: impl Into<String>) -> Self {
        Self::Metadata { what, problem: problem.into() }
    }

    /// Whether the same may succeed later.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Answer { .. } | Self::Refused { code: "temporarily_unavailable" | "server_error", .. })
    }
}

/// Error codes that an authorization server may return.
const CODES: [&str; 18] = [
    "access_denied",
    "consent_required",
    "interaction_required",
    "invalid_client",
    "invalid_client_metadata",
    "invalid_grant",
    "invalid_redirect_uri",
    "invalid_request",
    "invalid_scope",
    "invalid_software_statement",
    "invalid_target",
    "login_required",
    "server_error",
    "temporarily_unavailable",
    "unauthorized_client",
    "unapproved_software_statement",
    "unsupported_grant_type",
    "unsupported_response_type",
];

/// Maps to a known code; other text is not repeated.
pub(crate) fn code(text: &str) -> &'static str {
    CODES.iter().find(|code| **code == text).copied().unwrap_or("an error that is not one of the protocol's")
}

/// An address for an error, without its query.
pub(crate) fn address(text: &str) -> String {
    shown(text.split(['?', '#']).next().unwrap_or_default())
}
