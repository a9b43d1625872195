//! Python: code, modules and scripts.

use tools_core::Access;

use super::emptied::emptied;
use super::project_scripts;
use crate::reader::{Input, Value};
use crate::registry::prelude::*;
use crate::registry::{Doubt, find};

pub(super) static ALL: &[Program] = &[
    Program {
        family: &[
            "python", "python2", "python3", "python3.*", "python2.*", "pypy", "pypy3", "pypy3.*", "py", "uvpython",
        ],
        flags: "-b -bb -B -d -E -h -? -i -I -O -OO -P -q -R -s -S -t -u -v -V -VV -x --help-env --help-xoptions --help-all -3 -2",
        valued: "-W -X -Q --check-hash-based-pycs",
        last: "-c -m",
        rules: &[
            always(Evaluates(Language::Python, At::Value("-c"))),
            always(By(module)),
            always(By(module_files)),
            when_all(&[Lacks("-c -m"), FirstIsNot("-")], RunsScript(At::Nth(0))),
            when(Lacks("-c -m"), By(project_scripts::named)),
            when_all(&[Lacks("-c -m"), First("-")], By(reads_code)),
            when_all(
                &[Lacks("-c -m -V -VV -h -? --version --help-all --help-env --help-xoptions"), AtMost(0)],
                By(reads_code),
            ),
            when_all(&[Has("-i"), AtLeast(1), Fed], Evaluates(Language::Python, At::Input)),
            when_all(&[Has("-i"), Has("-c -m"), Fed], Evaluates(Language::Python, At::Input)),
        ],
        examples: &[
            ("python3 -c 'import os; os.system(\"id\")'", Expect::Opaque("os.system")),
            ("python3 -Ic 'import os; os.system(\"id\")'", Expect::Opaque("os.system")),
            ("python3 -X utf8 -W ignore -c 'import subprocess'", Expect::Opaque("subprocess")),
            ("python3 --check-hash-based-pycs always -c 'import subprocess'", Expect::Opaque("subprocess")),
            ("python3.12 -c 'import os; os.ｓystem(\"id\")'", Expect::Opaque("code with")),
            ("python3 --odd -c 'print(1)'", Expect::Opaque("`--odd` of `python3`")),
            ("python3 -c \"$x\"", Expect::Opaque("known only when it runs")),
            ("cat x | python3", Expect::Opaque("known only when it runs")),
            ("cat x | python3 -", Expect::Opaque("known only when it runs")),
            ("python3", Expect::Opaque("runs what it reads")),
            ("python3 /dev/stdin <<< x", Expect::Opaque("read from a descriptor")),
            ("python3 -ic 1 <<< 'import os; os.system(1)'", Expect::Opaque("os.system")),
            ("python3 -m timeit '__import__(\"os\").system(\"id\")'", Expect::Opaque("__import__")),
            ("python3 -m timeit -n 1 -s 'import subprocess' 'x'", Expect::Opaque("subprocess")),
            ("python3 -m pdb -c '!import os' x.py", Expect::Opaque("runs code by its arguments")),
            ("cat x | python3 -m code", Expect::Opaque("runs code by its arguments")),
            ("echo x > a.py; python3 -m cProfile -o out a.py", Expect::Opaque("written by this very line")),
            ("echo x > a.py; python3 a.py", Expect::Opaque("written by this very line")),
            ("python3 -m pip install x", Expect::Runs("pip install x")),
            ("python3 -m poetry run bash -c 'rm -rf src' -h", Expect::Runs("rm -rf src")),
            ("python3 -m pipenv run git push", Expect::Runs("git push")),
            ("python3 -m coverage run -m twine upload x", Expect::Runs("twine upload x")),
            ("python3 -m IPython -c 'import subprocess'", Expect::Opaque("subprocess")),
            ("python3 -m sqlite3 x.db 'drop table y'", Expect::Runs("sqlite3 x.db drop table y")),
            ("python3 -m pdb -c '!import os' -c q x.py -h", Expect::Opaque("runs code by its arguments")),
            ("python3 -m timeit 'import subprocess' --help", Expect::Opaque("subprocess")),
            ("python3 -m venv --clear src", Expect::Asks("empties a folder")),
            ("python3 -m venv --clear ../.venv", Expect::Asks("empties a folder")),
            ("python3 -m m x", Expect::Scripts("m.py")),
            ("python3 -m a.b", Expect::Scripts("a/b/__main__.py")),
            ("python3 -m a.b", Expect::Scripts("a/__init__.py")),
            ("echo x > m.py; python3 -m m", Expect::Opaque("written by this very line")),
            ("python3 -m json.tool a.json b.json", Expect::Writes("b.json")),
        ],
        plain_lines: &[
            "python3 -m pdb --help", "python3 -m venv --clear .venv", "python3 -m venv \"$x\"",
            "python3 -m timeit 'sum(range(10))'", "python -m pytest -x tests", "python -m http.server --help",
            "echo '{}' | python3 -m json.tool", "python3 -u script.py --odd", "python3 -c 'print(1+1)'",
            "python --version",
        ],
        ..Program::LEADING
    },
    Program {
        family: &["ipython", "ipython3"],
        flags: "-h|--help -i -V|--version --no-banner --banner --quiet --no-confirm-exit --confirm-exit --classic --simple-prompt --no-simple-prompt \
                --no-automagic --automagic --no-color-info --color-info --nosep --pprint --no-pprint",
        valued: "--profile|-p --pylab --matplotlib --colors --gui",
        last: "-c -m",
        rules: &[
            always(Evaluates(Language::IPython, At::Value("-c"))),
            always(By(module)),
            always(By(module_files)),
            when_all(&[Lacks("-c -m"), FirstIsNot("-")], RunsScript(At::Nth(0))),
            when_all(&[Lacks("-c -m"), First("-")], By(ipython_reads)),
            when_all(&[Lacks("-c -m -V -h"), AtMost(0)], By(ipython_reads)),
            when_all(&[Has("-i"), Fed], Evaluates(Language::IPython, At::Input)),
        ],
        examples: &[
            ("ipython -c '!git push'", Expect::Opaque("code with `!g`")),
            ("ipython -c '%sx git push'", Expect::Opaque("code with `%sx`")),
            ("ipython -c 'import subprocess'", Expect::Opaque("subprocess")),
            ("ipython --InteractiveShellApp.exec_lines='[\"!id\"]' x.py", Expect::Opaque("is not known")),
            ("echo '!git push' | ipython", Expect::Opaque("code with")),
            ("cat x | ipython", Expect::Opaque("known only when it runs")),
            ("ipython", Expect::Opaque("runs what it reads")),
            ("ipython -m pipenv run git push", Expect::Runs("git push")),
            ("ipython x.py", Expect::Scripts("x.py")),
        ],
        plain_lines: &["ipython -c 'print(1 != 2)'", "ipython --version"],
        ..Program::LEADING
    },
];

fn reads_code(parsed: &Parsed<'_>) -> Vec<Effect> {
    reads(parsed, Language::Python)
}

fn ipython_reads(parsed: &Parsed<'_>) -> Vec<Effect> {
    reads(parsed, Language::IPython)
}

/// Code that comes in: seen through where the text is known.
fn reads(parsed: &Parsed<'_>, language: Language) -> Vec<Effect> {
    match &parsed.command.input {
        Input::Text(text) => vec![Effect::Code(language, Value::exact(text.clone()))],
        Input::Unknown => {
            vec![Effect::Code(language, Value { text: "-".to_owned(), is_exact: false, has_pattern: false })]
        }
        Input::None => vec![Effect::hidden(format!("`{}` runs what it reads", parsed.command.name()))],
    }
}

/// The files that a module may be: those of the workspace come before the installed ones.
fn module_files(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some(name) = parsed.values("-m").next().filter(|name| name.is_exact && !name.text.is_empty()) else {
        return Vec::new();
    };
    let path = name.text.replace('.', "/");
    let scripts = [format!("{path}.py"), format!("{path}/__main__.py")].map(|file| Effect::Script(Value::exact(file)));
    // The packages that it lies in are run first.
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let packages = ends.map(|end| Effect::Recipe(Value::exact(format!("{}/__init__.py", &path[..end]))));
    scripts.into_iter().chain(packages).collect()
}

/// Modules of Python itself that share no more than their name with a program.
const NAMESAKES: &[&str] = &[
    "base64", "code", "gzip", "http", "io", "locale", "lzma", "math", "pdb", "pwd", "pydoc", "socket", "stat", "test",
    "time", "trace", "tty",
];

/// The described program that a module is: `pip`, `coverage`, `IPython`. Most tools that are
/// written in Python have a command and a module of one name.
fn program_of(module: &str) -> Option<String> {
    let name = module.strip_suffix(".__main__").unwrap_or(module).to_lowercase().replace('_', "-");
    (!NAMESAKES.contains(&name.as_str()) && find(&name).is_some()).then_some(name)
}

/// What a module does with the arguments behind its name.
fn module(parsed: &Parsed<'_>) -> Vec<Effect> {
    let words = parsed.behind("-m");
    let Some((name, args)) = words.split_first() else { return Vec::new() };
    if !name.is_exact {
        return vec![Effect::hidden("a module that is known only when it runs")];
    }
    if let Some(program) = program_of(&name.text) {
        let program = Value { text: program, ..name.clone() };
        return vec![Effect::runs(std::iter::once(program).chain(args.iter().cloned()).collect())];
    }
    // Further behind it may be the value of an option, or an argument of what the module runs.
    let is_asked = args.first().is_some_and(|arg| matches!(arg.text.as_str(), "-h" | "--help" | "--version"));
    match name.text.as_str() {
        _ if is_asked => Vec::new(),
        // Programs that are not described.
        "virtualenv" | "ansible" | "awscli" => vec![Effect::runs(words)],
        "venv" => cleared(args),
        "timeit" => timed(args),
        "cProfile" | "profile" | "trace" | "doctest" | "debugpy" | "memory_profiler" | "line_profiler" | "kernprof" => {
            profiled(args)
        }
        "pdb" | "bdb" | "code" | "codeop" | "runpy" | "asyncio" | "ptpython" | "bpython" | "idlelib" | "turtledemo"
        | "pydoc" | "_pyrepl" | "ensurepip" | "webbrowser"
            if parsed.command.input != Input::None || args.iter().any(|arg| arg.text.starts_with('-')) =>
        {
            vec![Effect::hidden(format!("the module `{}` runs code by its arguments or its input", name.text))]
        }
        "pdb" | "bdb" | "code" | "ptpython" | "bpython" | "idlelib" | "_pyrepl" => {
            let open = args.iter().filter_map(|arg| Some((arg, Doubt::of_operand(arg)?)));
            open.map(|(arg, doubt)| Effect::MayDecide(arg.clone(), doubt)).collect()
        }
        "http.server" | "SimpleHTTPServer" | "xmlrpc.server" | "smtpd" | "wsgiref.simple_server" | "webbrowser" => {
            vec![Effect::Network]
        }
        "json.tool" => {
            let files: Vec<&Value> = args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
            let read = files.first().map(|file| Effect::path((*file).clone(), Access::Read));
            let written = files.get(1).map(|file| Effect::path((*file).clone(), Access::Write));
            read.into_iter().chain(written).collect()
        }
        _ => Vec::new(),
    }
}

/// The folders that `venv --clear` empties. A word that is known only when it runs may be that
/// option.
fn cleared(args: &[Value]) -> Vec<Effect> {
    let is_clear = |arg: &Value| arg.text.len() > 2 && "--clear".starts_with(arg.text.as_str());
    let (is_given, is_possible) = (args.iter().any(is_clear), args.iter().any(|arg| !arg.is_exact));
    let folders = args.iter().filter(|arg| !arg.text.starts_with('-'));
    folders.filter(|folder| is_given || is_possible && folder.is_exact).flat_map(emptied).collect()
}

/// The statements that `timeit` measures, and its setup.
fn timed(args: &[Value]) -> Vec<Effect> {
    let mut found = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.text.as_str() {
            "-n" | "-r" | "-u" | "--number" | "--repeat" | "--unit" => drop(args.next()),
            "-s" | "--setup" => found.extend(args.next().cloned()),
            option if option.starts_with("--") => {
                let value = option.split_once('=').map_or("", |(_, value)| value);
                found.push(Value { text: value.to_owned(), ..arg.clone() });
            }
            option if option.starts_with('-') => found.push(Value { text: option[1..].to_owned(), ..arg.clone() }),
            _ => found.push(arg.clone()),
        }
    }
    found.into_iter().map(|code| Effect::Code(Language::Python, code)).collect()
}

/// The script behind the options of a profiler: an option may take the first word as its value.
fn profiled(args: &[Value]) -> Vec<Effect> {
    args.iter().filter(|arg| !arg.text.starts_with('-')).take(2).cloned().map(Effect::Script).collect()
}
