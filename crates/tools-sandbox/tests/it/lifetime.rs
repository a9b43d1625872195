//! Nothing a command starts outlives it, its time or its owner.

use std::path::Path;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt;
use tokio::runtime::Builder;
use tools_sandbox::kernel::{Sandbox, SandboxMode};
use tools_sandbox::process::{ProcessTree, SpawnError, Stdin};

use crate::support::{Place, run, sandboxes, shell};

/// Three ways to stay behind: plain, own session, forked twice. The mark is an argument to find
/// them by.
fn daemons(mark: &str) -> String {
    format!(
        "bash -c 'exec -a {mark} sleep 99' & \
         setsid bash -c 'exec -a {mark} sleep 99' & \
         (setsid bash -c '(exec -a {mark} sleep 99) & exit' &) ; "
    )
}

/// Whether a process with this argument runs anywhere on the machine.
fn runs(mark: &str) -> bool {
    tools_testkit::processes_with(mark) > 0
}

async fn until_running(mark: &str) {
    let start = Instant::now();
    while !runs(mark) && start.elapsed() < Duration::from_secs(10) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(runs(mark), "the daemon never started");
}

fn mark(test: &str, level: impl std::fmt::Debug) -> String {
    format!("mark-{test}-{level:?}-{}", std::process::id())
}

#[tokio::test]
async fn the_leaders_end_ends_the_call_and_what_it_left_is_killed() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let mark = mark("leader", level);
        let line = format!("{} sleep 0.3; echo hi; exit 7", daemons(&mark));
        let ran = run(&line, &place.work, &sandbox).await;
        assert_eq!((ran.exit.code, ran.stdout.as_str()), (Some(7), "hi\n"), "{level:?}: {}", ran.stderr);
        assert!(ran.exit.left_running >= 3, "{level:?}: {:?}", ran.exit);
        assert!(!runs(&mark), "{level:?}");
    }
}

#[tokio::test]
async fn terminating_reaches_every_process_and_lets_them_clean_up() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let mark = mark("term", level);
        let line = format!("trap 'echo bye; exit 3' TERM; {} echo up; while :; do sleep 0.05; done", daemons(&mark));
        let mut tree = ProcessTree::spawn(&shell(&line, &place.work), &sandbox).await.unwrap();
        let mut out = tree.take_stdout().unwrap();
        until_running(&mark).await;
        let mut up = [0; 3];
        out.read_exact(&mut up).await.unwrap();
        let exit = tree.terminate(Duration::from_secs(5)).await;
        assert_eq!(exit.code, Some(3), "{level:?}: {exit:?}");
        let mut rest = String::new();
        out.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "bye\n", "{level:?}");
        assert!(!runs(&mark), "{level:?}");
    }
}

#[tokio::test]
async fn what_ignores_the_request_is_killed() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let line = "trap '' TERM; echo up; while :; do sleep 0.05; done";
        let mut tree = ProcessTree::spawn(&shell(line, &place.work), &sandbox).await.unwrap();
        let mut up = [0; 3];
        tree.take_stdout().unwrap().read_exact(&mut up).await.unwrap();
        let exit = tree.terminate(Duration::from_millis(50)).await;
        assert_eq!(exit.signal, Some(9), "{level:?}");
    }
}

#[tokio::test]
async fn dropping_kills_the_whole_tree() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let mark = mark("drop", level);
        let line = format!("{} sleep 99", daemons(&mark));
        let tree = ProcessTree::spawn(&shell(&line, &place.work), &sandbox).await.unwrap();
        until_running(&mark).await;
        let supervisor = format!("/proc/{}", tree.id());
        drop(tree);
        assert!(!runs(&mark), "{level:?}");
        assert!(!Path::new(&supervisor).exists(), "{level:?}: the supervisor was not reaped");
    }
}

#[tokio::test]
async fn a_supervisor_of_nothing_is_reaped_without_being_waited_for() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let mut left = Vec::new();
        for _ in 0..20 {
            let mut tree = ProcessTree::spawn(&shell("true", &place.work), &sandbox).await.unwrap();
            left.push(format!("/proc/{}", tree.id()));
            assert_eq!(tree.wait().await.code, Some(0), "{level:?}");
            tree.finish().await;
        }
        let start = Instant::now();
        while left.iter().any(|supervisor| Path::new(supervisor).exists()) && start.elapsed() < Duration::from_secs(10)
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        left.retain(|supervisor| Path::new(supervisor).exists());
        assert_eq!(left, Vec::<String>::new(), "{level:?}");
    }
}

#[tokio::test]
async fn death_by_signal_is_told_apart_from_an_exit_code() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let ran = run("kill -9 $$", &place.work, &sandbox).await;
        assert_eq!((ran.exit.code, ran.exit.signal), (None, Some(9)), "{level:?}");
    }
}

#[tokio::test]
async fn input_is_empty_unless_piped() {
    use tokio::io::AsyncWriteExt;
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        assert_eq!(run("cat; read x; echo $?", &place.work, &sandbox).await.stdout, "1\n", "{level:?}");
        let mut spec = shell("cat", &place.work);
        spec.stdin = Stdin::Piped;
        let mut tree = ProcessTree::spawn(&spec, &sandbox).await.unwrap();
        let mut input = tree.take_stdin().unwrap();
        input.write_all(b"given").await.unwrap();
        drop(input);
        let mut text = String::new();
        tree.take_stdout().unwrap().read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "given", "{level:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_do_not_hold_each_other_up() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let many = (0..24).map(|n| {
            let (sandbox, work) = (sandbox.clone(), place.work.clone());
            tokio::spawn(async move { run(&format!("echo {n}"), &work, &sandbox).await.stdout })
        });
        let mut seen = Vec::new();
        for one in many.collect::<Vec<_>>() {
            seen.push(one.await.unwrap().trim().parse::<u32>().unwrap());
        }
        assert_eq!(seen, (0..24).collect::<Vec<_>>(), "{level:?}");
    }
}

#[test]
fn nothing_is_started_where_the_runtime_lacks_something() {
    let place = Place::new();
    let sandbox = Sandbox::compile(&place.ask(SandboxMode::Off)).unwrap();
    let spec = shell("touch started", &place.work);
    let check = |runtime: &mut Builder, expected: &str| {
        let refused = runtime.build().unwrap().block_on(ProcessTree::spawn(&spec, &sandbox)).unwrap_err();
        assert!(matches!(refused, SpawnError::Runtime { .. }), "{refused:?}");
        assert!(refused.to_string().contains(expected) && refused.to_string().contains("`enable_all`"), "{refused}");
    };
    check(Builder::new_current_thread().enable_time(), "no I/O");
    check(Builder::new_current_thread().enable_io(), "no timers");
    let mut nowhere = Box::pin(ProcessTree::spawn(&spec, &sandbox));
    let refused = nowhere.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(refused, Poll::Ready(Err(SpawnError::Runtime { .. }))), "{refused:?}");
    assert!(!place.work.join("started").exists());
}
