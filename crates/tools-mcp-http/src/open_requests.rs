//! Requests in progress. No two of a session may share an id, since the first one's answer would be
//! lost.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::{HeaderMap, Response};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;
use tokio_util::task::AbortOnDropHandle;
use tools_core::Locked as _;

use crate::headers::SESSION;
use crate::refusal::{Answer, Refusal};
use crate::sessions::Sessions;

/// Session and id of each request.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenRequests(Arc<Mutex<HashSet<(String, String)>>>);

/// A request in progress, until this is dropped.
#[derive(Debug)]
pub(crate) struct OpenRequest {
    key: (String, String),
    all: OpenRequests,
    /// Keeps its session alive in the meantime.
    busy: Option<AbortOnDropHandle<()>>,
}

/// Parts of a message that show whether it expects an answer.
#[derive(Deserialize)]
struct Head {
    id: Option<Value>,
    method: Option<IgnoredAny>,
}

impl OpenRequests {
    /// Registers a request until its answer is sent. `None` for a message that expects no answer or
    /// belongs to no session.
    ///
    /// # Errors
    /// [`Refusal::Unanswered`] if a request with the same id is in progress.
    pub(crate) fn begin(&self, headers: &HeaderMap, message: &Bytes) -> Result<Option<OpenRequest>, Refusal> {
        let session = headers.get(SESSION).and_then(|session| session.to_str().ok());
        let head = serde_json::from_slice::<Head>(message).ok();
        let Some((session, Head { id: Some(id), method: Some(_) })) = session.zip(head) else { return Ok(None) };
        let key = (session.to_owned(), id.to_string());
        if self.with(|all| all.insert(key.clone())) {
            return Ok(Some(OpenRequest { key, all: self.clone(), busy: None }));
        }
        Err(Refusal::Unanswered(id))
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashSet<(String, String)>) -> T) -> T {
        work(&mut self.0.locked())
    }
}

impl OpenRequest {
    /// Keeps its session from becoming idle.
    pub(crate) fn keeping(mut self, sessions: &Arc<Sessions>) -> Self {
        self.busy = Some(sessions.busy(self.key.0.as_str().into()));
        self
    }

    /// Wraps the answer, which holds the request until it is sent completely or dropped.
    pub(crate) fn answered(self, answer: Answer) -> Answer {
        let (parts, sent) = answer.into_parts();
        let held = sent.map_frame(move |frame| {
            let _ = &self;
            frame
        });
        Response::from_parts(parts, held.boxed())
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.all.with(|all| all.remove(&self.key));
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn an_id_is_taken_until_its_answer_is_sent() {
        let open = OpenRequests::default();
        let headers = |session: &'static str| {
            HeaderMap::from_iter([(hyper::header::HeaderName::from_static(SESSION), HeaderValue::from_static(session))])
        };
        let begin = |session, text: &'static str| open.begin(&headers(session), &Bytes::from_static(text.as_bytes()));
        let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#;
        let first = begin("a", call).unwrap().unwrap();
        assert!(begin("a", call).is_err());
        assert!(begin("b", call).unwrap().is_some(), "another session");
        assert!(begin("a", r#"{"id":"7","method":"x"}"#).unwrap().is_some(), "a text is another id");
        for other in [r#"{"id":7,"result":{}}"#, r#"{"method":"notifications/x"}"#, "[]", "no JSON"] {
            assert!(begin("a", other).unwrap().is_none(), "{other}");
        }
        let answer = first.answered(Refusal::Path.answer());
        assert!(begin("a", call).is_err(), "its answer is still being sent");
        drop(answer);
        assert!(begin("a", call).unwrap().is_some());
    }
}
