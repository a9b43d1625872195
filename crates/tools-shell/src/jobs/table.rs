//! All jobs of a shell. Dropping the table ends every job in it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinHandle;
use tools_core::{Activity, CallContext, DynExecutor, ElsewhereError, OptionalBoard, ServerName, SessionId};

use super::follow::NewJob;
use super::job::Job;
use crate::error::ShellError;
use crate::{JobKill, JobRead};

/// Maximum number of ended jobs that can still be read; older ones are forgotten.
const MAX_ENDED: usize = 32;
/// Maximum number of bytes that ended jobs hold beside their logs; the oldest lose theirs first.
const MAX_HELD: u64 = 16 << 20;

/// The jobs of a shell. Shared by the tool that starts them and those that read and end them.
#[derive(Debug, Default)]
pub struct Jobs {
    table: Mutex<Table>,
    board: OptionalBoard,
    server: Option<ServerName>,
}

#[derive(Debug, Default)]
struct Table {
    started: u64,
    entries: VecDeque<Entry>,
}

#[derive(Debug)]
struct Entry {
    job: Arc<Job>,
    task: JoinHandle<()>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Jobs {
    /// Creates an empty table; each running job is shown on this board.
    pub fn shown_on(board: OptionalBoard) -> Self {
        Self { board, ..Self::default() }
    }

    /// Names the server if there are several: its name begins the ids of jobs (`haft-1.job-3`), so
    /// that no other server mistakes them for its own.
    pub fn at_server(self, server: Option<ServerName>) -> Self {
        Self { server, ..self }
    }

    /// The tools that read and end the jobs.
    pub fn executors(self: &Arc<Self>) -> [DynExecutor; 2] {
        let (read, kill) = (JobRead::new(Arc::clone(self)), JobKill::new(Arc::clone(self)));
        [DynExecutor::new(read.into_executor()), DynExecutor::new(kill.into_executor())]
    }

    fn id(&self, number: u64) -> String {
        match &self.server {
            Some(server) => format!("{server}.job-{number}"),
            None => format!("job-{number}"),
        }
    }

    /// The error for a job of another server; `None` if the id names this server or none.
    fn elsewhere(&self, id: &str) -> Option<ElsewhereError> {
        let (server, _) = id.split_once('.')?;
        let server: ServerName = server.parse().ok().filter(|server| self.server.as_ref() != Some(server))?;
        Some(ElsewhereError { what: format!("the job `{}`", shown(id)), server })
    }

    /// Checks whether another job may run.
    ///
    /// # Errors
    /// If `most` jobs run already.
    pub(crate) fn admits(&self, most: usize) -> Result<(), ShellError> {
        self.lock().admits(most)
    }

    /// Adds a job and begins to follow it.
    ///
    /// # Errors
    /// If `most` jobs run already; the job is ended then.
    pub(crate) fn adopt(&self, following: NewJob, cx: &CallContext, most: usize) -> Result<Arc<Job>, ShellError> {
        let mut table = self.lock();
        table.admits(most)?;
        table.started += 1;
        let (id, line) = (self.id(table.started), Arc::clone(&following.line));
        let shown = self.board.show(&Activity {
            tool: "bash",
            session: cx.session(),
            caller: None,
            workdir: cx.workdir(),
            job: Some(&id),
            title: line.to_string(),
        });
        let job = Arc::new(Job::new(id, cx.session().clone(), line));
        let run = following.run(Arc::clone(&job), cx.intake().cloned());
        let task = tokio::spawn(async move {
            run.await;
            drop(shown);
        });
        table.entries.push_back(Entry { job: Arc::clone(&job), task });
        table.forget_the_oldest();
        Ok(job)
    }

    /// A job of this session.
    ///
    /// # Errors
    /// If the session has no such job, or another server has it.
    pub(crate) fn find(&self, id: &str, session: &SessionId) -> Result<Arc<Job>, ShellError> {
        let table = self.lock();
        let mut own = table.entries.iter().map(|entry| &entry.job).filter(|job| job.session == *session);
        if let Some(found) = own.clone().find(|job| job.id == id) {
            return Ok(Arc::clone(found));
        }
        match self.elsewhere(id) {
            Some(elsewhere) => Err(elsewhere.into()),
            None => {
                Err(ShellError::UnknownJob { id: shown(id), known: own.by_ref().map(|job| job.id.clone()).collect() })
            }
        }
    }

    /// The number of running jobs of a session.
    pub fn running(&self, session: &SessionId) -> usize {
        let is_its = |entry: &&Entry| entry.job.session == *session && entry.job.is_running();
        self.lock().entries.iter().filter(is_its).count()
    }

    /// Ends every job of a session, and forgets ended ones. All their processes are gone when this
    /// returns.
    pub async fn end_session(&self, session: &SessionId) {
        for mut entry in self.take_session(session) {
            entry.task.abort();
            // The task owns the processes, which end with it.
            let _ = (&mut entry.task).await;
        }
    }

    /// Like [`Jobs::end_session`] without waiting: the processes are gone soon after.
    pub fn abandon_session(&self, session: &SessionId) {
        drop(self.take_session(session));
    }

    fn take_session(&self, session: &SessionId) -> VecDeque<Entry> {
        let mut table = self.lock();
        let (ended, others) =
            std::mem::take(&mut table.entries).into_iter().partition(|entry| entry.job.session == *session);
        table.entries = others;
        ended
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An id from outside, shortened and escaped for a message.
fn shown(id: &str) -> String {
    id.chars().take(80).flat_map(char::escape_debug).collect()
}

impl Table {
    fn admits(&self, most: usize) -> Result<(), ShellError> {
        let running = self.entries.iter().filter(|entry| entry.job.is_running()).count();
        if running < most { Ok(()) } else { Err(ShellError::TooManyJobs { most }) }
    }

    fn forget_the_oldest(&mut self) {
        let ended = self.entries.iter().filter(|entry| !entry.job.is_running()).count();
        let mut excess = ended.saturating_sub(MAX_ENDED);
        self.entries.retain(|entry| {
            let goes = excess > 0 && !entry.job.is_running();
            excess -= usize::from(goes);
            !goes
        });
        let mut held = 0;
        for job in self.entries.iter().rev().map(|entry| &entry.job).filter(|job| !job.is_running()) {
            held += job.held();
            if held > MAX_HELD {
                job.forget_whole();
            }
        }
    }
}
