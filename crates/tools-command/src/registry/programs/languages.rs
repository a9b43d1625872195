//! Interpreters of further languages: code given by an option, scripts, modules, and code from the
//! standard input.

use crate::registry::find;
use crate::registry::prelude::*;

/// Code by `-e` or `--eval`, else a script, else the standard input.
const BY_E: &[Rule] = &[
    always(Evaluates(Language::Other, At::Value("-e --eval"))),
    when_all(&[Lacks("-e --eval"), FirstIsNot("-")], RunsScript(At::Nth(0))),
    when_all(&[Lacks("-e --eval --version --help -h -v -V"), AtMost(0)], READS),
    when(First("-"), READS),
];
const READS: Does = Hides("an interpreter that runs what it reads");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["lua", "lua5*", "luajit", "texlua", "luau", "lune"],
        flags: "-i -v -E -W -b",
        valued: "-e -l -O",
        optional: "-j",
        rules: &[
            always(Evaluates(Language::Lua, At::Value("-e"))),
            when(FirstIsNot("-"), RunsScript(At::Nth(0))),
            when_all(&[Lacks("-e -v"), AtMost(0)], READS),
            when(First("-"), READS),
        ],
        examples: &[
            ("lua -e 'os.execute(\"id\")'", Expect::Opaque("os.execute")),
            ("lua -W -e 'io.popen(1)'", Expect::Opaque("io.popen")),
            ("cat x | lua", Expect::Opaque("runs what it reads")),
            ("lua --odd x", Expect::Opaque("`--odd` of `lua`")),
        ],
        plain_lines: &["lua -e 'print(1)'", "lua x.lua a"],
        ..Program::LEADING
    },
    Program {
        family: &["php", "php7*", "php8*"],
        flags: "-a -C -h -i|--info -l|--syntax-check -m|--modules -n|--no-php-ini -q -s|--syntax-highlight -v|--version -w|--strip \
                    -H|--hide-args --ini -e|--profile-info --interactive --strip --rfinfo",
        valued: "-B|--process-begin -E|--process-end -R|--process-code -r|--run -F|--process-file -f|--file -c|--php-ini \
                     -d|--define -S|--server -t|--docroot -z|--zend-extension --rf --rc --re --rz --ri -b",
        rules: &[
            always(Evaluates(Language::Php, At::Value("-r -B -R -E"))),
            always(RunsScript(At::Value("-f -F"))),
            when_all(&[Lacks("-r -B -R -E -f -F -S"), FirstIsNot("-")], RunsScript(At::Nth(0))),
            when_all(&[Lacks("-r -B -R -E -f -F -S"), FirstIsNot("-")], By(super::project_scripts::named)),
            when_all(&[Lacks("-r -B -R -E -f -F -S -v -i -m -h --help --ini --rf --rc --re --ri"), AtMost(0)], READS),
            when(First("-"), READS),
            when(Has("-d -z -c"), ByOption(php_setting)),
            when(Has("-S"), NeedsNetwork),
        ],
        examples: &[
            ("php -r 'system(\"id\");'", Expect::Opaque("system")),
            ("php -B 'system(\"x\");'", Expect::Opaque("system")),
            ("php -nr 'exec(1);'", Expect::Opaque("exec")),
            ("php -d auto_prepend_file=x y.php", Expect::Opaque("a setting")),
            ("cat x | php", Expect::Opaque("runs what it reads")),
            ("php --odd x.php", Expect::Opaque("`--odd` of `php`")),
        ],
        plain_lines: &["php -l index.php", "php -d memory_limit=1G artisan test", "php -r 'echo 1 + 1;'", "php -v"],
        ..Program::LEADING
    },
    Program {
        family: &["tclsh", "tclsh8*", "wish", "expect", "jimsh", "expectk"],
        flags: "-b -d -i -n -N -v",
        valued: "-c -f -encoding -D",
        style: Style::Single,
        rules: &[
            when(Has("-c"), Hides("code of Tcl")),
            always(RunsScript(At::Value("-f"))),
            when_all(&[Lacks("-c -f"), FirstIsNot("-")], RunsScript(At::Nth(0))),
            when_all(&[Lacks("-c -f -v"), AtMost(0)], READS),
            when(First("-"), READS),
        ],
        examples: &[
            ("expect -c 'spawn sudo id'", Expect::Opaque("code of Tcl")),
            ("tclsh <<< 'exec id'", Expect::Opaque("runs what it reads")),
            ("tclsh", Expect::Opaque("runs what it reads")),
        ],
        plain_lines: &["expect x.exp", "tclsh x.tcl"],
        ..Program::LEADING
    },
    Program {
        family: &["R", "Rscript", "littler"],
        flags: "--vanilla --no-save --save --no-environ --no-site-file --no-init-file --no-restore --no-restore-data \
                    --no-restore-history --slave -s|--no-echo -q|--quiet|--silent --interactive --verbose --no-readline -d",
        valued: "-e -f|--file -g|--gui",
        optional: "--encoding --default-packages --args --max-ppsize --min-nsize --min-vsize --debugger --arch",
        rules: &[
            always(Obeys(".Rprofile")),
            always(Evaluates(Language::Other, At::Value("-e"))),
            always(RunsScript(At::Value("-f"))),
            when_all(&[Lacks("-e -f"), FirstIsNot("CMD")], RunsScript(At::Nth(0))),
            when_all(&[Lacks("-e -f --version --help"), AtMost(0)], READS),
            when(Has("--debugger"), Hides("a debugger of its own choice")),
            when(First("CMD"), By(tool)),
        ],
        examples: &[
            ("R -e 'system(\"id\")'", Expect::Opaque("code with")),
            ("Rscript --vanilla -e 'system(\"id\")'", Expect::Opaque("code with")),
            ("R --no-save < x.R", Expect::Opaque("runs what it reads")),
            ("R --odd -e 1", Expect::Opaque("`--odd` of `R`")),
            ("R CMD sudo id", Expect::Runs("sudo id")),
            ("R CMD BATCH x.R", Expect::Scripts("x.R")),
        ],
        plain_lines: &["R CMD check x", "Rscript x.R a", "Rscript -e '1+1'"],
        ..Program::LEADING
    },
    Program {
        names: &["julia"],
        flags: "-i -q|--quiet -v --lisp --experimental --trace-compile-timing",
        valued: "-e|--eval -E|--print -L|--load -J|--sysimage -H|--home -p|--procs -t|--threads --machine-file -C|--cpu-target \
                     -O|--optimize -g --gcthreads -m",
        optional: "--project --startup-file --history-file --color --compile --check-bounds --depwarn --warn-overwrite --inline \
                       --banner --compiled-modules --code-coverage --track-allocation --handle-signals --math-mode --sysimage-native-code \
                       --pkgimages --min-optlevel --heap-size-hint --warn-scope",
        rules: &[
            always(Evaluates(Language::Other, At::Value("-e -E"))),
            always(RunsScript(At::Value("-L --machine-file --sysimage"))),
            when(Lacks("-e -E"), RunsScript(At::Nth(0))),
            when_all(&[Lacks("-e -E -m --version -v --help"), AtMost(0)], READS),
        ],
        examples: &[
            ("julia -e 'run(`id`)'", Expect::Opaque("code with")),
            ("julia --project=. -E 'run(`id`)'", Expect::Opaque("code with")),
            ("julia --odd -e 1", Expect::Opaque("`--odd` of `julia`")),
            ("julia", Expect::Opaque("runs what it reads")),
        ],
        plain_lines: &["julia --project=. x.jl", "julia -e 'println(1 + 1)'"],
        ..Program::LEADING
    },
    Program {
        family: &[
            "octave", "octave-cli", "guile", "guile3*", "gsi", "csi", "racket", "sbcl", "clisp", "ecl", "chez",
            "scheme", "mit-scheme", "swipl", "gprolog", "yap", "gnuplot", "maxima", "gp", "sage", "scilab", "elixir",
            "iex", "erl", "escript", "clojure", "clj", "bb", "lein-exec", "janet", "fennel", "picolisp", "gforth",
            "io", "wolframscript", "math", "ocaml", "utop", "polyml", "mosml", "crystal-eval", "nickel", "dhall-repl",
            "gawk-eval", "spidermonkey", "js", "kotlinc-jvm", "kscript", "groovysh", "pike", "newlisp", "rexx",
            "regina", "gst", "falcon", "squirrel", "wren", "zx",
        ],
        flags: "-q|--quiet|--silent -i --no-gui --norc -f --no-init-file --no-history --no-window-system -W -V -v --persist|-p -noshell \
                    -noinput --no-auto-compile --batch -batch --non-interactive",
        valued: "-Sdeps|-e|--eval|-c|-g|-x|-r|--execute|-eval -l|--load -s -L -d -pa -S|-mix",
        rules: BY_E,
        examples: &[
            ("octave --eval 'system(\"id\")'", Expect::Opaque("code with")),
            ("guile -c '(system \"id\")'", Expect::Opaque("code with")),
            ("gnuplot -e 'system(\"id\")' x.gp", Expect::Opaque("code with")),
            ("elixir -e 'System.cmd(\"id\", [])'", Expect::Opaque("code with")),
            ("sbcl --non-interactive --eval '(run-program \"id\")'", Expect::Opaque("code with")),
            ("cat x | gnuplot", Expect::Opaque("runs what it reads")),
            ("guile --odd -c 1", Expect::Opaque("`--odd` of `guile`")),
            ("clj -Sdeps '{:aliases {:x {:main-opts [\"-e\" \"(sh 1)\"]}}}' -M:x", Expect::Opaque("code with")),
        ],
        plain_lines: &["octave --eval 'disp(1+1)'", "gnuplot plot.gp"],
        ..Program::LEADING
    },
    Program {
        names: &["matlab"],
        flags: "-nodisplay -nodesktop -nosplash -nojvm -noFigureWindows -wait -help",
        valued: "-batch|-r -logfile -sd",
        rules: &[
            always(Evaluates(Language::Other, At::Value("-batch"))),
            always(RunsScript(At::Nth(0))),
            always(Writes(At::Value("-logfile"))),
        ],
        examples: &[
            ("matlab -batch 'system(\"id\")'", Expect::Opaque("code with")),
            ("matlab -nodisplay x.m", Expect::Scripts("x.m")),
        ],
        ..Program::SINGLE
    },
    Program {
        family: &["ghc", "runghc", "runhaskell", "ghci", "stack-runghc"],
        flags: "-O -O0 -O1 -O2 -c -S -v -v0 -Wall -Werror -w -threaded -static -dynamic -prof -g --make -M -i -fforce-recomp -E -C -V \
                    --interactive --info --numeric-version --supported-extensions -rtsopts -no-link -shared",
        valued: "-o -e -package -package-id -package-db -outputdir -odir -hidir -main-is -x -l -optl -opta -optP",
        optional: "-X* -i* -W* -f* -I* -L* -D* -j*",
        style: Style::Single,
        rules: &[
            always(Obeys(".ghci")),
            always(Evaluates(Language::Other, At::Value("-e"))),
            always(By(haskell)),
            always(Writes(At::Value("-o"))),
        ],
        examples: &[
            ("ghc -e 'System.Process.callCommand \"id\"'", Expect::Opaque("code with")),
            ("ghc -pgmF ./x -F y.hs", Expect::Opaque("programs of its own choice")),
            ("ghci <<< ':!id'", Expect::Opaque("runs what it reads")),
        ],
        plain_lines: &["ghc -O2 -o x x.hs", "runghc x.hs", "ghc --version"],
        ..Program::GNU
    },
];

/// Effect of PHP settings, except those that load and run nothing.
fn php_setting(parsed: &Parsed<'_>) -> Vec<Effect> {
    let plain = [
        "memory_limit", "max_execution_time", "display_errors", "error_reporting", "date.timezone", "xdebug.mode",
        "zend.assertions", "opcache.enable", "opcache.enable_cli", "phar.readonly", "pcov.enabled", "log_errors",
        "short_open_tag",
    ];
    let is_plain = |value: &crate::reader::Value| plain.contains(&value.text.split('=').next().unwrap_or_default());
    let is_odd = parsed.values("-d").any(|value| !is_plain(value)) || parsed.has("-z -c");
    is_odd.then(|| Effect::hidden("a setting of `php` that may load code")).into_iter().collect()
}

/// Preprocessors and plug-ins of `ghc`, scripts of `runghc`, and the input of `ghci`.
fn haskell(parsed: &Parsed<'_>) -> Vec<Effect> {
    let command = parsed.command;
    let mut found = Vec::new();
    let runs = |option: &str| {
        option.starts_with("-pgm") || option.starts_with("-fplugin") || option.starts_with("-ghci-script")
    };
    if command.options().any(runs) {
        found.push(Effect::hidden("`ghc` with programs of its own choice"));
    }
    if command.name() == "ghci" {
        found.push(Effect::hidden("an interpreter that runs what it reads"));
    }
    if command.name().starts_with("run") {
        found.extend(parsed.operand(0).cloned().map(Effect::Script));
    }
    found
}

/// The script of an interpreter; without one, it runs its input.
pub(super) fn script_or_input(parsed: &Parsed<'_>) -> Vec<Effect> {
    let script = parsed.operand(0).filter(|script| script.text != "-").cloned();
    let runs = script.map_or_else(|| Effect::hidden("an interpreter that runs what it reads"), Effect::Script);
    parsed.doubt().into_iter().chain([runs]).collect()
}

/// `R CMD NAME`: a built-in tool, or any program.
fn tool(parsed: &Parsed<'_>) -> Vec<Effect> {
    let words = parsed.from(1);
    match words {
        [batch, options @ ..] if batch.text == "BATCH" => {
            let script = options.iter().find(|word| !word.text.starts_with('-'));
            script.cloned().map(Effect::Script).into_iter().collect()
        }
        [name, ..] if find(&name.text).is_some() || name.text.contains('/') => vec![Effect::runs(words.to_vec())],
        _ => Vec::new(),
    }
}
