//! JavaScript without a project: checks that every file parses, with `node --check`. Prints one
//! JSON object per line, and a last one with the files that were read.

use std::path::PathBuf;

use serde::Deserialize;

use super::{CheckCommand, Checker, Coverage, Output, RawDiagnostic, Request};
use crate::diagnostic::Severity;

pub(super) struct Node;

/// Checks each file in its own process, because only that distinguishes modules from scripts. The
/// number of files is limited.
const SCRIPT: &str = r#"
const fs = require("fs"), path = require("path"), { spawnSync } = require("child_process");
const skipped = new Set([".git", "node_modules", "dist", "build", "target", "coverage"]), most = 200;
function* files(at) {
  if (fs.statSync(at).isFile()) { yield at; return; }
  for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* files(path.join(at, entry.name));
    else if (entry.isFile() && /\.[cm]?js$/.test(entry.name)) yield path.join(at, entry.name);
  }
}
const read = [];
let more = 0;
for (const file of files(process.argv[1])) {
  if (read.length === most) { more += 1; continue; }
  const ran = spawnSync(process.execPath, ["--check", file], { encoding: "utf8" });
  if (ran.error) throw ran.error;
  read.push(fs.realpathSync(file));
  if (ran.status !== 0) {
    const lines = ran.stderr.split("\n");
    const place = /:(\d+)$/.exec(lines[0] || ""), said = lines.find((line) => /^\w*Error: /.test(line));
    const caret = lines.find((line) => /^\s*\^+\s*$/.test(line));
    console.log(JSON.stringify({ file, line: place ? Number(place[1]) : 0, col: caret ? caret.indexOf("^") + 1 : 0, message: said || ran.stderr.slice(0, 500) || "it cannot be parsed" }));
  }
}
console.log(JSON.stringify({ read, more }));
"#;

#[derive(Deserialize)]
struct Fault {
    file: String,
    line: u64,
    col: u64,
    message: String,
}

#[derive(Deserialize)]
struct NodeProject {
    read: Vec<PathBuf>,
    more: usize,
}

impl Checker for Node {
    fn markers(&self) -> &'static [&'static str] {
        &[]
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["js", "mjs", "cjs"]
    }

    fn command(&self, request: &Request<'_>) -> CheckCommand {
        let mut command = CheckCommand::new("node", &["-e", SCRIPT, "--"]);
        command.args.push(request.file.map_or_else(|| ".".into(), Into::into));
        CheckCommand { shown: Some("node --check"), only: Some("syntax only"), ..command }
    }

    fn parse(&self, output: &Output) -> Vec<RawDiagnostic> {
        let text = String::from_utf8_lossy(&output.stdout);
        let faults = text.lines().filter_map(|line| serde_json::from_str::<Fault>(line).ok());
        faults
            .map(|fault| RawDiagnostic::new(Severity::Error, &fault.message).at(fault.file, fault.line, fault.col))
            .collect()
    }

    fn checked(&self, output: &Output, _: &Request<'_>) -> Coverage {
        let text = String::from_utf8_lossy(&output.stdout);
        match text.lines().rev().find_map(|line| serde_json::from_str::<NodeProject>(line).ok()) {
            Some(NodeProject { read, more: 0 }) => Coverage::Files(read),
            Some(NodeProject { read, more }) => Coverage::Partly(read, more),
            None => Coverage::Unknown,
        }
    }
}
