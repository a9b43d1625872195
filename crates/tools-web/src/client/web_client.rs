//! A page by its URL: each hop through every check, at most three redirects, one deadline over all
//! of it.

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

/// Redirects that are followed.
const MAX_REDIRECTS: usize = 3;

/// Gets pages. One for all calls: connections are not kept, TLS sessions and look-ups are.
pub struct WebClient {
    guard: Guard,
    dialer: Arc<dyn Dialer>,
    tls: TlsClient,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The URL that answered, after redirects.
    pub url: PageUrl,
    /// Number of redirects that were followed.
    pub redirects: usize,
    /// The status; 2xx, or 304 for a request that named what is known already.
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

    /// A client with a way of its own to vetted addresses, and certificates of its own: for tests
    /// over loopback.
    #[cfg(any(test, feature = "test-support"))]
    pub fn with_parts(guard: Guard, dialer: Arc<dyn Dialer>, roots: tools_tls::RootCertStore) -> Self {
        Self { guard, dialer, tls: TlsClient::trusting(roots) }
    }

    /// Gets a URL.
    ///
    /// # Errors
    /// A refusal of the guard, a failure on the way, a status of 400 and more, or the end of the
    /// time.
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

/// Where a redirect leads; `None` when the answer is none.
fn location(answered: &ResponseHead) -> Result<Option<&str>, WebError> {
    if !matches!(answered.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let location = answered.header(&header::LOCATION).filter(|text| !text.trim().is_empty());
    location.map(Some).ok_or(WebError::NoLocation(answered.status))
}

/// Seconds only: a date would need this machine's clock to be right.
fn retry_after(answered: &ResponseHead) -> Option<Duration> {
    let seconds: u64 = answered.header(&header::RETRY_AFTER)?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.min(3600)))
}
