//! Scripted checkers: time, amount of output, signals, and several checkers in one project. The
//! script stands where a project keeps its own `tsc`.

use std::time::Duration;

use serde_json::json;
use tools_core::ToolErrorCategory;
use tools_diagnostics::DiagnosticsConfig;

use crate::world::{World, report};

const TSC: &str = "node_modules/.bin/tsc";

fn world(script: &str) -> World {
    let world = World::new();
    world.files.file("tsconfig.json", "{}");
    world.files.file("a.ts", "");
    world.script(TSC, script);
    world
}

#[tokio::test]
async fn the_program_of_the_project_runs_without_credentials() {
    let world = world("echo \"a.ts(1,2): error TS1: ${MY_TOKEN:-none} $NO_COLOR $#\"\nexit 2\n");
    let report = report(&world.call(json!({"path": "a.ts"})).await.unwrap());
    assert_eq!(report.diagnostics[0].message, "none 1 6");
    assert_eq!((report.diagnostics[0].file.as_deref(), report.tool.as_str()), (Some("a.ts"), "tsc"));
}

#[tokio::test]
async fn a_checker_that_takes_too_long_is_stopped_and_what_it_found_is_kept() {
    let world = world("echo 'a.ts(1,2): error TS1: m'\necho Blocking >&2\nexec sleep 600\n")
        .configured(DiagnosticsConfig { timeout: 1, ..DiagnosticsConfig::default() });
    let error = world.call(json!({})).await.unwrap_err();
    assert_eq!((error.category(), error.code()), (ToolErrorCategory::Timeout, "check_timeout"));
    assert!(error.message().ends_with(" s, while it said `Blocking`"), "{error}");
    let report = report(error.output().unwrap());
    assert_eq!((report.total, report.complete, report.exit_code), (1, false, None));
}

#[tokio::test]
async fn a_dropped_call_ends_what_it_started() {
    let world = world("echo $$ > started\nexec sleep 600\n");
    let started = world.files.path("started");
    let waiting = async {
        while !started.exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        outcome = world.call(json!({})) => panic!("it ended: {outcome:?}"),
        () = waiting => {}
    }
    let holders = std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(|process| std::fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == world.files.root()));
    assert_eq!(holders.count(), 0, "nothing runs in the workspace any more");
}

#[tokio::test]
async fn a_failure_without_findings_is_told_in_its_own_words() {
    let world = world("echo 'cannot go on' >&2\nexit 1\n");
    let error = world.call(json!({})).await.unwrap_err();
    assert_eq!(error.code(), "check_failed");
    assert!(error.message().ends_with("(exit code 1):\ncannot go on"), "{error}");
    assert_eq!(error.output().unwrap().summary, "[tsc: the check failed]");
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_told_as_not_there() {
    let world = World::new();
    world.files.file("tsconfig.json", "{}");
    world.files.file(TSC, "#!/nonexistent/interpreter\n");
    std::fs::set_permissions(world.files.path(TSC), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let output = world.call(json!({})).await.unwrap();
    assert_eq!(output.summary, "[`tsc` is not there for confined commands: what it checks was not checked]");
}

#[tokio::test]
async fn death_by_a_signal_is_an_error() {
    let world = world("kill -9 $$\n");
    let error = world.call(json!({})).await.unwrap_err();
    assert_eq!(error.code(), "check_killed");
}

#[tokio::test]
async fn endless_output_is_bounded_and_said() {
    let world = world("echo 'a.ts(1,2): error TS1: m'\nhead -c 40000000 /dev/zero | tr '\\0' 'x'\nexit 2\n");
    let output = world.call(json!({})).await.unwrap();
    let report = report(&output);
    assert_eq!(report.total, 1);
    assert!(report.notes[0].starts_with("`tsc` printed too much: "), "{:?}", report.notes);
    assert!(output.summary.len() < 1000);
}

#[tokio::test]
async fn what_one_checker_found_is_kept_when_another_fails() {
    let world = world("echo boom >&2\nexit 1\n");
    world.files.file("ruff.toml", "");
    world.script("bin/cargo", "exit 9\n");
    world.package("fn main() {}\n");
    let path = format!("{}:/usr/bin:/bin", world.files.path("bin").display());
    world.script(
        "bin/cargo",
        r#"echo '{"reason":"compiler-message","manifest_path":"/x/Cargo.toml","message":{"level":"error","message":"m","code":null,"spans":[]}}'
exit 101
"#,
    );
    let world = world.env("PATH", &path);
    let error = world.call(json!({})).await.unwrap_err();
    assert!(error.message().contains("`tsc") && error.message().contains("boom"), "{error}");
    let report = report(error.output().unwrap());
    assert_eq!((report.total, report.exit_code, report.tool.as_str()), (1, Some(101), "cargo check, tsc"));
}

#[tokio::test]
async fn go_is_told_where_it_can_write_and_is_only_run_where_it_is_installed() {
    let world = World::new();
    world.files.file("go.mod", "module example.com/m\n");
    world.files.file("main.go", "package main\n");
    world.files.dir("empty");
    let world = world.env("PATH", "/nonexistent");
    let output = world.call(json!({})).await.unwrap();
    assert_eq!(output.summary, "[`go` is not installed: what it checks was not checked]");
    let main = world.files.path("main.go");
    world.script(
        "bin/go",
        &format!(
            "mkdir -p \"$GOCACHE\" && touch \"$GOCACHE/x\" || exit 3\n\
             echo '# example.com/m' >&2\n\
             echo '{{\"example.com/m\":{{\"printf\":[{{\"posn\":\"{}:1:9\",\"message\":\"m'$GOPROXY'\"}}]}}}}' >&2\n",
            main.display()
        ),
    );
    let path = format!("{}:/usr/bin:/bin", world.files.path("bin").display());
    let report = report(&world.env("PATH", &path).call(json!({"path": "main.go"})).await.unwrap());
    assert_eq!(report.total, 1);
    let found = &report.diagnostics[0];
    assert_eq!((found.file.as_deref(), found.line, found.col), (Some("main.go"), Some(1), Some(9)));
    assert_eq!((found.code.as_deref(), found.message.as_str()), (Some("printf"), "moff"));
    assert_eq!((report.tool.as_str(), report.exit_code), ("go vet", Some(0)));
}

/// What `tsc` prints of a project, as a script: the files it read, below the workspace.
fn lists(files: &[&str]) -> String {
    let lines: Vec<String> = files.iter().map(|file| format!("echo \"$PWD/{file}\"\n")).collect();
    format!("echo /usr/lib/node_modules/typescript/lib/lib.d.ts\n{}", lines.concat())
}

#[tokio::test]
async fn a_file_that_no_project_reads_is_not_clean() {
    let world = world(&lists(&["src/a.ts"]));
    world.files.file("src/a.ts", "");
    world.files.file("scripts/x.ts", "");
    let says = async |path: &str| world.call(json!({"path": path})).await.unwrap().summary;
    assert_eq!(says("src/a.ts").await, "[tsc (1 file): no errors or warnings]");
    assert_eq!(
        says("scripts/x.ts").await,
        "[tsc (1 file): nothing was found, but not checked: `scripts/x.ts` is not part of what was checked]"
    );
    assert_eq!(says(".").await, "[tsc (1 file): no errors or warnings]");
}

#[tokio::test]
async fn a_project_without_files_is_not_clean() {
    let world = world(&lists(&[]));
    let text = world.call(json!({})).await.unwrap().summary;
    assert_eq!(text, "[tsc: nothing was found, but not checked: no file of `.` is part of what was checked]");
}

#[tokio::test]
async fn the_projects_that_a_project_refers_to_are_built() {
    let world = world(&format!(
        "case \"$*\" in *--build*--force*) echo \"src/a.ts(1,2): error TS1: m\"; {} exit 2;; esac\n",
        lists(&["src/a.ts"]).replace('\n', "; ")
    ));
    world.files.file("tsconfig.json", "{\"files\": [], \"references\": [{\"path\": \"./tsconfig.app.json\"}]}");
    world.files.file("src/a.ts", "");
    let report = report(&world.call(json!({})).await.unwrap());
    assert_eq!((report.errors, report.diagnostics[0].file.as_deref()), (1, Some("src/a.ts")));
}

#[tokio::test]
async fn types_are_not_told_as_checked_beside_wrong_syntax() {
    let text = |errors: &str| format!("{}\nprintf '{errors}'\nexit 2\n", lists(&["src/a.ts", "src/b.ts"]));
    let world = world(&text("src/b.ts(1,5): error TS1135: m\\n"));
    let said = world.call(json!({})).await.unwrap().summary;
    assert!(said.ends_with("not checked: types, which are looked at when the syntax is right]"), "{said}");
    let world = self::world(&text("src/b.ts(1,5): error TS1135: m\\nsrc/a.ts(1,5): error TS2322: m\\n"));
    let said = world.call(json!({})).await.unwrap().summary;
    assert!(!said.contains("not checked"), "{said}");
}

#[tokio::test]
async fn a_linter_is_given_the_folder_that_was_named() {
    let world = World::new();
    world.files.file("pyproject.toml", "");
    world.files.file("gen/a.py", "");
    world.files.file("docs/a.md", "");
    world.script(
        ".venv/bin/ruff",
        "for last; do :; done\necho '[]'\ncase $last in */docs) echo 'warning: No Python files found under the given path(s)' >&2;; */gen) :;; *) exit 2;; esac\n",
    );
    let says = async |path: &str| world.call(json!({"path": path})).await.unwrap().summary;
    assert_eq!(says("gen").await, "[ruff check: no errors or warnings]");
    let said = says("docs").await;
    assert!(said.contains("not checked: no file of `docs` is part of what was checked"), "{said}");
}

#[tokio::test]
async fn projects_below_a_folder_that_is_none_are_named() {
    let world = World::new();
    for file in ["back/Cargo.toml", "front/tsconfig.json", "none/README.md"] {
        world.files.file(file, "");
    }
    let refused = world.call(json!({})).await.unwrap_err();
    assert!(refused.suggestion().contains("`back`, `front`"), "{refused:?}");
    if tools_testkit::installed(&["python3"]) {
        world.files.file("tool.py", "x = 1\n");
        let said = world.call(json!({})).await.unwrap().summary;
        assert!(said.contains("not checked: the projects `back`, `front`"), "{said}");
    }
}

#[tokio::test]
async fn a_checker_in_the_environment_of_the_project_is_found() {
    for place in [".venv/bin/ruff", "venv/bin/ruff"] {
        let world = World::new();
        world.files.file("pyproject.toml", "");
        world.files.file("pkg/a.py", "");
        world.script(place, "echo '[]'\n");
        let report = report(&world.call(json!({"path": "pkg/a.py"})).await.unwrap());
        assert_eq!((report.tool.as_str(), report.unchecked.len()), ("ruff check", 0), "{place}");
    }
}

#[tokio::test]
async fn what_is_not_installed_is_not_clean() {
    let world = World::new();
    world.files.file("tsconfig.json", "{}");
    let world = world.env("PATH", "/nowhere");
    let text = world.call(json!({})).await.unwrap().summary;
    assert!(text.contains("is not installed") && !text.contains("no errors"), "{text}");
}

#[tokio::test]
async fn python_and_javascript_without_a_project_are_parsed() {
    let world = World::new();
    world.files.file("py/good.py", "x = 1\n");
    world.files.file("py/bad.py", "def f(:\n");
    world.files.file("js/good.mjs", "export const a = 1;\n");
    world.files.file("js/bad.js", "let a = ;\n");
    for (program, folder, good, bad, line) in
        [("python3", "py", "py/good.py", "py/bad.py", 1), ("node", "js", "js/good.mjs", "js/bad.js", 1)]
    {
        if !tools_testkit::installed(&[program]) {
            continue;
        }
        let clean = world.call(json!({"path": good})).await.unwrap().summary;
        assert!(clean.contains("(1 file, syntax only): no errors or warnings]"), "{clean}");
        for path in [bad, folder] {
            let report = report(&world.call(json!({"path": path})).await.unwrap());
            assert_eq!((report.errors, report.unchecked.len()), (1, 0), "{path}: {report:?}");
            let found = &report.diagnostics[0];
            assert_eq!((found.file.as_deref(), found.line), (Some(bad), Some(line)), "{path}");
        }
    }
}

#[tokio::test]
async fn what_the_compiler_of_python_warns_of_is_told() {
    if !tools_testkit::installed(&["python3"]) {
        return;
    }
    let world = World::new();
    world.files.file("a.py", "x = 1\nif x is 1:\n    pass\n");
    let output = world.call(json!({"path": "a.py"})).await.unwrap();
    let report = report(&output);
    assert_eq!((report.errors, report.warnings), (0, 1), "{}", output.summary);
    let found = &report.diagnostics[0];
    assert!(found.line == Some(2) && found.message.starts_with("SyntaxWarning: "), "{found:?}");
}

#[tokio::test]
async fn a_file_that_no_checker_knows_is_told_as_such() {
    let world = World::new();
    world.files.file("src/Main.java", "class Main {}\n");
    let error = world.call(json!({"path": "src/Main.java"})).await.unwrap_err();
    assert_eq!(error.code(), "no_project");
    let said = error.message();
    assert!(said.starts_with("no checker knows `src/Main.java`") && said.contains("`.rs`"), "{said}");
    assert!(!said.contains("Cargo.toml"), "{said}");
    let empty = world.call(json!({"path": "src"})).await.unwrap_err();
    assert!(empty.message().contains("Cargo.toml"), "{empty}");
}

#[tokio::test]
async fn what_no_checker_read_is_not_told_as_clean() {
    let world = World::new();
    for (file, text) in [
        ("js/package.json", "{}"),
        ("js/a.js", ""),
        ("js/c.jsx", "const a = <div>;;;)\n"),
        ("js/docs/readme.md", ""),
        ("py/pyproject.toml", ""),
        ("py/a.py", ""),
        ("py/script", "#!/usr/bin/env python3\n(\n"),
        ("go/go.mod", "module x\n"),
        ("go/main.go", "package main\n"),
        ("go/x_windows.go", "package main\n"),
        ("go/gone/g.go", "//go:build ignore\n\npackage gone\n"),
        ("go/nested/go.mod", "module nested\n"),
        ("go/nested/n.go", "package n\n"),
        ("go/sub/s.go", "package sub\n"),
    ] {
        world.files.file(file, text);
    }
    let read = |name: &str| format!("echo '{{\"read\":[\"{}\"],\"more\":0}}'\n", world.files.path(name).display());
    world.script("bin/node", &read("js/a.js"));
    world.script("bin/python3", &read("py/a.py"));
    world.script("bin/go", "exit 0\n");
    let path = format!("{}:/usr/bin:/bin", world.files.path("bin").display());
    let world = world.env("PATH", &path);
    let check = async |path: &str, unchecked: &[&str]| {
        let output = world.call(json!({"path": path})).await.unwrap();
        assert_eq!(report(&output).unchecked, unchecked, "{path}: {}", output.summary);
        assert_eq!(output.summary.contains("no errors or warnings"), unchecked.is_empty(), "{}", output.summary);
    };
    check("js", &[]).await;
    check("js/a.js", &[]).await;
    check("js/c.jsx", &["`js/c.jsx` is not part of what was checked"]).await;
    check("py", &[]).await;
    check("py/pyproject.toml", &[]).await;
    check("py/script", &["`py/script` is not part of what was checked"]).await;
    check("go/main.go", &[]).await;
    check("go/sub", &[]).await;
    let by_name =
        "`go/x_windows.go` is not part of what was checked: a build on this machine leaves it out by its name";
    check("go/x_windows.go", &[by_name]).await;
    check("go/gone", &["no file of `go/gone` is part of what was checked"]).await;
    let files = "2 files, `go/gone/g.go` among them (not for a build on this machine)";
    check("go", &[&format!("{files}; module `go/nested` (by its own `path`)")]).await;
}

#[tokio::test]
async fn a_file_that_another_checker_of_the_project_read_is_checked() {
    let world = world("echo \"$PWD/a.ts\"\necho \"$PWD/legacy/old.js\"\n");
    world.files.file("ruff.toml", "");
    world.files.file("legacy/old.js", "");
    world.files.file("docs/a.md", "");
    world.script("bin/ruff", "echo '[]'\necho 'warning: No Python files found under the given path(s)' >&2\n");
    let path = format!("{}:/usr/bin:/bin", world.files.path("bin").display());
    let world = world.env("PATH", &path);
    let unchecked = async |path: &str| report(&world.call(json!({"path": path})).await.unwrap()).unchecked;
    assert!(unchecked("legacy/old.js").await.is_empty());
    assert!(unchecked("legacy").await.is_empty());
    assert_eq!(unchecked("docs/a.md").await, ["`docs/a.md` is not part of what was checked"]);
    assert_eq!(unchecked("docs").await, ["no file of `docs` is part of what was checked"]);
}
