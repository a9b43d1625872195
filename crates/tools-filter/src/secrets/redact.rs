//! Placeholders in the place of credentials.

use std::{borrow::Cow, collections::HashMap, fmt::Write as _};

use serde_json::{Map, Value};
use tools_core::Redactor;

use super::{
    KnownValues,
    name::is_credential_key,
    scan::{Finding, scan},
    value::is_secret,
};

/// Puts `«secret:KIND#N»` in the place of each credential; the same value has the same number throughout a text.
#[derive(Debug, Clone, Default)]
pub struct SecretRedactor {
    known: KnownValues,
}

impl SecretRedactor {
    /// The same redactor that also takes out these values.
    pub fn knowing(self, known: KnownValues) -> Self {
        Self { known }
    }

    /// The credentials in a text, known values included.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        let mut findings = scan(text);
        let known = self.known.find(text);
        if known.is_empty() {
            return findings;
        }
        findings.extend(known);
        findings.sort_by_key(|finding| (finding.start, std::cmp::Reverse(finding.end)));
        findings.dedup_by(|next, kept| {
            let overlaps = next.start < kept.end;
            if overlaps {
                kept.end = kept.end.max(next.end);
            }
            overlaps
        });
        findings
    }
}

impl Redactor for SecretRedactor {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let findings = self.find(text);
        if findings.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut numbers = HashMap::new();
        let mut redacted = String::with_capacity(text.len());
        let mut copied = 0;
        for Finding { start, end, kind } in findings {
            let next = numbers.len() + 1;
            let number = *numbers.entry(&text[start..end]).or_insert(next);
            redacted.push_str(&text[copied..start]);
            // Writing to a `String` cannot fail.
            let _ = write!(redacted, "«secret:{kind}#{number}»");
            copied = end;
        }
        redacted.push_str(&text[copied..]);
        Cow::Owned(redacted)
    }

    fn redact_json(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(text).into_owned()),
            Value::Array(items) => items.iter().map(|item| self.redact_json(item)).collect(),
            Value::Object(members) => {
                Value::Object(members.iter().map(|member| self.member(member)).collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }
}

impl SecretRedactor {
    /// In a JSON value the name stands apart from the text: it is looked at here.
    fn member(&self, (name, value): (&String, &Value)) -> (String, Value) {
        let redacted = match value {
            Value::String(text) if is_credential_key(name) && is_secret(text) => {
                Value::String("«secret:value#1»".to_owned())
            }
            other => self.redact_json(other),
        };
        (self.redact(name).into_owned(), redacted)
    }
}
