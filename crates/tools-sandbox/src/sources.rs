//! File access for tools that open nothing themselves (an index). The owner of the roots and read
//! rules provides the files, and is asked again before content is shown to a model.

use std::{
    io,
    path::{Path, PathBuf},
};

use tools_core::{AnswerBudget, CallContext, FileState, Inspection, ToolError};

/// The files of workspaces under the rules of the file tools.
pub trait Sources: Send + Sync + 'static {
    /// The scope of a search at `path`, or of the whole workspace if `None`; opens nothing.
    ///
    /// # Errors
    /// `PolicyBlocked` for a path outside the roots.
    fn inspect(&self, path: Option<&str>, cx: &CallContext) -> Result<Inspection, ToolError>;

    /// The files that one call may see, valid until its end.
    ///
    /// # Errors
    /// If a root cannot be opened.
    fn sight(&self, cx: &CallContext) -> Result<Box<dyn FileAccess>, ToolError>;
}

/// The files that one call may see. All methods may block.
pub trait FileAccess: Send + Sync {
    /// Identity of the set of files: calls with equal spaces share an index. Other roots or rules
    /// make another space.
    fn space(&self) -> Space;

    /// Canonical start paths for a walk of the whole workspace.
    fn starts(&self) -> Vec<PathBuf>;

    /// Passes the regular files at `path`, or of the whole workspace, to `visitor`, from several
    /// threads in any order. Files excluded by ignore files, read rules or gates are left out.
    /// Follows no link.
    ///
    /// # Errors
    /// If the path does not exist or may not be read. An unreadable folder below is a note.
    fn walk(&self, path: Option<&str>, visitor: &dyn Visitor) -> Result<WalkSummary, ToolError>;

    /// The current content of a file by its canonical path; `None` if it is missing, closed to this
    /// call, not a regular file, or longer than `most` bytes.
    fn read(&self, path: &Path, most: u64) -> Option<Vec<u8>>;

    /// Removes credentials from a text; the lines stay the same.
    fn hide(&self, path: &Path, text: Vec<u8>) -> Vec<u8>;

    /// A path as shown to a model.
    fn show(&self, path: &Path) -> String;

    /// Maximum length of the answer.
    fn answer(&self) -> AnswerBudget;

    /// Whether the call was cancelled.
    fn is_cancelled(&self) -> bool;
}

/// Files that a call may see.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Space {
    /// The canonical folders.
    pub roots: Vec<PathBuf>,
    /// A number that differs for other rules.
    pub rules: u64,
}

/// Receiver of the files of a walk. Called by [`FileAccess::walk`], from several threads.
pub trait Visitor: Sync {
    /// Called with a folder before anything in it is read: one that is walked, or one whose ignore
    /// files apply there. Includes folders that are missing or unreadable, so that they can be
    /// watched from now on. `false` skips the content of the folder.
    fn enters(&self, folder: &Path) -> bool;

    /// Called with a file.
    fn visit(&self, candidate: &dyn Candidate);
}

/// A file found by a walk.
pub trait Candidate {
    /// Its canonical path.
    fn path(&self) -> &Path;

    /// Its current state, without opening it, and its number of names.
    ///
    /// # Errors
    /// If the system returns an error.
    fn state(&self) -> io::Result<(FileState, u64)>;

    /// Its content, with its state before reading; `None` instead of content longer than `most`
    /// bytes.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&self, most: u64) -> io::Result<(FileState, Option<Vec<u8>>)>;
}

/// Result of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkSummary {
    /// Start of the walk: canonical paths.
    pub starts: Vec<PathBuf>,
    /// True if the walk ended before it had seen everything.
    pub is_cut: bool,
    /// Folders that could not be read.
    pub unreadable: u64,
    /// Remarks on omitted files for the model, each a sentence without its full stop.
    pub notes: Vec<String>,
}
