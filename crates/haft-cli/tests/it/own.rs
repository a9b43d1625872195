//! What belongs to the binary alone: its configuration and state, its private folders, the level it
//! confines with, and the terminal it was started from.

use std::{path::Path, time::Duration};

use serde_json::json;
use tools_testkit::Workspace;

use crate::client::Client;
use crate::starts::Place;
use crate::support::{Haft, Ran};

const ALL: &str = "[tools.permissions]\nbash = [{pattern = \"*\", action = \"allow\"}]\nwrite = [{pattern = \"**\", action = \"allow\"}]\n";

fn place() -> (Workspace, Place) {
    let folder = Workspace::new();
    let place = Place::new(Path::new(env!("CARGO_BIN_EXE_haft")), folder.root());
    (folder, place)
}

#[test]
fn starts_side_by_side_all_run_at_the_same_level() {
    let (_folder, place) = place();
    let alone = place.level().expect("it runs alone");
    let starts = place.start(40, 8);
    assert_eq!((starts.failed, starts.levels), (vec![], vec![alone]));
}

#[test]
fn nothing_is_left_of_killed_processes_after_the_next_start() {
    let (_folder, place) = place();
    place.kill(25, Duration::from_millis(120));
    place.level().expect("the next start works");
    assert_eq!(place.left(), Vec::<std::path::PathBuf>::new());
}

/// A call in the home itself.
fn in_home(haft: &Haft, arguments: &[&str]) -> Ran {
    let home = haft.home.root().to_string_lossy().into_owned();
    haft.run(&[&["--workdir", &home], arguments].concat())
}

#[test]
fn no_call_writes_the_configuration_that_the_next_start_would_obey() {
    if !tools_testkit::namespaces() {
        return;
    }
    let haft = Haft::new();
    let names = [".config/haft/config.toml", ".config/haft/filters.toml", ".local/state/haft/approvals.jsonl"];
    for name in names {
        let line = format!(
            "mkdir -p $(dirname {name}); echo x > {name}; mv .config .c; mv .config/haft .h; mv .local .l; echo x > n; mv -f n {name}; ln -sf n {name}; true"
        );
        in_home(&haft, &["call", "--yes", "bash", &format!("command={line}")]);
        let ran = in_home(&haft, &["call", "--yes", "write", &format!("path={name}"), "content=x"]);
        assert_ne!(ran.code, 0, "{name}: {ran:?}");
        let found = std::fs::read_to_string(haft.home.path(name)).unwrap_or_default();
        assert!(!found.starts_with('x'), "{name}: {found}");
        assert!(!haft.home.path(name).is_symlink());
    }
    assert!(!haft.home.path(names[0]).exists() && !haft.home.path(names[1]).exists());
}

#[test]
fn a_configuration_where_tools_write_counts_only_when_it_is_named() {
    let Some(haft) = Haft::confined(ALL) else { return };
    let refused = in_home(&haft, &["call", "bash", "command=true"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("where tools may write") && refused.err.contains("--config"), "{refused:?}");
    let file = haft.home.path(".config/haft/config.toml");
    let named = file.to_string_lossy().into_owned();
    let line = "command=echo x >> .config/haft/config.toml; rm -f .config/haft/config.toml; mv .config .c; echo x > .config/haft/filters.toml";
    let ran = in_home(&haft, &["--config", &named, "call", "bash", line]);
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), ALL, "{ran:?}");
    assert!(!haft.home.path(".config/haft/filters.toml").exists());
    // Beside a configuration in the workspace, where the folder itself may be written.
    haft.workspace.file("haft.toml", ALL);
    let line = "command=echo x > filters.toml; echo x > n; mv -f n filters.toml; ls -d filters.toml";
    let ran = haft.run(&["--config", "haft.toml", "call", "bash", line]);
    assert!(!haft.workspace.path("filters.toml").exists(), "{ran:?}");
}

#[test]
fn a_server_takes_no_home_for_a_workspace_by_chance() {
    let haft = Haft::new();
    let mut command = haft.command(&["mcp", "serve"]);
    command.current_dir(haft.home.root());
    let ran = crate::support::finished(command);
    assert!(ran.code != 0 && ran.err.contains("--workdir"), "{ran:?}");
    let mut command = haft.command(&["mcp", "serve", "--workdir", "."]);
    command.current_dir(haft.home.root());
    let ran = crate::support::finished(command);
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn the_terminal_of_the_operator_cannot_be_opened() {
    if !tools_testkit::installed(&["script", "python3"]) {
        return;
    }
    let haft = Haft::configured(ALL);
    haft.workspace.file(
        "open.py",
        "import os, sys\nfor flags in (os.O_RDONLY, os.O_WRONLY):\n    try:\n        fd = os.open(sys.argv[1], flags | os.O_NOCTTY | os.O_NONBLOCK)\n        os.write(fd, b'forged') if flags else os.read(fd, 10)\n        print('OPENED')\n    except BlockingIOError:\n        print('OPENED')\n    except OSError:\n        print('closed')\n",
    );
    // `script` gives the binary a terminal, as an operator's shell does; its name is handed on to
    // the command.
    let binary = env!("CARGO_BIN_EXE_haft");
    let line = format!("t=$(tty); echo on $t; {binary} call bash command=\"python3 open.py $t\" --yes");
    let mut command = crate::terminal::at_terminal(&haft, &line);
    command.stdin(std::process::Stdio::null());
    let shown = String::from_utf8_lossy(&command.output().expect("there is `script`").stdout).into_owned();
    assert!(shown.contains("on /dev/pts/") && shown.contains("closed"), "{shown}");
    assert!(!shown.contains("OPENED") && !shown.contains("forged"), "{shown}");
}

#[test]
fn a_command_runs_whatever_tmpdir_names() {
    let haft = Haft::configured(ALL);
    let missing = haft.home.root().join("missing");
    for named in ["", "relative", "/proc", "/dev/shm", "/dev/null", &missing.to_string_lossy()] {
        let mut command = haft.command(&["call", "bash", "command=touch $TMPDIR/x && echo made"]);
        command.env("TMPDIR", named);
        let ran = crate::support::finished(command);
        assert!(ran.code == 0 && ran.out.contains("made"), "TMPDIR={named}: {ran:?}");
        assert!(!haft.workspace.root().join("relative").exists());
    }
}

#[test]
fn a_state_folder_in_the_temporary_folder_is_ours_alone() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    let haft = Haft::new();
    haft.workspace.file("a.txt", "text\n");
    let temporary = haft.home.path("tmp");
    std::fs::create_dir(&temporary).expect("the home is ours");
    let own = temporary.join(format!("haft-{}", rustix::process::getuid().as_raw()));
    let read = || {
        let mut command = haft.command(&["call", "read", "path=a.txt"]);
        command.env("HOME", haft.home.path("missing")).env("TMPDIR", &temporary);
        crate::support::finished(command)
    };
    symlink(haft.home.path("elsewhere"), &own).expect("it is not there");
    let linked = read();
    assert!(linked.code == 2 && linked.err.contains("XDG_STATE_HOME"), "{linked:?}");
    std::fs::remove_file(&own).expect("it is ours");
    std::fs::create_dir(&own).expect("it is not there");
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o777)).expect("it is ours");
    let opened = read();
    assert_eq!(opened.code, 0, "{opened:?}");
    assert_eq!(std::fs::metadata(&own).expect("it is there").mode() & 0o777, 0o700);
}

#[test]
fn a_limit_on_file_sizes_is_an_error_and_no_end() {
    let haft = Haft::new();
    let script = format!("ulimit -f 64; exec {} call --yes --json write \"$1\"", env!("CARGO_BIN_EXE_haft"));
    let parameters = serde_json::json!({"path": "a.txt", "content": "x".repeat(100_000)}).to_string();
    let mut command = haft.command(&[]);
    let environment: Vec<_> =
        command.get_envs().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect();
    command = std::process::Command::new("bash");
    command.args(["-c", &script, "bash", &parameters]).current_dir(haft.workspace.root()).env_clear().envs(environment);
    let ran = crate::support::finished(command);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(!haft.workspace.path("a.txt").exists(), "nothing is half written");
    assert!(ran.out.contains("too large") || ran.out.contains("File too large"), "{ran:?}");
}

#[test]
fn a_workspace_that_was_replaced_with_a_link_is_not_followed() {
    let haft = Haft::configured(ALL);
    let workspace = haft.workspace.dir("ws");
    let elsewhere = haft.workspace.dir("elsewhere");
    let root = workspace.to_string_lossy().into_owned();
    let command = haft.command(&["--workdir", &root, "mcp", "serve", "--stdio"]);
    let mut client = Client::connect_to(command, &haft.home.path("stderr"), None, "test");
    let write =
        |client: &mut Client, name: &str| client.call("write", &json!({"path": name, "content": "x"})).to_string();
    write(&mut client, "before");
    assert!(workspace.join("before").exists());
    std::fs::rename(&workspace, haft.workspace.path("old")).expect("it can be moved");
    std::os::unix::fs::symlink(&elsewhere, &workspace).expect("a link");
    for answer in [write(&mut client, "after"), client.bash("echo x > after")] {
        assert!(answer.contains("leads to") && answer.contains("Nothing was run"), "{answer}");
    }
    assert_eq!(std::fs::read_dir(&elsewhere).expect("a folder").count(), 0);
}
