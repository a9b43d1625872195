//! Programs that run recipes from a file: `make`, `ninja`, `just`, `task` and others.

use crate::reader::Value;
use crate::registry::find;
use crate::registry::prelude::*;

/// Variables of makefiles that name programs.
const PROGRAMS: &[&str] = &[
    "SHELL", ".SHELLFLAGS", "MAKE", "MAKEFLAGS", "MAKEFILES", "CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "RM", "CP",
    "MV", "LN", "MKDIR", "INSTALL", "YACC", "LEX", "NVCC", "STRIP", "RANLIB", "OBJCOPY", "PYTHON", "PYTHON3", "NODE",
    "NPM", "CARGO", "GO", "RUBY", "PERL", "DOCKER", "SUDO", "GIT", "CURL", "TEX", "LATEX", "HOSTCC", "CROSS_COMPILE",
    "SED", "AWK", "GREP",
];

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["make", "gmake", "bmake", "remake"],
        flags: "-b -m -B|--always-make -e|--environment-overrides -h|--help -i|--ignore-errors -k|--keep-going -L \
                    --check-symlink-times -n|--just-print|--dry-run|--recon -p|--print-data-base -q|--question \
                    -r|--no-builtin-rules -R|--no-builtin-variables -s|--silent|--quiet --no-silent -S|--no-keep-going|--stop \
                    -t|--touch --trace -v|--version -w|--print-directory --no-print-directory --warn-undefined-variables",
        valued: "-f|--file|--makefile -C|--directory -I|--include-dir -o|--old-file|--assume-old \
                     -W|--what-if|--new-file|--assume-new -E|--eval --jobserver-style",
        optional: "-d --debug -j|--jobs -l|--load-average|--max-load -O|--output-sync --shuffle --jobserver-auth -D*",
        folder: "--directory",
        rules: &[
            always(Obeys("**/GNUmakefile **/makefile **/Makefile **/*.mk")),
            when(Has("--eval"), Hides("`make` runs what the option `--eval` says")),
            when(ArgumentCondition::Value("--file", "-"), Hides("a makefile that is not seen")),
            always(RunsScript(At::Value("--file"))),
            when(Lacks("--file"), Follows("GNUmakefile makefile Makefile")),
            always(ByOption(variables)),
        ],
        builds: true,
        examples: &[
            ("make SHELL='sudo id'", Expect::Runs("sudo id")),
            ("make X='$(shell sudo id)'", Expect::Opaque("a variable that runs a program")),
            ("make -s -C mk CC=./x", Expect::Runs("./x")),
            ("make RM=sudo clean", Expect::Runs("sudo")),
            ("make --eval 'x!=id'", Expect::Opaque("`--eval`")),
            ("make --ev='x!=id'", Expect::Opaque("`--eval`")),
            ("make -E '$(info x)'", Expect::Opaque("`--eval`")),
            ("make -sf - < x", Expect::Opaque("not seen")),
            ("make -f/dev/stdin", Expect::Opaque("descriptor")),
            ("make -C sub all", Expect::Scripts("sub/Makefile")),
            ("make -f build.mk", Expect::Scripts("build.mk")),
            ("printf x > Makefile; make", Expect::Opaque("written by this very line")),
            ("make CC=clang", Expect::Runs("clang")),
        ],
        plain_lines: &[
            "make -j4 all", "cat Makefile; make", "git add Makefile && make", "make test CFLAGS='-O2 -Wall'",
            "make -C sub PREFIX=/usr/local install", "make -f build.mk all",
        ],
        ..Program::GNU
    },
    Program {
        names: &["ninja", "samu"],
        flags: "-n -v|--verbose --quiet --version -h|--help",
        valued: "-C -f -j -k -l -d -t -w",
        folder: "-C",
        rules: &[
            always(ObeysAround("**/*.ninja")),
            when(ArgumentCondition::Value("-f", "-"), Hides("a build file that is not seen")),
            always(RunsScript(At::Value("-f"))),
        ],
        builds: true,
        examples: &[("ninja -f - < x", Expect::Opaque("not seen"))],
        plain_lines: &["ninja -C build -j8 all", "ninja"],
        ..Program::EXACT
    },
    Program {
        names: &["just"],
        flags: "--ceiling-none --check --clear-shell-args --choose --changelog --dump -e|--edit \
                    --evaluate --explain --fmt -g|--global-justfile --groups -h|--help --highlight --init -l|--list \
                    --list-submodules --man --no-aliases --no-deps --no-dotenv --no-highlight -n|--dry-run --one -q|--quiet \
                    --shell-command --summary --timestamp -u|--unsorted --unstable --variables -v|--verbose -V|--version --yes",
        valued: "--alias-style --chooser --color --command-color --cygpath -d|--working-directory -E|--dotenv-path \
                     --dotenv-filename --dump-format -f|--justfile --list-heading --list-prefix --request --set --shell \
                     --shell-arg -s|--show --tempdir --timestamp-format --usage --completions",
        last: "-c|--command",
        folder: "--working-directory",
        rules: &[
            when(
                Has("--shell --shell-arg --chooser --edit --cygpath"),
                Hides("`just` with programs of its own choice"),
            ),
            always(RunsLine(At::Value("--shell --chooser"))),
            always(RunsWords(At::Behind("--command"))),
            always(RunsScript(At::Value("--justfile"))),
            when(Lacks("--justfile"), Follows("justfile Justfile .justfile")),
            when(ArgumentCondition::Value("--justfile", "-"), Hides("a justfile that is not seen")),
        ],
        examples: &[
            ("just --shell sudo x", Expect::Runs("sudo")),
            ("just --command sudo id", Expect::Runs("sudo id")),
            ("just -c sudo id", Expect::Runs("sudo id")),
            ("just --choose --chooser sudo", Expect::Runs("sudo")),
            ("just -f /dev/stdin x", Expect::Opaque("descriptor")),
            ("just test", Expect::Scripts("justfile")),
        ],
        plain_lines: &["just --list", "just -f x.just build"],
        ..Program::EXACT
    },
    Program {
        names: &["task", "go-task"],
        flags: "-c|--color-on -f|--force -g|--global -h|--help -i|--init -l|--list -a|--list-all -n|--dry \
                    -p|--parallel -s|--silent --status --summary -v|--verbose -w|--watch -x|--exit-code -y|--yes --version \
                    --json --download --offline --insecure --clear-cache --experiments",
        valued: "-d|--dir -t|--taskfile -o|--output -C|--concurrency -I|--interval --sort --timeout --completion --expiry",
        folder: "--dir",
        rules: &[
            always(RunsScript(At::Value("--taskfile"))),
            when(Lacks("--taskfile"), Follows("Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml")),
            when(ArgumentCondition::Value("--taskfile", "-"), Hides("a taskfile that is not seen")),
            always(ByOption(remote_file)),
            when(First("execute exec"), RunsWords(At::From(1))),
        ],
        examples: &[
            ("task execute rm -rf x", Expect::Runs("rm -rf x")),
            ("task -t https://host/x default", Expect::Opaque("from elsewhere")),
            ("task -t - build", Expect::Opaque("not seen")),
            ("task build", Expect::Scripts("Taskfile.yml")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["scons", "waf", "invoke", "inv", "doit", "mage", "tup", "xmake", "nox"],
        flags: "-Q -s -k -n -c -h|--help -l|--list --list-all -v --version -r -R",
        valued: "-f|--file|--noxfile -C|--directory -j|--jobs -D -s|--session -p|--python -e --dir",
        rules: &[
            always(ObeysAround(
                "SConstruct **/SConscript wscript tasks.py **/tasks/*.py dodo.py magefile.go magefiles/*.go Tupfile xmake.lua noxfile.py",
            )),
            always(RunsScript(At::Value("--file"))),
        ],
        examples: &[("scons -f /dev/stdin", Expect::Opaque("descriptor"))],
        plain_lines: &["nox -s tests", "inv build"],
        ..Program::EXACT
    },
    Program {
        names: &["rake"],
        flags: "--all|-A -B|--build-all --comments -g|--system -G|--no-system|--nosystem -m|--multitask -n|--dry-run \
                    -N|--no-search|--nosearch -P|--prereqs -q|--quiet -s|--silent -v|--verbose \
                    -V|--version -X|--no-deprecation-warnings -h|-H|--help",
        valued: "-C|--directory -e|--execute -E|--execute-continue -f|--rakefile -I|--libdir -j|--jobs -p|--execute-print \
                     -r|--require -R|--rakelibdir|--rakelib --suppress-backtrace",
        optional: "-D|--describe --job-stats -t|--trace --rules -T|--tasks -W|--where --backtrace",
        rules: &[
            always(ObeysAround("**/*.rake")),
            always(Evaluates(Language::Ruby, At::Value("--execute --execute-continue --execute-print"))),
            always(RunsScript(At::Value("--rakefile --require"))),
            when(Lacks("--rakefile"), Follows("rakefile Rakefile rakefile.rb Rakefile.rb")),
            when(Lacks("--dry-run"), By(releases)),
            when(Lacks("--dry-run --tasks"), By(super::ruby_packages::drops)),
        ],
        examples: &[
            ("rake db:drop", Expect::Asks("a database")),
            ("rake -q db:create db:reset", Expect::Asks("a database")),
            ("rake release", Expect::Asks("publishes")),
            ("rake -q release[origin]", Expect::Asks("publishes")),
            ("rake release:rubygem_push", Expect::Asks("publishes")),
            ("rake -e 'system(1)'", Expect::Opaque("code with `system`")),
            ("rake -f /dev/stdin", Expect::Opaque("descriptor")),
            ("rake test", Expect::Scripts("Rakefile")),
        ],
        plain_lines: &["rake -T", "rake db:migrate"],
        ..Program::EXACT
    },
    Program {
        names: &["tox"],
        flags: "-h|--help --version -v|--verbose -q|--quiet --recreate|-r --notest|-n --develop --skip-pkg-install \
                    -l|--listenvs -a|--listenvs-all --showconfig --no-list-dependencies --parallel-live|-o",
        valued: "-c|--conf --workdir --root --runner --colored -e -m -f -x|--override --result-json --hash-seed --discover \
                     --installpkg --parallel --stderr-color --default-runner",
        optional: "-p --no-provision",
        rules: &[
            always(ObeysAround("tox.ini setup.cfg setup.py pyproject.toml")),
            when(Has("--override --discover"), Hides("`tox` with settings that may run a program")),
            always(Writes(At::Value("--result-json"))),
        ],
        subcommands: &[ruled("exec|e", &[always(RunsWords(At::AfterDashes))])],
        examples: &[
            ("tox -x testenv.commands=id", Expect::Opaque("settings that may run")),
            ("tox run -x testenv.commands=id", Expect::Opaque("settings that may run")),
            ("tox exec -e py -- sudo id", Expect::Runs("sudo id")),
            ("tox --result-json x", Expect::Writes("x")),
        ],
        plain_lines: &["tox -e py312", "tox -- -k x"],
        ..Program::EXACT
    },
    Program {
        family: &["pre-commit", "prek", "lefthook"],
        flags: "-h|--help -V|--version",
        valued: "--color -c|--config",
        rules: &[always(ObeysAround(".pre-commit-config.yaml lefthook.y* .lefthook.y* lefthook-local.y*"))],
        subcommands: &[
            ruled("install uninstall migrate-config add", &[always(Writes(At::Path(".git/hooks")))]),
            ruled("try-repo", &[always(Connects(At::Remotes)), always(Hides("hooks from elsewhere"))]),
            each("run"),
        ],
        examples: &[
            ("pre-commit install", Expect::Writes(".git/hooks")),
            ("pre-commit try-repo https://host/x", Expect::Opaque("hooks from elsewhere")),
        ],
        plain_lines: &["pre-commit run --all-files", "pre-commit autoupdate"],
        ..Program::EXACT
    },
    Program {
        family: &["bazel", "bazelisk", "buck2", "pants"],
        flags: "--batch --nohome_rc --noworkspace_rc --nosystem_rc --ignore_all_rc_files --autodetect_server_javabase \
                    --block_for_lock --noblock_for_lock --expand_configs_in_place --client_debug -h|--help --version --no-*",
        valued: "--bazelrc --output_base --output_user_root --host_jvm_args --server_javabase --max_idle_secs -l|--level \
                     --isolation-dir --run_under --shell_executable --script_path --action_env \
                     --workspace_status_command --credential_helper --experimental_credential_helper",
        rules: &[
            always(ObeysAround("**/BUILD **/BUILD.bazel **/*.bzl WORKSPACE* MODULE.bazel .bazelrc")),
            when(
                Has(
                    "--bazelrc --host_jvm_args --server_javabase --run_under --shell_executable --workspace_status_command \
                     --credential_helper --experimental_credential_helper",
                ),
                Hides("a build with programs or settings of its own choice"),
            ),
            always(RunsLine(At::Value("--run_under --workspace_status_command --shell_executable"))),
            always(Writes(At::Value("--script_path"))),
        ],
        subcommands: &[ruled("publish", &[always(PUBLISHES)])],
        examples: &[
            ("bazel run --run_under=sudo //x", Expect::Runs("sudo")),
            ("bazel build x --workspace_status_command='git push'", Expect::Runs("git push")),
            ("bazel --bazelrc=x build //x", Expect::Opaque("of its own choice")),
            ("bazel run --script_path=x //y", Expect::Writes("x")),
            ("pants publish ::", Expect::Asks("publishes")),
            ("bazel --odd run //x", Expect::Opaque("`--odd` of `bazel`")),
        ],
        plain_lines: &["bazel test //...", "pants test ::", "bazel build -c opt //x"],
        ..Program::SINGLE
    },
];

/// `NAME=value` among the targets: a text in the language of `make`, or the name of a program.
fn variables(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = Vec::new();
    for operand in parsed.operands() {
        let Some((name, value)) = operand.text.split_once('=') else { continue };
        let name = name.trim_end_matches([':', '+', '?', '!']);
        let value = Value { text: value.to_owned(), ..operand.clone() };
        // `$(shell …)` and `!=` run a command.
        let runs = value.text.contains(['$', '`']) || operand.text.contains("!=");
        if matches!(name, "SHELL" | ".SHELLFLAGS" | "MAKE" | "MAKEFLAGS" | "MAKEFILES")
            || runs && (operand.is_exact || value.text.contains('('))
        {
            found.push(Effect::hidden("`make` with a variable that runs a program"));
        }
        let first = value.text.split_whitespace().next().unwrap_or_default();
        let is_program = PROGRAMS.contains(&name) || find(first).is_some() && first == value.text;
        if is_program && value.is_exact && !value.text.is_empty() {
            found.push(Effect::Line(value.clone()));
        }
        found.push(Effect::Sets(name.to_owned(), value));
    }
    found
}

/// A task file given by a URL.
fn remote_file(parsed: &Parsed<'_>) -> Vec<Effect> {
    let remote = parsed.values("--taskfile").filter(|file| file.text.contains("://"));
    remote.flat_map(|file| [Effect::Host(file.clone()), Effect::hidden("tasks from elsewhere")]).collect()
}

/// Tasks whose names say that they publish something.
fn releases(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_release = |task: &Value| {
        let name = task.text.split('[').next().unwrap_or_default();
        name.split(':').any(|part| matches!(part, "release" | "publish" | "rubygem_push" | "push" | "deploy"))
    };
    let asks = parsed.operands().any(is_release);
    asks.then(|| Effect::is(Consequence::Publishes)).into_iter().collect()
}
