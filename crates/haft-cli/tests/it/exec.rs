//! `haft exec -- CMD`: the command's own output and exit code.

use crate::support::Haft;

const ALLOWED: &str = "[[tools.permissions.bash]]\npattern = \"*\"\naction = \"allow\"\n";

#[test]
fn a_command_keeps_its_output_and_exit_code() {
    let haft = Haft::configured(ALLOWED);
    let ran = haft.run(&["exec", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    assert_eq!((ran.code, ran.out.as_str()), (7, "out\n"), "{ran:?}");
    assert!(ran.err.contains("err\n"), "{ran:?}");
}

#[test]
fn everything_comes_through_however_much_it_is() {
    let haft = Haft::configured(ALLOWED);
    let ran = haft.run(&["exec", "--", "seq 1 200000"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 200_000);
    assert_eq!(ran.out.lines().last(), Some("200000"));
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let haft = Haft::configured(ALLOWED);
    let mark = format!("86{}", std::process::id());
    let line = format!("sleep {mark} & echo started; sleep {mark}");
    let ran = haft.run(&["exec", "--timeout", "1", "--", &line]);
    assert_eq!((ran.code, ran.out.as_str()), (124, "started\n"), "{ran:?}");
    assert_eq!(crate::support::processes_with(&mark), 0);
}

#[test]
fn what_is_not_allowed_does_not_run() {
    let haft = Haft::new();
    let ran = haft.run(&["exec", "--", "touch", "made"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(haft.workspace.read("made"), None);
}
