//! The files that a call may see, for tools that open nothing themselves (an index): whoever has
//! the roots and read rules shows them, and is asked again before anything is shown to a model.

use std::{
    io,
    path::{Path, PathBuf},
};

use tools_core::{AnswerBudget, CallContext, FileState, Inspection, ToolError};

/// The files of workspaces under the rules of the file tools.
pub trait Sources: Send + Sync + 'static {
    /// What a search at `path` would touch, or one of the whole workspace; opens nothing.
    ///
    /// # Errors
    /// `PolicyBlocked` for a path outside the roots.
    fn inspect(&self, path: Option<&str>, cx: &CallContext) -> Result<Inspection, ToolError>;

    /// The files as one call may see them, to its end.
    ///
    /// # Errors
    /// When a root cannot be opened.
    fn sight(&self, cx: &CallContext) -> Result<Box<dyn FileAccess>, ToolError>;
}

/// The files that one call may see. All of it may block.
pub trait FileAccess: Send + Sync {
    /// Which files these are: calls of equal spaces share an index. Other roots or other rules are
    /// another space.
    fn space(&self) -> Space;

    /// Where a walk of the whole workspace begins: canonical paths.
    fn starts(&self) -> Vec<PathBuf>;

    /// Shows the regular files at `path`, or of the whole workspace, to `visitor`: from several
    /// threads, in any order, but for those that ignore files, read rules or gates leave out. No
    /// link is followed.
    ///
    /// # Errors
    /// A path that is not there or may not be read. A folder below that cannot be read is a note.
    fn walk(&self, path: Option<&str>, visitor: &dyn Visitor) -> Result<WalkSummary, ToolError>;

    /// The content of a file as it is now, by its canonical path; `None` when it is gone, closed to
    /// this call, no regular file, or longer than `most` bytes.
    fn read(&self, path: &Path, most: u64) -> Option<Vec<u8>>;

    /// A text as it may be shown: the same lines without credentials.
    fn hide(&self, path: &Path, text: Vec<u8>) -> Vec<u8>;

    /// A path as a model should see it.
    fn show(&self, path: &Path) -> String;

    /// How much text the answer may hold.
    fn answer(&self) -> AnswerBudget;

    /// Whether nobody waits for the result any more.
    fn is_cancelled(&self) -> bool;
}

/// Files that a call may see.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Space {
    /// The canonical folders.
    pub roots: Vec<PathBuf>,
    /// Another number for other rules.
    pub rules: u64,
}

/// Receiver of the files of a walk. Called by [`FileAccess::walk`], from several threads.
pub trait Visitor: Sync {
    /// A folder, before anything in it is read: one that is walked, or one whose ignore files hold
    /// there. Each is named, also one that is not there but might be, or that cannot be read: it
    /// may be watched from now on. `false` leaves out what is in it.
    fn enters(&self, folder: &Path) -> bool;

    /// A file.
    fn visit(&self, candidate: &dyn Candidate);
}

/// A file that a walk came by.
pub trait Candidate {
    /// Its canonical path.
    fn path(&self) -> &Path;

    /// What it is now, without opening it, and how many names it has.
    ///
    /// # Errors
    /// When the system does not tell.
    fn state(&self) -> io::Result<(FileState, u64)>;

    /// Its content, with what was known of it before it was read; `None` for content longer than
    /// `most` bytes.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, most: u64) -> io::Result<(FileState, Option<Vec<u8>>)>;
}

/// Result of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkSummary {
    /// Start of the walk: canonical paths.
    pub starts: Vec<PathBuf>,
    /// Whether it was ended before it had seen everything.
    pub is_cut: bool,
    /// Folders that could not be read.
    pub unreadable: u64,
    /// Remarks on omitted files for the model, each a sentence without its full stop.
    pub notes: Vec<String>,
}
