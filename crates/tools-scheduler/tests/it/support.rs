//! Tasks for tests.

use jiff::Timestamp;
use tools_scheduler::{CronLine, Schedule, ScheduledTask, Task, TaskName, parse_zone};

/// A task that runs at each time of a line.
pub(crate) fn periodic(name: &str, line: &str, created_at: Timestamp) -> ScheduledTask {
    let schedule = Schedule::Periodic {
        line: Box::new(CronLine::parse(line).expect("a cron line")),
        zone: parse_zone(None).expect("it is as it should be"),
    };
    let name = TaskName::parse(name).expect("it is as it should be");
    let task = serde_json::from_value::<Task>(serde_json::json!({"prompt": "x"})).expect("it is as it should be");
    let next_run = schedule.after(created_at);
    let made = ScheduledTask::new("/w".to_owned(), name, schedule, task, "s".to_owned(), created_at);
    ScheduledTask { next_run, ..made }
}
