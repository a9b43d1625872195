//! The handle of the scheduler: sends commands of tools and operators to a background loop, which
//! answers each.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tools_core::{Clock, Locked as _, Shared, nearest};
use tools_store::StoreError;

use crate::{Schedule, ScheduleError, ScheduledTask, SchedulerPolicy, TaskName, TaskStore};

/// Capacity of the queue of commands.
const WAITING: usize = 64;

/// The scheduler of tasks. Cheap to clone; clones share one loop.
#[derive(Debug, Clone)]
pub struct Scheduler {
    pub(crate) shared: Arc<Inner>,
    /// Sender to the loop, which is started by the first command.
    loop_: Arc<Mutex<Option<mpsc::Sender<Command>>>>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) store: Arc<dyn TaskStore>,
    pub(crate) policy: Shared<SchedulerPolicy>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Notified when a task was stored or removed.
    pub(crate) changed: tokio::sync::Notify,
}

#[derive(Debug)]
enum Command {
    Put(Box<ScheduledTask>, Replace, oneshot::Sender<Result<(), ScheduleError>>),
    Cancel(String, TaskName, oneshot::Sender<Result<ScheduledTask, ScheduleError>>),
}

type Replace = bool;

impl Scheduler {
    /// Creates a scheduler over a store.
    pub fn new(store: Arc<dyn TaskStore>, policy: Shared<SchedulerPolicy>, clock: Arc<dyn Clock>) -> Self {
        let shared = Inner { store, policy, clock, changed: tokio::sync::Notify::new() };
        Self { shared: Arc::new(shared), loop_: Arc::default() }
    }

    /// The policy, which can be replaced.
    pub fn live_policy(&self) -> &Shared<SchedulerPolicy> {
        &self.shared.policy
    }

    /// The policy in force.
    pub fn policy(&self) -> SchedulerPolicy {
        *self.shared.policy.load()
    }

    /// The time, by the clock of this scheduler.
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// The first three times of a schedule.
    ///
    /// # Errors
    /// [`ScheduleError::Past`], [`ScheduleError::Never`], [`ScheduleError::TooOften`].
    pub(crate) async fn plan(&self, schedule: &Schedule) -> Result<Vec<Timestamp>, ScheduleError> {
        let (schedule, now) = (schedule.clone(), self.now());
        // A date that never exists is searched in every year, so use a blocking thread.
        let found = runtime()?.spawn_blocking({
            let schedule = schedule.clone();
            move || schedule.next(now, 3)
        });
        let times = found.await.map_err(|_| ScheduleError::Ended)?;
        match &schedule {
            Schedule::Deferred { at } if times.is_empty() => return Err(ScheduleError::Past { at: *at, now }),
            Schedule::Periodic { .. } if times.is_empty() => return Err(ScheduleError::Never),
            _ => {}
        }
        let least = self.policy().min_interval;
        let gap = times.windows(2).map(|pair| pair[1].duration_since(pair[0])).min();
        match gap {
            Some(found) if found < least => {
                Err(ScheduleError::TooOften { found: found.as_secs(), least: least.as_secs() })
            }
            _ => Ok(times),
        }
    }

    /// Stores a task; on return it is in effect.
    ///
    /// # Errors
    /// As [`TaskStore::put`], and [`ScheduleError::Full`].
    pub async fn put(&self, task: ScheduledTask, replace: bool) -> Result<(), ScheduleError> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Put(Box::new(task), replace, reply))?;
        answer.await.map_err(|_| ScheduleError::Ended)?
    }

    /// Removes and returns a task.
    ///
    /// # Errors
    /// [`ScheduleError::NotFound`] with similar names, and errors of the store.
    pub async fn cancel(&self, workdir: &str, name: TaskName) -> Result<ScheduledTask, ScheduleError> {
        let (reply, answer) = oneshot::channel();
        self.send(Command::Cancel(workdir.to_owned(), name, reply))?;
        answer.await.map_err(|_| ScheduleError::Ended)?
    }

    /// The tasks of a folder, by name.
    pub async fn list(&self, workdir: &str) -> Result<Vec<ScheduledTask>, ScheduleError> {
        self.shared.store.list(workdir).await
    }

    /// One task of a folder.
    ///
    /// # Errors
    /// [`ScheduleError::NotFound`] with similar names, and errors of the store.
    pub async fn get(&self, workdir: &str, name: &TaskName) -> Result<ScheduledTask, ScheduleError> {
        let tasks = self.list(workdir).await?;
        let near = nearest(name.as_str(), tasks.iter().map(|task| task.name.as_str()));
        let near = near.into_iter().map(str::to_owned).collect();
        let found = tasks.into_iter().find(|task| task.name == *name);
        found.ok_or_else(|| ScheduleError::NotFound { name: name.clone(), near })
    }

    fn send(&self, command: Command) -> Result<(), ScheduleError> {
        let runtime = runtime()?;
        let mut sender = self.loop_.locked();
        let live = sender.take().filter(|sender| !sender.is_closed());
        let live = live.unwrap_or_else(|| {
            let (sender, commands) = mpsc::channel(WAITING);
            runtime.spawn(obey(self.clone_without_loop(), commands));
            sender
        });
        let sent = live.try_send(command);
        *sender = Some(live);
        sent.map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => ScheduleError::Full,
            mpsc::error::TrySendError::Closed(_) => ScheduleError::Ended,
        })
    }

    /// A clone for the loop without the sender, so that the loop ends when all senders are gone.
    fn clone_without_loop(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), loop_: Arc::default() }
    }
}

/// The current runtime.
fn runtime() -> Result<Handle, ScheduleError> {
    Handle::try_current().map_err(|_| StoreError::Runtime.into())
}

/// The loop: handles one command after the other, until all senders are gone.
async fn obey(scheduler: Scheduler, mut commands: mpsc::Receiver<Command>) {
    let store = &scheduler.shared.store;
    while let Some(command) = commands.recv().await {
        // The sender may be gone, so errors are ignored.
        match command {
            Command::Put(task, replace, reply) => {
                let _ = reply.send(store.put(*task, replace, scheduler.policy().max_tasks).await);
            }
            Command::Cancel(workdir, name, reply) => {
                let removed = match store.remove(&workdir, &name).await {
                    Ok(Some(task)) => Ok(task),
                    Ok(None) => Err(match scheduler.get(&workdir, &name).await {
                        Err(error) => error,
                        Ok(_) => ScheduleError::Running(name),
                    }),
                    Err(error) => Err(error),
                };
                let _ = reply.send(removed);
            }
        }
        scheduler.shared.changed.notify_waiters();
    }
}
