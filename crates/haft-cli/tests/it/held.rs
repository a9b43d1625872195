//! What is held against one command stays held whatever another one does, of this process or of
//! another, and whatever is put in its place.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::client::Client;
use crate::support::{Haft, eventually};

const EVERYTHING: &str = "[tools.permissions]\nbash = [{ pattern = \"*\", action = \"allow\" }]\n";

/// Starts a job that does this over and over, and notes each time in the file of its name, until
/// there is a file `end-NAME`.
fn job(haft: &Haft, client: &mut Client, name: &str, line: &str) {
    haft.workspace.file(
        format!("{name}.sh"),
        format!("until [ -e end-{name} ]; do {line}\necho >> {name}; sleep 0.01; done 2>/dev/null\n"),
    );
    let started = client.call("bash", &json!({"command": format!("bash {name}.sh"), "background": true}));
    assert_eq!(started["isError"], false, "{started}");
    until_repeated(haft, name);
}

/// Waits until the job has tried several times more.
fn until_repeated(haft: &Haft, name: &str) {
    let tries = || haft.workspace.read(name).map_or(0, |tries| tries.len());
    let before = tries();
    assert!(eventually(|| tries() > before + 5), "{name}");
}

fn end(haft: &Haft, name: &str) {
    haft.workspace.file(format!("end-{name}"), "");
}

fn git(haft: &Haft, line: &str) {
    let mut command = Command::new("git");
    command.args(["-c", "user.email=a@example.com", "-c", "user.name=a"]).args(line.split(' '));
    command.current_dir(haft.workspace.root()).env("HOME", haft.home.root());
    let ran = command.output().expect("git starts");
    assert!(ran.status.success(), "{line}: {ran:?}");
}

/// A repository with a branch that has another `.envrc`.
fn repository(config: &str) -> Haft {
    let haft = Haft::configured(config);
    git(&haft, "init -q -b main");
    for branch in ["main", "other"] {
        if branch != "main" {
            git(&haft, "checkout -q -b other");
        }
        haft.workspace.file(".envrc", branch);
        git(&haft, "add .envrc");
        git(&haft, "commit -q -m x");
    }
    git(&haft, "checkout -q main");
    std::fs::remove_dir_all(haft.workspace.path(".git/hooks")).expect("git made some");
    haft
}

#[test]
fn a_job_writes_nothing_of_what_a_call_replaces_by_agreement() {
    let Some(haft) = tools_testkit::namespaces().then(|| repository(EVERYTHING)) else { return };
    let mut client = Client::connect(&haft);
    let line = "for i in 1 2 3 4 5 6 7 8 9; do echo '#evil' >> .git/config; echo '#evil' >> .envrc; done";
    job(&haft, &mut client, "evil", line);
    for line in ["git checkout -b t --track main", "git checkout other", "git branch -u main"] {
        let ran = client.call("bash", &json!({"command": line}));
        assert_eq!(ran["isError"], false, "{ran}");
        until_repeated(&haft, "evil");
    }
    // What runs for long may not: the job would stand still for as long.
    let refused = client.call("bash", &json!({"command": "git checkout main && sleep 9", "background": true}));
    let text = refused["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("job_kill") && text.contains("programs outside obey"), "{refused}");
    let read = |name: &str| String::from_utf8(haft.workspace.read(name).unwrap()).unwrap();
    let (config, envrc) = (read(".git/config"), read(".envrc"));
    assert!(
        config.contains("branch \"t\"") && config.contains("branch \"other\"") && !config.contains("evil"),
        "{config}"
    );
    assert_eq!(envrc, "other");
    end(&haft, "evil");
}

#[test]
fn the_time_of_a_command_stands_while_it_does() {
    let config = format!("{EVERYTHING}[tools.shell]\ntimeout = 4\n");
    let Some(haft) = tools_testkit::namespaces().then(|| repository(&config)) else { return };
    let (mut one, mut other) = (Client::connect(&haft), Client::connect(&haft));
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| one.call("bash", &json!({"command": "touch begun; sleep 2; echo whole"})));
        assert!(eventually(|| haft.workspace.read("begun").is_some()));
        let ran = other.call("bash", &json!({"command": "git checkout other && sleep 3"}));
        assert_eq!(ran["isError"], false, "{ran}");
        let slow = slow.join().expect("it answers");
        assert!(slow["isError"] == false && slow.to_string().contains("whole"), "{slow}");
    });
}

#[test]
fn what_a_person_replaces_while_a_job_runs_is_held_again_and_told() {
    let Some(haft) = tools_testkit::namespaces().then(|| repository(EVERYTHING)) else { return };
    let mut client = Client::connect(&haft);
    job(&haft, &mut client, "evil", "echo '#evil' >> .envrc && echo wrote >> wrote");
    git(&haft, "checkout -q other");
    until_repeated(&haft, "evil");
    // Once it is held again, nothing more is written.
    let writes = || haft.workspace.read("wrote").map_or(0, |written| written.len());
    assert!(eventually(|| {
        let before = writes();
        until_repeated(&haft, "evil");
        writes() == before
    }));
    end(&haft, "evil");
    let mut told = || client.call("job_read", &json!({"id": "job-1", "since": 0})).to_string();
    assert!(eventually(|| told().contains("replaced by another process while it ran")), "{}", told());
}

#[test]
fn no_job_makes_what_decides_about_calls_when_another_has_ended() {
    if !tools_testkit::namespaces() {
        return;
    }
    let haft = Haft::new();
    let file = haft.workspace.file("haft.toml", EVERYTHING).to_string_lossy().into_owned();
    let command = haft.command(&["--config", &file, "mcp", "serve", "--stdio"]);
    let mut client = Client::connect_to(command, &haft.home.path("stderr"), None, "test");
    job(&haft, &mut client, "first", "true");
    let made = ["mcp.lock.json", "filters.toml", "haft.d"];
    job(
        &haft,
        &mut client,
        "second",
        "echo x > mcp.lock.json; echo x > filters.toml; mkdir haft.d; echo x > haft.d/x.toml",
    );
    // Another process starts as ever.
    let read = haft.run(&["--config", &file, "call", "read", "path=haft.toml"]);
    assert_eq!(read.code, 0, "{read:?}");
    end(&haft, "first");
    until_repeated(&haft, "second");
    let ran = client.call("bash", &json!({"command": "echo third"}));
    assert_eq!(ran["isError"], false, "{ran}");
    until_repeated(&haft, "second");
    assert!(made.iter().all(|name| haft.workspace.read(name).is_none_or(|text| text.is_empty())));
    end(&haft, "second");
    assert!(eventually(|| made.iter().all(|name| !haft.workspace.path(name).exists())));
}

#[test]
fn no_process_makes_what_git_obeys_when_another_has_ended() {
    let Some(haft) = tools_testkit::namespaces().then(|| repository(EVERYTHING)) else { return };
    let mut other = haft.command(&["call", "bash", "command=until [ -e end-other ]; do sleep 0.02; done"]);
    let mut other = other.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let hooks = haft.workspace.path(".git/hooks");
    assert!(eventually(|| hooks.exists()));
    let mut client = Client::connect(&haft);
    job(&haft, &mut client, "evil", "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit");
    end(&haft, "other");
    assert!(other.wait().expect("it ends").success());
    until_repeated(&haft, "evil");
    assert!(!hooks.join("pre-commit").exists());
    end(&haft, "evil");
    assert!(eventually(|| !hooks.exists()), "the last one takes it away");
}
