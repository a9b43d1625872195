//! What a process runs, as another one sees it.

use std::fs::{File, FileTimes};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tools_approvals::{Activities, activities};
use tools_core::{Activity, ActivityBoard, NoRedaction, SessionId};

use crate::place;

fn activity<'a>(session: &'a SessionId, job: Option<&'a str>, title: &str) -> Activity<'a> {
    let title = title.to_owned();
    Activity { tool: "bash", session, caller: None, workdir: Path::new("/w"), job, title }
}

#[test]
fn an_activity_is_seen_while_it_lasts_by_those_who_may_look() {
    let (_base, folder) = place();
    let board = Activities::new(&folder, Arc::new(NoRedaction));
    assert!(activities(&folder).is_empty(), "nobody made the folder yet");
    let session = SessionId::parse("s").unwrap();
    let call = board.show(&activity(&session, None, &"\u{e9}".repeat(600))).unwrap();
    let job = board.show(&activity(&session, Some("job-1"), "make")).unwrap();
    let rows = activities(&folder);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows.iter().any(|row| row.job.is_none() && row.title.chars().count() == 501));
    let row = rows.iter().find(|row| row.job.as_deref() == Some("job-1")).unwrap();
    assert_eq!((row.process, row.title.as_str(), row.session.as_str()), (std::process::id(), "make", "s"));
    drop(call);
    assert_eq!(activities(&folder).len(), 1);
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    assert!(activities(&folder).is_empty(), "others could have written there");
    assert!(board.show(&activity(&session, None, "ls")).is_none());
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
    drop(job);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn what_nobody_holds_is_not_shown_and_goes_when_it_is_old() {
    let (base, folder) = place();
    let board = Activities::new(&folder, Arc::new(NoRedaction));
    let session = SessionId::parse("s").unwrap();
    let shown = board.show(&activity(&session, None, "ls")).unwrap();
    let name = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let left = folder.join("1-left.run");
    std::fs::copy(&name, &left).unwrap();
    let new = folder.join("2-new.run");
    std::fs::copy(&name, &new).unwrap();
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    File::options().write(true).open(&left).unwrap().set_times(FileTimes::new().set_modified(long_ago)).unwrap();
    let outside = base.path().join("outside");
    std::fs::write(&outside, "x").unwrap();
    symlink(&outside, folder.join("3-link.run")).unwrap();
    let odd = folder.join("4-odd.run");
    std::fs::write(&odd, [0xff, 0xfe]).unwrap();
    let held = File::open(&odd).unwrap();
    held.lock().unwrap();
    assert_eq!(activities(&folder).len(), 1, "only what a process holds, and can be read");
    assert!(!left.exists() && new.exists() && name.exists() && outside.exists());
    drop(shown);
    assert!(activities(&folder).is_empty());
}
