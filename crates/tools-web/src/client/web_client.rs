//! Gets a page by its URL: every check runs for each redirect, at most three redirects are
//! followed, and one deadline covers the whole request.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;
use hyper::header;
use tokio::time::timeout_at;
use tools_egress::dial::{Dialer, Tcp};
use tools_tls::TlsClient;

use super::Body;
use super::exchange::{ResponseHead, exchange};
use super::request::Request;
use crate::error::WebError;
use crate::guard::{Guard, PageUrl, SystemResolver};

/// Maximum number of redirects.
const MAX_REDIRECTS: usize = 3;

/// Gets pages. All calls share one client: it keeps TLS sessions and look-ups, but no connections.
pub struct WebClient {
    guard: Guard,
    dialer: Arc<dyn Dialer>,
    tls: TlsClient,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The URL that answered, after redirects.
    pub url: PageUrl,
    /// Number of redirects that were followed.
    pub redirects: usize,
    /// The status: 2xx, or 304 when the request named a copy that the caller has.
    pub status: u16,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub modified: Option<String>,
    /// The body.
    pub body: Body,
}

impl fmt::Debug for WebClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebClient").finish_non_exhaustive()
    }
}

impl Default for WebClient {
    fn default() -> Self {
        Self::new()
    }
}

impl WebClient {
    /// A client with the name servers and the trusted certificates of this machine.
    pub fn new() -> Self {
        Self { guard: Guard::new(Arc::new(SystemResolver::new())), dialer: Arc::new(Tcp), tls: TlsClient::default() }
    }

    /// A client with its own dialer and certificates, for tests over loopback.
    #[cfg(any(test, feature = "test-support"))]
    pub fn with_parts(guard: Guard, dialer: Arc<dyn Dialer>, roots: tools_tls::RootCertStore) -> Self {
        Self { guard, dialer, tls: TlsClient::trusting(roots) }
    }

    /// Gets a URL.
    ///
    /// # Errors
    /// A refusal of the guard, a network failure, a status of 400 or more, or a timeout.
    pub async fn get(&self, url: PageUrl, request: &Request<'_>) -> Result<Fetched, WebError> {
        timeout_at(request.deadline, self.follow(url, request)).await.unwrap_or(Err(WebError::Timeout))
    }

    async fn follow(&self, mut url: PageUrl, request: &Request<'_>) -> Result<Fetched, WebError> {
        let mut redirects = 0;
        loop {
            let vetted = self.guard.vet(url.host(), url.port()).await?;
            let answered = exchange((self.dialer.as_ref(), &self.tls), &vetted, &url, request).await?;
            let Some(location) = location(&answered)? else {
                return Self::fetched((url, redirects), answered, request).await;
            };
            if redirects == MAX_REDIRECTS {
                return Err(WebError::TooManyRedirects { most: MAX_REDIRECTS });
            }
            redirects += 1;
            let next = request.rules.follow(&url, location).map_err(WebError::Redirect)?;
            (request.may_follow)(&next).map_err(WebError::Redirect)?;
            url = next;
        }
    }

    async fn fetched(
        (url, redirects): (PageUrl, usize),
        answered: ResponseHead,
        request: &Request<'_>,
    ) -> Result<Fetched, WebError> {
        let is_known =
            answered.status == StatusCode::NOT_MODIFIED && (request.etag.is_some() || request.modified.is_some());
        if !answered.status.is_success() && !is_known {
            return Err(WebError::Status { status: answered.status, retry_after: retry_after(&answered) });
        }
        let (answered, body) = answered.read(request.most).await?;
        let text = |name| answered.header(&name).map(str::to_owned);
        Ok(Fetched {
            status: answered.status.as_u16(),
            content_type: text(header::CONTENT_TYPE),
            etag: text(header::ETAG),
            modified: text(header::LAST_MODIFIED),
            url,
            redirects,
            body,
        })
    }
}

/// Target of a redirect; `None` when the response is not a redirect.
fn location(answered: &ResponseHead) -> Result<Option<&str>, WebError> {
    if !matches!(answered.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = answered.header(&header::LOCATION).filter(|text| !text.trim().is_empty());
    location.map(Some).ok_or(WebError::NoLocation(answered.status))
}

/// The `Retry-After` header in seconds. A date is ignored: it needs a correct clock on this
/// machine.
fn retry_after(answered: &ResponseHead) -> Option<Duration> {
    let seconds: u64 = answered.header(&header::RETRY_AFTER)?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.min(3600)))
}
