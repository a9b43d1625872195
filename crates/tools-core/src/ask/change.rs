//! Predicted changes of files by a call, for the person who is asked: a diff, a list of deletions,
//! or the beginning of new content.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::{FileDiff, tools::mapped_path};

/// Predicted change of files by a call. Bounded, and says what was left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// Lines of a file change.
    Diff(FileDiff),
    /// Code files that the call runs differ from those agreed to.
    Scripts {
        /// The diff of each file.
        diffs: Vec<FileDiff>,
    },
    /// Files are deleted.
    Deletes {
        /// The first of the paths.
        paths: Vec<PathBuf>,
        /// Total number of entries, including directories.
        total: u64,
        /// Whether `total` is only a lower bound.
        at_least: bool,
        /// Whether a directory is deleted with everything in it.
        recursive: bool,
    },
    /// A file gets this content, regardless of its present content.
    Content {
        /// The file.
        path: PathBuf,
        /// Length of the content.
        bytes: u64,
        /// Beginning of the content; empty if it is not text.
        head: String,
        /// Whether existing content that cannot be compared is replaced.
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

    /// Changes every text: for layers that redact.
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

    /// Size of the change in a few words, shown beside the part that asks.
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

    /// The changed file; `None` if there are several.
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

/// Total number of lines added and removed.
pub(super) fn total(diffs: &[FileDiff]) -> (u64, u64) {
    diffs.iter().fold((0, 0), |(added, removed), diff| (added + diff.added, removed + diff.removed))
}

/// Predicted changes of a call, computed only if a person is asked: most calls never need it.
///
/// Created by a tool in `inspect`; used by the gate that asks. Computing it has no side effects.
#[derive(Clone)]
pub struct ChangePreview(Arc<dyn Fn() -> BoxFuture<'static, Option<Change>> + Send + Sync>);

impl ChangePreview {
    /// A change that `look` computes; `None` if it cannot be predicted.
    pub fn new<F>(look: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Option<Change>> + Send + 'static,
    {
        Self(Arc::new(move || Box::pin(look())))
    }

    /// Computes the change.
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
