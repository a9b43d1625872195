//! Commands in the background: what they print, how they end, what holds them, and that none
//! outlives its shell.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tools_core::{
    CallContext, Digest, Intake, LineSelection, SkippedPart, SummaryKind, TextSink, ToolCall,
    ToolErrorCategory as Category,
};
use tools_sandbox::kernel::Probe;
use tools_shell::{JobKill, JobRead, ShellConfig};

use crate::support::{Shell, runs, until};

/// Starts a job and tells its id.
async fn start(shell: &Shell, command: &str) -> String {
    let came = shell.start(command).await;
    assert_eq!(came.code(), None, "{:?}", came.error);
    assert_eq!(came.field("exit_code"), json!(null));
    came.field("job_id").as_str().unwrap().to_owned()
}

async fn read(shell: &Shell, id: &str, since: u64, wait_ms: u64) -> Value {
    let params = json!({"id": id, "since": since, "wait_ms": wait_ms});
    shell.on_job("job_read", params, &shell.cx).await.envelope()
}

/// Reads on until the job has ended, and tells all that it printed and its last report.
async fn to_the_end(shell: &Shell, id: &str) -> (String, Value) {
    let (mut stdout, mut since) = (String::new(), 0);
    loop {
        let report = read(shell, id, since, 30_000).await;
        stdout.push_str(report["stdout"].as_str().unwrap());
        since = report["next"].as_u64().unwrap();
        if report["state"] == json!("ended") {
            return (stdout, report);
        }
    }
}

#[tokio::test]
async fn a_job_is_read_while_it_runs_and_after_its_end() {
    let shell = Shell::new();
    let id = start(&shell, "echo one; until test -e go; do sleep 0.02; done; echo two; exit 7").await;
    let first = read(&shell, &id, 0, 30_000).await;
    assert_eq!(
        (&first["stdout"], &first["state"], &first["exit_code"]),
        (&json!("one\n"), &json!("running"), &json!(null))
    );
    std::fs::write(shell.work.join("go"), "").unwrap();
    let (stdout, last) = to_the_end(&shell, &id).await;
    assert_eq!((stdout.as_str(), &last["exit_code"], &last["killed"]), ("one\ntwo\n", &json!(7), &json!(false)));
    assert_eq!(read(&shell, &id, first["next"].as_u64().unwrap(), 0).await["stdout"], json!("two\n"));
}

#[tokio::test]
async fn nothing_new_is_not_waited_for_unless_asked() {
    let shell = Shell::new();
    let id = start(&shell, "sleep 99").await;
    let report = read(&shell, &id, 0, 0).await;
    assert_eq!((&report["state"], &report["next"]), (&json!("running"), &json!(0)));
}

#[tokio::test]
async fn the_end_of_a_pipeline_is_told_as_for_any_command() {
    let shell = Shell::new();
    let id = start(&shell, "(exit 101) | cat").await;
    let (_, report) = to_the_end(&shell, &id).await;
    assert_eq!((&report["exit_code"], &report["pipe_status"]), (&json!(0), &json!([101, 0])));
}

#[tokio::test]
async fn what_is_printed_without_end_is_bounded_and_counted() {
    let shell = Shell::new();
    let id = start(&shell, "head -c 3000000 /dev/zero | tr '\\0' x; printf last >&2").await;
    let params = json!({"id": id, "since": 3_000_004});
    until_ended(&shell, &id).await;
    let report = read(&shell, &id, 0, 0).await;
    let stdout = report["stdout"].as_str().unwrap().len();
    assert_eq!(
        (stdout, &report["stderr"], &report["lost"]),
        (128 * 1024, &json!("last"), &json!(3_000_000 - 128 * 1024))
    );
    let nothing = shell.on_job("job_read", params, &shell.cx).await;
    assert_eq!((nothing.field("stdout"), nothing.field("lost")), (json!(""), json!(0)));
}

/// Takes long text and keeps it.
#[derive(Default)]
struct Collecting(Arc<Mutex<Vec<u8>>>);

struct Collected(Arc<Mutex<Vec<u8>>>);

impl Intake for Collecting {
    fn capacity(&self) -> u64 {
        u64::MAX
    }

    fn open(&self, _: LineSelection) -> Box<dyn TextSink> {
        Box::new(Collected(Arc::clone(&self.0)))
    }
}

impl TextSink for Collected {
    fn push(&mut self, bytes: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(bytes);
    }

    fn show(&mut self, _: &str) {}

    fn skip(&mut self, _: SkippedPart) {}

    fn finish(self: Box<Self>, exit: Option<i32>) -> Digest {
        Digest {
            bytes: self.0.lock().unwrap().len() as u64,
            shown: SummaryKind::All,
            head: format!("{exit:?}"),
            tail: String::new(),
            middle: None,
            kept: None,
            fault: None,
            filter: None,
            credentials: Vec::new(),
        }
    }
}

#[tokio::test]
async fn what_a_job_prints_beyond_what_is_held_is_taken_as_it_comes() {
    let shell = Shell::new();
    let taken = Arc::new(Collecting::default());
    let cx = shell.cx.clone().with_intake(Arc::clone(&taken) as Arc<dyn Intake>);
    let started = shell.start_in(&cx, "seq 1 1000000; exit 3").await;
    let id = started.field("job_id").as_str().unwrap().to_owned();
    until_ended(&shell, &id).await;
    let all: String = (1..=1_000_000).map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
    assert!(*taken.0.lock().unwrap() == all.as_bytes(), "it is not what was printed");
    // It lies with whoever took it, so that it can be told of any number of times.
    for _ in 0..2 {
        let told = shell.on_job("job_read", json!({"id": id}), &cx).await;
        let digest = told.output.and_then(|output| output.digest).expect("it was taken");
        assert_eq!((digest.bytes, digest.head.as_str()), (all.len() as u64, "Some(3)"));
    }
}

#[tokio::test]
async fn what_a_report_has_lost_is_given_to_whoever_stores_it_once() {
    let shell = Shell::new();
    let cx = shell.cx.clone().with_intake(Arc::new(Collecting::default()));
    let started = shell.start_in(&cx, "seq 1 100000").await;
    let id = started.field("job_id").as_str().unwrap().to_owned();
    until_ended(&shell, &id).await;
    // Somebody who stores nothing takes nothing away.
    assert!(read(&shell, &id, 0, 0).await["lost"].as_u64().unwrap() > 0);
    let whole = |came: crate::support::Came| came.output.and_then(|output| output.complete).map(|whole| whole.text);
    let nothing_lost = json!({"id": id, "since": 588_000});
    assert_eq!(whole(shell.on_job("job_read", nothing_lost, &cx).await), None);
    let all: String = (1..=100_000).map(|n| format!("{n}\n")).collect::<Vec<_>>().concat();
    let given = whole(shell.on_job("job_read", json!({"id": id}), &cx).await).unwrap();
    assert_eq!(given.as_ref(), all);
    assert_eq!(whole(shell.on_job("job_read", json!({"id": id}), &cx).await), None);
}

async fn until_ended(shell: &Shell, id: &str) {
    to_the_end(shell, id).await;
}

#[tokio::test]
async fn a_killed_job_leaves_nothing() {
    let shell = Shell::new();
    let mark = format!("shell-job-kill-{}", std::process::id());
    let line = format!("(setsid bash -c 'exec -a {mark} sleep 99' &); trap '' TERM; echo up; exec -a {mark} sleep 99");
    let id = start(&shell, &line).await;
    read(&shell, &id, 0, 30_000).await;
    until(|| runs(&mark)).await;
    let report = shell.on_job("job_kill", json!({"id": id}), &shell.cx).await.envelope();
    assert_eq!(
        (&report["state"], &report["killed"], &report["stdout"]),
        (&json!("ended"), &json!(true), &json!("up\n"))
    );
    assert!(!runs(&mark));
    let again = shell.on_job("job_kill", json!({"id": id}), &shell.cx).await;
    assert_eq!((again.code(), again.field("killed")), (None, json!(true)));
}

#[tokio::test]
async fn a_job_whose_time_is_up_is_stopped() {
    let shell = Shell::with(&ShellConfig { job_timeout: 1, ..ShellConfig::default() });
    let id = start(&shell, "echo begun; sleep 99").await;
    let (stdout, report) = to_the_end(&shell, &id).await;
    assert_eq!((stdout.as_str(), &report["timed_out"], &report["exit_code"]), ("begun\n", &json!(true), &json!(124)));
}

#[tokio::test]
async fn jobs_end_with_their_shell() {
    let shell = Shell::new();
    let mark = format!("shell-job-drop-{}", std::process::id());
    start(&shell, &format!("exec -a {mark} sleep 99")).await;
    until(|| runs(&mark)).await;
    drop(shell);
    until(|| !runs(&mark)).await;
}

#[test]
fn jobs_end_with_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mark = format!("shell-job-runtime-{}", std::process::id());
    let shell = runtime.block_on(async {
        let shell = Shell::new();
        start(&shell, &format!("exec -a {mark} sleep 99")).await;
        until(|| runs(&mark)).await;
        shell
    });
    drop(runtime);
    assert!(!runs(&mark));
    drop(shell);
}

#[tokio::test]
async fn a_job_belongs_to_its_session() {
    let shell = Shell::new();
    let id = start(&shell, "sleep 99").await;
    let other = CallContext::new(&shell.work);
    for (params, cx) in
        [(json!({"id": id}), &other), (json!({"id": "job-77"}), &shell.cx), (json!({"id": "\n"}), &shell.cx)]
    {
        for tool in ["job_read", "job_kill"] {
            let came = shell.on_job(tool, params.clone(), cx).await;
            assert_eq!(
                (came.error.as_ref().unwrap().category(), came.code()),
                (Category::InvalidParameters, Some("unknown_job"))
            );
        }
    }
    let known = shell.on_job("job_read", json!({"id": "x"}), &shell.cx).await.error.unwrap();
    assert_eq!(known.suggestion(), format!("The jobs of this session: {id}."));
    assert_eq!(read(&shell, &id, 0, 0).await["state"], json!("running"));
}

#[tokio::test]
async fn only_so_many_run_at_once() {
    let shell = Shell::with(&ShellConfig { max_jobs: 2, ..ShellConfig::default() });
    let first = start(&shell, "sleep 99").await;
    start(&shell, "sleep 99").await;
    let refused = shell.start("touch third").await;
    assert_eq!(refused.code(), Some("too_many_jobs"));
    assert_eq!(refused.field("exit_code"), json!(125));
    assert!(!shell.work.join("third").exists());
    shell.on_job("job_kill", json!({"id": first}), &shell.cx).await;
    start(&shell, "sleep 99").await;
}

#[tokio::test]
async fn those_that_ended_long_ago_are_forgotten() {
    let shell = Shell::new();
    let mut ids = Vec::new();
    for _ in 0..40 {
        let id = start(&shell, "true").await;
        to_the_end(&shell, &id).await;
        ids.push(id);
    }
    let known = |id: &str| {
        let params = json!({ "id": id });
        let shell = &shell;
        async move { shell.on_job("job_read", params, &shell.cx).await.code().is_none() }
    };
    assert!(!known(&ids[0]).await && known(&ids[39]).await && known(&ids[20]).await);
}

#[tokio::test]
async fn a_job_is_judged_and_confined_as_any_command() {
    let shell = Shell::new();
    assert_eq!(shell.start("env sudo id").await.code(), Some("command_blocked"));
    if let Err(missing) = &Probe::cached().namespaces {
        eprintln!("SKIPPED: {missing}");
        return;
    }
    let outside = shell.outside.join("mark");
    std::fs::write(shell.work.join(".env"), "SECRET").unwrap();
    let line = format!("echo x > {}; cat .env; echo x > inside; echo end", outside.display());
    let came = shell.start(&line).await;
    assert_eq!(came.field("sandbox")["level"], json!("namespaces"));
    let (stdout, _) = to_the_end(&shell, came.field("job_id").as_str().unwrap()).await;
    assert_eq!(stdout, "end\n");
    assert!(!outside.exists() && shell.work.join("inside").exists());
}

#[tokio::test]
async fn what_becomes_secret_while_it_runs_is_told() {
    if Probe::cached().namespaces.is_err() {
        eprintln!("SKIPPED: no namespaces");
        return;
    }
    let shell = Shell::new();
    for folder in ["as-before", "sub"] {
        std::fs::create_dir(shell.work.join(folder)).unwrap();
    }
    for name in [".env", "as-before/.env"] {
        std::fs::write(shell.work.join(name), "SECRET").unwrap();
    }
    let id = start(&shell, "echo up; until test -e go; do sleep 0.02; done").await;
    read(&shell, &id, 0, 30_000).await;
    // As an editor saves: another file takes the name.
    std::fs::write(shell.work.join("new"), "SECRET").unwrap();
    std::fs::rename(shell.work.join("new"), shell.work.join(".env")).unwrap();
    std::fs::write(shell.work.join("sub/.env"), "SECRET").unwrap();
    std::fs::write(shell.work.join("go"), "").unwrap();
    let (_, report) = to_the_end(&shell, &id).await;
    let told = report.to_string();
    assert!(told.contains("not hidden from it") && told.contains("`.env`") && told.contains("`sub/.env`"), "{told}");
    assert!(!told.contains("as-before"), "{told}");
}

#[tokio::test]
async fn the_tools_on_jobs_hold_to_the_executors_contract() {
    let workspace = tools_testkit::Workspace::new();
    let jobs = Shell::new().jobs;
    let samples = |tool: &str| [ToolCall::new(tool, json!({"id": "job-1"})).unwrap()];
    let (read, kill) = (JobRead::new(Arc::clone(&jobs)), JobKill::new(jobs));
    tools_testkit::contract::check(read.into_executor(), &workspace, &samples("job_read")).await;
    tools_testkit::contract::check(kill.into_executor(), &workspace, &samples("job_kill")).await;
}
