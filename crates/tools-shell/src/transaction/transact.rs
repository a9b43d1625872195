//! Begins and concludes a transaction: the snapshot before a command, and the rollback after it.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::task::spawn_blocking;
use tools_core::{CallContext, EventKind, Outcome, ToolError, ToolErrorCategory, ToolOutput, keys};

use super::envelope::RollbackReport;
use super::rollback::roll_back;
use super::snapshot::{Snapshot, SnapshotError};
use crate::{error::ShellError, policy::ShellPolicy};

/// A command that can be undone.
pub(crate) struct Transaction {
    snapshot: Snapshot,
    /// Exit codes after which it is undone; empty for any but 0, `None` for never.
    codes: Option<Vec<i32>>,
}

impl Transaction {
    /// Takes a snapshot of `roots`. `None` if that fails and no snapshot is required; a note of the
    /// call then says so.
    ///
    /// # Errors
    /// If it fails and a snapshot is required.
    pub(crate) async fn begin(
        policy: &ShellPolicy,
        roots: Vec<PathBuf>,
        cx: &CallContext,
    ) -> Result<Option<Self>, ShellError> {
        let (scope, limit) = (policy.scope.clone(), policy.config.max_snapshot_bytes);
        let taken = spawn_blocking(move || Snapshot::take(&roots, &scope, limit)).await;
        let taken = taken.unwrap_or_else(|error| Err(SnapshotError::Io(std::io::Error::other(error))));
        let config = &policy.config;
        match taken {
            Ok(snapshot) => {
                let codes = config.auto_rollback.then(|| config.auto_rollback_exit_codes.clone());
                Ok(Some(Self { snapshot, codes }))
            }
            Err(error) => without(error, policy, cx),
        }
    }

    /// Handles jobs: they continue beside later calls, and restoring files at their end would undo
    /// those too.
    ///
    /// # Errors
    /// If a snapshot is required.
    pub(crate) fn impossible(policy: &ShellPolicy, cx: &CallContext) -> Result<Option<Self>, ShellError> {
        without(SnapshotError::Background, policy, cx)
    }

    /// The folder of the copies, which the command cannot reach.
    pub(crate) fn place(&self) -> &Path {
        self.snapshot.place()
    }

    /// Undoes the command if it ended with one of the configured codes.
    pub(crate) async fn conclude(self, outcome: Outcome, cx: &CallContext) -> Outcome {
        if !self.codes.as_deref().is_some_and(|codes| takes_back(codes, exit_code(&outcome))) {
            // Removing many copies takes time, and nobody needs to wait for it.
            spawn_blocking(move || drop(self));
            return outcome;
        }
        // Continues to its end even if nobody waits any more.
        let report = spawn_blocking(move || roll_back(self.snapshot)).await;
        let report = report.unwrap_or_else(|error| RollbackReport {
            failed: vec![format!(". ({error})")],
            ..RollbackReport::default()
        });
        let RollbackReport { restored, deleted, .. } = report;
        cx.events().send(EventKind::Rollback { restored, deleted }).await;
        cx.journal().note(keys::ROLLBACK, serde_json::to_value(&report).unwrap_or_default());
        told(outcome, &report)
    }
}

/// Handles a command without a snapshot: an error if one is required, else a note.
fn without(error: SnapshotError, policy: &ShellPolicy, cx: &CallContext) -> Result<Option<Transaction>, ShellError> {
    if policy.config.snapshot_required {
        return Err(ShellError::Snapshot(error));
    }
    cx.journal().warn(format!("the command ran without a snapshot and cannot be undone: {error}"));
    Ok(None)
}

/// Whether a command with this exit code is undone.
fn takes_back(codes: &[i32], code: Option<i32>) -> bool {
    match code {
        None | Some(0) => false,
        Some(code) => codes.is_empty() || codes.contains(&code),
    }
}

fn exit_code(outcome: &Outcome) -> Option<i32> {
    outcome.as_ref().map_or_else(ToolError::output, Some)?.ended.as_ref()?.exit
}

/// The outcome with a report on the restored files; an error if some could not be restored.
fn told(outcome: Outcome, report: &RollbackReport) -> Outcome {
    let add = |mut output: ToolOutput| {
        if let Some(Value::Object(envelope)) = &mut output.raw_response {
            envelope.insert("rollback".to_owned(), serde_json::to_value(report).unwrap_or_default());
        }
        output.ended.get_or_insert_default().notes.push(sentence(report));
        output
    };
    let outcome = outcome.map(add).map_err(|error| error.map_output(add));
    let Some(backup) = &report.backup else { return outcome };
    let output = match outcome {
        Ok(output) => output,
        Err(error) => error.output().cloned().unwrap_or_default(),
    };
    let failed = report.failed.join(", ");
    let message = format!("not everything could be put back: {failed}; the originals are in `{backup}`");
    Err(ToolError::new(ToolErrorCategory::PermanentFailure, "rollback_incomplete", message)
        .with_suggestion("Do not go on: a person has to look at it.")
        .with_output(output))
}

fn sentence(report: &RollbackReport) -> String {
    let RollbackReport { restored, deleted, failed, .. } = report;
    let rest = if failed.is_empty() { String::new() } else { format!(", NOT put back: {}", failed.join(", ")) };
    format!("rolled back: {restored} restored, {deleted} removed{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_failures_are_taken_back() {
        let check = |codes: &[i32], code, expected| assert_eq!(takes_back(codes, code), expected, "{codes:?} {code:?}");
        check(&[1, 2], Some(1), true);
        check(&[1, 2], Some(3), false);
        check(&[1, 2], Some(0), false);
        check(&[0], Some(0), false);
        check(&[], Some(137), true);
        check(&[], Some(0), false);
        check(&[], None, false);
    }
}
