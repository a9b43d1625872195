//! A configuration that changes while a toolbox runs: what counts at once, what from the next
//! start, what not at all.

use std::time::SystemTime;

use haft::{Toolbox, config::LoadedConfig, core::NobodyToAsk};
use serde_json::json;
use tools_testkit::{Workspace, eventually};

use crate::{ALL_COMMANDS, call, outcome, toolbox};

fn loaded(workspace: &Workspace, text: &str) -> LoadedConfig {
    let mut loaded = LoadedConfig::parse(text, &|_| None).unwrap_or_else(|error| panic!("{error}"));
    crate::keep_beside(&mut loaded.config, workspace);
    loaded
}

#[tokio::test]
async fn what_tools_and_layers_do_changes_with_the_configuration() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace, ALL_COMMANDS);
    let narrowed = toolbox.narrowed(&[workspace.dir("work/sub")]).unwrap();
    let long = "printf 'x%.0s' {1..3000}";
    let shown = async |toolbox: &Toolbox, command: &str| {
        outcome(toolbox, "bash", json!({ "command": command })).await.unwrap_or_else(|error| error.to_string())
    };
    assert_eq!(shown(&toolbox, long).await.len(), 3000);
    assert!(shown(&toolbox, "echo staff-4711").await.contains("staff-4711"));
    let next = format!(
        "{ALL_COMMANDS}[tools.shell]\ntimeout = 1\nblocked_commands = [\"printf\"]\n[tools.overflow]\nthreshold = 200\n\
         [tools.filters.security]\nextra_patterns = ['staff-\\d+']\n[tools.file]\nread_lines = 1\n"
    );
    let report = toolbox.reload(&loaded(&workspace, &next)).unwrap();
    assert!(report.needs_restart.is_empty(), "{report:?}");
    for toolbox in [&toolbox, &narrowed] {
        assert!(shown(toolbox, "printf x").await.contains("blocked by the configuration"));
        let stopped = shown(toolbox, "sleep 5").await;
        assert!(stopped.contains("1.0 s"), "it is stopped after a second: {stopped}");
        assert!(!shown(toolbox, "echo staff-4711").await.contains("4711"));
        assert!(shown(toolbox, "seq 1 500").await.contains("read_overflow"));
    }
    workspace.file("work/sub/a", "one\ntwo\n");
    assert!(!outcome(&narrowed, "read", json!({"path": "a"})).await.unwrap().contains("two"));
}

#[tokio::test]
async fn nothing_changes_where_one_section_is_wrong() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace, ALL_COMMANDS);
    for wrong in [
        "[tools.shell]\ntimeout = 0\n",
        "[tools.filters.security]\nextra_patterns = ['(']\n",
        "[tools.diagnostics]\nmax_diagnostics = 0\ntimeout = 0\n",
        "[tools.retry]\nmax_attempts = 0\n",
    ] {
        let text = format!("[[tools.permissions.bash]]\npattern = \"true\"\naction = \"deny\"\n{wrong}");
        toolbox.reload(&loaded(&workspace, &text)).expect_err(wrong);
        outcome(&toolbox, "bash", json!({"command": "true"})).await.unwrap();
    }
}

#[tokio::test]
async fn a_file_that_changes_is_read_again_and_a_broken_one_changes_nothing() {
    let workspace = Workspace::new();
    let audit = format!("[tools.audit]\npath = {:?}\n", workspace.path("record/audit.jsonl"));
    workspace.dir("record");
    let write = |name: &str, text: &str| workspace.file(format!("user/{name}"), format!("{audit}{text}"));
    write("config.toml", ALL_COMMANDS);
    let file = workspace.path("user/config.toml");
    let loaded = LoadedConfig::read(&file, &|_| None).unwrap();
    let toolbox = Toolbox::builder(loaded, workspace.dir("work")).build().unwrap();
    let watch = toolbox.watch(|_| None).expect("there is a file");
    assert_eq!(toolbox.last_reload(), None);
    let code = async || {
        let recorded = toolbox.call(call("bash", json!({"command": "true"})), &toolbox.context(), &NobodyToAsk).await;
        recorded.outcome.map_or_else(|error| error.code(), |_| "ran")
    };

    // As editors do it: another file is put in its place.
    write(".config.toml.swp", "[[tools.permissions.bash]]\npattern = \"true\"\naction = \"deny\"\n");
    std::fs::rename(workspace.path("user/.config.toml.swp"), &file).unwrap();
    assert!(eventually(|| toolbox.last_reload().is_some()));
    assert_eq!(code().await, "permission_denied");
    let problem = || toolbox.last_reload().and_then(|state| state.problem);
    assert_eq!(problem(), None);

    // Half of it is right: none of it counts.
    write("config.toml", &format!("{ALL_COMMANDS}[tools.shell]\ntimeout = \"soon\"\n"));
    assert!(eventually(|| problem().is_some_and(|problem| problem.contains("`tools.shell.timeout`"))));
    assert_eq!(code().await, "permission_denied");

    write("config.toml", &format!("{ALL_COMMANDS}[mcp]\nstructured = true\n"));
    assert!(eventually(|| problem().is_none()));
    assert_eq!(code().await, "ran");
    assert_eq!(toolbox.last_reload().map(|state| state.needs_restart), Some(vec!["mcp.structured".to_owned()]));

    // A pipe in its place is not waited for.
    std::fs::remove_file(&file).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &file, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    assert!(eventually(|| problem().is_some_and(|problem| problem.contains("not a regular file"))));
    assert_eq!(code().await, "ran");

    // One that never rests is read all the same.
    write(".config.toml.swp", "[[tools.permissions.bash]]\npattern = \"true\"\naction = \"deny\"\n");
    std::fs::rename(workspace.path("user/.config.toml.swp"), &file).unwrap();
    let touched = std::fs::File::options().append(true).open(&file).unwrap();
    assert!(eventually(|| {
        touched.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        problem().is_none()
    }));
    assert_eq!(code().await, "permission_denied");
    let denied = toolbox.last_reload();
    write("config.toml", ALL_COMMANDS);
    assert!(eventually(|| toolbox.last_reload() != denied));

    // Another folder in the place of the one it lay in is not trusted.
    std::fs::rename(workspace.path("user"), workspace.path("moved")).unwrap();
    write("config.toml", "[[tools.permissions.bash]]\npattern = \"true\"\naction = \"deny\"\n");
    assert!(eventually(|| problem().is_some_and(|problem| problem.contains("another one than at the start"))));
    assert_eq!(code().await, "ran");
    drop(watch);
}

#[tokio::test]
async fn a_file_that_commands_may_write_is_not_read_again() {
    let workspace = Workspace::new();
    let deny = "[[tools.permissions.bash]]\npattern = \"true\"\naction = \"deny\"\n";
    for (folder, sandbox, is_heeded) in [("work", "off", false), ("user", "off", false), ("user", "best-effort", true)]
    {
        workspace.dir("record");
        let head = format!(
            "[tools.audit]\npath = {:?}\n[tools.shell]\nsandbox = \"{sandbox}\"\n",
            workspace.path("record/audit.jsonl")
        );
        let name = format!("{folder}/config.toml");
        let file = workspace.file(&name, format!("{head}{ALL_COMMANDS}"));
        let loaded = LoadedConfig::read(&file, &|_| None).unwrap();
        let toolbox = Toolbox::builder(loaded, workspace.dir("work")).build().unwrap();
        let watch = toolbox.watch(|_| None).expect("there is a file");
        workspace.file(&name, format!("{head}{deny}"));
        if is_heeded {
            assert!(eventually(|| toolbox.last_reload().is_some()) && watch.is_watching(), "{folder} {sandbox}");
        } else {
            assert!(eventually(|| !watch.is_watching()), "{folder} {sandbox}");
            assert_eq!(toolbox.last_reload(), None, "{folder} {sandbox}");
        }
    }
}

#[tokio::test]
async fn what_is_put_in_the_place_of_a_file_among_writable_ones_counts_from_the_next_start() {
    if !tools_testkit::namespaces() {
        return;
    }
    let workspace = Workspace::new();
    workspace.dir("record");
    let head = format!("[tools.audit]\npath = {:?}\n", workspace.path("record/audit.jsonl"));
    let file = workspace.file("work/config.toml", format!("{head}{ALL_COMMANDS}"));
    let loaded = LoadedConfig::read(&file, &|_| None).unwrap();
    let toolbox = Toolbox::builder(loaded, workspace.dir("work")).build().unwrap();
    let _watch = toolbox.watch(|_| None).expect("there is a file");
    let code = async || {
        let recorded = toolbox.call(call("bash", json!({"command": "true"})), &toolbox.context(), &NobodyToAsk).await;
        recorded.outcome.map_or_else(|error| error.code(), |_| "ran")
    };
    // The placeholder of the folder of overlays comes and goes with a command, and changes nothing.
    assert_eq!(code().await, "ran");

    let deny = "[[tools.permissions.bash]]\npattern = \"true\"\naction = \"deny\"\n";
    std::fs::write(&file, format!("{head}{deny}")).unwrap();
    assert!(eventually(|| toolbox.last_reload().is_some_and(|state| state.problem.is_none())));
    assert_eq!(code().await, "permission_denied");

    let other = workspace.file("work/other", format!("{head}{ALL_COMMANDS}"));
    std::fs::rename(other, &file).unwrap();
    let problem = || toolbox.last_reload().and_then(|state| state.problem);
    assert!(eventually(|| problem().is_some_and(|problem| problem.contains("was replaced"))));
    assert_eq!(code().await, "permission_denied");
}
