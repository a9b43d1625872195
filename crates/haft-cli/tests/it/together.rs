//! `haft undo` where a call was not alone: another session, another command, a person at work. What
//! is taken back is the call's own doing, all of it and nothing else.
#![expect(clippy::unwrap_used, reason = "what fails in a helper fails the test")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{BASH_ALLOWED, Haft, Ran, eventually};

/// What the tested command does, what somebody else does meanwhile, and what is there after the
/// undo.
struct Scenario {
    name: &'static str,
    /// Shell code of the call, before and after the other's doing.
    call: (&'static str, &'static str),
    other: fn(&Other<'_>),
    /// The files that must be there after the undo, with their contents; all others of [`FILES`] as
    /// they were.
    after: &'static [(&'static str, Option<&'static str>)],
    /// Whether something of the call had to stay, and is named.
    keeps: bool,
}

/// What every scenario begins with.
const FILES: [(&str, &str); 5] =
    [("a.txt", "a\n"), ("b.txt", "b\n"), ("src/c.txt", "c\n"), ("src/d.txt", "d\n"), ("old/e.txt", "e\n")];

/// Whoever works at the same time.
struct Other<'a> {
    haft: &'a Haft,
}

impl Other<'_> {
    /// A person saves a file, in place.
    fn saves(&self, name: &str, content: &str) {
        let path = self.haft.workspace.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// A person saves a file as editors do: another one, put in its place.
    fn replaces(&self, name: &str, content: &str) {
        self.saves("editor.tmp", content);
        fs::rename(self.haft.workspace.path("editor.tmp"), self.haft.workspace.path(name)).unwrap();
    }

    fn removes(&self, name: &str) {
        fs::remove_file(self.haft.workspace.path(name)).unwrap();
    }

    /// Another session calls a tool.
    fn calls(&self, arguments: &[&str]) {
        let ran = self.haft.run(&[&["call"], arguments, &["--yes", "--session", "other"]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
    }
}

const NOTHING: fn(&Other<'_>) = |_| {};
const EDITS_B: fn(&Other<'_>) = |other| other.calls(&["edit", "path=b.txt", "old_string=b", "new_string=OTHER"]);
const SAVES_B: fn(&Other<'_>) = |other| other.saves("b.txt", "PERSON\n");
const SAVES_NEW: fn(&Other<'_>) = |other| other.saves("new/by/person.txt", "PERSON\n");

#[rustfmt::skip]
const SCENARIOS: &[Scenario] = &[
    // Alone: everything of the call goes back.
    Scenario { name: "alone: writes", call: ("echo x > a.txt", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: appends", call: ("echo x >> a.txt", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: removes", call: ("rm a.txt", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: removes a folder", call: ("rm -r src", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: renames", call: ("mv a.txt z.txt", ""), other: NOTHING, after: &[("z.txt", None)], keeps: false },
    Scenario { name: "alone: renames a folder", call: ("mv src moved", ""), other: NOTHING, after: &[("moved/c.txt", None)], keeps: false },
    Scenario { name: "alone: renames over", call: ("mv a.txt b.txt", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: renames a folder and works in it", call: ("mv src moved; echo x > moved/c.txt; rm moved/d.txt", ""), other: NOTHING, after: &[("moved/c.txt", None)], keeps: false },
    Scenario { name: "alone: copies", call: ("cp -r src copy", ""), other: NOTHING, after: &[("copy/c.txt", None)], keeps: false },
    Scenario { name: "alone: makes", call: ("mkdir -p n/m; echo x > n/m/f", ""), other: NOTHING, after: &[("n/m/f", None)], keeps: false },
    Scenario { name: "alone: truncates", call: ("truncate -s 0 a.txt; : > b.txt", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: edits in place", call: ("sed -i s/a/X/ a.txt", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: by python", call: ("python3 -c \"open('a.txt','r+').write('X')\"", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: by a mapping", call: ("python3 -c \"import mmap; f=open('a.txt','r+b'); m=mmap.mmap(f.fileno(),0); m[0:1]=b'X'; m.flush(); m.close(); f.close()\"", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: from another folder", call: ("(cd src && echo x > ../a.txt && echo y > c.txt)", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: relative to a descriptor", call: ("python3 -c \"import os; d=os.open('src',os.O_RDONLY); os.unlink('c.txt',dir_fd=d); os.mkdir('m',dir_fd=d)\"", ""), other: NOTHING, after: &[("src/m", None)], keeps: false },
    Scenario { name: "alone: through a link", call: ("ln -s src/c.txt l; echo x > l", ""), other: NOTHING, after: &[("l", None)], keeps: false },
    Scenario { name: "alone: through a link to a folder", call: ("ln -s src l; echo x > l/c.txt; rm l/d.txt", ""), other: NOTHING, after: &[("l", None)], keeps: false },
    Scenario { name: "alone: through another name", call: ("ln a.txt h; echo x > h", ""), other: NOTHING, after: &[("h", None)], keeps: false },
    Scenario { name: "alone: in the background of the line", call: ("(sleep 0.05; echo x > a.txt) & wait", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: with find and xargs", call: ("find src -type f | xargs rm", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: unpacks", call: ("tar cf t.tar src && rm -r src && tar xf t.tar && rm t.tar && echo x > src/c.txt", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: temporary file renamed", call: ("echo x > t && mv t a.txt", ""), other: NOTHING, after: &[("t", None)], keeps: false },
    Scenario { name: "alone: rights", call: ("chmod 600 a.txt; python3 -c \"import os; os.fchmod(os.open('b.txt',os.O_RDONLY),0o600)\"", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: makes a link", call: ("ln -s a.txt s", ""), other: NOTHING, after: &[("s", None)], keeps: false },
    Scenario { name: "alone: swaps", call: ("mv a.txt t; mv b.txt a.txt; mv t b.txt", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: removes and makes again", call: ("rm a.txt; echo z > a.txt", ""), other: NOTHING, after: &[], keeps: false },
    Scenario { name: "alone: makes and removes", call: ("touch t; rm t", ""), other: NOTHING, after: &[("t", None)], keeps: false },
    Scenario { name: "alone: in a shell of its own", call: ("bash -c 'cd src; for f in *.txt; do echo x >> $f; done'", ""), other: NOTHING, after: &[], keeps: false },
    // A person works on other files.
    Scenario { name: "reads while a person saves", call: ("cat a.txt", "cat b.txt"), other: SAVES_B, after: &[("b.txt", Some("PERSON\n"))], keeps: false },
    Scenario { name: "writes while a person saves", call: ("echo x > a.txt", "echo y > src/c.txt"), other: SAVES_B, after: &[("b.txt", Some("PERSON\n"))], keeps: false },
    Scenario { name: "writes while an editor replaces", call: ("echo x > a.txt", ""), other: |other| other.replaces("b.txt", "PERSON\n"), after: &[("b.txt", Some("PERSON\n"))], keeps: false },
    Scenario { name: "writes while a person makes a folder", call: ("echo x > a.txt", ""), other: SAVES_NEW, after: &[("new/by/person.txt", Some("PERSON\n"))], keeps: false },
    Scenario { name: "writes while a person removes", call: ("echo x > a.txt", ""), other: |other| other.removes("b.txt"), after: &[("b.txt", None)], keeps: false },
    Scenario { name: "a person saves beside, in the same folder", call: ("echo x > src/c.txt", ""), other: |other| other.saves("src/d.txt", "PERSON\n"), after: &[("src/d.txt", Some("PERSON\n"))], keeps: false },
    Scenario { name: "a person makes a file in the same folder", call: ("rm src/c.txt", ""), other: |other| other.saves("src/n.txt", "PERSON\n"), after: &[("src/n.txt", Some("PERSON\n"))], keeps: false },
    Scenario { name: "a person saves into a new folder of the call", call: ("mkdir made; echo x > made/x", ""), other: |other| other.saves("made/p.txt", "PERSON\n"), after: &[("made/p.txt", Some("PERSON\n")), ("made/x", None)], keeps: true },
    Scenario { name: "a person renames", call: ("echo x > a.txt", ""), other: |other| fs::rename(other.haft.workspace.path("b.txt"), other.haft.workspace.path("q.txt")).unwrap(), after: &[("b.txt", None), ("q.txt", Some("b\n"))], keeps: false },
    Scenario { name: "a person changes rights", call: ("echo x > a.txt", ""), other: |other| fs::set_permissions(other.haft.workspace.path("b.txt"), fs::Permissions::from_mode(0o600)).unwrap(), after: &[], keeps: false },
    Scenario { name: "a person saves and the call opens to read", call: ("cat b.txt", "grep -c x b.txt; test -w b.txt"), other: SAVES_B, after: &[("b.txt", Some("PERSON\n"))], keeps: false },
    Scenario { name: "a person uses git beside", call: ("echo x > a.txt", ""), other: |other| other.saves(".git/refs/heads/main", "1\n"), after: &[(".git/refs/heads/main", Some("1\n"))], keeps: false },
    Scenario { name: "an editor makes its own files", call: ("echo x > a.txt", ""), other: |other| { other.saves(".b.swp", "1"); other.saves("b.txt~", "b\n"); other.saves("b.txt", "PERSON\n") }, after: &[(".b.swp", Some("1")), ("b.txt~", Some("b\n")), ("b.txt", Some("PERSON\n"))], keeps: false },
    Scenario { name: "a person saves many files", call: ("rm a.txt", ""), other: |other| { other.saves("src/c.txt", "P1\n"); other.saves("src/d.txt", "P2\n"); other.saves("old/e.txt", "P3\n") }, after: &[("src/c.txt", Some("P1\n")), ("src/d.txt", Some("P2\n")), ("old/e.txt", Some("P3\n"))], keeps: false },
    Scenario { name: "what a person makes is put aside, and stays", call: ("echo x > a.txt", ""), other: |other| other.saves(".envrc", "PERSON\n"), after: &[(".envrc.held", Some("PERSON\n"))], keeps: false },
    Scenario { name: "what the call makes is put aside, and goes", call: ("python3 -c \"open('.env'+'rc','w')\"", ""), other: NOTHING, after: &[(".envrc.held", None), (".envrc", None)], keeps: false },
    // A person works on the same file: what cannot be told apart stays, and is named.
    Scenario { name: "a person saves, then the call writes", call: ("true", "echo x > b.txt"), other: SAVES_B, after: &[("b.txt", Some("x\n"))], keeps: true },
    Scenario { name: "a person saves, then the call removes", call: ("true", "rm b.txt"), other: SAVES_B, after: &[("b.txt", None)], keeps: true },
    Scenario { name: "a person saves, then the call renames over", call: ("true", "echo x > t; mv t b.txt"), other: SAVES_B, after: &[("b.txt", Some("x\n")), ("t", None)], keeps: true },
    Scenario { name: "a person removes, then the call makes", call: ("true", "echo x > b.txt"), other: |other| other.removes("b.txt"), after: &[("b.txt", Some("x\n"))], keeps: true },
    Scenario { name: "a person makes, then the call overwrites", call: ("true", "echo x > n.txt"), other: |other| other.saves("n.txt", "PERSON\n"), after: &[("n.txt", Some("x\n"))], keeps: true },
    // Another session works with its own calls.
    Scenario { name: "edits of another session stay", call: ("echo x > a.txt", ""), other: EDITS_B, after: &[("b.txt", Some("OTHER\n"))], keeps: false },
    Scenario { name: "a command that only waits has no part in them", call: ("true", "true"), other: EDITS_B, after: &[("b.txt", Some("OTHER\n"))], keeps: false },
    Scenario { name: "another session writes a new file", call: ("rm a.txt", ""), other: |other| other.calls(&["write", "path=n.txt", "content=OTHER"]), after: &[("n.txt", Some("OTHER"))], keeps: false },
    Scenario { name: "another session removes", call: ("rm a.txt", ""), other: |other| other.calls(&["delete_path", "path=b.txt"]), after: &[("b.txt", None)], keeps: false },
    Scenario { name: "another session moves a folder", call: ("rm a.txt", ""), other: |other| other.calls(&["move_path", "source=old", "destination=new"]), after: &[("old/e.txt", None), ("new/e.txt", Some("e\n"))], keeps: false },
    Scenario { name: "another session runs a command", call: ("echo x > a.txt", "echo y > src/c.txt"), other: |other| other.calls(&["bash", "command=echo OTHER > b.txt; rm src/d.txt"]), after: &[("b.txt", Some("OTHER\n")), ("src/d.txt", None)], keeps: false },
    Scenario { name: "another session copies", call: ("rm a.txt", ""), other: |other| other.calls(&["copy_path", "source=src", "destination=copy"]), after: &[("copy/c.txt", Some("c\n")), ("copy/d.txt", Some("d\n"))], keeps: false },
    Scenario { name: "two commands in one folder", call: ("echo x > src/c.txt", "echo x > src/mine"), other: |other| other.calls(&["bash", "command=echo OTHER > src/theirs; echo OTHER >> src/d.txt"]), after: &[("src/mine", None), ("src/theirs", Some("OTHER\n")), ("src/d.txt", Some("d\nOTHER\n"))], keeps: false },
    Scenario { name: "both make files in one new folder", call: ("mkdir n; echo x > n/x", ""), other: |other| other.calls(&["bash", "command=echo OTHER > n/o"]), after: &[("n/x", None), ("n/o", Some("OTHER\n"))], keeps: true },
    Scenario { name: "the call writes, then another session edits the same", call: ("echo x > b.txt", ""), other: |other| other.calls(&["edit", "path=b.txt", "old_string=x", "new_string=OTHER"]), after: &[("b.txt", Some("OTHER\n"))], keeps: true },
    Scenario { name: "another session edits, then the call writes the same", call: ("true", "echo x > b.txt"), other: EDITS_B, after: &[("b.txt", Some("x\n"))], keeps: true },
    Scenario { name: "another session edits, then the call appends", call: ("true", "echo x >> b.txt"), other: EDITS_B, after: &[("b.txt", Some("OTHER\nx\n"))], keeps: true },
];

/// Does what `call` says; between its two parts somebody else does something.
fn together(haft: &Haft, call: (&str, &str), meanwhile: impl FnOnce(&Other<'_>)) -> Ran {
    // In a folder that undo does not look at.
    haft.workspace.file("node_modules/keep", "");
    let (at, go) = ("node_modules/at", "node_modules/go");
    let line = format!("command={}\n: > {at}; until [ -e {go} ]; do sleep 0.01; done\n{}\ntrue", call.0, call.1);
    let mut command = haft.command(&["call", "bash", &line, "--yes", "--session", "mine"]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    assert!(eventually(|| haft.workspace.path(at).exists()), "{call:?} runs");
    meanwhile(&Other { haft });
    haft.workspace.file(go, "");
    let output = child.wait_with_output().unwrap();
    fs::remove_dir_all(haft.workspace.path("node_modules")).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { code: output.status.code().unwrap_or(-1), out: text(&output.stdout), err: text(&output.stderr) }
}

/// Every file of the workspace with its content and rights.
fn files(root: &Path) -> BTreeMap<String, (String, u32)> {
    let (mut found, mut pending) = (BTreeMap::new(), vec![root.to_owned()]);
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                pending.push(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            let mode = fs::symlink_metadata(&path).unwrap().mode() & 0o777;
            found.insert(name, (fs::read_to_string(&path).unwrap_or_default(), mode));
        }
    }
    found
}

fn workspace() -> Haft {
    let haft = Haft::configured(BASH_ALLOWED);
    for (name, content) in FILES {
        haft.workspace.file(name, content);
    }
    haft.workspace.file(".git/HEAD", "ref: refs/heads/main\n");
    haft
}

fn check(scenario: &Scenario) {
    let haft = workspace();
    let mut expected = files(haft.workspace.root());
    let ran = together(&haft, scenario.call, scenario.other);
    assert_eq!(ran.code, 0, "{}: {ran:?}", scenario.name);
    let left = files(haft.workspace.root());
    for (name, content) in scenario.after {
        match content {
            Some(content) => {
                let mode = left.get(*name).map_or(0o644, |(_, mode)| *mode);
                expected.insert((*name).to_owned(), ((*content).to_owned(), mode));
            }
            None => drop(expected.remove(*name)),
        }
    }
    if scenario.name == "a person changes rights" {
        expected.get_mut("b.txt").unwrap().1 = 0o600;
    }
    let ran = haft.run(&["undo", "--session", "mine"]);
    assert_eq!(files(haft.workspace.root()), expected, "{}: {ran:?}", scenario.name);
    assert_eq!(ran.code, i32::from(scenario.keeps), "{}: {ran:?}", scenario.name);
    if scenario.keeps {
        assert!(ran.out.contains("kept"), "{}: {ran:?}", scenario.name);
    }
}

#[test]
fn what_is_taken_back_is_the_calls_own_doing() {
    assert!(SCENARIOS.len() >= 60, "{}", SCENARIOS.len());
    std::thread::scope(|scope| {
        for part in SCENARIOS.chunks(SCENARIOS.len().div_ceil(4)) {
            scope.spawn(move || part.iter().for_each(check));
        }
    });
}

#[test]
fn what_others_changed_meanwhile_is_named() {
    let haft = workspace();
    together(&haft, ("echo x > a.txt", ""), SAVES_B);
    let ran = haft.run(&["undo"]);
    assert!(ran.out.contains("restored a.txt") && ran.out.contains("skipped  b.txt"), "{ran:?}");
    assert!(ran.err.contains("changed by something else while the call ran"), "{ran:?}");
}

#[test]
fn an_undo_is_taken_back_itself() {
    let haft = workspace();
    let before = files(haft.workspace.root());
    let ran = haft.run(&[
        "call",
        "bash",
        "command=echo x > a.txt; rm -r src; mkdir n; echo y > n/f; chmod 600 b.txt",
        "--yes",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let changed = files(haft.workspace.root());
    for _ in 0..2 {
        let ran = haft.run(&["undo"]);
        assert_eq!((ran.code, files(haft.workspace.root())), (0, before.clone()), "{ran:?}");
        let ran = haft.run(&["redo"]);
        assert_eq!((ran.code, files(haft.workspace.root())), (0, changed.clone()), "{ran:?}");
    }
    // What somebody changed since the undo stays.
    assert_eq!(haft.run(&["undo"]).code, 0);
    haft.workspace.file("a.txt", "PERSON\n");
    let ran = haft.run(&["redo"]);
    assert_eq!((ran.code, haft.workspace.read("a.txt").unwrap()), (1, b"PERSON\n".to_vec()), "{ran:?}");
    assert!(haft.workspace.path("n/f").exists() && !haft.workspace.path("src").exists(), "{ran:?}");
    assert!(haft.run(&["redo"]).err.contains("nothing to redo"), "there is no further undo");
}

#[test]
fn an_undo_while_a_command_runs_is_no_part_of_it() {
    let haft = workspace();
    let edit = ["call", "edit", "path=b.txt", "old_string=b", "new_string=B", "--yes", "--session", "other"];
    assert_eq!(haft.run(&edit).code, 0);
    together(&haft, ("true", "true"), |other| {
        assert_eq!(other.haft.run(&["undo", "--session", "other"]).code, 0);
    });
    let ran = haft.run(&["undo"]);
    assert_eq!(haft.workspace.read("b.txt").unwrap(), b"b\n", "{ran:?}");
}

#[test]
fn calls_are_named_by_their_numbers_and_their_sessions() {
    let haft = workspace();
    for (name, session) in [("1", "s1"), ("2", "s2"), ("3", "s1"), ("4", "s2"), ("5", "s1")] {
        let line = format!("command=echo {name} > f{name}");
        assert_eq!(haft.run(&["call", "bash", &line, "--yes", "--session", session]).code, 0);
    }
    let there = |haft: &Haft| (1..=5).filter(|n| haft.workspace.path(format!("f{n}")).exists()).collect::<Vec<_>>();
    let list = haft.run(&["undo", "--list"]).out;
    assert_eq!(list.lines().count(), 5, "{list}");
    assert!(
        list.lines().next().is_some_and(|line| line.contains("s1") && line.contains("`echo 5 > f5` +f5")),
        "{list}"
    );
    let list = haft.run(&["undo", "--list", "--session", "s2"]).out;
    assert!(list.lines().count() == 2 && list.contains("f4") && list.contains("f2"), "{list}");
    assert_eq!(haft.run(&["undo", "3"]).code, 0);
    assert_eq!(there(&haft), [1, 2, 4, 5]);
    assert_eq!(haft.run(&["undo", "--session", "s2"]).code, 0);
    assert_eq!(there(&haft), [1, 2, 5]);
    let ran = haft.run(&["undo", "3"]);
    assert!(ran.code != 0 && ran.err.contains("no call 3"), "{ran:?}");
    assert_eq!(haft.run(&["undo", "1", "5"]).code, 0);
    assert_eq!(there(&haft), [2]);
}

#[test]
fn a_call_that_stays_does_not_stand_in_the_way() {
    let haft = workspace();
    assert_eq!(haft.run(&["call", "bash", "command=echo x > a.txt", "--yes"]).code, 0);
    assert_eq!(haft.run(&["call", "bash", "command=echo x > b.txt", "--yes"]).code, 0);
    haft.workspace.file("b.txt", "PERSON\n");
    let ran = haft.run(&["undo"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(haft.run(&["undo"]).code, 0);
    assert_eq!(haft.workspace.read("a.txt").unwrap(), b"a\n");
    // By its number it can still be asked for.
    haft.workspace.file("b.txt", "x\n");
    assert_eq!(haft.run(&["undo", "2"]).code, 0);
    assert_eq!(haft.workspace.read("b.txt").unwrap(), b"b\n");
}

#[test]
fn one_file_of_two_names_and_its_attributes_survive() {
    let haft = workspace();
    let at = |name: &str| haft.workspace.path(name);
    fs::hard_link(at("a.txt"), at("same.txt")).unwrap();
    let set = "import os,sys; os.setxattr(sys.argv[1],'user.haft',b'kept')";
    let has_attributes = Command::new("python3").args(["-c", set]).arg(at("b.txt")).status().is_ok_and(|s| s.success());
    if !has_attributes {
        println!("skipped: no extended attributes here");
    }
    for line in
        ["rm a.txt b.txt", "echo x > a.txt; rm b.txt", "rm a.txt same.txt; echo y > b.txt.new; mv b.txt.new b.txt"]
    {
        let ran = haft.run(&["call", "bash", &format!("command={line}"), "--yes"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let ran = haft.run(&["undo"]);
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        let (one, other) = (fs::metadata(at("a.txt")).unwrap(), fs::metadata(at("same.txt")).unwrap());
        assert_eq!((one.ino(), haft.workspace.read("same.txt").unwrap()), (other.ino(), b"a\n".to_vec()), "{line}");
        if has_attributes {
            let get = "import os,sys; sys.exit(os.getxattr(sys.argv[1],'user.haft')!=b'kept')";
            let kept = Command::new("python3").args(["-c", get]).arg(at("b.txt")).status().unwrap();
            assert!(kept.success(), "{line}: {ran:?}");
        }
    }
}
