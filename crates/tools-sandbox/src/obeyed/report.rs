//! Reports of changes to files that outside programs obey: data for the envelope and the record,
//! one sentence for a model.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tools_core::{CallContext, keys};

use crate::shown;

/// Maximum number of files named in a sentence.
const MAX_NAMED: usize = 5;

/// Change of a file that outside programs obey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObeyedChange {
    /// It was not there before.
    Created,
    /// It was there, and is another now.
    Changed,
    /// It is gone.
    Deleted,
    /// It was not there before, nobody had agreed to it, and it got another name.
    PutAside,
}

/// A file that a command changed and that programs outside of any sandbox obey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ObeyedReport {
    /// Where, relative to the writable folder it lies in.
    pub path: String,
    /// The program that obeys it.
    pub by: String,
    /// The change.
    pub change: ObeyedChange,
    /// Whether it is one that asks and is held, not an ordinary input of builds.
    pub guarded: bool,
    /// The name it got when it was put aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// Records the changes, and warns of guarded files.
pub fn note_in(cx: &CallContext, reports: &[ObeyedReport]) {
    if reports.is_empty() {
        return;
    }
    cx.journal().note(keys::OBEYED, json!(reports));
    let guarded: Vec<ObeyedReport> = reports.iter().filter(|report| report.guarded).cloned().collect();
    for sentence in note(&guarded) {
        cx.journal().warn(sentence);
    }
}

/// The sentence about closed files that were not masked; `None` if there are none.
pub fn unmasked_note(files: &[String]) -> Option<String> {
    let named = named(files.iter().map(|file| format!("`{}`", quoted(file))));
    (!files.is_empty())
        .then(|| format!("not hidden from it, since they came to be or were replaced while it ran: {named}"))
}

/// The sentence about read-only files that another process replaced while a command ran
/// ([`ProcessTree::replaced`](crate::process::ProcessTree::replaced)), with paths relative to
/// `seen_from`; `None` if there are none.
pub fn replaced_note(files: &[PathBuf], seen_from: &Path) -> Option<String> {
    let named = named(files.iter().map(|file| format!("`{}`", shown(file.strip_prefix(seen_from).unwrap_or(file)))));
    (!files.is_empty()).then(|| {
        format!("replaced by another process while it ran, so that it may have written there: {named}; look at that")
    })
}

/// The sentences for a model; empty if nothing was changed.
pub fn note(reports: &[ObeyedReport]) -> Vec<String> {
    let mut notes = Vec::new();
    let (aside, changed): (Vec<_>, Vec<_>) = reports.iter().partition(|report| report.change == ObeyedChange::PutAside);
    if !aside.is_empty() {
        let names = named(aside.iter().map(|report| {
            format!("`{}` (now `{}`)", quoted(&report.path), report.now.as_deref().map_or_else(String::new, last))
        }));
        let by = obeying(aside.iter().copied());
        notes.push(format!(
            "put aside, since {by} would obey it and nobody agreed to it: {names}; make it with `write`, which asks"
        ));
    }
    if !changed.is_empty() {
        let names = named(changed.iter().map(|report| format!("`{}`", quoted(&report.path))));
        let by = obeying(changed.iter().copied());
        notes.push(format!("changed what {by} will obey: {names}"));
    }
    notes
}

fn last(path: &str) -> String {
    quoted(path.rsplit('/').next().unwrap_or(path))
}

fn quoted(path: &str) -> String {
    shown(Path::new(path))
}

fn named(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    let shown = names[..names.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

/// Each program once, in order of first appearance.
fn obeying<'a>(reports: impl Iterator<Item = &'a ObeyedReport>) -> String {
    let mut all: Vec<&str> = Vec::new();
    for report in reports {
        if !all.contains(&report.by.as_str()) {
            all.push(&report.by);
        }
    }
    match all.as_slice() {
        [init @ .., last] if !init.is_empty() => format!("{} and {last}", init.join(", ")),
        all => all.join(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(path: &str, by: &str, change: ObeyedChange, now: Option<&str>) -> ObeyedReport {
        ObeyedReport { path: path.into(), by: by.into(), change, guarded: true, now: now.map(str::to_owned) }
    }

    #[test]
    fn a_model_reads_what_was_changed_and_what_was_put_aside() {
        use ObeyedChange::{Changed, Created, PutAside};
        assert_eq!(note(&[]), Vec::<String>::new());
        let mut all = vec![
            report("package.json", "JavaScript tools", Changed, None),
            report("sub/.envrc", "direnv, mise and asdf", PutAside, Some("sub/.envrc.held")),
        ];
        assert_eq!(
            note(&all),
            [
                "put aside, since direnv, mise and asdf would obey it and nobody agreed to it: `sub/.envrc` (now `.envrc.held`); \
             make it with `write`, which asks",
                "changed what JavaScript tools will obey: `package.json`",
            ]
        );
        all.truncate(1);
        all.extend((0..6).map(|number| report(&format!("{number}.mk"), "builds", Created, None)));
        assert_eq!(
            note(&all),
            [
                "changed what JavaScript tools and builds will obey: `package.json`, `0.mk`, `1.mk`, `2.mk`, `3.mk` and 2 more"
            ]
        );
    }
}
