//! Tests of the parsers on output of the real programs (`tests/fixtures`) and on arbitrary bytes.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::CheckKind;

fn lines(checker: &dyn Checker, output: &Output) -> Vec<String> {
    checker.parse(output).iter().map(|found| found.diagnostic.line()).collect()
}

fn stdout(bytes: &[u8]) -> Output {
    Output { stdout: bytes.to_vec(), stderr: Vec::new() }
}

fn stderr(bytes: &[u8]) -> Output {
    Output { stdout: Vec::new(), stderr: bytes.to_vec() }
}

#[test]
fn cargo_check_tells_places_in_the_workspace_also_through_macros() {
    let output = stdout(include_bytes!("../../tests/fixtures/cargo_check.jsonl"));
    let mut all = lines(&cargo::Cargo, &output);
    all.sort();
    all.dedup();
    assert_eq!(
        all,
        [
            "app/src/deep.rs:1:5 warning[unused_imports]: unused import: `std::fs`",
            "app/src/main.rs:4:23 error[E0308]: mismatched types",
            "app/src/main.rs:5:34 error[E0308]: mismatched types",
            "app/src/main.rs:6:15 error: 2 positional arguments in format string, but there is 1 argument",
            "app/src/main.rs:7:11 error[E0425]: cannot find function `gone` in module `deep`",
            "lib/src/lib.rs:5:9 warning[unused_variables]: unused variable: `unused`",
        ]
    );
    let bases: Vec<_> = cargo::Cargo.parse(&output).into_iter().filter_map(|found| found.base).collect();
    assert!(bases.iter().all(|base| base == Path::new("/w/app") || base == Path::new("/w/lib")), "{bases:?}");
}

#[test]
fn cargo_clippy_names_its_lints_and_shows_them_when_asked() {
    let output = stdout(include_bytes!("../../tests/fixtures/cargo_clippy.jsonl"));
    let found = cargo::Cargo.parse(&output);
    let lint = found.iter().find(|found| found.diagnostic.code.as_deref() == Some("clippy::len_zero")).unwrap();
    assert_eq!(lint.diagnostic.line(), "app/src/main.rs:3:8 warning[clippy::len_zero]: length comparison to zero");
    assert!(lint.diagnostic.rendered.as_deref().unwrap().contains("--> app/src/main.rs:3:8"));
}

#[test]
fn a_build_script_that_failed_is_not_explained_by_warnings() {
    let output = stdout(include_bytes!("../../tests/fixtures/cargo_build_script.jsonl"));
    let found = cargo::Cargo.parse(&output);
    assert_eq!(found.len(), 1);
    assert!(!cargo::Cargo.explains(101, &found));
    assert!(
        cargo::Cargo
            .explains(101, &cargo::Cargo.parse(&stdout(include_bytes!("../../tests/fixtures/cargo_check.jsonl"))))
    );
}

#[test]
fn a_place_outside_the_workspace_becomes_the_macro_call() {
    let span = |file: &str, line: u64, expansion: serde_json::Value| serde_json::json!({"file_name": file, "line_start": line, "column_start": 1, "is_primary": true, "expansion": expansion});
    let call = serde_json::json!({"span": span("src/a.rs", 7, serde_json::Value::Null)});
    let middle = serde_json::json!({"span": span("<macro>", 2, call)});
    let line = serde_json::json!({"reason": "compiler-message", "manifest_path": "/w/Cargo.toml", "message":
        {"level": "error: internal compiler error", "message": "m", "code": null, "spans": [span("/rustc/x/core.rs", 1, middle)]}});
    assert_eq!(lines(&cargo::Cargo, &stdout(line.to_string().as_bytes())), ["src/a.rs:7:1 error: m"]);
}

#[test]
fn tsc_tells_one_line_each_with_the_lines_that_go_on() {
    let output = stdout(include_bytes!("../../tests/fixtures/tsc.txt"));
    let found = lines(&tsc::Tsc, &output);
    assert!(
        found.contains(&"src/a.ts:2:16 error[TS2322]: Type 'number' is not assignable to type 'string'.".to_owned()),
        "{found:?}"
    );
    assert!(
        found.iter().any(|line| line.starts_with("src/(app)/b.ts:1:7 error[TS2322]: Type '(x: number)")),
        "{found:?}"
    );
    assert!(found[0].ends_with("\n      Type 'number' is not assignable to type 'string'."), "{}", found[0]);
    let last = found.last().unwrap();
    assert!(last.starts_with("error[TS18003]: No inputs were found"), "{last}");
    assert!(tsc::Tsc.explains(2, &tsc::Tsc.parse(&output)));
}

#[test]
fn ruff_tells_rules_and_syntax_errors() {
    let output = stdout(include_bytes!("../../tests/fixtures/ruff.json"));
    assert_eq!(
        lines(&ruff::Ruff, &output),
        [
            "/w/bad.py:9:7 error[invalid-syntax]: Expected a parameter or the end of the parameter list",
            "/w/bad.py:9:8 error[invalid-syntax]: Expected `)`, found newline",
            "/w/warn.py:1:1 error[I001]: Import block is un-sorted or un-formatted",
            "/w/warn.py:1:8 error[F401]: `os` imported but unused",
            "/w/warn.py:4:12 error[F821]: Undefined name `undefined_name`",
        ]
    );
    let found = ruff::Ruff.parse(&output);
    assert!(ruff::Ruff.explains(1, &found) && !ruff::Ruff.explains(2, &found) && !ruff::Ruff.explains(1, &[]));
}

#[test]
fn go_tells_what_analyzers_and_the_compiler_say_on_either_stream() {
    let text = include_bytes!("../../tests/fixtures/go_vet.txt");
    let expected = [
        "/w/main.go:9:14 warning[printf]: fmt.Printf format %d has arg \"x\" of wrong type string",
        "error[buildtag]: analysis skipped",
        "./broken/b.go:4:2 error: undefined: gone",
        "lib/a.go:3:8 error: no required module provides package example.com/y; to add it:\ngo get example.com/y",
    ];
    for output in [stdout(text), stderr(text)] {
        assert_eq!(lines(&go::Go, &output), expected);
        assert!(go::Go.explains(1, &go::Go.parse(&output)));
    }
    assert_eq!(lines(&go::Go, &stderr(b"go: cannot find main module\n")), Vec::<String>::new());
}

#[test]
fn gcc_tells_one_array_a_line() {
    let output = stderr(include_bytes!("../../tests/fixtures/gcc.json"));
    assert_eq!(
        lines(&gcc::Gcc, &output),
        [
            "bad.c:2:32 error: expected ‘;’ before ‘}’ token",
            "bad.c:5:14 warning[-Wformat]: format ‘%s’ expects argument of type ‘char *’, but argument 2 has type ‘int’",
            "bad.c:6:12 error: ‘missing’ undeclared (first use in this function)",
            "bad.c:4:9 warning[-Wunused-variable]: unused variable ‘unused’",
            "other.cpp:1:10 error: gone.hpp: No such file or directory",
        ]
    );
}

#[test]
fn commands_are_shown_as_one_would_type_them() {
    let check = |checker: &dyn Checker, kind: CheckKind, file: Option<&str>, expected: &str| {
        assert_eq!(
            checker.command(&Request { kind, marker: "", file: file.map(Path::new), folder: None }).line(),
            expected
        );
    };
    check(&cargo::Cargo, CheckKind::Check, None, "cargo check --message-format=json --all-targets --keep-going");
    check(
        &cargo::Cargo,
        CheckKind::Clippy,
        Some("/w/a.rs"),
        "cargo clippy --message-format=json --all-targets --keep-going",
    );
    check(
        &ruff::Ruff,
        CheckKind::Check,
        Some("/w/it's.py"),
        r"ruff check --output-format json --no-cache -- '/w/it'\''s.py'",
    );
    check(&tsc::Tsc, CheckKind::Check, None, "tsc --noEmit --pretty false --listFiles --project .");
    check(&python::Python, CheckKind::Check, Some("/w/a.py"), "python3 compile /w/a.py");
    check(&go::Go, CheckKind::Check, None, "go vet -json ./...");
    check(&go::Go, CheckKind::Check, Some("/w/lib/a.go"), "go vet -json /w/lib");
    check(&gcc::Gcc, CheckKind::Check, Some("/w/a.cpp"), "g++ -fsyntax-only -Wall -fdiagnostics-format=json /w/a.cpp");
}

proptest! {
    #[test]
    fn no_bytes_break_a_parser(stdout: Vec<u8>, stderr: Vec<u8>, cut in 0usize..30_000) {
        let fixture = include_bytes!("../../tests/fixtures/cargo_check.jsonl");
        let mut damaged = fixture[..cut.min(fixture.len())].to_vec();
        damaged.extend(&stdout);
        for checker in ALL {
            checker.parse(&Output { stdout: stdout.clone(), stderr: stderr.clone() });
            checker.parse(&Output { stdout: damaged.clone(), stderr: damaged.clone() });
        }
    }
}
