//! Lines with their expected findings and reasons: `line ⇥ verdict ⇥ part of the reason`. A
//! `⏎` is a line break.

use super::{Surroundings, analyse};
use crate::effect::Effect;

/// Every reason to ask about a line before it runs.
fn reasons(line: &str) -> Vec<String> {
    let around = Surroundings { home: "/home/me".to_owned(), workdir: "/home/me/project".to_owned() };
    let found = analyse(&line.replace('⏎', "\n"), &around);
    let unknown = found.writes.iter().filter(|file| !file.is_exact || file.has_pattern);
    let unknown = unknown.map(|file| format!("a file known only when it runs: {}", file.text));
    found.opaque.iter().cloned().chain(unknown).collect()
}

#[test]
fn lines_are_asked_about_for_the_reason_that_is_given() {
    let mut wrong = Vec::new();
    for row in include_str!("../fixtures/evaluation.tsv").lines() {
        let [line, verdict, reason] = row.split('\t').collect::<Vec<_>>()[..] else { panic!("three columns: {row}") };
        let found = reasons(line);
        let is_met = match verdict {
            "opaque" => found.iter().any(|why| why.contains(reason)),
            "clear" => found.is_empty(),
            other => panic!("no verdict: {other}"),
        };
        if !is_met {
            wrong.push(format!("{line} ({verdict}, {reason}): {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn redirections_to_hosts_are_connections() {
    let check = |line: &str, expected: &[&str]| {
        let found = analyse(line, &Surroundings::default());
        let hosts: Vec<&str> = found.connects.iter().map(|host| host.text.as_str()).collect();
        assert_eq!(hosts, expected, "{line}");
        assert!(found.reads.is_empty() && found.writes.is_empty(), "{line}");
    };
    check("cat < /dev/tcp/host/80", &["host:80"]);
    check("exec 3<>/dev/udp/1.2.3.4/53", &["1.2.3.4:53"]);
    check("h=example.org; echo x > \"/dev/tcp/$h/80\"", &["example.org:80"]);
    check("cat < /dev/tcp/$h/80", &["/dev/tcp/$h/80"]);
}

#[test]
fn what_is_started_in_another_folder_is_found_there() {
    let check = |line: &str, program: &str, folder: Option<&str>| {
        let around = Surroundings { home: "/home/me".to_owned(), workdir: "/w".to_owned() };
        let found = analyse(line, &around);
        let command = found.commands.iter().find(|command| command.program.text == program).expect("it is found");
        assert_eq!(command.folder.as_deref(), folder, "{line}");
    };
    check("env -C bin ./t", "./t", Some("/w/bin"));
    check("cd a && env --chdir=bin ./t", "./t", Some("/w/a/bin"));
    check("env -C a -C b ./t", "./t", Some("/w/b"));
    check("env -C \"$x\" ./t", "./t", None);
    check("env -C bin ls; ./t", "./t", Some("/w"));
    check("uv run --directory bin ./t", "./t", Some("/w/bin"));
    check("pnpm -C bin exec ./t", "./t", Some("/w/bin"));
    check("poetry -C bin run ./t", "./t", Some("/w/bin"));
}

#[test]
fn what_a_line_puts_together_from_its_own_texts_is_denied_as_if_it_stood_there() {
    let is_denied = |line: &str| {
        let found = analyse(&line.replace('⏎', "\n"), &Surroundings::default());
        let mut effects = found.commands.iter().flat_map(|command| &command.effects);
        let is_denied = effects.any(|effect| matches!(effect, Effect::Is { kind, .. } if kind.is_denied()));
        assert!(!is_denied || !found.opaque.is_empty(), "{line}");
        is_denied
    };
    let denied = [
        "X='sudo x'; eval \"$X\"", "X=sudo; eval \"$X x\"", "eval $(echo sudo x)", "a=(sudo x); \"${a[@]}\"",
        "a=(); a+=(sudo); a+=(x); \"${a[@]}\"", "a=(sudo x); eval \"${a[*]}\"", "source <(echo sudo x)",
        ". <(printf '%s\\n' 'sudo x')", "bash <(echo 'sudo x')", "X=sudo; $X x", "X='sudo x'; $X", "X=su; ${X}do x",
        "for x in a sudo; do $x y; done", "if a; then X=ls; else X=sudo; fi; $X y", "${X:-sudo} x", "$(echo sudo) x",
        "$nil sudo x", "read X <<< sudo; $X x", "printf -v X sudo; $X x", "export X=sudo; $X x",
        "set -- sudo x; \"$@\"", "f() { \"$@\"; }; f sudo x", "X='sudo x'; bash <<< \"$X\"",
        "X='sudo x'; echo \"$X\" | sh", "cat <<E | bash⏎sudo x⏎E", "printf '%s\\n' 'sudo x' | sh",
        "source /dev/stdin <<< 'sudo x'", "bash -c \"$(echo sudo x)\"", "X='sudo x'; trap \"$X\" EXIT",
    ];
    for line in denied {
        assert!(is_denied(line), "{line}");
    }
    let others = [
        "X=ls; $X sudo", "X=sudo; echo \"$X\"", "X=sudo; command -v $X", "a=(sudo x); printf '%s ' \"${a[@]}\"",
        "grep bash <<< 'sudo x'", "bash x.sh <<< 'sudo x'", "bash -c cat <<< 'sudo x'", "cat <(echo sudo x)",
        "$CC -c sudo.c",
    ];
    for line in others {
        assert!(!is_denied(line), "{line}");
    }
}

#[test]
fn texts_that_are_put_together_change_nothing_behind_them() {
    let check = |line: &str, reason: &str| assert!(reasons(line).iter().any(|why| why.contains(reason)), "{line}");
    check("X='cd y'; $X; echo z > Makefile; make", "written by this very line");
    check("X='sudo() { :; }'; eval \"$X\"; sh -c \"$x\"", "known only then");
    assert!(reasons("X='echo y > z.sh'; echo \"$X\"; sh z.sh").is_empty());
}
