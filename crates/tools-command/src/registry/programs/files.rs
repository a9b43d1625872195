//! Creating, copying, moving, linking and removing files.

use std::path::Path;

use crate::plain_path;
use crate::reader::{PLACEHOLDER, Value};
use crate::registry::prelude::*;
use tools_core::{Access, is_guarded, leads_to_guarded};

/// Options that `cp`, `mv`, `ln` and `install` share.
const COPY: Program = Program {
    flags: "-f|--force -i|--interactive -n|--no-clobber -T|--no-target-directory -v|--verbose --strip-trailing-slashes --debug \
            -R|-r|--recursive -a|--archive -d -l|--link -L|--dereference|--logical -P|--no-dereference|--physical -H -x|--one-file-system \
            --parents --attributes-only --copy-contents --remove-destination -p -s|--symbolic|--symbolic-link -c -D -Z --exchange \
            -C|--compare --preserve-timestamps --preserve-context -F|--directory --relative --keep-directory-symlink",
    valued: "-t|--target-directory -S|--suffix -g|--group -m|--mode -o|--owner --strip-program --sparse --no-preserve",
    optional: "-b|--backup -u|--update --reflink --preserve --context",
    ..Program::GNU
};

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["rm", "srm", "wipe", "grm", "trash", "trash-put"],
        flags: "-f|--force -i -I -r|-R|--recursive -d|--dir -v|--verbose -x|--one-file-system --no-preserve-root -q -s -z -l -P -W",
        optional: "--interactive --preserve-root",
        rules: &[
            when(Has("--no-preserve-root"), DeletesTrees(At::Path("/"))),
            when(Has("--recursive"), DeletesTrees(At::All)),
            when(Lacks("--recursive"), Deletes(At::All)),
        ],
        is_exhaustive: true,
        examples: &[
            ("rm a b", Expect::Deletes("b")),
            ("rm -rf -- -x", Expect::Deletes("-x")),
            ("rm --rec x", Expect::Deletes("x")),
            ("rm --no-pres -r x", Expect::Deletes("/")),
        ],
        ..Program::GNU
    },
    Program {
        names: &["shred"],
        flags: "-f|--force -v|--verbose -x|--exact -z|--zero -u",
        valued: "-n|--iterations --random-source -s|--size",
        optional: "--remove",
        rules: &[always(Is(Consequence::Destroys)), always(Writes(At::All))],
        is_exhaustive: true,
        examples: &[("shred -uz x", Expect::Asks("destroys files")), ("shred -n 3 x", Expect::Writes("x"))],
        ..Program::GNU
    },
    Program {
        names: &["unlink"],
        rules: &[always(Is(Consequence::Destroys)), always(Deletes(At::All))],
        is_exhaustive: true,
        examples: &[("unlink x", Expect::Asks("destroys files")), ("unlink x", Expect::Deletes("x"))],
        ..Program::GNU
    },
    Program {
        names: &["rmdir"],
        flags: "-p|--parents -v|--verbose --ignore-fail-on-non-empty",
        rules: &[always(Deletes(At::All))],
        is_exhaustive: true,
        examples: &[("rmdir -p a/b", Expect::Deletes("a/b"))],
        plain_lines: &["rmdir x"],
        ..Program::GNU
    },
    copier(
        &["mv", "gmv"],
        &[
            ("mv a b", Expect::Writes("b")),
            ("mv a b", Expect::Deletes("a")),
            ("mv -t .git/hooks x", Expect::Writes(".git/hooks/x")),
            ("mv x/config .git/", Expect::Writes(".git/config")),
        ],
        &[],
    ),
    copier(
        &["cp", "gcp"],
        &[
            ("cp a b", Expect::Writes("b")),
            ("cp private/a b", Expect::Reads("private/a")),
            ("cp -r x/hooks .git", Expect::Writes(".git/hooks")),
            ("cp --target=.git x/config", Expect::Writes(".git/config")),
            ("cp x/.envrc conf.d", Expect::Writes("conf.d/.envrc")),
            ("cp -s .envrc x.txt", Expect::Writes(".envrc")),
            ("find src -type f -exec cp /dev/null {} \\;", Expect::Asks("empties every file")),
        ],
        &["find src -type f -exec cp {} {}.bak \\;", "cp a b"],
    ),
    copier(
        &["ln"],
        &[
            ("ln -s ../x/.envrc", Expect::Writes(".envrc")),
            ("ln -sf x .git/hooks/pre-commit", Expect::Writes(".git/hooks/pre-commit")),
            ("ln -s .envrc x.txt", Expect::Writes(".envrc")),
            ("ln -s ../.github x/y.d", Expect::Writes("x/../.github")),
            ("ln -s ../private x/p && cat x/p/a", Expect::Reads("/home/me/project/private/a")),
            ("ln -s /etc/cron.d c; cd c; touch x", Expect::Writes("/etc/cron.d/x")),
            ("ln -s a b; ln -s b c; tee c/x", Expect::Writes("/home/me/project/a/x")),
            ("ln -sr private x/p; cat x/p/a", Expect::Reads("/home/me/project/private/a")),
        ],
        &["cat x/p/a; ln -s ../shared/config.toml config.toml", "ln -s ../shared/config.toml config.toml"],
    ),
    copier(
        &["link"],
        &[
            ("link .envrc x.txt", Expect::Writes(".envrc")),
            ("link x/a b; cat b", Expect::Reads("/home/me/project/x/a")),
        ],
        &["link a b"],
    ),
    copier(
        &["install", "ginstall"],
        &[
            ("install -m 755 x .git/hooks/pre-commit", Expect::Writes(".git/hooks/pre-commit")),
            ("install -m4755 x y", Expect::Asks("its owner's rights")),
            ("install -s --strip-program='rm -rf z' x y", Expect::Runs("rm -rf z $@")),
        ],
        &["install -Dm644 x y/z"],
    ),
    Program {
        family: &["mkdir", "mkfifo", "touch"],
        flags: "-p|--parents -v|--verbose -Z -a -c|--no-create -f -h|--no-dereference",
        valued: "-d|--date -r|--reference -t --time -m|--mode",
        optional: "--context",
        rules: &[always(Writes(At::All))],
        builds: true,
        is_exhaustive: true,
        examples: &[
            ("mkdir -p .git/hooks", Expect::Writes(".git/hooks")),
            ("touch -d yesterday x", Expect::Writes("x")),
            ("mkfifo -m 600 x", Expect::Writes("x")),
        ],
        plain_lines: &["mkdir -p a/{b,c}"],
        ..Program::GNU
    },
    Program {
        names: &["mknod"],
        flags: "-Z",
        valued: "-m|--mode",
        optional: "--context",
        rules: &[
            always(Writes(At::Nth(0))),
            when(Operand("b c u"), Says(Consequence::ChangesSystem, "makes a device")),
        ],
        examples: &[("mknod x b 8 0", Expect::Asks("makes a device"))],
        plain_lines: &["mknod x p"],
        ..Program::GNU
    },
    Program {
        names: &["truncate"],
        flags: "-c|--no-create -o|--io-blocks",
        valued: "-s|--size -r|--reference",
        rules: &[always(Is(Consequence::Destroys)), always(Writes(At::All))],
        is_exhaustive: true,
        examples: &[("truncate -s 0 x", Expect::Asks("destroys files")), ("truncate -s0 x", Expect::Writes("x"))],
        ..Program::GNU
    },
    Program {
        family: &["dd", "dcfldd", "dc3dd"],
        flags: "-*",
        rules: &[always(Reads(At::Rest("if="))), always(Writes(At::Rest("of="))), always(By(raw))],
        is_exhaustive: true,
        examples: &[
            ("dd if=private/x bs=1", Expect::Reads("private/x")),
            ("dd if=x of=.envrc", Expect::Writes(".envrc")),
            ("dd if=/dev/sda of=x", Expect::Denied("more than a file")),
            ("dd if=$x of=y", Expect::Denied("more than a file")),
            ("dd if=x of=/dev/../dev/sda", Expect::Denied("more than a file")),
        ],
        plain_lines: &["dd if=/dev/zero of=x bs=1M count=1", "dd if=x bs=1 count=5"],
        ..Program::EXACT
    },
];

const COPIES: &[Rule] = &[
    always(By(copied)),
    always(RunsLineWithMore(At::Value("--strip-program"))),
    when(Has("--mode"), By(special_mode)),
];

/// A program that puts files in another place. What it reads and removes depends on its name.
const fn copier(
    names: &'static [&'static str],
    examples: &'static [Example],
    plain_lines: &'static [&'static str],
) -> Program {
    Program { names, rules: COPIES, is_exhaustive: true, examples, plain_lines, ..COPY }
}

/// The sources and the targets. A target is the path itself, or a file in it if it may be a folder.
fn copied(parsed: &Parsed<'_>) -> Vec<Effect> {
    let name = parsed.program.all_names().first().copied().unwrap_or_default();
    let mut sources: Vec<&Value> = parsed.operands().collect();
    if name == "install" && parsed.has("-d") {
        return sources.into_iter().map(|folder| Effect::path(folder.clone(), Access::Write)).collect();
    }
    let given = parsed.values("--target-directory").last();
    let here = Value::exact(".");
    let target = match given {
        Some(folder) => folder,
        None if sources.len() == 1 => &here,
        None => sources.pop().unwrap_or(&here),
    };
    let is_folder = given.is_some() || sources.len() != 1 || may_be_folder(target);
    let mut found = vec![Effect::path(target.clone(), Access::Write)];
    if empties_found(parsed) {
        found.push(Effect::says(Consequence::Destroys, "empties every file that is found"));
    }
    let is_several = |source: &&&Value| source.has_pattern || source.text.ends_with("/.") || source.text == ".";
    if sources.iter().any(|source| is_several(&source)) && name != "ln" {
        found.push(Effect::Unpacks(target.clone()));
    }
    for source in &sources {
        let inside = inside(target, source);
        // A file with an obeyed name has an effect in any folder.
        let inside = inside.filter(|path| is_folder || is_obeyed(&path.text));
        if makes_links(name, parsed) {
            found.extend(linked(parsed, source, target, inside.as_ref()));
        } else {
            let (access, is_tree) = match name {
                "mv" => (Access::Delete, true),
                _ => (Access::Read, parsed.has("--recursive --archive")),
            };
            found.push(Effect::Path { path: (*source).clone(), access, is_tree });
        }
        found.extend(inside.map(|path| Effect::path(path, Access::Write)));
    }
    found
}

/// Whether programs obey a file of this name in any folder, or one inside it. Files that the system
/// obeys by their whole path are found where they are written.
pub(super) fn is_obeyed(path: &str) -> bool {
    let path = plain_path(Path::new(path.trim_start_matches('/')));
    is_guarded(&path) || leads_to_guarded(&path)
}

/// The path of a source after it is put into a folder.
pub(super) fn inside(folder: &Value, source: &Value) -> Option<Value> {
    let last = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if matches!(last, "" | "." | "..") {
        return None;
    }
    let text = format!("{}/{last}", folder.text.trim_end_matches('/'));
    let text = text.strip_prefix("./").unwrap_or(&text).to_owned();
    Some(Value { text, is_exact: folder.is_exact && source.is_exact, has_pattern: folder.has_pattern })
}

fn makes_links(name: &str, parsed: &Parsed<'_>) -> bool {
    matches!(name, "ln" | "link") || name == "cp" && parsed.has("--link --symbolic")
}

/// The targets of the possible names of a link. Another name for a file that programs obey counts
/// as writing that file.
fn linked(parsed: &Parsed<'_>, source: &Value, target: &Value, inside: Option<&Value>) -> Vec<Effect> {
    // The path in a symbolic link is relative to the link's folder.
    let is_held =
        parsed.has("--symbolic") && !parsed.has("--relative --recursive") && source.is_exact && target.is_exact;
    let names = [Some(target), inside];
    let mut found = Vec::new();
    for link in names.into_iter().flatten() {
        let folder = link.text.trim_end_matches('/').rsplit_once('/').map(|(folder, _)| folder);
        let text = match folder.filter(|_| is_held && !source.text.starts_with('/')) {
            Some(folder) => format!("{folder}/{}", source.text),
            None => source.text.clone(),
        };
        let leads_to = Value { text, ..source.clone() };
        found.push(Effect::path(leads_to.clone(), Access::Read));
        if is_obeyed(&leads_to.text) {
            found.push(Effect::path(leads_to.clone(), Access::Write));
        }
        found.push(Effect::Links { link: link.clone(), target: leads_to });
    }
    found
}

/// Whether `/dev/null` is copied over each file that another program finds.
fn empties_found(parsed: &Parsed<'_>) -> bool {
    let mut targets = parsed.operands().skip_while(|operand| operand.text != "/dev/null");
    targets.any(|target| target.text.contains(PLACEHOLDER))
}

/// Whether a target looks like a folder: its name has no extension.
fn may_be_folder(target: &Value) -> bool {
    let last = target.text.rsplit('/').next().unwrap_or_default();
    !target.is_exact || !last.trim_start_matches('.').contains('.')
}

/// A mode that gives a file the rights of its owner or its group.
pub(super) fn is_special(mode: &str) -> bool {
    let octal = mode.len() > 3 && mode.bytes().all(|byte| byte.is_ascii_digit());
    let special =
        |digits: &str| digits.trim_start_matches('0').len() == 4 && !digits.trim_start_matches('0').starts_with('1');
    let symbolic = |part: &str| part.split_once(['+', '=']).is_some_and(|(_, rights)| rights.contains('s'));
    (octal && special(mode)) || mode.split(',').any(symbolic)
}

fn special_mode(parsed: &Parsed<'_>) -> Vec<Effect> {
    let special = parsed.values("--mode").any(|mode| is_special(&mode.text));
    special.then(|| Effect::says(Consequence::ChangesIdentity, "gives a file its owner's rights")).into_iter().collect()
}

/// Copies of `dd` from or to more than a regular file. Harmless devices do not count.
fn raw(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_device = |value: &Value, plain: &[&str]| {
        let path = plain_path(Path::new(&value.text));
        let device = path.starts_with("/dev") || value.text.contains("../dev/");
        !value.is_exact || (device && !plain.contains(&value.text.as_str()))
    };
    let is_open = |arg: &Value| arg.start().is_some_and(|start| !start.contains('='));
    let copies = |arg: &Value| {
        if is_open(arg) {
            return true;
        }
        let behind = |start: &str| Some(Value { text: arg.text.strip_prefix(start)?.to_owned(), ..arg.clone() });
        let source = behind("if=").is_some_and(|source| {
            is_device(&source, &["/dev/zero", "/dev/null", "/dev/urandom", "/dev/random", "/dev/stdin", "/dev/fd/0"])
        });
        source || behind("of=").is_some_and(|target| is_device(&target, &["/dev/null", "/dev/stdout", "/dev/stderr"]))
    };
    let found = parsed.operands().any(copies);
    found.then(|| Effect::says(Consequence::RewritesDisk, "copies to or from more than a file")).into_iter().collect()
}
