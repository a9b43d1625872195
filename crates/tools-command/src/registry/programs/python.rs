//! Python: code, modules and scripts.

use tools_core::Access;

use super::emptied::{emptied, is_output};
use super::project_scripts;
use super::python_packages::BUILT_BY;
use crate::reader::{Input, Value};
use crate::registry::apply::obeyed_in;
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
            always(Obeys(MODULES)),
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
            ("python3 -m cProfile -m timeit 'import subprocess'", Expect::Opaque("subprocess")),
            ("python3 -m cProfile -o x -s time a.py", Expect::Writes("x")),
            ("python3 -m cProfile -o x -s time a.py", Expect::Scripts("a.py")),
            ("python3 -m trace --count -C x a.py", Expect::Writes("x")),
            ("python3 -m runpy timeit 'import subprocess'", Expect::Opaque("subprocess")),
            ("python3 -m debugpy --listen 1 -c 'import subprocess'", Expect::Opaque("subprocess")),
            ("python3 -m debugpy --listen 1 -m twine upload x", Expect::Runs("twine upload x")),
            ("python3 -m doctest -o ELLIPSIS a.py b.txt", Expect::Scripts("b.txt")),
            ("python3 -m zipfile -e a.zip .git", Expect::Writes(".git")),
            ("python3 -m zipfile -c .envrc private/x", Expect::Writes(".envrc")),
            ("python3 -m tarfile -c a.tar private/x", Expect::Reads("private/x")),
            ("python3 -m tarfile --filter data -e a.tar", Expect::Writes(".")),
            ("python3 -m zipapp src -o x", Expect::Writes("x")),
            ("python3 -m lib2to3 -w .envrc", Expect::Writes(".envrc")),
            ("python3 -m uu -d x .envrc", Expect::Writes(".envrc")),
            ("python3 -m gzip -d .envrc.gz", Expect::Writes(".envrc")),
            ("python3 -m build --outdir=../x", Expect::Writes("../x")),
            ("python3 -m venv ../x", Expect::Writes("../x")),
            ("python3 -m ftplib example.org", Expect::Connects("tcp://example.org")),
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
            "python3 -m venv .venv", "python3 -m compileall src", "python3 -m unittest -v", "python3 -m build",
            "python3 -m flask run", "python3 -m uvicorn a:b --reload", "python3 -m django startproject x",
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

/// Modules that are loaded first, and standard modules that other modules load. A file of the same
/// name in the folder replaces each of them.
const MODULES: &str = "sitecustomize.py usercustomize.py abc.py argparse.py ast.py asyncio.py base64.py code.py codecs.py \
    collections.py configparser.py contextlib.py copy.py csv.py ctypes.py dataclasses.py datetime.py decimal.py email.py \
    enum.py functools.py glob.py gzip.py hashlib.py heapq.py html.py http.py inspect.py io.py json.py keyword.py linecache.py \
    locale.py logging.py numbers.py operator.py os.py pathlib.py pickle.py platform.py queue.py random.py re.py secrets.py \
    select.py shutil.py signal.py socket.py sqlite3.py ssl.py stat.py statistics.py string.py struct.py subprocess.py \
    tarfile.py tempfile.py textwrap.py threading.py token.py tokenize.py traceback.py types.py typing.py unittest.py urllib.py \
    uuid.py warnings.py weakref.py xml.py zipfile.py";

fn reads_code(parsed: &Parsed<'_>) -> Vec<Effect> {
    reads(parsed, Language::Python)
}

fn ipython_reads(parsed: &Parsed<'_>) -> Vec<Effect> {
    reads(parsed, Language::IPython)
}

/// Code from the standard input, which is analysed if the text is known.
fn reads(parsed: &Parsed<'_>, language: Language) -> Vec<Effect> {
    match &parsed.command.input {
        Input::Text(text) => vec![Effect::Code(language, Value::exact(text.clone()))],
        Input::Unknown => {
            vec![Effect::Code(language, Value { text: "-".to_owned(), is_exact: false, has_pattern: false })]
        }
        Input::None => vec![Effect::hidden(format!("`{}` runs what it reads", parsed.command.name()))],
    }
}

/// Maximum nesting of packages; each package is a file that runs.
const MAX_PACKAGES: usize = 32;

/// The files that a module may be. Those of the workspace take precedence over installed ones.
fn module_files(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some(name) = parsed.values("-m").next().filter(|name| name.is_exact && !name.text.is_empty()) else {
        return Vec::new();
    };
    if name.text.matches('.').count() > MAX_PACKAGES {
        return vec![Effect::hidden("a module in more packages than are looked at")];
    }
    let path = name.text.replace('.', "/");
    let scripts = [format!("{path}.py"), format!("{path}/__main__.py")].map(|file| Effect::Script(Value::exact(file)));
    // The packages that contain it run first.
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    let folders = ends.map(|end| Value::exact(&path[..end]));
    let packages = folders.map(|folder| Effect::Obeys { names: "__init__.py", folder, is_recipe: true });
    scripts.into_iter().chain(packages).collect()
}

/// Standard modules that only share their name with a program.
const NAMESAKES: &[&str] = &[
    "base64", "code", "gzip", "http", "io", "locale", "lzma", "math", "pdb", "pwd", "pydoc", "socket", "stat", "test",
    "time", "trace", "tty",
];

/// The described program that a module is: `pip`, `coverage`, `IPython`. Most tools written in
/// Python have a command and a module of the same name.
fn program_of(module: &str) -> Option<String> {
    let name = module.strip_suffix(".__main__").unwrap_or(module).to_lowercase().replace('_', "-");
    (!NAMESAKES.contains(&name.as_str()) && find(&name).is_some()).then_some(name)
}

/// Effects of a module with the arguments after its name. Unknown paths that are written are left
/// out, because they would count as the module's own.
fn module(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_own = |effect: &Effect| match effect {
        Effect::Path { path, access: Access::Write, .. } => path.is_exact,
        _ => true,
    };
    module_effects(parsed).into_iter().filter(is_own).collect()
}

fn module_effects(parsed: &Parsed<'_>) -> Vec<Effect> {
    let words = parsed.behind("-m");
    let Some((name, args)) = words.split_first() else { return Vec::new() };
    if !name.is_exact {
        return vec![Effect::hidden("a module that is known only when it runs")];
    }
    if let Some(program) = program_of(&name.text) {
        let program = Value { text: program, ..name.clone() };
        return vec![Effect::runs(std::iter::once(program).chain(args.iter().cloned()).collect())];
    }
    // In a later position it may be the value of an option, or an argument of what the module runs.
    let is_asked = args.first().is_some_and(|arg| matches!(arg.text.as_str(), "-h" | "--help" | "--version"));
    match name.text.as_str() {
        _ if is_asked => Vec::new(),
        // Programs that have no description.
        "virtualenv" | "ansible" | "awscli" => vec![Effect::runs(words)],
        "venv" => cleared(args).into_iter().chain(environment(args)).collect(),
        "timeit" => timed(args),
        "runpy" => run_module(args),
        "pickle" | "doctest" => operands(args, "-o --option").cloned().map(Effect::Script).collect(),
        "cProfile" | "profile" | "trace" | "debugpy" | "memory_profiler" | "line_profiler" | "kernprof" => {
            launched(&name.text, args)
        }
        "zipfile" | "tarfile" => archived(args),
        "zipapp" | "lib2to3" | "uu" | "gzip" => written(&name.text, args),
        "build" | "unittest" => {
            let files = if name.text == "build" { written(&name.text, args) } else { Vec::new() };
            files.into_iter().chain(obeyed_in(args.to_vec(), BUILT_BY)).collect()
        }
        "ftplib" | "telnetlib" | "poplib" | "imaplib" | "nntplib" => {
            operands(args, "-r -l -p").take(1).cloned().map(Effect::Host).collect()
        }
        "pdb" | "bdb" | "code" | "codeop" | "asyncio" | "ptpython" | "bpython" | "idlelib" | "turtledemo" | "pydoc"
        | "_pyrepl" | "ensurepip" | "webbrowser"
            if parsed.command.input != Input::None || args.iter().any(|arg| arg.text.starts_with('-')) =>
        {
            vec![Effect::hidden(format!("the module `{}` runs code by its arguments or its input", name.text))]
        }
        "pdb" | "bdb" | "code" | "ptpython" | "bpython" | "idlelib" | "_pyrepl" => {
            let open = args.iter().filter_map(|arg| Some((arg, Doubt::of_operand(arg)?)));
            open.map(|(arg, doubt)| Effect::MayDecide(arg.clone(), doubt)).collect()
        }
        "http.server"
        | "SimpleHTTPServer"
        | "xmlrpc.server"
        | "smtpd"
        | "smtplib"
        | "wsgiref.simple_server"
        | "webbrowser" => {
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

/// The folders that `venv --clear` empties. An unknown word may be that option.
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

/// Effects of `python -m` with these words.
fn run_module(words: &[Value]) -> Vec<Effect> {
    let python = ["python3", "-m"].map(Value::exact);
    if words.is_empty() { Vec::new() } else { vec![Effect::runs(python.into_iter().chain(words.to_vec()).collect())] }
}

/// The arguments that are neither options nor values of options.
fn operands<'a>(args: &'a [Value], valued: &'static str) -> impl Iterator<Item = &'a Value> {
    let is_value = move |at: usize| at > 0 && valued.split(' ').any(|option| option == args[at - 1].text);
    let is_meant = move |(at, arg): (usize, &'a Value)| (!arg.text.starts_with('-') && !is_value(at)).then_some(arg);
    args.iter().enumerate().filter_map(is_meant)
}

/// The values of options, in the next argument or attached.
fn values<'a>(args: &'a [Value], options: &'static str) -> impl Iterator<Item = Value> + 'a {
    args.iter().enumerate().flat_map(move |(at, arg)| {
        options.split(' ').filter_map(move |option| match arg.text.strip_prefix(option)? {
            "" => args.get(at + 1).cloned(),
            rest if option.starts_with("--") => {
                Some(rest.strip_prefix('=')?.to_owned()).map(|text| attached(arg, text))
            }
            rest => Some(attached(arg, rest.to_owned())),
        })
    })
}

fn attached(arg: &Value, text: String) -> Value {
    Value { text, ..arg.clone() }
}

/// The script, module or code that a profiler or debugger starts after its options.
fn launched(name: &str, args: &[Value]) -> Vec<Effect> {
    let (valued, files, modules) = match name {
        "trace" => ("--ignore-module --ignore-dir", "-C --coverdir -f --file", "--module"),
        "debugpy" => ("--listen --connect --pid", "--log-to", "-m"),
        _ => ("--sort", "-o --outfile", "-m --module"),
    };
    let is = |list: &str, arg: &Value| list.split(' ').any(|option| option == arg.text);
    let (mut at, mut is_known, mut scripts) = (0, true, 0);
    let mut end = args.len();
    let mut found = Vec::new();
    while let Some(arg) = args.get(at) {
        at += 1;
        match arg.text.as_str() {
            _ if is(modules, arg) => {
                found.extend(run_module(&args[at..]));
                end = at;
                break;
            }
            "-c" if name == "debugpy" => {
                found.extend(args.get(at).cloned().map(|code| Effect::Code(Language::Python, code)));
                end = at;
                break;
            }
            _ if is(valued, arg) || is(files, arg) => at += 1,
            option if option.starts_with('-') => is_known &= option.contains('='),
            _ => {
                found.push(Effect::Script(arg.clone()));
                scripts += 1;
                // An unknown option may take the first word as its value.
                if is_known || scripts == 2 {
                    end = at;
                    break;
                }
            }
        }
    }
    found.extend(values(&args[..end], files).map(|file| Effect::path(file, Access::Write)));
    found
}

/// The files that `zipfile` and `tarfile` pack and unpack.
fn archived(args: &[Value]) -> Vec<Effect> {
    let is_given = |options: [&str; 2]| args.iter().any(|arg| options.contains(&arg.text.as_str()));
    let mut words = operands(args, "--filter --metadata-encoding").cloned();
    let Some(archive) = words.next() else { return Vec::new() };
    if is_given(["-c", "--create"]) {
        let packed = words.map(|path| Effect::Path { path, access: Access::Read, is_tree: true });
        return [Effect::path(archive, Access::Write)].into_iter().chain(packed).collect();
    }
    let mut found = vec![Effect::path(archive, Access::Read)];
    if is_given(["-e", "--extract"]) {
        let folder = words.next().unwrap_or_else(|| Value::exact("."));
        found.extend([Effect::Unpacks(folder.clone()), Effect::path(folder, Access::Write)]);
    }
    found
}

/// The files that a module writes.
fn written(name: &str, args: &[Value]) -> Vec<Effect> {
    let is_given = |options: &[&str]| args.iter().any(|arg| options.contains(&arg.text.as_str()));
    let named = |value: &Value, ending: &str| attached(value, format!("{}{ending}", value.text));
    let files: Vec<Value> = match name {
        "build" => values(args, "-o --outdir").collect(),
        "zipapp" => {
            let given: Vec<Value> = values(args, "-o --output").collect();
            let source = operands(args, "-o --output -p --python -m --main").next();
            if given.is_empty() { source.map(|source| named(source, ".pyz")).into_iter().collect() } else { given }
        }
        "lib2to3" => {
            let valued = "-f --fix -j --processes -x --nofix -o --output-dir --add-suffix";
            let changed = operands(args, valued).filter(|_| is_given(&["-w", "--write", "-W", "-wn", "-nw"]));
            changed.cloned().chain(values(args, "-o --output-dir")).collect()
        }
        "uu" => operands(args, "").nth(1).cloned().into_iter().collect(),
        _ if is_given(&["-d", "--decompress"]) => {
            operands(args, "").map(|file| attached(file, file.text.trim_end_matches(".gz").to_owned())).collect()
        }
        _ => operands(args, "").map(|file| named(file, ".gz")).collect(),
    };
    files.into_iter().map(|file| Effect::path(file, Access::Write)).collect()
}

/// The folders that `venv` fills, except those that usually hold an environment.
fn environment(args: &[Value]) -> Vec<Effect> {
    let is_usual = |folder: &&Value| {
        let text = folder.text.trim_end_matches('/');
        is_output(text) || !text.contains('/') && text.starts_with(".venv")
    };
    let folders = operands(args, "--prompt").filter(|folder| !is_usual(folder));
    folders.cloned().map(|folder| Effect::path(folder, Access::Write)).collect()
}
