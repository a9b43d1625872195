//! The analysis lists everything that bash really runs. Bash reports each program that it looks
//! for, none of which exists.
#![expect(clippy::disallowed_methods, reason = "the oracle is bash itself, on scripts that name no program there is")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::scripts::script;
use crate::{Surroundings, analyse};

/// Bash calls this function for a program that is not found. It prints the name and succeeds or
/// fails by its first letter. Names are printed to a separate descriptor, whatever the script
/// redirects.
const PRELUDE: &str =
    r#"exec 9>&1 1>/dev/null; command_not_found_handle() { printf '%s\n' "$1" >&9; [ "${1:0:1}" = t ]; }"#;

fn ran(script: &str, folder: &Path) -> BTreeSet<String> {
    let text = format!("{PRELUDE}\n{script}\nwait\n");
    let mut bash = Command::new("/bin/bash");
    bash.args(["--norc", "--noprofile", "-c", &text]).current_dir(folder).env_clear().env("PATH", "/nonexistent");
    let output = bash.stdin(Stdio::null()).stderr(Stdio::null()).output().expect("bash");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn a_program_that_bash_looks_for_is_listed_or_the_line_is_opaque() {
    let folder = tempfile::tempdir().expect("a folder");
    let (seen_through, all) = (Cell::new(0_u32), Cell::new(0_u32));
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    runner
        .run(&script(), |script| {
            let found = analyse(&script, &Surroundings::default());
            all.set(all.get() + 1);
            if !found.opaque.is_empty() || found.commands.iter().any(|command| !command.program.is_exact) {
                return Ok(());
            }
            seen_through.set(seen_through.get() + 1);
            let listed: BTreeSet<String> = found.commands.iter().map(|command| command.program.text.clone()).collect();
            let missed: Vec<String> = ran(&script, folder.path()).difference(&listed).cloned().collect();
            prop_assert!(missed.is_empty(), "{missed:?} ran and is not among {listed:?}:\n{script}");
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    // An analysis that sees through nothing misses nothing.
    assert!(seen_through.get() * 2 > all.get(), "{} of {} scripts were seen through", seen_through.get(), all.get());
}
