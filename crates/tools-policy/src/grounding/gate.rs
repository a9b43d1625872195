//! The gate that only warns: of calls that name something out of nowhere. Remembers what a model
//! was told.

use std::{borrow::Cow, path::Path, sync::Arc};

use serde_json::Value;
use tools_core::{Access, Inspection, Invocation, Outcome, SessionId, Subject, keys, nearest};

use super::{
    SessionTexts,
    decide::{GroundingQuestion, HallucinationSuspect, SuspectKind, suspects},
    extract::extract_paths,
};
use crate::gate::{Applies, CompileContext, Fault, Gate, GateInfo, Ruling, Stands};

/// How many names of a folder are compared with one that is not in it.
const MAX_NAMES: usize = 1000;
/// How many warnings a call gets.
const MAX_WARNINGS: usize = 3;

/// Warns of what a call names that neither exists nor was told to the model.
///
/// Paths are looked at in every session. Addresses and numbers only where the host tells what the
/// user said ([`SessionTexts`]), and only of models that are configured as reasoning ones.
#[derive(Debug)]
pub struct GroundingGate(Arc<SessionTexts>);

impl GroundingGate {
    /// A gate over what models were told.
    pub fn new(told: Arc<SessionTexts>) -> Self {
        Self(told)
    }

    /// What the call names out of nowhere, of which everybody was warned.
    fn warn(&self, inv: &Invocation) -> Vec<HallucinationSuspect> {
        let cx = &inv.context;
        // What the tool itself cannot make sense of is judged by how it looks.
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

    /// Remembers what the model reads, without the lines that only say its own invention again.
    fn remember(&self, session: &SessionId, text: &str, found: &[HallucinationSuspect]) {
        if found.is_empty() {
            return self.0.other(session, text);
        }
        let is_news = |line: &&str| !found.iter().any(|suspect| line.contains(&suspect.value));
        let news: Vec<&str> = text.lines().filter(is_news).collect();
        self.0.other(session, &news.join("\n"));
    }
}

/// The parameters that are paths by their looks.
fn as_named(inv: &Invocation) -> Inspection {
    let paths = inv.call.params.values().filter_map(Value::as_str).filter(|text| extract_paths(text) == [*text]);
    let subjects = paths.map(|path| Subject::path(inv.context.workdir().join(path), Access::Read));
    subjects.fold(Inspection::default(), Inspection::touching)
}

/// Paths that may have been meant: of the same folder, or mentioned before.
fn near(value: &str, workdir: &Path, context: &str) -> Vec<String> {
    let path = workdir.join(value);
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return vec![] };
    let name = name.to_string_lossy();
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).take(MAX_NAMES);
    // What lies elsewhere is nobody's business who may not look there.
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
    /// What the call names out of nowhere.
    type Held = Vec<HallucinationSuspect>;

    const ABOUT: GateInfo = GateInfo {
        name: "grounding",
        sections: &["agent.hallucination_detection"],
        applies: Applies::Reload,
        stands: Stands::BeforeCall,
        refuses_with: &[],
        why_here: "only warns: outside the gates, so that a call that names something out of nowhere is marked on record also when it is refused",
    };

    fn compile(config: &bool, _: &CompileContext<'_>) -> Result<bool, Fault> {
        Ok(*config)
    }

    fn decide(&self, _: &Arc<bool>, _: &Invocation) -> Ruling {
        Ruling::none()
    }

    async fn settle(
        &self,
        is_on: &Arc<bool>,
        ruling: Ruling,
        inv: &Invocation,
        _: bool,
    ) -> (Ruling, Vec<HallucinationSuspect>) {
        (ruling, if **is_on { self.warn(inv) } else { vec![] })
    }

    fn ended(&self, is_on: &Arc<bool>, found: Vec<HallucinationSuspect>, inv: &Invocation, _: bool, outcome: &Outcome) {
        if !**is_on {
            return;
        }
        let session = inv.context.session();
        let output = match outcome {
            Ok(output) => Some(output),
            Err(error) => {
                self.remember(session, error.suggestion(), &found);
                error.output()
            }
        };
        if let Some(output) = output {
            self.remember(session, &output.summary, &found);
        }
    }
}
