//! Decides whether a task is due, and what happens with missed times. Pure.

use jiff::{SignedDuration, Timestamp};

use crate::{CatchUp, ScheduledTask, SchedulerPolicy};

/// Maximum delay of a run that still counts as on time.
const ON_TIME: SignedDuration = SignedDuration::from_secs(60);

/// Decision about a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Due {
    /// It is not due yet.
    Not,
    /// It runs now, for the time that was due, and next at `next`; `None` for no further run.
    Run {
        /// The time for which it runs.
        due: Timestamp,
        /// Its next time.
        next: Option<Timestamp>,
    },
    /// Its time was missed; it continues at `next`; `None` for no further run.
    Missed {
        /// Its next time.
        next: Option<Timestamp>,
    },
}

/// Decides about a task at a time. After `Run`, the caller must store `next` before it runs the
/// task.
///
/// Missed times are caught up as `policy.catch_up` says, if they are not older than `policy.grace`.
pub(crate) fn due(task: &ScheduledTask, now: Timestamp, policy: &SchedulerPolicy) -> Due {
    let Some(first) = task.next_run.filter(|next| *next <= now) else { return Due::Not };
    let is_spent = |runs: u64| task.max_runs.is_some_and(|most| runs >= most);
    let lives = |time: &Timestamp| task.expires_at.is_none_or(|at| *time < at);
    if is_spent(task.runs) || !lives(&first) {
        return Due::Missed { next: None };
    }
    let patience = if policy.catch_up == CatchUp::None { ON_TIME.min(policy.grace) } else { policy.grace };
    let is_recent = |time: &Timestamp| now.duration_since(*time) <= patience;
    // If many times were missed, searching all would take long: skip those older than the grace
    // period.
    let oldest = if is_recent(&first) {
        Some(first)
    } else {
        let begin = now.checked_sub(patience).unwrap_or(first);
        let before = begin.checked_sub(SignedDuration::from_micros(1)).unwrap_or(begin);
        task.schedule.after(before.max(first))
    };
    let Some(oldest) = oldest.filter(|time| *time <= now && lives(time)) else {
        return Due::Missed { next: task.schedule.after(now).filter(lives) };
    };
    let after = if policy.catch_up == CatchUp::All { oldest } else { now };
    let next = task.schedule.after(after).filter(lives).filter(|_| !is_spent(task.runs + 1));
    Due::Run { due: oldest, next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CronLine, Schedule, SchedulerConfig, Task, TaskName, parse_zone, task::PromptTask};

    fn hourly() -> ScheduledTask {
        let line = Box::new(CronLine::parse("0 * * * *").unwrap());
        let schedule = Schedule::Periodic { line, zone: parse_zone(None).unwrap() };
        let task = Task::Prompt(PromptTask { prompt: "x".to_owned() });
        let name = TaskName::parse("t").unwrap();
        let made = ScheduledTask::new("/w".to_owned(), name, schedule, task, String::new(), at("00:00"));
        ScheduledTask { next_run: Some(at("01:00")), ..made }
    }

    fn at(time: &str) -> Timestamp {
        format!("2026-11-23T{time}:00Z").parse().unwrap()
    }

    fn run(due: &str, next: Option<&str>) -> Due {
        Due::Run { due: at(due), next: next.map(at) }
    }

    fn missed(next: Option<&str>) -> Due {
        Due::Missed { next: next.map(at) }
    }

    #[test]
    fn what_nobody_served_is_caught_up_as_configured() {
        let check = |catch_up, now: &str, expected: Due| {
            let config = SchedulerConfig { catch_up, ..SchedulerConfig::default() };
            assert_eq!(due(&hourly(), at(now), &config.compile().unwrap()), expected, "{catch_up:?} at {now}");
        };
        for catch_up in [CatchUp::None, CatchUp::Once, CatchUp::All] {
            check(catch_up, "00:59", Due::Not);
            check(catch_up, "01:00", run("01:00", Some("02:00")));
            check(catch_up, "01:01", run("01:00", Some("02:00")));
        }
        check(CatchUp::None, "01:30", missed(Some("02:00")));
        check(CatchUp::Once, "01:30", run("01:00", Some("02:00")));
        // Times missed more than an hour ago are skipped; the others are caught up.
        check(CatchUp::Once, "05:30", run("05:00", Some("06:00")));
        check(CatchUp::None, "05:30", missed(Some("06:00")));
        check(CatchUp::All, "05:00", run("04:00", Some("05:00")));
        check(CatchUp::All, "02:00", run("01:00", Some("02:00")));
    }

    #[test]
    fn a_single_time_long_ago_is_missed_for_good() {
        let policy = SchedulerConfig::default().compile().unwrap();
        let once = ScheduledTask { schedule: Schedule::Deferred { at: at("01:00") }, ..hourly() };
        assert_eq!(due(&once, at("01:30"), &policy), run("01:00", None));
        assert_eq!(due(&once, at("02:01"), &policy), missed(None));
    }

    #[test]
    fn a_task_ends_with_its_runs_and_its_time() {
        let policy = SchedulerConfig::default().compile().unwrap();
        let last = ScheduledTask { runs: 2, max_runs: Some(3), ..hourly() };
        assert_eq!(due(&last, at("01:00"), &policy), run("01:00", None));
        let spent = ScheduledTask { runs: 3, max_runs: Some(3), ..hourly() };
        assert_eq!(due(&spent, at("01:00"), &policy), missed(None));
        let ends = ScheduledTask { expires_at: Some(at("02:00")), ..hourly() };
        assert_eq!(due(&ends, at("01:00"), &policy), run("01:00", None));
        let ended = ScheduledTask { expires_at: Some(at("01:00")), ..hourly() };
        assert_eq!(due(&ended, at("01:00"), &policy), missed(None));
    }
}
