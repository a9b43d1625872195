//! Reading a log for people.

use std::io::Write as _;

use tools_audit::{
    AuditSink as _, JsonlSink,
    view::{Follower, Row, rows},
};
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
