//! Files that programs outside obey: what a command cannot change, what it may, and what is told of
//! it.

use std::fs;

use serde_json::{Value, json};
use tools_sandbox::kernel::Probe;
use tools_shell::{SandboxChoice, ShellConfig};

use crate::support::{Came, Shell};

fn has_namespaces() -> bool {
    let has = Probe::cached().namespaces.is_ok();
    if !has {
        eprintln!("SKIPPED: no namespaces");
    }
    has
}

/// A shell whose workspace is a repository with one commit.
async fn repository(config: &ShellConfig) -> Shell {
    let shell = Shell::with(config);
    let made = shell
        .run(
            "git init -q -b main . && git config user.name n && git config user.email e@x && echo 1 > a \
             && echo outside > .envrc && git add -A && git commit -qm one",
        )
        .await;
    assert_eq!(made.field("exit_code"), json!(0), "{}", made.field("stderr"));
    shell
}

/// Path, change and new name of each.
fn told(came: &Came) -> Vec<(String, String, Option<String>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let reports = came.field("obeyed");
    let one =
        |report: &Value| (text(&report["path"]), text(&report["change"]), report["now"].as_str().map(str::to_owned));
    reports.as_array().map(|all| all.iter().map(one).collect()).unwrap_or_default()
}

fn one(path: &str, change: &str, now: Option<&str>) -> (String, String, Option<String>) {
    (path.to_owned(), change.to_owned(), now.map(str::to_owned))
}

/// A line that writes a file in a way that no analysis sees.
fn writing(path: &str) -> String {
    format!(
        "python3 -c 'import os; os.makedirs(os.path.dirname(\"{path}\") or \".\", exist_ok=True); open(\"{path}\", \"a\").write(\"x\")'"
    )
}

#[tokio::test]
async fn what_is_there_cannot_be_changed() {
    if !has_namespaces() {
        return;
    }
    let shell = repository(&ShellConfig::default()).await;
    for path in [".git/config", ".git/hooks/post-checkout", ".envrc"] {
        let before = fs::read(shell.work.join(path)).ok();
        let came = shell.run(&writing(path)).await;
        assert_ne!(came.field("exit_code"), json!(0), "{path}");
        assert_eq!(told(&came), [], "{path}");
        assert_eq!(fs::read(shell.work.join(path)).ok(), before, "{path}");
    }
}

#[tokio::test]
async fn what_comes_to_be_without_agreement_is_put_aside_and_told() {
    let levels = [SandboxChoice::BestEffort, SandboxChoice::Landlock, SandboxChoice::Off];
    for sandbox in levels {
        let shell = Shell::with(&ShellConfig { sandbox, ..ShellConfig::default() });
        fs::create_dir(shell.work.join(".git")).unwrap();
        fs::write(shell.work.join(".git/config"), "").unwrap();
        for (path, reported) in [
            (".vscode/tasks.json", ".vscode"),
            (".mcp.json", ".mcp.json"),
            ("sub/.envrc", "sub/.envrc"),
            (".github/workflows/ci.yml", ".github/workflows"),
            (".git/hooks/post-checkout", ".git/hooks"),
        ] {
            let came = shell.run(&writing(path)).await;
            assert!(!shell.work.join(path).exists(), "{sandbox:?} {path}");
            if came.field("exit_code") == json!(0) {
                let now = format!("{reported}.held");
                assert_eq!(told(&came), [one(reported, "put_aside", Some(&now))], "{sandbox:?} {path}");
                assert!(shell.work.join(now).exists());
                assert!(came.output.as_ref().unwrap().to_text().contains("put aside"), "{sandbox:?} {path}");
            }
        }
        assert!(!shell.work.join(".git/hooks").exists());
    }
}

#[tokio::test]
async fn what_a_line_names_was_agreed_to() {
    let shell = repository(&ShellConfig::default()).await;
    let came = shell.run("echo x > .envrc; mkdir -p .vscode; echo '{}' > .vscode/tasks.json").await;
    assert_eq!(came.field("exit_code"), json!(0), "{}", came.field("stderr"));
    assert_eq!(told(&came), [one(".envrc", "changed", None), one(".vscode/tasks.json", "created", None)]);
    assert_eq!(fs::read_to_string(shell.work.join(".envrc")).unwrap(), "x\n");
    assert!(shell.work.join(".vscode/tasks.json").exists());
}

#[tokio::test]
async fn inputs_of_builds_are_written_and_told() {
    let shell = Shell::new();
    let came = shell.run("echo '{}' > package.json; echo 'all:' > Makefile; echo x > src.rs").await;
    assert_eq!(told(&came), [one("Makefile", "created", None), one("package.json", "created", None)]);
    assert_eq!(
        came.output.unwrap().to_text(),
        "[changed what builds and JavaScript tools will obey: `Makefile`, `package.json`]"
    );
}

#[tokio::test]
async fn everyday_git_works() {
    let shell = repository(&ShellConfig::default()).await;
    for line in [
        "git checkout -q -b other && echo 2 > a && git commit -qam two && git checkout -q main",
        "echo 3 > b && git add b && git stash -q && git stash pop -q && git commit -qm three",
        "git merge -q other -m merged",
        "git rebase -q other",
        "git branch x && git branch -m x y && git branch -d y && git tag t && git log --oneline | head -1",
        "git clone -q . ../work/copy && git -C copy checkout -q -b follows origin/other",
        "git -C copy branch -q --set-upstream-to origin/main follows && git -C copy fetch -q && git -C copy push -q -u . follows:z",
        "git worktree add -q wt -b w && git -C wt status --short",
        "git init -q new && git -C new config user.name z",
        "git worktree remove --force wt",
        "git gc -q",
        "git submodule status",
    ] {
        let came = shell.run(line).await;
        assert_eq!(came.field("exit_code"), json!(0), "{line}: {}{}", came.field("stdout"), came.field("stderr"));
    }
}

#[tokio::test]
async fn what_leads_a_work_tree_to_its_repository_is_held_and_git_keeps_it() {
    if !has_namespaces() {
        return;
    }
    let shell = repository(&ShellConfig::default()).await;
    let made = shell.run("git worktree add -q wt -b wt && git -C wt status --short").await;
    let brought = [one("wt/.envrc", "created", None), one("wt/.git", "created", None)];
    assert_eq!((made.field("exit_code"), told(&made)), (json!(0), brought.to_vec()), "{}", made.field("stderr"));
    let home = shell.work.join(".git/worktrees/wt/commondir");
    let came = shell.run(&writing(".git/worktrees/wt/commondir")).await;
    assert!(came.field("stderr").to_string().contains("Read-only file system"), "{}", came.field("stderr"));
    assert_eq!(fs::read_to_string(&home).unwrap().trim(), "../..");
    // One that leads elsewhere is put aside, and with it the way there.
    let copied = "python3 -c 'import shutil; shutil.copytree(\".git/worktrees/wt\", \".git/worktrees/w2\"); \
                  open(\".git/worktrees/w2/commondir\", \"w\").write(\"../../../evil\")'";
    let came = shell.run(copied).await;
    let aside = one(".git/worktrees/w2/commondir", "put_aside", Some(".git/worktrees/w2/commondir.held"));
    assert_eq!(told(&came), [aside]);
    fs::remove_dir_all(shell.work.join(".git/worktrees/w2")).unwrap();
    let removed = shell.run("git worktree remove wt && git worktree list").await;
    assert_eq!(removed.field("exit_code"), json!(0), "{}", removed.field("stderr"));
    assert!(!home.exists() && told(&removed).iter().all(|(path, ..)| !path.contains("commondir")));
}

#[tokio::test]
async fn a_branch_brings_such_files_when_git_is_alone() {
    let shell = repository(&ShellConfig::default()).await;
    let setup = "git checkout -q -b ci && git mv .envrc x";
    assert_eq!(shell.run(setup).await.field("exit_code"), json!(0));
    let commit = "mkdir -p .github/workflows; echo y > .github/workflows/ci.yml; git add -A; git commit -qm ci";
    assert_eq!(shell.run(commit).await.field("exit_code"), json!(0));
    let came = shell.run("git checkout -q main").await;
    assert_eq!(came.field("exit_code"), json!(0), "{}", came.field("stderr"));
    assert_eq!(told(&came), [one(".envrc", "created", None), one(".github/workflows/ci.yml", "deleted", None)]);
}

#[tokio::test]
async fn a_patch_brings_no_such_files() {
    let shell = repository(&ShellConfig::default()).await;
    let patch = "--- /dev/null\n+++ b/.github/workflows/ci.yml\n@@ -0,0 +1 @@\n+on: push\n";
    fs::write(shell.work.join("x.patch"), patch).unwrap();
    shell.run("git apply x.patch").await;
    assert!(!shell.work.join(".github/workflows/ci.yml").exists(), "it is held, or put aside");
    let plain = patch.replace(".github/workflows/ci.yml", "plain.yml");
    fs::write(shell.work.join("x.patch"), plain).unwrap();
    let came = shell.run("git apply x.patch").await;
    assert_eq!(came.field("exit_code"), json!(0), "{}", came.field("stderr"));
    assert!(shell.work.join("plain.yml").exists());
}

#[tokio::test]
async fn a_new_repository_is_told_with_what_programs_obey_in_it() {
    let shell = repository(&ShellConfig::default()).await;
    let add = "mkdir -p .vscode; echo 1 > .vscode/a; echo 2 > .vscode/b; echo '{}' > package.json";
    assert_eq!(shell.run(add).await.field("exit_code"), json!(0));
    assert_eq!(shell.run("git add -A && git commit -qm two").await.field("exit_code"), json!(0));
    let expected = ["copy/.envrc", "copy/.git", "copy/.vscode"].map(|path| one(path, "created", None));
    assert_eq!(told(&shell.run("git clone -q . copy").await), expected);
    assert!(shell.work.join("copy/.vscode/a").exists() && shell.work.join("copy/package.json").exists());
}

#[tokio::test]
async fn what_a_call_has_git_obey_stays_where_it_was() {
    let shell = repository(&ShellConfig { sandbox: SandboxChoice::Off, ..ShellConfig::default() }).await;
    fs::create_dir_all(shell.work.join("tools/githooks")).unwrap();
    fs::write(shell.work.join("tools/githooks/pre-commit"), "").unwrap();
    let was = fs::read_to_string(shell.work.join(".git/config")).unwrap();
    fs::write(shell.work.join("other"), format!("{was}[core]\n\thooksPath = tools/githooks\n")).unwrap();
    let copy = "python3 -c 'import shutil; shutil.copy(\"other\", \".git/config\")'";
    let expected = [(".git/config", "changed"), ("tools/githooks/pre-commit", "created")];
    assert_eq!(told(&shell.run(copy).await), expected.map(|(path, change)| one(path, change, None)));
    assert!(shell.work.join("tools/githooks/pre-commit").exists());
    fs::write(shell.work.join("other"), was).unwrap();
    assert_eq!(told(&shell.run(copy).await), [one(".git/config", "changed", None)], "what is not named is not gone");
}

#[tokio::test]
async fn a_plan_that_git_would_go_on_with_is_told_where_it_holds_commands() {
    let shell = repository(&ShellConfig::default()).await;
    let came = shell.run("git checkout -q -b other; echo 2 > a; git commit -qam two").await;
    assert_eq!(came.field("exit_code"), json!(0), "{}", came.field("stderr"));
    let came = shell.run("git checkout -q main; echo 3 > a; git commit -qam three; git checkout -q other").await;
    assert_eq!(came.field("exit_code"), json!(0), "{}", came.field("stderr"));
    let plan = ".git/rebase-merge/git-rebase-todo";
    for (line, is_told) in [("git rebase main", false), ("git rebase --exec 'echo x' main", true)] {
        let came = shell.run(line).await;
        assert!(shell.work.join(".git/rebase-merge").exists(), "it stops at a conflict: {}", came.field("stderr"));
        let expected = is_told.then(|| one(plan, "created", None));
        assert_eq!(told(&came), Vec::from_iter(expected), "{line}");
        let came = shell.run("git rebase --abort").await;
        assert_eq!((came.field("exit_code"), told(&came)), (json!(0), vec![]), "{}", came.field("stderr"));
    }
    let came = shell.run(&writing(plan).replace("\"x\"", "\"exec id\"")).await;
    assert_eq!(told(&came), [one(plan, "created", None)]);
    let came = shell.run("rm -r .git/rebase-merge; mkdir .git/other; ln -s other .git/rebase-merge").await;
    assert_eq!(told(&came), [one(".git/rebase-merge", "created", None)]);
}

#[tokio::test]
async fn at_the_top_of_what_is_built_such_files_are_told() {
    let shell = Shell::new();
    for path in ["target/CLAUDE.md", "target/.claude/settings.json", "node_modules/AGENTS.md", "objects/.mcp.json"] {
        let came = shell.run(&writing(path)).await;
        let expected = match path {
            "objects/.mcp.json" => one(path, "put_aside", Some("objects/.mcp.json.held")),
            path => one(path, "created", None),
        };
        assert_eq!(told(&came), [expected], "{path}");
    }
    for path in ["target/debug/CLAUDE.md", "node_modules/x/package.json", "node_modules/package.json"] {
        assert_eq!(told(&shell.run(&writing(path)).await), [], "{path}");
    }
}

#[tokio::test]
async fn a_branch_brings_what_the_configuration_names() {
    let shell = repository(&ShellConfig::default()).await;
    let config = "\n[include]\n\tpath = ../shared.cfg\n[core]\n\thooksPath = tools/githooks\n";
    let file = shell.work.join(".git/config");
    fs::write(&file, fs::read_to_string(&file).unwrap() + config).unwrap();
    let commit = "git checkout -q -b other; mkdir -p tools/githooks; touch shared.cfg tools/githooks/x; git add -A; \
                  git commit -qm two; echo '# y' >> shared.cfg; git commit -qam three";
    let came = shell.run(commit).await;
    assert_eq!(came.field("exit_code"), json!(0), "{}", came.field("stderr"));
    for line in ["git checkout -q HEAD~1", "git checkout -q main", "git checkout -q other"] {
        let came = shell.run(line).await;
        assert_eq!(came.field("exit_code"), json!(0), "{line}: {}", came.field("stderr"));
        assert!(told(&came).iter().any(|(path, ..)| path == "shared.cfg"), "{line}: {:?}", told(&came));
    }
    assert!(shell.work.join("tools/githooks/x").exists());
}

#[tokio::test]
async fn a_repository_frees_only_a_folder_that_is_new_with_it() {
    let shell = Shell::new();
    fs::create_dir_all(shell.work.join("src")).unwrap();
    fs::create_dir_all(shell.work.join("lib")).unwrap();
    fs::create_dir(shell.work.join("empty")).unwrap();
    let python = |made: &str, into: &str| {
        format!(
            "python3 -c 'import os; [os.makedirs(\"{into}/\" + name, exist_ok=True) for name in \"{made}\".split()]; \
             [open(\"{into}/\" + name, \"w\").write(\"x\") for name in (\"HEAD\", \"CLAUDE.md\", \".mcp.json\")]'"
        )
    };
    for (made, into, repository) in [(".git", "src", "src/.git"), ("objects refs", "lib", "lib")] {
        let came = shell.run(&python(made, into)).await;
        assert_eq!(came.field("exit_code"), json!(0), "{}", came.field("stderr"));
        let mut expected: Vec<_> = [".mcp.json", "CLAUDE.md"]
            .map(|name| format!("{into}/{name}"))
            .iter()
            .map(|path| one(path, "put_aside", Some(&format!("{path}.held"))))
            .chain([one(repository, "created", None)])
            .collect();
        expected.sort();
        assert_eq!(told(&came), expected);
        for name in ["CLAUDE.md", ".mcp.json"] {
            assert!(!shell.work.join(into).join(name).exists(), "{into}/{name}");
        }
    }
    let came = shell.run(&python(".git", "new")).await;
    assert_eq!(told(&came), ["new/.git", "new/.mcp.json", "new/CLAUDE.md"].map(|path| one(path, "created", None)));
    let came = shell.run(&writing("new/.envrc")).await;
    let expected = one("new/.envrc", "put_aside", Some("new/.envrc.held"));
    assert_eq!(told(&came), [expected], "the folder was there when this call began");
    let came = shell
        .run(&format!("python3 -c 'import os; os.rename(\"empty\", \"named\")'; {}", python(".git", "named")))
        .await;
    let expected = ["named/.mcp.json", "named/CLAUDE.md"]
        .map(|path| one(path, "put_aside", Some(&format!("{path}.held"))))
        .into_iter()
        .chain([one("named/.git", "created", None)]);
    assert_eq!(told(&came).len(), 3, "{:?}", told(&came));
    assert!(expected.into_iter().all(|one| told(&came).contains(&one)), "{:?}", told(&came));
}

#[tokio::test]
async fn calls_beside_each_other_do_not_see_each_other_s_doing_as_their_own() {
    let shell = repository(&ShellConfig::default()).await;
    let lines: Vec<String> = (0..8)
        .map(|number| format!("mkdir -p d{number}; echo x > d{number}/.mcp.json; {}", writing(&format!("f{number}"))))
        .collect();
    let calls = futures_of(lines.iter().map(|line| shell.run(line))).await;
    for (number, came) in calls.iter().enumerate() {
        assert_eq!(came.field("exit_code"), json!(0));
        assert!(shell.work.join(format!("d{number}/.mcp.json")).exists(), "{number}: {:?}", told(came));
    }
}

/// Runs all of them at the same time.
async fn futures_of<T>(calls: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut calls: Vec<_> = calls.map(|call| (Box::pin(call), None)).collect();
    std::future::poll_fn(|context| {
        for (call, came) in calls.iter_mut().filter(|(_, came)| came.is_none()) {
            if let std::task::Poll::Ready(done) = call.as_mut().poll(context) {
                *came = Some(done);
            }
        }
        if calls.iter().all(|(_, came)| came.is_some()) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    calls.into_iter().filter_map(|(_, came)| came).collect()
}

/// A shell whose workspace has links with names that programs obey.
async fn linked(config: &ShellConfig) -> Shell {
    let shell = repository(config).await;
    let made = shell
        .run(
            "mkdir -p scripts cfg/vs envs c .git/hooks && echo a > envs/dev && rm .envrc && ln -s envs/dev .envrc \
             && echo '#!/bin/sh' > scripts/h.sh && ln -s ../../scripts/h.sh .git/hooks/pre-commit \
             && echo '{}' > cfg/vs/tasks.json && ln -s cfg/vs .vscode && touch c/config.toml c/x && ln -s c .cargo \
             && touch mk && ln -s mk Makefile && ln -s envs latest",
        )
        .await;
    // Links with such names are put aside where no line names them.
    for (link, target) in [(".envrc", "envs/dev"), (".vscode", "cfg/vs"), (".cargo", "c"), ("Makefile", "mk")] {
        let link = shell.work.join(link);
        if link.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(target, link).unwrap();
        }
    }
    let hook = shell.work.join(".git/hooks/pre-commit");
    if hook.symlink_metadata().is_err() {
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("../../scripts/h.sh", hook).unwrap();
    }
    assert!(shell.work.join(".cargo/config.toml").exists(), "{}", made.field("stderr"));
    shell
}

#[tokio::test]
async fn what_an_obeyed_name_links_to_is_held() {
    if !has_namespaces() {
        return;
    }
    let shell = linked(&ShellConfig::default()).await;
    for path in ["envs/dev", "scripts/h.sh", "cfg/vs/tasks.json", "cfg/vs/new.json", "c/config.toml"] {
        let before = fs::read(shell.work.join(path)).ok();
        let came = shell.run(&writing(path)).await;
        assert!(came.field("stderr").to_string().contains("Read-only file system"), "{path}: {}", came.field("stderr"));
        assert_eq!((told(&came), fs::read(shell.work.join(path)).ok()), (vec![], before), "{path}");
    }
    for path in ["envs/prod", "c/x", "scripts/other.sh", "latest/test"] {
        let came = shell.run(&writing(path)).await;
        assert_eq!((came.field("exit_code"), told(&came)), (json!(0), vec![]), "{path}: {}", came.field("stderr"));
    }
    let came = shell.run(&writing("mk")).await;
    assert_eq!(told(&came), [one("mk", "changed", None)]);
    // A line that names the link was judged.
    let came = shell.run("echo b > .envrc").await;
    assert_eq!(fs::read_to_string(shell.work.join("envs/dev")).unwrap(), "b\n", "{}", came.field("stderr"));
    // A folder above may be moved, and is told.
    let moving = "python3 -c 'import os; os.rename(\"envs\", \"old\"); os.mkdir(\"envs\"); open(\"envs/dev\", \"w\").write(\"x\")'";
    let came = shell.run(moving).await;
    assert_eq!(told(&came), [one("envs/dev", "changed", None)]);
}

#[tokio::test]
async fn what_an_obeyed_name_links_to_is_told_where_nothing_holds_it() {
    let shell = linked(&ShellConfig { sandbox: SandboxChoice::Off, ..ShellConfig::default() }).await;
    for (path, expected) in [
        ("envs/dev", one("envs/dev", "changed", None)),
        ("scripts/h.sh", one("scripts/h.sh", "changed", None)),
        ("cfg/vs/new.json", one("cfg/vs/new.json", "put_aside", Some("cfg/vs/new.json.held"))),
        ("c/config.toml", one("c/config.toml", "changed", None)),
        ("mk", one("mk", "changed", None)),
    ] {
        assert_eq!(told(&shell.run(&writing(path)).await), [expected], "{path}");
    }
}

#[tokio::test]
async fn a_link_that_brings_guarded_files_is_put_aside_and_one_that_was_there_is_put_back() {
    for sandbox in [SandboxChoice::BestEffort, SandboxChoice::Off] {
        let shell = linked(&ShellConfig { sandbox, ..ShellConfig::default() }).await;
        let python = |code: &str| format!("python3 -c 'import os; {code}'");
        let making =
            python("os.makedirs(\"t/workflows\"); open(\"t/workflows/a.yml\", \"w\"); os.symlink(\"t\", \".github\")");
        let came = shell.run(&making).await;
        assert_eq!(told(&came)[0], one(".github", "put_aside", Some(".github.held")), "{sandbox:?}");
        assert!(!shell.work.join(".github").is_symlink() && shell.work.join(".github.held").is_symlink());
        let relinking = python("os.unlink(\".envrc\"); os.symlink(\"a\", \".envrc\")");
        let came = shell.run(&relinking).await;
        assert!(
            told(&came).contains(&one(".envrc", "put_aside", Some(".envrc.held"))),
            "{sandbox:?} {:?}",
            told(&came)
        );
        assert_eq!(fs::read_link(shell.work.join(".envrc")).unwrap(), std::path::Path::new("envs/dev"));
        let replacing = python("os.unlink(\".vscode\"); os.mkdir(\".vscode\"); open(\".vscode/tasks.json\", \"w\")");
        let came = shell.run(&replacing).await;
        assert!(
            told(&came).contains(&one(".vscode", "put_aside", Some(".vscode.held"))),
            "{sandbox:?} {:?}",
            told(&came)
        );
        assert_eq!(fs::read_link(shell.work.join(".vscode")).unwrap(), std::path::Path::new("cfg/vs"));
        let came = shell.run(&python("os.unlink(\".cargo\")")).await;
        assert_eq!(told(&came), [one(".cargo", "deleted", None)], "{sandbox:?}");
        // Ordinary links are not reported, and a line that names a link was agreed to.
        let links = python(
            "os.makedirs(\"node_modules/.bin\"); os.symlink(\"../x\", \"node_modules/.bin/x\"); os.symlink(\"b\", \"newest\")",
        );
        assert_eq!(told(&shell.run(&links).await), [], "{sandbox:?}");
        let came = shell.run("mv newest .envrc").await;
        assert!(told(&came).contains(&one(".envrc", "changed", None)), "{sandbox:?} {:?}", told(&came));
    }
}
