//! `find`: an expression that tests files, and may run programs, write and delete.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::Doubt;
use crate::registry::prelude::*;

/// Tests and actions with one argument.
const VALUED: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size \
                      -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -newerat -newerct -newermm \
                      -newerXY -perm -user -group -uid -gid -links -inum -samefile -fstype -used -context -maxdepth \
                      -mindepth -regextype -printf -D -files0-from -Bmin -Btime -flags";

pub(super) static ALL: &[Program] = &[Program {
    names: &["find", "gfind"],
    flags: "-H -L -P -O# -E -X -d -f -s -x -print -print0 -ls -quit -prune -depth -mount -xdev -follow -daystart -noleaf \
                -empty -executable -readable -writable -true -false -nouser -nogroup -not -and -or -a -o -warn -nowarn \
                -ignore_readdir_race -noignore_readdir_race -delete",
    valued: VALUED, // Options of the programs that it runs stand among its own.
    optional: "-*",
    style: Style::Single,
    rules: &[always(ByOption(expression))],
    is_exhaustive: true,
    prints: &[("find gfind", Prints::FoundNames)],
    examples: &[
        ("find . -exec sudo id \\;", Expect::Denied("takes other rights")),
        ("find . -name '*.x' -execdir sudo id {} +", Expect::Denied("takes other rights")),
        ("find . -ok sudo id ';'", Expect::Denied("takes other rights")),
        ("find . -exec {} \\;", Expect::Opaque("named only when it runs")),
        ("find . -exec sh {} \\;", Expect::Opaque("known only when it runs")),
        ("find -- . $(echo -exec) id +", Expect::Opaque("may be an option")),
        ("find . -exec echo \\; -exec sudo id \\;", Expect::Denied("takes other rights")),
        ("find . $x sudo \\;", Expect::Opaque("known only when it runs")),
        ("find . $(echo -exec id ';')", Expect::Opaque("may be an option")),
        ("find . -maxdepth 0 $(cat x)", Expect::Opaque("may be an option")),
        ("x='-exec id ;'; find . $x", Expect::Opaque("may be an option")),
        ("set -- -exec id ';'; find . \"$@\"", Expect::Opaque("may be an option")),
        ("find . -$(echo exec) id ';'", Expect::Opaque("may be an option")),
        ("find . -e${x:-xec} id {} +", Expect::Opaque("may be an option")),
        ("for a in exec ok; do find . -$a id {} +; done", Expect::Opaque("may be an option")),
        ("f() { local a=$1; find . $a; }; f '-exec id ;'", Expect::Opaque("may be an option")),
        ("env a='-exec id ;' sh -c 'find . $a'", Expect::Opaque("may be an option")),
        ("find . -name $(echo x -exec id ';')", Expect::Opaque("may be an option")),
        ("echo exec | xargs -I{} find . -{} id +", Expect::Opaque("may be an option")),
        ("set -e -- -exec id +; find . \"$@\"", Expect::Opaque("may be an option")),
        ("find build -name '*.o' -delete", Expect::Asks("deletes files")),
        ("find build -delete", Expect::Deletes("build")),
        ("find . -fprint .envrc", Expect::Writes(".envrc")),
        ("find . -fprintf out.txt %p", Expect::Writes("out.txt")),
        ("find . -name .envrc -exec tee {} +", Expect::Writes("./**/.envrc")),
        ("find . -name .envrc -exec env -u x tee {} +", Expect::Writes("./**/.envrc")),
        ("find src -type f", Expect::Reads("src")),
        ("find -L -O3 -D tree build -delete", Expect::Deletes("build")),
    ],
    plain_lines: &[
        "find . -name \"$(echo x)\" -maxdepth $depth", "for d in 1 2; do find . -maxdepth $d -name *.$d; done",
        "set -euo pipefail; f() { find \"$1\" -name x; }; f src", "find \"$dir\" -name x",
        "find $(pwd) $(dirname $(which sh)) -name x", "find src tests -name '*.rs' -not -path './x/*'",
        "find . -name '*.py' -exec grep -l x {} +",
    ],
    ..Program::GNU
}];

/// Number of option arguments before the starting points.
fn options(args: &[Value]) -> usize {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += match arg.text.as_str() {
            "-H" | "-L" | "-P" | "-E" | "-X" | "-d" | "-s" | "-x" => 1,
            "-D" => 2,
            text if text.starts_with("-O") => 1,
            _ => break,
        };
    }
    at.min(args.len())
}

/// Patterns for the names that are found, as far as tests determine them.
fn found_names(args: &[Value], starts: &[Value]) -> Vec<Value> {
    let is_negated = |at: usize| at > 0 && matches!(args[at - 1].text.as_str(), "!" | "-not");
    let named = args.windows(2).enumerate().filter(|(at, _)| !is_negated(*at));
    let mut found = Vec::new();
    for (_, pair) in named.filter(|(_, pair)| pair[1].is_exact) {
        let pattern = |text: String| Value { text, is_exact: true, has_pattern: true };
        match pair[0].text.as_str() {
            "-name" | "-iname" => {
                let inside =
                    |start: &Value| pattern(format!("{}/**/{}", start.text.trim_end_matches('/'), pair[1].text));
                found.extend(starts.iter().filter(|start| start.is_exact).map(inside));
            }
            "-path" | "-ipath" | "-wholename" | "-iwholename" => found.push(pattern(pair[1].text.clone())),
            _ => {}
        }
    }
    found
}

/// Reads the starting points and every action of the expression.
fn expression(parsed: &Parsed<'_>) -> Vec<Effect> {
    let args = &parsed.command.args;
    let first = options(args);
    let begins = |arg: &Value| arg.text.starts_with('-') || matches!(arg.text.as_str(), "(" | ")" | "!" | ",");
    let end = args.iter().skip(first).position(begins).map_or(args.len(), |at| at + first);
    let starts: Vec<Value> = if end == first { vec![Value::exact(".")] } else { args[first..end].to_vec() };
    let tree = |access: Access| {
        starts.iter().map(move |path| Effect::Path { path: path.clone(), access, is_tree: true }).collect::<Vec<_>>()
    };
    let mut found = tree(Access::Read);
    let names = found_names(args, &starts);
    let (mut at, mut runs) = (end, false);
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.text.as_str() {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = args.get(at..).unwrap_or_default();
                let end = rest.iter().position(|word| word.text == ";" || word.text == "+").unwrap_or(rest.len());
                let words = rest[..end].to_vec();
                found.push(Effect::Fills(names.clone()));
                found.push(Effect::Words { words, more: Some(More::Braces), has_variables: false });
                runs = true;
                at += end;
            }
            "-delete" => {
                found.extend(tree(Access::Delete));
                found.push(Effect::says(Consequence::Destroys, "deletes files"));
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                found.extend(args.get(at).cloned().map(|path| Effect::path(path, Access::Write)));
                at += if arg.text == "-fprintf" { 2 } else { 1 };
            }
            test if VALUED.split_ascii_whitespace().any(|one| one == test) || test.starts_with("-newer") => {
                at += 1;
            }
            _ => {}
        }
    }
    // A `--` does not end the options.
    let behind = parsed.after_dashes().iter().filter_map(|arg| Some((arg, Doubt::of_operand(arg)?)));
    found.extend(behind.map(|(arg, doubt)| Effect::MayDecide(arg.clone(), doubt)));
    // There is an end of a command without its beginning.
    if !runs && args.iter().any(|arg| arg.is_exact && arg.text == ";") {
        found.push(Effect::hidden("`find` with an expression known only when it runs"));
    }
    found
}
