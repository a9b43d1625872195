//! Where approvals of a configuration outlive a session: a file of this user, or a database.

use std::sync::Arc;

use tools_policy::permissions::{ApprovalSnapshot, ApprovalStore, ApprovalsConfig, FileApprovals, TextDiff};

use crate::config::{HaftConfig, LoadError, LoadedConfig, places};

/// The store of a configuration, and what is known of it before it is first read.
///
/// # Errors
/// When `tools.approvals.database` is no address that this program can use.
pub(crate) fn store(
    loaded: &LoadedConfig<HaftConfig>,
) -> Result<(Arc<dyn ApprovalStore>, ApprovalSnapshot), LoadError> {
    let config = &loaded.config.tools.approvals;
    if config.database.is_empty() {
        let file = FileApprovals::at(config.file(&places::state_dir()));
        let first = file.snapshot();
        return Ok((Arc::new(file), first));
    }
    let store = database(config).map_err(|problem| loaded.fault("tools.approvals.database", problem))?;
    Ok((store, ApprovalSnapshot::default()))
}

#[cfg(feature = "postgres")]
fn database(config: &ApprovalsConfig) -> Result<Arc<dyn ApprovalStore>, &'static str> {
    use tools_team::approvals::{ApprovalDatabase, PostgresApprovals};

    let shared = tools_team::shared(&config.database, ApprovalDatabase::at);
    let database = shared.map_err(|_| crate::databases::NO_ADDRESS)?;
    Ok(Arc::new(PostgresApprovals::over(database, config.on_unreadable())))
}

#[cfg(not(feature = "postgres"))]
fn database(_: &ApprovalsConfig) -> Result<Arc<dyn ApprovalStore>, &'static str> {
    Err(crate::databases::NO_SERVERS)
}

/// How a question shows what changed in a script: as the file tools show changes.
#[cfg(feature = "file")]
pub(crate) const TEXT_DIFF: Option<TextDiff> = Some(tools_file::diff);
/// There are no file tools.
#[cfg(not(feature = "file"))]
pub(crate) const TEXT_DIFF: Option<TextDiff> = None;
