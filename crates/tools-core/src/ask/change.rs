//! What a call would do to files, for the person who is to agree: a diff, a list of what goes, the
//! beginning of what comes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{FileDiff, tools::mapped_path};

/// Predicted change of files by a call. Bounded, and says what was left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// A file gets other lines.
    Diff(FileDiff),
    /// Files of code that the call runs hold something else than what was agreed to.
    Scripts {
        /// Each of them.
        diffs: Vec<FileDiff>,
    },
    /// Files go.
    Deletes {
        /// The first of them.
        paths: Vec<PathBuf>,
        /// Total number of entries, including directories.
        total: u64,
        /// Whether there are more than were counted.
        at_least: bool,
        /// Whether a directory goes with everything in it.
        recursive: bool,
    },
    /// A file gets this content, whatever it holds now.
    Content {
        /// The file.
        path: PathBuf,
        /// Length of the content.
        bytes: u64,
        /// Its beginning; empty when it is no text.
        head: String,
        /// Whether another content is replaced that cannot be compared.
        replaces: bool,
    },
}

impl Change {
    /// A diff without the two whole texts, which a question does not carry.
    pub fn diff(diff: FileDiff) -> Self {
        Self::Diff(without_texts(diff))
    }

    /// The changed code files, without their whole texts.
    pub fn scripts(diffs: impl IntoIterator<Item = FileDiff>) -> Self {
        Self::Scripts { diffs: diffs.into_iter().map(without_texts).collect() }
    }

    /// The same with every text changed: for layers that redact.
    #[must_use]
    pub(crate) fn map_text(self, change: impl Fn(&str) -> String) -> Self {
        let path = |path: PathBuf| mapped_path(path, &change);
        match self {
            Self::Diff(diff) => Self::diff(FileDiff { path: path(diff.path), unified: change(&diff.unified), ..diff }),
            Self::Scripts { diffs } => Self::scripts(diffs.into_iter().map(|diff| FileDiff {
                path: path(diff.path),
                unified: change(&diff.unified),
                ..diff
            })),
            Self::Deletes { paths, total, at_least, recursive } => {
                Self::Deletes { paths: paths.into_iter().map(path).collect(), total, at_least, recursive }
            }
            Self::Content { path: at, bytes, head, replaces } => {
                Self::Content { path: path(at), bytes, head: change(&head), replaces }
            }
        }
    }

    /// Its extent in few words, to stand beside the part that asks.
    pub(crate) fn extent(&self) -> String {
        match self {
            Self::Diff(diff) => format!("+{} -{} lines", diff.added, diff.removed),
            Self::Scripts { diffs } => {
                let (added, removed) = total(diffs);
                let scripts = if diffs.len() == 1 { "changed script" } else { "changed scripts" };
                format!("{scripts}, +{added} -{removed} lines")
            }
            Self::Deletes { total, at_least, recursive, .. } => {
                let more = if *at_least { "more than " } else { "" };
                let entries = if *total == 1 { "entry" } else { "entries" };
                let recursive = if *recursive { "recursive, " } else { "" };
                format!("{recursive}{more}{total} {entries}")
            }
            Self::Content { bytes, replaces, .. } => {
                format!("{bytes} bytes, {}", if *replaces { "replaces what is there" } else { "new file" })
            }
        }
    }

    /// The file it is about; `None` when there are many.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Diff(diff) => Some(&diff.path),
            Self::Content { path, .. } => Some(path),
            Self::Scripts { .. } | Self::Deletes { .. } => None,
        }
    }
}

fn without_texts(diff: FileDiff) -> FileDiff {
    FileDiff { before: None, after: None, ..diff }
}

/// Lines added and removed in all.
pub(super) fn total(diffs: &[FileDiff]) -> (u64, u64) {
    diffs.iter().fold((0, 0), |(added, removed), diff| (added + diff.added, removed + diff.removed))
}

/// Predicted changes of a call, computed only where a person is asked: most calls never need it.
///
/// Made by a tool in `inspect`; looked at by the gate that asks. Looking has no side effects.
#[derive(Clone)]
pub struct ChangePreview(Arc<dyn Fn() -> BoxFuture<'static, Option<Change>> + Send + Sync>);

impl ChangePreview {
    /// A change that `look` works out. `None` when it cannot be told.
    pub fn new<F>(look: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<Change>> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(look())))
    }

    /// Works it out.
    pub async fn look(&self) -> Option<Change> {
        (self.0)().await
    }
}

impl PartialEq for ChangePreview {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

crate::partial_debug!(ChangePreview {});
