//! Commands that can be undone: the files of the workspace are copied before a command, and
//! restored if it fails. Changes are found by comparison, never guessed from the words of the
//! command.

mod detect;
mod envelope;
mod rollback;
mod scope;
mod snapshot;
mod transact;

pub(crate) use detect::{only_reads, reads, writes_nothing_itself};
pub use envelope::RollbackReport;
pub(crate) use scope::SnapshotScope;
pub(crate) use snapshot::SnapshotError;
pub(crate) use transact::Transaction;
