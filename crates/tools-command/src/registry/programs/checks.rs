//! Test runners and linters, as far as their options start programs, write files or send something
//! out.

use tools_core::Access;

use super::registries::PUBLISHES;
use crate::effect::Effect;
use crate::reader::Value;
use crate::registry::{
    ArgumentCondition::{Has, Operand, ValueHas},
    At, Does, Expect, Parsed, Program, Syntax, always, command, each, when,
};

const OWN: Does = Does::Hides("a check with a program of its own choice");

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["pytest", "py.test", "pytest-3"],
        syntax: Syntax {
            valued: "--pastebin --junit-xml|--junitxml --report-log --log-file --basetemp --debug-file --tx --px --html",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("--pastebin")], PUBLISHES),
            always(Does::Writes(At::Value("--junit-xml --report-log --log-file --html"))),
            when(&[ValueHas("--tx --px", "python= ssh= socket=")], OWN),
            always(Does::DeletesTrees(At::Value("--basetemp"))),
            always(Does::By(emptied)),
        ],
        examples: &[
            ("pytest --pastebin=all", Expect::Asks("publishes")),
            ("pytest --junit-xml=x", Expect::Writes("x")),
            ("pytest --dist load --tx popen//python=./x", Expect::Opaque("of its own choice")),
            ("pytest --basetemp x", Expect::Deletes("x")),
            ("pytest --basetemp=src", Expect::Asks("empties a folder")),
            ("pytest --basetemp=/tmp/x", Expect::Plain),
            ("pytest -x -q tests/test_x.py::test_y -k z", Expect::Plain),
            ("pytest --cov=src --cov-report=term", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["coverage", "coverage3"],
        syntax: Syntax { flags: "-h|--help --version", valued: "--rcfile", ..Syntax::EXACT },
        subcommands: &[
            command(
                "run",
                Syntax {
                    flags: "-a|--append --branch -L|--pylib -p|--parallel-mode --timid",
                    valued: "--concurrency --context --data-file --include --omit --source --rcfile --debug",
                    last: "-m|--module",
                    ..Syntax::LEADING
                },
                &[always(Does::By(measured)), always(Does::RunsScript(At::Nth(0)))],
            ),
            command(
                "html xml json lcov",
                Syntax { valued: "-o -d|--directory", ..Syntax::EXACT },
                &[always(Does::Writes(At::Value("-o --directory")))],
            ),
            each("report"),
        ],
        examples: &[
            ("coverage run -m pytest -q", Expect::Runs("python3 -m pytest -q")),
            ("coverage run --branch -m x", Expect::Runs("python3 -m x")),
            ("coverage xml -o x", Expect::Writes("x")),
            ("coverage report -m", Expect::Plain),
            ("coverage run x.py", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nyc", "c8"],
        is_family: true,
        syntax: Syntax {
            flags: "-a|--all -s|--silent --check-coverage --clean --no-clean --per-file --skip-full --skip-empty -h|--help \
                    --version --omit-relative --100 --cache --instrument --hook-require --exclude-after-remap",
            valued: "-r|--reporter -n|--include -x|--exclude -e|--extension --cwd -t|--temp-dir|--temp-directory --report-dir \
                     -o|--reports-dir --lines --branches --functions --statements --src -c|--config --nycrc-path --require",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::RunsWords(At::From(0))),
            always(Does::RunsScript(At::Value("--require"))),
            always(Does::Writes(At::Value("--report-dir --reports-dir"))),
        ],
        examples: &[
            ("nyc sudo id", Expect::Runs("sudo id")),
            ("c8 -r text sudo id", Expect::Runs("sudo id")),
            ("c8 --odd sudo id", Expect::Opaque("`--odd` of `c8`")),
            ("nyc mocha", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["mypy", "dmypy", "pyright", "pyre", "basedpyright"],
        is_family: true,
        syntax: Syntax {
            valued: "--python-executable --pythonpath --junit-xml --any-exprs-report --html-report --xml-report --txt-report \
                     --cobertura-xml-report --linecount-report --config-file --cache-dir",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("--python-executable --pythonpath")], OWN),
            always(Does::RunsWords(At::Value("--python-executable --pythonpath"))),
            always(Does::Writes(At::Value(
                "--junit-xml --html-report --xml-report --txt-report --cobertura-xml-report",
            ))),
        ],
        examples: &[
            ("mypy --python-executable sudo x", Expect::Runs("sudo")),
            ("mypy --junit-xml x y", Expect::Writes("x")),
            ("mypy --strict src", Expect::Plain),
            ("pyright", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "jest", "vitest", "mocha", "eslint", "prettier", "stylelint", "biome", "oxlint", "ava", "playwright", "tap",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-w|--write --fix",
            valued: "--outputFile --output-file -o --coverageDirectory --testSequencer --shell --execArgv --node-option \
                     -r|--require --import --globalSetup --globalTeardown --rulesdir",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("--execArgv")], OWN),
            always(Does::RunsScript(At::Value("--require --import --globalSetup --globalTeardown"))),
            when(&[Has("--write --fix")], Does::Writes(At::All)),
            always(Does::Writes(At::Value("--outputFile --output-file -o --coverageDirectory"))),
        ],
        examples: &[
            ("vitest --execArgv=-r x", Expect::Opaque("of its own choice")),
            ("jest --outputFile=x", Expect::Writes("x")),
            ("eslint -o x .", Expect::Writes("x")),
            ("prettier -w .envrc", Expect::Writes(".envrc")),
            ("jest --ci --coverage", Expect::Plain),
            ("vitest run", Expect::Plain),
            ("eslint . --ext .ts --fix", Expect::Plain),
            ("prettier --write src", Expect::Plain),
            ("mocha -r ts-node/register test", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["shfmt", "gofmt", "goimports", "gofumpt", "codespell", "typos", "clang-format"],
        is_family: true,
        syntax: Syntax { flags: "-w|--write|--write-changes -i|--in-place -*", ..Syntax::EXACT },
        rules: &[when(&[Has("-w -i")], Does::Writes(At::All))],
        examples: &[
            ("gofmt -s -w .envrc", Expect::Writes(".envrc")),
            ("clang-format -i .envrc", Expect::Writes(".envrc")),
            ("codespell --write-changes .envrc", Expect::Writes(".envrc")),
            ("shfmt -i 4 -d x.sh", Expect::Plain),
            ("gofmt -l .", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["ruff", "flake8", "black", "isort", "pylint", "bandit", "rubocop", "golangci-lint", "hadolint"],
        is_family: true,
        syntax: Syntax { valued: "-o|--output-file --output --out", ..Syntax::EXACT },
        rules: &[always(Does::Writes(At::Value("--output-file --output --out"))), always(Does::By(formatted))],
        examples: &[
            ("ruff check --output-file x .", Expect::Writes("x")),
            ("ruff format .envrc", Expect::Writes(".envrc")),
            ("ruff check --fix .envrc", Expect::Writes(".envrc")),
            ("black .envrc", Expect::Writes(".envrc")),
            ("isort .envrc", Expect::Writes(".envrc")),
            ("black --check .envrc", Expect::Plain),
            ("ruff check --fix .", Expect::Plain),
            ("black .", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["actionlint", "cloc", "cppcheck"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "-shellcheck -pyflakes --addon-python --extract-with --vcs --counted --ignored --found --categorized \
                     --write-lang-def --sql --report-file|--out --output-file --plist-output --rule-file",
            optional: "--clang",
            ..Syntax::SINGLE
        },
        rules: &[
            always(Does::RunsLine(At::Value("-shellcheck -pyflakes"))),
            always(Does::RunsLineWithMore(At::Value("--clang --addon-python --extract-with"))),
            always(Does::By(listed)),
            always(Does::Writes(At::Value(
                "--counted --ignored --found --categorized --write-lang-def --sql --report-file --output-file --plist-output",
            ))),
        ],
        examples: &[
            ("actionlint -shellcheck=sudo", Expect::Runs("sudo")),
            ("actionlint -pyflakes sudo", Expect::Runs("sudo")),
            ("cppcheck --clang='sudo id' x.c", Expect::Denied("takes other rights")),
            ("cppcheck --output-file=x y.c", Expect::Writes("x")),
            ("cloc --extract-with 'sudo id' x", Expect::Denied("takes other rights")),
            ("cloc --vcs='sudo id' .", Expect::Runs("sudo id")),
            ("cloc --counted=x .", Expect::Writes("x")),
            ("cloc --vcs=git .", Expect::Plain),
            ("cloc --by-file src", Expect::Plain),
            ("actionlint -shellcheck=", Expect::Plain),
            ("cppcheck --enable=all --clang src", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["codecov", "codecovcli", "coveralls", "cypress"],
        is_family: true,
        syntax: Syntax { flags: "--dry-run -d|--dryrun --record", ..Syntax::EXACT },
        rules: &[
            when(&[Operand("upload-process do-upload upload report create-commit")], PUBLISHES),
            when(&[Has("--record")], PUBLISHES),
        ],
        examples: &[
            ("codecov upload-process", Expect::Asks("publishes")),
            ("cypress run --record", Expect::Asks("publishes")),
            ("cypress run", Expect::Plain),
        ],
        ..Program::NEW
    },
];

/// `cloc --vcs` with a command in place of the name of a system.
fn listed(parsed: &Parsed<'_>) -> Vec<Effect> {
    let own = parsed.values("--vcs").filter(|value| !matches!(value.text.as_str(), "auto" | "git" | "svn"));
    own.cloned().map(Effect::Line).collect()
}

/// `coverage run -m MODULE …` runs what `python -m` would.
fn measured(parsed: &Parsed<'_>) -> Vec<Effect> {
    let words = parsed.behind("--module");
    let python = ["python3", "-m"].map(Value::exact);
    if words.is_empty() { Vec::new() } else { vec![Effect::runs(python.into_iter().chain(words).collect())] }
}

/// The folder that `pytest` empties for the files of its tests.
fn emptied(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.values("--basetemp").flat_map(super::emptied::emptied).collect()
}

/// Files that a formatter changes in place, unless it only looks.
pub(super) fn formatted(parsed: &Parsed<'_>) -> Vec<Effect> {
    let has = |names: &[&str]| parsed.command.args.iter().any(|arg| names.contains(&&*arg.text));
    let looks = has(&["--check", "--diff", "--check-only", "-c", "-check", "-diff"])
        || parsed.command.args.iter().any(|arg| arg.text.starts_with("--emit"));
    let is_given = |name: &str| parsed.operand(0).is_some_and(|first| first.text == name);
    let skipped = match parsed.command.name() {
        _ if looks => return Vec::new(),
        "black" | "isort" | "rustfmt" => 0,
        "ruff" if is_given("format") || has(&["--fix", "--unsafe-fixes"]) => 1,
        "terraform" | "tofu" if is_given("fmt") => 1,
        _ => return Vec::new(),
    };
    parsed.operands().skip(skipped).cloned().map(|file| Effect::path(file, Access::Write)).collect()
}
