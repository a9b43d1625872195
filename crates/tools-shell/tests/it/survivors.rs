//! Every way in which a process may try to outlive its command, against every way in which a
//! command can end: nothing is left. Waits for conditions, and for no time.

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;
use tools_core::{Approval, CallContext, CallerId, SessionId, Stack, SystemClock, ToolCall};
use tools_shell::{Bash, JobKill, Jobs, ShellConfig, ShellPolicyHandle};

use crate::support::{Shell, runs, until};

/// Ways to stay: `MARK` becomes the name under which the process is found.
const WAYS: [(&str, &str); 7] = [
    ("ampersand", "bash -c 'exec -a MARK sleep 99' & bash -c 'exec -a MARK sleep 99'"),
    ("nohup", "nohup bash -c 'exec -a MARK sleep 99' >/dev/null 2>&1 & bash -c 'exec -a MARK sleep 99'"),
    ("setsid", "setsid bash -c 'exec -a MARK sleep 99' & bash -c 'exec -a MARK sleep 99'"),
    ("double-fork", "(setsid bash -c '(exec -a MARK sleep 99) & exit' &) ; bash -c 'exec -a MARK sleep 99'"),
    ("disown", "bash -c 'exec -a MARK sleep 99' & disown -a; bash -c 'exec -a MARK sleep 99'"),
    ("trap", "trap '' TERM INT HUP; bash -c 'exec -a MARK sleep 99' & while :; do sleep 0.05; done"),
    ("pipeline", "PIPELINE"),
];

fn line(way: &str, mark: &str) -> String {
    let pipeline = vec!["bash -c 'exec -a MARK sleep 99'"; 40].join(" | ");
    way.replace("PIPELINE", &pipeline).replace("MARK", mark)
}

/// A shell behind a stack, as a host has it.
struct Host {
    _place: Shell,
    stack: Arc<Stack>,
    jobs: Arc<Jobs>,
    cx: CallContext,
}

impl Host {
    fn new(config: ShellConfig) -> Self {
        let place = Shell::new();
        let config = ShellConfig { confirm_patterns: Vec::new(), ..config };
        let bash = Bash::new(ShellPolicyHandle::new(config.compile().unwrap()));
        let jobs = Arc::clone(bash.jobs());
        let stack = Arc::new(Stack::new(Vec::new(), bash.into_executor()));
        Self { cx: CallContext::new(&place.work), _place: place, stack, jobs }
    }

    /// A call that is running, and what cancels it.
    fn call(
        &self,
        command: &str,
        background: bool,
    ) -> (tokio::task::JoinHandle<tools_core::Outcome>, CancellationToken) {
        let call = ToolCall::new("bash", json!({ "command": command, "background": background })).unwrap();
        let approval = Approval::grant(&call, CallerId::generate(), &SystemClock);
        let cancel = CancellationToken::new();
        let (stack, cx) = (Arc::clone(&self.stack), self.cx.clone().with_cancel(cancel.clone()));
        (tokio::spawn(async move { stack.dispatch_confirmed(call, approval, &cx).await }), cancel)
    }

    /// A job that is running; its name.
    async fn job(&self, command: &str) -> String {
        let (call, _cancel) = self.call(command, true);
        let output = call.await.unwrap().unwrap();
        output.raw_response.unwrap()["job_id"].as_str().unwrap().to_owned()
    }
}

fn mark(way: &str, ending: &str) -> String {
    format!("survivor-{way}-{ending}-{}", std::process::id())
}

fn short() -> ShellConfig {
    ShellConfig { timeout: 1, job_timeout: 1, ..ShellConfig::default() }
}

#[tokio::test]
async fn none_is_left_when_time_is_up() {
    let host = Host::new(short());
    for (way, template) in WAYS {
        let mark = mark(way, "timeout");
        let (call, _cancel) = host.call(&line(template, &mark), false);
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.code(), "command_timeout", "{way}: {error}");
        assert!(!runs(&mark), "{way}: the call was answered, and something still runs");
    }
}

#[tokio::test]
async fn none_is_left_when_the_call_is_cancelled() {
    let host = Host::new(ShellConfig::default());
    for (way, template) in WAYS {
        let mark = mark(way, "cancel");
        let (call, cancel) = host.call(&line(template, &mark), false);
        until(|| runs(&mark)).await;
        cancel.cancel();
        assert_eq!(call.await.unwrap().unwrap_err().code(), "cancelled", "{way}");
        until(|| !runs(&mark)).await;
    }
}

#[tokio::test]
async fn none_is_left_when_nobody_waits_any_more() {
    let host = Host::new(ShellConfig::default());
    for (way, template) in WAYS {
        let mark = mark(way, "drop");
        let (call, _cancel) = host.call(&line(template, &mark), false);
        until(|| runs(&mark)).await;
        call.abort();
        assert!(call.await.is_err(), "{way}");
        until(|| !runs(&mark)).await;
    }
}

#[tokio::test]
async fn none_is_left_when_the_session_ends() {
    let host = Host::new(ShellConfig::default());
    for (way, template) in WAYS {
        let mark = mark(way, "session");
        let _id = host.job(&line(template, &mark)).await;
        until(|| runs(&mark)).await;
        host.jobs.end_session(&SessionId::generate()).await;
        assert!(runs(&mark), "{way}: a session that is not its own has ended");
        host.jobs.end_session(host.cx.session()).await;
        assert!(!runs(&mark), "{way}: the session has ended, and something still runs");
    }
}

#[tokio::test]
async fn no_job_is_left_when_its_time_is_up_or_it_is_ended() {
    let host = Host::new(ShellConfig { max_jobs: 64, ..short() });
    for (way, template) in WAYS {
        let mark = mark(way, "job-timeout");
        let _id = host.job(&line(template, &mark)).await;
        until(|| !runs(&mark)).await;
    }
    let host = Host::new(ShellConfig::default());
    for (way, template) in WAYS {
        let mark = mark(way, "job-kill");
        let id = host.job(&line(template, &mark)).await;
        until(|| runs(&mark)).await;
        let kill = Stack::new(Vec::new(), JobKill::new(Arc::clone(&host.jobs)).into_executor());
        let call = ToolCall::new("job_kill", json!({ "id": id })).unwrap();
        let killed = kill.dispatch(call, &host.cx).await;
        assert!(killed.is_ok(), "{way}: {killed:?}");
        until(|| !runs(&mark)).await;
    }
}

#[tokio::test]
async fn no_job_is_left_when_its_host_is_dropped() {
    for (way, template) in WAYS {
        let host = Host::new(ShellConfig::default());
        let mark = mark(way, "job-drop");
        let _id = host.job(&line(template, &mark)).await;
        until(|| runs(&mark)).await;
        drop(host);
        until(|| !runs(&mark)).await;
    }
}
