//! What a confined process finds of the machine beside files: terminals, sockets, memory, limits of
//! others, its own network.

use std::os::unix::{fs::MetadataExt as _, net::UnixListener};

use tools_sandbox::kernel::{Confinement, Level, Limits, Network, SandboxMode};

use tools_testkit::installed;

use crate::support::{Place, run, sandbox, sandboxes};

/// Connects to a socket in the file system and says how it went.
fn connect(path: &std::path::Path) -> String {
    let path = path.display();
    format!(
        "python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"{path}\"); print(\"connected\")' 2>/dev/null; true"
    )
}

#[tokio::test]
async fn terminals_of_the_machine_are_out_of_reach_and_own_ones_work() {
    let place = Place::new();
    let of_machine = std::fs::metadata("/dev/pts").map(|folder| folder.dev()).unwrap_or_default();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        match level {
            Level::Namespaces => {
                let ran = run("stat -c %d /dev/pts; ls /dev/pts", &place.work, &sandbox).await;
                let (device, names) = ran.stdout.split_once('\n').unwrap();
                assert_ne!(device.parse::<u64>().unwrap(), of_machine);
                assert_eq!(names, "ptmx\n", "{}", ran.stderr);
                if installed(&["script"]) {
                    let ran = run("script -qec 'tty; echo out' /dev/null", &place.work, &sandbox).await;
                    assert!(
                        ran.stdout.contains("/dev/pts/0") && ran.stdout.contains("out"),
                        "{}{}",
                        ran.stdout,
                        ran.stderr
                    );
                }
                if installed(&["python3"]) {
                    let line =
                        "python3 -c 'import pty; pty.spawn([\"sh\", \"-c\", \"test -t 0 && echo typed > /dev/tty\"])'";
                    let ran = run(line, &place.work, &sandbox).await;
                    assert!(ran.stdout.contains("typed"), "{}{}", ran.stdout, ran.stderr);
                }
            }
            Level::Landlock => {
                let line = "for t in /dev/pts/* /dev/ptmx /dev/tty; do (: < $t) 2>/dev/null && echo $t; (: > $t) 2>/dev/null && echo $t; done; true";
                let ran = run(line, &place.work, &sandbox).await;
                assert_eq!(ran.stdout, "", "{}", ran.stderr);
            }
            Level::Off => {}
        }
    }
}

#[tokio::test]
async fn no_file_gets_its_owners_rights() {
    let place = Place::new();
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        if level == Level::Off {
            continue;
        }
        let line = "cp /bin/true p && chmod 755 p && ./p || exit 9; for mode in 4755 2755 6755 u+s g+s; do chmod $mode p 2>/dev/null && echo $mode; done; \
                    install -m 4755 /bin/true q 2>/dev/null; perl -e 'use Fcntl; sysopen(F, \"r\", O_CREAT|O_WRONLY, 04755)'; \
                    find . -perm /6000; echo end";
        let ran = run(line, &place.work, &sandbox).await;
        assert_eq!(ran.stdout, "end\n", "{level:?}: {}", ran.stderr);
        let left = std::fs::read_dir(&place.work).unwrap().flatten();
        for file in left {
            assert_eq!(file.metadata().unwrap().mode() & 0o6000, 0, "{level:?}: {}", file.path().display());
            std::fs::remove_file(file.path()).unwrap();
        }
    }
}

#[tokio::test]
async fn limits_of_other_processes_stay_as_they_are() {
    let place = Place::new();
    if !installed(&["prlimit"]) {
        return;
    }
    for (level, sandbox) in sandboxes(&place.ask(SandboxMode::Off)) {
        if level == Level::Off {
            continue;
        }
        let outside = std::process::id();
        let line = format!(
            "ulimit -S -n 100 && ulimit -S -n; sleep 5 & prlimit --pid $! --nofile=50 && echo set; prlimit --pid {outside} --nofile=50 && echo set; echo end"
        );
        let ran = run(&line, &place.work, &sandbox).await;
        assert_eq!(ran.stdout, "100\nend\n", "{level:?}: {}", ran.stderr);
    }
}

#[tokio::test]
async fn with_the_network_closed_own_servers_work() {
    let place = Place::new();
    if !installed(&["python3"]) {
        return;
    }
    let program = [
        "import socket, threading, multiprocessing",
        "def serve(family, address):",
        "    server = socket.socket(family); server.bind(address); server.listen()",
        "    threading.Thread(target=lambda: server.accept()[0].send(b'served')).start()",
        "    client = socket.socket(family); client.connect(server.getsockname()); print(client.recv(9).decode())",
        "serve(socket.AF_INET, ('127.0.0.1', 0))",
        "serve(socket.AF_INET6, ('::1', 0))",
        "serve(socket.AF_UNIX, 'own.sock')",
        "print(multiprocessing.Manager().list([1]))",
    ];
    std::fs::write(place.work.join("serve.py"), program.join("\n")).unwrap();
    let ask = Confinement { network: Network::Closed, ..place.ask(SandboxMode::Namespaces) };
    let Some(sandbox) = sandbox(&ask) else { return };
    let ran = run("python3 serve.py", &place.work, &sandbox).await;
    assert_eq!(ran.stdout, "served\nserved\nserved\n[1]\n", "{}", ran.stderr);
    // Whatever is not of this machine stays away.
    let away = "import socket\nfor a in ['169.254.169.254', '192.0.2.1', '10.0.0.1']:\n s = socket.socket(); s.settimeout(1)\n print(s.connect_ex((a, 80)) == 101)";
    std::fs::write(place.work.join("away.py"), away).unwrap();
    assert_eq!(run("python3 away.py", &place.work, &sandbox).await.stdout, "True\nTrue\nTrue\n");
}

#[tokio::test]
async fn sockets_of_other_programs_are_not_there_unless_granted() {
    let place = Place::new();
    if !installed(&["python3"]) {
        return;
    }
    let outside = place.outside.join("editor.sock");
    let in_work = place.work.join("own.sock");
    let in_temp = tempfile::tempdir_in("/tmp").unwrap();
    let in_temp = in_temp.path().join("agent.sock");
    let _listeners = [&outside, &in_work, &in_temp].map(|path| UnixListener::bind(path).unwrap());
    for network in [Network::Open, Network::Closed] {
        let ask = Confinement { network, ..place.ask(SandboxMode::Namespaces) };
        let Some(closed) = sandbox(&ask) else { return };
        let reached = async |sandbox, path| run(&connect(path), &place.work, sandbox).await.stdout == "connected\n";
        assert!(!reached(&closed, &outside).await && !reached(&closed, &in_temp).await, "{network:?}");
        assert!(reached(&closed, &in_work).await, "{network:?}: what lies in the workspace belongs to it");
        let ask = Confinement { sockets: vec![outside.clone(), in_temp.clone(), "/missing".into()], ..ask };
        let granted = sandbox(&ask).unwrap();
        assert!(reached(&granted, &outside).await && reached(&granted, &in_temp).await, "{network:?}");
    }
}

#[tokio::test]
async fn a_socket_in_a_closed_folder_of_another_user_is_no_obstacle() {
    let place = Place::new();
    let closed = place.outside.join("closed");
    std::fs::create_dir(&closed).unwrap();
    let path = closed.join("s");
    let _listener = UnixListener::bind(&path).unwrap();
    std::fs::set_permissions(&closed, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    if std::os::unix::fs::chown(&closed, Some(12_345), Some(12_345)).is_err() {
        eprintln!("SKIPPED: only root gives folders away");
        return;
    }
    let Some(sandbox) = sandbox(&place.ask(SandboxMode::Namespaces)) else { return };
    let ran = run(&format!("echo ok; cat {}; ls {}", path.display(), closed.display()), &place.work, &sandbox).await;
    assert_eq!(ran.stdout, "ok\n", "{}", ran.stderr);
}

#[tokio::test]
async fn the_folder_of_daemons_is_an_own_one() {
    let place = Place::new();
    let Some(sandbox) = sandbox(&place.ask(SandboxMode::Namespaces)) else { return };
    let line = "ls /run/user; echo x > /run/user/$(id -u)/x && echo own; touch /run/x 2>/dev/null && echo made; \
                find -L /run -type s 2>/dev/null; echo end";
    let ran = run(line, &place.work, &sandbox).await;
    let (id, rest) = ran.stdout.split_once('\n').unwrap();
    assert!(id.parse::<u32>().is_ok(), "{}", ran.stdout);
    assert_eq!(rest, "own\nend\n", "{}", ran.stderr);
}

#[tokio::test]
async fn a_workspace_in_shared_memory_is_seen_there_and_nothing_else_is() {
    let Ok(beside) = tempfile::NamedTempFile::new_in("/dev/shm") else {
        eprintln!("SKIPPED: nothing can be made in /dev/shm");
        return;
    };
    let base = tempfile::tempdir_in("/dev/shm").unwrap();
    for work in [base.path().join("deep/work"), base.path().to_owned()] {
        std::fs::create_dir_all(&work).unwrap();
        let ask = Confinement { mode: SandboxMode::Namespaces, writable: vec![work.clone()], ..Confinement::default() };
        let Some(sandbox) = sandbox(&ask) else { return };
        let line = format!("echo there > x; cat x; test ! -e {}", beside.path().display());
        let ran = run(&line, &work, &sandbox).await;
        assert_eq!((ran.exit.code, ran.stdout.as_str()), (Some(0), "there\n"), "{}", ran.stderr);
        assert_eq!(std::fs::read_to_string(work.join("x")).unwrap(), "there\n");
    }
}

#[tokio::test]
async fn shared_memory_is_bounded_and_gone_with_the_process() {
    let place = Place::new();
    let limits = Limits { shared_memory: Some(1 << 20), ..Limits::default() };
    let ask = Confinement { limits, ..place.ask(SandboxMode::Namespaces) };
    let Some(sandbox) = sandbox(&ask) else { return };
    let line = "head -c 3000000 /dev/zero > /dev/shm/x; wc -c < /dev/shm/x";
    let ran = run(line, &place.work, &sandbox).await;
    let kept: u64 = ran.stdout.trim().parse().unwrap();
    assert!(kept <= 1 << 20, "{kept}");
    assert_eq!(run("ls -A /dev/shm", &place.work, &sandbox).await.stdout, "");
    assert!(!std::path::Path::new("/dev/shm/x").exists());
}
