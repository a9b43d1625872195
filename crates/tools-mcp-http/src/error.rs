//! Errors that prevent the server from starting.

use std::{io, net::SocketAddr, path::PathBuf};

use thiserror::Error;

/// Reason why the server cannot start.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum HttpError {
    /// The address is in use, or does not belong to this machine.
    #[error("`{address}` cannot be listened on: {source}")]
    Address { address: SocketAddr, source: io::Error },
    /// Tokens and results would be sent over a network unencrypted.
    #[error(
        "`{0}` is not a loopback address: without a TLS certificate and key, tokens and results could be read on the way"
    )]
    Unencrypted(SocketAddr),
    /// The program has no runtime to serve with.
    #[error(transparent)]
    Runtime(#[from] tools_core::NoRuntime),
    /// There is no guest.
    #[error("there is no guest: at least one token is needed")]
    NoGuest,
    /// The token is short enough to be guessed.
    #[error("the token of `{name}` has fewer than {least} characters", least = crate::MIN_TOKEN_CHARS)]
    ShortToken { name: String },
    /// Two guests have the same token, which would not identify the caller.
    #[error("`{0}` and `{1}` have the same token")]
    SameToken(String, String),
    /// A certificate or key that cannot be used.
    #[error("`{file}`: {problem}")]
    Tls { file: PathBuf, problem: String },
}
