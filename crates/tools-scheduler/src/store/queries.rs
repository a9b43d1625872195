//! Queries that are the same for both databases. A change locks the whole store: by the file's lock
//! in SQLite, by a transaction lock in PostgreSQL.

/// Implements the store for a database handle, with `reader` and `write`.
macro_rules! store {
    ($store:ty, $database:ty) => {
        use jiff::Timestamp;
        use sqlx::Row as _;
        use tools_store::signed;

        use crate::{Claim, Schedule, ScheduleError, ScheduledTask, SchedulerPolicy, TaskName, TaskStore};
        use crate::due::{Due, due};

        type Connection = <$database as sqlx::Database>::Connection;
        type Row = <$database as sqlx::Database>::Row;

        #[async_trait::async_trait]
        impl TaskStore for $store {
            async fn put(&self, task: ScheduledTask, replace: bool, most: u64) -> Result<(), ScheduleError> {
                let mut change = self.0.write().await?;
                let there = find(&mut change, &task.workdir, &task.name).await?;
                if there.is_some() && !replace {
                    return Err(ScheduleError::Exists(task.name));
                }
                if there.is_none() {
                    // Tasks without further runs do not count.
                    let count = "SELECT count(*) FROM scheduled_tasks WHERE workdir = $1 AND next_run IS NOT NULL";
                    let (count,): (i64,) = sqlx::query_as(count).bind(&task.workdir).fetch_one(&mut *change).await?;
                    if count.unsigned_abs() >= most {
                        return Err(ScheduleError::TooMany(most));
                    }
                }
                delete(&mut change, &task.workdir, &task.name).await?;
                let (kind, spec, zone) = task.schedule.parts();
                let text =
                    serde_json::to_string(&task.task).map_err(|error| ScheduleError::Damaged(error.to_string()))?;
                let inserted = sqlx::query(
                    "INSERT INTO scheduled_tasks
                         (workdir, name, kind, spec, tz, task, created_by, caller_id, created_at, next_run, max_runs,
                          expires_at, policy_snapshot_hash)
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
                );
                let inserted = inserted
                    .bind(&task.workdir)
                    .bind(task.name.as_str())
                    .bind(kind)
                    .bind(spec)
                    .bind(zone)
                    .bind(text)
                    .bind(&task.created_by)
                    .bind(&task.caller_id)
                    .bind(task.created_at.as_microsecond())
                    .bind(task.next_run.map(Timestamp::as_microsecond))
                    .bind(task.max_runs.map(signed))
                    .bind(task.expires_at.map(Timestamp::as_microsecond))
                    .bind(&task.policy_snapshot_hash);
                inserted.execute(&mut *change).await?;
                Ok(change.commit().await?)
            }

            async fn remove(&self, workdir: &str, name: &TaskName) -> Result<Option<ScheduledTask>, ScheduleError> {
                let mut change = self.0.write().await?;
                let there = find(&mut change, workdir, name).await?;
                delete(&mut change, workdir, name).await?;
                change.commit().await?;
                Ok(there)
            }

            async fn list(&self, workdir: &str) -> Result<Vec<ScheduledTask>, ScheduleError> {
                let rows = sqlx::query("SELECT * FROM scheduled_tasks WHERE workdir = $1 ORDER BY name").bind(workdir);
                rows.fetch_all(self.0.reader().await?).await?.iter().map(task).collect()
            }

            async fn next(&self, workdir: &str) -> Result<Option<Timestamp>, ScheduleError> {
                let first = sqlx::query_scalar(
                    "SELECT min(CASE WHEN lease_until > next_run THEN lease_until ELSE next_run END) FROM scheduled_tasks
                     WHERE workdir = $1 AND next_run IS NOT NULL",
                );
                let first: Option<i64> = first.bind(workdir).fetch_one(self.0.reader().await?).await?;
                first.map(time).transpose()
            }

            async fn claim(
                &self,
                workdir: &str,
                owner: &str,
                now: Timestamp,
                policy: &SchedulerPolicy,
                most: usize,
            ) -> Result<Vec<Claim>, ScheduleError> {
                let mut change = self.0.write().await?;
                let rows = sqlx::query(
                    "SELECT * FROM scheduled_tasks
                     WHERE workdir = $1 AND next_run <= $2 AND (lease_until IS NULL OR lease_until <= $2)
                     ORDER BY next_run, name LIMIT $3",
                );
                let most = signed(most);
                let rows = rows.bind(workdir).bind(now.as_microsecond()).bind(most).fetch_all(&mut *change).await?;
                let found: Vec<ScheduledTask> = rows.iter().map(task).collect::<Result<_, _>>()?;
                let mut claims = vec![];
                for task in found {
                    match due(&task, now, policy) {
                        Due::Not => {}
                        Due::Missed { next } => miss(&mut change, &task, next).await?,
                        Due::Run { due, next } => {
                            start(&mut change, &task, owner, (due, next), now, policy).await?;
                            claims.push(Claim { task, due });
                        }
                    }
                }
                change.commit().await?;
                Ok(claims)
            }

            async fn claim_now(
                &self,
                workdir: &str,
                name: &TaskName,
                owner: &str,
                now: Timestamp,
                policy: &SchedulerPolicy,
            ) -> Result<Option<Claim>, ScheduleError> {
                let mut change = self.0.write().await?;
                let Some(task) = find(&mut change, workdir, name).await? else { return Ok(None) };
                if task.lease_until.is_some_and(|until| until > now) {
                    return Err(ScheduleError::Running(name.clone()));
                }
                start(&mut change, &task, owner, (now, task.next_run), now, policy).await?;
                change.commit().await?;
                Ok(Some(Claim { task, due: now }))
            }

            async fn renew(&self, claim: &Claim, owner: &str, until: Timestamp) -> Result<(), ScheduleError> {
                let mut change = self.0.write().await?;
                sqlx::query(
                    "UPDATE scheduled_tasks SET lease_until = $1 WHERE workdir = $2 AND name = $3 AND lease_owner = $4",
                )
                .bind(until.as_microsecond())
                .bind(&claim.task.workdir)
                .bind(claim.task.name.as_str())
                .bind(owner)
                .execute(&mut *change)
                .await?;
                Ok(change.commit().await?)
            }

            async fn finish(&self, claim: &Claim, owner: &str, status: &str) -> Result<(), ScheduleError> {
                let mut change = self.0.write().await?;
                sqlx::query(
                    "UPDATE scheduled_tasks SET last_status = $1, lease_owner = NULL, lease_until = NULL
                     WHERE workdir = $2 AND name = $3 AND lease_owner = $4",
                )
                .bind(status)
                .bind(&claim.task.workdir)
                .bind(claim.task.name.as_str())
                .bind(owner)
                .execute(&mut *change)
                .await?;
                Ok(change.commit().await?)
            }
        }

        /// Stores that the time of a task was missed.
        async fn miss(
            change: &mut Connection,
            task: &ScheduledTask,
            next: Option<Timestamp>,
        ) -> Result<(), ScheduleError> {
            sqlx::query(
                "UPDATE scheduled_tasks
                 SET next_run = $1, last_status = 'missed', lease_owner = NULL, lease_until = NULL
                 WHERE workdir = $2 AND name = $3",
            )
            .bind(next.map(Timestamp::as_microsecond))
            .bind(&task.workdir)
            .bind(task.name.as_str())
            .execute(change)
            .await?;
            Ok(())
        }

        /// Stores that a task runs for the first of two times and is next due at the second, before
        /// it runs. A run outside of the schedule changes neither the schedule nor the number of
        /// runs.
        async fn start(
            change: &mut Connection,
            task: &ScheduledTask,
            owner: &str,
            (due, next): (Timestamp, Option<Timestamp>),
            now: Timestamp,
            policy: &SchedulerPolicy,
        ) -> Result<(), ScheduleError> {
            let until = now.checked_add(policy.lease).unwrap_or(Timestamp::MAX);
            let is_scheduled = next != task.next_run;
            sqlx::query(
                "UPDATE scheduled_tasks
                 SET next_run = $1, last_run = $2, last_status = 'started', runs = runs + $3, lease_owner = $4,
                     lease_until = $5
                 WHERE workdir = $6 AND name = $7",
            )
            .bind(next.map(Timestamp::as_microsecond))
            .bind(due.as_microsecond())
            .bind(i64::from(is_scheduled))
            .bind(owner)
            .bind(until.as_microsecond())
            .bind(&task.workdir)
            .bind(task.name.as_str())
            .execute(change)
            .await?;
            Ok(())
        }

        async fn find(
            change: &mut Connection,
            workdir: &str,
            name: &TaskName,
        ) -> Result<Option<ScheduledTask>, ScheduleError> {
            let row = sqlx::query("SELECT * FROM scheduled_tasks WHERE workdir = $1 AND name = $2");
            row.bind(workdir).bind(name.as_str()).fetch_optional(change).await?.as_ref().map(task).transpose()
        }

        async fn delete(change: &mut Connection, workdir: &str, name: &TaskName) -> Result<(), ScheduleError> {
            let deleted = sqlx::query("DELETE FROM scheduled_tasks WHERE workdir = $1 AND name = $2");
            deleted.bind(workdir).bind(name.as_str()).execute(change).await?;
            Ok(())
        }

        fn time(micros: i64) -> Result<Timestamp, ScheduleError> {
            Timestamp::from_microsecond(micros).map_err(|_| ScheduleError::Damaged("a time".to_owned()))
        }

        fn task(row: &Row) -> Result<ScheduledTask, ScheduleError> {
            let text = |column: &str| row.try_get::<String, _>(column);
            let moment = |column: &str| row.try_get::<Option<i64>, _>(column)?.map(time).transpose();
            let task =
                serde_json::from_str(&text("task")?).map_err(|_| ScheduleError::Damaged("a task".to_owned()))?;
            Ok(ScheduledTask {
                workdir: text("workdir")?,
                name: TaskName::parse(&text("name")?)?,
                schedule: Schedule::of_parts(&text("kind")?, &text("spec")?, &text("tz")?)?,
                task,
                created_by: text("created_by")?,
                caller_id: text("caller_id")?,
                policy_snapshot_hash: row.try_get("policy_snapshot_hash")?,
                created_at: time(row.try_get("created_at")?)?,
                next_run: moment("next_run")?,
                last_run: moment("last_run")?,
                last_status: row.try_get("last_status")?,
                runs: row.try_get::<i64, _>("runs")?.unsigned_abs(),
                max_runs: row.try_get::<Option<i64>, _>("max_runs")?.map(i64::unsigned_abs),
                expires_at: moment("expires_at")?,
                lease_until: moment("lease_until")?,
            })
        }
    };
}

pub(super) use store;
