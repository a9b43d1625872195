//! The steps from older forms to today's, and what is told of them.

use std::collections::BTreeMap;

use toml_edit::{DocumentMut, Table};
use tools_core::{SchemaFault, inline_schema, schema_problems};

#[cfg(feature = "filter")]
use super::filters;
#[cfg(all(feature = "policy", feature = "shell"))]
use super::lists;
use super::{names, network, retry};
use crate::config::{ConfigError, HaftConfig, source::Source};

/// Result of a migration. Two equal texts in and out mean that there was nothing to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Migration {
    /// The configuration in today's form.
    pub text: String,
    /// The changes, one sentence each.
    pub changes: Vec<String>,
    /// Remarks for a person: conflicts that were decided, and what could not be said in today's
    /// form.
    pub warnings: Vec<String>,
    /// Keys that mean nothing, by path. They stay as they are.
    pub unknown: Vec<String>,
    /// Rules for `filters.toml` that take the place of what was in the configuration; `None` when
    /// there are none.
    pub filter_rules: Option<String>,
    /// Keys that have another path now: new path to old one.
    pub(crate) moved: BTreeMap<String, String>,
}

/// What steps tell of their work.
#[derive(Debug, Default)]
pub(super) struct Notes {
    changes: Vec<String>,
    warnings: Vec<String>,
    pub(super) filter_rules: Option<String>,
    moved: BTreeMap<String, String>,
}

/// One step from an older form to a newer one.
struct Step {
    apply: fn(Table, &mut Notes) -> Table,
    /// Whether its old keys are unknown today: then the step runs in memory, too.
    is_needed_to_load: bool,
    /// Words without one of which a text holds nothing that the step is about.
    signs: &'static [&'static str],
}

/// The steps, in the order in which forms followed each other. None is ever taken out or put
/// between others.
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

/// Brings a configuration to today's form. Of a text that is in it already, nothing changes.
///
/// # Errors
/// When the text is no TOML.
pub fn migrate(text: &str) -> Result<Migration, ConfigError> {
    let migrated = apply(text, |_| true)?;
    Ok(Migration { unknown: unknown(&migrated.text)?, ..migrated })
}

/// What has to be done so that a text can be loaded at all; `None` for nothing, which is told
/// without parsing the text.
pub(crate) fn to_load(text: &str) -> Option<Migration> {
    let is_due = |step: &Step| step.is_needed_to_load && step.signs.iter().any(|sign| text.contains(sign));
    if !STEPS.iter().any(is_due) {
        return None;
    }
    apply(text, is_due).ok().filter(|migrated| migrated.text != text)
}

/// The text after the steps that are due; which keys are unknown in it is not looked at.
fn apply(text: &str, is_due: impl Fn(&Step) -> bool) -> Result<Migration, ConfigError> {
    // Faults of the text are told as a start would tell them.
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

/// The keys of a text that mean nothing.
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
