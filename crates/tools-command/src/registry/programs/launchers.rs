//! Programs that start another one with a profile, a graphics card, a library, colours, or a
//! notification when it ends.

use crate::registry::prelude::*;

/// Clause for a program with a shell of its own.
const OWN_SHELL: &str = "a shell that runs what it reads";

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["aa-exec", "setlock"],
        flags: "-d|--debug -i|--immediate -v|--verbose -N -x -X",
        valued: "-p|--profile -n|--namespace", // The lock of `setlock` may be taken for the command too.
        rules: &[always(RunsWords(At::From(0))), always(RunsWords(At::From(1)))],
        examples: &[
            ("aa-exec -p unconfined sudo id", Expect::Denied("takes other rights")),
            ("setlock -n x.lock sudo id", Expect::Denied("takes other rights")),
            ("aa-exec --odd rm x", Expect::Opaque("`--odd` of `aa-exec`")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &[
            "aoss", "padsp", "nocache", "optirun", "primusrun", "prime-run", "gamemoderun", "mangohud", "steam-run",
            "nixGL", "vblank_mode", "pw-jack", "apulse", "dotenv-run", "with-contenv", "box64", "box86", "memusage",
            "scan-build", "intercept-build",
        ],
        flags: "-v -V -h -k -q --dlsym --keep-going --status-bugs --append --keep-empty --exclude-x",
        valued: "-b -c -o -p -s -n -O -l --bridge --output --cdb --data",
        rules: RUNS_OPERANDS,
        examples: &[
            ("nocache sudo id", Expect::Denied("takes other rights")),
            ("optirun -b primus sudo id", Expect::Denied("takes other rights")),
            ("scan-build -o out make", Expect::Runs("make")),
            ("nocache --odd rm x", Expect::Opaque("`--odd` of `nocache`")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["bear"],
        flags: "--append -a --verbose -v --force-preload --force-wrapper -h --help --version",
        valued: "-o|--output --config -c|--cdb --library -l --wrapper -w --wrapper-dir",
        rules: &[
            always(RunsWords(At::From(0))),
            when(
                Has("--library --wrapper --wrapper-dir"),
                Hides("`bear` with a library or a program of its own choice"),
            ),
            always(Writes(At::Value("--output"))),
        ],
        examples: &[
            ("bear -- sudo id", Expect::Denied("takes other rights")),
            ("bear --output .envrc -- make", Expect::Writes(".envrc")),
            ("bear --library ./x.so -- make", Expect::Opaque("a library or a program")),
            ("bear -- make", Expect::Runs("make")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["xcrun"],
        flags: "-v|--verbose -l|--log -k|--kill-cache -n|--no-cache -r|--run -f|--find --show-sdk-path --show-sdk-version -h|--help",
        valued: "--sdk --toolchain",
        rules: RUNS_OPERANDS,
        examples: &[("xcrun --sdk macosx sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["xcrun --show-sdk-path"],
        ..Program::LEADING
    },
    Program {
        names: &["grc"],
        flags: "-e|--stderr -s|--stdout --pty -h|--help",
        valued: "-c|--config",
        optional: "--colour --color",
        rules: RUNS_OPERANDS,
        examples: &[
            ("grc -es --colour=auto sudo id", Expect::Denied("takes other rights")),
            ("grc make", Expect::Runs("make")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["logsave", "extrace", "runlim", "schedtool", "multitime", "pexec"],
        flags: "-a -s -v -f -l -t -Q -d -q -u -0 -z -w -F -B -D -I -N -R -E --single --propagate -L",
        valued: "-o -p -n -b -r --output-file --real-time-limit --time-limit --space-limit",
        rules: &[
            // It depends on the program whether a file or a number precedes the command.
            always(RunsWords(At::From(0))),
            always(RunsWords(At::From(1))),
            when(Has("-E -B -I"), Hides("a program that starts others with what they print")),
            when(Has("-r"), Hides("a command between runs")),
            always(Writes(At::Value("-o --output-file"))),
        ],
        examples: &[
            ("logsave x.log sudo id", Expect::Denied("takes other rights")),
            ("multitime -n 5 sudo id", Expect::Denied("takes other rights")),
            ("multitime -r 'rm -rf x' true", Expect::Opaque("between runs")),
            ("extrace -o .envrc make", Expect::Writes(".envrc")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["noti", "ntfy-run", "notify-run", "tsp", "boxxy"],
        flags: "-v|--version -h|--help --verbose -n -f -m -g -L -B -E -d --immutable --daemon --dotenv -u --force-color",
        valued: "-t|--title --message -w|--pwatch -p -S -N -D -W -l -c -i --file --rules",
        rules: &[
            always(RunsWords(At::From(0))),
            // The programs differ in whether an option takes a value.
            always(RunsWords(At::From(1))),
        ],
        examples: &[
            ("noti sudo id", Expect::Denied("takes other rights")),
            ("noti -t done -m x sudo id", Expect::Denied("takes other rights")),
            ("tsp make", Expect::Runs("make")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["gamescope", "uwsm", "x11docker", "waypipe", "switcherooctl"],
        flags: "-*",
        rules: &[
            always(RunsWords(At::AfterDashes)),
            when(AtLeast(1), Hides("a program that starts another one behind options that are not known")),
        ],
        examples: &[
            ("gamescope -f -- sudo id", Expect::Denied("takes other rights")),
            ("uwsm app -- sudo id", Expect::Denied("takes other rights")),
            ("switcherooctl launch id", Expect::Opaque("behind options that are not known")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["wine", "wine64", "mono", "dosbox", "dosbox-x"],
        flags: "--debug -conf -exit -noconsole -fullscreen --help --version",
        valued: "-c",
        rules: &[
            when(Has("-c"), Hides("a command of an emulator")),
            when(Lacks("--help --version"), RunsScript(At::Nth(0))),
        ],
        examples: &[
            ("wine setup.exe /S", Expect::Scripts("setup.exe")),
            ("mono --debug x.exe", Expect::Scripts("x.exe")),
            ("dosbox -c 'mount c /' -c exit", Expect::Opaque("a command of an emulator")),
        ],
        plain_lines: &["wine --version"],
        ..Program::LEADING
    },
    Program {
        family: &["msgexec", "msgfilter"],
        flags: "--keep-header --indent --no-escape --force-po --no-location --strict --sort-output -s --no-wrap \
                    -P|--properties-input --stringtable-input",
        valued: "-i|--input -D|--directory -o|--output-file --newline -w|--width",
        optional: "--color --style",
        rules: &[
            always(RunsWords(At::From(0))),
            always(Reads(At::Value("--input"))),
            always(Writes(At::Value("--output-file"))),
        ],
        examples: &[
            ("msgfilter -i x.po sudo id", Expect::Denied("takes other rights")),
            ("msgexec -i x.po rm y", Expect::Runs("rm y")),
        ],
        plain_lines: &["msgfilter -P sed -n p"],
        ..Program::LEADING
    },
    Program {
        family: &[
            "nvm", "fnm", "n", "volta", "rvm", "perlbrew", "carton", "pew", "vex", "flox", "devbox", "devenv", "pkgx",
            "vcsh",
        ],
        flags: "-q -s -v -h --silent --no-colors --lts --version --help -i -a --yes -y --no-use --delete-prefixes \
                    --keep-symlink --bundled-npm --install-if-missing --corepack-enabled",
        valued: "--using --with --node --npm --yarn --pnpm -d --dir -c|--config -e --env -r --remote -l --lib --log-level",
        subcommands: &[
            Subcommand {
                names: "exec do enter",
                syntax: Syntax {
                    flags: "-v -q --silent --no-cpan --lts",
                    valued: "--using --with --node --npm",
                    ..Syntax::LEADING
                },
                // The version may be left out.
                rules: &[always(RunsWords(At::From(0))), always(RunsWords(At::From(1)))],
                ..Subcommand::NEW
            },
            command(
                "run in activate shell workon develop services tmp",
                Syntax {
                    flags: "-q -s --silent --lts -q --pure",
                    valued: "-p --node --npm --yarn -c",
                    ..Syntax::LEADING
                },
                &[always(RunsWords(At::From(0))), always(RunsWords(At::From(1))), always(RunsLine(At::Value("-c")))],
            ),
        ],
        plain: "install uninstall use ls list current alias default env which pin help version ls-remote lsr doctor \
                latest lts rm prune info available search add init remove update status completions setup cache \
                deactivate reinstall-packages unalias list-remote clone delete fetch push upgrade global rename",
        otherwise: Otherwise::Opaque("a version, or a command that is run with one"),
        examples: &[
            ("nvm exec 20 sudo id", Expect::Denied("takes other rights")),
            ("volta run --node 20 sudo id", Expect::Denied("takes other rights")),
            ("fnm exec --using=20 sudo id", Expect::Denied("takes other rights")),
            ("rvm 3.3 do sudo id", Expect::Opaque("a version, or a command")),
            ("perlbrew exec --with 5.40 sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["nvm install 20", "nvm use --lts"],
        ..Program::LEADING
    },
    Program {
        family: &["genie", "bash-it", "tasksh", "ginsh", "ksshell", "tdbtool", "slsh"],
        flags: "-s --shell -i --version -n -q -g",
        valued: "-e -l",
        last: "-c|--command",
        rules: &[
            always(RunsWords(At::Behind("-c"))),
            when(Has("-e -l"), Hides("code of a shell of its own")),
            when(Fed, Hides(OWN_SHELL)),
            when(Lacks("-c"), RunsScript(At::Nth(0))),
        ],
        examples: &[
            ("genie -c sudo id", Expect::Denied("takes other rights")),
            ("slsh -e 'system(\"id\")'", Expect::Opaque("code of a shell")),
            ("echo '!id' | ginsh", Expect::Opaque(OWN_SHELL)),
            ("slsh x.sl", Expect::Scripts("x.sl")),
        ],
        ..Program::LEADING
    },
];
