//! Configuration: every fault by key and line, and where each value came from.

use std::{os::unix::fs::symlink, path::Path, process::Command};

use crate::support::{BASH_ALLOWED, Haft, rule};

#[test]
fn a_mistyped_key_is_named_with_its_line_and_neighbour() {
    let haft = Haft::configured("[tools.shell]\ntimeot = 5\nnetwork = 7\n");
    for arguments in [&["config", "check"][..], &["call", "read", "path=a"], &["mcp", "serve"]] {
        let ran = haft.run(arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("line 2: `tools.shell.timeot`: unknown key; did you mean `timeout`?"), "{ran:?}");
        assert!(ran.err.contains("line 3: `tools.shell.network`: expected"), "{ran:?}");
    }
}

#[test]
fn a_rule_that_cannot_hold_refuses_to_start() {
    let check = |text: &str, named: &str| {
        let ran = Haft::configured(text).run(&["call", "read", "path=a"]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains(named), "{named}: {ran:?}");
    };
    check("[tools.file]\ndeny_read = [\"[\"]\n", "tools.file");
    check(
        "[[tools.permissions.bash]]\npattern = \"rm [\"\naction = \"deny\"\n",
        "line 2: `tools.permissions.bash[0].pattern`",
    );
    check(
        "[[tools.permissions.bash]]\npattern = \"rm\"\naction = \"denny\"\n",
        "expected one of `allow`, `ask`, `deny`",
    );
    check("[tools.shell]\ntimeout = 0\n", "line 2: `tools.shell.timeout`");
    check("[agent]\nmax_tool_iterations = 0\n", "line 2: `agent.max_tool_iterations`");
    check("[acp]\npermission_timeout = 0\n", "line 2: `acp.permission_timeout`");
    check("[tools\n", "line 1");
}

#[test]
fn show_says_where_each_value_was_set() {
    let haft = Haft::configured("[tools.shell]\ntimeout = 5\n");
    let mut command = haft.command(&["config", "show"]);
    command.env("HAFT_TOOLS_SHELL_NETWORK", "off");
    let ran = crate::support::finished(command);
    let line = |key: &str| ran.out.lines().find(|line| line.starts_with(key)).unwrap_or_default().to_owned();
    assert!(line("tools.shell.timeout = 5").ends_with("config.toml:2"), "{ran:?}");
    assert!(line("tools.shell.network = \"off\"").contains("HAFT_TOOLS_SHELL_NETWORK"), "{ran:?}");
    assert!(line("tools.shell.kill_grace_ms = 250").ends_with("# default"), "{ran:?}");
}

#[test]
fn an_overlay_tightens_what_file_and_environment_say() {
    let haft = Haft::configured("[tools.shell]\ntimeout = 50\n");
    haft.home.file(".config/haft/config.d/company.toml", "# By the administrators.\n[tools.shell]\ntimeout = 20\n");
    let mut command = haft.command(&["config", "show"]);
    command.env("HAFT_TOOLS_SHELL_TIMEOUT", "40");
    let ran = crate::support::finished(command);
    let line = ran.out.lines().find(|line| line.starts_with("tools.shell.timeout")).unwrap_or_default();
    assert!(line.starts_with("tools.shell.timeout = 20") && line.ends_with("config.d/company.toml:3"), "{ran:?}");
    let ran = haft.run(&["config", "check"]);
    assert!(ran.code == 0 && ran.out.contains("tightened by") && ran.out.contains("company.toml"), "{ran:?}");

    haft.home.file(".config/haft/config.d/company.toml", "[tools.shell]\nnetwork = \"open\"\nsandbox = \"off\"\n");
    let ran = haft.run(&["config", "show"]);
    let line = ran.out.lines().find(|line| line.starts_with("tools.shell.network")).unwrap_or_default();
    assert!(line.starts_with("tools.shell.network = \"gate\""), "{ran:?}");
    // What does not count is named, where it stands and why.
    let ran = haft.run(&["config", "check"]);
    assert!(ran.code == 0 && ran.out.contains("ok, 2 warnings"), "{ran:?}");
    for text in [
        "company.toml:2: `tools.shell.network`: \"open\" is ignored: an overlay may only tighten, and \"gate\" is stricter",
        "company.toml:3: `tools.shell.sandbox`: \"off\" is ignored",
    ] {
        assert!(ran.out.contains(text), "{text}: {ran:?}");
    }
    haft.home.file(".config/haft/config.d/company.toml", "[tools.shell]\ntimeout = 60\n");
    let ran = haft.run(&["config", "check"]);
    assert!(ran.out.contains(":2: `tools.shell.timeout`: 60 is ignored") && ran.out.contains("and 50 is"), "{ran:?}");
    haft.home.file(".config/haft/config.d/company.toml", "[tools.shell]\nread_paths = [\"/\"]\n");
    for arguments in [&["config", "check"][..], &["call", "read", "path=a"], &["mcp", "serve"]] {
        let ran = haft.run(arguments);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("company.toml") && ran.err.contains("line 2: `tools.shell.read_paths`"), "{ran:?}");
    }

    // They count where the user has no configuration, too.
    let haft = Haft::new();
    std::fs::remove_file(haft.home.path(".config/haft/config.toml")).ok();
    haft.home.file(".config/haft/config.d/company.toml", "[tools]\nread_only = true\n");
    let ran = haft.run(&["tools"]);
    assert!(ran.code == 0 && ran.out.contains("read") && !ran.out.contains("bash"), "{ran:?}");
}

#[test]
fn what_is_typed_for_a_command_loosens_no_overlay() {
    let haft = Haft::configured("");
    let tightened = "[tools.shell]\ntimeout = 1\nnetwork = \"off\"\n";
    haft.home.file(".config/haft/config.d/company.toml", tightened);
    let ran = haft.run(&["exec", "--yes", "--timeout", "100", "--", "sleep", "100"]);
    assert_eq!(ran.code, 124, "{ran:?}");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let line = format!("exec 3<>/dev/tcp/127.0.0.1/{} && echo reached", listener.local_addr().unwrap().port());
    let ran = haft.run(&["exec", "--yes", "--network", "open", "--", "bash", "-c", &line]);
    assert!(ran.code != 0 && !ran.out.contains("reached"), "{ran:?}");
    haft.home.file(".config/haft/config.d/company.toml", "");
    let ran = haft.run(&["exec", "--yes", "--network", "open", "--", "bash", "-c", &line]);
    assert!(ran.out.contains("reached"), "{ran:?}");
}

#[test]
fn a_variable_that_is_no_text_stops_the_start() {
    let haft = Haft::configured("");
    let value = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"[\"caf\xe9.txt\"]");
    let out = haft.command(&["tools"]).env("HAFT_TOOLS_FILE_DENY_READ", value).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(2) && said.contains("HAFT_TOOLS_FILE_DENY_READ"), "{said}");
}

#[test]
fn a_home_that_is_none_has_no_overlays() {
    let haft = Haft::new();
    for home in ["/dev/null", "/nonexistent"] {
        let mut command = haft.command(&["config", "check"]);
        command.env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("XDG_STATE_HOME");
        let ran = crate::support::finished(command);
        assert!(ran.code == 0 && ran.out.contains("the defaults: ok"), "{home}: {ran:?}");
    }
}

#[test]
fn a_configuration_that_cannot_be_read_is_never_none() {
    let name = ".config/haft/config.toml";
    let put = |what: &str, at: &Path| match what {
        "a link that leads nowhere" => symlink("away/config.toml", at).unwrap(),
        "a link to itself" => symlink("config.toml", at).unwrap(),
        "a folder" => std::fs::create_dir(at).unwrap(),
        _ => assert!(Command::new("mkfifo").arg(at).status().unwrap().success()),
    };
    for what in ["a link that leads nowhere", "a link to itself", "a folder", "a pipe"] {
        let haft = Haft::new();
        haft.home.file(name, "");
        let file = haft.home.path(name);
        std::fs::remove_file(&file).unwrap();
        put(what, &file);
        for arguments in [&["config", "check"][..], &["call", "bash", "command=true"], &["mcp", "serve"], &["doctor"]] {
            let ran = haft.run(arguments);
            assert!(ran.code == 2 && ran.err.contains(name), "{what}: {ran:?}");
        }
    }
    let haft = Haft::new();
    let folder = haft.home.path(".config/haft");
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    symlink("away", &folder).unwrap();
    let ran = haft.run(&["config", "check"]);
    assert!(ran.code == 2 && ran.err.contains(name), "the folder is away: {ran:?}");
}

#[test]
fn no_call_writes_an_overlay() {
    if !tools_testkit::namespaces() {
        return;
    }
    let haft = Haft::new();
    let folder = haft.workspace.path("");
    haft.workspace.file("own.toml", BASH_ALLOWED);
    haft.workspace.file("own.d/a.toml", "[tools]\nmax_tool_calls_per_session = 9\n");
    let config = folder.join("own.toml");
    let config = config.to_str().expect("it is text");
    let command = "command=rm own.d/a.toml; mv own.d other; echo > own.d/a.toml; touch made";
    let ran = haft.run(&["call", "bash", command, "--yes", "--config", config]);
    let kept = std::fs::read_to_string(haft.workspace.path("own.d/a.toml"));
    assert!(kept.is_ok_and(|text| text.contains("= 9")), "{ran:?}");
    assert!(haft.workspace.path("made").exists(), "the command ran: {ran:?}");
    let ran = haft.run(&["call", "write", "path=own.d/b.toml", "content=x", "--yes", "--config", config]);
    assert!(ran.code != 0 && !haft.workspace.path("own.d/b.toml").exists(), "{ran:?}");
}

#[test]
fn the_variable_of_the_old_switch_closes_the_network() {
    let haft = Haft::new();
    let shown = |value: &str| {
        let mut command = haft.command(&["config", "show"]);
        command.env("HAFT_TOOLS_SHELL_ALLOW_NETWORK", value);
        let ran = crate::support::finished(command);
        let line =
            ran.out.lines().find(|line| line.starts_with("tools.shell.network = ")).unwrap_or_default().to_owned();
        (line, ran)
    };
    let (line, ran) = shown("false");
    assert!(line.contains("\"off\"") && line.contains("HAFT_TOOLS_SHELL_ALLOW_NETWORK"), "{ran:?}");
    assert!(!ran.err.contains("changes nothing"), "{ran:?}");
    assert!(shown("true").0.contains("\"open\""));
    let (_, wrong) = shown("maybe");
    assert!(wrong.code == 2 && wrong.err.contains("HAFT_TOOLS_SHELL_ALLOW_NETWORK"), "{wrong:?}");
}

#[test]
fn a_table_of_free_keys_is_set_by_a_variable_too() {
    let haft = Haft::new();
    let explained = |rules: &str| {
        let mut command = haft.command(&["explain", "bash", "command=make x"]);
        command.env("HAFT_TOOLS_PERMISSIONS", rules);
        crate::support::finished(command)
    };
    assert_eq!(explained("{ bash = [{ pattern = \"make *\", action = \"allow\" }] }").code, 0);
    let wrong = explained("make");
    assert!(wrong.code == 2 && wrong.err.contains("environment variable HAFT_TOOLS_PERMISSIONS"), "{wrong:?}");
}

#[test]
fn shadowed_rules_are_named() {
    let haft = Haft::configured(&format!("{BASH_ALLOWED}{}", rule("bash", "rm *", "deny")));
    let ran = haft.run(&["config", "check"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("tools.permissions.bash[1]") && ran.out.contains("can never match"), "{ran:?}");
    let rule = |effect: &str, tool: &str| format!("[[tools.policy.rules]]\neffect = \"{effect}\"\ntool = \"{tool}\"\n");
    let dead = Haft::configured(&format!("{}{}", rule("allow", "*"), rule("deny", "bash"))).run(&["config", "check"]);
    assert!(dead.out.contains("`tools.policy.rules[1]` (deny bash) can never decide"), "{dead:?}");
}

#[test]
fn a_workspace_brings_no_rules() {
    let haft = Haft::new();
    for name in ["haft.toml", "config.toml", ".haft/config.toml", "haft/config.toml"] {
        haft.workspace.file(name, BASH_ALLOWED);
    }
    assert_eq!(haft.run(&["call", "bash", "command=touch made"]).code, 3);
}

#[test]
fn the_schema_describes_every_key() {
    let schema = Haft::new().run(&["config", "schema"]).json();
    let timeout = &schema["properties"]["tools"]["properties"]["shell"]["properties"]["timeout"];
    assert_eq!(timeout["type"], "integer");
    assert!(timeout["description"].is_string());
}

#[test]
fn a_tilde_is_the_home_in_the_folders_that_tools_may_touch() {
    let allow = "[[tools.permissions.read]]\npattern = \"**\"\naction = \"allow\"\n\
                 [[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n";
    let haft = Haft::configured(&format!(
        "{allow}[tools.file]\nallowed_paths = [\".\", \"~/notes\"]\n[tools.shell]\nallowed_paths = [\".\", \"~/notes\"]\n"
    ));
    haft.home.file("notes/a.txt", "from-the-home\n");
    haft.home.file("other.txt", "from-elsewhere\n");
    let read = |name: &str| haft.run(&["call", "read", &format!("path={}", haft.home.path(name).display())]);
    let inside = read("notes/a.txt");
    assert!(inside.out.contains("from-the-home"), "{inside:?}");
    let outside = read("other.txt");
    assert!(outside.code != 0 && !outside.out.contains("from-elsewhere"), "{outside:?}");
    let wrote = haft.run(&["call", "bash", &format!("command=echo x > '{}/new'", haft.home.path("notes").display())]);
    assert!(haft.home.path("notes/new").exists(), "{wrote:?}");

    // The key is named as it was typed.
    let haft = Haft::configured("[tools.file]\nallowed_paths = [\".\", \"~/missing\"]\n");
    let checked = haft.run(&["config", "check"]);
    assert!(checked.err.contains("`tools.file.allowed_paths[1]`"), "{checked:?}");
}

#[test]
fn folders_that_are_not_there_are_named_with_their_neighbour() {
    let haft = Haft::new();
    haft.workspace.file("source/a.txt", "a\n");
    haft.workspace.file("README.md", "x\n");
    let root = haft.workspace.root().display().to_string();
    let refused = |arguments: &[&str], expected: &str| {
        let ran = haft.run(arguments);
        assert!(ran.code == 2 && ran.err.contains(expected), "{arguments:?}: {ran:?}");
    };
    refused(&["--workdir", "sorce", "tools"], "`sorce` does not exist; did you mean `source`?");
    refused(&["--workdir", "./sorce", "tools"], "`./sorce` does not exist; did you mean `./source`?");
    refused(&["--workdir", "README.md", "tools"], "`README.md` is not a directory");
    refused(&["--workdir", "elsewhere", "tools"], "`elsewhere` does not exist\n");
    refused(&["exec", "--within", "sorce", "--", "true"], "did you mean `source`?");
    refused(&["demo", "sorce"], "did you mean `source`?");
    // A relative one is taken from where the command was started, and so are paths from it.
    assert!(haft.run(&["--workdir", "source", "call", "read", "path=a.txt"]).out.contains("1\ta"));

    let with = |section: &str| {
        let file = haft.home.file("folders.toml", section).display().to_string();
        haft.run(&["--config", &file, "config", "check"])
    };
    let fault = with("[tools.file]\nallowed_paths = [\"sorce\"]\n");
    let expected = format!(
        "line 2: `tools.file.allowed_paths[0]`: allowed root `{root}/sorce` cannot be opened; did you mean `{root}/source`?"
    );
    assert!(fault.code == 2 && fault.err.contains(&expected), "{fault:?}");
    let warned = |entry: &str, expected: &str| {
        let ran = with(&format!("[tools.shell]\n{entry}\n"));
        assert!(ran.code == 0 && ran.out.contains(expected), "{entry}: {ran:?}");
        assert_eq!(ran.out.contains("0 warnings"), expected == "0 warnings", "{entry}: {ran:?}");
    };
    let no_folder =
        format!("`{root}/sorce` is not a folder, and no command runs without it; did you mean `{root}/source`?");
    warned("allowed_paths = [\"sorce\"]", &no_folder);
    warned("caches = [\"source\"]", "`source` is relative and does not count");
    warned("caches = [\"~/no-such\"]", "`~/no-such` is not a folder and does not count");
    warned("read_paths = [\"sorce\"]", "did you mean");
    warned("allowed_paths = [\"source\"]\nread_paths = [\"source\"]", "0 warnings");
}
