//! Errors between a path in a call and an open handle, worded for the model.

use std::{
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;
use tools_core::{ErrorDetail, ToolError, ToolErrorCategory, classify_io_error};

use crate::{FileKind, spelling::shown};

/// A path that could not be turned into a handle.
///
/// The text contains paths only as the caller wrote them or beneath an allowed root: it never
/// reveals what exists outside the roots.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PathError {
    /// The path is the empty string.
    #[error("the path is empty")]
    Empty,
    /// The path contains a NUL byte, which no file name can.
    #[error("path `{}` contains a NUL character", shown(.0))]
    Nul(PathBuf),
    /// The path is longer than the system accepts.
    #[error("path `{}` is too long", shown(.0))]
    TooLong(PathBuf),
    /// The path, or a symbolic link on it, leads outside every allowed root.
    #[error("path `{}` is outside the allowed roots", shown(.path))]
    Outside { path: PathBuf, roots: Vec<PathBuf> },
    /// A read rule closes the path.
    #[error("path `{}` is closed by the read rules", shown(.0))]
    Denied(PathBuf),
    /// The path is an allowed root or lies above one, and must not be moved or deleted.
    #[error("path `{}` is an allowed root or holds one and cannot be moved or deleted", shown(.0))]
    Protected(PathBuf),
    /// The path is a file of the host: its rules or its record.
    #[error("path `{}` holds the rules or the record of this session and cannot be changed by a tool", shown(.0))]
    Reserved(PathBuf),
    /// The whole machine would be allowed without having been requested.
    #[error("the working directory is `/` and no folders are named, so that everything could be changed")]
    Everything,
    /// The path does not exist.
    #[error("path `{}` does not exist", shown(.0))]
    NotFound(PathBuf),
    /// The path exists already.
    #[error("path `{}` already exists", shown(.0))]
    Exists(PathBuf),
    /// A file is at a place where a directory is needed.
    #[error("path `{}` is not a directory", shown(.0))]
    NotADirectory(PathBuf),
    /// The file at the path has another kind than the operation needs.
    #[error("path `{}` is {found}, not {wanted}", shown(.path))]
    WrongKind { path: PathBuf, found: FileKind, wanted: FileKind },
    /// Too many symbolic links, most likely a loop.
    #[error("path `{}` runs through a loop of symbolic links", shown(.0))]
    LinkLoop(PathBuf),
    /// The operating system refuses access to a path inside the roots.
    #[error("permission denied for path `{}`", shown(.0))]
    Permission(PathBuf),
    /// The path kept changing while it was being opened.
    #[error("path `{}` changed while it was being opened", shown(.0))]
    Changed(PathBuf),
    /// An allowed root cannot be opened.
    #[error("allowed root `{}` cannot be opened", shown(.path))]
    Root { path: PathBuf, source: io::Error },
    /// A read rule is not a valid glob.
    #[error("`{glob}` is not a valid glob: {problem}")]
    Glob { glob: String, problem: String },
    /// Any other failure of the operating system.
    #[error("path `{}`: {source}", shown(.path))]
    Io { path: PathBuf, source: io::Error },
}

impl PathError {
    /// Converts the system's error at `path`.
    pub fn from_io(path: &Path, source: impl Into<io::Error>) -> Self {
        let source = source.into();
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound(path),
            io::ErrorKind::AlreadyExists => Self::Exists(path),
            io::ErrorKind::NotADirectory => Self::NotADirectory(path),
            io::ErrorKind::PermissionDenied => Self::Permission(path),
            io::ErrorKind::InvalidFilename => Self::TooLong(path),
            _ if source.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => Self::LinkLoop(path),
            _ => Self::Io { path, source },
        }
    }
}

impl From<PathError> for ToolError {
    fn from(error: PathError) -> Self {
        use ToolErrorCategory as C;
        let (category, code) = match &error {
            PathError::Empty | PathError::Nul(_) | PathError::TooLong(_) => (C::InvalidParameters, "invalid_path"),
            PathError::Outside { .. } => (C::PolicyBlocked, "sandbox_outside"),
            PathError::Denied(_) => (C::PolicyBlocked, "read_denied"),
            PathError::Protected(_) => (C::PolicyBlocked, "path_protected"),
            PathError::Everything => (C::PolicyBlocked, "everything_allowed"),
            PathError::Reserved(_) => (C::PolicyBlocked, "path_reserved"),
            PathError::Permission(_) => (C::PolicyBlocked, "not_permitted"),
            PathError::NotFound(_) => (C::PermanentFailure, "not_found"),
            PathError::Exists(_) => (C::InvalidParameters, "already_exists"),
            PathError::NotADirectory(_) => (C::InvalidParameters, "not_a_directory"),
            PathError::WrongKind { .. } => (C::InvalidParameters, "wrong_kind"),
            PathError::LinkLoop(_) => (C::InvalidParameters, "link_loop"),
            PathError::Changed(_) => (C::PermanentFailure, "path_changed"),
            PathError::Root { .. } => (C::PermanentFailure, "root_unavailable"),
            PathError::Glob { .. } => (C::InvalidParameters, "invalid_glob"),
            PathError::Io { source, .. } => (classify_io_error(source), "io_error"),
        };
        let suggestion = match &error {
            PathError::Outside { roots, .. } => {
                let roots: Vec<String> = roots.iter().map(|root| format!("`{}`", shown(root))).collect();
                Some(format!("Use a path below {}.", roots.join(" or ")))
            }
            PathError::Denied(_) => {
                Some("The operator keeps this file closed (`tools.file.deny_read`); go on without it.".to_owned())
            }
            PathError::Everything => {
                Some("Tell the user: calls need a working directory, or folders in `allowed_paths`.".to_owned())
            }
            PathError::Protected(_) => Some("Name what is inside instead of the root itself.".to_owned()),
            PathError::Permission(_) => Some("The operating system refuses; go on without it.".to_owned()),
            PathError::NotFound(_) => Some("Look for the right path with `find_path` or `list_directory`.".to_owned()),
            PathError::Exists(_) => Some("Choose another name.".to_owned()),
            PathError::Changed(_) => Some("Something else is changing it; try the call again.".to_owned()),
            _ => None,
        };
        let mut tool_error = Self::new(category, code, error.to_string());
        if let Some(suggestion) = suggestion {
            tool_error = tool_error.with_suggestion(suggestion);
        }
        if matches!(error, PathError::NotFound(_) | PathError::Changed(_)) {
            tool_error = tool_error.with_detail(ErrorDetail::OfTheCall);
        }
        tool_error.with_source(error)
    }
}
