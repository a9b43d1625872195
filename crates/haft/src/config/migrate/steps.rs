//! The steps from older formats to the current one, and their messages.

use std::collections::BTreeMap;

use toml_edit::{DocumentMut, Table};
use tools_core::{SchemaFault, inline_schema, schema_problems};

#[cfg(feature = "filter")]
use super::filters;
#[cfg(all(feature = "policy", feature = "shell"))]
use super::lists;
use super::{names, network, retry};
use crate::config::{ConfigError, HaftConfig, source::Source};

/// Result of a migration. If the text is unchanged, there was nothing to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Migration {
    /// The configuration in the current format.
    pub text: String,
    /// The changes, one sentence each.
    pub changes: Vec<String>,
    /// Remarks for a person: resolved conflicts, and what the current format cannot express.
    pub warnings: Vec<String>,
    /// Unknown keys, by path. They stay as they are.
    pub unknown: Vec<String>,
    /// Rules for `filters.toml` that replace keys of the configuration; `None` if there are none.
    pub filter_rules: Option<String>,
    /// Moved keys: new path to old path.
    pub(crate) moved: BTreeMap<String, String>,
}

/// Messages of the steps.
#[derive(Debug, Default)]
pub(super) struct Notes {
    changes: Vec<String>,
    warnings: Vec<String>,
    pub(super) filter_rules: Option<String>,
    moved: BTreeMap<String, String>,
}

/// One step from an older format to a newer one.
struct Step {
    apply: fn(Table, &mut Notes) -> Table,
    /// Whether its old keys are no longer known: then the step also runs when loading.
    is_needed_to_load: bool,
    /// Words of which a text must contain at least one for the step to apply.
    signs: &'static [&'static str],
}

/// The steps in historical order. Steps are only ever appended.
const STEPS: &[Step] = &[
    Step { apply: retry::apply, is_needed_to_load: true, signs: &["max_tool_retries", "max_retry_duration_secs"] },
    Step { apply: names::apply, is_needed_to_load: true, signs: &["glob", "scheduler"] },
    #[cfg(all(feature = "policy", feature = "shell"))]
    Step { apply: lists::apply, is_needed_to_load: false, signs: &["blocked_commands", "confirm_patterns"] },
    #[cfg(feature = "filter")]
    Step { apply: filters::apply, is_needed_to_load: false, signs: &["filters"] },
    Step { apply: names::merge, is_needed_to_load: true, signs: &["\"more\"", ".more", "more ="] },
    Step { apply: network::apply, is_needed_to_load: true, signs: &["allow_network"] },
];

/// Migrates a configuration to the current format. A current text does not change.
///
/// # Errors
/// If the text is not TOML.
pub fn migrate(text: &str) -> Result<Migration, ConfigError> {
    let migrated = apply(text, |_| true)?;
    Ok(Migration { unknown: unknown(&migrated.text)?, ..migrated })
}

/// Applies the steps needed to load a text; `None` if there are none, which is determined without
/// parsing.
pub(crate) fn to_load(text: &str) -> Option<Migration> {
    let is_due = |step: &Step| step.is_needed_to_load && step.signs.iter().any(|sign| text.contains(sign));
    if !STEPS.iter().any(is_due) {
        return None;
    }
    apply(text, is_due).ok().filter(|migrated| migrated.text != text)
}

/// Applies the due steps to the text; does not look for unknown keys.
fn apply(text: &str, is_due: impl Fn(&Step) -> bool) -> Result<Migration, ConfigError> {
    // Reports faults of the text as a start would.
    Source::parse(text)?;
    let fault = |error: toml_edit::TomlError| ConfigError {
        path: String::new(),
        place: None,
        problem: error.message().to_owned(),
        hint: None,
    };
    let mut document: DocumentMut = text.parse().map_err(fault)?;
    let mut notes = Notes::default();
    for step in STEPS.iter().filter(|step| is_due(step)) {
        *document.as_table_mut() = (step.apply)(std::mem::take(document.as_table_mut()), &mut notes);
    }
    let changed = !notes.changes.is_empty();
    let text = if changed { document.to_string() } else { text.to_owned() };
    let Notes { changes, warnings, filter_rules, moved } = notes;
    Ok(Migration { text, changes, warnings, unknown: vec![], filter_rules, moved })
}

/// Unknown keys of a text.
fn unknown(text: &str) -> Result<Vec<String>, ConfigError> {
    let source = Source::parse(text)?;
    let schema = inline_schema::<HaftConfig>();
    let problems = schema_problems(&source.value, schema.as_value());
    let unknown = problems.into_iter().filter(|problem| matches!(problem.fault, SchemaFault::Unknown { .. }));
    Ok(unknown.map(|problem| problem.path).collect())
}

impl Notes {
    pub(super) fn change(&mut self, sentence: impl Into<String>) {
        self.changes.push(sentence.into());
    }

    pub(super) fn warn(&mut self, sentence: impl Into<String>) {
        self.warnings.push(sentence.into());
    }

    pub(super) fn moved(&mut self, old: &str, new: &str) {
        self.moved.insert(new.to_owned(), old.to_owned());
    }
}
