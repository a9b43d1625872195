//! Files that other programs obey, against a child that may write the folder they lie in.

use std::{fs, time::Duration};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tools_sandbox::kernel::{Confinement, MaskRules, Probe, Sandbox, SandboxMode};
use tools_sandbox::process::{ProcessTree, SpawnError};

use tools_testkit::installed;

use crate::support::{Place, run, shell};

/// What the walk finds, as a confinement.
fn holding(place: &Place, hidden: &MaskRules) -> Confinement {
    let obeyed = hidden.masks(std::slice::from_ref(&place.work)).obeyed;
    Confinement { held: obeyed.held(), absent: obeyed.missing_hooks, ..place.ask(SandboxMode::Namespaces) }
}

/// A workspace with a repository whose `hooks` are missing, one below it, and files of all kinds.
fn workspace() -> Place {
    let place = Place::new();
    for file in [
        ".git/config",
        ".git/HEAD",
        ".envrc",
        ".github/workflows/ci.yml",
        "sub/.git/config",
        "sub/.git/hooks/x",
        "a.rs",
    ] {
        let path = place.work.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "as it was").unwrap();
    }
    place
}

/// The same where it can be held; `None` after saying that there are no namespaces.
fn held_workspace() -> Option<Place> {
    has_namespaces().then(workspace)
}

fn has_namespaces() -> bool {
    let held = Probe::cached().namespaces.is_ok();
    if !held {
        eprintln!("SKIPPED: no namespaces");
    }
    held
}

#[tokio::test]
async fn what_is_held_cannot_be_changed_moved_or_replaced() {
    let Some(place) = held_workspace() else { return };
    let sandbox = Sandbox::compile(&holding(&place, &MaskRules::nothing())).unwrap();
    for attempt in [
        "echo x >> .envrc",
        "echo x > .git/config",
        "rm -f .envrc",
        "mv a.rs .envrc",
        "mv .git .g",
        "mv .github .g",
        "mv sub/.git sub/.g",
        "echo x > .github/workflows/new.yml",
        "echo x > sub/.git/hooks/post-checkout",
        "mkdir -p .git/hooks && echo x > .git/hooks/post-checkout",
        "rmdir .git/hooks",
        "ln -f a.rs .git/config",
        "chmod 777 .envrc",
    ] {
        let ran = run(attempt, &place.work, &sandbox).await;
        assert_ne!(ran.exit.code, Some(0), "{attempt}: {}", ran.stdout);
    }
    for file in [".git/config", ".envrc", "sub/.git/hooks/x", ".github/workflows/ci.yml"] {
        assert_eq!(fs::read_to_string(place.work.join(file)).unwrap(), "as it was", "{file}");
    }
    let ran = run("echo x >> a.rs && echo x > .git/index && mv sub other && cat .envrc", &place.work, &sandbox).await;
    assert_eq!((ran.exit.code, ran.stdout.as_str()), (Some(0), "as it was"), "{}", ran.stderr);
}

#[tokio::test]
async fn nothing_of_what_may_not_come_to_be_is_left() {
    let Some(place) = held_workspace() else { return };
    let hidden = MaskRules::nothing();
    let base = Sandbox::compile(&place.ask(SandboxMode::Namespaces)).unwrap();
    let attempts = (0..8).map(|number| {
        let (place, hidden, base) = (&place, &hidden, &base);
        async move {
            let sandbox = base.recompile(&holding(place, hidden)).unwrap();
            let ran = run("echo x > .git/hooks/post-checkout", &place.work, &sandbox).await;
            assert_ne!(ran.exit.code, Some(0), "{number}");
        }
    });
    all(attempts).await;
    assert!(!place.work.join(".git/hooks").exists());
}

/// Runs all of them at the same time.
async fn all(attempts: impl Iterator<Item = impl Future<Output = ()>>) {
    let mut attempts: Vec<_> = attempts.map(Box::pin).collect();
    std::future::poll_fn(|context| {
        attempts.retain_mut(|attempt| attempt.as_mut().poll(context).is_pending());
        if attempts.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
}

#[tokio::test]
async fn what_is_gone_by_then_is_no_obstacle() {
    let Some(place) = held_workspace() else { return };
    let sandbox = Sandbox::compile(&holding(&place, &MaskRules::nothing())).unwrap();
    fs::remove_file(place.work.join(".envrc")).unwrap();
    fs::remove_dir_all(place.work.join("sub")).unwrap();
    let ran = run("echo ok", &place.work, &sandbox).await;
    assert_eq!(ran.stdout, "ok\n", "{}", ran.stderr);
}

#[tokio::test]
async fn what_another_process_replaces_is_held_again_and_told() {
    let Some(place) = held_workspace() else { return };
    let sandbox = Sandbox::compile(&holding(&place, &MaskRules::nothing())).unwrap();
    for way in ["rename", "remove"] {
        let line = format!(
            "echo begun; until grep -q ^{way} .envrc && grep -q ^{way} .git/config; do sleep 0.01; done
             while echo x >> .envrc || echo x >> .git/config; do sleep 0.01; done; echo held"
        );
        let mut tree = ProcessTree::spawn(&shell(&line, &place.work), &sandbox).await.unwrap();
        let mut out = BufReader::new(tree.take_stdout().unwrap()).lines();
        assert_eq!(out.next_line().await.unwrap().as_deref(), Some("begun"));
        for file in [".envrc", ".git/config"] {
            let (old, new) = (place.work.join(file), place.work.join("beside"));
            fs::write(&new, way).unwrap();
            if way == "remove" {
                fs::remove_file(&old).unwrap();
            }
            fs::rename(&new, &old).unwrap();
        }
        while out.next_line().await.unwrap().is_some_and(|line| line != "held") {}
        tree.wait().await;
        let mut replaced = tree.replaced().to_vec();
        replaced.sort();
        assert_eq!(replaced, [".envrc", ".git/config"].map(|file| place.work.join(file)), "{way}");
        tree.finish().await;
    }
}

/// The confinement of a command that may replace `.envrc`, which others hold as `holding` says.
fn opening(place: &Place, holding: &Confinement) -> Confinement {
    let envrc = place.work.join(".envrc");
    Confinement {
        held: holding.held.iter().filter(|held| held.path != envrc).cloned().collect(),
        lifted: vec![envrc],
        stops_others: true,
        ..holding.clone()
    }
}

/// Replaces `.envrc` by agreement while an attacker, who says `begun`, tries to write it until
/// there is `stop`.
async fn replace_beside(attacker: &str) {
    let place = workspace();
    let holding = holding(&place, &MaskRules::nothing());
    let envrc = place.work.join(".envrc");
    let sandbox = Sandbox::compile(&holding).unwrap();
    let mut tree = ProcessTree::spawn(&shell(attacker, &place.work), &sandbox).await.unwrap();
    let mut begun = [0; 6];
    tree.take_stdout().unwrap().read_exact(&mut begun).await.unwrap();

    let opening = opening(&place, &holding);
    let refused = Sandbox::compile(&Confinement { stops_others: false, ..opening.clone() }).unwrap();
    let refused = ProcessTree::spawn(&shell("true", &place.work), &refused).await.unwrap_err();
    assert!(matches!(refused, SpawnError::Claimed { opens: true, .. }), "{refused}");

    let opening = Sandbox::compile(&opening).unwrap();
    for round in 0..3 {
        let line = format!("rm .envrc; sleep 0.05; echo {round} > .envrc; sleep 0.05");
        let ran = run(&line, &place.work, &opening).await;
        assert_eq!(ran.exit.code, Some(0), "{}", ran.stderr);
        // The attacker runs again for a moment.
        run("sleep 0.05", &place.work, &sandbox).await;
        assert_eq!(fs::read_to_string(&envrc).unwrap(), format!("{round}\n"));
    }
    fs::write(place.work.join("stop"), "").unwrap();
    assert_eq!(tree.wait().await.code, Some(0));
    assert_eq!((tree.replaced(), fs::read_to_string(&envrc).unwrap().as_str()), ([].as_slice(), "2\n"));
    tree.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn others_stand_still_while_one_may_replace_what_they_hold() {
    if !has_namespaces() {
        return;
    }
    let attacker = "echo begun; until [ -e stop ]; do echo evil >> .envrc; echo evil > .envrc; done 2>/dev/null; true";
    replace_beside(attacker).await;
}

/// A timer and a descriptor whose events continue a process that a signal stopped.
const WAKES_ITSELF: &str = r"
import ctypes, fcntl, os, signal, struct
libc = ctypes.CDLL(None, use_errno=True)
signal.signal(signal.SIGCONT, lambda *_: None)
event = ctypes.create_string_buffer(struct.pack('Qii', 0, signal.SIGCONT, 0), 64)
timer = ctypes.c_void_p()
assert libc.timer_create(1, event, ctypes.byref(timer)) == 0
assert libc.timer_settime(timer, 0, struct.pack('qqqq', 0, 2_000_000, 0, 2_000_000), None) == 0
queue = libc.inotify_init1(0o4000)
assert libc.inotify_add_watch(queue, b'.', 0xfff) >= 0
fcntl.fcntl(queue, 8, os.getpid())
fcntl.fcntl(queue, 10, signal.SIGCONT)
fcntl.fcntl(queue, fcntl.F_SETFL, os.O_NONBLOCK | 0o20000)
print('begun', flush=True)
while not os.path.exists('stop'):
    try:
        open('.envrc', 'a').write('evil')
    except OSError:
        pass
";

#[tokio::test(flavor = "multi_thread")]
async fn who_wakes_himself_stands_still_too() {
    if !has_namespaces() {
        return;
    }
    if !installed(&["python3"]) {
        return;
    }
    replace_beside(&format!("exec python3 -c \"{}\"", WAKES_ITSELF.replace('\\', r"\\"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn they_stand_still_for_who_is_confined_less_too() {
    let Some(place) = held_workspace() else { return };
    let holding = holding(&place, &MaskRules::nothing());
    let attacker = "echo begun; until [ -e stop ]; do echo evil >> .envrc; done 2>/dev/null; true";
    let mut tree =
        ProcessTree::spawn(&shell(attacker, &place.work), &Sandbox::compile(&holding).unwrap()).await.unwrap();
    tree.take_stdout().unwrap().read_exact(&mut [0; 6]).await.unwrap();
    for mode in [SandboxMode::Landlock, SandboxMode::Off] {
        let Ok(opening) = Sandbox::compile(&Confinement { mode, ..opening(&place, &holding) }) else { continue };
        let ran = run("rm .envrc; sleep 0.05; echo new > .envrc; sleep 0.05; cat .envrc", &place.work, &opening).await;
        assert_eq!((ran.exit.code, ran.stdout.as_str()), (Some(0), "new\n"), "{mode:?}: {}", ran.stderr);
    }
    fs::write(place.work.join("stop"), "").unwrap();
    tree.wait().await;
    assert_eq!(fs::read_to_string(place.work.join(".envrc")).unwrap(), "new\n");
    tree.finish().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_stood_still_goes_on_as_he_was() {
    let Some(place) = held_workspace() else { return };
    let holding = holding(&place, &MaskRules::nothing());
    // A shell that looks after its jobs, one of them stopped on purpose, and one that starts others
    // all the time.
    let line = "set -m; sleep 1000 & kill -STOP $!; (until [ -e stop ]; do true | true; /bin/true; done) & echo begun
        sleep 0.7; echo $?; wait $(jobs -pr | tail -1); echo $?; grep State /proc/$(jobs -ps)/status; kill -KILL %1";
    let sandbox = Sandbox::compile(&holding).unwrap();
    let mut tree = ProcessTree::spawn(&shell(line, &place.work), &sandbox).await.unwrap();
    let mut out = tree.take_stdout().unwrap();
    out.read_exact(&mut [0; 6]).await.unwrap();
    let opening = Sandbox::compile(&opening(&place, &holding)).unwrap();
    let beside = async {
        for _ in 0..5 {
            assert_eq!(run("sleep 0.03", &place.work, &opening).await.exit.code, Some(0));
        }
        fs::write(place.work.join("stop"), "").unwrap();
    };
    tokio::join!(beside, tree.wait());
    let mut said = String::new();
    out.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "0\n0\nState:\tT (stopped)\n");
    // Five commands of 30 ms each.
    assert!(tree.take_stopped_time() >= Duration::from_millis(150));
    assert_eq!(tree.take_stopped_time(), Duration::ZERO);
    tree.finish().await;
}

#[tokio::test]
async fn what_stands_for_a_missing_file_stays_while_anybody_relies_on_it() {
    let Some(place) = held_workspace() else { return };
    let missing = ["filters.toml", "haft.d", "below/approvals.jsonl"].map(|name| place.work.join(name));
    let ask = Confinement { protected: missing.to_vec(), ..holding(&place, &MaskRules::nothing()) };
    let first = Sandbox::compile(&ask).unwrap();
    assert!(missing[0].is_file() && missing[1].is_dir() && place.work.join("below").is_dir());
    let second = Sandbox::compile(&ask).unwrap();
    drop(first);
    let line = "echo x > filters.toml || echo x > haft.d/x || mkdir -p below/x || echo x > .git/hooks/pre-commit";
    let ran = run(line, &place.work, &second).await;
    assert_ne!(ran.exit.code, Some(0));
    drop(second);
    for gone in ["filters.toml", "haft.d", "below", ".git/hooks"] {
        assert!(!place.work.join(gone).exists(), "{gone}");
    }
}

#[test]
fn the_level_below_says_that_it_does_not_hold_them() {
    let place = workspace();
    let ask = Confinement { mode: SandboxMode::Landlock, ..holding(&place, &MaskRules::nothing()) };
    let Ok(sandbox) = Sandbox::compile(&ask) else {
        eprintln!("SKIPPED: no Landlock");
        return;
    };
    let open = &sandbox.strength().not_stopped;
    assert!(open.iter().any(|sentence| sentence.contains("other programs obey")), "{open:?}");
}
