//! Errors of a page request, with their categories. The text for the model contains no IP address.

use std::io;
use std::time::Duration;

use hyper::StatusCode;
use thiserror::Error;
use tools_core::{ErrorDetail, ToolError, ToolErrorCategory};
use tools_egress::dial::DialError;

use crate::guard::Refusal;

/// Reason why a page cannot be returned.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum WebError {
    /// The guard refuses the URL.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The guard refuses the target of a redirect.
    #[error("the page redirects to where it may not: {0}")]
    Redirect(Refusal),
    /// A redirect without a target.
    #[error("the server answered {0} without naming where the page is")]
    NoLocation(StatusCode),
    /// Too many redirects.
    #[error("the page redirects more than {most} times")]
    TooManyRedirects { most: usize },
    /// No address of the host accepted a connection.
    #[error("`{host}` could not be connected to")]
    Connect { host: String, source: io::Error },
    /// The certificate of the server is not valid for the host.
    #[error("the certificate of `{host}` is not valid: {problem}")]
    Certificate { host: String, problem: String },
    /// The TLS connection failed.
    #[error("no encrypted connection to `{host}`: {problem}")]
    Tls { host: String, problem: String },
    /// The response is not HTTP, or it ended too early.
    #[error("the answer broke off or is not valid HTTP")]
    Http(#[source] hyper::Error),
    /// An error status.
    #[error("the server answered {status}")]
    Status { status: StatusCode, retry_after: Option<Duration> },
    /// The body has a content encoding that is not supported.
    #[error("the content encoding `{0}` is not supported")]
    Encoding(String),
    /// The compressed body is damaged.
    #[error("the compressed body is damaged")]
    Compression(#[source] io::Error),
    /// The time limit of the call passed.
    #[error("the page did not come in time")]
    Timeout,
    /// The body is not text.
    #[error("the page is not text but {kind}, {size}")]
    Binary { kind: String, size: String },
    /// The body is a PDF whose text cannot be read.
    #[error("the text of the PDF cannot be read: {0}")]
    Pdf(String),
    /// A parameter is not valid.
    #[error("{0}")]
    Parameter(String),
}

impl WebError {
    fn category(&self) -> ToolErrorCategory {
        use ToolErrorCategory as C;
        match self {
            Self::Refused(refusal) | Self::Redirect(refusal) => of_refusal(refusal, matches!(self, Self::Redirect(_))),
            Self::NoLocation(_)
            | Self::TooManyRedirects { .. }
            | Self::Certificate { .. }
            | Self::Encoding(_)
            | Self::Compression(_)
            | Self::Binary { .. }
            | Self::Pdf(_) => C::PermanentFailure,
            Self::Connect { .. } | Self::Tls { .. } | Self::Http(_) => C::NetworkError,
            Self::Status { status, .. } => match status.as_u16() {
                429 => C::RateLimited,
                408 => C::Timeout,
                500..=599 => C::ServerError,
                _ => C::PermanentFailure,
            },
            Self::Timeout => C::Timeout,
            Self::Parameter(_) => C::InvalidParameters,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) | Self::Redirect(refusal) => refusal.code(),
            Self::NoLocation(_) => "no_location",
            Self::TooManyRedirects { .. } => "too_many_redirects",
            Self::Connect { .. } => "not_connected",
            Self::Certificate { .. } => "certificate_not_valid",
            Self::Tls { .. } => "tls_failed",
            Self::Http(_) => "broken_answer",
            Self::Status { .. } => "http_status",
            Self::Encoding(_) => "encoding_not_supported",
            Self::Compression(_) => "broken_compression",
            Self::Timeout => "timeout",
            Self::Binary { .. } => "binary",
            Self::Pdf(_) => "pdf_not_read",
            Self::Parameter(_) => "invalid_parameter",
        }
    }

    /// Whether the error is permanent and caused by the page. A certificate error may be caused by
    /// this machine.
    fn is_of_the_page(&self) -> bool {
        self.category() == ToolErrorCategory::PermanentFailure && !matches!(self, Self::Certificate { .. })
    }

    fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Refused(Refusal::Scheme(_)) => Some("Use the `https` URL of the page."),
            Self::Refused(Refusal::Address { .. } | Refusal::Name(_)) => {
                Some("Only public hosts can be fetched; reach a local service with a command instead.")
            }
            Self::Certificate { .. } => Some("The page cannot be trusted; use another source."),
            Self::Binary { .. } | Self::Pdf(_) => Some("Look for a page that has the same as text."),
            Self::Timeout => Some("Try again once, or use another source."),
            _ => None,
        }
    }
}

fn of_refusal(refusal: &Refusal, by_redirect: bool) -> ToolErrorCategory {
    use ToolErrorCategory as C;
    match refusal {
        Refusal::Malformed(_) if by_redirect => C::PermanentFailure,
        Refusal::Malformed(_) => C::InvalidParameters,
        Refusal::LookupFailed => C::NetworkError,
        Refusal::LookupTimeout => C::Timeout,
        Refusal::NoAnswer => C::PermanentFailure,
        _ => C::PolicyBlocked,
    }
}

impl From<DialError> for WebError {
    fn from(error: DialError) -> Self {
        match error {
            DialError::Refused(refusal) => Self::Refused(refusal),
            DialError::Connect { host, source } => Self::Connect { host, source },
        }
    }
}

impl From<WebError> for ToolError {
    fn from(error: WebError) -> Self {
        let mut made = Self::new(error.category(), error.code(), error.to_string());
        if let Some(advice) = error.advice() {
            made = made.with_suggestion(advice);
        }
        if error.is_of_the_page() {
            made = made.with_detail(ErrorDetail::OfTheCall);
        }
        if let WebError::Status { retry_after: Some(delay), .. } = &error {
            made = made.with_retry_after(*delay);
        }
        made.with_source(error)
    }
}
