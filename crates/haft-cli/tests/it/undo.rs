//! `haft undo`: calls of one run are taken back by another, whatever happens in between.
#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed run")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

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
    let listed = |words: &str| {
        let list = haft.run(&["undo", "--list"]).out;
        assert!(list.lines().any(|line| line.starts_with("   1 ") && line.ends_with(words)), "{words} {list}");
    };
    listed("~a.txt ~b.txt (partly undone)");
    assert_eq!(haft.run(&["redo"]).code, 0);
    listed("~a.txt ~b.txt");
    haft.workspace.file("b.txt", "mine\n");
    assert_eq!(haft.run(&["undo"]).code, 1);
    listed("~a.txt ~b.txt (undo restored nothing)");
    haft.workspace.file("a.txt", "x\n");
    assert_eq!(haft.run(&["undo", "1"]).code, 1);
    haft.workspace.file("b.txt", "x\n");
    assert_eq!(haft.run(&["undo", "1"]).code, 0);
    assert_eq!(haft.run(&["redo"]).code, 0);
    listed("~a.txt ~b.txt (partly undone)");
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

/// Commands by which things become other things.
const CHANGES: [&str; 6] = [
    "rm big; mkdir big; echo y > big/inner",
    "rm -r dir; echo y > dir; rm a.txt; mkfifo a.txt",
    "chmod u+w shut; rm -r shut; chmod 600 a.txt; mkdir -p n/e/w; echo x > n/e/w/f; chmod 555 n/e",
    "ln -sfn a.txt link; rm big; ln -s dir big; mv dir/sub moved; rm a.txt; mkdir a.txt",
    "chmod u+w shut; echo x > shut/f; rm -r shut/sub; chmod 500 shut; for f in dir/*; do echo x > $f; done",
    "for i in 1 2 3 4 5 6 7 8 9; do echo x > .git/objects/$i; done; echo y > .git/HEAD; rm -r .git/refs; rm big",
];

/// A workspace in which one of these can run.
fn furnished() -> Haft {
    let haft = Haft::configured(BASH_ALLOWED);
    let tree = &haft.workspace;
    haft.workspace.file("big", "0123456789abcdef".repeat(1 << 18));
    tree.file("a.txt", "one\n");
    (0..20).for_each(|number| drop(tree.file(format!("dir/f{number}"), format!("content {number}\n"))));
    for name in ["dir/sub/g", "shut/f", "shut/sub/h", ".git/HEAD", ".git/refs/heads/main", ".git/objects/0"] {
        tree.file(name, format!("{name}\n"));
    }
    std::os::unix::fs::symlink("dir", tree.path("link")).unwrap();
    fs::set_permissions(tree.path("shut"), fs::Permissions::from_mode(0o555)).unwrap();
    haft
}

/// Runs the binary and kills it after this time.
fn killed_after(haft: &Haft, arguments: &[&str], time: Duration) {
    let mut child = haft.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(time);
    let _ = child.kill();
    child.wait().unwrap();
}

/// Kills `verb` at many moments: an undo goes on with what was left, and a redo after it.
fn is_gone_on_with(verb: &str) {
    for change in CHANGES {
        let haft = furnished();
        let before = haft.workspace.digest();
        let ran = haft.run(&["call", "bash", &format!("command={change}"), "--yes"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let after = haft.workspace.digest();
        let is_at = |verb: &str, expected: &str| {
            let ran = haft.run(&[verb]);
            assert_eq!((ran.code, haft.workspace.digest().as_str()), (0, expected), "{verb} of {change}: {ran:?}");
        };
        let began = Instant::now();
        is_at("undo", &before);
        let takes = began.elapsed();
        for part in 3..11 {
            if verb == "undo" {
                is_at("redo", &after);
            }
            killed_after(&haft, &[verb], takes * part / 10);
            if part % 2 == 0 {
                // Whoever makes calls next removes what was half made.
                assert_eq!(haft.run(&["call", "bash", "command=touch a2; rm a2", "--yes"]).code, 0);
                let left = fs::read_dir(haft.workspace.root()).unwrap().flatten();
                let names: Vec<_> = left.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
                assert!(!names.iter().any(|name| name.starts_with(".haft")), "{names:?}");
            }
            is_at("undo", &before);
        }
    }
}

#[test]
fn an_undo_that_is_killed_at_any_moment_is_gone_on_with() {
    is_gone_on_with("undo");
}

#[test]
fn a_redo_that_is_killed_at_any_moment_is_gone_on_with() {
    is_gone_on_with("redo");
}

#[test]
fn what_a_person_wrote_after_an_undo_was_killed_is_kept() {
    for part in 3..9 {
        let haft = furnished();
        let change = "command=rm big; mkdir big; echo y > big/inner; for f in dir/*; do echo x > $f; done; rm -r shut";
        assert_eq!(haft.run(&["call", "bash", change, "--yes"]).code, 0);
        let began = Instant::now();
        assert_eq!((haft.run(&["undo"]).code, haft.run(&["redo"]).code), (0, 0));
        killed_after(&haft, &["undo"], began.elapsed() / 2 * part / 10);
        haft.workspace.file("dir/f7", "mine\n");
        haft.workspace.file("shut/mine", "mine\n");
        let ran = haft.run(&["undo"]);
        assert_eq!(haft.workspace.read("dir/f7").as_deref(), Some(&b"mine\n"[..]), "{ran:?}");
        assert_eq!(haft.workspace.read("shut/mine").as_deref(), Some(&b"mine\n"[..]), "{ran:?}");
        assert_eq!(haft.workspace.read("dir/f8").as_deref(), Some(&b"content 8\n"[..]), "{ran:?}");
        assert_eq!(haft.workspace.read("big").map(|big| big.len()), Some(1 << 22), "{ran:?}");
        let is_named = ran.code == 1 && ran.out.contains("kept     dir/f7: it was changed since");
        assert!(is_named || ran.err.contains("nothing to undo"), "{ran:?}");
    }
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

#[test]
fn a_further_name_of_a_file_is_one_again_after_redo() {
    let haft = Haft::configured(BASH_ALLOWED);
    haft.workspace.file("a", "one\n");
    let names = || haft.workspace.path("b").metadata().map(|meta| meta.nlink()).ok();
    let ran = haft.run(&["call", "bash", "command=ln a b", "--yes"]);
    assert_eq!((ran.code, names()), (0, Some(2)), "{ran:?}");
    let ran = haft.run(&["undo"]);
    assert_eq!((ran.code, names()), (0, None), "{ran:?}");
    let ran = haft.run(&["redo"]);
    assert_eq!((ran.code, names()), (0, Some(2)), "{ran:?}");
}
