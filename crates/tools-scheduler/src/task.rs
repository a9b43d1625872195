//! A task: its content, schedule and last result.

use std::fmt;

use jiff::{Timestamp, tz::TimeZone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{CallerId, JsonObject};

use crate::{CronLine, ScheduleError, parse_zone, zone::zone_name};

/// The name of a task: 1 to 64 of `a-z`, `0-9`, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct TaskName(String);

impl TaskName {
    /// Parses a name.
    ///
    /// # Errors
    /// [`ScheduleError::Name`].
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let is_usual = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
        if (1..=64).contains(&text.len()) && text.bytes().all(is_usual) {
            return Ok(Self(text.to_owned()));
        }
        Err(ScheduleError::Name(text.chars().take(80).collect()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Content of a task: one tool call, or a prompt for a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Task {
    /// A tool call.
    Call(CallTask),
    /// A prompt.
    Prompt(PromptTask),
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallTask {
    /// The tool.
    pub tool: String,
    /// Its parameters.
    #[serde(default)]
    pub args: JsonObject,
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptTask {
    /// Prompt for the model, in a session of its own.
    pub prompt: String,
}

impl Task {
    /// The task in words for a person.
    pub fn describe(&self) -> String {
        match self {
            Self::Call(call) => format!("`{}` {}", call.tool, serde_json::Value::Object(call.args.clone())),
            Self::Prompt(task) => format!("the prompt {:?}", task.prompt),
        }
    }
}

/// When a task runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Schedule {
    /// Repeatedly, in local time of a zone.
    Periodic {
        /// The cron line.
        line: Box<CronLine>,
        /// The zone.
        zone: TimeZone,
    },
    /// Once.
    Deferred {
        /// The time.
        at: Timestamp,
    },
}

impl Schedule {
    /// The next time after `time`; `None` if there is none.
    pub fn after(&self, time: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Periodic { line, zone } => line.after(time, zone),
            Self::Deferred { at } => (*at > time).then_some(*at),
        }
    }

    /// The next times after `time`.
    pub fn next(&self, mut time: Timestamp, count: usize) -> Vec<Timestamp> {
        let mut times = Vec::with_capacity(count.min(64));
        while times.len() < count
            && let Some(next) = self.after(time)
        {
            times.push(next);
            time = next;
        }
        times
    }

    /// Stored form: kind, text and zone.
    pub(crate) fn parts(&self) -> (&'static str, String, &str) {
        match self {
            Self::Periodic { line, zone } => ("periodic", line.as_str().to_owned(), zone_name(zone)),
            Self::Deferred { at } => ("deferred", at.to_string(), "UTC"),
        }
    }

    pub(crate) fn of_parts(kind: &str, spec: &str, zone: &str) -> Result<Self, ScheduleError> {
        let damaged = || ScheduleError::Damaged(format!("the schedule `{spec}`"));
        match kind {
            "periodic" => Ok(Self::Periodic { line: Box::new(CronLine::parse(spec)?), zone: parse_zone(Some(zone))? }),
            "deferred" => Ok(Self::Deferred { at: spec.parse().map_err(|_| damaged())? }),
            _ => Err(damaged()),
        }
    }
}

/// A stored task.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduledTask {
    /// The folder it runs in; its name is unique within it.
    pub workdir: String,
    /// Its name.
    pub name: TaskName,
    /// When it runs.
    pub schedule: Schedule,
    /// The values in force.
    pub task: Task,
    /// The session that made it.
    pub created_by: String,
    /// The caller of its calls: `schedule:` and the name, prefixed by the caller that stored it and
    /// a `/`, so that limits of that caller apply to the task.
    pub caller_id: String,
    /// The digest of the rules in force when it was created; `None` if unknown. When it runs, the
    /// rules of that time apply.
    pub policy_snapshot_hash: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it runs next; `None` if it does not run again.
    pub next_run: Option<Timestamp>,
    /// The due time of its last run.
    pub last_run: Option<Timestamp>,
    /// Status of the last run: `started` until it ended.
    pub last_status: Option<String>,
    /// Number of runs by its schedule.
    pub runs: u64,
    /// Maximum number of runs; `None` for no limit.
    pub max_runs: Option<u64>,
    /// Time after which it does not run; `None` for never.
    pub expires_at: Option<Timestamp>,
    /// Expiry of the lease of the process that runs it; `None` if it is not running.
    pub lease_until: Option<Timestamp>,
}

impl ScheduledTask {
    /// A task that has not run, without limits and without a next time.
    pub fn new(workdir: String, name: TaskName, schedule: Schedule, task: Task, by: String, at: Timestamp) -> Self {
        Self {
            workdir,
            caller_id: Self::caller_of(&name, None),
            name,
            schedule,
            task,
            created_by: by,
            policy_snapshot_hash: None,
            created_at: at,
            next_run: None,
            last_run: None,
            last_status: None,
            runs: 0,
            max_runs: None,
            expires_at: None,
            lease_until: None,
        }
    }

    /// The caller of a task's calls if `creator` stores the task.
    pub(crate) fn caller_of(name: &TaskName, creator: Option<&CallerId>) -> String {
        creator.map_or_else(|| format!("schedule:{name}"), |creator| format!("{creator}/schedule:{name}"))
    }
}
