//! Gives other crates (such as an index) access to the files of a workspace. Files are walked, read
//! and shown as by the file tools, under the same roots, read rules, gates and ignore files.

use std::ffi::OsStr;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tokio_util::sync::{CancellationToken, DropGuard};
use tools_core::{Access, AnswerBudget, CallContext, FileState, Inspection, Locked as _, Shared, Subject, ToolError};
use tools_sandbox::{
    Candidate, Directory, FileAccess, FileKind, Metadata, ResolvedPath, Sources, Space, Visitor, WalkSummary,
};

use crate::FilePolicy;
use crate::cancel::Cancel;
use crate::error::FileError;
use crate::ignore_rules::IgnoreRules;
use crate::memory::SeenFiles;
use crate::tools::notes;
use crate::walk::{Plan, SkippedCounts, Visitor as WalkVisitor, WalkEntry, walk};
use crate::workspace::{Site, Workspace};

/// Access to the files that the calls of one tool may see.
pub struct Survey {
    workspace: Arc<Workspace>,
    rules: Mutex<Rules>,
}

/// The policy of the last call, and its number. The reference keeps its address from being reused.
struct Rules {
    policy: Arc<FilePolicy>,
    number: u64,
}

/// The files that one call may see.
struct FileSurvey {
    site: Site,
    cancel: Cancel,
    rules: u64,
    _stop: DropGuard,
}

/// A regular file found by a walk and not denied by any rule.
struct SurveyedFile<'a> {
    found: Place<'a>,
    path: &'a Path,
}

enum Place<'a> {
    Named(&'a Directory, &'a OsStr),
    Opened(&'a std::fs::File, Metadata),
}

impl Survey {
    /// Access for the tool with this name.
    pub fn new(policy: Shared<FilePolicy>, tool: &'static str) -> Self {
        let rules = Mutex::new(Rules { policy: policy.load(), number: 0 });
        Self { workspace: Workspace::new(policy, &SeenFiles::default()).of(tool), rules }
    }
}

impl Sources for Survey {
    fn inspect(&self, path: Option<&str>, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.workspace.site(cx)?;
        let mut inspection = Inspection::read_only();
        for start in site.search_starts(path) {
            let resolved = site.resolve_start(&start)?;
            inspection = inspection.touching(Subject::path(resolved.into_path(), Access::Read));
        }
        Ok(inspection)
    }

    /// Work started by a call ends when the returned value is dropped or the call is cancelled.
    fn sight(&self, cx: &CallContext) -> Result<Box<dyn FileAccess>, ToolError> {
        let site = self.workspace.closed_site(cx)?;
        let token: CancellationToken = cx.cancel().child_token();
        let rules = self.rules.locked().number_of(site.policy());
        let cancel = Cancel::of(token.clone());
        Ok(Box::new(FileSurvey { site, cancel, rules, _stop: token.drop_guard() }))
    }
}

impl Rules {
    /// The number of a policy. Each new policy gets a new number, so that an index made under old
    /// rules is not used under new ones.
    fn number_of(&mut self, policy: &Arc<FilePolicy>) -> u64 {
        if !Arc::ptr_eq(&self.policy, policy) {
            (self.policy, self.number) = (Arc::clone(policy), self.number + 1);
        }
        self.number
    }
}

impl FileSurvey {
    fn walk_one(&self, asked: &Path, visitor: &dyn Visitor) -> Result<(PathBuf, SkippedCounts), ToolError> {
        let (site, rules) = (&self.site, self.site.rules());
        let start = site.open_start(asked)?;
        let path = start.path().to_path_buf();
        match start.metadata().kind {
            FileKind::Directory => {
                let directory = start.into_directory().map_err(FileError::from)?;
                let is_inside = |folder: &&Path| site.roots.paths().any(|root| folder.starts_with(root));
                for above in path.ancestors().take_while(is_inside) {
                    for folder in ["", ".git", ".git/info"] {
                        visitor.enters(&above.join(folder));
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
                let (_, skipped) = walk(&directory, &plan, || SurveyVisitor { surveyed: self, visitor });
                Ok((path, skipped))
            }
            FileKind::File => {
                let metadata = *start.metadata();
                let file = start.into_file().map_err(FileError::from)?;
                visitor.visit(&SurveyedFile { found: Place::Opened(&file, metadata), path: &path });
                Ok((path, SkippedCounts::default()))
            }
            kind => Err(FileError::NotReadable { path: asked.to_path_buf(), kind }.into()),
        }
    }
}

impl FileAccess for FileSurvey {
    fn space(&self) -> Space {
        Space { roots: self.site.roots.paths().map(Path::to_path_buf).collect(), rules: self.rules }
    }

    fn answer(&self) -> AnswerBudget {
        self.site.answer()
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    fn show(&self, path: &Path) -> String {
        self.site.show(path)
    }

    fn starts(&self) -> Vec<PathBuf> {
        let resolved = |start: PathBuf| self.site.roots.resolve(&start, &self.site.workdir).ok();
        self.site.search_starts(None).into_iter().filter_map(resolved).map(ResolvedPath::into_path).collect()
    }

    fn walk(&self, path: Option<&str>, visitor: &dyn Visitor) -> Result<WalkSummary, ToolError> {
        let (mut starts, mut skipped) = (Vec::new(), SkippedCounts::default());
        for asked in self.site.search_starts(path) {
            let (start, left_out) = self.walk_one(&asked, visitor)?;
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
        Ok(WalkSummary { starts, is_cut: skipped.exhausted, unreadable: skipped.unreadable, notes })
    }

    fn read(&self, path: &Path, most: u64) -> Option<Vec<u8>> {
        let opened = self.site.open_readable(path).ok()?;
        if opened.path() != path || opened.metadata().kind != FileKind::File {
            return None;
        }
        read_to(&opened.into_file().ok()?, most).ok()?
    }

    fn hide(&self, path: &Path, text: Vec<u8>) -> Vec<u8> {
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

impl Candidate for SurveyedFile<'_> {
    fn path(&self) -> &Path {
        self.path
    }

    fn state(&self) -> io::Result<(FileState, u64)> {
        let metadata = match self.found {
            Place::Named(directory, name) => directory.stat(name)?,
            Place::Opened(_, metadata) => metadata,
        };
        Ok((metadata.state(), metadata.links))
    }

    fn read(&self, most: u64) -> io::Result<(FileState, Option<Vec<u8>>)> {
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
    visitor: &'a dyn Visitor,
}

impl WalkVisitor for SurveyVisitor<'_> {
    fn visit(&mut self, found: &WalkEntry<'_>) {
        if found.kind == FileKind::File && !self.surveyed.site.rules().below(found.scope, found.path).is_closed() {
            let seen = SurveyedFile { found: Place::Named(found.directory, found.name), path: found.path };
            self.visitor.visit(&seen);
        }
    }

    fn enters(&self, folder: &Path) -> bool {
        self.visitor.enters(folder)
    }
}
