//! The gate that only warns about calls with invented names. It remembers the texts given to a
//! model, and records the source of the names in a call.

use std::{borrow::Cow, collections::HashSet, path::Path, sync::Arc};

use serde_json::Value;
use tools_core::{Access, ClaimSource, Inspection, Invocation, KeyFault, Outcome, Subject, keys, nearest};

use super::decide::{GroundingQuestion, HallucinationSuspect, SuspectKind, names, suspects};
use super::extract::extract_paths;
use super::{Provenance, SessionTexts};
use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, Ruling};

/// Maximum number of names in a folder that are compared with a missing one.
const MAX_NAMES: usize = 1000;
/// Maximum number of warnings per call.
const MAX_WARNINGS: usize = 3;

/// Names in a call, kept until it ends.
#[derive(Debug, Default)]
pub struct Named {
    /// The invented names of the call.
    suspects: Vec<HallucinationSuspect>,
    /// The words of the paths and hosts of the call.
    words: HashSet<u64>,
}

/// Provenance of a call: the source of its paths and hosts, and the last message of the user.
pub(crate) fn provenance(texts: &SessionTexts, inv: &Invocation) -> Provenance {
    texts.provenance(inv.context.session(), &words_of(texts, inv))
}

/// The words of the paths and hosts of a call; empty if it cannot be inspected.
fn words_of(texts: &SessionTexts, inv: &Invocation) -> HashSet<u64> {
    let Ok(inspection) = inv.inspection() else { return HashSet::new() };
    names(inspection, inv.context.workdir()).iter().flat_map(|name| texts.name(name)).collect()
}

/// Records the source of the paths and hosts of a call, and warns about those that neither exist
/// nor were given to the model.
///
/// The source of every call is recorded; warnings appear only if the gate is on. Paths are checked
/// in every session. Addresses and numbers are checked only if the host reports the user's messages
/// ([`SessionTexts`]), and only for models configured as reasoning models.
#[derive(Debug)]
pub struct GroundingGate(Arc<SessionTexts>);

impl GroundingGate {
    /// Creates a gate over the texts given to models.
    pub fn new(texts: Arc<SessionTexts>) -> Self {
        Self(texts)
    }

    /// Warns about the invented names of a call and returns them.
    fn warn(&self, inv: &Invocation) -> Vec<HallucinationSuspect> {
        let cx = &inv.context;
        // If the tool cannot inspect the call, its parameters are judged by their form.
        let inspection = inv.inspection().map_or_else(|_| Cow::Owned(as_named(inv)), Cow::Borrowed);
        let (context, knows_user) = self.0.context(cx.session());
        let question = GroundingQuestion {
            params: &inv.call.params,
            inspection: &inspection,
            context: &context,
            workdir: cx.workdir(),
            looks_for_entities: knows_user && cx.model().reasoning,
            exists: &|path| path.symlink_metadata().is_ok(),
        };
        let found = suspects(&question);
        if found.is_empty() {
            return found;
        }
        let near = |suspect: &HallucinationSuspect| match suspect.kind {
            SuspectKind::Path => near(&suspect.value, cx.workdir(), &context),
            SuspectKind::Entity => vec![],
        };
        for suspect in found.iter().take(MAX_WARNINGS) {
            cx.journal().warn(suspect.warning(&near(suspect)));
        }
        let noted = found.iter().filter_map(|suspect| serde_json::to_value(suspect).ok()).collect::<Vec<Value>>();
        cx.journal().note(keys::HALLUCINATION, noted);
        found
    }

    /// Remembers a text that the model reads.
    fn remember(&self, inv: &Invocation, source: ClaimSource, text: &str, named: &Named, is_on: bool) {
        let session = inv.context.session();
        // A result that repeats words of its own call is no source for them.
        self.0.add_text(session, source, text, &named.words);
        if !is_on {
            return;
        }
        if named.suspects.is_empty() {
            return self.0.remember(session, text);
        }
        let is_news = |line: &&str| !named.suspects.iter().any(|suspect| line.contains(&suspect.value));
        let news: Vec<&str> = text.lines().filter(is_news).collect();
        self.0.remember(session, &news.join("\n"));
    }
}

/// The parameters that look like paths.
fn as_named(inv: &Invocation) -> Inspection {
    let paths = inv.call.params.values().filter_map(Value::as_str).filter(|text| extract_paths(text) == [*text]);
    let subjects = paths.map(|path| Subject::path(inv.context.workdir().join(path), Access::Read));
    subjects.fold(Inspection::default(), Inspection::touching)
}

/// Paths that may have been meant: in the same folder, or mentioned before.
fn near(value: &str, workdir: &Path, context: &str) -> Vec<String> {
    let path = workdir.join(value);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return vec![] };
    let name = name.to_string_lossy();
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MAX_NAMES);
    // Names outside the working directory are not shown, since the model may have no access there.
    let names: Vec<String> = if folder.starts_with(workdir) {
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    } else {
        vec![]
    };
    let above = folder.strip_prefix(workdir).unwrap_or(folder);
    let beside = nearest(&name, names.iter().map(String::as_str));
    let mut found: Vec<String> = beside.iter().map(|name| above.join(name).to_string_lossy().into_owned()).collect();
    let mentioned = extract_paths(context).into_iter().filter(|path| path.ends_with(&name.to_lowercase()));
    found.extend(mentioned.map(str::to_owned));
    found.dedup();
    found.truncate(3);
    found
}

impl Gate for GroundingGate {
    /// Whether calls are looked through.
    type Config = bool;
    type Policy = bool;
    type Held = Named;

    const ABOUT: GateInfo = GateInfo {
        name: "grounding",
        sections: &["agent.hallucination_detection"],
        applies: Applies::Reload,
        position: GatePosition::BeforeCall,
        refuses_with: &[],
        why_here: "only warns; outside the gates, so that refused calls that name things out of nowhere are marked in the record too",
    };

    fn compile(config: &bool, _: &CompileContext<'_>) -> Result<bool, KeyFault> {
        Ok(*config)
    }

    fn decide(&self, _: &Arc<bool>, _: &Invocation) -> Ruling {
        Ruling::none()
    }

    async fn settle(&self, is_on: &Arc<bool>, ruling: Ruling, inv: &Invocation, _: bool) -> (Ruling, Named) {
        let words = words_of(&self.0, inv);
        if let Some(source) = self.0.provenance(inv.context.session(), &words).source {
            inv.context.journal().note(keys::CLAIM_SOURCE, source.label());
        }
        (ruling, Named { suspects: if **is_on { self.warn(inv) } else { vec![] }, words })
    }

    fn ended(&self, is_on: &Arc<bool>, named: Named, inv: &Invocation, _: bool, outcome: &Outcome) {
        let output = match outcome {
            Ok(output) => Some(output),
            Err(error) => {
                self.remember(inv, ClaimSource::Internal, error.suggestion(), &named, **is_on);
                error.output()
            }
        };
        if let Some(output) = output {
            self.remember(inv, output.source, &output.summary, &named, **is_on);
        }
    }
}
