//! Tasks for tests.

use jiff::Timestamp;
use tools_scheduler::{CronLine, Schedule, ScheduledTask, Task, TaskName, parse_zone};

/// A task that runs at each time of a line.
pub(crate) fn periodic(name: &str, line: &str, created_at: Timestamp) -> ScheduledTask {
    let schedule = Schedule::Periodic {
        line: Box::new(CronLine::parse(line).expect("a cron line")),
        zone: parse_zone(None).expect("it is as it should be"),
    };
    ScheduledTask {
        workdir: "/w".to_owned(),
        name: TaskName::parse(name).expect("it is as it should be"),
        next_run: schedule.after(created_at),
        schedule,
        task: serde_json::from_value::<Task>(serde_json::json!({"prompt": "x"})).expect("it is as it should be"),
        created_by: "s".to_owned(),
        created_at,
        last_run: None,
        last_status: None,
        runs: 0,
        max_runs: None,
        expires_at: None,
        lease_until: None,
    }
}
