//! A view as `haft doctor` prints it.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::View;
use crate::kernel::Level;

/// A place and why commands see it, or do not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VisiblePlace {
    /// The place.
    pub path: String,
    /// Why.
    pub why: String,
}

/// The files and folders that commands see beyond the system, the workspace and their own temporary
/// folder. Field names are permanent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ViewReport {
    /// Folders of which commands see only what follows. Empty when everything is seen.
    pub concealed: Vec<VisiblePlace>,
    /// Places in them that may be read.
    pub granted: Vec<VisiblePlace>,
    /// Files of settings that commands see as copies without credentials.
    pub handed_in: Vec<String>,
    /// Files of settings that they do not see: credentials could not be taken out for certain, or
    /// they are denied.
    pub left_out: Vec<String>,
    /// Files of settings that commands do not see at this level: no copy can be put in their place,
    /// and no variable leads to one.
    pub unreachable: Vec<String>,
    /// The folder in which package managers keep what commands fetch.
    pub caches: Option<String>,
}

impl View {
    /// The view as processes have it at a level; `left_out` are files of settings that are not
    /// handed in.
    pub fn report(&self, level: Level, left_out: &[PathBuf]) -> ViewReport {
        let shown = |path: &Path| path.display().to_string();
        if level == Level::Off {
            return ViewReport::default();
        }
        // No file can stand in the place of another there.
        let is_by_variable = level == Level::Landlock;
        let copies = |is_wanted: bool| {
            let wanted = self.handed_in_at(is_by_variable).filter(move |(_, is_there)| *is_there == is_wanted);
            wanted.map(|(copy, _)| shown(&copy.path)).collect()
        };
        let place = |path: &Path, why: &str| VisiblePlace { path: shown(path), why: why.to_owned() };
        ViewReport {
            concealed: self.concealed.iter().map(|one| place(&one.path, &one.why)).collect(),
            granted: self.granted.iter().map(|one| place(&one.path, &one.why)).collect(),
            handed_in: copies(true),
            unreachable: copies(false),
            left_out: left_out.iter().map(|path| shown(path)).collect(),
            caches: self.caches.as_deref().map(shown),
        }
    }
}

impl ViewReport {
    /// The report as a person reads it.
    pub fn lines(&self) -> Vec<String> {
        if self.concealed.is_empty() {
            return vec!["what commands see: everything that you do".to_owned()];
        }
        let mut lines = vec![
            "what commands see: the system, the workspace, a temporary folder of their own, and of these folders"
                .to_owned(),
        ];
        lines.extend(self.concealed.iter().map(|one| format!("  {} ({})", one.path, one.why)));
        lines.push("only:".to_owned());
        let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for one in &self.granted {
            by_reason.entry(&one.why).or_default().push(&one.path);
        }
        lines.extend(by_reason.iter().map(|(why, paths)| format!("  - {} ({why})", paths.join(", "))));
        if !self.handed_in.is_empty() {
            lines.push(format!("  - {} (copies without credentials)", self.handed_in.join(", ")));
        }
        if let Some(caches) = &self.caches {
            lines.push(format!("  - {caches} (what package managers fetch for commands; yours are not used)"));
        }
        if !self.left_out.is_empty() {
            lines.push(format!(
                "not handed in, since they are denied or credentials cannot be taken out for certain: {}",
                self.left_out.join(", ")
            ));
        }
        if !self.unreachable.is_empty() {
            lines.push(format!(
                "not handed in, since at this level no variable leads to a copy: {}",
                self.unreachable.join(", ")
            ));
        }
        lines.push("`tools.shell.read_paths` grants more".to_owned());
        lines
    }
}
