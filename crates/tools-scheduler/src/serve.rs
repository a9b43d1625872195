//! Serving: takes due tasks from the store and runs them until stopped.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use tokio::{task::JoinSet, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{Claim, Dispatch, DueTask, ScheduleError, Scheduler, TaskName};

/// Maximum sleep of the loop: another process may have stored a task, or the clock may have been
/// set.
const LOOK: Duration = Duration::from_secs(5);
/// Maximum number of tasks that run concurrently.
const MAX_RUNNING: usize = 8;
/// Maximum number of characters stored of a run's result.
const STATUS: usize = 200;

impl Scheduler {
    /// Runs the tasks of a folder when they are due, until `stop` is cancelled; then waits for
    /// running ones. Several processes may serve one folder: each run is made by one of them.
    ///
    /// # Errors
    /// An error of the store at the start; later errors are retried.
    pub async fn serve(
        &self,
        workdir: &str,
        dispatch: Arc<dyn Dispatch>,
        stop: &CancellationToken,
    ) -> Result<(), ScheduleError> {
        let owner = uuid::Uuid::new_v4().simple().to_string();
        let mut running = JoinSet::new();
        self.shared.store.next(workdir).await?;
        while !stop.is_cancelled() {
            let changed = self.shared.changed.notified();
            let free = MAX_RUNNING.saturating_sub(running.len());
            let claims = match self.take(workdir, &owner, free).await {
                Ok(claims) => claims,
                Err(error) => {
                    tracing::warn!(%error, "the tasks that are due cannot be looked for");
                    vec![]
                }
            };
            let took_any = !claims.is_empty();
            for claim in claims {
                running.spawn(run(self.clone(), Arc::clone(&dispatch), claim, owner.clone()));
            }
            if took_any {
                continue;
            }
            let wake = Instant::now() + self.pause(workdir).await;
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep_until(wake) => {}
                () = changed => {}
                _ = running.join_next(), if !running.is_empty() => {}
            }
        }
        while running.join_next().await.is_some() {}
        Ok(())
    }

    /// Runs a task now, due or not; its schedule does not change.
    ///
    /// # Errors
    /// [`ScheduleError::NotFound`], [`ScheduleError::Running`], and errors of the store. A failure
    /// of the run itself is not an error here.
    pub async fn run_now(
        &self,
        workdir: &str,
        name: &TaskName,
        dispatch: Arc<dyn Dispatch>,
    ) -> Result<Result<String, String>, ScheduleError> {
        self.get(workdir, name).await?;
        let owner = uuid::Uuid::new_v4().simple().to_string();
        let claim = self.shared.store.claim_now(workdir, name, &owner, self.now(), &self.policy()).await?;
        let claim = claim.ok_or_else(|| ScheduleError::NotFound { name: name.clone(), near: vec![] })?;
        Ok(run(self.clone(), dispatch, claim, owner).await)
    }

    async fn take(&self, workdir: &str, owner: &str, most: usize) -> Result<Vec<Claim>, ScheduleError> {
        if most == 0 {
            return Ok(vec![]);
        }
        self.shared.store.claim(workdir, owner, self.now(), &self.policy(), most).await
    }

    /// Time until the next task is due.
    async fn pause(&self, workdir: &str) -> Duration {
        let next: Option<Timestamp> = self.shared.store.next(workdir).await.ok().flatten();
        let until = next.map(|next| next.duration_since(self.now()));
        // A due task that was not taken waits for a lease or a free slot.
        until.map_or(LOOK, |until| Duration::try_from(until).unwrap_or(Duration::from_millis(50)).min(LOOK))
    }
}

/// Runs a claimed task, and stores its result.
async fn run(scheduler: Scheduler, dispatch: Arc<dyn Dispatch>, claim: Claim, owner: String) -> Result<String, String> {
    let firing = DueTask {
        name: claim.task.name.clone(),
        task: claim.task.task.clone(),
        due: claim.due,
        caller: claim.task.caller_id.clone(),
    };
    let lease = scheduler.policy().lease;
    let beat = Duration::try_from(lease).unwrap_or(Duration::from_mins(1)) / 3;
    let ended = {
        let mut running = std::pin::pin!(dispatch.run(firing));
        loop {
            tokio::select! {
                ended = &mut running => break ended,
                () = tokio::time::sleep(beat) => {
                    let until = scheduler.now().checked_add(lease).unwrap_or(Timestamp::MAX);
                    if let Err(error) = scheduler.shared.store.renew(&claim, &owner, until).await {
                        tracing::warn!(%error, task = %claim.task.name, "the lease cannot be renewed");
                    }
                }
            }
        }
    };
    let status: String = match &ended {
        Ok(said) => format!("ok: {said}"),
        Err(said) => format!("failed: {said}"),
    };
    let status: String = status.chars().take(STATUS).collect();
    if let Err(error) = scheduler.shared.store.finish(&claim, &owner, status.trim_end_matches([':', ' '])).await {
        tracing::warn!(%error, task = %claim.task.name, "what became of the task cannot be written");
    }
    ended
}
