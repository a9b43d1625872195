//! Files that other programs obey, against a child that may write the folder they lie in.

use std::fs;

use tools_sandbox::kernel::{Confinement, MaskRules, Probe, Sandbox, SandboxMode};

use crate::support::{Place, run};

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

fn has_namespaces() -> bool {
    let held = Probe::cached().namespaces.is_ok();
    if !held {
        eprintln!("SKIPPED: no namespaces");
    }
    held
}

#[tokio::test]
async fn what_is_held_cannot_be_changed_moved_or_replaced() {
    if !has_namespaces() {
        return;
    }
    let place = workspace();
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
    if !has_namespaces() {
        return;
    }
    let place = workspace();
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
    if !has_namespaces() {
        return;
    }
    let place = workspace();
    let sandbox = Sandbox::compile(&holding(&place, &MaskRules::nothing())).unwrap();
    fs::remove_file(place.work.join(".envrc")).unwrap();
    fs::remove_dir_all(place.work.join("sub")).unwrap();
    let ran = run("echo ok", &place.work, &sandbox).await;
    assert_eq!(ran.stdout, "ok\n", "{}", ran.stderr);
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
