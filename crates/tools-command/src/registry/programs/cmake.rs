//! `cmake`, `ctest`, `meson`: build systems that generate builds for other tools.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;

/// Files that `cmake` obeys.
const LISTS: &str = "**/CMakeLists.txt **/*.cmake CMakePresets.json CMakeUserPresets.json";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["cmake", "cmake3"],
        flags: "--fresh -Wdev -Wno-dev -Werror=dev -Wno-error=dev -Wdeprecated -Wno-deprecated -L -LA -LH -LAH -N \
                    --list-presets --trace --trace-expand --warn-uninitialized --no-warn-unused-cli --check-system-vars \
                    --compile-no-warning-as-error --link-no-warning-as-error --debug-output --debug-trycompile --debug-find \
                    --verbose|-v --clean-first --use-stderr --strip --workflow --help|-help|-usage|-h|-H|/? --version|-version \
                    --open --find-package",
        valued: "-S -B -C -D -U -G -T -A --toolchain --install-prefix --preset --graphviz --log-level --trace-source \
                     --trace-redirect --trace-format --profiling-output --profiling-format --build --install --target|-t \
                     --config --component --default-directory-permissions --prefix --install-script --resolve-package-references",
        optional: "-D* -U* -G* -S* -B* -C* -j* --parallel --debug-find-pkg --debug-find-var --list-presets --help-*",
        last: "-E -P",
        rules: &[
            always(ObeysAround(LISTS)),
            always(RunsScript(At::Value("-P"))),
            when(Has("-P"), Hides("`cmake` runs what the option `-P` says")),
            always(RunsScript(At::Value("-C -C* --toolchain"))),
            always(ByOption(definitions)),
            always(ByOption(tool)),
            always(By(native)),
            always(Writes(At::Value("-B -B* --graphviz --trace-redirect --profiling-output --prefix"))),
        ],
        builds: true,
        examples: &[
            ("cmake -E env sudo id", Expect::Runs("sudo id")),
            ("cmake -E env --unset=X A=1 -- sudo id", Expect::Runs("sudo id")),
            ("cmake -E chdir . sudo id", Expect::Runs("sudo id")),
            ("cmake -E time sudo id", Expect::Runs("sudo id")),
            ("cmake -E rm -rf x", Expect::Runs("rm -rf x")),
            ("cmake -E copy x .git/hooks/y", Expect::Writes(".git/hooks/y")),
            ("cmake -P x.cmake", Expect::Opaque("`-P`")),
            ("cmake -DCMAKE_C_COMPILER_LAUNCHER=sudo -B b", Expect::Opaque("programs of its own choice")),
            ("cmake -D CMAKE_MAKE_PROGRAM=./x -B b", Expect::Opaque("programs of its own choice")),
            ("cmake --build b -- SHELL=./x", Expect::Opaque("arguments for the build")),
            ("cmake -B b -S .", Expect::Writes("b")),
        ],
        plain_lines: &[
            "cmake -DCMAKE_BUILD_TYPE=Release -B build", "cmake -S . -B build -G Ninja -DCMAKE_C_COMPILER=clang",
            "cmake --build build -j8 --target all", "cmake --build build -- -j8", "cmake ..", "cmake --version",
        ],
        ..Program::SINGLE
    },
    Program {
        names: &["ctest"],
        flags: "-V|--verbose -VV|--extra-verbose --debug --progress --output-on-failure --stop-on-failure -F -N|--show-only \
                    -Q|--quiet --rerun-failed --schedule-random --no-compress-output --print-labels --no-label-summary --version \
                    -h|--help --force-new-ctest-process",
        valued: "--preset -C|--build-config -L|--label-regex -LE|--label-exclude -R|--tests-regex -E|--exclude-regex \
                     -FA -FS -FC -D|--dashboard -M|--test-model -T|--test-action -S|--script -SP|--script-new-process \
                     -I|--tests-information -U --repeat --max-width --timeout --test-dir --output-log|-O --output-junit \
                     --test-load --resource-spec-file -A|--add-notes --build-generator --build-makeprogram --interactive-debug-mode",
        optional: "-j|--parallel -j* --stop-time",
        last: "--test-command --build-and-test",
        rules: &[
            always(ObeysAround("**/CTestTestfile.cmake CTestConfig.cmake")),
            always(RunsWords(At::Behind("--test-command"))),
            when(Has("--build-and-test --build-makeprogram"), Hides("`ctest` with programs of its own choice")),
            when(Has("--script --script-new-process"), Hides("`ctest` runs a script of its own")),
            always(RunsScript(At::Value("--script --script-new-process"))),
            when(Has("--dashboard --test-model"), PUBLISHES),
            when(ArgumentCondition::Value("--test-action", "Submit submit"), PUBLISHES),
            always(Writes(At::Value("--output-log --output-junit"))),
        ],
        examples: &[
            ("ctest --test-command sudo id", Expect::Runs("sudo id")),
            ("ctest -S x.cmake", Expect::Opaque("a script of its own")),
            ("ctest -D Experimental", Expect::Asks("publishes")),
            ("ctest -T Submit", Expect::Asks("publishes")),
            ("ctest --output-junit x", Expect::Writes("x")),
        ],
        plain_lines: &["ctest --test-dir build --output-on-failure -j8", "ctest -R x"],
        ..Program::SINGLE
    },
    Program {
        names: &["meson"],
        flags: "-h|--help -v|--version",
        valued: "-C",
        rules: &[always(ObeysAround("**/meson.build meson.options meson_options.txt"))],
        subcommands: &[
            command(
                "test",
                Syntax { valued: "--wrap|--wrapper --gdb-path --setup --suite -C --num-processes -t", ..Syntax::EXACT },
                &[
                    when(Has("--wrap --gdb-path"), Hides("`meson test` with a program of its own choice")),
                    always(RunsLine(At::Value("--wrap --gdb-path"))),
                ],
            ),
            command(
                "devenv",
                Syntax { flags: "--dump", valued: "-C --workdir|-w --dump-format", ..Syntax::LEADING },
                RUNS_OPERANDS,
            ),
            group(
                "subprojects",
                &[command(
                    "foreach",
                    Syntax { valued: "--sourcedir --types -j|--num-processes", ..Syntax::LEADING },
                    RUNS_OPERANDS,
                )],
            ),
            each("setup compile"),
        ],
        builds: true,
        examples: &[
            ("meson test --wrap=sudo", Expect::Runs("sudo")),
            ("meson devenv -C b sudo id", Expect::Runs("sudo id")),
            ("meson subprojects foreach sudo id", Expect::Runs("sudo id")),
            ("meson --odd devenv sudo", Expect::Opaque("`--odd` of `meson`")),
        ],
        plain_lines: &["meson setup build", "meson compile -C build", "meson test -C build --print-errorlogs"],
        ..Program::EXACT
    },
];

/// Cache entries that name programs or code.
fn definitions(parsed: &Parsed<'_>) -> Vec<Effect> {
    let names_program = |value: &&Value| {
        let name = value.text.split(['=', ':']).next().unwrap_or_default();
        let parts = [
            "_LAUNCHER", "LAUNCH_", "MAKE_PROGRAM", "EMULATOR", "CLANG_TIDY", "CPPCHECK", "CPPLINT", "WHAT_YOU_USE",
            "CMAKE_COMMAND", "PROJECT_INCLUDE", "TOP_LEVEL_INCLUDES", "GIT_EXECUTABLE",
        ];
        let compiles_elsewhere = name.contains("COMPILER") && !value.is_exact
            || name.contains("COMPILER") && value.text.contains("=.")
            || name.contains("COMPILER") && value.text.contains("=/tmp");
        parts.iter().any(|part| name.contains(part)) || compiles_elsewhere || name.contains('$')
    };
    let mut found = Vec::new();
    if parsed.values("-D -D*").any(|value| names_program(&value)) {
        found.push(Effect::hidden("`cmake` with programs of its own choice"));
    }
    let toolchain = parsed.values("-D -D*").filter(|value| value.text.starts_with("CMAKE_TOOLCHAIN_FILE"));
    let script = |value: &Value| {
        let (_, file) = value.text.split_once('=')?;
        Some(Effect::Script(Value { text: file.to_owned(), ..value.clone() }))
    };
    found.extend(toolchain.filter_map(script));
    found
}

/// `cmake -E COMMAND …`: built-in tools, and commands that start other programs.
fn tool(parsed: &Parsed<'_>) -> Vec<Effect> {
    let words = parsed.behind("-E");
    let Some((verb, rest)) = words.split_first() else { return Vec::new() };
    let run = |words: &[Value]| if words.is_empty() { Vec::new() } else { vec![Effect::runs(words.to_vec())] };
    match verb.text.as_str() {
        _ if !verb.is_exact => vec![Effect::hidden("a command of `cmake -E` that is known only when it runs")],
        "env" => environment(rest),
        "chdir" => run(rest.get(1..).unwrap_or_default()),
        "time" => run(rest),
        "rm" | "remove" | "remove_directory" => {
            let name = Value::exact("rm");
            let recursive = (verb.text == "remove_directory").then(|| Value::exact("-r"));
            run(&[name].into_iter().chain(recursive).chain(rest.iter().cloned()).collect::<Vec<_>>())
        }
        "copy"
        | "copy_if_different"
        | "copy_directory"
        | "copy_directory_if_different"
        | "rename"
        | "create_symlink"
        | "create_hardlink"
        | "touch"
        | "touch_nocreate"
        | "make_directory" => rest.iter().cloned().map(|path| Effect::path(path, Access::Write)).collect(),
        _ => Vec::new(),
    }
}

/// `cmake -E env [--unset=NAME] [NAME=value] [--] COMMAND`.
fn environment(rest: &[Value]) -> Vec<Effect> {
    let is_setting = |arg: &Value| arg.text.starts_with('-') || arg.text.contains('=');
    let count = rest.iter().take_while(|arg| is_setting(arg)).count();
    let (settings, words) = rest.split_at(count);
    let mut found: Vec<Effect> = settings
        .iter()
        .filter_map(|arg| {
            let (name, value) = arg.text.split_once('=').filter(|(name, _)| !name.starts_with('-'))?;
            Some(Effect::Sets(name.to_owned(), Value { text: value.to_owned(), ..arg.clone() }))
        })
        .collect();
    if !words.is_empty() {
        found.push(Effect::runs(words.to_vec()));
    }
    found
}

/// Arguments for `make` or `ninja` after `cmake --build DIR --`.
fn native(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_odd = |arg: &Value| {
        arg.text.contains('=')
            || arg.text.starts_with("-f")
            || arg.text.starts_with("--ev")
            || arg.text.starts_with("-E")
    };
    let odd = parsed.has("--build") && parsed.after_dashes().iter().any(is_odd);
    odd.then(|| Effect::hidden("`cmake` with arguments for the build")).into_iter().collect()
}
