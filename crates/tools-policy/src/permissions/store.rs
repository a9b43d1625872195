//! The trait for stores of approvals and rejections beyond a session. Hosts implement it over a
//! file or a database.

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
    /// Stored approvals do not apply, and an answer applies to its call alone.
    Forget,
    /// The last snapshot still applies, and an answer applies to its session.
    Keep,
}

/// The stored approvals and rejections at one moment.
#[derive(Debug, Clone, Default)]
pub struct ApprovalSnapshot {
    /// A later snapshot of the same store has a higher number, unless nothing changed.
    pub number: u64,
    /// The approvals and rejections.
    pub rules: StoredRules,
}

/// Stores approvals and rejections beyond sessions, for one [`super::SessionRules`], which reads
/// the store before calls are judged.
#[async_trait]
pub trait ApprovalStore: Send + Sync {
    /// The present state, at least as recent as the beginning of this call.
    ///
    /// # Errors
    /// If it cannot be read. [`ApprovalStore::on_error`] then decides whether the last snapshot
    /// applies; rejections still apply.
    async fn read(&self) -> Result<ApprovalSnapshot, ApprovalsError>;

    /// Adds a line: an approval, a rejection, or a revocation. When this returns, the line outlives
    /// this process.
    ///
    /// # Errors
    /// If nothing was added, as far as is known.
    async fn add(&self, line: &StoredApproval) -> Result<(), ApprovalsError>;

    /// Maximum age of a snapshot for calls about which nothing is stored. Other calls, and calls
    /// that a person would be asked about, always read again.
    fn max_age(&self) -> Duration;

    /// Treatment of failures to read or store.
    fn on_error(&self) -> OnUnreadable;
}
