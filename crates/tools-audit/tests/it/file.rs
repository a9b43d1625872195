//! The file: what it refuses to be, several writers, cut-off writes, new files.

use std::{io::Write as _, os::unix::fs::FileTypeExt as _, path::Path};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tools_audit::{AuditConfig, AuditError, AuditSink as _, Fsync, JsonlSink, Report, unseal, verify};
use tools_testkit::Workspace;

fn append(sink: &JsonlSink, session: &str) {
    sink.append(&format!(r#""ts":"now","session":"{session}""#)).unwrap();
}

fn check(path: &Path, lines: u64) -> Report {
    let report = verify(path).unwrap();
    assert_eq!(report.broken, None);
    assert_eq!(report.lines, lines);
    report
}

#[test]
fn what_is_no_regular_file_or_no_log_is_refused() {
    let space = Workspace::new();
    space.file("real", "");
    let link = space.link("link", "real");
    let folder = space.dir("folder");
    let pipe = space.path("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
    let other = space.file("main.rs", "fn main() {}\n");
    assert!(matches!(JsonlSink::open(link), Err(AuditError::Symlink(_))));
    assert!(matches!(JsonlSink::open(folder), Err(AuditError::NotAFile(_))));
    assert!(matches!(JsonlSink::open(pipe), Err(AuditError::NotAFile(_))));
    assert!(matches!(JsonlSink::open(&other), Err(AuditError::NotAnAuditLog(_))));
    assert_eq!(std::fs::read(other).unwrap(), b"fn main() {}\n");
}

#[test]
fn a_log_is_private_and_goes_on_after_a_restart() {
    use std::os::unix::fs::PermissionsExt as _;
    let space = Workspace::new();
    let config = AuditConfig { path: "logs/audit.jsonl".into(), fsync: Fsync::Always, ..AuditConfig::default() };
    let path = space.path("logs/audit.jsonl");
    for round in 0..3 {
        let sink = config.compile(space.root()).unwrap();
        assert_eq!(sink.head().seq, round);
        append(&sink, "s");
    }
    assert_eq!(check(&path, 3).sessions["s"].lines, 3);
    assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn several_writers_make_one_chain_also_across_new_files() {
    let space = Workspace::new();
    let path = space.path("audit.jsonl");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                // Each has its own descriptor: to the lock they are different processes.
                let sink = JsonlSink::open(path).unwrap().rotating_at(20_000);
                for _ in 0..200 {
                    append(&sink, &writer.to_string());
                }
            });
        }
    });
    let mut files: Vec<_> = std::fs::read_dir(space.root()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    assert!(files.len() > 3, "{files:?}");
    let mut next = 1;
    // `audit-….jsonl` sort by number, and before `audit.jsonl`.
    for file in &files {
        let report = verify(file).unwrap();
        assert_eq!((report.broken, report.first_seq), (None, Some(next)), "{file:?}");
        assert!(report.continues.is_none_or(|continuation| continuation.fits == Some(true)));
        next = report.last_seq.unwrap() + 1;
    }
    assert_eq!(next, 801);
    let report = verify(&path).unwrap();
    assert_eq!(report.earlier.len(), files.len() - 1, "one check reads the whole chain");
    let middle = &files[files.len() / 2];
    let mut text = std::fs::read(middle).unwrap();
    text[200] ^= 1;
    std::fs::write(middle, text).unwrap();
    assert!(!verify(&path).unwrap().is_intact(), "also when an earlier file was changed");
}

#[test]
fn a_write_that_was_cut_off_is_named_and_the_chain_goes_on() {
    let space = Workspace::new();
    let path = space.path("audit.jsonl");
    let running = JsonlSink::open(&path).unwrap();
    append(&running, "a");
    append(&running, "a");
    let whole = std::fs::read(&path).unwrap();
    let half = &whole[whole.len() / 2..whole.len() - 40];
    std::fs::File::options().append(true).open(&path).unwrap().write_all(half).unwrap();
    append(&running, "a");
    append(&JsonlSink::open(&path).unwrap(), "b");
    let report = check(&path, 4);
    assert_eq!(report.damaged.len(), 1);
    assert_eq!((report.damaged[0].line, report.damaged[0].bytes), (3, half.len() as u64 + 1));
    // The damage is part of the chain: it cannot be changed later either.
    let mut text = std::fs::read(&path).unwrap();
    text[whole.len() + 3] ^= 1;
    std::fs::write(&path, text).unwrap();
    assert_eq!(verify(&path).unwrap().broken.unwrap().line, 3);
}

#[test]
fn a_missing_newline_is_no_damage() {
    let space = Workspace::new();
    let path = space.path("audit.jsonl");
    append(&JsonlSink::open(&path).unwrap(), "a");
    let text = std::fs::read(&path).unwrap();
    std::fs::write(&path, text.trim_ascii_end()).unwrap();
    assert!(verify(&path).unwrap().broken.is_some());
    append(&JsonlSink::open(&path).unwrap(), "a");
    assert_eq!(check(&path, 2).damaged, []);
}

#[test]
fn a_tail_that_is_cut_off_under_a_running_process_shows() {
    let space = Workspace::new();
    let path = space.path("audit.jsonl");
    let sink = JsonlSink::open(&path).unwrap();
    (0..3).for_each(|_| append(&sink, "a"));
    let text = std::fs::read_to_string(&path).unwrap();
    let first = text.lines().next().unwrap();
    std::fs::write(&path, format!("{first}\n")).unwrap();
    append(&sink, "a");
    let broken = verify(&path).unwrap().broken.unwrap();
    assert_eq!(broken.line, 2);
}

#[test]
fn a_file_that_is_moved_away_is_not_written_to_any_more() {
    let space = Workspace::new();
    let path = space.path("audit.jsonl");
    let sink = JsonlSink::open(&path).unwrap();
    append(&sink, "a");
    std::fs::rename(&path, space.path("old")).unwrap();
    append(&sink, "a");
    let text = std::fs::read(&path).unwrap();
    assert_eq!(unseal(text.trim_ascii_end()).unwrap().seq, 2);
    check(&space.path("old"), 1);
}
