//! The seam through which credentials are taken out of text before anyone else sees it.

use std::{borrow::Cow, fmt, io::Read, ops::Range, path::Path, sync::Arc};

use serde_json::Value;

use super::visible_lines;
use crate::{SessionId, Shared, with_texts};

/// Takes credentials out of text. Called by the audit layer, by event sinks and by whatever prints
/// errors.
pub trait Redactor: Send + Sync {
    /// The text with each credential replaced by a placeholder; borrowed when there was none.
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str>;

    /// The redactor of one session, where the same credential has the same placeholder throughout;
    /// `None` when this one knows no sessions, or is one already.
    fn in_session(&self, _: &SessionId) -> Option<Arc<dyn Redactor>> {
        None
    }

    /// Where the credentials of a text of the file `origin` are in a session, in bytes: in order,
    /// none over another, each within its line. As [`Redactor::reading`] replaces them.
    fn credentials(&self, session: &SessionId, origin: &Path, text: &str) -> Vec<Range<usize>> {
        let _ = (session, origin, text);
        Vec::new()
    }

    /// The text of the file `origin` as it is read in a session, without credentials and with the
    /// same lines. What stands in the place of one may be put back into that file.
    fn reading<'a>(&self, session: &SessionId, origin: &Path, text: Box<dyn Read + 'a>) -> Box<dyn Read + 'a> {
        let _ = (session, origin);
        text
    }

    /// The same for every string of a JSON value, keys included, at any depth.
    fn redact_json(&self, value: &Value) -> Value {
        with_texts(value, &|text| self.redact(text))
    }
}

impl fmt::Debug for dyn Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

/// Redacts as the value does that is in force when a text comes.
impl<R: Redactor> Redactor for Shared<R> {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.load().redact(text)
    }

    fn in_session(&self, session: &SessionId) -> Option<Arc<dyn Redactor>> {
        self.load().in_session(session)
    }

    fn credentials(&self, session: &SessionId, origin: &Path, text: &str) -> Vec<Range<usize>> {
        self.load().credentials(session, origin, text)
    }

    fn reading<'a>(&self, session: &SessionId, origin: &Path, text: Box<dyn Read + 'a>) -> Box<dyn Read + 'a> {
        self.load().reading(session, origin, text)
    }

    fn redact_json(&self, value: &Value) -> Value {
        self.load().redact_json(value)
    }
}

/// Text from an untrusted source, made safe for a definition, a log or a question: credentials are
/// replaced and hidden characters made visible. Line breaks and tabs stay.
pub fn redacted_lines(redactor: &dyn Redactor, text: &str) -> String {
    // Credentials first: what is written otherwise is no longer found.
    visible_lines(&redactor.redact(text)).into_owned()
}

/// Leaves text as it is: for tests, and for operators who turned redaction off. Memories, tasks and
/// records then hold credentials like any other text.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRedaction;

impl Redactor for NoRedaction {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }
}
