//! The grammar reads whatever bash can read, and refuses nearly everything that `bash -n` refuses.
#![expect(clippy::disallowed_methods, reason = "the oracle is `bash -n`, which runs nothing")]

use std::cell::Cell;
use std::process::{Command, Stdio};

use proptest::test_runner::{Config, TestRunner};

use super::scripts::{JOINED_PROGRAM, broken, script};
use crate::grammar::parse;

fn bash_accepts(script: &str) -> bool {
    let mut bash = Command::new("/bin/bash");
    bash.args(["--norc", "--noprofile", "-n", "-c", script]).env_clear();
    let output = bash.stdin(Stdio::null()).stdout(Stdio::null()).output().expect("bash");
    // Some scripts that bash will not run only cause a warning.
    output.status.success() && output.stderr.is_empty()
}

fn runner() -> TestRunner {
    TestRunner::new(Config { failure_persistence: None, ..Config::default() })
}

#[test]
fn what_bash_reads_is_read_but_for_rare_oddities() {
    let (accepted, refused) = (Cell::new(0_u32), Cell::new(0_u32));
    runner()
        .run(&script(), |script| {
            // A word that is continued on the next line is refused on purpose.
            if bash_accepts(&script) && !script.contains(JOINED_PROGRAM) {
                accepted.set(accepted.get() + 1);
                refused.set(refused.get() + u32::from(parse(&script).is_err()));
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(accepted.get() > 100, "bash read {} scripts", accepted.get());
    assert!(refused.get() * 100 <= accepted.get(), "{} of {} good scripts were refused", refused.get(), accepted.get());
}

#[test]
fn what_bash_cannot_read_is_nearly_always_refused() {
    // In the remaining cases the words within `[[ … ]]` or `(( … ))` are in an order that bash
    // refuses: it runs nothing then.
    let (refused, all) = (Cell::new(0_u32), Cell::new(0_u32));
    runner()
        .run(&broken(), |script| {
            if !bash_accepts(&script) {
                all.set(all.get() + 1);
                refused.set(refused.get() + u32::from(parse(&script).is_err()));
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(refused.get() * 10 > all.get() * 9, "{} of {} broken scripts were refused", refused.get(), all.get());
}
