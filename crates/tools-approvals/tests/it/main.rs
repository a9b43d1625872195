//! Questions between askers and watchers: who answers first counts, and whoever is killed holds
//! nobody up.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod activities;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tools_approvals::{Asker, Choice, EndReason, Event, QuestionWatch, Watchers};
use tools_core::{
    Absence, Access, Answer, Change, ConfirmPrompt, Confirmer, FileDiff, NoRuntime, PromptPart, StoredRule, Subject,
    ToolName, Verdict, WebUrl,
};

fn place() -> (TempDir, PathBuf) {
    let base = tempfile::tempdir().unwrap();
    // Longer than the address of a socket may be.
    let folder = base.path().join("a-folder-with-a-long-name".repeat(6)).join("watch");
    (base, folder)
}

fn asking(folder: &Path, patience: u64) -> Watchers {
    let asker = Asker { client: "test".to_owned(), workdir: "/w".into(), process: 7, lasting: false };
    Watchers::new(folder, asker, Duration::from_secs(patience))
}

fn prompt(line: &str) -> ConfirmPrompt {
    let tool = ToolName::parse("bash").unwrap();
    let part = |subject, verdict| PromptPart { subject, verdict, rule: "default".to_owned() };
    let command = Subject::Command { line: line.to_owned(), program: "x".to_owned(), argv: vec![], via: vec![] };
    let parts = vec![
        part(command, Verdict::Ask),
        part(Subject::path("/w/a", Access::Write), Verdict::Ask),
        part(Subject::Url { url: WebUrl::from_parts("https", "[::1]", Some(8443), "/a?b=c:d") }, Verdict::Ask),
        part(Subject::Url { url: WebUrl::from_parts("https", "docs.rs", None, "/") }, Verdict::Allow),
        part(Subject::Opaque { why: "eval".to_owned() }, Verdict::Deny),
    ];
    let diff = FileDiff {
        path: "/w/a".into(),
        unified: "@@ -1 +1 @@\n-a\n+b\n".to_owned(),
        added: 1,
        removed: 1,
        before: None,
        after: None,
    };
    let rule = StoredRule::new(tool.clone(), "make *");
    ConfirmPrompt { change: Some(Change::diff(diff)), ..ConfirmPrompt::new(tool, "why", parts).storing(Some(rule)) }
}

async fn asked(watch: &mut QuestionWatch) -> (u64, ConfirmPrompt) {
    match watch.next().await {
        Some(Event::Asked(standing)) => (standing.id, standing.prompt),
        other => panic!("{other:?}"),
    }
}

async fn ended(watch: &mut QuestionWatch) -> EndReason {
    match watch.next().await {
        Some(Event::Ended { how, .. }) => how,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_first_answer_counts_and_the_others_are_told() {
    let (_base, folder) = place();
    let (mut first, mut second) =
        (QuestionWatch::open(&folder).await.unwrap(), QuestionWatch::open(&folder).await.unwrap());
    let watchers = asking(&folder, 60);
    assert_eq!(watchers.count().await, 2);
    // A connection that says nothing is no question.
    for (choice, expected) in [
        (Choice::Once, Answer::Once),
        (Choice::Always, Answer::Always),
        (Choice::Session, Answer::No(None)),
        (Choice::No { why: Some("use write".to_owned()) }, Answer::No(Some("use write".to_owned()))),
    ] {
        let (watchers, about) = (watchers.clone(), prompt("make \u{1b}[2J x"));
        let expects = about.clone();
        let answer = tokio::spawn(async move { watchers.confirm(&about).await });
        let ((one, seen), (two, _)) = (asked(&mut first).await, asked(&mut second).await);
        assert_eq!(seen, expects, "what is shown is what is asked");
        second.answer(two, choice);
        assert_eq!(answer.await.unwrap(), expected);
        assert_eq!((ended(&mut second).await, ended(&mut first).await), (EndReason::Taken, EndReason::Withdrawn));
        first.answer(one, Choice::Once);
    }
}

#[tokio::test]
async fn nobody_is_waited_for_who_does_not_watch() {
    let (base, folder) = place();
    let watchers = asking(&folder, 60);
    let cannot = Answer::Nobody(Absence::CannotAsk);
    assert_eq!(watchers.confirm(&prompt("x")).await, cannot, "there is not a directory");
    assert!(!folder.exists(), "asking makes none");
    drop(QuestionWatch::open(&folder).await.unwrap());
    assert_eq!(watchers.confirm(&prompt("x")).await, cannot, "the watch ended");
    // A socket that a killed watcher left.
    drop(std::os::unix::net::UnixListener::bind(base.path().join("s")).unwrap());
    std::fs::rename(base.path().join("s"), folder.join("1-a.sock")).unwrap();
    assert_eq!(watchers.confirm(&prompt("x")).await, cannot, "nobody listens");
    let _watch = QuestionWatch::open(&folder).await.unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(watchers.confirm(&prompt("x")).await, cannot, "others could listen there");
    assert!(QuestionWatch::open(&folder).await.is_err());
}

#[tokio::test]
async fn a_question_outlives_its_watcher_and_neither_its_asker_nor_its_time() {
    let (_base, folder) = place();
    let mut killed = QuestionWatch::open(&folder).await.unwrap();
    let watchers = asking(&folder, 60);
    let waiting = tokio::spawn(async move { watchers.confirm(&prompt("x")).await });
    asked(&mut killed).await;
    drop(killed);
    let mut next = QuestionWatch::open(&folder).await.unwrap();
    let (id, _) = asked(&mut next).await;
    next.answer(id, Choice::Once);
    assert_eq!(waiting.await.unwrap(), Answer::Once);
    assert_eq!(ended(&mut next).await, EndReason::Taken);

    let watchers = asking(&folder, 60);
    let cancelled = tokio::spawn(async move { watchers.confirm(&prompt("x")).await });
    asked(&mut next).await;
    cancelled.abort();
    assert_eq!(ended(&mut next).await, EndReason::Withdrawn);

    let watchers = asking(&folder, 1);
    let late = tokio::spawn(async move { watchers.confirm(&prompt("x")).await });
    let (id, _) = asked(&mut next).await;
    assert_eq!(late.await.unwrap(), Answer::Nobody(Absence::NoAnswer));
    assert_ne!(ended(&mut next).await, EndReason::Taken);
    next.answer(id, Choice::Once);
}

#[tokio::test]
async fn what_is_no_question_and_no_answer_is_passed_over() {
    let (_base, folder) = place();
    let mut watch = QuestionWatch::open(&folder).await.unwrap();
    let socket = || std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().file_name();
    // Through a handle: the path is too long for an address.
    let handle = std::fs::File::open(&folder).unwrap();
    let short = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&handle));
    let long = serde_json::json!({"version": 1, "asker": {"client": "x", "workdir": "/", "process": 1, "lasting": true},
        "prompt": prompt(&"x".repeat(9000)), "left_ms": 9000});
    let other = serde_json::json!({"version": 99});
    for garbage in ["{}\n".to_owned(), "no json\n".to_owned(), format!("{other}\n"), format!("{long}\n"), String::new()]
    {
        let mut stream = UnixStream::connect(Path::new(&short).join(socket())).await.unwrap();
        stream.write_all(garbage.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).await.unwrap();
        assert_eq!(answer, "", "{garbage}");
    }
    // A listener of this user that answers with anything else is as good as gone; the real one
    // answers.
    let odd = tokio::net::UnixListener::bind(Path::new(&short).join("0-odd.sock")).unwrap();
    let odd = tokio::spawn(async move {
        let (mut stream, _) = odd.accept().await.unwrap();
        stream.write_all(b"{\"answer\":\"yes, all\"}\n").await.unwrap();
        odd
    });
    let watchers = asking(&folder, 60);
    let answer = tokio::spawn(async move { watchers.confirm(&prompt("x")).await });
    let (id, _) = asked(&mut watch).await;
    let _odd = odd.await.unwrap();
    watch.answer(id, Choice::No { why: None });
    assert_eq!(answer.await.unwrap(), Answer::No(None));
}

#[test]
fn without_a_runtime_nothing_is_watched() {
    let (_base, folder) = place();
    let opening = std::pin::pin!(QuestionWatch::open(&folder));
    let polled = opening.poll(&mut Context::from_waker(Waker::noop()));
    let Poll::Ready(Err(error)) = polled else { panic!("it is neither opened nor waited for") };
    assert!(error.get_ref().and_then(|error| error.downcast_ref::<NoRuntime>()).is_some(), "{error}");
}
