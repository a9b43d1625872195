//! Reading a log for people.

use std::io::Write as _;

use tools_audit::view::{Follower, Row, rows};
use tools_audit::{AuditSink as _, JsonlSink, RecordStore as _};
use tools_testkit::Workspace;

fn seqs(lines: &[Vec<u8>]) -> Vec<u64> {
    lines.iter().filter_map(|line| Row::of(line)).map(|row| row.seq).collect()
}

#[test]
fn a_row_shows_what_a_line_is_about() {
    let line = br#"{"v":1,"seq":7,"ts":"t","session":"s","tool":"bash","call":{"command":"ls"},
        "subjects":[{"kind":"exec","line":"ls","program":"ls","argv":[]}],"decision":"deny","approved_by":"rule",
        "policy_match":"permissions.bash[0] \"ls\"","error_code":"permission_denied","duration_ms":3}"#;
    let row = Row::of(line).unwrap();
    assert_eq!(
        row,
        Row {
            seq: 7,
            ts: "t".into(),
            session: "s".into(),
            tool: "bash".into(),
            about: "ls".into(),
            decision: "deny".into(),
            by: "permissions.bash[0] \"ls\"".into(),
            outcome: "permission_denied".into(),
            duration_ms: 3,
        }
    );
    assert_eq!(Row::of(b"[1]"), None);
    assert_eq!(Row::of(b"{\"v\":1,\"seq\":"), None);
}

#[test]
fn a_follower_sees_whole_lines_only_and_follows_into_new_files() {
    let space = Workspace::new();
    let path = space.path("audit.jsonl");
    let sink = JsonlSink::open(&path).unwrap().rotating_at(1000);
    let append = || sink.append(r#""tool":"read""#).unwrap();
    (0..3).for_each(|_| drop(append()));
    let mut all = Follower::from_start(&path).unwrap();
    let mut last = Follower::from_last(&path, 2).unwrap();
    assert_eq!(seqs(&all.poll().unwrap()), [1, 2, 3]);
    assert_eq!(seqs(&last.poll().unwrap()), [2, 3]);
    assert_eq!(seqs(&last.poll().unwrap()), [] as [u64; 0]);
    (0..3).for_each(|_| drop(append()));
    assert_eq!(seqs(&all.poll().unwrap()), [4, 5, 6]);
    std::fs::File::options().append(true).open(&path).unwrap().write_all(b"half").unwrap();
    assert_eq!(seqs(&all.poll().unwrap()), [] as [u64; 0]);
    append();
    assert_eq!(seqs(&all.poll().unwrap()), [7]);
    assert!(rows(&path).unwrap().iter().any(|row| row.seq == 7));
}

#[tokio::test]
async fn the_calls_of_a_session_are_paged_across_files_and_no_other_is_among_them() {
    let space = Workspace::new();
    let path = space.path("audit.jsonl");
    let sink = JsonlSink::open(&path).unwrap().rotating_at(1500);
    assert_eq!(sink.of_session("mine", 0, 5).await.unwrap().rows, [], "nothing was called yet");
    for n in 0..12 {
        let session = if n % 3 == 0 { "other" } else { "mine" };
        sink.append(&format!(r#""tool":"bash","session":"{session}","call":{{"command":"\"mine\" {n}"}}"#)).unwrap();
    }
    let files = std::fs::read_dir(space.root()).unwrap().count();
    assert!(files > 1, "the log went on in a new file");
    let (mut seen, mut after) = (vec![], 0);
    loop {
        let page = sink.of_session("mine", after, 3).await.unwrap();
        assert!(page.rows.len() <= 3);
        assert!(page.rows.iter().all(|row| row.session == "mine"), "{page:?}");
        seen.extend(page.rows.iter().map(|row| row.seq));
        match page.next {
            Some(next) => after = next,
            None => break,
        }
    }
    let whole: Vec<u64> =
        [space.path("audit.jsonl")].iter().flat_map(|file| rows(file).unwrap()).map(|row| row.seq).collect();
    let expected: Vec<u64> = (1..=12).filter(|seq| (seq - 1) % 3 != 0).collect();
    assert!(seen.len() >= whole.len() / 2 && expected.ends_with(&seen), "{seen:?} of {expected:?}");
    assert!(seen[0] < whole[0], "the file before is read too");
    assert_eq!(sink.of_session("nobody", 0, 3).await.unwrap().rows, []);
}
