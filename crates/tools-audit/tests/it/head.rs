//! The head that is noted beside a log: a cut-off end shows, also later, and a log that is put away
//! is no fault.

use std::path::{Path, PathBuf};

use tools_audit::{AuditError, AuditSink as _, Head, JsonlSink, head_file, verify, verify_with};
use tools_testkit::Workspace;

fn log(space: &Workspace, lines: usize) -> PathBuf {
    let path = space.path("audit.jsonl");
    append(&path, lines);
    path
}

fn append(path: &Path, lines: usize) {
    let sink = JsonlSink::open(path).unwrap();
    (0..lines).for_each(|_| drop(sink.append(r#""ts":"now","session":"s""#).unwrap()));
}

fn keep(path: &Path, lines: usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let kept: String = text.split_inclusive('\n').take(lines).collect();
    std::fs::write(path, kept).unwrap();
}

fn broken(path: &Path) -> Option<u64> {
    verify(path).unwrap().broken.map(|broken| broken.line)
}

#[test]
fn every_cut_off_end_is_found_and_stays_found() {
    for kept in 0..5 {
        let space = Workspace::new();
        let path = log(&space, 5);
        assert_eq!(broken(&path), None);
        keep(&path, kept);
        assert_eq!(broken(&path), Some(kept as u64 + 1), "{kept} lines kept");
        if kept > 0 {
            append(&path, 2);
            assert_eq!(broken(&path), Some(kept as u64 + 1), "{kept} lines kept, two more written");
        }
    }
}

#[test]
fn a_cut_line_is_found() {
    let space = Workspace::new();
    let path = log(&space, 3);
    let text = std::fs::read(&path).unwrap();
    for cut in 1..text.len() / 3 {
        std::fs::write(&path, &text[..text.len() - cut]).unwrap();
        assert_eq!(broken(&path), Some(3), "{cut} bytes cut off");
    }
}

#[test]
fn a_log_that_is_put_away_begins_anew_and_says_so() {
    let space = Workspace::new();
    let path = log(&space, 3);
    let before = verify(&path).unwrap();
    std::fs::rename(&path, space.path("away.jsonl")).unwrap();
    append(&path, 2);
    let report = verify(&path).unwrap();
    assert!(report.is_intact(), "{report:?}");
    assert_eq!(report.lines, 2);
    assert_eq!(report.replaces, Some(Head { seq: 3, hash: before.head.unwrap() }));
}

#[test]
fn a_head_that_lags_behind_or_cannot_be_read_is_no_fault() {
    let space = Workspace::new();
    let path = log(&space, 3);
    let earlier = std::fs::read(head_file(&path)).unwrap();
    append(&path, 1);
    for noted in [&earlier[..], b"", b"\0\0\0\0", &earlier[..earlier.len() / 2]] {
        std::fs::write(head_file(&path), noted).unwrap();
        assert_eq!(broken(&path), None);
        append(&path, 1);
        assert_eq!(broken(&path), None);
    }
}

#[test]
fn a_log_that_was_written_anew_does_not_fit_what_was_noted() {
    let space = Workspace::new();
    let path = log(&space, 3);
    let noted: Head = {
        let report = verify(&path).unwrap();
        format!("{}:{}", report.last_seq.unwrap(), report.head.unwrap()).parse().unwrap()
    };
    append(&path, 2);
    let other = Workspace::new();
    let forged = other.path("audit.jsonl");
    let sink = JsonlSink::open(&forged).unwrap();
    (0..5).for_each(|_| drop(sink.append(r#""ts":"now","session":"forged""#).unwrap()));
    std::fs::copy(&forged, &path).unwrap();
    assert_eq!(broken(&path), Some(5), "the head beside it");
    std::fs::remove_file(head_file(&path)).unwrap();
    assert_eq!(broken(&path), None, "nothing in the file itself tells");
    let report = verify_with(&path, &[noted]).unwrap();
    assert_eq!(report.broken.map(|broken| broken.line), Some(3), "a head that was noted elsewhere");
}

#[test]
fn a_head_is_text_that_can_be_noted() {
    let head = Head { seq: 7, hash: "0a".repeat(32) };
    assert_eq!(head.to_string().parse::<Head>(), Ok(head));
    for bad in ["", "7", "7:", "x:00", "7:zz", &format!("7:{}", "A".repeat(64)), &format!("-7:{}", "a".repeat(64))] {
        assert!(bad.parse::<Head>().is_err(), "{bad}");
    }
}

#[test]
fn a_head_file_that_leads_elsewhere_is_refused() {
    let space = Workspace::new();
    let path = space.path("audit.jsonl");
    let victim = space.file("victim", "precious");
    space.link("audit.jsonl.head", "victim");
    assert!(matches!(JsonlSink::open(&path), Err(AuditError::Symlink(_))));
    assert_eq!(std::fs::read(victim).unwrap(), b"precious");
}
