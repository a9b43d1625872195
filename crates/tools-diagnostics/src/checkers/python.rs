//! Python without a linter: checks that every file compiles, with the interpreter itself. Prints
//! one JSON object per line, and a last one with the files that were read.

use serde::Deserialize;

use super::{CheckCommand, Checker, Coverage, Output, RawDiagnostic, Request};
use crate::diagnostic::Severity;

pub(super) struct Python;

/// Compiles in memory: runs nothing and writes nothing.
const SCRIPT: &str = r#"
import json, os, sys, warnings
skipped = {".git", ".venv", "venv", "node_modules", "__pycache__", ".tox", "site-packages", "target"}
def files(path):
    if os.path.isfile(path):
        yield path
        return
    for folder, names, found in os.walk(path):
        names[:] = sorted(name for name in names if name not in skipped)
        for name in sorted(found):
            if name.endswith((".py", ".pyi")):
                yield os.path.join(folder, name)
read = []
for path in files(sys.argv[1]):
    read.append(os.path.realpath(path))
    try:
        with open(path, "rb") as file, warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            compile(file.read(), path, "exec", dont_inherit=True)
        for one in warned:
            print(json.dumps({"warning": True, "file": path, "line": one.lineno, "col": 0, "message": f"{one.category.__name__}: {one.message}"}))
    except SyntaxError as error:
        print(json.dumps({"file": path, "line": error.lineno or 0, "col": error.offset or 0, "message": f"{type(error).__name__}: {error.msg}"}))
    except (OSError, ValueError, RecursionError, MemoryError) as error:
        print(json.dumps({"file": path, "line": 0, "col": 0, "message": str(error)}))
print(json.dumps({"read": read}))
"#;

#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    warning: bool,
    file: String,
    line: i64,
    col: i64,
    message: String,
}

#[derive(Deserialize)]
struct PythonProject {
    read: Vec<std::path::PathBuf>,
}

impl Checker for Python {
    fn markers(&self) -> &'static [&'static str] {
        &[]
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["py", "pyi"]
    }

    fn command(&self, request: &Request<'_>) -> CheckCommand {
        let mut command = CheckCommand::new("python3", &["-I", "-c", SCRIPT]);
        command.args.push(request.file.map_or_else(|| ".".into(), Into::into));
        CheckCommand {
            local: &[".venv/bin/python3", "venv/bin/python3"],
            shown: Some("python3 compile"),
            only: Some("syntax only"),
            ..command
        }
    }

    fn parse(&self, output: &Output) -> Vec<RawDiagnostic> {
        let text = String::from_utf8_lossy(&output.stdout);
        let faults = text.lines().filter_map(|line| serde_json::from_str::<Fault>(line).ok());
        let number = |number: i64| u64::try_from(number).unwrap_or(0);
        faults
            .map(|fault| {
                let severity = if fault.warning { Severity::Warning } else { Severity::Error };
                RawDiagnostic::new(severity, &fault.message).at(fault.file, number(fault.line), number(fault.col))
            })
            .collect()
    }

    fn checked(&self, output: &Output, _: &Request<'_>) -> Coverage {
        let text = String::from_utf8_lossy(&output.stdout);
        let read = text.lines().rev().find_map(|line| serde_json::from_str::<PythonProject>(line).ok());
        read.map_or(Coverage::Unknown, |read| Coverage::Files(read.read))
    }
}
