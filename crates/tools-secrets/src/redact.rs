//! Replaces credentials with placeholders.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};
use tools_core::{ServerName, SessionId, is_credential_key};

use crate::displayed_text::DisplayedText;
use crate::finding::{Finding, Heading};
use crate::scan::{merged, scan_with};
use crate::value::is_secret;
use crate::vault::{SessionVaults, Vault};
use crate::{ExtraPatterns, KnownValues, SecretMove, UnknownPlaceholder, key_material, placeholder};

type LazyValues = Arc<LazyLock<KnownValues, Box<dyn FnOnce() -> KnownValues + Send>>>;

/// Replaces each credential with `«secret:KIND#N»`. The same value has the same number throughout a
/// text. Existing placeholders stay.
///
/// The redactor of a session keeps the numbers throughout the session, adds an unguessable mark to
/// placeholders (`«secret:KIND#N·MARK»`), finds a replaced value again in any later text, and can
/// restore it.
///
/// A text keeps its lines: if a key spans several lines, each has its own placeholder.
#[derive(Clone, Default)]
pub struct SecretRedactor {
    known: Option<LazyValues>,
    extra: ExtraPatterns,
    shelf: Arc<SessionVaults>,
    pub(crate) vault: Option<Arc<Vault>>,
    origin: Option<Arc<Path>>,
}

/// Number of credentials found, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<&'static str, usize>);

impl Tally {
    /// Whether there was none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their total number.
    pub fn total(&self) -> usize {
        self.0.values().sum()
    }

    /// The number of each kind.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.0.iter().map(|(kind, count)| (*kind, *count))
    }

    /// Adds one of a kind.
    pub fn add(&mut self, kind: &'static str) {
        *self.0.entry(kind).or_default() += 1;
    }

    /// Adds these numbers of each kind.
    pub(crate) fn add_all(&mut self, kinds: &[(&'static str, usize)]) {
        for (kind, count) in kinds {
            *self.0.entry(kind).or_default() += count;
        }
    }
}

/// `2 key, 1 password`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (kind, count)) in self.kinds().enumerate() {
            write!(f, "{}{count} {kind}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl SecretRedactor {
    /// The same redactor that also removes these values.
    pub fn knowing(self, known: KnownValues) -> Self {
        self.knowing_later(move || known)
    }

    /// The same with values that are computed when the first text arrives.
    pub fn knowing_later(self, known: impl FnOnce() -> KnownValues + Send + 'static) -> Self {
        Self { known: Some(Arc::new(LazyLock::new(Box::new(known)))), ..self }
    }

    /// The same redactor that also removes matches of these patterns.
    pub fn with_extra(self, extra: ExtraPatterns) -> Self {
        Self { extra, ..self }
    }

    /// The same redactor for one of several servers: its placeholders end in the server's name, so
    /// that another server can say where to restore them. Forgets all sessions.
    pub fn at_server(self, server: Option<ServerName>) -> Self {
        Self { shelf: Arc::new(SessionVaults::at_server(server)), ..self }
    }

    /// The redactor of one session. Redactors of the same session share their placeholders; those
    /// of different sessions share none.
    pub fn of_session(&self, session: &SessionId) -> Self {
        Self { vault: Some(self.shelf.of(session)), ..self.clone() }
    }

    /// Forgets a session that has ended: its placeholders can no longer be restored.
    pub fn forget(&self, session: &SessionId) {
        self.shelf.forget(session);
    }

    /// A redactor that numbers credentials throughout many texts, and whose placeholders cannot be
    /// restored.
    pub fn numbering(&self) -> Self {
        Self { vault: Some(Arc::default()), ..self.clone() }
    }

    /// The same redactor for the text of this file: what it replaces may be restored there.
    pub fn at(&self, origin: &Path) -> Self {
        Self { origin: Some(origin.into()), ..self.clone() }
    }

    /// The credentials in a text, including known values and matches of the operator's patterns.
    /// Parts of placeholders are not reported.
    pub fn find(&self, text: &str) -> Vec<Finding> {
        self.find_with(text, &mut |_| {})
    }

    /// Like `find`, but also reports headings: lines that describe the lines below them. A text
    /// with control characters is also searched in its displayed form.
    pub(crate) fn find_with(&self, text: &str, tell: &mut dyn FnMut(Heading)) -> Vec<Finding> {
        let findings = self.find_as_it_stands(text, tell);
        let Some(shown) = DisplayedText::of(text) else { return findings };
        let in_shown = self.find_as_it_stands(&shown.text, &mut |heading| tell(shown.heading(&heading)));
        merged(findings.into_iter().chain(in_shown.into_iter().map(|finding| shown.finding(finding))).collect())
    }

    fn find_as_it_stands(&self, text: &str, tell: &mut dyn FnMut(Heading)) -> Vec<Finding> {
        let mut findings = scan_with(text, tell);
        let found = findings.len();
        self.extra.find(text, &mut findings);
        if findings.len() > found {
            findings = merged(findings);
        }
        self.beside_known(text, findings)
    }

    /// Known values and the other findings, without parts of placeholders.
    fn beside_known(&self, text: &str, mut findings: Vec<Finding>) -> Vec<Finding> {
        let mut known = Vec::new();
        if let Some(vault) = &self.vault {
            vault.find(text, &mut known);
        }
        if let Some(values) = &self.known {
            values.find(text, &mut known);
        }
        let known = merged(known);
        if !known.is_empty() {
            // A known value keeps its own placeholder, whatever contains it.
            let ranges: Vec<Range<usize>> = known.iter().map(|finding| finding.start..finding.end).collect();
            findings = findings.into_iter().flat_map(|finding| outside(finding, &ranges, REST)).chain(known).collect();
            findings.sort_by_key(|finding| finding.start);
        }
        if !findings.is_empty() {
            // Text between placeholders may be the rest of a partly replaced value.
            let placeholders = placeholder::ranges(text).filter(|range| self.is_own(&text[range.clone()]));
            let placeholders: Vec<Range<usize>> = placeholders.collect();
            if !placeholders.is_empty() {
                findings =
                    findings.into_iter().flat_map(|finding| outside(finding, &placeholders, MIN_REST_BYTES)).collect();
            }
        }
        findings
    }

    fn is_own(&self, placeholder: &str) -> bool {
        self.vault.as_ref().is_none_or(|vault| vault.has(placeholder))
    }

    /// Assigns placeholders to these findings, then searches the text again: a new value may also
    /// occur elsewhere in it.
    fn noted(&self, vault: &Vault, text: &str, findings: Vec<Finding>) -> Vec<Finding> {
        let before = vault.values();
        for finding in &findings {
            for part in parts(text, *finding) {
                self.named(vault, &text[part], finding.kind);
            }
        }
        if vault.values() == before {
            findings
        } else if DisplayedText::of(text).is_some() {
            self.find(text)
        } else {
            self.beside_known(text, findings)
        }
    }

    /// The parts of a text that placeholders would replace.
    pub(crate) fn replaced_parts(&self, text: &str) -> Vec<Range<usize>> {
        let findings = self.noted(&self.vault(), text, self.find(text));
        findings.into_iter().flat_map(|finding| parts(text, finding)).collect()
    }

    /// Like [`tools_core::Redactor::redact`], and counts.
    pub fn redact_counting<'a>(&self, text: &'a str, tally: &mut Tally) -> Cow<'a, str> {
        let findings = self.find(text);
        if findings.is_empty() {
            return Cow::Borrowed(text);
        }
        let vault = self.vault();
        let findings = self.noted(&vault, text, findings);
        let mut redacted = String::with_capacity(text.len());
        let mut copied = 0;
        for finding in findings {
            tally.add(finding.kind);
            for part in parts(text, finding) {
                redacted.push_str(&text[copied..part.start]);
                redacted.push_str(&self.named(&vault, &text[part.clone()], finding.kind));
                copied = part.end;
            }
        }
        redacted.push_str(&text[copied..]);
        Cow::Owned(redacted)
    }

    /// Like [`tools_core::Redactor::redact_json`], and counts.
    pub fn redact_json_counting(&self, value: &Value, tally: &mut Tally) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact_counting(text, tally).into_owned()),
            Value::Array(items) => items.iter().map(|item| self.redact_json_counting(item, tally)).collect(),
            Value::Object(members) => {
                Value::Object(members.iter().map(|member| self.member(member, tally)).collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }

    /// In JSON the name is separate from the text, so it is checked here.
    pub(crate) fn member(&self, (name, value): (&String, &Value), tally: &mut Tally) -> (String, Value) {
        let redacted = match value {
            Value::String(text)
                if is_credential_key(name) && is_secret(text) && placeholder::ranges(text).next().is_none() =>
            {
                let redacted = self.redact_counting(text, tally);
                match redacted {
                    Cow::Owned(text) => Value::String(text),
                    Cow::Borrowed(text) => {
                        tally.add("value");
                        Value::String(self.placeholder("value", text))
                    }
                }
            }
            other => self.redact_json_counting(other, tally),
        };
        (self.redact_counting(name, tally).into_owned(), redacted)
    }

    /// The session's placeholders, or those of one text.
    fn vault(&self) -> Arc<Vault> {
        self.vault.clone().unwrap_or_default()
    }

    pub(crate) fn placeholder(&self, kind: &'static str, value: &str) -> String {
        self.vault().placeholder(kind, value, self.origin.as_deref()).as_ref().to_owned()
    }

    /// The placeholder of a value. A value with control characters is restored with them, and also
    /// recognised without them.
    fn named(&self, vault: &Vault, value: &str, kind: &'static str) -> Arc<str> {
        let placeholder = vault.placeholder(kind, value, self.origin.as_deref());
        if let Some(shown) = DisplayedText::of(value) {
            vault.placeholder(kind, &shown.text, self.origin.as_deref());
        }
        placeholder
    }

    /// The placeholder for a found credential.
    pub fn replaced(&self, value: &str, kind: &'static str) -> String {
        let vault = self.vault();
        let whole = Finding { start: 0, end: value.len(), kind, rule: "" };
        let mut replaced = String::new();
        let mut copied = 0;
        for part in parts(value, whole) {
            replaced.push_str(&value[copied..part.start]);
            replaced.push_str(&self.named(&vault, &value[part.clone()], kind));
            copied = part.end;
        }
        replaced.push_str(&value[copied..]);
        replaced
    }

    /// The text with this session's placeholders replaced by their credentials, and look-alikes in
    /// their original form. Does not check the destination: see [`SecretRedactor::asks`].
    ///
    /// # Errors
    /// The first placeholder that is unknown in this session; without a session, every placeholder.
    pub fn restore<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, UnknownPlaceholder> {
        self.vault().restore(text)
    }

    /// The text with each look-alike that is not a placeholder of this session marked
    /// (`«literal:secret:…»`).
    pub fn escape<'a>(&self, text: &'a str) -> Cow<'a, str> {
        placeholder::escaped(text, |found| self.is_own(found))
    }

    /// The kinds of placeholders that a text has already, because a tool redacted it itself.
    pub(crate) fn kinds_in(&self, text: &str) -> Vec<&'static str> {
        self.vault.as_ref().map(|vault| vault.kinds_in(text)).unwrap_or_default()
    }

    /// The credentials of a text for `destination` that came from elsewhere.
    pub(crate) fn moves_of(&self, text: &str, destination: &Path) -> Vec<SecretMove> {
        self.vault.as_ref().map(|vault| vault.moves(text, destination)).unwrap_or_default()
    }
}

impl fmt::Debug for SecretRedactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretRedactor").field("is_of_session", &self.vault.is_some()).finish_non_exhaustive()
    }
}

/// Minimum bytes of the rest of a finding between placeholders; less is punctuation.
const MIN_REST_BYTES: usize = 16;
/// Minimum bytes of the rest of a finding beside a known value.
const REST: usize = 4;

/// The parts of a finding outside of these ranges, if they have at least `least` bytes.
fn outside(finding: Finding, placeholders: &[Range<usize>], least: usize) -> Vec<Finding> {
    let first = placeholders.partition_point(|range| range.end <= finding.start);
    let inside = placeholders[first..].iter().take_while(|range| range.start < finding.end);
    let mut left = Vec::new();
    let mut start = finding.start;
    let mut is_cut = false;
    for range in inside {
        left.push(Finding { start, end: range.start.max(start), ..finding });
        start = range.end;
        is_cut = true;
    }
    left.push(Finding { start: start.min(finding.end), ..finding });
    left.retain(|part| part.start < part.end && (!is_cut || part.end - part.start >= least));
    left
}

/// The replaced parts of a finding: for several lines, the content of each line.
fn parts(text: &str, finding: Finding) -> Vec<Range<usize>> {
    let value = &text[finding.start..finding.end];
    if finding.kind != "private-key" && !value.contains('\n') {
        return vec![Range { start: finding.start, end: finding.end }];
    }
    let mut start = finding.start;
    let mut parts = Vec::new();
    for line in value.split_inclusive('\n') {
        let content = key_material::content(line);
        // Headers of an armoured key are not part of it.
        if !content.is_empty() && !key_material::is_header(&line[content.clone()]) {
            parts.push(start + content.start..start + content.end);
        }
        start += line.len();
    }
    parts
}
