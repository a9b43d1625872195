//! One job: its output, its state and its end. Shared by the task that follows it and by its
//! readers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};
use tools_core::SessionId;

use super::log::{Hold, Log, Source};
use crate::combined_output::CommandOutput;

/// Time without output after which an incomplete line is shown.
const OPEN_LINE: Duration = Duration::from_secs(1);
/// Time without output after which new output is reported.
const SETTLED: Duration = Duration::from_millis(200);
/// Maximum delay of a report while output keeps coming.
const PATIENCE: Duration = Duration::from_secs(1);
/// Number of bytes that are reported without delay.
const MUCH: usize = 64 << 10;

/// A command in the background.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) session: SessionId,
    /// Its command line.
    pub(crate) line: Arc<str>,
    started: Instant,
    inner: Mutex<Inner>,
    changed: watch::Sender<()>,
    /// Notified when somebody wants the job to end.
    pub(crate) stop: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    log: Log,
    /// Both streams combined, for a reader who missed a part of the log; `None` while the job runs.
    whole: Option<CommandOutput>,
    end: Option<JobEnd>,
    /// Time of the last output.
    printed: Option<Instant>,
}

impl Inner {
    /// The part of the end that a page leaves for the next one.
    fn hold(&self) -> Hold {
        let is_fresh = self.printed.is_some_and(|printed| printed.elapsed() < OPEN_LINE);
        match (&self.end, is_fresh) {
            (Some(_), _) => Hold::Nothing,
            (None, true) => Hold::Line,
            (None, false) => Hold::Word,
        }
    }
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JobEnd {
    pub(crate) exit_code: i32,
    pub(crate) signal: Option<i32>,
    pub(crate) timed_out: bool,
    pub(crate) killed: bool,
    pub(crate) left_running: u32,
    pub(crate) pipe_status: Option<Vec<i32>>,
    /// Further remarks about the end.
    pub(crate) note: Option<String>,
    pub(crate) elapsed: Duration,
}

/// Whether a job still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    /// It runs.
    Running,
    /// It has ended, and nothing of it is left.
    Ended,
}

/// Output of a job from some point on, and its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobReport {
    /// The job.
    pub id: String,
    /// Whether it still runs.
    pub state: JobState,
    /// Standard output since the point asked for.
    pub stdout: String,
    /// Standard error since the point asked for.
    pub stderr: String,
    /// Exit code as for any command; null while it runs.
    pub exit_code: Option<i32>,
    /// The signal it died of.
    pub signal: Option<i32>,
    /// Whether it was stopped because its time was up.
    pub timed_out: bool,
    /// Whether it was ended by `job_kill`.
    pub killed: bool,
    /// Pass it as `since` to read on from here.
    pub next: u64,
    /// Bytes since the point asked for that are no longer kept.
    pub lost: u64,
    /// Bytes that came and follow what is told here.
    #[serde(default)]
    pub rest: u64,
    /// Running time.
    pub duration_ms: u64,
    /// Processes it left running, which were ended with it.
    pub left_running: u32,
    /// Exit code of each part of the last pipeline, as for any command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pipe_status: Option<Vec<i32>>,
    /// Further remarks about its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Job {
    /// Creates a job without output.
    pub(crate) fn new(id: String, session: SessionId, line: Arc<str>) -> Self {
        Self {
            id,
            session,
            line,
            started: Instant::now(),
            inner: Mutex::default(),
            changed: watch::Sender::new(()),
            stop: Notify::new(),
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.lock().end.is_none()
    }

    pub(crate) fn push(&self, source: Source, bytes: &[u8]) {
        if !bytes.is_empty() {
            let mut inner = self.lock();
            inner.log.push(source, bytes);
            inner.printed = Some(Instant::now());
            drop(inner);
            self.changed.send_replace(());
        }
    }

    /// Marks the job as ended; `whole` is all its output, if somebody takes it.
    pub(crate) fn end(&self, end: JobEnd, whole: Option<CommandOutput>) {
        let mut inner = self.lock();
        inner.whole = whole;
        inner.end = Some(end);
        drop(inner);
        self.changed.send_replace(());
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// All its output, once it has ended. Output in a store can be taken any number of times,
    /// output in memory only once. `None` after that and while the job runs.
    pub(crate) fn take_whole(&self) -> Option<CommandOutput> {
        let mut inner = self.lock();
        match &inner.whole {
            Some(CommandOutput::Taken(ends, digest)) => Some(CommandOutput::Taken(ends.clone(), digest.clone())),
            _ => inner.whole.take(),
        }
    }

    /// Number of bytes of output that it holds beside the log.
    pub(crate) fn held(&self) -> u64 {
        self.lock().whole.as_ref().map_or(0, CommandOutput::size)
    }

    /// Drops the output that it holds beside the log.
    pub(crate) fn forget_whole(&self) {
        self.lock().whole = None;
    }

    /// At most `most` bytes of output from a number on, and the state.
    pub(crate) fn report(&self, since: u64, most: u64) -> JobReport {
        let inner = self.lock();
        let page = inner.log.page(since, inner.hold(), most);
        let end = inner.end.as_ref();
        let elapsed = end.map_or_else(|| self.elapsed(), |end| end.elapsed);
        JobReport {
            id: self.id.clone(),
            state: if end.is_some() { JobState::Ended } else { JobState::Running },
            stdout: page.stdout,
            stderr: page.stderr,
            exit_code: end.map(|end| end.exit_code),
            signal: end.and_then(|end| end.signal),
            timed_out: end.is_some_and(|end| end.timed_out),
            killed: end.is_some_and(|end| end.killed),
            next: page.next,
            lost: page.lost,
            rest: page.rest,
            duration_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            left_running: end.map_or(0, |end| end.left_running),
            pipe_status: end.and_then(|end| end.pipe_status.clone()),
            note: end.and_then(|end| end.note.clone()),
        }
    }

    /// Like [`Job::report`], but waits until there is settled news, at most until `until`.
    pub(crate) async fn news(&self, since: u64, until: Instant) -> JobReport {
        let mut changes = self.changed.subscribe();
        let mut latest = until;
        loop {
            changes.mark_unchanged();
            let report = self.report(since, u64::MAX);
            let now = Instant::now();
            if report.state == JobState::Ended || now >= latest {
                return report;
            }
            let printed = self.lock().printed.unwrap_or(now);
            let is_news = report.next > since;
            if is_news {
                latest = latest.min(now + PATIENCE);
                if now >= printed + SETTLED || report.stdout.len() + report.stderr.len() >= MUCH {
                    return report;
                }
            }
            // Without news there may still be an incomplete line.
            let next = if is_news { printed + SETTLED } else { printed + OPEN_LINE };
            let next = if next > now { next.min(latest) } else { latest };
            let _ = timeout_at(next, changes.changed()).await;
        }
    }

    /// Like [`Job::report`], but waits until the job has ended, at most until `until`.
    pub(crate) async fn ended(&self, until: Instant) -> JobReport {
        let mut changes = self.changed.subscribe();
        loop {
            changes.mark_unchanged();
            let report = self.report(0, u64::MAX);
            if report.state == JobState::Ended || timeout_at(until, changes.changed()).await.is_err() {
                return self.report(0, u64::MAX);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
