//! The tools, and the loop that serves.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tools_core::{CallContext, CompositeExecutor, NoRedaction, Shared, Stack, ToolCall};
use tools_scheduler::{
    Dispatch, DueTask, ScheduledTask, Scheduler, SchedulerConfig, SchedulerTools, SqliteTasks, TaskName, TaskStore as _,
};
use tools_testkit::{FakeClock, Workspace, contract};

use crate::support::periodic;

fn clock() -> FakeClock {
    FakeClock::at("2026-11-23T12:00:00Z".parse().expect("it works"))
}

fn scheduler(clock: &FakeClock, config: &SchedulerConfig) -> Scheduler {
    let policy = Shared::new(config.compile().expect("it works"));
    Scheduler::new(Arc::new(SqliteTasks::in_memory()), policy, Arc::new(clock.clone()))
}

fn unasked() -> SchedulerConfig {
    SchedulerConfig { confirm_create: false, max_tasks: 3, ..SchedulerConfig::default() }
}

fn stack(config: &SchedulerConfig) -> Stack {
    let tools = SchedulerTools::new(scheduler(&clock(), config), Arc::new(NoRedaction));
    Stack::new(vec![], CompositeExecutor::new(tools.into_executors()))
}

async fn call(stack: &Stack, tool: &str, params: Value) -> Result<Value, (String, String)> {
    let outcome = stack.dispatch(ToolCall::new(tool, params).expect("it works"), &CallContext::new("/")).await;
    match outcome {
        Ok(output) => Ok(output.raw_response.unwrap_or_default()),
        Err(error) => Err((error.code().to_owned(), format!("{error} {}", error.suggestion()))),
    }
}

#[tokio::test]
async fn tasks_are_stored_shown_with_their_times_and_cancelled() {
    let stack = stack(&unasked());
    let daily =
        json!({"name": "daily", "cron": "0 8 * * mon-fri", "task": {"prompt": "look"}, "timezone": "Europe/Berlin"});
    let made = call(&stack, "schedule_periodic", daily.clone()).await.unwrap();
    let expected = json!({"name": "daily", "cron_normalised": "0 0 8 * * 1-5",
        "next": ["2026-11-24T07:00:00Z", "2026-11-25T07:00:00Z", "2026-11-26T07:00:00Z"]});
    assert_eq!(made, expected);
    assert_eq!(call(&stack, "schedule_periodic", daily.clone()).await.unwrap_err().0, "task_exists");
    for (end, next) in [
        (json!({"max_runs": 1}), vec!["2026-11-24T07:00:00Z"]),
        (json!({"expires_at": "2026-11-25T12:00:00Z"}), vec!["2026-11-24T07:00:00Z", "2026-11-25T07:00:00Z"]),
    ] {
        let mut ended = daily.clone();
        ended["name"] = json!("ended");
        ended["replace"] = json!(true);
        ended.as_object_mut().unwrap().extend(end.as_object().unwrap().clone());
        assert_eq!(call(&stack, "schedule_periodic", ended).await.unwrap()["next"], json!(next), "{end}");
        call(&stack, "cancel_task", json!({"name": "ended"})).await.unwrap();
    }
    let mut again = daily;
    again["replace"] = json!(true);
    call(&stack, "schedule_periodic", again).await.unwrap();
    let once = json!({"name": "once", "run_at": "tomorrow 8pm", "task": {"tool": "bash", "args": {"command": "date"}}});
    let made = call(&stack, "schedule_deferred", once).await.unwrap();
    assert_eq!(made, json!({"name": "once", "run_at": "2026-11-24T20:00:00Z", "in_seconds": 115_200}));
    let missing = call(&stack, "cancel_task", json!({"name": "dayly"})).await.unwrap_err();
    assert!(missing.0 == "task_not_found" && missing.1.contains("`daily`"), "{missing:?}");
    let cancelled = call(&stack, "cancel_task", json!({"name": "once"})).await.unwrap();
    assert_eq!((&cancelled["cancelled"], &cancelled["was"]["next"]), (&json!("once"), &json!("2026-11-24T20:00:00Z")));
    for name in ["two", "three"] {
        call(&stack, "schedule_periodic", json!({"name": name, "cron": "@", "task": {"prompt": "x"}}))
            .await
            .unwrap_err();
        let made = json!({"name": name, "cron": "5 * * * *", "task": {"prompt": "x"}});
        call(&stack, "schedule_periodic", made).await.unwrap();
    }
    let one_more = json!({"name": "four", "cron": "5 * * * *", "task": {"prompt": "x"}});
    assert_eq!(call(&stack, "schedule_periodic", one_more).await.unwrap_err().0, "quota_blocked");
}

#[tokio::test]
async fn what_makes_no_sense_is_told_with_what_would() {
    let stack = stack(&unasked());
    let check = async |tool: &str, change: Value, text: &str| {
        let mut params = match tool {
            "schedule_periodic" => json!({"name": "t", "cron": "0 8 * * *", "task": {"prompt": "x"}}),
            _ => json!({"name": "t", "run_at": "2026-11-24T08:00:00Z", "task": {"prompt": "x"}}),
        };
        for (key, value) in change.as_object().unwrap() {
            params[key] = value.clone();
        }
        let (code, said) = call(&stack, tool, params).await.unwrap_err();
        assert!(said.contains(text), "{change}: {code} {said}");
    };
    check("schedule_periodic", json!({"cron": "0 25 * * *"}), "field 2 (hour): 25 not in 0-23").await;
    check("schedule_periodic", json!({"cron": "0 0 30 2 *"}), "never comes").await;
    check("schedule_periodic", json!({"cron": "*/10 * * * * *"}), "every 10 seconds, and at least 60").await;
    check("schedule_periodic", json!({"timezone": "Mars/Olympus"}), "no time zone `Mars/Olympus`").await;
    check("schedule_periodic", json!({"timezone": "../../etc/passwd"}), "no time zone").await;
    check("schedule_periodic", json!({"name": "No Name"}), "not a valid name of a task").await;
    check("schedule_periodic", json!({"expires_at": "2026-11-23T13:00:00Z"}), "before it runs").await;
    check("schedule_periodic", json!({"task": {"tool": "no such tool!"}}), "not a valid name of a tool").await;
    check("schedule_periodic", json!({"task": {"prompt": "  "}}), "empty").await;
    check("schedule_deferred", json!({"run_at": "2026-11-23T11:59:59Z"}), "has passed: it is 2026-11-23T12:00:00Z")
        .await;
    check("schedule_deferred", json!({"run_at": "2026-11-24T08:00:00"}), "the offset is missing").await;
    check("schedule_deferred", json!({"run_at": "2027-02-30T08:00:00Z"}), "is not a valid time").await;
}

#[tokio::test]
async fn a_person_is_asked_with_the_time_as_it_was_understood() {
    let stack = stack(&SchedulerConfig::default());
    let once = json!({"name": "once", "run_at": "tomorrow 8pm", "task": {"prompt": "look"}});
    let error =
        stack.dispatch(ToolCall::new("schedule_deferred", once).unwrap(), &CallContext::new("/")).await.unwrap_err();
    let text = format!("{error:?} {} {:?}", error.suggestion(), error.prompt());
    assert!(text.contains("2026-11-24T20:00:00Z") && text.contains("nobody present"), "{text}");
}

#[tokio::test]
async fn the_tools_keep_the_contract_of_executors() {
    let tools = SchedulerTools::new(scheduler(&clock(), &unasked()), Arc::new(NoRedaction)).into_executors();
    let call = |tool, params| ToolCall::new(tool, params).unwrap();
    let samples = [
        call("schedule_periodic", json!({"name": "a", "cron": "0 8 * * *", "task": {"prompt": "x"}})),
        call("schedule_deferred", json!({"name": "b", "run_at": "tomorrow 8pm", "task": {"tool": "read"}})),
        call("cancel_task", json!({"name": "a"})),
    ];
    contract::check(CompositeExecutor::new(tools), &Workspace::new(), &samples).await;
}

/// Notes what runs; fails every second time.
#[derive(Default)]
struct Notes(Mutex<Vec<(String, String)>>);

#[async_trait]
impl Dispatch for Notes {
    async fn run(&self, firing: DueTask) -> Result<String, String> {
        let mut ran = self.0.lock().expect("nobody panicked");
        ran.push((firing.caller, firing.due.to_string()));
        if ran.len() % 2 == 1 { Ok("done".to_owned()) } else { Err("no".to_owned()) }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_loop_runs_what_is_due_and_what_is_stored_while_it_sleeps() {
    let clock = clock();
    let store = Arc::new(SqliteTasks::in_memory());
    let scheduler = Scheduler::new(store.clone(), Shared::new(unasked().compile().unwrap()), Arc::new(clock.clone()));
    let (notes, stop) = (Arc::new(Notes::default()), CancellationToken::new());
    let serving = {
        let (scheduler, notes, stop) = (scheduler.clone(), notes.clone(), stop.clone());
        tokio::spawn(async move { scheduler.serve("/w", notes, &stop).await })
    };
    scheduler.put(periodic("a", "*/2 * * * *", scheduler.now()), false).await.unwrap();
    let ran = async |count: usize| {
        for _ in 0..10_000 {
            if notes.0.lock().unwrap().len() >= count {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        notes.0.lock().unwrap().clone()
    };
    // Whoever stores something has the loop look again, and see what time it is.
    let nudge = async || {
        scheduler.put(periodic("z", "0 0 1 1 *", scheduler.now()), true).await.expect("it is stored");
    };
    clock.advance(SignedDuration::from_mins(2));
    nudge().await;
    let due = |time: &str| ("schedule:a".to_owned(), format!("2026-11-23T{time}:00Z"));
    assert_eq!(ran(1).await, [due("12:02")]);
    // The clock is set forward: what was missed is made up for once.
    clock.advance(SignedDuration::from_mins(31));
    nudge().await;
    assert_eq!(ran(2).await[1..], [due("12:04")]);
    stop.cancel();
    serving.await.unwrap().unwrap();
    let task = scheduler.get("/w", &TaskName::parse("a").unwrap()).await.unwrap();
    assert_eq!((task.runs, task.last_status.as_deref()), (2, Some("failed: no")));
    assert_eq!(task.next_run.unwrap().to_string(), "2026-11-23T12:34:00Z");
    assert!(store.next("/elsewhere").await.unwrap().is_none());
}

#[tokio::test]
async fn a_run_by_hand_leaves_the_times_alone_and_the_loop_keeps_away() {
    let clock = clock();
    let store = Arc::new(SqliteTasks::in_memory());
    let policy = unasked().compile().unwrap();
    let scheduler = Scheduler::new(store.clone(), Shared::new(policy), Arc::new(clock.clone()));
    let once = ScheduledTask { max_runs: Some(1), ..periodic("a", "*/2 * * * *", scheduler.now()) };
    scheduler.put(once, false).await.unwrap();
    let name = TaskName::parse("a").unwrap();
    let ended = scheduler.run_now("/w", &name, Arc::new(Notes::default())).await.unwrap();
    assert_eq!(ended, Ok("done".to_owned()));
    assert_eq!(scheduler.get("/w", &name).await.unwrap().next_run.unwrap().to_string(), "2026-11-23T12:02:00Z");
    // Somebody runs it and does not end: nobody else does, until the lease ends.
    store.claim_now("/w", &name, "other", clock_now(&scheduler), &policy).await.unwrap().unwrap();
    assert!(scheduler.run_now("/w", &name, Arc::new(Notes::default())).await.is_err());
    let later = scheduler.now() + SignedDuration::from_secs(59);
    assert!(store.claim("/w", "me", later, &policy, 9).await.unwrap().is_empty());
    let later = scheduler.now() + SignedDuration::from_mins(2);
    assert_eq!(store.claim("/w", "me", later, &policy, 9).await.unwrap().len(), 1);
}

fn clock_now(scheduler: &Scheduler) -> jiff::Timestamp {
    scheduler.now()
}
