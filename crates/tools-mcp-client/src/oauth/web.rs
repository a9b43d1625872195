//! Requests to addresses that servers name: every address is checked, redirects are not followed,
//! and every answer is limited in size and time.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Method, Request};
use serde_json::Value;
use tokio::time::timeout;
use url::Url;

use super::fault::LoginError;
use crate::error::shown;
use crate::http::{HttpFault, Lease, Net, Place, Wire, whole};

/// Maximum size of an answer in bytes.
const MAX_ANSWER_BYTES: usize = 256 << 10;
/// Time limit for a complete answer.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const JSON: &str = "application/json";
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// The body, if it is JSON.
    pub(crate) json: Option<Value>,
}

impl Answer {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// A request.
pub(crate) struct Ask<'a> {
    /// Name of the request in errors.
    pub(crate) what: &'static str,
    pub(crate) url: &'a str,
    /// Content type and body; `None` without a body.
    pub(crate) body: Option<(&'static str, String)>,
    pub(crate) authorization: Option<String>,
    /// Accepted content types.
    pub(crate) accept: &'static str,
}

impl<'a> Ask<'a> {
    /// A `GET` request.
    pub(crate) fn get(what: &'static str, url: &'a str) -> Self {
        Self { what, url, body: None, authorization: None, accept: JSON }
    }

    /// A `POST` request.
    pub(crate) fn post(what: &'static str, url: &'a str, kind: &'static str, body: String) -> Self {
        Self { body: Some((kind, body)), ..Self::get(what, url) }
    }
}

/// Client for addresses that a server names.
pub(crate) struct Web {
    /// Created at the first request: most sessions never need it.
    net: OnceLock<Arc<Net>>,
    /// Address of the server that names them.
    own: Place,
    private: bool,
}

impl Web {
    /// For the server at this configured address.
    pub(crate) fn new(url: &str, private: bool) -> Result<Self, LoginError> {
        let own = Place::parse(url, private).map_err(LoginError::Config)?;
        Ok(Self { net: OnceLock::new(), own, private })
    }

    fn net(&self) -> &Arc<Net> {
        self.net.get_or_init(Arc::default)
    }

    fn place(&self, what: &'static str, url: &str) -> Result<Place, LoginError> {
        let place = Place::named(url, &self.own, self.private);
        place.map_err(|problem| LoginError::Address { what, problem: shown(&problem) })
    }

    /// Whether a server may name this address at all.
    pub(crate) fn check(&self, what: &'static str, url: &str) -> Result<(), LoginError> {
        self.place(what, url).map(drop)
    }

    /// Checks an address that the browser will open.
    pub(crate) async fn judge(&self, what: &'static str, url: &str) -> Result<Url, LoginError> {
        let place = self.place(what, url)?;
        let judged = self.net().judge(&place).await;
        judged.map_err(|refusal| LoginError::Address { what, problem: refusal.to_string() })?;
        Url::parse(url).map_err(|error| LoginError::Address { what, problem: error.to_string() })
    }

    /// Sends a request, and reads the whole answer.
    pub(crate) async fn ask(&self, ask: Ask<'_>) -> Result<Answer, LoginError> {
        let (what, place, request) = self.judged(ask)?;
        let answered = async {
            let (head, body, lease) = self.sent(place, request).await?;
            let text = whole(body, lease, MAX_ANSWER_BYTES).await?;
            Ok(Answer { json: serde_json::from_slice(&text).ok(), ..head })
        };
        in_time(what, answered).await
    }

    /// Sends a request, and reads only the head of the answer: its body may be an endless stream.
    pub(crate) async fn head(&self, ask: Ask<'_>) -> Result<Answer, LoginError> {
        let (what, place, request) = self.judged(ask)?;
        in_time(what, async { self.sent(place, request).await.map(|(head, ..)| head) }).await
    }

    fn judged(&self, ask: Ask<'_>) -> Result<(&'static str, Place, Request<Full<Bytes>>), LoginError> {
        let what = ask.what;
        let place = self.place(what, ask.url)?;
        let unsent = || LoginError::Answer { what, problem: "the request cannot be sent".to_owned() };
        let request = request(&place, ask).ok_or_else(unsent)?;
        Ok((what, place, request))
    }

    async fn sent(&self, place: Place, request: Request<Full<Bytes>>) -> Result<(Answer, Incoming, Lease), HttpFault> {
        let (response, lease) = Wire::new(place, Arc::clone(self.net())).send(request, PATIENCE).await?;
        let (head, body) = response.into_parts();
        Ok((Answer { status: head.status.as_u16(), headers: head.headers, json: None }, body, lease))
    }
}

async fn in_time(
    what: &'static str,
    answered: impl Future<Output = Result<Answer, HttpFault>>,
) -> Result<Answer, LoginError> {
    let failed = |problem: String| LoginError::Answer { what, problem };
    let answered = timeout(PATIENCE, answered).await;
    let answered = answered.map_err(|_| failed(format!("no answer within {} s", PATIENCE.as_secs())))?;
    answered.map_err(|fault| match fault {
        HttpFault::Refused(refusal) => LoginError::Address { what, problem: refusal.to_string() },
        other => failed(other.to_string()),
    })
}

/// The HTTP request; `None` if it is invalid.
fn request(place: &Place, ask: Ask<'_>) -> Option<Request<Full<Bytes>>> {
    let mut request = Request::builder()
        .method(if ask.body.is_some() { Method::POST } else { Method::GET })
        .uri(&place.target)
        .header(header::HOST, &place.authority)
        .header(header::USER_AGENT, concat!("haft/", env!("CARGO_PKG_VERSION")))
        .header(header::ACCEPT, ask.accept);
    if let Some(text) = ask.authorization {
        let mut value = HeaderValue::from_str(&text).ok()?;
        value.set_sensitive(true);
        request = request.header(header::AUTHORIZATION, value);
    }
    let (kind, body) = ask.body.unzip();
    if let Some(kind) = kind {
        request = request.header(header::CONTENT_TYPE, kind);
    }
    request.body(Full::new(Bytes::from(body.unwrap_or_default()))).ok()
}
