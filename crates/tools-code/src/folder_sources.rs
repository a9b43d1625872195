//! The files below the working directory of a call, for hosts without file tools. Files are opened
//! beneath a root; files excluded by ignore files and read rules are omitted.

use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ignore::{DirEntry, WalkBuilder, WalkState};
use tools_core::{Access, AnswerBudget, CallContext, FileState, Inspection, Redactor, Subject, ToolError};
use tools_sandbox::{FileKind, PathError, ReadRules, Roots, shown};

use tools_sandbox::{Candidate, FileAccess, Sources, Space, Visitor, WalkSummary};

/// Maximum number of entries visited in one walk.
const MAX_ENTRIES: u64 = 200_000;

/// The files below the working directory of a call. Links are not followed. Files excluded by
/// `.gitignore` and `.ignore`, and those of [`SECRET_PRESET`](tools_sandbox::SECRET_PRESET), are
/// omitted. Implement [`Sources`] instead for another file system, other roots or other gates.
#[derive(Debug)]
pub struct FolderSources {
    closed: ReadRules,
    redactor: Arc<dyn Redactor>,
}

impl FolderSources {
    /// The files, shown without the credentials that `redactor` finds.
    pub fn new(redactor: Arc<dyn Redactor>) -> Self {
        Self { closed: ReadRules::preset(tools_sandbox::home().as_deref()), redactor }
    }
}

fn roots(cx: &CallContext) -> Result<Roots, ToolError> {
    Ok(Roots::open(&[cx.workdir().to_owned()], cx.workdir())?)
}

impl Sources for FolderSources {
    fn inspect(&self, path: Option<&str>, cx: &CallContext) -> Result<Inspection, ToolError> {
        let resolved = roots(cx)?.resolve(Path::new(path.unwrap_or(".")), cx.workdir())?;
        Ok(Inspection::read_only().touching(Subject::path(resolved.into_path(), Access::Read)))
    }

    fn sight(&self, cx: &CallContext) -> Result<Box<dyn FileAccess>, ToolError> {
        let roots = roots(cx)?;
        let root = roots.paths().next().unwrap_or(cx.workdir()).to_owned();
        let of_session = self.redactor.in_session(cx.session());
        let redactor = of_session.unwrap_or_else(|| Arc::clone(&self.redactor));
        Ok(Box::new(FolderSight { roots, root, closed: self.closed.clone(), redactor, cx: cx.clone() }))
    }
}

/// The files that one call may see.
struct FolderSight {
    roots: Roots,
    /// The canonical folder.
    root: PathBuf,
    closed: ReadRules,
    redactor: Arc<dyn Redactor>,
    cx: CallContext,
}

impl FolderSight {
    /// Opens and reads the file at a canonical path; `None` for more than `most` bytes. Fails when
    /// the path leads elsewhere by now, or read rules deny the file.
    fn content(&self, path: &Path, most: u64) -> io::Result<(FileState, Option<Vec<u8>>)> {
        let (file, found, metadata) = self.roots.open_file(path, &self.root).map_err(io::Error::other)?;
        if found != path || self.closed.denies(&found) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut text = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut text)?;
        Ok((metadata.state(), (text.len() as u64 <= most).then_some(text)))
    }

    /// Handles an entry of a walk: enters folders, passes files to the visitor.
    fn show_entry(&self, entry: &DirEntry, start: &Path, visitor: &dyn Visitor) -> WalkState {
        let path = entry.path();
        let kind = entry.file_type();
        if kind.is_some_and(|kind| kind.is_dir()) {
            let is_on_the_way = start.starts_with(path) || path.starts_with(start);
            let is_open = is_on_the_way && entry.file_name() != ".git" && !self.closed.denies(path);
            return if is_open && visitor.enters(path) { WalkState::Continue } else { WalkState::Skip };
        }
        if kind.is_some_and(|kind| kind.is_file()) && path.starts_with(start) && !self.closed.denies(path) {
            visitor.visit(&FoundFile { sight: self, path });
        }
        WalkState::Continue
    }
}

impl FileAccess for FolderSight {
    fn space(&self) -> Space {
        Space { roots: vec![self.root.clone()], rules: 0 }
    }

    fn starts(&self) -> Vec<PathBuf> {
        vec![self.root.clone()]
    }

    fn walk(&self, path: Option<&str>, visitor: &dyn Visitor) -> Result<WalkSummary, ToolError> {
        let start = self.roots.open_any(Path::new(path.unwrap_or(".")), &self.root)?;
        let (start, kind) = (start.path().to_owned(), start.metadata().kind);
        let starts = vec![start.clone()];
        if self.closed.denies(&start) {
            return Err(PathError::Denied(start).into());
        }
        if kind == FileKind::File {
            visitor.visit(&FoundFile { sight: self, path: &start });
            return Ok(WalkSummary { starts, ..WalkSummary::default() });
        }
        visitor.enters(&self.root.join(".git/info"));
        let (seen, unreadable) = (AtomicU64::new(0), AtomicU64::new(0));
        // Starts at the root for any path: ignore files above the path apply to it.
        let mut walk = WalkBuilder::new(&self.root);
        let walk = walk.hidden(false).parents(false).git_global(false).require_git(false).build_parallel();
        walk.run(|| {
            Box::new(|entry| match entry {
                _ if self.is_cancelled() || seen.fetch_add(1, Ordering::Relaxed) >= MAX_ENTRIES => WalkState::Quit,
                Ok(entry) => self.show_entry(&entry, &start, visitor),
                Err(_) => {
                    unreadable.fetch_add(1, Ordering::Relaxed);
                    WalkState::Continue
                }
            })
        });
        let is_cut = seen.into_inner() > MAX_ENTRIES;
        let cut = "stopped early: too many entries; the result is not complete, narrow the path";
        let notes = if is_cut { vec![cut.to_owned()] } else { vec![] };
        Ok(WalkSummary { starts, is_cut, unreadable: unreadable.into_inner(), notes })
    }

    fn read(&self, path: &Path, most: u64) -> Option<Vec<u8>> {
        self.content(path, most).ok()?.1
    }

    fn hide(&self, _: &Path, text: Vec<u8>) -> Vec<u8> {
        let lossy = String::from_utf8_lossy(&text);
        let hidden = self.redactor.redact(&lossy);
        if *hidden == *lossy {
            return text;
        }
        hidden.into_owned().into_bytes()
    }

    fn show(&self, path: &Path) -> String {
        shown(path.strip_prefix(&self.root).unwrap_or(path))
    }

    fn answer(&self) -> AnswerBudget {
        self.cx.answer()
    }

    fn is_cancelled(&self) -> bool {
        self.cx.cancel().is_cancelled()
    }
}

/// A file found by a walk.
struct FoundFile<'a> {
    sight: &'a FolderSight,
    path: &'a Path,
}

impl Candidate for FoundFile<'_> {
    fn path(&self) -> &Path {
        self.path
    }

    fn state(&self) -> io::Result<(FileState, u64)> {
        let metadata = self.path.symlink_metadata()?;
        Ok((FileState::from(&metadata), metadata.nlink()))
    }

    fn read(&self, most: u64) -> io::Result<(FileState, Option<Vec<u8>>)> {
        self.sight.content(self.path, most)
    }
}
