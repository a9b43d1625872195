//! `haft exec -- CMD`: the command's own output and exit code.

use std::io::Read as _;
use std::process::{Command, Stdio};

use crate::support::{BASH_ALLOWED, Haft, eventually, processes_with};

#[test]
fn output_that_cannot_be_written_is_told() {
    let haft = Haft::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = haft.command(&["exec", "--yes", "--", "echo", "x"]);
    let ran = command.stdout(full).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(!ran.status.success() && said.contains("cannot be written: No space left"), "{said}");
}

#[test]
fn a_command_keeps_its_output_and_exit_code() {
    let haft = Haft::configured(BASH_ALLOWED);
    let ran = haft.run(&["exec", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    assert_eq!((ran.code, ran.out.as_str()), (7, "out\n"), "{ran:?}");
    assert!(ran.err.contains("err\n"), "{ran:?}");
}

#[test]
fn everything_comes_through_however_much_it_is() {
    let haft = Haft::configured(BASH_ALLOWED);
    let ran = haft.run(&["exec", "--", "seq 1 200000"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 200_000);
    assert_eq!(ran.out.lines().last(), Some("200000"));
}

#[test]
fn a_command_that_takes_too_long_is_ended_with_all_it_started() {
    let haft = Haft::configured(BASH_ALLOWED);
    let mark = format!("86{}", std::process::id());
    let line = format!("sleep {mark} & echo started; sleep {mark}");
    let ran = haft.run(&["exec", "--timeout", "1", "--", &line]);
    assert_eq!((ran.code, ran.out.as_str()), (124, "started\n"), "{ran:?}");
    assert_eq!(processes_with(&mark), 0);
}

#[test]
fn what_is_not_allowed_does_not_run() {
    let haft = Haft::new();
    let ran = haft.run(&["exec", "--", "touch", "made"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(haft.workspace.read("made"), None);
}

/// What the binary writes to each of its streams, byte for byte.
fn bytes(haft: &Haft, arguments: &[&str]) -> (Option<i32>, Vec<u8>, Vec<u8>) {
    let output = haft.command(arguments).output().expect("it runs");
    (output.status.code(), output.stdout, output.stderr)
}

#[test]
fn behind_a_pipe_every_byte_passes_unchanged() {
    let Some(haft) = Haft::confined(BASH_ALLOWED) else { return };
    // Every byte twice, long and short lines, no line feed at the end, control sequences, and what
    // looks like a credential.
    let mut noise: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
    let mut state = 1_u32;
    for _ in 0..300_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.push(state.to_be_bytes()[0]);
    }
    noise.extend_from_slice(b"\x1b[31mred\x1b[0m\n\n\n\nPASSWORD=Tr0ub-4x-9kLmQz\nlast");
    haft.workspace.file("noise", &noise);
    let (code, out, err) = bytes(&haft, &["exec", "--", "cat noise; cat noise >&2; exit 9"]);
    assert_eq!(code, Some(9));
    assert!(out == noise, "{} of {} bytes", out.len(), noise.len());
    assert!(err == noise, "{} of {} bytes", err.len(), noise.len());
}

#[test]
fn a_patch_that_went_through_applies() {
    let haft = Haft::configured(BASH_ALLOWED);
    let git = |arguments: &[&str]| {
        let ran = Command::new("git").args(arguments).current_dir(haft.workspace.root()).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        ran.stdout
    };
    let lines = |mark: &str| (0..400).map(|n| format!("line {n}{mark}  \n")).collect::<Vec<_>>().concat();
    haft.workspace.file("a.txt", lines(""));
    haft.workspace.file("b.bin", [0_u8, 1, 2, 255]);
    git(&["init", "-q"]);
    git(&["add", "."]);
    haft.workspace.file("a.txt", lines(" changed"));
    haft.workspace.file("b.bin", [255_u8, 0, 9]);
    let (code, patch, _) = bytes(&haft, &["exec", "--", "git", "diff", "--binary"]);
    assert_eq!(code, Some(0));
    assert_eq!(patch, git(&["diff", "--binary"]));
    let place = haft.workspace.file("x.patch", &patch);
    git(&["checkout", "-q", "--", "a.txt", "b.bin"]);
    git(&["apply", "--check", place.to_str().unwrap()]);
}

#[test]
fn filtering_is_there_for_whoever_asks() {
    let haft = Haft::configured(BASH_ALLOWED);
    let tests: String = (0..50).map(|n| format!("test number_{n} ... ok\n")).collect::<Vec<_>>().concat();
    let text = format!("running 50 tests\n{tests}\ntest result: ok. 50 passed; 0 failed\n");
    haft.workspace.file("cargo", format!("#!/bin/sh\ncat <<'END'\n{text}END\n"));
    Command::new("chmod").args(["+x", "cargo"]).current_dir(haft.workspace.root()).status().unwrap();
    let ran = |more: &[&str]| haft.run(&[&["exec"], more, &["--", "./cargo test"]].concat()).out;
    assert_eq!(ran(&[]), text);
    assert!(ran(&["--filter"]).len() < text.len() / 4, "{}", ran(&["--filter"]));
}

#[test]
fn a_hundred_megabytes_pass_in_bounded_memory() {
    let haft = Haft::configured(BASH_ALLOWED);
    let mut child = haft
        .command(&["exec", "--", "yes 0123456789abcdef0123456789abcde | head -c 100000000"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = child.stdout.take().unwrap();
    let (mut buffer, mut count) = (vec![0; 1 << 16], 0);
    loop {
        let read = out.read(&mut buffer).unwrap();
        if read == 0 {
            break;
        }
        count += read;
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|peak| peak.trim().strip_suffix(" kB")).and_then(|peak| peak.trim().parse::<u64>().ok());
    assert!(child.wait().unwrap().success());
    assert_eq!(count, 100_000_000);
    // It may be gone before anybody looks.
    if let Some(peak) = peak {
        assert!(peak < 64 * 1024, "{peak} KiB");
    }
}

#[test]
fn the_code_of_an_interrupt_is_that_of_a_shell() {
    let haft = Haft::configured(BASH_ALLOWED);
    for (signal, expected) in [("-INT", 130), ("-TERM", 143)] {
        let mark = format!("87{}{expected}", std::process::id());
        let line = format!("echo begun; sleep {mark}");
        let mut child = haft.command(&["exec", "--", &line]).stdout(Stdio::piped()).spawn().unwrap();
        assert!(eventually(|| processes_with(&mark) > 0));
        Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        let mut out = String::new();
        child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        assert_eq!((child.wait().unwrap().code(), out.as_str()), (Some(expected), "begun\n"));
        assert!(eventually(|| processes_with(&mark) == 0));
    }
    let killed = haft.run(&["exec", "--", "kill -9 $$"]);
    assert_eq!(killed.code, 137, "{killed:?}");
}

#[test]
fn what_a_program_prints_is_no_verdict() {
    let haft = Haft::configured(BASH_ALLOWED);
    let line = "command=echo 'test x ... FAILED'; echo 'cat: y: Permission denied' >&2; exit 101";
    let called = haft.run(&["call", "bash", line, "--json"]);
    let report = called.json();
    let exit = &report["raw_response"]["exit_code"];
    assert_eq!((called.code, &report["ok"], exit), (0, &true.into(), &101.into()), "{report}");
    let text = report["text"].as_str().unwrap();
    assert!(text.ends_with("[exit code 101]") && !text.contains("policy_blocked"), "{text}");
    let missing = haft.run(&["call", "bash", "command=cat /no/such/file", "--json"]).json();
    assert_eq!((&missing["ok"], &missing["raw_response"]["exit_code"]), (&true.into(), &1.into()), "{missing}");
}
