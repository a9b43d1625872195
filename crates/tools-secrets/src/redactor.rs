//! The redactor's interface for other crates.

use std::{borrow::Cow, io::Read, ops::Range, path::Path, sync::Arc};

use serde_json::Value;
use tools_core::{Redactor, SessionId};

use crate::{SecretRedactor, reader::RedactingReader, redact::Tally};

impl Redactor for SecretRedactor {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.redact_counting(text, &mut Tally::default())
    }

    fn redact_json(&self, value: &Value) -> Value {
        self.redact_json_counting(value, &mut Tally::default())
    }

    fn reading<'a>(&self, session: &SessionId, origin: &Path, text: Box<dyn Read + 'a>) -> Box<dyn Read + 'a> {
        let redactor = if self.vault.is_some() { self.clone() } else { self.of_session(session) };
        Box::new(RedactingReader::new(text, redactor.at(origin)))
    }

    fn credentials(&self, session: &SessionId, origin: &Path, text: &str) -> Vec<Range<usize>> {
        let redactor = if self.vault.is_some() { self.clone() } else { self.of_session(session) };
        redactor.at(origin).replaced_parts(text)
    }

    fn in_session(&self, session: &SessionId) -> Option<Arc<dyn Redactor>> {
        match self.vault {
            Some(_) => None,
            None => Some(Arc::new(self.of_session(session))),
        }
    }
}
