//! Errors of the store. No call fails because of them: a call that cannot be stored runs anyway,
//! with a warning.

use std::io;

use tools_core::quoted;
use tools_sandbox::PathError;

/// Reason why the store cannot be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum CheckpointError {
    /// There are more entries than are read around a call.
    #[error("the workspace has more than {most} entries")]
    TooMany { most: usize },
    /// The file system is too slow to be read around a call.
    #[error("looking at the workspace takes too long")]
    TooSlow,
    /// The call was cancelled.
    #[error("the call was cancelled")]
    Cancelled,
    /// Another process works in the store.
    #[error("the store is in use by another process")]
    Busy,
    /// No such call is stored.
    #[error("there is no call {number} that could be undone")]
    NoSuchCall { number: u64 },
    /// The call changed files in a folder that is not the one at its path now.
    #[error("call {number} changed another folder than the one that is at `{folder}` now")]
    OtherFolder { number: u64, folder: String },
    /// Calls of a session that were made on other machines, whose stores are not here.
    #[error("what session `{session}` changed is kept by {}, and nothing of it here: undo it there", quoted(.machines))]
    Elsewhere { session: String, machines: Vec<String> },
    /// The folder of the store cannot be created.
    #[error("the folder `{folder}` cannot be made")]
    Folder { folder: String, source: io::Error },
    /// Somebody else could read or change the stored data.
    #[error("the folder `{folder}` belongs to another user")]
    NotOurs { folder: String },
    /// A folder of the workspace cannot be opened.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A system call failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The content of a file in the store is not what was written.
    #[error("`{file}` in the store is damaged")]
    Damaged { file: String },
}
