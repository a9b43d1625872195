//! A file that bash reaches in some folder is a subject there, however the script changes folders:
//! bash reports each file of a program that does not exist, with the folder it is in.
#![expect(clippy::disallowed_methods, reason = "the oracle is bash itself, on scripts that name no program there is")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tools_core::Access;

use crate::effect::Effect;
use crate::{Surroundings, analyse};

const PRELUDE: &str = r#"
exec 9>&1 1>/dev/null
command_not_found_handle() { [ "$1" = touch ] && printf '%s\n' "$PWD/$2" >&9 && [ "$2" != n ]; }
export -f command_not_found_handle
"#;

fn script() -> impl Strategy<Value = String> {
    let step = prop_oneof![
        4 => prop::sample::select(vec!["touch m", "touch n", "touch a/m", "touch ../m"]),
        3 => prop::sample::select(vec!["cd a", "cd b", "cd c", "cd ..", "cd ../b", "cd none", "cd ROOT/b", "cd ROOT"]),
        1 => prop::sample::select(vec!["cd none/..", "cd /", "true", "false", "f", "command cd a", "cd", "cd a b"]),
    ];
    step.prop_map(str::to_owned).prop_recursive(5, 24, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        let joint = prop::sample::select(vec!["; ", " && ", "\n", " || ", " | "]);
        let around = vec![
            "( X )", "{ X; }", "! X", "if X; then touch m; fi", "f() { X; }", "for i in 1 2; do X; done", "X & wait",
            "echo $(X)", "/bin/bash -c 'X'", "eval 'X'", "while X; do break; done", "case x in x) X;; esac",
            "(X) > out",
        ];
        let wrapped = |(inner, around): (String, &str)| {
            if inner.contains('\'') { inner } else { around.replace('X', &inner) }
        };
        prop_oneof![
            5 => (pair, joint).prop_map(|((first, second), joint)| format!("{first}{joint}{second}")),
            2 => (inner, prop::sample::select(around)).prop_map(wrapped),
        ]
    })
}

fn reached(script: &str, folder: &Path) -> BTreeSet<String> {
    let text = format!("{PRELUDE}\nulimit -u 500\n{script}\nwait\n");
    let mut bash = Command::new("/bin/bash");
    bash.args(["--norc", "--noprofile", "-c", &text]).current_dir(folder).env_clear();
    bash.env("PATH", "/nonexistent").env("FUNCNEST", "20").env("HOME", folder.join("b")).env("PWD", folder);
    let output = bash.stdin(Stdio::null()).stderr(Stdio::null()).output().expect("bash");
    String::from_utf8_lossy(&output.stdout).lines().map(|path| plain(Path::new(path))).collect()
}

fn plain(path: &Path) -> String {
    crate::plain_path(path).to_string_lossy().into_owned()
}

#[test]
fn a_file_is_a_subject_in_each_folder_where_bash_may_reach_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    for inner in ["a/a", "a/b", "a/c", "b/a", "b/b"] {
        fs::create_dir_all(root.join(inner)).expect("a folder");
    }
    let workdir = plain(root);
    let around = Surroundings { home: plain(&root.join("b")), workdir: workdir.clone() };
    let (told, all) = (Cell::new(0_usize), Cell::new(0_usize));
    let (known, scripts) = (Cell::new(0_usize), Cell::new(0_usize));
    let mut runner = TestRunner::new(Config { failure_persistence: None, ..Config::default() });
    runner
        .run(&script(), |script| {
            let script = script.replace("ROOT", &workdir);
            let found = analyse(&script, &around);
            let reached: BTreeSet<String> =
                reached(&script, root).into_iter().filter(|path| path.starts_with(&workdir)).collect();
            let written = found.commands.iter().flat_map(|command| {
                let paths = command.effects.iter().filter_map(|effect| match effect {
                    Effect::Path { path, access: Access::Write, .. } => Some(path),
                    _ => None,
                });
                paths.map(|path| path.placed(command.folder.as_deref()))
            });
            let written: Vec<_> = written.collect();
            scripts.set(scripts.get() + 1);
            if !found.opaque.is_empty() || written.iter().any(|path| !path.is_exact) {
                return Ok(());
            }
            let listed: BTreeSet<String> = written.into_iter().map(|path| path.text).collect();
            let missed: Vec<&String> = reached.difference(&listed).collect();
            prop_assert!(missed.is_empty(), "{missed:?} was reached and is not among {listed:?}:\n{script}");
            known.set(known.get() + 1);
            all.set(all.get() + listed.len());
            told.set(told.get() + reached.len());
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    // An analysis that tells of everything, or of nothing for certain, misses nothing.
    assert!(known.get() * 2 > scripts.get(), "{} of {} scripts were followed", known.get(), scripts.get());
    assert!(told.get() * 4 > all.get(), "{} of {} files were reached", told.get(), all.get());
}
