//! What a confined process can and cannot touch.

use std::path::PathBuf;

use tools_sandbox::kernel::{Confinement, Level, Limits, Network, SandboxMode};
use tools_sandbox::process::SpawnError;

use crate::support::{Place, run, sandbox, sandboxes};

#[tokio::test]
async fn writing_works_inside_and_fails_outside() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let outside = place.outside.join("mark");
        let line = format!("echo in > inside && echo out > {}; cat inside", outside.display());
        let ran = run(&line, &place.work, &sandbox).await;
        assert_eq!(ran.stdout, "in\n", "{level:?}: {}", ran.stderr);
        assert_eq!(outside.exists(), level == Level::Off, "{level:?}");
        let _ = std::fs::remove_file(outside);
    }
}

#[tokio::test]
async fn the_temp_folder_is_private_and_writable() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let temp = sandbox.temp_dir().display().to_string();
        let ran = run(&format!("echo kept > '{temp}/file'; cat '{temp}/file'"), &place.work, &sandbox).await;
        assert_eq!(ran.stdout, "kept\n", "{level:?}: {}", ran.stderr);
        let again = run(&format!("cat '{temp}/file'"), &place.work, &sandbox).await;
        assert_eq!(again.stdout, "kept\n", "{level:?}: {}", again.stderr);
    }
    assert!(!std::path::Path::new("/tmp/file").exists());
}

#[tokio::test]
async fn a_workspace_below_tmp_is_still_there() {
    let base = tempfile::tempdir_in("/tmp").unwrap();
    let work = base.path().canonicalize().unwrap();
    std::fs::write(work.join("seen"), "yes\n").unwrap();
    let ask = Confinement { mode: SandboxMode::Namespaces, writable: vec![work.clone()], ..Confinement::default() };
    let Some(sandbox) = sandbox(&ask) else { return };
    let ran = run("cat seen; pwd; echo new > made", &work, &sandbox).await;
    assert_eq!(ran.stdout, format!("yes\n{}\n", work.display()), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(work.join("made")).unwrap(), "new\n");
}

#[tokio::test]
async fn hidden_files_and_folders_cannot_be_read_by_any_way() {
    let place = Place::new();
    std::fs::write(place.work.join(".env"), "SECRET\n").unwrap();
    std::fs::write(place.outside.join("id"), "SECRET\n").unwrap();
    let ask = Confinement {
        hidden: vec![place.work.join(".env"), place.outside.clone(), PathBuf::from("/nonexistent")],
        ..place.ask(SandboxMode::Namespaces)
    };
    let Some(sandbox) = sandbox(&ask) else { return };
    let outside = place.outside.display();
    let line = format!(
        "cat .env {outside}/id /proc/self/root{outside}/id /proc/1/root{outside}/id; ls {outside}; \
         chmod 644 .env; mv .env x; cat x .env; ln .env y; cat y; true"
    );
    let ran = run(&line, &place.work, &sandbox).await;
    assert_eq!(ran.stdout, "", "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(place.work.join(".env")).unwrap(), "SECRET\n");
}

#[tokio::test]
async fn landlock_alone_hides_what_lies_outside_writable_folders() {
    let place = Place::new();
    std::fs::write(place.outside.join("id"), "SECRET\n").unwrap();
    let ask = Confinement { hidden: vec![place.outside.clone()], ..place.ask(SandboxMode::Landlock) };
    let Some(sandbox) = sandbox(&ask) else { return };
    let ran = run(&format!("cat {}/id; echo ok", place.outside.display()), &place.work, &sandbox).await;
    assert_eq!(ran.stdout, "ok\n", "{}", ran.stderr);
}

#[tokio::test]
async fn protected_paths_stay_as_they_are() {
    let place = Place::new();
    std::fs::create_dir(place.work.join("kept")).unwrap();
    std::fs::write(place.work.join("kept/file"), "original\n").unwrap();
    let ask = Confinement { protected: vec![place.work.join("kept")], ..place.ask(SandboxMode::Namespaces) };
    let Some(sandbox) = sandbox(&ask) else { return };
    let line = "echo new > kept/file; rm -rf kept; mv kept other; touch kept/more; cat kept/file; ls kept";
    let ran = run(line, &place.work, &sandbox).await;
    assert_eq!(ran.stdout, "original\nfile\n", "{}", ran.stderr);
}

#[tokio::test]
async fn protected_paths_that_are_missing_cannot_come_to_be() {
    let place = Place::new();
    let (file, deep) = (place.work.join("filters.toml"), place.work.join("conf/deep/config.toml"));
    let ask = Confinement { protected: vec![file.clone(), deep.clone()], ..place.ask(SandboxMode::Namespaces) };
    let Some(sandbox) = sandbox(&ask) else { return };
    let line = "for f in filters.toml conf/deep/config.toml; do mkdir -p conf/deep; echo x > $f && echo made; \
                echo x > n && mv -f n $f && echo moved; rm -rf conf filters.toml; mv conf c; ln -sf n $f && echo linked; done; echo end";
    let ran = run(line, &place.work, &sandbox).await;
    assert_eq!(ran.stdout, "end\n", "{}", ran.stderr);
    drop(sandbox);
    assert!(!file.exists() && !place.work.join("conf").exists());
}

#[tokio::test]
async fn a_closed_network_is_closed_and_an_open_one_is_not() {
    let place = Place::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for network in [Network::Closed, Network::Open] {
        let ask = Confinement { network, ..place.ask(SandboxMode::Off) };
        for (level, sandbox) in sandboxes(&ask) {
            let line = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected");
            let ran = run(&line, &place.work, &sandbox).await;
            let open = network == Network::Open || level == Level::Off;
            assert_eq!(ran.stdout == "connected\n", open, "{level:?} {network:?}: {}", ran.stderr);
            assert_eq!(sandbox.strength().network == Network::Open, open, "{level:?}");
        }
    }
}

#[tokio::test]
async fn no_capability_and_no_privilege_is_left() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        if level == Level::Off {
            continue;
        }
        let ran =
            run("grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Seccomp):' /proc/self/status", &place.work, &sandbox).await;
        let zero = "0000000000000000";
        let expected = format!(
            "CapInh:\t{zero}\nCapPrm:\t{zero}\nCapEff:\t{zero}\nCapAmb:\t{zero}\nNoNewPrivs:\t1\nSeccomp:\t2\n"
        );
        assert_eq!(ran.stdout, expected, "{level:?}: {}", ran.stderr);
    }
}

#[tokio::test]
async fn other_processes_are_out_of_sight() {
    let place = Place::new();
    let Some(sandbox) = sandbox(&place.ask(SandboxMode::Namespaces)) else {
        return;
    };
    let line = "ls /proc | grep -c '^[0-9]'; cat /proc/1/environ /proc/1/maps; readlink /proc/1/fd/* /proc/1/exe; echo 1 > /proc/sys/kernel/panic; echo end";
    let ran = run(line, &place.work, &sandbox).await;
    let mut lines = ran.stdout.lines();
    let count: u32 = lines.next().unwrap().parse().unwrap();
    assert!(count <= 6, "{count} processes are visible");
    assert_eq!(lines.collect::<Vec<_>>(), ["end"], "{}", ran.stderr);
}

#[tokio::test]
async fn namespaces_mounts_and_rings_cannot_be_made_inside() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        if level == Level::Off {
            continue;
        }
        let line = "unshare -Ur true && echo made; mount -t tmpfs none . && echo mounted; chroot . true && echo changed; echo end";
        assert_eq!(run(line, &place.work, &sandbox).await.stdout, "end\n", "{level:?}");
    }
}

#[tokio::test]
async fn limits_hold() {
    let place = Place::new();
    let limits = Limits { processes: Some(310), file_size: Some(4096), ..Limits::default() };
    let ask = Confinement { limits, ..place.ask(SandboxMode::Off) };
    for (level, sandbox) in sandboxes(&ask) {
        let ran =
            run("ulimit -c; (head -c 100000 /dev/zero > big); stat -c %s big; rm big", &place.work, &sandbox).await;
        assert_eq!(ran.stdout, "0\n4096\n", "{level:?}: {}", ran.stderr);
        if level == Level::Namespaces {
            let line = "perl -e 'for (1..400) { my $p = fork; if (!defined $p) { print 1; exit } if (!$p) { sleep 20; exit } }'";
            assert_eq!(run(line, &place.work, &sandbox).await.stdout, "1", "400 processes were started");
        }
    }
}

#[tokio::test]
async fn descriptors_do_not_leak_in() {
    use std::os::fd::AsRawFd;
    let place = Place::new();
    let secret = std::fs::File::open("/etc/passwd").unwrap();
    // What a careless library would leave open over `exec`.
    let leaked = rustix_dup(&secret);
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let line =
            format!("[ -e /proc/self/fd/{} ] && echo leaked; ls /proc/self/fd | tr '\\n' ' '", leaked.as_raw_fd());
        assert_eq!(run(&line, &place.work, &sandbox).await.stdout, "0 1 2 3 ", "{level:?}");
    }
}

/// A duplicate without the close-on-exec flag, the way `dup(2)` makes it.
fn rustix_dup(file: &std::fs::File) -> std::os::fd::OwnedFd {
    rustix::io::dup(file).unwrap()
}

#[tokio::test]
async fn a_failing_start_is_a_typed_error() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        let spec = tools_sandbox::process::ProcessSpec::new("/nonexistent/program", &place.work);
        let error = tools_sandbox::process::ProcessTree::spawn(&spec, &sandbox).await.unwrap_err();
        assert!(matches!(error, SpawnError::Program { .. }), "{level:?}: {error:?}");
        let spec = tools_sandbox::process::ProcessSpec::new("/bin/true", "/nonexistent");
        let error = tools_sandbox::process::ProcessTree::spawn(&spec, &sandbox).await.unwrap_err();
        assert!(matches!(error, SpawnError::WorkingDirectory { .. }), "{level:?}: {error:?}");
    }
}
