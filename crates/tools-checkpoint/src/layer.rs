//! Reads the workspace before and after each call that may change something, on threads other than
//! those of calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use tools_core::{Access, Invocation, Layer, Next, Outcome, Subject, ToolError, ToolOutput, keys};

use crate::checkpoints::{Checkpoints, Inner};
use crate::running::{CallRecord, Caller, DeclaredChanges, RunningCall};

/// Finishes an abandoned call when it is dropped.
struct Guard(Option<RunningCall>);

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(running) = self.0.take() else { return };
        let unfinished = running.unfinished();
        let finish = move || {
            let _unfinished = unfinished;
            if let Err(error) = running.finish() {
                tracing::warn!(%error, "a call that was stopped cannot be undone");
            }
        };
        // The runtime waits for blocking tasks when it ends. Without one, this thread can do the
        // work.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(finish)),
            Err(_) => finish(),
        }
    }
}

/// Stops the read when its future is dropped.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[async_trait]
impl Layer for Checkpoints {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let Some(touches) = touches(inv) else { return next.run(inv).await };
        let mut guard = Guard(begin(&self.inner, inv, touches).await);
        let outcome = match &guard.0 {
            Some(running) => next.run(&inv.in_context(inv.context.clone().with_write_log(&running.writes))).await,
            None => next.run(inv).await,
        };
        let Some(mut running) = guard.0.take() else { return outcome };
        if let Some(job) = job_of(&outcome) {
            running.gaps.insert(format!("what `{job}` changes after the call has returned is not covered"));
        }
        let finished = spawn_blocking(move || running.finish()).await;
        match finished.unwrap_or_else(|error| Err(std::io::Error::other(error).into())) {
            Ok(Some(written)) => tell(inv, &written),
            Ok(None) => {}
            Err(error) => inv.context.journal().warn(format!("this call cannot be undone: {error}")),
        }
        outcome
    }
}

fn tell(inv: &Invocation, written: &CallRecord) {
    let CallRecord { number, changes, lost, obstacle } = written;
    let journal = inv.context.journal();
    journal.note(keys::CHECKPOINT, json!({ "number": number, "changes": changes, "lost": lost.len() }));
    if let Some(obstacle) = obstacle {
        journal.warn(format!("`haft undo` cannot take this call back: {obstacle}"));
    }
    if let Some(first) = lost.first() {
        let more = if lost.len() > 1 { format!(", nor {} more", lost.len() - 1) } else { String::new() };
        journal.warn(format!("`haft undo` cannot take all of this call back: {first}{more}"));
    }
}

/// The command that continues in the background.
fn job_of(outcome: &Outcome) -> Option<&str> {
    let output: &ToolOutput = outcome.as_ref().map_or_else(ToolError::output, Some)?;
    output.raw_response.as_ref()?.get("job_id")?.as_str()
}

/// Changes that a call declares; `None` if it changes nothing.
fn touches(inv: &Invocation) -> Option<DeclaredChanges> {
    let inspection = inv.inspection().ok().filter(|inspection| !inspection.read_only)?;
    if inv.definition.traits.read_only {
        return None;
    }
    let anything = if inspection.observed { DeclaredChanges::Noted } else { DeclaredChanges::Anything };
    let mut paths = Vec::new();
    for subject in &inspection.subjects {
        match subject {
            Subject::Path { path, access: Access::Write | Access::Delete, .. } => paths.push(path.clone()),
            Subject::Command { .. } | Subject::Opaque { .. } => return Some(anything),
            _ => {}
        }
    }
    Some(if paths.is_empty() { anything } else { DeclaredChanges::These(paths) })
}

/// One-line description of a call: the command, or what it changes.
fn what(inv: &Invocation) -> String {
    const MAX_ABOUT_CHARS: usize = 200;
    let subjects = inv.inspection().map_or(&[][..], |inspection| &inspection.subjects);
    let path = subjects.iter().find_map(|subject| match subject {
        Subject::Path { path, access: Access::Write | Access::Delete, .. } => Some(path.to_string_lossy().into_owned()),
        _ => None,
    });
    let command = inv.call.params.get("command").and_then(Value::as_str).map(str::to_owned);
    let text = command.or(path).unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = line.chars().take(MAX_ABOUT_CHARS).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    shown
}

/// Reads before the call; `None` if it was cancelled meanwhile, or cannot be undone, which is
/// reported.
async fn begin(inner: &Arc<Inner>, inv: &Invocation, touches: DeclaredChanges) -> Option<RunningCall> {
    let stop = Stop(Arc::new(AtomicBool::new(false)));
    let (inner, cancelled) = (Arc::clone(inner), Arc::clone(&stop.0));
    let caller = Caller {
        workdir: inv.context.workdir().to_owned(),
        call_id: inv.call.id.to_string(),
        tool: inv.call.tool.to_string(),
        session: inv.context.session().to_string(),
        what: what(inv),
    };
    let looking = spawn_blocking(move || RunningCall::begin(&inner, caller, touches, &cancelled));
    let looked = tokio::select! {
        biased;
        () = inv.context.cancel().cancelled() => return None,
        looked = looking => looked,
    };
    let running = match looked {
        Ok(Ok(running)) => running,
        Ok(Err(error)) => return uncovered(inv, &error),
        Err(error) => return uncovered(inv, &error),
    };
    if let Some(obstacle) = running.obstacle() {
        inv.context.journal().warn(format!("`haft undo` cannot take this call back: {obstacle}"));
    }
    Some(running)
}

/// Reports that a call is not covered.
fn uncovered(inv: &Invocation, error: &dyn std::error::Error) -> Option<RunningCall> {
    inv.context.journal().warn(format!("`haft undo` cannot take this call back: {error}"));
    None
}
