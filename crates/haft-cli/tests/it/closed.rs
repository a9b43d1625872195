//! What a gate forbids to read stays closed however it is reached: by name, by a search from above,
//! by a command.

use std::{os::unix::fs::symlink, path::Path};

use serde_json::json;

use crate::{client::Client, support::Haft};

const COMMANDS: &str = "[tools.permissions]\nbash = [{pattern = \"cat *\", action = \"allow\"}, \
                        {pattern = \"cp *\", action = \"allow\"}, {pattern = \"grep *\", action = \"allow\"}]\n";

fn workspace(config: &str) -> Haft {
    let haft = Haft::configured(config);
    haft.workspace.file("private/x", "topsecret-data\n");
    haft.workspace.file("private/open/y", "topsecret-data\n");
    haft.workspace.file("public/z", "topsecret-data\n");
    symlink(haft.workspace.path("private/x"), haft.workspace.path("link")).expect("links");
    haft
}

/// Whether a call gives the content or the name of a file.
fn gives(haft: &Haft, call: &[&str], needle: &str) -> bool {
    let ran = haft.run(&[&["call", "--json"], call].concat());
    format!("{}{}", ran.out, ran.err).contains(needle)
}

#[test]
fn credentials_of_the_system_are_closed_to_commands() {
    if !tools_testkit::namespaces() {
        return;
    }
    let keys = std::fs::read_dir("/etc/ssh").into_iter().flatten().flatten().map(|entry| entry.path());
    let is_key = |path: &Path| path.to_string_lossy().starts_with("/etc/ssh/ssh_host_") && path.extension().is_none();
    let private = std::fs::read_dir("/etc/ssl/private").into_iter().flatten().flatten().map(|entry| entry.path());
    let known = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"].map(Path::new).map(Path::to_owned);
    let haft = workspace(COMMANDS);
    for path in keys.filter(|path| is_key(path)).chain(private).chain(known) {
        // Who runs as a user reads none of them anyway.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Some(line) = text.lines().max_by_key(|line| line.len()).filter(|line| line.len() > 10) else { continue };
        let command = format!("command=cat {}", path.display());
        let ran = haft.run(&["call", "bash", &command, "--yes"]);
        assert!(!format!("{}{}", ran.out, ran.err).contains(line), "{}", path.display());
    }
    assert!(gives(&haft, &["bash", "command=cat /etc/ssh/../hosts", "--yes"], "localhost"));
}

/// A mask hides the file, not what was committed of it.
#[test]
fn a_closed_file_that_git_keeps_is_closed() {
    let git = "[tools.permissions]\nbash = [{pattern = \"git *\", action = \"allow\"}]\n";
    let rule = "[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"*\"\npaths = [\"./private/**\"]\n";
    for (config, code) in
        [(format!("{git}[tools.file]\ndeny_read = [\"private/**\"]\n"), 3), (format!("{git}{rule}"), 4)]
    {
        let haft = workspace(&config);
        for command in
            ["git show HEAD:private/x", "git log -p -- private/x", "git blame private/x", "git diff -- private"]
        {
            let ran = haft.run(&["call", "bash", &format!("command={command}")]);
            assert_eq!(ran.code, code, "{command}: {ran:?}");
        }
        let ran = haft.run(&["explain", "bash", "command=git show HEAD:public/z"]);
        assert!(ran.out.starts_with("bash: allow"), "{ran:?}");
        let mut client = Client::connect(&haft);
        let params = json!({"name": "bash", "arguments": {"command": "git show HEAD:private/x"}});
        let answer = client.request(2, "tools/call", &params);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
}

#[test]
fn what_no_call_may_read_is_left_out_of_searches_and_closed_to_commands() {
    if !tools_testkit::namespaces() {
        return;
    }
    let haft = workspace(&format!(
        "{COMMANDS}[[tools.policy.rules]]\neffect = \"deny\"\ntool = \"*\"\npaths = [\"./private/**\"]\n"
    ));
    let secret = "topsecret-data";
    for call in [
        &["read", "path=private/x"][..],
        &["read", "path=link"],
        &["grep", "pattern=topsecret", "path=private"],
        &["bash", "command=cat private/x"],
        &["bash", "command=cat ./pri*/x"],
        &["bash", "command=cat link"],
        &["bash", "command=cp private/x y; cat y"],
        &["bash", "command=cd private; cat x"],
        &["bash", "command=grep -r topsecret private"],
    ] {
        assert!(!gives(&haft, call, secret), "{call:?}");
    }
    assert!(gives(&haft, &["grep", "pattern=topsecret"], "public/z"));
    assert!(!gives(&haft, &["grep", "pattern=topsecret"], "private/x"));
    assert!(gives(&haft, &["find_path", "pattern=**/z"], "public/z"));
    assert!(!gives(&haft, &["find_path", "pattern=**/x"], "private/x"));
    assert!(gives(&haft, &["list_directory", "path=."], "public"));
    assert!(!gives(&haft, &["list_directory", "path=."], "[dir] private"));
    assert!(gives(&haft, &["bash", "command=cat public/z"], secret));
    assert!(gives(&haft, &["bash", "command=grep -r topsecret ."], "public/z"));
    assert!(!gives(&haft, &["bash", "command=grep -r topsecret ."], "private/x:"));
    assert!(haft.run(&["config", "check"]).out.contains("0 warnings"));
}

#[test]
fn what_stands_before_a_denial_stays_open_to_the_file_tools() {
    let rules = "[[tools.policy.rules]]\neffect = \"allow\"\npaths = [\"./private/open/**\"]\n\
                 [[tools.policy.rules]]\neffect = \"deny\"\npaths = [\"./private/**\"]\n";
    let haft = workspace(rules);
    assert!(gives(&haft, &["read", "path=private/open/y"], "topsecret-data"));
    assert!(gives(&haft, &["grep", "pattern=topsecret"], "private/open/y"));
    assert!(!gives(&haft, &["grep", "pattern=topsecret"], "private/x"));
}

#[test]
fn a_permission_binds_the_searches_of_its_tool_and_config_check_says_what_it_does_not() {
    let haft = workspace(
        "[tools.permissions]\ngrep = [{pattern = \"private/**\", action = \"deny\"}, {pattern = \"**\", action = \"allow\"}]\n",
    );
    assert!(gives(&haft, &["grep", "pattern=topsecret"], "public/z"));
    assert!(!gives(&haft, &["grep", "pattern=topsecret"], "private/x"));
    assert!(gives(&haft, &["find_path", "pattern=**/x"], "private/x"));
    let checked = haft.run(&["config", "check"]).out;
    assert!(checked.contains("`tools.permissions.grep`: what it denies is closed to `grep` alone"), "{checked}");
}

#[test]
fn config_check_names_what_does_not_bind_commands() {
    let check = |config: &str, expected: &str| {
        let found = Haft::configured(config).run(&["config", "check"]).out;
        assert!(found.contains(expected), "{config}: {found}");
        assert_eq!(found.contains("0 warnings"), expected == "0 warnings", "{config}: {found}");
    };
    let policy = |more: &str| format!("[[tools.policy.rules]]\neffect = \"deny\"\n{more}\n");
    check(&policy("paths = [\"./private/**\", \"~/notes\", \"/srv/keys/**\", \"**/x.key\"]"), "0 warnings");
    check(&policy("paths = [\"/etc/*\"]"), "`/etc/*` holds for commands only where they name such a path");
    check(&policy("tool = \"read\"\npaths = [\"./private/**\"]"), "do not hold for commands");
    check(&policy("args_match = \"x\"\npaths = [\"./private/**\"]"), "with `args_match` they hold where a call names");
    check(&policy("tool = \"write\"\npaths = [\"./private/**\"]"), "0 warnings");
    check(&policy("capabilities = [\"write\"]\npaths = [\"/etc/*\"]"), "0 warnings");
    check("[tools.file]\ndeny_read = [\"/srv/*\"]\n", "outside the workspace `/srv/*` holds for commands only");
    check("[tools.file]\ndeny_read = [\"/srv/x/**\", \"**/x\"]\n", "0 warnings");
    check("[tools.file]\nallow_read = [\"src/**\"]\n", "`tools.file.allow_read`: outside the workspace");
}

#[test]
fn a_folder_outside_the_workspace_is_closed_to_commands_with_all_below() {
    // The folder for temporary files is another one for commands.
    let other = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("closed-{}", std::process::id()));
    std::fs::create_dir_all(other.join("notes")).expect("a folder is made");
    std::fs::write(other.join("notes/a.txt"), "topsecret-data\n").expect("a file is written");
    let place = other.join("notes").display().to_string();
    let read = format!("command=cat {place}/a.txt");
    let hidden_way = format!("command=cat {}/n*/a.txt", other.display());
    // Otherwise commands do not see it at all.
    let granted = format!("{COMMANDS}[tools.shell]\nread_paths = [\"{}\"]\n", other.display());
    for config in [
        format!("{granted}[tools.file]\ndeny_read = [\"{place}/**\"]\n"),
        format!("{granted}[tools.file]\ndeny_read = [\"{place}\"]\n"),
        format!("{granted}[[tools.policy.rules]]\neffect = \"deny\"\npaths = [\"{place}/**\"]\n"),
    ] {
        let haft = Haft::configured(&config);
        for call in [&read, &hidden_way] {
            assert!(!gives(&haft, &["bash", call], "topsecret-data"), "{config}: {call}");
        }
    }
    let open = Haft::configured(&granted);
    let is_open = gives(&open, &["bash", &read], "topsecret-data");
    std::fs::remove_dir_all(&other).expect("it is removed");
    assert!(is_open);
}
