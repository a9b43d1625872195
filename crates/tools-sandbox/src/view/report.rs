//! The view in the form that `haft doctor` prints.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::View;
use crate::kernel::Level;

/// A place, and the reason why commands see it or do not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VisiblePlace {
    /// The place.
    pub path: String,
    /// The reason.
    pub why: String,
}

/// The files and folders that commands see beyond the system, the workspace and their own temporary
/// folder. Field names are permanent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ViewReport {
    /// Folders of which commands see only the places below. Empty if everything is visible.
    pub concealed: Vec<VisiblePlace>,
    /// Readable places in them.
    pub granted: Vec<VisiblePlace>,
    /// Settings files that commands see as copies without credentials.
    pub handed_in: Vec<String>,
    /// Settings files that commands do not see, because they are denied or credentials could not be
    /// removed reliably.
    pub left_out: Vec<String>,
    /// Settings files that commands do not see at this level: no copy can replace them, and no
    /// variable names one.
    pub unreachable: Vec<String>,
    /// The cache folder for the package managers of commands.
    pub caches: Option<String>,
    /// Folders of git that the workspace's repository needs and that commands may only read.
    pub read_only_git: Vec<String>,
}

impl View {
    /// The view of processes at a level; `left_out` are settings files without a copy.
    pub fn report(&self, level: Level, left_out: &[PathBuf]) -> ViewReport {
        let shown = |path: &Path| path.display().to_string();
        if level == Level::Off {
            return ViewReport::default();
        }
        // This level cannot show a file in place of another.
        let is_by_variable = level == Level::Landlock;
        let copies = |is_wanted: bool| {
            let wanted = self.substitutes(is_by_variable).filter(move |(_, is_there)| *is_there == is_wanted);
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
            read_only_git: self.read_only_git.iter().map(|path| shown(path)).collect(),
        }
    }
}

impl ViewReport {
    /// The report as text for a person.
    pub fn lines(&self) -> Vec<String> {
        let read_only_git = self.read_only_git.iter().map(|folder| {
            format!(
                "commands may only read {folder}: `git commit` fails until `tools.shell.allowed_paths` names this folder, beside `.` for the workspace"
            )
        });
        if self.concealed.is_empty() {
            let all = "what commands see: everything that you do".to_owned();
            return std::iter::once(all).chain(read_only_git).collect();
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
        lines.extend(read_only_git);
        lines
    }
}
