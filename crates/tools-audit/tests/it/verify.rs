//! Whatever is done to a log, verification finds it.

use proptest::prelude::*;
use tools_audit::{AuditSink as _, MemorySink, Report, verify_lines};

fn log() -> Vec<String> {
    let sink = MemorySink::default();
    for (session, tool) in [("a", "bash"), ("a", "read"), ("b", "read"), ("a", "edit"), ("b", "bash")] {
        sink.append(&format!(r#""ts":"2026-01-01T00:00:00.000Z","session":"{session}","tool":"{tool}""#)).unwrap();
    }
    sink.lines()
}

fn report(lines: &[String]) -> Report {
    check(lines.iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect::<Vec<_>>().as_slice())
}

fn check(text: &[u8]) -> Report {
    verify_lines(text).unwrap()
}

#[test]
fn an_untouched_log_is_intact() {
    let report = report(&log());
    assert!(report.is_intact());
    assert_eq!((report.lines, report.first_seq, report.last_seq), (5, Some(1), Some(5)));
    assert_eq!((report.sessions["a"].lines, report.sessions["b"].last_seq), (3, 5));
    assert_eq!(report.head.as_ref(), Some(&report.sessions["b"].head));
    assert!(check(b"").is_intact());
}

#[test]
fn every_edited_byte_is_found() {
    let text = log().iter().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect::<Vec<_>>();
    for at in 0..text.len() {
        for byte in [b'0', b'x', b'\n', b'"', b' ', 0xff, text[at] ^ 1] {
            let mut edited = text.clone();
            edited[at] = byte;
            assert_eq!(check(&edited).is_intact(), edited == text, "byte {at} set to {byte}");
        }
    }
}

#[test]
fn removed_inserted_repeated_and_swapped_lines_are_found() {
    let whole = log();
    let check = |expected: u64, change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = whole.clone();
        change(&mut lines);
        assert_eq!(report(&lines).broken.map(|broken| broken.line), Some(expected));
    };
    check(1, &|lines| drop(lines.remove(0)));
    check(3, &|lines| drop(lines.remove(2)));
    check(2, &|lines| lines.swap(1, 2));
    check(4, &|lines| lines.insert(3, lines[2].clone()));
    check(3, &|lines| lines.insert(2, "{}".to_owned()));
    check(3, &|lines| lines.insert(2, String::new()));
    check(6, &|lines| lines.push(lines[0].clone()));
    check(2, &|lines| lines[1] = lines[1].replace("read", "edit"));
}

proptest! {
    #[test]
    fn any_bytes_can_be_checked(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(check(&bytes).is_intact(), bytes.is_empty());
    }
}
