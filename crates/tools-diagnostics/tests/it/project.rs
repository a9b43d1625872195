//! Real projects, checked by the real cargo and gcc, confined.

use serde_json::json;
use tools_core::{ToolCall, ToolExecutor as _};
use tools_diagnostics::{DiagnosticsConfig, Severity};

use crate::world::{World, report};

#[tokio::test]
async fn a_rust_project_is_checked_and_nothing_is_told_twice() {
    let world = World::new();
    world.package("use std::fs;\n\nfn main() {\n    let number: u32 = \"x\";\n}\n");
    let output = world.call(json!({})).await.unwrap();
    let report = report(&output);
    let places: Vec<_> =
        report.diagnostics.iter().map(|found| (found.severity, found.file.clone(), found.line, found.col)).collect();
    let main = Some("src/main.rs".to_owned());
    assert_eq!(
        places,
        [(Severity::Error, main.clone(), Some(4), Some(23)), (Severity::Warning, main, Some(1), Some(5))],
        "{report:?}"
    );
    assert_eq!((report.total, report.shown, report.tool.as_str(), report.exit_code), (2, 2, "cargo check", Some(101)));
    assert!(output.summary.starts_with("src/main.rs:4:23 error[E0308]: mismatched types\n"), "{}", output.summary);
    assert_eq!(output.locations[0].path, world.files.path("src/main.rs"));
    assert!(report.diagnostics.iter().all(|found| found.rendered.is_none()));
}

#[tokio::test]
async fn a_member_of_a_cargo_workspace_is_named_from_the_working_directory() {
    let world = World::new();
    world.files.file("Cargo.toml", "[workspace]\nmembers = [\"crates/a\"]\nresolver = \"2\"\n");
    world.files.file("crates/a/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    world.files.file("crates/a/src/lib.rs", "pub fn f() -> u32 { \"x\" }\n");
    for path in [".", "crates/a", "crates/a/src/lib.rs"] {
        let report = report(&world.call(json!({"path": path, "rendered": true})).await.unwrap());
        assert_eq!(report.diagnostics[0].file.as_deref(), Some("crates/a/src/lib.rs"), "{path}");
        assert!(report.diagnostics[0].rendered.as_deref().unwrap().contains("expected `u32`"));
    }
}

#[tokio::test]
async fn a_member_is_checked_although_its_workspace_reaches_out_of_the_roots() {
    let world = World::new();
    world.files.file("Cargo.toml", "[workspace]\nmembers = [\"crates/a\"]\nresolver = \"2\"\n");
    world.files.file("Cargo.lock", "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"0.1.0\"\n");
    world.files.file("crates/a/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    world.files.file("crates/a/src/lib.rs", "pub fn f() -> u32 { \"x\" }\n");
    let world = world.below("crates/a");
    let report = report(&world.call(json!({})).await.unwrap());
    assert_eq!(report.diagnostics[0].line.zip(report.diagnostics[0].file.as_deref()), Some((1, "src/lib.rs")));
    assert!(!world.files.path("target").exists() && world.files.path("crates/a/target").exists());
}

/// Each call tells all of them, and names what waits for one.
#[tokio::test]
async fn errors_of_every_target_are_told_and_what_they_hold_up() {
    let world = World::new();
    world.package("fn main() {}\n");
    for number in 0..4 {
        world.files.file(format!("tests/t{number}.rs"), "#[test]\nfn t() { let _: u32 = \"x\"; }\n");
        world.files.file(format!("examples/e{number}.rs"), "fn main() { let _: u32 = \"x\"; }\n");
    }
    let output = world.call(json!({})).await.unwrap();
    assert_eq!((report(&output).errors, report(&output).unchecked), (8, vec![]), "{}", output.summary);

    let world = World::new();
    let package = |name: &str, more: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{more}")
    };
    world.files.file("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n");
    world.files.file("a/Cargo.toml", package("a", ""));
    world.files.file("a/src/lib.rs", "pub fn f() -> u32 { \"x\" }\n");
    world.files.file("b/Cargo.toml", package("b", "[dependencies]\na = {path = \"../a\"}\n"));
    world.files.file("b/src/lib.rs", "pub fn g() -> u32 { \"x\" }\n");
    for path in [".", "b", "b/src/lib.rs"] {
        let output = world.call(json!({"path": path})).await.unwrap();
        assert!(output.summary.contains("not checked: what needs `a`, which has errors"), "{path}: {}", output.summary);
    }
}

#[tokio::test]
async fn a_sound_project_has_no_errors() {
    let world = World::new();
    world.package("fn main() {}\n");
    let output = world.call(json!({})).await.unwrap();
    assert_eq!(output.summary, "[cargo check: no errors or warnings]");
}

#[tokio::test]
async fn a_broken_manifest_is_an_error_in_cargos_words() {
    let world = World::new();
    world.package("fn main() {}\n");
    world.files.file("Cargo.toml", "[package\nname = 1\n");
    let error = world.call(json!({})).await.unwrap_err();
    assert_eq!(error.code(), "check_failed");
    assert!(error.message().contains("Cargo.toml:1:9"), "{error}");
}

#[tokio::test]
async fn a_build_script_is_confined_and_its_failure_is_told() {
    let world = World::new().env("OUTSIDE", "/var/tmp/haft-diagnostics-must-not-exist");
    world.package("fn main() {}\n");
    world.files.file(".env", "KEY=do-not-tell");
    world.files.file(
        "build.rs",
        r#"fn main() {
            let outside = std::env::var("OUTSIDE").unwrap();
            println!("wrote {:?}", std::fs::write(&outside, "x").is_ok());
            eprintln!("wrote outside: {}", std::fs::write(&outside, "x").is_ok());
            eprintln!("secret: {:?}", std::fs::read_to_string(".env").unwrap_or_default());
            std::process::exit(3);
        }"#,
    );
    let error = world.call(json!({})).await.unwrap_err();
    assert_eq!(error.code(), "check_failed");
    for expected in
        ["failed to run custom build command for `app", "exit status: 3", "wrote outside: false", "secret: \"\""]
    {
        assert!(error.message().contains(expected), "{expected}: {error}");
    }
    assert!(!std::path::Path::new("/var/tmp/haft-diagnostics-must-not-exist").exists());
}

/// A build runs the project's code, and nobody agreed that it may configure other programs.
#[tokio::test]
async fn what_a_build_makes_other_programs_obey_is_put_aside() {
    let world = World::new();
    world.package("fn main() {}\n");
    world.files.file("build.rs", "fn main() { std::fs::write(\".envrc\", \"x\").unwrap(); }\n");
    world.call(json!({})).await.unwrap();
    assert!(!world.files.path(".envrc").exists() && world.files.path(".envrc.held").exists());
    // Also where the check itself fails.
    world.files.file("build.rs", "fn main() { std::fs::write(\".envrc\", \"x\").unwrap(); panic!() }\n");
    world.call(json!({})).await.unwrap_err();
    assert!(!world.files.path(".envrc").exists() && world.files.path(".envrc.held-2").exists());
}

#[tokio::test]
async fn a_dependency_that_is_not_here_is_an_error_with_advice() {
    let world = World::new();
    world.package("fn main() {}\n");
    world.files.file(
        "Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nno-such-package-of-haft = \"1\"\n",
    );
    let error = world.call(json!({})).await.unwrap_err();
    assert_eq!(error.code(), "check_failed");
    assert!(error.message().contains("no-such-package-of-haft"), "{error}");
    assert!(error.suggestion().contains("cargo fetch"), "{error} {}", error.suggestion());
}

#[tokio::test]
async fn cargo_that_is_not_installed_is_an_empty_list_with_a_warning() {
    let world = World::new().env("PATH", "/nonexistent");
    world.package("fn main() { x }\n");
    let cx = world.context();
    let call = ToolCall::new("diagnostics", json!({})).unwrap();
    let output = world.executor().execute_tool_call(&call, &cx).await.unwrap().unwrap();
    let report = report(&output);
    assert_eq!((report.total, report.exit_code, report.tool.as_str()), (0, None, ""));
    let note = "`cargo` is not installed: what it checks was not checked";
    assert_eq!(
        (output.summary, report.notes, cx.journal().warnings()),
        (format!("[{note}]"), vec![note.to_owned()], vec![note.to_owned()])
    );
}

#[tokio::test]
async fn the_cap_of_the_configuration_holds_and_less_may_be_asked_for() {
    let world = World::new().configured(DiagnosticsConfig { max_diagnostics: 2, ..DiagnosticsConfig::default() });
    world.files.file("x.c", "int a = b;\nint c = d;\nint e = f;\n");
    for (asked, shown) in [(json!(100), 2), (json!(1), 1), (json!(null), 2), (json!(0), 0)] {
        let output = world.call(json!({"path": "x.c", "max_diagnostics": asked})).await.unwrap();
        let report = report(&output);
        assert_eq!(
            (report.total, report.shown, report.diagnostics.len(), output.truncated),
            (3, shown, shown, true),
            "{asked}"
        );
    }
}

#[tokio::test]
async fn a_module_that_nobody_includes_is_not_clean() {
    let world = World::new();
    world.package("mod used;\nfn main() { used::f(); }\n");
    world.files.file("src/used.rs", "pub fn f() {}\n");
    world.files.file("src/orphan.rs", "fn broken( {\n");
    let says = async |path: &str| world.call(json!({"path": path})).await.unwrap().summary;
    assert!(says("src/used.rs").await.ends_with("[cargo check: no errors or warnings]"));
    let text = says("src/orphan.rs").await;
    assert!(text.contains("nothing was found, but not checked: `src/orphan.rs`"), "{text}");
}
