//! Where approvals and rejections are kept that outlive a session: what hosts implement over a file
//! or a database.

use std::{error::Error, time::Duration};

use async_trait::async_trait;
use thiserror::Error;

use super::stored::{StoredApproval, StoredRules};

/// Reason why stored approvals cannot be read, or one cannot be added.
#[derive(Debug, Error)]
#[error("the stored approvals cannot be used: {0}")]
pub struct ApprovalsError(#[source] pub Box<dyn Error + Send + Sync>);

/// Treatment of stored approvals that cannot be read, and of answers that cannot be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnreadable {
    /// No stored approval counts, and an answer counts for its call alone.
    Forget,
    /// What was read last goes on to count, and an answer counts for its session.
    Keep,
}

/// Approvals and rejections as they stand at one moment.
#[derive(Debug, Clone, Default)]
pub struct ApprovalSnapshot {
    /// A later snapshot of the same store has a higher number, unless nothing changed.
    pub number: u64,
    /// The approvals and rejections.
    pub rules: StoredRules,
}

/// Keeps approvals and rejections beyond sessions, for one [`super::SessionRules`], which reads it
/// before calls are judged.
#[async_trait]
pub trait ApprovalStore: Send + Sync {
    /// What stands now: at least what stood when this was called.
    ///
    /// # Errors
    /// When that cannot be told. What was read before is then treated by
    /// [`ApprovalStore::on_error`]; rejections count on.
    async fn read(&self) -> Result<ApprovalSnapshot, ApprovalsError>;

    /// Adds a line: an approval, a rejection, or the revocation of one. When this returns, the line
    /// outlives this process.
    ///
    /// # Errors
    /// When nothing was added, as far as is known.
    async fn add(&self, line: &StoredApproval) -> Result<(), ApprovalsError>;

    /// How long what was read counts for calls about which nothing is stored. A call about which
    /// something is stored, or that a person would be asked about, always looks.
    fn max_age(&self) -> Duration;

    /// Treatment of what cannot be read or stored.
    fn on_error(&self) -> OnUnreadable;
}
