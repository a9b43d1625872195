//! The layer that records every call with its outcome, before the result is returned.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use async_trait::async_trait;
use tools_core::{
    Approval, Clock, Invocation, Layer, LayerInfo, Next, Outcome, Redactor, Refusal, SessionId, Shared, SystemClock,
    ToolError, keys,
};

use crate::entry::{Arrival, Ending, HumanAnswer};
use crate::redaction::FailClosed;
use crate::running::RunningCalls;
use crate::{AuditError, AuditSink, ConnectionLine, Entry, Head, OnError};

/// Records every call. Placed directly below the layer that announces calls, so that nobody gets an
/// unrecorded result.
pub struct Audit {
    sink: Arc<dyn AuditSink>,
    redactor: Arc<dyn Redactor>,
    clock: Arc<dyn Clock>,
    on_error: OnError,
    policy: Option<Shared<String>>,
    /// Number of lines that could not be written since the last successful write.
    lost: AtomicU64,
    /// Lines of running calls, in case this process is killed.
    running: Option<RunningCalls>,
}

impl Audit {
    /// The row of the layer that notes calls before they run.
    pub const RUNNING: LayerInfo = LayerInfo {
        name: "running",
        owner: "tools-audit",
        refuses_with: &[],
        why: "around every real execution: notes each running call, so that a later process can record a call whose process was killed",
    };

    /// Its row in a list of layers.
    pub const INFO: LayerInfo = LayerInfo {
        name: "audit",
        owner: "tools-audit",
        refuses_with: &["permanent_failure/audit_failed"],
        why: "sees every refusal, unknown tool and dropped call, and writes before it returns",
    };

    /// A layer that writes to `sink` the text redacted by `redactor`.
    pub fn new(sink: Arc<dyn AuditSink>, redactor: Arc<dyn Redactor>, on_error: OnError) -> Self {
        Self {
            sink,
            redactor,
            clock: Arc::new(SystemClock),
            on_error,
            policy: None,
            lost: AtomicU64::new(0),
            running: None,
        }
    }

    /// Sets another clock.
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Sets the digest of the rules that calls are judged by; the owner updates it when the rules
    /// are replaced.
    pub fn with_policy(self, digest: Shared<String>) -> Self {
        Self { policy: Some(digest), ..self }
    }

    /// Sets a folder for the lines of running calls: if this process is killed, a later one finds
    /// and records them. Lines that are there now are recorded at once. [`Audit::noting`] is the
    /// layer that fills it.
    pub fn noting_in(self, folder: std::path::PathBuf) -> Self {
        crate::running::take_unfinished(&folder, |body| match self.sink.append(body) {
            Ok(_) => true,
            Err(error) => {
                tracing::error!(%error, "a call whose process was killed is not on record yet");
                false
            }
        });
        Self { running: Some(RunningCalls::in_folder(folder)), ..self }
    }

    /// The layer that notes a call in the folder of [`Audit::noting_in`] before it runs. It stands
    /// directly around the execution, so that the note contains the verdict. Calls that change
    /// nothing are not noted.
    pub fn noting(self: &Arc<Self>) -> Arc<dyn Layer> {
        Arc::new(Noting(Arc::clone(self)))
    }

    /// After a lost line no call runs until the log accepts a line with the number of lost lines.
    fn resume(&self) -> Result<(), AuditError> {
        let lost = self.lost.load(Ordering::Acquire);
        if lost == 0 {
            return Ok(());
        }
        let now = self.clock.now();
        self.sink.append(&format!(r#""ts":"{now:.3}","event":"audit_resumed","lost":{lost}"#))?;
        self.lost.fetch_sub(lost, Ordering::AcqRel);
        Ok(())
    }

    /// Records that a person refused a call, in addition to the line about the question: `error` is
    /// the model's error. A failed write is only logged; the call is refused either way.
    pub fn decline(&self, inv: &Invocation, refusal: &Refusal, error: ToolError) {
        inv.context.journal().note(keys::APPROVED_BY, "person");
        let answer = HumanAnswer { approval: None, refusal: Some(refusal) };
        if let Err(error) = self.record_refused(inv, answer, error) {
            tracing::error!(%error, call = %inv.call.id, "a person's refusal is not on record");
        }
    }

    /// Records that a call was refused before it reached the layers, or was cancelled: `error` is
    /// the model's error.
    ///
    /// # Errors
    /// When the line cannot be written and the configuration blocks unrecorded calls.
    pub fn refuse(&self, inv: &Invocation, error: ToolError) -> Result<(), ToolError> {
        let written = self.record_refused(inv, HumanAnswer::default(), error);
        written.or_else(|error| self.failed(inv, error, ToolError::from))
    }

    fn record_refused(&self, inv: &Invocation, answer: HumanAnswer<'_>, error: ToolError) -> Result<(), AuditError> {
        self.resume()?;
        self.record(inv, answer, &Ending::Returned(&Err(error)), self.arrival())
    }

    fn arrival(&self) -> Arrival {
        Arrival { at: self.clock.now(), arrived: Instant::now() }
    }

    /// Records a connection of a command. A failed write is logged, and counts as a lost line.
    pub fn connection(&self, connection: &ConnectionLine<'_>) {
        let session = SessionId::parse(connection.session).ok();
        let of_session = session.and_then(|session| self.redactor.in_session(&session));
        let redactor = FailClosed(of_session.as_deref().unwrap_or(self.redactor.as_ref()));
        let now = format!("{:.3}", self.clock.now());
        let body = connection.to_body(&now, &redactor).map_err(AuditError::from);
        if let Err(error) = body.and_then(|body| self.sink.append(&body)) {
            self.lost.fetch_add(1, Ordering::AcqRel);
            tracing::error!(%error, host = connection.host, "a connection is not on record");
        }
    }

    /// Stores the line of a call without awaiting.
    fn record(
        &self,
        inv: &Invocation,
        answer: HumanAnswer<'_>,
        ending: &Ending<'_>,
        arrival: Arrival,
    ) -> Result<(), AuditError> {
        let body = self.body(inv, answer, ending, arrival);
        self.counted(body.and_then(|body| self.sink.append(&body)))
    }

    /// The members of the line of a call.
    fn body(
        &self,
        inv: &Invocation,
        answer: HumanAnswer<'_>,
        ending: &Ending<'_>,
        arrival: Arrival,
    ) -> Result<String, AuditError> {
        let of_session = self.redactor.in_session(inv.context.session());
        let redactor = FailClosed(of_session.as_deref().unwrap_or(self.redactor.as_ref()));
        let policy = self.policy.as_ref().map(Shared::load);
        let policy = policy.as_ref().map(|digest| digest.as_str());
        Ok(Entry::new(inv, answer, policy, ending, arrival, &redactor).to_body()?)
    }

    /// Counts a line that could not be written.
    fn counted(&self, written: Result<Head, AuditError>) -> Result<(), AuditError> {
        if let Err(error) = written {
            self.lost.fetch_add(1, Ordering::AcqRel);
            return Err(error);
        }
        Ok(())
    }

    /// Handles a missing line; `refused` makes the error of the call if unrecorded calls are
    /// blocked.
    fn failed(
        &self,
        inv: &Invocation,
        error: AuditError,
        refused: impl FnOnce(AuditError) -> ToolError,
    ) -> Result<(), ToolError> {
        tracing::error!(%error, call = %inv.call.id, "a tool call is not on record");
        match self.on_error {
            OnError::Block => Err(refused(error)),
            OnError::Warn => {
                inv.context.journal().warn("this call is not in the audit log");
                Ok(())
            }
        }
    }
}

#[async_trait]
impl Layer for Audit {
    fn name(&self) -> &'static str {
        Self::INFO.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        if let Err(error) = self.resume().and_then(|()| self.sink.prepare()) {
            self.failed(inv, error, ToolError::from)?;
        }
        let mut unfinished =
            DropRecord { audit: self, inv, approval: next.approval(), arrival: self.arrival(), armed: true };
        let outcome = next.run(inv).await;
        unfinished.armed = false;
        let ending = Ending::Returned(&outcome);
        let body = self.body(inv, HumanAnswer::yes(unfinished.approval), &ending, unfinished.arrival);
        let written = match body {
            Ok(body) => self.sink.store(body).await,
            Err(error) => Err(error),
        };
        if let Some(running) = &self.running {
            running.end(&inv.call.id);
        }
        match self.counted(written) {
            Ok(()) => outcome,
            Err(error) => self.failed(inv, error, AuditError::withheld).and(outcome),
        }
    }
}

/// Records a call whose future is dropped while it runs.
struct DropRecord<'a> {
    audit: &'a Audit,
    inv: &'a Invocation,
    approval: Option<&'a Approval>,
    arrival: Arrival,
    armed: bool,
}

impl Drop for DropRecord<'_> {
    fn drop(&mut self) {
        if self.armed
            && let Err(error) =
                self.audit.record(self.inv, HumanAnswer::yes(self.approval), &Ending::Dropped, self.arrival)
        {
            tracing::error!(%error, call = %self.inv.call.id, "a dropped tool call is not on record");
        }
        if let Some(running) = self.audit.running.as_ref().filter(|_| self.armed) {
            running.end(&self.inv.call.id);
        }
    }
}

/// Notes the line of a call before it runs.
struct Noting(Arc<Audit>);

#[async_trait]
impl Layer for Noting {
    fn name(&self) -> &'static str {
        Audit::RUNNING.name
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let is_changing = inv.inspection().is_ok_and(|inspection| !inspection.read_only);
        if let Some(running) = self.0.running.as_ref().filter(|_| is_changing) {
            match self.0.body(inv, HumanAnswer::yes(next.approval()), &Ending::Killed, self.0.arrival()) {
                Ok(body) => running.begin(&inv.call.id, &body),
                Err(error) => tracing::debug!(%error, call = %inv.call.id, "a call is not noted before it runs"),
            }
        }
        next.run(inv).await
    }
}

tools_core::partial_debug!(Audit { on_error });
