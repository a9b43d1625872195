//! `haft undo`: calls of one run are taken back by another, whatever happens in between.

use std::{fs, os::unix::fs::MetadataExt as _, process::Stdio, time::Duration};

use crate::support::{BASH_ALLOWED, Haft};

#[test]
fn calls_of_any_tool_are_taken_back_one_after_the_other() {
    let haft = Haft::configured(BASH_ALLOWED);
    haft.workspace.file("a.txt", "one\n");
    haft.workspace.file("dir/b.txt", "two\n");
    haft.workspace.file(".git/HEAD", "ref: refs/heads/main\n");
    let times = |name: &str| fs::metadata(haft.workspace.path(name)).map(|meta| (meta.mtime(), meta.mtime_nsec())).ok();
    let before = (haft.workspace.digest(), times("a.txt"), times("dir/b.txt"));

    let calls: [&[&str]; 4] = [
        &["call", "write", "path=new/sub/c.txt", "content=three", "--yes"],
        &["call", "bash", "command=python3 -c \"open('a.txt','w').write('x')\"; find dir -type f -delete", "--yes"],
        &["call", "move_path", "source=dir", "destination=moved", "--yes"],
        &["call", "bash", "command=chmod 600 a.txt; mkdir empty"],
    ];
    let mut digests = vec![haft.workspace.digest()];
    for call in calls {
        let ran = haft.run(call);
        assert_eq!(ran.code, 0, "{ran:?}");
        digests.push(haft.workspace.digest());
    }
    let list = haft.run(&["undo", "--list"]);
    assert_eq!(list.out.lines().count(), 4, "{list:?}");
    assert!(
        list.out.lines().nth(2).is_some_and(|line| line.contains("bash") && line.contains("-dir/b.txt")),
        "{list:?}"
    );
    let diff = haft.run(&["undo", "--diff", "--last", "3"]);
    assert!(diff.out.contains("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+x"), "{diff:?}");

    digests.pop();
    for expected in [digests.pop(), digests.pop()] {
        let ran = haft.run(&["undo"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert_eq!(Some(haft.workspace.digest()), expected, "{ran:?}");
    }
    assert_eq!(haft.run(&["undo", "--last", "5", "--json"]).json()["refused"], serde_json::json!([]));
    assert_eq!((haft.workspace.digest(), times("a.txt"), times("dir/b.txt")), before);
    assert_eq!(haft.run(&["undo", "--list"]).out, "");
}

#[test]
fn another_folder_at_the_path_is_undone_in_only_on_demand() {
    let haft = Haft::configured(BASH_ALLOWED);
    haft.workspace.file("a.txt", "one\n");
    assert_eq!(haft.run(&["call", "delete_path", "path=a.txt", "--yes"]).code, 0);
    let (root, aside) = (haft.workspace.root().to_owned(), haft.workspace.root().with_extension("aside"));
    fs::rename(&root, &aside).unwrap();
    fs::create_dir(&root).unwrap();
    let ran = haft.run(&["undo"]);
    assert!(ran.code != 0 && ran.err.contains("changed another folder than the one that is at"), "{ran:?}");
    assert!(ran.err.contains("`--here`") && haft.workspace.read("a.txt").is_none(), "{ran:?}");
    let ran = haft.run(&["undo", "--here"]);
    assert_eq!((ran.code, haft.workspace.read("a.txt")), (0, Some(b"one\n".to_vec())), "{ran:?}");
    assert_eq!(haft.run(&["redo"]).code, 0, "the undo was done here");
    assert_eq!(haft.workspace.read("a.txt"), None);
    fs::remove_dir_all(&aside).unwrap();
}

#[test]
fn what_a_person_wrote_since_is_kept() {
    let haft = Haft::configured(BASH_ALLOWED);
    haft.workspace.file("a.txt", "one\n");
    haft.workspace.file("b.txt", "one\n");
    assert_eq!(haft.run(&["call", "bash", "command=echo x | tee a.txt > b.txt"]).code, 0);
    haft.workspace.file("a.txt", "mine\n");
    let ran = haft.run(&["undo"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.out.contains("kept     a.txt: it was changed since"), "{ran:?}");
    assert_eq!(haft.workspace.read("a.txt").unwrap(), b"mine\n");
    assert_eq!(haft.workspace.read("b.txt").unwrap(), b"one\n");
    let again = haft.run(&["undo"]);
    assert!(again.err.contains("`haft undo 1` tries that call again"), "{again:?}");
}

#[test]
fn an_undo_that_is_killed_loses_nothing_and_can_be_asked_for_again() {
    let haft = Haft::configured(BASH_ALLOWED);
    for number in 0..300 {
        haft.workspace.file(format!("dir{}/f{number}", number % 7), format!("content {number}\n"));
    }
    let before = haft.workspace.digest();
    let change = "command=for f in dir*/*; do echo changed > $f; done; rm -rf dir3; touch dir0/new";
    let ran = haft.run(&["call", "bash", change, "--yes"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for milliseconds in [5, 8, 11, 14, 17, 20, 25] {
        let mut command = haft.command(&["undo"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        child.wait().unwrap();
        for number in (0..300).filter(|number| number % 7 != 3) {
            let content = haft.workspace.read(format!("dir{}/f{number}", number % 7)).unwrap();
            let whole = [b"changed\n".to_vec(), format!("content {number}\n").into_bytes()];
            assert!(whole.contains(&content), "{number} after {milliseconds} ms: {content:?}");
        }
    }
    let ran = haft.run(&["undo"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(haft.workspace.digest(), before, "{ran:?}");
}

#[test]
fn nothing_is_kept_when_nobody_wants_it() {
    let haft = Haft::configured(&format!("{BASH_ALLOWED}[tools.checkpoints]\nenabled = false\n"));
    assert_eq!(haft.run(&["call", "bash", "command=touch a"]).code, 0);
    assert!(haft.run(&["undo"]).err.contains("`tools.checkpoints.enabled` is false"));
    assert!(!haft.home.path(".local/state/haft/checkpoints").exists());
}

#[test]
fn a_failed_command_is_put_back_at_once_and_that_is_on_record() {
    let haft = Haft::configured(&format!("{BASH_ALLOWED}[tools.shell]\ntransactional = true\nauto_rollback = true\n"));
    haft.workspace.file("a.txt", "one\n");
    haft.workspace.file("dir/b.txt", "two\n");
    let before = haft.workspace.digest();
    let ran = haft.run(&["call", "bash", "command=rm -rf dir; echo x > a.txt; touch new; exit 2", "--yes", "--json"]);
    assert_eq!(haft.workspace.digest(), before, "{ran:?}");
    let report = ran.json();
    assert_eq!(report["raw_response"]["exit_code"], 2);
    assert_eq!(report["raw_response"]["rollback"]["deleted"], 1, "{report}");
    let record = fs::read_to_string(haft.record()).unwrap();
    assert!(record.contains("\"rollback\":{"), "{record}");
    let ran = haft.run(&["call", "bash", "command=touch new; exit 3", "--yes"]);
    assert!(haft.workspace.path("new").exists(), "{ran:?}");
    assert_eq!(haft.run(&["undo"]).code, 0);
    assert_eq!(haft.workspace.digest(), before, "what stayed can be taken back later");
}

#[test]
fn what_is_not_covered_is_said() {
    let haft = Haft::configured(&format!("{BASH_ALLOWED}[tools.checkpoints]\nmax_entries = 50\n"));
    for number in 0..60 {
        haft.workspace.file(format!("f{number}"), "x");
    }
    let ran = haft.run(&["call", "bash", "command=rm f1", "--yes"]);
    assert!(ran.err.contains("more than 50 entries"), "{ran:?}");
    assert_eq!(haft.run(&["call", "write", "path=f2", "content=changed", "--yes"]).code, 0);
    let list = haft.run(&["undo", "--list"]);
    assert!(list.out.lines().nth(1).is_some_and(|line| line.contains("nothing of this call is covered")), "{list:?}");
    assert_eq!(haft.run(&["undo"]).code, 0);
    assert_eq!(haft.workspace.read("f2").unwrap(), b"x");
    let ran = haft.run(&["undo"]);
    assert_eq!((ran.code, ran.out.contains("nothing of this call is covered")), (1, true), "{ran:?}");
    assert_eq!(haft.run(&["undo", "--list"]).out, "");
}

#[test]
fn no_tool_and_no_command_sees_what_is_kept() {
    let Some(haft) = Haft::confined(BASH_ALLOWED) else { return };
    haft.workspace.file("a.txt", "one\n");
    assert_eq!(haft.run(&["call", "bash", "command=echo x > a.txt", "--yes"]).code, 0);
    let kept = haft.home.path(".local/state/haft/checkpoints");
    let metadata = fs::metadata(&kept).unwrap();
    assert_eq!(metadata.mode() & 0o777, 0o700);
    let ran = haft.run(&["call", "bash", &format!("command=ls {}/*", kept.display()), "--yes"]);
    assert!(!ran.out.contains("objects"), "{ran:?}");
    // Also where the workspace is the home that it lies in.
    let at_home = |arguments: &[&str]| {
        let home = haft.home.root().to_string_lossy().into_owned();
        let config = haft.home.path(".config/haft/config.toml").to_string_lossy().into_owned();
        haft.run(&[&["--workdir", &home, "--config", &config], arguments].concat())
    };
    let store = fs::read_dir(&kept).unwrap().next().unwrap().unwrap().path().join("used");
    let ran = at_home(&["call", "read", &format!("path={}", store.display()), "--yes"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    let ran = at_home(&["call", "delete_path", &format!("path={}", kept.display()), "recursive=true", "--yes"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert!(store.exists());
    let ran = at_home(&["call", "bash", "command=ls .local/state/haft/checkpoints; echo y > made", "--yes"]);
    assert!(ran.code == 0 && !ran.out.contains("objects"), "{ran:?}");
    assert_eq!(at_home(&["undo"]).code, 0);
    assert!(!haft.home.path("made").exists());
}

#[test]
fn one_redo_brings_back_what_one_undo_took() {
    let haft = Haft::configured(BASH_ALLOWED);
    haft.workspace.file("a.txt", "0\n");
    for content in ["1", "2", "3"] {
        assert_eq!(haft.run(&["call", "bash", &format!("command=echo {content} > a.txt; touch f{content}")]).code, 0);
    }
    let done = haft.workspace.digest();
    assert_eq!(haft.run(&["undo", "--last", "3"]).code, 0);
    assert_eq!(haft.workspace.read("a.txt").as_deref(), Some(&b"0\n"[..]));
    let ran = haft.run(&["redo"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(haft.workspace.digest(), done, "{ran:?}");
    assert_eq!(haft.run(&["undo", "--list"]).out.lines().count(), 3);
}
