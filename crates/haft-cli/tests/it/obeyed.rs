//! Files that programs outside of any sandbox obey: whatever a command does, what they run stays as
//! it was, or is told.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::client::Client;
use crate::support::{Haft, Ran};

const EVERYTHING: &str = "[tools.permissions]\nbash = [{ pattern = \"*\", action = \"allow\" }]\n\
                          write = [{ pattern = \"**\", action = \"allow\" }]\n";

/// A repository without hooks, with one below it.
fn workspace(config: &str) -> Haft {
    let haft = Haft::configured(config);
    for repository in [".git", "sub/.git"] {
        haft.workspace.file(format!("{repository}/HEAD"), "ref: refs/heads/main\n");
        haft.workspace.file(format!("{repository}/config"), "[core]\n");
        haft.workspace.file(format!("{repository}/objects/keep"), "");
        haft.workspace.file(format!("{repository}/refs/keep"), "");
    }
    haft
}

/// A file is written in a way that no analysis sees.
fn written(haft: &Haft, path: &str) -> Ran {
    haft.workspace.file(
        "w.py",
        "import os,sys\np=sys.argv[1]\nos.makedirs(os.path.dirname(p) or '.',exist_ok=True)\nopen(p,'a').write('x')\n",
    );
    haft.run(&["call", "bash", &format!("command=python3 w.py {path}"), "--json"])
}

/// The last line of the record that has a result.
fn recorded(haft: &Haft) -> Value {
    haft.recorded().pop().expect("a line")
}

#[test]
fn nothing_that_runs_outside_comes_to_be_unseen() {
    let Some(haft) = tools_testkit::namespaces().then(|| workspace(EVERYTHING)) else { return };
    for path in [
        ".git/config",
        ".git/hooks/post-checkout",
        "sub/.git/config",
        "sub/.git/hooks/pre-push",
        ".vscode/tasks.json",
        ".envrc",
        ".mcp.json",
        ".github/workflows/ci.yml",
        "CLAUDE.md",
        "QWEN.md",
        "WARP.md",
        ".rules",
        ".trae/rules/x.md",
        ".helix/languages.toml",
        ".theia/tasks.json",
        "x.sublime-project",
        ".hg/hgrc",
    ] {
        let before = haft.workspace.read(path);
        let ran = written(&haft, path);
        assert_eq!(haft.workspace.read(path), before, "{path}: {ran:?}");
        let is_held = ran.out.contains("Read-only file system");
        let is_told = ran.out.contains("put aside") && recorded(&haft)["obeyed"].is_array();
        assert!(is_held || is_told, "{path}: {ran:?} {}", recorded(&haft));
    }
    for gone in [".git/hooks", "sub/.git/hooks", ".vscode", ".envrc", ".github/workflows"] {
        assert!(!haft.workspace.path(gone).exists(), "{gone}");
    }
}

#[test]
fn a_rule_that_names_the_file_is_enough() {
    let named = EVERYTHING.replace("bash = [", "bash = [{ pattern = \"> .envrc\", action = \"allow\" }, ");
    let haft = workspace(&named);
    let ran = haft.run(&["call", "bash", "command=echo x > .envrc"]);
    assert_eq!((ran.code, haft.workspace.read(".envrc").as_deref()), (0, Some(b"x\n".as_slice())), "{ran:?}");
    let ran = haft.run(&["call", "bash", "command=echo y > .envrc"]);
    assert_eq!((ran.code, haft.workspace.read(".envrc").as_deref()), (0, Some(b"y\n".as_slice())), "{ran:?}");
    for line in ["echo x > .bashrc", "echo x | tee .mcp.json", "cp w.py .git/config"] {
        let ran = haft.run(&["call", "bash", &format!("command={line}")]);
        assert_eq!(ran.code, 3, "{line}: {ran:?}");
    }
    let ran = haft.run(&["call", "write", "path=.mcp.json", "content={}"]);
    assert_eq!((ran.code, haft.workspace.read(".mcp.json")), (3, None), "{ran:?}");
    let ran = haft.run(&["call", "write", "path=.mcp.json", "content={}", "--yes"]);
    assert_eq!((ran.code, haft.workspace.read(".mcp.json").as_deref()), (0, Some(b"{}".as_slice())), "{ran:?}");
}

#[test]
fn inputs_of_builds_are_named_in_the_result() {
    let haft = workspace(EVERYTHING);
    let ran = haft.run(&["call", "bash", "command=echo '{}' > package.json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("[changed what JavaScript tools will obey: `package.json`]"), "{ran:?}");
    assert_eq!(recorded(&haft)["obeyed"][0]["path"], json!("package.json"));
}

#[test]
fn a_client_is_told_which_obeyed_files_a_call_changed() {
    let haft = workspace(EVERYTHING);
    haft.workspace.file("w.py", "open('.envrc', 'w').write('x')\n");
    let mut client = Client::connect(&haft);
    let text = client.bash("python3 w.py");
    assert!(text.contains(".envrc.held") && text.contains("put aside"), "{text}");
    assert!(!haft.workspace.path(".envrc").exists());
    let text = client.bash("git init -q other && echo made");
    assert!(text.contains("other/.git"), "{text}");
    assert_eq!(recorded(&haft)["tool"], "bash", "{}", recorded(&haft));
    let text = client.bash("echo nothing");
    assert!(!text.contains("held") && !text.contains(".git"), "{text}");
}

#[test]
fn a_repository_that_a_call_makes_up_hides_nothing() {
    let haft = workspace(EVERYTHING);
    haft.workspace.file("src/main.rs", "fn main() {}\n");
    haft.workspace.file(
        "w.py",
        "import os,sys\nt=sys.argv[1]\nos.makedirs(t+'/.git')\nos.makedirs(t+'/.claude')\n\
         for p in ('CLAUDE.md','.mcp.json','.envrc','.claude/settings.json'): open(t+'/'+p,'w').write('x')\n",
    );
    let mut client = Client::connect(&haft);
    let files = ["CLAUDE.md", ".mcp.json", ".envrc", ".claude"];
    // Beside files that were there before, they are put aside.
    let text = client.bash("python3 w.py src");
    for file in files {
        assert!(!haft.workspace.path(format!("src/{file}")).exists(), "{file}: {text}");
        assert!(text.contains(&format!("`src/{file}` (now `{file}.held`)")), "{file}: {text}");
    }
    assert!(text.contains("src/.git"), "{text}");
    // In a folder that is new as a whole they stay, as in a clone, and are named.
    let text = client.bash("git init -q app && mkdir -p app/sub && echo made");
    assert!(text.contains("app/.git"), "{text}");
    let text = client.bash("python3 w.py app/sub");
    for file in files {
        assert!(text.contains(&format!("`app/sub/{file}` (now `{file}.held`)")), "{file}: {text}");
    }
    let text = client.bash("python3 w.py other");
    for file in files {
        assert!(text.contains(&format!("other/{file}")), "{file}: {text}");
        assert!(haft.workspace.path(format!("other/{file}")).exists(), "{file}: {text}");
    }
}

/// A repository whose configuration names a folder of hooks, a file of settings and a script.
fn configured() -> Haft {
    let haft = workspace(EVERYTHING);
    haft.workspace.file(
        ".git/config",
        "[core]\n\thooksPath = tools/githooks\n\tfsmonitor = tools/watch.sh\n[include]\n\tpath = ../shared.gitconfig\n",
    );
    haft.workspace.file("shared.gitconfig", "[user]\n");
    haft.workspace.file("tools/githooks/pre-commit", "#!/bin/sh\n");
    haft.workspace.file("tools/watch.sh", "#!/bin/sh\n");
    haft.workspace.file("tools/other.sh", "#!/bin/sh\n");
    haft
}

const CONFIGURED: [&str; 4] =
    ["shared.gitconfig", "tools/githooks/pre-commit", "tools/githooks/post-commit", "tools/watch.sh"];

#[test]
fn what_a_repository_s_configuration_names_is_held_from_commands() {
    let Some(haft) = tools_testkit::namespaces().then(configured) else { return };
    for path in CONFIGURED {
        let before = haft.workspace.read(path);
        let ran = written(&haft, path);
        assert!(ran.out.contains("Read-only file system"), "{path}: {ran:?}");
        assert_eq!(haft.workspace.read(path), before, "{path}: {ran:?}");
    }
    let ran = written(&haft, "tools/other.sh");
    assert_eq!(haft.workspace.read("tools/other.sh").as_deref(), Some(b"#!/bin/sh\nx".as_slice()), "{ran:?}");
    let mut client = Client::connect(&haft);
    let text = client.bash("python3 w.py tools/githooks/post-commit");
    assert!(text.contains("Read-only file system"), "{text}");
    assert_eq!(haft.workspace.read("tools/githooks/post-commit"), None);
}

#[test]
fn what_a_repository_s_configuration_names_is_told_where_nothing_holds_it() {
    let haft = configured();
    let open = Haft::configured(&format!("{EVERYTHING}[tools.shell]\nsandbox = \"off\"\n"));
    for path in [".git/config", "shared.gitconfig", "tools/githooks/pre-commit", "tools/watch.sh"] {
        open.workspace.file(path, haft.workspace.read(path).expect("a file"));
    }
    for (path, told) in [
        ("shared.gitconfig", "[changed what git will obey: `shared.gitconfig`]"),
        ("tools/githooks/pre-commit", "[changed what git will obey: `tools/githooks/pre-commit`]"),
        ("tools/githooks/post-commit", "`tools/githooks/post-commit` (now `post-commit.held`)"),
    ] {
        let ran = written(&open, path);
        assert!(ran.out.contains(told), "{path}: {ran:?}");
    }
    assert_eq!(open.workspace.read("tools/githooks/post-commit"), None);
}

/// A lease keeps everybody else from opening the file until its holder gives way, or for 45 s.
#[test]
fn a_configuration_that_somebody_keeps_for_himself_names_everything() {
    if !tools_testkit::installed(&["python3"]) {
        return;
    }
    let haft = configured();
    let lease = "import fcntl,os,signal,sys,time\nsignal.signal(signal.SIGIO, lambda *_: None)\n\
                 fcntl.fcntl(os.open('.git/config', os.O_RDONLY), 1024, fcntl.F_WRLCK)\nprint('taken', flush=True)\n\
                 time.sleep(20)\n";
    let mut keeper = std::process::Command::new("python3");
    keeper.args(["-c", lease]).current_dir(haft.workspace.root()).stdout(std::process::Stdio::piped());
    let mut keeper = keeper.spawn().expect("python3 starts");
    let mut taken = [0; 5];
    std::io::Read::read_exact(keeper.stdout.as_mut().expect("a pipe"), &mut taken).expect("a lease");
    let ran = haft.run(&["call", "write", "path=tools/githooks/pre-commit", "content=x", "--json"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    keeper.kill().expect("it runs");
    keeper.wait().expect("it is ours");
}

#[test]
fn no_command_keeps_a_file_for_itself() {
    if !tools_testkit::installed(&["python3"]) {
        return;
    }
    let haft = workspace(EVERYTHING);
    haft.workspace.file("l.py", "import fcntl\nfcntl.fcntl(open('.git/config'), 1024, fcntl.F_WRLCK)\n");
    let ran = haft.run(&["call", "bash", "command=python3 l.py"]);
    assert!(ran.out.contains("Operation not permitted"), "{ran:?}");
}

#[test]
fn what_a_repository_s_configuration_names_asks_in_every_tool() {
    let haft = configured();
    for path in CONFIGURED {
        let ran = haft.run(&["call", "write", &format!("path={path}"), "content=x"]);
        assert_eq!(ran.code, 3, "{path}: {ran:?}");
        let ran = haft.run(&["call", "bash", &format!("command=echo x > {path}")]);
        assert_eq!(ran.code, 3, "{path}: {ran:?}");
    }
    let ran = haft.run(&["call", "write", "path=tools/other.sh", "content=x"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // Over MCP a client that cannot ask is refused.
    let mut client = Client::connect(&haft);
    let ran = client.call("write", &json!({"path": "shared.gitconfig", "content": "[core]\nfsmonitor = x\n"}));
    assert!(ran.to_string().contains("`write` needs approval"), "{ran}");
    assert_eq!(haft.workspace.read("shared.gitconfig").as_deref(), Some(b"[user]\n".as_slice()));
    let ran = haft.run(&["call", "write", "path=shared.gitconfig", "content=y", "--yes"]);
    assert_eq!((ran.code, haft.workspace.read("shared.gitconfig").as_deref()), (0, Some(b"y".as_slice())), "{ran:?}");
}

#[test]
fn commands_in_a_plan_that_is_left_behind_are_named() {
    let haft = workspace(EVERYTHING);
    let plan = ".git/rebase-merge/git-rebase-todo";
    haft.workspace.file(
        "w.py",
        format!(
            "import os,sys\nos.makedirs('.git/rebase-merge',exist_ok=True)\nopen('{plan}','w').write(sys.argv[1])\n"
        ),
    );
    let mut client = Client::connect(&haft);
    let text = client.bash("python3 w.py 'pick 1234567 x'; echo done");
    assert!(text.contains("done") && !text.contains("rebase"), "{text}");
    let text = client.bash("python3 w.py 'exec id'");
    assert!(text.contains(&format!("[changed what git will obey: `{plan}`]")), "{text}");
    let ran = haft.run(&["call", "write", &format!("path={plan}"), "content=exec id"]);
    assert_eq!(ran.code, 3, "{ran:?}");
}

#[test]
fn instructions_at_the_top_of_what_is_built_are_named() {
    let haft = workspace(EVERYTHING);
    for path in ["target/CLAUDE.md", "node_modules/.mcp.json"] {
        let ran = written(&haft, path);
        assert!(ran.out.contains(&format!("[changed what coding agents will obey: `{path}`]")), "{ran:?}");
        assert!(haft.workspace.path(path).exists(), "{path}");
    }
}

#[test]
fn a_folder_that_a_line_names_opens_nothing_in_it() {
    let Some(haft) = tools_testkit::namespaces().then(|| workspace(EVERYTHING)) else { return };
    haft.workspace.file("src/CLAUDE.md", "as it was");
    haft.workspace.file("w.py", "import sys\nopen(sys.argv[1],'a').write('x')\n");
    for (line, path) in [
        ("touch .; python3 w.py .git/config", ".git/config"),
        ("mkdir -p .; python3 w.py src/CLAUDE.md", "src/CLAUDE.md"),
        ("mkdir -p src; python3 w.py src/CLAUDE.md", "src/CLAUDE.md"),
    ] {
        let before = haft.workspace.read(path);
        let ran = haft.run(&["call", "bash", &format!("command={line}"), "--json"]);
        assert!(ran.out.contains("Read-only file system"), "{line}: {ran:?}");
        assert_eq!(haft.workspace.read(path), before, "{line}");
    }
    let ran = haft.run(&["call", "bash", "command=touch .; python3 w.py .envrc", "--json"]);
    assert!(ran.out.contains("put aside") && !haft.workspace.path(".envrc").exists(), "{ran:?}");
}

/// A repository with links whose names programs obey, and with others.
fn linked() -> Haft {
    let haft = workspace(EVERYTHING);
    for file in ["scripts/h.sh", "envs/dev", "cfg/vs/tasks.json", "ci/a.yml", "c/config.toml", "c/x", "v2/x", "d/x"] {
        haft.workspace.file(file, "as it was\n");
    }
    for (link, target) in [
        (".git/hooks/pre-commit", "../../scripts/h.sh"),
        (".envrc", "envs/dev"),
        (".vscode", "cfg/vs"),
        (".github/workflows", "../ci"),
        (".cargo", "c"),
        (".idea", "."),
        ("latest", "v2"),
        ("deep/er/CLAUDE.md", "../../d/x"),
        ("node_modules/.bin/x", "../../v2/x"),
    ] {
        let link = haft.workspace.path(link);
        std::fs::create_dir_all(link.parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(target, link).expect("a link");
    }
    haft
}

/// What is obeyed because of links, and what is not.
const LINKED: [&str; 6] =
    ["scripts/h.sh", "envs/dev", "cfg/vs/tasks.json", "cfg/vs/new.json", "ci/b.yml", "c/config.toml"];
const BESIDE: [&str; 5] = ["c/x", "v2/x", "latest/x", "node_modules/.bin/x", "scripts/other.sh"];

#[test]
fn what_links_with_obeyed_names_lead_to_is_held_from_commands() {
    let Some(haft) = tools_testkit::namespaces().then(linked) else { return };
    let mut client = Client::connect(&haft);
    for path in LINKED.into_iter().chain(["d/x"]) {
        let before = haft.workspace.read(path);
        let ran = written(&haft, path);
        assert!(ran.out.contains("Read-only file system"), "{path}: {ran:?}");
        let text = client.bash(&format!("python3 w.py {path}"));
        assert!(text.contains("Read-only file system"), "{path}: {text}");
        assert_eq!(haft.workspace.read(path), before, "{path}");
    }
    for path in BESIDE {
        let ran = written(&haft, path);
        assert!(ran.out.contains("\"exit_code\":0") && !ran.out.contains("obeyed"), "{path}: {ran:?}");
    }
}

#[test]
fn what_links_with_obeyed_names_lead_to_asks_in_every_tool() {
    let haft = linked();
    let mut client = Client::connect(&haft);
    for path in LINKED.into_iter().chain([".envrc", ".vscode/tasks.json", "deep/er/CLAUDE.md"]) {
        let before = haft.workspace.read(path);
        let ran = haft.run(&["call", "write", &format!("path={path}"), "content=x"]);
        assert_eq!(ran.code, 3, "{path}: {ran:?}");
        let ran = haft.run(&["call", "bash", &format!("command=echo x > {path}")]);
        assert_eq!(ran.code, 3, "{path}: {ran:?}");
        // Over MCP a client that cannot ask is refused.
        let ran = client.call("write", &json!({"path": path, "content": "x"}));
        assert!(ran.to_string().contains("`write` needs approval"), "{path}: {ran}");
        assert_eq!(haft.workspace.read(path), before, "{path}");
    }
    for path in BESIDE {
        let ran = haft.run(&["call", "write", &format!("path={path}"), "content=x"]);
        assert_eq!(ran.code, 0, "{path}: {ran:?}");
        let ran = haft.run(&["call", "bash", &format!("command=echo x > {path}")]);
        assert_eq!(ran.code, 0, "{path}: {ran:?}");
    }
    let ran = haft.run(&["call", "write", "path=envs/dev", "content=y", "--yes"]);
    assert_eq!((ran.code, haft.workspace.read(".envrc").as_deref()), (0, Some(b"y".as_slice())), "{ran:?}");
}

#[test]
fn a_new_link_that_brings_obeyed_files_is_put_aside() {
    let haft = workspace(EVERYTHING);
    haft.workspace.file(
        "w.py",
        "import os,sys\nt=sys.argv[2]\nos.makedirs('t/'+os.path.dirname(t),exist_ok=True)\nopen('t/'+t,'w').write('x')\n\
         os.symlink('t',sys.argv[1])\n",
    );
    for (link, file) in [(".cargo", "config.toml"), (".github", "workflows/a.yml")] {
        let ran = haft.run(&["call", "bash", &format!("command=python3 w.py {link} {file}")]);
        assert!(ran.out.contains(&format!("`{link}` (now `{link}.held`)")), "{link}: {ran:?}");
        assert!(!haft.workspace.path(link).exists(), "{link}");
    }
    let ran = haft.run(&["call", "bash", "command=python3 w.py latest x"]);
    assert!(haft.workspace.path("latest/x").exists() && !ran.out.contains("aside"), "{ran:?}");
}

#[test]
fn what_leads_a_work_tree_to_its_repository_asks_and_is_held() {
    let haft = workspace(EVERYTHING);
    let path = ".git/worktrees/w/commondir";
    haft.workspace.file(path, "../..\n");
    for file in ["HEAD", "gitdir"] {
        haft.workspace.file(format!(".git/worktrees/w/{file}"), "x\n");
    }
    let ran = haft.run(&["call", "write", &format!("path={path}"), "content=../../../evil"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    let ran = haft.run(&["call", "bash", &format!("command=echo ../../../evil > {path}")]);
    assert_eq!(ran.code, 3, "{ran:?}");
    if tools_testkit::namespaces() {
        let ran = written(&haft, path);
        assert!(ran.out.contains("Read-only file system"), "{ran:?}");
    }
    assert_eq!(haft.workspace.read(path).as_deref(), Some(b"../..\n".as_slice()));
}

#[test]
fn what_a_check_makes_other_programs_obey_is_put_aside_and_named() {
    let haft = Haft::configured("[tools.permissions]\ndiagnostics = [{ pattern = \"*\", action = \"allow\" }]\n");
    haft.workspace.file("pyproject.toml", "");
    haft.workspace.file("a.py", "");
    // A linter of the project's own.
    let linter = haft.workspace.file(".venv/bin/ruff", "#!/bin/sh\necho x > .envrc\necho '[]'\n");
    std::fs::set_permissions(linter, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let ran = haft.run(&["call", "diagnostics"]);
    assert!(format!("{}{}", ran.out, ran.err).contains("`.envrc` (now `.envrc.held`)"), "{ran:?}");
    let mut client = Client::connect(&haft);
    let answer = client.call("diagnostics", &json!({}));
    assert!(answer.to_string().contains("`.envrc` (now `.envrc.held-2`)"), "{answer}");
    assert!(!haft.workspace.path(".envrc").exists());
}
