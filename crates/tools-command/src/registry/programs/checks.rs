//! Test runners and linters whose options start programs, write files or send data.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;

/// Rules of programs that change the given files in place if an option says so.
const CHANGES_IN_PLACE: &[Rule] = &[
    when(Has("--write --fix"), Writes(At::All)),
    always(Writes(At::Value("--outputFile --output-file -o --coverageDirectory"))),
    always(ObeysAround(
        "eslint.config.* **/.eslintrc* .prettierrc* prettier.config.* stylelint.config.* .stylelintrc* package.json",
    )),
];

const OWN: Does = Hides("a check with a program of its own choice");

/// Files that `pytest` obeys.
const PYTEST: &str = "**/conftest.py pytest.ini .pytest.ini tox.ini setup.cfg pyproject.toml";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["pytest", "py.test", "pytest-3"],
        valued: "--pastebin --junit-xml|--junitxml --report-log --log-file --basetemp --debug-file --tx --px --html -o|--override-ini",
        optional: "--debug",
        rules: &[
            always(ObeysAround(PYTEST)),
            when(Has("--pastebin"), PUBLISHES),
            always(Writes(At::Value("--junit-xml --report-log --log-file --html --debug"))),
            always(Writes(At::ValueRest("-o", "cache_dir= log_file="))),
            when(ValueHas("--tx --px", "python= ssh= socket="), OWN),
            always(DeletesTrees(At::Value("--basetemp"))),
            always(By(emptied)),
        ],
        examples: &[
            ("pytest --pastebin=all", Expect::Asks("publishes")),
            ("pytest --debug=x", Expect::Writes("x")),
            ("pytest -o cache_dir=x", Expect::Writes("x")),
            ("pytest --junit-xml=x", Expect::Writes("x")),
            ("pytest --dist load --tx popen//python=./x", Expect::Opaque("of its own choice")),
            ("pytest --basetemp x", Expect::Deletes("x")),
            ("pytest --basetemp=src", Expect::Asks("empties a folder")),
        ],
        plain_lines: &[
            "pytest --basetemp=/tmp/x", "pytest -x -q tests/test_x.py::test_y -k z",
            "pytest --cov=src --cov-report=term",
        ],
        ..Program::EXACT
    },
    Program {
        names: &["coverage", "coverage3"],
        flags: "-h|--help --version",
        valued: "--rcfile",
        subcommands: &[
            command(
                "run",
                Syntax {
                    flags: "-a|--append --branch -L|--pylib -p|--parallel-mode --timid",
                    valued: "--concurrency --context --data-file --include --omit --source --rcfile --debug",
                    last: "-m|--module",
                    ..Syntax::LEADING
                },
                &[always(By(measured)), always(RunsScript(At::Nth(0))), always(Writes(At::Value("--data-file")))],
            ),
            command(
                "html xml json lcov",
                Syntax { valued: "-o -d|--directory", ..Syntax::EXACT },
                &[always(Writes(At::Value("-o --directory")))],
            ),
            each("report"),
        ],
        examples: &[
            ("coverage run -m pytest -q", Expect::Runs("python3 -m pytest -q")),
            ("coverage run --branch -m x", Expect::Runs("python3 -m x")),
            ("coverage run --data-file=x y.py", Expect::Writes("x")),
            ("coverage xml -o x", Expect::Writes("x")),
        ],
        plain_lines: &["coverage report -m", "coverage run x.py"],
        ..Program::EXACT
    },
    Program {
        family: &["nyc", "c8"],
        flags: "-a|--all -s|--silent --check-coverage --clean --no-clean --per-file --skip-full --skip-empty -h|--help \
                    --version --omit-relative --100 --cache --instrument --hook-require --exclude-after-remap",
        valued: "-r|--reporter -n|--include -x|--exclude -e|--extension --cwd -t|--temp-dir|--temp-directory --report-dir \
                     -o|--reports-dir --lines --branches --functions --statements --src -c|--config --nycrc-path --require",
        rules: &[
            always(RunsWords(At::From(0))),
            always(RunsScript(At::Value("--require"))),
            always(Writes(At::Value("--report-dir --reports-dir"))),
        ],
        examples: &[
            ("nyc sudo id", Expect::Runs("sudo id")),
            ("c8 -r text sudo id", Expect::Runs("sudo id")),
            ("c8 --odd sudo id", Expect::Opaque("`--odd` of `c8`")),
        ],
        plain_lines: &["nyc mocha"],
        ..Program::LEADING
    },
    Program {
        family: &["mypy", "dmypy", "pyright", "pyre", "basedpyright"],
        valued: "-p|--package|--project --venvpath -t|--typeshedpath --python-executable --pythonpath --junit-xml --any-exprs-report --html-report --xml-report --txt-report \
                     --cobertura-xml-report --linecount-report --config-file --cache-dir",
        rules: &[
            always(ObeysAround("mypy.ini .mypy.ini setup.cfg pyproject.toml")),
            when(Has("--python-executable --pythonpath"), OWN),
            always(RunsWords(At::Value("--python-executable --pythonpath"))),
            always(Writes(At::Value("--junit-xml --html-report --xml-report --txt-report --cobertura-xml-report"))),
        ],
        examples: &[
            ("mypy --python-executable sudo x", Expect::Runs("sudo")),
            ("mypy --junit-xml x y", Expect::Writes("x")),
        ],
        plain_lines: &["mypy --strict src", "mypy -v -p x", "pyright", "pyright -p ."],
        ..Program::EXACT
    },
    Program {
        family: &["jest", "vitest", "mocha", "biome", "oxlint", "ava", "playwright", "tap"],
        flags: "-w|--write --fix",
        valued: "--outputFile --output-file -o --coverageDirectory --testSequencer --shell --execArgv --node-option \
                     -r|--require --import --globalSetup --globalTeardown -c|--config --config-path --ignore-path \
                     --ignore-pattern --tsconfig --stdin-file-path --only --skip",
        rules: &[
            always(ObeysAround(
                "jest.config.* vitest.config.* vitest.workspace.* vite.config.* .mocharc.* babel.config.* .babelrc* playwright.config.* ava.config.* package.json",
            )),
            when(Has("--execArgv"), OWN),
            always(RunsScript(At::Value("--require --import --globalSetup --globalTeardown"))),
            CHANGES_IN_PLACE[0],
            CHANGES_IN_PLACE[1],
        ],
        edits: true,
        examples: &[
            ("vitest --execArgv=-r x", Expect::Opaque("of its own choice")),
            ("jest --outputFile=x", Expect::Writes("x")),
            ("oxlint --fix .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["jest --ci --coverage", "vitest run", "mocha -r ts-node/register test"],
        ..Program::EXACT
    },
    Program {
        names: &["eslint"],
        flags: "--fix",
        valued: "-c|--config --env --ext --global --parser --parser-options --resolve-plugins-relative-to --rulesdir --plugin \
                     --rule --fix-type --ignore-path --ignore-pattern --stdin-filename -f|--format -o|--output-file \
                     --max-warnings --cache-file --cache-location --cache-strategy --print-config --flag --suppress-rule \
                     --suppressions-location --concurrency",
        rules: CHANGES_IN_PLACE,
        edits: true,
        examples: &[
            ("eslint -o x .", Expect::Writes("x")),
            ("eslint --ext .ts --fix src .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["eslint . --ext .ts --fix"],
        ..Program::EXACT
    },
    Program {
        names: &["prettier"],
        flags: "-w|--write -c|--check -l|--list-different -u|--ignore-unknown",
        valued: "--config --ignore-path --parser --plugin --config-precedence --end-of-line --tab-width --print-width \
                     --trailing-comma --arrow-parens --quote-props --prose-wrap --html-whitespace-sensitivity \
                     --embedded-language-formatting --object-wrap --experimental-operator-position \
                     --log-level|--loglevel --stdin-filepath --cache-location --cache-strategy --range-start --range-end \
                     --find-config-path --file-info --cursor-offset",
        rules: CHANGES_IN_PLACE,
        edits: true,
        examples: &[("prettier --config x -w .envrc", Expect::Writes(".envrc"))],
        plain_lines: &["prettier --write src"],
        ..Program::EXACT
    },
    Program {
        names: &["stylelint"],
        flags: "--fix",
        valued: "-c|--config --config-basedir --print-config -i|--ignore-path --ip|--ignore-pattern -s|--syntax \
                     --custom-syntax --custom-formatter -f|--formatter --stdin-filename --mw|--max-warnings \
                     --cache-location --cache-strategy --go|--globby-options -o|--output-file",
        rules: CHANGES_IN_PLACE,
        edits: true,
        examples: &[
            ("stylelint --fix -i x .envrc", Expect::Writes(".envrc")),
            ("stylelint -o .envrc src", Expect::Writes(".envrc")),
        ],
        plain_lines: &["stylelint --fix 'src/**'"],
        ..Program::EXACT
    },
    Program {
        family: &["shfmt", "gofmt", "goimports", "gofumpt", "codespell", "typos", "clang-format"],
        flags: "-w|--write|--write-changes -i|--in-place -*",
        rules: &[when(Has("-w -i"), Writes(At::All))],
        edits: true,
        examples: &[
            ("gofmt -s -w .envrc", Expect::Writes(".envrc")),
            ("clang-format -i .envrc", Expect::Writes(".envrc")),
            ("codespell --write-changes .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["shfmt -i 4 -d x.sh", "gofmt -l ."],
        ..Program::EXACT
    },
    Program {
        family: &["flake8", "pylint", "bandit", "rubocop", "golangci-lint", "hadolint"],
        valued: "-o|--output-file --output --out",
        rules: &[
            always(ObeysAround(".pylintrc pylintrc .rubocop.yml .golangci.*")),
            always(Writes(At::Value("--output-file --output --out"))),
        ],
        edits: true,
        examples: &[("flake8 --output-file x .", Expect::Writes("x"))],
        plain_lines: &["pylint src"],
        ..Program::EXACT
    },
    Program {
        names: &["ruff"],
        valued: "-o|--output-file --exclude --extend-exclude --config --select --ignore --extend-select --extend-ignore \
                     --per-file-ignores --extend-per-file-ignores --fixable --unfixable --extend-fixable \
                     --target-version --line-length --output-format --stdin-filename --extension --cache-dir --color \
                     --range",
        rules: &[always(Writes(At::Value("--output-file"))), always(By(formatted))],
        edits: true,
        examples: &[
            ("ruff check --output-file x .", Expect::Writes("x")),
            ("ruff format .envrc", Expect::Writes(".envrc")),
            ("ruff check --fix --exclude x .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["ruff check --fix ."],
        ..Program::EXACT
    },
    Program {
        names: &["black"],
        flags: "-q|--quiet -v|--verbose -S|--skip-string-normalization -C|--skip-magic-trailing-comma",
        valued: "-c|--code -l|--line-length -t|--target-version --include --exclude --extend-exclude --force-exclude \
                     --stdin-filename -W|--workers --required-version --config --line-ranges --python-cell-magics \
                     --enable-unstable-feature",
        rules: &[always(By(formatted))],
        edits: true,
        examples: &[("black --exclude x .envrc", Expect::Writes(".envrc"))],
        plain_lines: &["black --check .envrc", "black ."],
        ..Program::EXACT
    },
    Program {
        names: &["isort"],
        valued: "--sp|--settings-path|--settings-file|--settings --cr|--config-root -s|--skip --extend-skip \
                     --sg|--skip-glob --extend-skip-glob --profile --py|--python-version --src|--src-path -p|--project \
                     -o|--thirdparty -b|--builtin -l|-w|--line-length|--line-width -m|--mu|--multi-line -a|--add-import \
                     --rm|--remove-import -j|--jobs --filename -f|--future -i|--indent -t|--top \
                     --lai|--lines-after-imports --lbi|--lines-before-imports --lbt|--lines-between-types \
                     --section-default --sd --known-local-folder --virtual-env --conda-env --ext|--extension",
        rules: &[always(By(formatted))],
        edits: true,
        examples: &[("isort --skip x .envrc", Expect::Writes(".envrc"))],
        plain_lines: &["isort --check .envrc"],
        ..Program::EXACT
    },
    Program {
        family: &["actionlint", "cloc", "cppcheck"],
        flags: "-*",
        valued: "-shellcheck -pyflakes --addon-python --extract-with --vcs --counted --ignored --found --categorized \
                     --write-lang-def --sql --report-file|--out --output-file --plist-output --rule-file",
        optional: "--clang",
        rules: &[
            always(RunsLine(At::Value("-shellcheck -pyflakes"))),
            always(RunsLineWithMore(At::Value("--clang --addon-python --extract-with"))),
            always(By(listed)),
            always(Writes(At::Value(
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
        ],
        plain_lines: &[
            "cloc --vcs=git .", "cloc --by-file src", "actionlint -shellcheck=", "cppcheck --enable=all --clang src",
        ],
        ..Program::SINGLE
    },
    Program {
        family: &["codecov", "codecovcli", "coveralls", "cypress"],
        flags: "--dry-run -d|--dryrun --record",
        rules: &[
            when(Operand("upload-process do-upload upload report create-commit"), PUBLISHES),
            when(Has("--record"), PUBLISHES),
        ],
        examples: &[
            ("codecov upload-process", Expect::Asks("publishes")),
            ("cypress run --record", Expect::Asks("publishes")),
        ],
        plain_lines: &["cypress run"],
        ..Program::EXACT
    },
];

/// `cloc --vcs` with a command instead of the name of a version control system.
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

/// Files that a formatter changes in place, unless it only checks them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Surroundings, analyse};

    #[test]
    fn values_of_options_are_no_files_that_are_changed() {
        let check = |line: &str, expected: &[&str]| {
            let found = analyse(line, &Surroundings::default());
            let effects = found.commands.iter().flat_map(|command| &command.effects);
            let written = effects.filter_map(|effect| match effect {
                Effect::Path { path, access: Access::Write, .. } => Some(path.text.as_str()),
                _ => None,
            });
            assert_eq!(written.collect::<Vec<_>>(), expected, "{line}");
        };
        check("eslint --ext .ts --fix src", &["src"]);
        check("eslint -c .eslintrc.json --fix .", &["."]);
        check("prettier --write --ignore-path .prettierignore .", &["."]);
        check("prettier --config .prettierrc --write .", &["."]);
        check("prettier --config .prettierrc --check .", &[]);
        check("stylelint --fix --ignore-path .stylelintignore 'src/**'", &["src/**"]);
        check("oxlint -c .oxlintrc.json --fix src", &["src"]);
        check("black --exclude .venv .", &["."]);
        check("isort --skip .venv .", &["."]);
        check("ruff check --fix --exclude .venv .", &["."]);
        check("ruff --config .ruff.toml format .", &["."]);
    }
}
