//! Interface for removing credentials from text before anyone else sees it.

use std::{borrow::Cow, fmt, io::Read, ops::Range, path::Path, sync::Arc};

use serde_json::Value;

use super::visible_lines;
use crate::{SessionId, Shared, with_texts};

/// Removes credentials from text. Called by the audit layer, by event sinks and by code that prints
/// errors.
pub trait Redactor: Send + Sync {
    /// The text with each credential replaced by a placeholder; borrowed if there was none.
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str>;

    /// The redactor of one session, where the same credential always has the same placeholder;
    /// `None` if this one knows no sessions, or belongs to one already.
    fn in_session(&self, _: &SessionId) -> Option<Arc<dyn Redactor>> {
        None
    }

    /// The byte ranges of credentials in a text of the file `origin` in a session: in order,
    /// without overlap, each within its line. [`Redactor::reading`] replaces the same ranges.
    fn credentials(&self, session: &SessionId, origin: &Path, text: &str) -> Vec<Range<usize>> {
        let _ = (session, origin, text);
        Vec::new()
    }

    /// The text of the file `origin` as read in a session, without credentials and with the same
    /// lines. The placeholders may be written back into that file.
    fn reading<'a>(&self, session: &SessionId, origin: &Path, text: Box<dyn Read + 'a>) -> Box<dyn Read + 'a> {
        let _ = (session, origin);
        text
    }

    /// Redacts every string of a JSON value, keys included, at any depth.
    fn redact_json(&self, value: &Value) -> Value {
        with_texts(value, &|text| self.redact(text))
    }
}

impl fmt::Debug for dyn Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redactor")
    }
}

/// Redacts with the value in force when a text comes.
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
    // Credentials first: they would not be recognised after escaping.
    visible_lines(&redactor.redact(text)).into_owned()
}

/// Leaves text unchanged: for tests, and for operators who turned redaction off. Memories, tasks
/// and records then hold credentials like any other text.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRedaction;

impl Redactor for NoRedaction {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(text)
    }
}
