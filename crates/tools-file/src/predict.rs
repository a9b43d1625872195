//! Predicts what a call would do to files, without doing it, for the person who is asked. All work
//! is limited; an unknown effect is omitted.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tools_core::{CallContext, Change, ChangePreview};
use tools_sandbox::{Directory, FileKind};

use crate::cancel::Cancel;
use crate::diff::{diff, lossy_text};
use crate::error::FileError;
use crate::tree::Trail;
use crate::workspace::{Site, Workspace};

/// Maximum length in bytes of new content that is shown.
const HEAD: usize = 8 * 1024;
/// Maximum number of entry names that are shown.
const LISTED: usize = 20;
/// Maximum number of entries that are counted.
const COUNTED: u64 = 20_000;

impl Workspace {
    /// Predicts the change that a call makes, when a person is asked. `look` gets the same values
    /// as `run`.
    pub(crate) fn change_preview(
        self: &Arc<Self>,
        cx: &CallContext,
        look: impl Fn(&Site, &Cancel) -> Option<Change> + Send + Sync + 'static,
    ) -> ChangePreview {
        let (workspace, cx, look) = (Arc::clone(self), cx.clone(), Arc::new(look));
        ChangePreview::new(move || {
            let (workspace, cx, look) = (Arc::clone(&workspace), cx.clone(), Arc::clone(&look));
            async move { workspace.blocking(&cx, move |site, cancel| Ok(look(site, cancel))).await.ok().flatten() }
        })
    }
}

/// A file before the change.
pub(crate) enum Before {
    /// No file has the name.
    Missing(PathBuf),
    /// A file whose content can be shown.
    Known(PathBuf, Vec<u8>),
    /// A file whose content is not shown: it is too long or has other hard links.
    Unknown(PathBuf),
}

impl Before {
    /// The file at `asked`; `None` when it cannot be determined, and then the call does not run
    /// either.
    pub(crate) fn of(site: &Site, asked: &Path) -> Option<Self> {
        let path = site.resolve_readable(asked).ok()?.into_path();
        let (file, path, metadata) = match site.open_file(asked) {
            Ok(opened) => opened,
            Err(FileError::Missing { .. }) => return Some(Self::Missing(path)),
            Err(_) => return None,
        };
        let limit = site.limits().edit_bytes;
        if metadata.links > 1 || metadata.size > limit {
            return Some(Self::Unknown(path));
        }
        let mut content = Vec::new();
        file.take(limit).read_to_end(&mut content).ok()?;
        Some(Self::Known(path, content))
    }

    /// The change when `content` replaces the file.
    pub(crate) fn replaced_by(self, content: &[u8]) -> Change {
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        let head = || lossy_text(&content[..content.len().min(HEAD)]).unwrap_or_default();
        match self {
            Self::Missing(path) => Change::Content { path, bytes, head: head(), replaces: false },
            Self::Unknown(path) => Change::Content { path, bytes, head: head(), replaces: true },
            Self::Known(path, before) => match (lossy_text(&before), lossy_text(content)) {
                (Some(old), Some(new)) => Change::diff(diff(&path, Some(&old), &new)),
                _ => Change::Content { path, bytes, head: head(), replaces: true },
            },
        }
    }
}

/// The change when the file `from` replaces the one at `to`; `None` when nothing is replaced.
pub(crate) fn replacement(from: &Path, to: &Path, site: &Site) -> Option<Change> {
    let before = match Before::of(site, to)? {
        Before::Missing(_) => return None,
        before => before,
    };
    match Before::of(site, from)? {
        Before::Known(_, content) => Some(before.replaced_by(&content)),
        Before::Unknown(_) => {
            let (_, _, metadata) = site.open_file(from).ok()?;
            let (Before::Known(path, _) | Before::Unknown(path) | Before::Missing(path)) = before;
            Some(Change::Content { path, bytes: metadata.size, head: String::new(), replaces: true })
        }
        Before::Missing(_) => None,
    }
}

/// The change when `asked` is deleted.
pub(crate) fn deletion(asked: &Path, recursive: bool, site: &Site, cancel: &Cancel) -> Option<Change> {
    let entry = site.entry(asked).ok()?;
    let metadata = entry.metadata().ok()??;
    if metadata.kind != FileKind::Directory || !recursive {
        return Some(Change::Deletes { paths: vec![entry.path()], total: 1, at_least: false, recursive: false });
    }
    let top = entry.directory().directory(entry.name()).ok()?;
    let mut found = PredictedPaths { paths: vec![], total: 1 };
    let at_least = count(top, &mut found, cancel).is_none();
    Some(Change::Deletes { paths: found.paths, total: found.total, at_least, recursive: true })
}

struct PredictedPaths {
    paths: Vec<PathBuf>,
    total: u64,
}

/// Counts the entries below; `None` when there are more than the limit.
fn count(top: Directory, found: &mut PredictedPaths, cancel: &Cancel) -> Option<()> {
    let mut pending: Vec<Vec<(OsString, FileKind)>> = vec![listed(&top)];
    let mut trail = Trail::new(top).ok()?;
    while let Some(here) = trail.here() {
        let Some((name, kind)) = pending.last_mut().and_then(Vec::pop) else {
            pending.pop();
            trail.up().ok()?;
            continue;
        };
        if found.total >= COUNTED || cancel.is_cancelled() {
            return None;
        }
        found.total += 1;
        if kind != FileKind::Directory {
            if found.paths.len() < LISTED {
                found.paths.push(here.path().join(&name));
            }
        } else if let Ok(below) = here.directory(&name) {
            pending.push(listed(&below));
            trail.down(below).ok()?;
        }
    }
    Some(())
}

/// The entries of a directory, last name first: they are taken from the end.
fn listed(directory: &Directory) -> Vec<(OsString, FileKind)> {
    let mut entries = directory.entries().unwrap_or_default();
    entries.sort_by(|(one, _), (other, _)| other.cmp(one));
    entries
}
