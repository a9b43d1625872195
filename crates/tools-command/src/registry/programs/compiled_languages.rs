//! Compilers of further languages that also run what they built, or run code during compilation.

use crate::registry::prelude::*;

/// Accepts any option, because only the subcommand and the file matter.
const ANY: Syntax = Syntax { flags: "-*", ..Syntax::EXACT };

const OWN: &str = "a compiler that runs a program of its own choice";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["zig"],
        flags: "-h --help",
        subcommands: &[
            command(
                "run test test-obj",
                Syntax {
                    flags: "--test-cmd-bin -*",
                    valued: "--test-cmd --test-runner --zig-lib-dir --libc -target -mcpu --name -I -L -l -O --test-filter --test-name-prefix --cache-dir --global-cache-dir -M* --dep",
                    ..Syntax::SINGLE
                },
                &[
                    always(RunsScript(At::Nth(0))),
                    when(
                        Has("--test-cmd --test-cmd-bin --test-runner --zig-lib-dir --libc"),
                        Hides("`zig` with a program of its own choice"),
                    ),
                ],
            ),
            command(
                "build",
                Syntax {
                    flags: "-*",
                    valued: "--build-file --prefix|-p --search-prefix --build-runner --seed --summary --cache-dir --sysroot --libc",
                    ..Syntax::EXACT
                },
                &[
                    when(Lacks("--build-file"), Follows("build.zig")),
                    always(RunsScript(At::Value("--build-file"))),
                    when(Has("--build-runner"), Hides("`zig` with a program of its own choice")),
                ],
            ),
            command(
                "cc c++ build-exe build-lib build-obj translate-c ar objcopy",
                Syntax { flags: "-*", valued: "-o -target -I -L -l -x -D -include", ..Syntax::SINGLE },
                &[always(Writes(At::Value("-o")))],
            ),
            command("fetch", ANY, &[always(Connects(At::Remotes))]),
        ],
        plain: "fmt init version env help targets zen ast-check std libc lib ranlib rc dlltool reduce init-exe \
                init-lib",
        otherwise: Otherwise::Opaque("no command of it that is known"),
        examples: &[
            ("zig run x.zig -- a", Expect::Scripts("x.zig")),
            ("zig test -O ReleaseFast x.zig", Expect::Scripts("x.zig")),
            ("zig test x.zig --test-cmd sudo", Expect::Opaque("of its own choice")),
            ("zig build test", Expect::Scripts("build.zig")),
            ("zig build --build-file x/y.zig", Expect::Scripts("x/y.zig")),
            ("zig build --build-runner x.zig", Expect::Opaque("of its own choice")),
            ("zig cc -o .envrc x.c", Expect::Writes(".envrc")),
            ("zig fetch https://host/x.tar.gz", Expect::Connects("https://host/x.tar.gz")),
            ("zig frob", Expect::Opaque("no command of it")),
        ],
        plain_lines: &["zig fmt src", "zig version"],
        ..Program::LEADING
    },
    Program {
        family: &[
            "nim", "nimble", "crystal", "odin", "haxe", "gleam", "spago", "purs", "lake", "idris2", "swiftly", "cjc",
        ],
        flags: "-r --run --interp --gcc.* --cc.* --clang.* -*",
        valued: "-cmd --cmd -x -main --linker --cc --passL --passC -lib -p|--path -o|--output",
        rules: &[
            when(Has("-cmd --cmd --linker --cc --passL -x --run --interp"), Hides(OWN)),
            when(Has("--gcc.* --cc.* --clang.*"), Hides(OWN)),
            when(Has("-r"), RunsScript(At::From(1))),
            when(First("eval e secret exec exe"), Hides("code of a compiled language")),
            when(First("run r spec play tool test t c compile i build script js cpp"), RunsScript(At::Nth(1))),
            when(First("publish"), Is(Consequence::Publishes)),
            always(Writes(At::Value("-o"))),
        ],
        examples: &[
            ("nim --gcc.exe:./x c y.nim", Expect::Opaque("of its own choice")),
            ("nim c -r x.nim", Expect::Scripts("x.nim")),
            ("nim e x.nims", Expect::Opaque("code of a compiled language")),
            ("crystal run x.cr", Expect::Scripts("x.cr")),
            ("crystal eval 'puts `id`'", Expect::Opaque("code of a compiled language")),
            ("haxe -main X -cmd id", Expect::Opaque("of its own choice")),
            ("odin run x.odin", Expect::Scripts("x.odin")),
            ("nimble publish", Expect::Asks("publishes")),
        ],
        plain_lines: &["nim check x.nim", "crystal tool format"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "dmd", "rdmd", "ldc2", "ldmd2", "gdc", "dub", "vala", "valac", "fpc", "gnatmake", "gprbuild", "iverilog",
            "ghdl",
        ],
        flags: "-run -r --run -c -*",
        valued: "-o --output --eval --loop --compiler -Xcc -of",
        style: Style::Single,
        rules: &[
            always(Evaluates(Language::Other, At::Value("--eval --loop"))),
            when(Has("--compiler -Xcc"), Hides(OWN)),
            when(Has("-run -r --run"), RunsScript(At::All)),
            when(First("run test"), Follows("dub.json dub.sdl")),
            always(Writes(At::Value("-o -of"))),
        ],
        examples: &[
            ("rdmd --eval='system(\"id\")'", Expect::Opaque("code with")),
            ("dmd -run x.d", Expect::Scripts("x.d")),
            ("dub run", Expect::Scripts("dub.json")),
            ("rdmd --compiler=./x y.d", Expect::Opaque("of its own choice")),
            ("valac -o .envrc x.vala", Expect::Writes(".envrc")),
        ],
        plain_lines: &["dmd -c x.d"],
        ..Program::GNU
    },
    Program {
        family: &[
            "raku", "rakudo", "jrunscript", "phpdbg", "psysh", "pry", "byebug", "rdbg", "ptpython", "bpython", "moon",
            "asy", "osgi",
        ],
        flags: "-c -v -V -n -p --version --help -h --no-color -f --simple-prompt --no-pager",
        valued: "-e|--exec -r|--require -I -M -l --doc --profile -x",
        rules: &[
            always(Evaluates(Language::Other, At::Value("-e"))),
            when(Has("-r -x"), Hides("code that is loaded first, or a program that is started")),
            when(Lacks("-e -v -V --version --help -h -c -r -x"), By(super::languages::script_or_input)),
        ],
        examples: &[
            ("raku -e 'run \"id\"'", Expect::Opaque("code with")),
            ("jrunscript -e 'exec(\"id\")'", Expect::Opaque("code with")),
            ("pry -r ./x", Expect::Opaque("loaded first")),
            ("echo 'system \"id\"' | pry", Expect::Opaque("runs what it reads")),
            ("raku x.raku", Expect::Scripts("x.raku")),
            ("raku -e 'say 1'", Expect::Opaque("code with")),
        ],
        plain_lines: &["raku --version"],
        ..Program::LEADING
    },
];
