//! A result as it is kept: the output, what was noted on the way to it, and what it takes.

use serde_json::{Map, Value};
use tools_core::{Journal, ToolOutput, keys};

/// Notes that belong to the output, not to the run.
const OF_THE_OUTPUT: &[&str] = &[keys::OVERFLOW, keys::RAW_BYTES];

/// What an entry takes beside its texts.
const OVERHEAD: usize = 512;

/// A result that may be served again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CachedResult {
    pub(crate) output: ToolOutput,
    notes: Vec<(&'static str, Value)>,
    warnings: Vec<String>,
}

impl CachedResult {
    /// The result of a call; `warned` is how many warnings there were before it ran.
    pub(crate) fn of(output: &ToolOutput, journal: &Journal, warned: usize) -> Self {
        let note = |key: &&'static str| Some((*key, journal.value(key)?));
        let notes = OF_THE_OUTPUT.iter().filter_map(note).collect();
        let warnings = journal.warnings().into_iter().skip(warned).collect();
        Self { output: output.clone(), notes, warnings }
    }

    /// Notes on another call what was noted on the one that ran.
    pub(crate) fn note(&self, journal: &Journal) {
        for (key, value) in &self.notes {
            journal.note(key, value.clone());
        }
        for warning in &self.warnings {
            journal.warn(warning.clone());
        }
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        let ToolOutput { summary, complete, raw_response, media, locations, diff, .. } = &self.output;
        let diff = diff.iter().map(|diff| {
            let ends = [&diff.before, &diff.after];
            diff.unified.len() + ends.into_iter().flatten().map(|text| text.len()).sum::<usize>()
        });
        OVERHEAD
            + summary.len()
            + complete.as_ref().map_or(0, |complete| complete.text.len())
            + raw_response.as_ref().map_or(0, size)
            + media.iter().map(|media| media.data.len()).sum::<usize>()
            + locations.iter().map(|location| location.path.as_os_str().len() + 32).sum::<usize>()
            + diff.sum::<usize>()
            + self.warnings.iter().map(String::len).sum::<usize>()
    }
}

fn size(value: &Value) -> usize {
    const EACH: usize = 32;
    EACH + match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => object(members),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn object(members: &Map<String, Value>) -> usize {
    members.iter().map(|(name, member)| name.len() + size(member)).sum()
}
