//! Errors of the file tools, with their categories.

use std::{fmt::Write as _, path::PathBuf};

use thiserror::Error;
use tools_core::{ErrorDetail, ToolError, ToolErrorCategory};
use tools_sandbox::{FileKind, PathError, shown};

use crate::splice::{EditMismatch, NearestText, Row, Step};

/// Reason why a file operation failed, or was only partly done.
#[derive(Debug, Error)]
pub(crate) enum FileError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error("path `{}` does not exist", shown(.path))]
    Missing { path: PathBuf, near: Vec<String> },
    #[error("path `{}` is {kind}{}", shown(.path), if *.kind == FileKind::Directory { "" } else { " and cannot be read" })]
    NotReadable { path: PathBuf, kind: FileKind },
    #[error("path `{}` is {kind}, not a regular file", shown(.path))]
    NotAFile { path: PathBuf, kind: FileKind },
    #[error("path `{}` is a binary file and cannot be edited as text", shown(.path))]
    Binary { path: PathBuf },
    #[error("path `{}` holds text that cannot be decoded and written back unchanged", shown(.path))]
    Undecodable { path: PathBuf },
    #[error("the new text holds `{character}`, which the file's encoding {encoding} does not have")]
    Unencodable { character: char, encoding: &'static str },
    #[error("path `{}` has {size} bytes, more than the {limit} that can be edited", shown(.path))]
    TooLarge { path: PathBuf, size: u64, limit: u64 },
    #[error("path `{}` has more than 64 MiB in one line, or in all where a match may span lines", shown(.path))]
    TooLongToSearch { path: PathBuf },
    #[error("{before}path `{}` changed since this session last read it\n{changes}", shown(.path))]
    ChangedSinceRead { before: String, path: PathBuf, changes: String },
    #[error("path `{}` was changed by something else during the call; nothing was written", shown(.path))]
    ChangedMeanwhile { path: PathBuf },
    #[error("path `{}` is read-only", shown(.path))]
    ReadOnly { path: PathBuf },
    #[error("{0}")]
    Arguments(String),
    #[error("{}", miss_text(.at, .miss))]
    Edit { at: String, miss: EditMismatch },
    #[error("invalid {what} `{pattern}`: {problem}")]
    Pattern { what: &'static str, pattern: String, problem: String },
    #[error("directory `{}` is not empty ({entries} entries)", shown(.path))]
    NotEmpty { path: PathBuf, entries: usize },
    #[error("destination `{}` already exists", shown(.path))]
    DestinationExists { path: PathBuf, kind: FileKind },
    #[error("`{}` and `{}` are the same", shown(.from), shown(.to))]
    SameFile { from: PathBuf, to: PathBuf },
    #[error("destination `{}` is inside the source `{}`", shown(.to), shown(.from))]
    IntoItself { from: PathBuf, to: PathBuf },
    #[error("`{}` holds files that the read rules close and that would be open at the destination", shown(.path))]
    WouldOpen { path: PathBuf },
    #[error("`{}` is {kind} and cannot be copied", shown(.path))]
    NotCopyable { path: PathBuf, kind: FileKind },
    #[error("{done}, then: {cause}")]
    Partly { done: String, cause: Box<FileError> },
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the operation ended unexpectedly")]
    Lost,
}

impl FileError {
    pub(crate) fn io(path: &std::path::Path, error: impl Into<std::io::Error>) -> Self {
        Self::Path(PathError::from_io(path, error))
    }

    fn classify(&self) -> (ToolErrorCategory, &'static str) {
        use ToolErrorCategory as C;
        match self {
            // Only for the cause inside `Partly`: a path error alone has its own conversion.
            Self::Path(_) => (C::PermanentFailure, "partly_done"),
            Self::Missing { .. } => (C::PermanentFailure, "not_found"),
            Self::NotReadable { .. } | Self::NotAFile { .. } | Self::NotCopyable { .. } => {
                (C::InvalidParameters, "wrong_kind")
            }
            Self::Binary { .. } => (C::InvalidParameters, "binary_file"),
            Self::Undecodable { .. } | Self::Unencodable { .. } => (C::InvalidParameters, "encoding"),
            Self::TooLarge { .. } | Self::TooLongToSearch { .. } => (C::InvalidParameters, "too_large"),
            Self::ChangedSinceRead { .. } => (C::InvalidParameters, "changed_since_read"),
            Self::ChangedMeanwhile { .. } => (C::PermanentFailure, "path_changed"),
            Self::ReadOnly { .. } => (C::PolicyBlocked, "not_permitted"),
            Self::Arguments(_) => (C::InvalidParameters, "invalid_parameters"),
            Self::Edit { miss: EditMismatch::NotFound { .. }, .. } => (C::InvalidParameters, "edit_not_found"),
            Self::Edit { miss: EditMismatch::Ambiguous { .. }, .. } => (C::InvalidParameters, "edit_ambiguous"),
            Self::Pattern { .. } => (C::InvalidParameters, "invalid_pattern"),
            Self::NotEmpty { .. } => (C::InvalidParameters, "not_empty"),
            Self::DestinationExists { .. } => (C::InvalidParameters, "already_exists"),
            Self::SameFile { .. } | Self::IntoItself { .. } => (C::InvalidParameters, "same_place"),
            Self::WouldOpen { .. } => (C::PolicyBlocked, "read_denied"),
            Self::Partly { cause, .. } => (cause.classify().0, "partly_done"),
            Self::Cancelled => (C::Cancelled, "cancelled"),
            Self::Lost => (C::PermanentFailure, "lost"),
        }
    }

    fn suggestion(&self) -> Option<String> {
        Some(match self {
            Self::Missing { near, .. } if !near.is_empty() => format!("Near names: {}.", near.join(", ")),
            Self::Missing { .. } => "Look for the right path with `find_path` or `list_directory`.".into(),
            Self::NotReadable { kind: FileKind::Directory, .. } => "Use `list_directory` for a directory.".into(),
            Self::NotReadable { .. } => "Only regular files can be read.".into(),
            Self::NotAFile { .. } | Self::NotCopyable { .. } => "Name a regular file.".into(),
            Self::Binary { .. } => "Replace the whole file with another tool.".into(),
            Self::TooLarge { .. } => "Change it with a command instead.".into(),
            Self::TooLongToSearch { .. } => "Search it with a command instead.".into(),
            Self::ChangedSinceRead { .. } => {
                "Take these changes into account and send the call again; it will go through if nothing else changes."
                    .into()
            }
            Self::ChangedMeanwhile { .. } => "Read it again and repeat the call.".into(),
            Self::Edit { miss: EditMismatch::Ambiguous { .. }, .. } => {
                "Add surrounding lines to `old_string` until it is unique, or set `replace_all`.".into()
            }
            Self::Edit { .. } => "Copy the text exactly as the file has it, without line numbers.".into(),
            Self::Pattern { what: "regular expression", .. } => {
                "Escape special characters with `\\`, or set `literal` to search for the text itself.".into()
            }
            Self::NotEmpty { .. } => "Set `recursive` to delete it with everything in it.".into(),
            Self::DestinationExists { kind: FileKind::Directory, path } => {
                format!("Name the full target, for example `{}/NAME`.", shown(path))
            }
            Self::DestinationExists { .. } => "Choose another name, or set `overwrite`.".into(),
            _ => return None,
        })
    }
}

impl From<FileError> for ToolError {
    fn from(error: FileError) -> Self {
        let error = match error {
            FileError::Path(error) => return error.into(),
            other => other,
        };
        let (category, code) = error.classify();
        let mut tool_error = Self::new(category, code, error.to_string());
        if matches!(error, FileError::Missing { .. } | FileError::ChangedMeanwhile { .. }) {
            tool_error = tool_error.with_detail(ErrorDetail::OfTheCall);
        }
        match error.suggestion() {
            Some(suggestion) => tool_error.with_suggestion(suggestion),
            None => tool_error,
        }
    }
}

fn miss_text(at: &str, miss: &EditMismatch) -> String {
    match miss {
        EditMismatch::Ambiguous { step, lines, total } => {
            let numbers: Vec<String> = lines.iter().map(ToString::to_string).collect();
            let more = if *total > lines.len() { ", …" } else { "" };
            let how = match step {
                Step::Exact => String::new(),
                step => format!(" when {step} are ignored"),
            };
            format!(
                "{at}`old_string` matches {total} places{how}, at lines {}{more}; nothing was changed",
                numbers.join(", ")
            )
        }
        EditMismatch::NotFound { near, applied, copied } => {
            let mut text = format!("{at}`old_string` was not found; nothing was changed");
            if let Some(copied) = copied {
                let _ = write!(text, "\n{copied}");
            }
            if let Some(line) = applied {
                let _ = write!(
                    text,
                    "\n`new_string` is already present at line {line}: the edit seems to be applied already"
                );
            }
            if let Some(near) = near {
                text.push_str(&near_text(near));
            }
            text
        }
    }
}

/// The nearest text next to the sent text, as a diff with the line numbers of the file.
fn near_text(NearestText { lines: (first, last), rows, why }: &NearestText) -> String {
    let place = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
    let mut text = format!("\nnearest text, {place}{why}; `-` as sent, `+` as the file has it:");
    for row in rows {
        let _ = match row {
            Row::Same(number, line) => write!(text, "\n{number:>6}\t {line}"),
            Row::Sent(line) => write!(text, "\n{:>6}\t-{line}", ""),
            Row::File(number, line) => write!(text, "\n{number:>6}\t+{line}"),
            Row::Skipped(1) => write!(text, "\n{:>6}\t [1 line]", ""),
            Row::Skipped(count) => write!(text, "\n{:>6}\t [{count} lines]", ""),
        };
    }
    text
}
