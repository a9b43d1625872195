//! The layer that removes credentials from everything a tool returns, before anything else sees it,
//! and restores them in content for files. Outer layers see only placeholders.

use std::{borrow::Cow, path::PathBuf, sync::Arc};

use async_trait::async_trait;
use serde_json::Value;
use tools_core::{
    ClaimSource, CommandEnd, Digest, FileDiff, Invocation, Layer, LayerInfo, Location, Media, Next, Outcome,
    Redactor as _, StopReason, ToolError, ToolOutput, is_credential_key, keys,
};

use crate::{
    SecretRedactor, SecretsMode, Tally, UnknownPlaceholder, events::RedactingConsumer, input::RedactedInput,
    intake::SecretsIntake, placement::only_file,
};

/// The layer directly around the tools, inside those that shorten, store or record.
#[derive(Debug, Clone)]
pub struct SecretsLayer {
    redactor: SecretRedactor,
    mode: SecretsMode,
}

impl SecretsLayer {
    /// The layer's row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "secrets",
        owner: "tools-secrets",
        refuses_with: &[
            "invalid_parameters/unknown_placeholder",
            "confirmation_required/credential_moves",
            "permanent_failure/session_elsewhere",
        ],
        why: "close to the raw output: the layers that shorten, store, record or show a result see placeholders instead of credentials",
    };

    /// A layer that treats the findings of `redactor` according to `mode`.
    pub fn new(redactor: SecretRedactor, mode: SecretsMode) -> Self {
        Self { redactor, mode }
    }
}

#[async_trait]
impl Layer for SecretsLayer {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        match self.mode {
            SecretsMode::Off => next.run(inv).await,
            SecretsMode::Warn => {
                let outcome = next.run(&taking(inv, &self.redactor, self.mode)).await;
                warn(inv, &count(&self.redactor, &outcome), "shown as they are");
                outcome
            }
            SecretsMode::Redact => {
                let redactor = self.redactor.of_session(inv.context.session());
                let (outcome, tally) = redacted(&redactor, inv, next).await;
                warn(inv, &tally, "replaced by placeholders");
                outcome
            }
        }
    }
}

/// The call with an intake that searches long text while it arrives.
fn taking(inv: &Invocation, redactor: &SecretRedactor, mode: SecretsMode) -> Invocation {
    match inv.context.intake() {
        Some(outer) => {
            let intake = SecretsIntake::around(Arc::clone(outer), redactor.clone(), mode);
            inv.in_context(inv.context.clone().with_intake(intake))
        }
        None => inv.clone(),
    }
}

/// The call whose client sees placeholders.
fn asking(inv: Invocation, redactor: &SecretRedactor) -> Invocation {
    match inv.context.input_source() {
        Some(client) => {
            let source = RedactedInput::around(Arc::clone(client), redactor.clone());
            inv.in_context(inv.context.clone().with_input(source))
        }
        None => inv,
    }
}

/// Adds one warning line with the findings' kinds, never the values.
fn warn(inv: &Invocation, tally: &Tally, done: &str) {
    if tally.is_empty() {
        return;
    }
    let journal = inv.context.journal();
    let total = tally.total();
    let noun = if total == 1 { "credential" } else { "credentials" };
    // Each placeholder names its kind itself.
    journal.warn_once(format!("{total} {noun} in the result, {done}: {tally}"));
    let kinds: serde_json::Map<String, Value> =
        tally.kinds().map(|(kind, count)| (kind.to_owned(), count.into())).collect();
    journal.note(keys::SECRETS, kinds);
}

/// Counts the credentials in a result that stays unchanged.
fn count(redactor: &SecretRedactor, outcome: &Outcome) -> Tally {
    let mut tally = Tally::default();
    let mut look = |text: &str| redactor.find(text).iter().for_each(|finding| tally.add(finding.kind));
    let output = match outcome {
        Ok(output) => Some(output),
        Err(error) => {
            look(error.message());
            error.output()
        }
    };
    match output.map(|output| (output, &output.digest)) {
        Some((_, Some(digest))) => tally.add_all(&digest.credentials),
        Some((output, None)) => look(output.whole()),
        None => {}
    }
    tally
}

async fn redacted(redactor: &SecretRedactor, inv: &Invocation, next: Next<'_>) -> (Outcome, Tally) {
    let mut tally = Tally::default();
    // An approval gate, if there is one, has asked already; otherwise the question is asked here.
    let is_agreed = next.approval().is_some();
    let asked = redactor.asks(inv).filter(|_| !is_agreed).map_or(Ok(()), Err);
    let restored = match asked.and_then(|()| restored(redactor, inv)) {
        Ok(restored) => restored,
        Err(error) => return (Err(error), tally),
    };
    let inner = &asking(taking(restored.as_ref().unwrap_or(inv), redactor, SecretsMode::Redact), redactor);
    let mut front = None;
    let events = inv.context.events().through(|consumer| {
        let consumer = Arc::new(RedactingConsumer::new(consumer, redactor.clone()));
        front = Some(Arc::clone(&consumer));
        consumer
    });
    let outcome = match &front {
        Some(front) => {
            let outcome = next.run(&inner.in_context(inner.context.clone().with_events(events))).await;
            front.flush();
            outcome
        }
        None => next.run(inner).await,
    };
    inv.context.journal().map_warnings(|warning| redactor.redact(warning).into_owned());
    let outcome = match outcome {
        Ok(output) => {
            let is_of_workspace = output.source == ClaimSource::Workspace;
            // The output of a command may come from anywhere.
            let placed = only_file(inv).filter(|_| is_of_workspace).map(|path| redactor.at(path));
            let redactor = placed.as_ref().unwrap_or(redactor);
            if is_of_workspace {
                redactor.kinds_in(output.whole()).into_iter().for_each(|kind| tally.add(kind));
            }
            Ok(ResultRedactor { redactor, tally: &mut tally, escapes: is_of_workspace }.output(output))
        }
        Err(error) => Err(ResultRedactor { redactor, tally: &mut tally, escapes: true }.error(error)),
    };
    (outcome, tally)
}

/// The call with its placeholders replaced by the session's credentials, if its tool may have them.
fn restored(redactor: &SecretRedactor, inv: &Invocation) -> Result<Option<Invocation>, ToolError> {
    let mut params = None;
    for name in inv.definition.content {
        let Some(value) = inv.call.params.get(*name) else { continue };
        let value = match restored_value(redactor, value)? {
            Cow::Borrowed(_) => continue,
            Cow::Owned(value) => value,
        };
        params.get_or_insert_with(|| inv.call.params.clone()).insert((*name).to_owned(), value);
    }
    params.map(|params| inv.with_params(params)).transpose()
}

fn restored_value<'a>(redactor: &SecretRedactor, value: &'a Value) -> Result<Cow<'a, Value>, UnknownPlaceholder> {
    Ok(match value {
        Value::String(text) => match redactor.restore(text)? {
            Cow::Borrowed(_) => Cow::Borrowed(value),
            Cow::Owned(text) => Cow::Owned(Value::String(text)),
        },
        Value::Array(items) => {
            let items = items.iter().map(|item| restored_value(redactor, item)).collect::<Result<Vec<_>, _>>()?;
            if items.iter().all(|item| matches!(item, Cow::Borrowed(_))) {
                Cow::Borrowed(value)
            } else {
                Cow::Owned(items.into_iter().map(Cow::into_owned).collect())
            }
        }
        Value::Object(members) => {
            let mut changed = Cow::Borrowed(members);
            for (name, member) in members {
                if let Cow::Owned(member) = restored_value(redactor, member)? {
                    changed.to_mut().insert(name.clone(), member);
                }
            }
            match changed {
                Cow::Borrowed(_) => Cow::Borrowed(value),
                Cow::Owned(members) => Cow::Owned(Value::Object(members)),
            }
        }
        _ => Cow::Borrowed(value),
    })
}

/// Whether a text is contained in another one as whole lines.
fn is_whole_lines(text: &str, part: &str) -> bool {
    let Some(start) = memchr::memmem::find(text.as_bytes(), part.as_bytes()) else { return false };
    let end = start + part.len();
    let begins = start == 0 || text.as_bytes()[start - 1] == b'\n';
    begins && (end == text.len() || part.ends_with('\n') || text.as_bytes()[end] == b'\n')
}

/// Minimum bytes for a comparison; shorter texts are faster to search.
const LONG: usize = 256;

/// Removes credentials from a result.
struct ResultRedactor<'a> {
    redactor: &'a SecretRedactor,
    tally: &'a mut Tally,
    /// Whether look-alikes of placeholders are marked, so that they can be written back.
    escapes: bool,
}

/// A text without credentials.
fn cleaned<'a>(redactor: &SecretRedactor, escapes: bool, text: &'a str, tally: &mut Tally) -> Cow<'a, str> {
    match redactor.redact_counting(text, tally) {
        clean if !escapes => clean,
        Cow::Borrowed(text) => redactor.escape(text),
        Cow::Owned(text) => Cow::Owned(redactor.escape(&text).into_owned()),
    }
}

impl ResultRedactor<'_> {
    fn output(&mut self, output: ToolOutput) -> ToolOutput {
        // The summary is a part or another form of the complete text: findings in both are counted
        // once.
        let (redactor, escapes) = (self.redactor, self.escapes);
        let complete = output
            .complete
            .map(|complete| complete.map_text(|text| cleaned(redactor, escapes, text, self.tally)).into_owned());
        let digest = output.digest.map(|digest| self.digest(digest));
        let mut counted = Tally::default();
        let tally = if complete.is_some() || digest.is_some() { &mut counted } else { &mut *self.tally };
        let (summary, is_clean) = match cleaned(redactor, escapes, &output.summary, tally) {
            Cow::Owned(redacted) => (redacted, false),
            Cow::Borrowed(_) => (output.summary, true),
        };
        // Findings in both the text and the structure are counted once.
        let mut again = Tally::default();
        let raw = output.raw_response.map(|value| self.raw(value, is_clean.then_some(summary.as_str()), &mut again));
        let media = output.media.into_iter().map(|media| self.media(media, &mut again)).collect();
        if self.tally.is_empty() {
            *self.tally = again;
        }
        ToolOutput {
            raw_response: raw,
            media,
            locations: output.locations.into_iter().map(|location| self.location(location)).collect(),
            diff: output.diff.map(|diff| self.diff(diff)),
            ended: output.ended.map(|ended| self.ended(ended)),
            summary,
            complete,
            digest,
            ..output
        }
    }

    /// Redacts a digest of a searched text: a value found late in the text may occur early in the
    /// shown part.
    fn digest(&mut self, digest: Digest) -> Digest {
        self.tally.add_all(&digest.credentials);
        digest.map_text(|text| match self.redactor.redact(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean,
        })
    }

    fn error(&mut self, error: ToolError) -> ToolError {
        let redactor = self.redactor;
        let message = redactor.find(error.message());
        for finding in message {
            self.tally.add(finding.kind);
        }
        let escapes = self.escapes;
        let clean = |text: &str| cleaned(redactor, escapes, text, &mut Tally::default()).into_owned();
        error.map_text(clean).map_output(|output| self.output(output))
    }

    /// Redacts the structured result. A command's streams are in its text too: if the text is
    /// clean, so are they.
    fn raw(&self, value: Value, clean: Option<&str>, tally: &mut Tally) -> Value {
        let is_told = |name: &str, member: &Value| {
            let is_in = |text: &str| text.len() >= LONG && clean.is_some_and(|clean| is_whole_lines(clean, text));
            !is_credential_key(name) && member.as_str().is_some_and(is_in)
        };
        match value {
            Value::Object(members) => {
                let member = |(name, value): (String, Value)| {
                    if is_told(&name, &value) { (name, value) } else { self.redactor.member((&name, &value), tally) }
                };
                Value::Object(members.into_iter().map(member).collect())
            }
            other => self.redactor.redact_json_counting(&other, tally),
        }
    }

    fn media(&self, media: Media, tally: &mut Tally) -> Media {
        let hidden = media.text().map(|text| self.redactor.redact_counting(text, tally));
        match hidden {
            Some(Cow::Owned(text)) => Media { data: text.into_bytes().into(), ..media },
            _ => media,
        }
    }

    fn ended(&self, ended: CommandEnd) -> CommandEnd {
        let clean = |text: String| self.redactor.redact(&text).into_owned();
        let stopped = ended.stopped.map(|stopped| match stopped {
            StopReason::AwaitsInput(question) => StopReason::AwaitsInput(clean(question)),
            other => other,
        });
        CommandEnd { notes: ended.notes.into_iter().map(clean).collect(), stopped, ..ended }
    }

    fn location(&self, location: Location) -> Location {
        match location.path.to_str().map(|path| self.redactor.redact(path)) {
            Some(Cow::Owned(path)) => Location { path: PathBuf::from(path), ..location },
            _ => location,
        }
    }

    fn diff(&self, diff: FileDiff) -> FileDiff {
        let whole = |text: Option<Arc<str>>| {
            text.map(|text| match cleaned(self.redactor, true, &text, &mut Tally::default()) {
                Cow::Owned(text) => text.into(),
                Cow::Borrowed(_) => text,
            })
        };
        FileDiff {
            unified: cleaned(self.redactor, true, &diff.unified, &mut Tally::default()).into_owned(),
            before: whole(diff.before),
            after: whole(diff.after),
            ..diff
        }
    }
}
