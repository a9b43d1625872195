//! A command that can be taken back: what lies in the workspace is copied before it runs, and put
//! back when it fails. Found by looking, never by guessing from the words of the command what it
//! would change.

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
