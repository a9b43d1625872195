//! `git_status`: branch, staged, unstaged, untracked, renames and conflicts as a compact list
//! without loss.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy};
use crate::emit::Emitter;

/// Parameters of `git_status`: none.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitStatus {}

impl Strategy for GitStatus {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { untracked: None, found: false })
    }
}

/// Section headers of the long form, their replacement, and the mark for entries without a state of
/// their own.
const SECTIONS: &[(&str, &str, Option<&str>)] = &[
    ("Changes to be committed:", "staged:", None),
    ("Changes not staged for commit:", "not staged:", None),
    ("Unmerged paths:", "unmerged:", None),
    ("Untracked files:", "untracked:", Some("")),
    ("Ignored files:", "ignored:", Some("")),
];

/// States of entries in the long form and their letters, with a blank as in the short form.
/// Conflicts are written in words.
const STATES: &[(&str, &str)] = &[
    ("both modified:", "both modified:"),
    ("both added:", "both added:"),
    ("both deleted:", "both deleted:"),
    ("added by us:", "added by us:"),
    ("added by them:", "added by them:"),
    ("deleted by us:", "deleted by us:"),
    ("deleted by them:", "deleted by them:"),
    ("new file:", "A "),
    ("modified:", "M "),
    ("deleted:", "D "),
    ("renamed:", "R "),
    ("copied:", "C "),
    ("typechange:", "T "),
];

struct Machine {
    /// The mark for entries of the current section that name no state.
    untracked: Option<&'static str>,
    found: bool,
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if let Some((_, title, mark)) = SECTIONS.iter().find(|(header, ..)| line == *header) {
            self.found = true;
            self.untracked = *mark;
            out.fold(line);
            return out.write(title);
        }
        if line.is_empty() {
            self.untracked = None;
            return out.fold(line);
        }
        if (line.starts_with("  (") && (line.contains("git ") || line.contains("discard")))
            || line.starts_with("no changes added to commit (")
        {
            return out.fold(line);
        }
        let entry = line.strip_prefix('\t').or_else(|| line.strip_prefix("        "));
        if let Some(entry) = entry.filter(|_| self.found) {
            let state = STATES.iter().find_map(|(name, mark)| Some((*mark, entry.strip_prefix(name)?.trim_start())));
            if let Some((mark, path)) = state.or_else(|| self.untracked.map(|mark| (mark, entry))) {
                out.fold(line);
                return out.write(&format!("{mark} {path}"));
            }
        }
        out.keep(line);
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}
