//! All jobs of a shell. They end with it: whoever drops the table ends every job in it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::AbortHandle;
use tools_core::SessionId;

use super::follow::Following;
use super::job::Job;
use crate::error::ShellError;

/// Jobs that have ended and can still be read; older ones are forgotten.
const MOST_ENDED: usize = 32;

/// The jobs of a shell. Shared by the tool that starts them and those that read and end them.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    started: u64,
    entries: VecDeque<Entry>,
}

#[derive(Debug)]
struct Entry {
    job: Arc<Job>,
    task: AbortHandle,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Jobs {
    /// Whether one more may run.
    ///
    /// # Errors
    /// When `most` run already.
    pub(crate) fn admits(&self, most: usize) -> Result<(), ShellError> {
        self.lock().admits(most)
    }

    /// Takes a job in and follows it from now on.
    ///
    /// # Errors
    /// When `most` run already; the job is ended then.
    pub(crate) fn adopt(&self, following: Following, session: &SessionId, most: usize) -> Result<Arc<Job>, ShellError> {
        let mut table = self.lock();
        table.admits(most)?;
        table.started += 1;
        let job = Arc::new(Job::new(format!("job-{}", table.started), session.clone()));
        let task = tokio::spawn(following.run(Arc::clone(&job))).abort_handle();
        table.entries.push_back(Entry { job: Arc::clone(&job), task });
        table.forget_the_oldest();
        Ok(job)
    }

    /// A job of this session.
    ///
    /// # Errors
    /// When the session has none of this name.
    pub(crate) fn find(&self, id: &str, session: &SessionId) -> Result<Arc<Job>, ShellError> {
        let table = self.lock();
        let mut own = table.entries.iter().map(|entry| &entry.job).filter(|job| job.session == *session);
        own.clone().find(|job| job.id == id).cloned().ok_or_else(|| ShellError::UnknownJob {
            id: id.chars().take(80).flat_map(char::escape_debug).collect(),
            known: own.by_ref().map(|job| job.id.clone()).collect(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn admits(&self, most: usize) -> Result<(), ShellError> {
        let running = self.entries.iter().filter(|entry| entry.job.is_running()).count();
        if running < most { Ok(()) } else { Err(ShellError::TooManyJobs { most }) }
    }

    fn forget_the_oldest(&mut self) {
        let ended = self.entries.iter().filter(|entry| !entry.job.is_running()).count();
        let mut excess = ended.saturating_sub(MOST_ENDED);
        self.entries.retain(|entry| {
            let goes = excess > 0 && !entry.job.is_running();
            excess -= usize::from(goes);
            !goes
        });
    }
}
