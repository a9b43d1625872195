//! The files of a workspace for others that keep something about them (an index): walked, read and
//! shown as the file tools would for the tool of that name, under the same roots, read rules, gates
//! and ignore files.

use std::{
    ffi::OsStr,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use tokio_util::sync::{CancellationToken, DropGuard};
use tools_core::{Access, AnswerBudget, CallContext, FileState, Inspection, Shared, Subject, ToolError};
use tools_sandbox::{Directory, FileKind, Metadata, ResolvedPath};

use crate::{
    FilePolicy,
    cancel::Cancel,
    error::FileError,
    ignored::IgnoreRules,
    memory::SeenFiles,
    tools::notes,
    walk::{Plan, SkippedCounts, Visitor, WalkEntry, walk},
    workspace::{Site, Workspace},
};

/// The way to the files of calls of one tool.
pub struct Survey {
    workspace: Arc<Workspace>,
    rules: Mutex<Rules>,
}

/// The policy of the last call, and its number. It is held, so that no later one has its address.
struct Rules {
    policy: Arc<FilePolicy>,
    number: u64,
}

/// The files that one call may see.
pub struct FileSurvey {
    site: Site,
    cancel: Cancel,
    rules: u64,
    _stop: DropGuard,
}

/// Receiver of the files of a walk. Called from several threads.
pub trait Surveyor: Sync {
    /// A folder, before anything in it is read: one that is walked, or one above whose ignore files
    /// hold. `false` leaves out what is in it.
    fn enters(&self, folder: &Path) -> bool;

    /// A regular file that may be read.
    fn visit(&self, seen: &SurveyedFile<'_>);
}

/// Extent of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extent {
    /// Its starts: canonical paths.
    pub starts: Vec<PathBuf>,
    /// Whether it ended before it had seen everything.
    pub is_cut: bool,
    /// Folders that could not be read.
    pub unreadable: u64,
    /// Remarks on omitted files for the model, each a sentence without its full stop.
    pub notes: Vec<String>,
}

/// A regular file that a walk came by, closed to nobody.
pub struct SurveyedFile<'a> {
    found: Place<'a>,
    path: &'a Path,
}

enum Place<'a> {
    Named(&'a Directory, &'a OsStr),
    Opened(&'a std::fs::File, Metadata),
}

impl Survey {
    /// The way for the tool of that name.
    pub fn new(policy: Shared<FilePolicy>, tool: &'static str) -> Self {
        let rules = Mutex::new(Rules { policy: policy.load(), number: 0 });
        Self { workspace: Workspace::new(policy, &SeenFiles::default()).of(tool), rules }
    }

    /// The subjects of a search at `path`, or in the whole workspace.
    ///
    /// # Errors
    /// `PolicyBlocked` for a path outside the roots.
    pub fn inspect(&self, path: Option<&str>, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.workspace.site(cx)?;
        let mut inspection = Inspection::read_only();
        for start in site.search_starts(path) {
            let resolved = site.resolve_start(&start)?;
            inspection = inspection.touching(Subject::path(resolved.into_path(), Access::Read));
        }
        Ok(inspection)
    }

    /// The files as a call may see them. What it began ends when this is dropped or the call is
    /// cancelled.
    ///
    /// # Errors
    /// When a root cannot be opened.
    pub fn of_call(&self, cx: &CallContext) -> Result<FileSurvey, ToolError> {
        let site = self.workspace.closed_site(cx)?;
        let token: CancellationToken = cx.cancel().child_token();
        let rules = self.rules.lock().unwrap_or_else(PoisonError::into_inner).number_of(site.policy());
        Ok(FileSurvey { site, cancel: Cancel::of(token.clone()), rules, _stop: token.drop_guard() })
    }
}

impl Rules {
    /// Another number for another policy: what was indexed under old rules is not used under new
    /// ones.
    fn number_of(&mut self, policy: &Arc<FilePolicy>) -> u64 {
        if !Arc::ptr_eq(&self.policy, policy) {
            (self.policy, self.number) = (Arc::clone(policy), self.number + 1);
        }
        self.number
    }
}

impl FileSurvey {
    /// The canonical roots.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.site.roots.paths().map(Path::to_path_buf).collect()
    }

    /// A number that is another one under other rules.
    pub fn rules(&self) -> u64 {
        self.rules
    }

    /// Budget of the answer.
    pub fn answer(&self) -> AnswerBudget {
        self.site.answer()
    }

    /// Whether nobody waits any more.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// A path as a model should see it.
    pub fn show(&self, path: &Path) -> String {
        self.site.show(path)
    }

    /// Starts of a walk of the whole workspace: canonical paths.
    pub fn starts(&self) -> Vec<PathBuf> {
        let resolved = |start: PathBuf| self.site.roots.resolve(&start, &self.site.workdir).ok();
        self.site.search_starts(None).into_iter().filter_map(resolved).map(ResolvedPath::into_path).collect()
    }

    /// Shows the regular files at `path`, or of the whole workspace, to `surveyor`: from several
    /// threads, without those that ignore files and read rules leave out.
    ///
    /// # Errors
    /// A path that is not there or may not be read. Folders below that cannot be read are named in
    /// the notes.
    pub fn walk(&self, path: Option<&str>, surveyor: &dyn Surveyor) -> Result<Extent, ToolError> {
        let (mut starts, mut skipped) = (Vec::new(), SkippedCounts::default());
        for asked in self.site.search_starts(path) {
            let (start, left_out) = self.walk_one(&asked, surveyor)?;
            starts.push(start);
            skipped.add(left_out);
        }
        let mut notes = Vec::new();
        if skipped.unreadable > 0 {
            notes.push(notes::unreadable("directories", skipped.unreadable, &skipped.names, &self.site));
        }
        if skipped.exhausted {
            notes.push("stopped early: too many entries; the result is not complete, narrow the path".to_owned());
        }
        Ok(Extent { starts, is_cut: skipped.exhausted, unreadable: skipped.unreadable, notes })
    }

    fn walk_one(&self, asked: &Path, surveyor: &dyn Surveyor) -> Result<(PathBuf, SkippedCounts), ToolError> {
        let (site, rules) = (&self.site, self.site.rules());
        let start = site.open_start(asked)?;
        let path = start.path().to_path_buf();
        match start.metadata().kind {
            FileKind::Directory => {
                let directory = start.into_directory().map_err(FileError::from)?;
                let is_inside = |folder: &&Path| site.roots.paths().any(|root| folder.starts_with(root));
                for above in path.ancestors().take_while(is_inside) {
                    for folder in ["", ".git", ".git/info"] {
                        surveyor.enters(&above.join(folder));
                    }
                }
                let plan = Plan {
                    rules,
                    cancel: &self.cancel,
                    hidden: true,
                    ignored: Some(IgnoreRules::above(&directory, &site.roots, None)),
                    depth: None,
                    budget: site.limits().search_entries,
                    ordered: false,
                    threads: notes::threads(site),
                    stamps: None,
                };
                let (_, skipped) = walk(&directory, &plan, || SurveyVisitor { surveyed: self, surveyor });
                Ok((path, skipped))
            }
            FileKind::File => {
                let metadata = *start.metadata();
                let file = start.into_file().map_err(FileError::from)?;
                surveyor.visit(&SurveyedFile { found: Place::Opened(&file, metadata), path: &path });
                Ok((path, SkippedCounts::default()))
            }
            kind => Err(FileError::NotReadable { path: asked.to_path_buf(), kind }.into()),
        }
    }

    /// The content of the file at a canonical path; `None` when it is gone, closed, no regular
    /// file, lies elsewhere by now or is longer than `most` bytes.
    pub fn read(&self, path: &Path, most: u64) -> Option<Vec<u8>> {
        let opened = self.site.open_readable(path).ok()?;
        if opened.path() != path || opened.metadata().kind != FileKind::File {
            return None;
        }
        read_to(&opened.into_file().ok()?, most).ok()?
    }

    /// A text without its credentials, with the same lines.
    pub fn hide(&self, path: &Path, text: Vec<u8>) -> Vec<u8> {
        if !self.site.hides() {
            return text;
        }
        let mut shown = Vec::with_capacity(text.len());
        match self.site.hiding(path, text.as_slice()).read_to_end(&mut shown) {
            Ok(_) => shown,
            Err(_) => Vec::new(),
        }
    }
}

impl SurveyedFile<'_> {
    /// Its canonical path.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Its current state, and the number of its names.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn state(&self) -> io::Result<(FileState, u64)> {
        let metadata = match self.found {
            Place::Named(directory, name) => directory.stat(name)?,
            Place::Opened(_, metadata) => metadata,
        };
        Ok((metadata.state(), metadata.links))
    }

    /// Its content with what was known of it before it was read; `None` for content longer than
    /// `most` bytes.
    ///
    /// # Errors
    /// When it cannot be read, or is no regular file any more.
    pub fn read(&self, most: u64) -> io::Result<(FileState, Option<Vec<u8>>)> {
        match self.found {
            Place::Named(directory, name) => {
                let file = directory.open(name)?;
                let metadata = Metadata::of(&file)?;
                if metadata.kind != FileKind::File {
                    return Err(io::ErrorKind::InvalidInput.into());
                }
                Ok((metadata.state(), read_to(&file, most)?))
            }
            Place::Opened(file, metadata) => Ok((metadata.state(), read_to(file, most)?)),
        }
    }
}

fn read_to(file: &std::fs::File, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut text)?;
    Ok((text.len() as u64 <= most).then_some(text))
}

struct SurveyVisitor<'a> {
    surveyed: &'a FileSurvey,
    surveyor: &'a dyn Surveyor,
}

impl Visitor for SurveyVisitor<'_> {
    fn visit(&mut self, found: &WalkEntry<'_>) {
        if found.kind == FileKind::File && !self.surveyed.site.rules().below(found.scope, found.path).is_closed() {
            let seen = SurveyedFile { found: Place::Named(found.directory, found.name), path: found.path };
            self.surveyor.visit(&seen);
        }
    }

    fn enters(&self, folder: &Path) -> bool {
        self.surveyor.enters(folder)
    }
}
