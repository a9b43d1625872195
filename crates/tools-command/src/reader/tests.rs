//! Lines with their expected findings and reasons: `line ⇥ verdict ⇥ part of the reason`. A
//! `⏎` stands for a line break.

use super::{Surroundings, analyse};

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
