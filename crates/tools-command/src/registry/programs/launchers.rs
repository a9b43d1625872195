//! Programs that start another one with a profile, a display card, a library, a colour or a notice
//! of its end.

use crate::registry::{
    ArgumentCondition::{AtLeast, Fed, Has, Lacks},
    At, Does, Expect, Otherwise, Program, Rule, Subcommand, Syntax, always, command, when,
};

/// Every argument from the first operand on is a command.
const ALL_WORDS: &[Rule] = &[always(Does::RunsWords(At::From(0)))];
/// A program that is looked for by itself where none is named.
const OWN_SHELL: &str = "a shell that runs what it reads";

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["aa-exec", "setlock"],
        is_family: true,
        syntax: Syntax {
            flags: "-d|--debug -i|--immediate -v|--verbose -N -x -X",
            valued: "-p|--profile -n|--namespace",
            ..Syntax::LEADING
        },
        // The lock of `setlock` may be taken for the command too.
        rules: &[always(Does::RunsWords(At::From(0))), always(Does::RunsWords(At::From(1)))],
        examples: &[
            ("aa-exec -p unconfined sudo id", Expect::Denied("takes other rights")),
            ("setlock -n x.lock sudo id", Expect::Denied("takes other rights")),
            ("aa-exec --odd rm x", Expect::Opaque("`--odd` of `aa-exec`")),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "aoss", "padsp", "nocache", "optirun", "primusrun", "prime-run", "gamemoderun", "mangohud", "steam-run",
            "nixGL", "vblank_mode", "pw-jack", "apulse", "dotenv-run", "with-contenv", "box64", "box86", "memusage",
            "scan-build", "intercept-build",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-v -V -h -k -q --dlsym --keep-going --status-bugs --append --keep-empty --exclude-x",
            valued: "-b -c -o -p -s -n -O -l --bridge --output --cdb --data",
            ..Syntax::LEADING
        },
        rules: ALL_WORDS,
        examples: &[
            ("nocache sudo id", Expect::Denied("takes other rights")),
            ("optirun -b primus sudo id", Expect::Denied("takes other rights")),
            ("scan-build -o out make", Expect::Runs("make")),
            ("nocache --odd rm x", Expect::Opaque("`--odd` of `nocache`")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["bear"],
        syntax: Syntax {
            flags: "--append -a --verbose -v --force-preload --force-wrapper -h --help --version",
            valued: "-o|--output --config -c|--cdb --library -l --wrapper -w --wrapper-dir",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::RunsWords(At::From(0))),
            when(
                &[Has("--library --wrapper --wrapper-dir")],
                Does::Hides("`bear` with a library or a program of its own choice"),
            ),
            always(Does::Writes(At::Value("--output"))),
        ],
        examples: &[
            ("bear -- sudo id", Expect::Denied("takes other rights")),
            ("bear --output .envrc -- make", Expect::Writes(".envrc")),
            ("bear --library ./x.so -- make", Expect::Opaque("a library or a program")),
            ("bear -- make", Expect::Runs("make")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["xcrun"],
        syntax: Syntax {
            flags: "-v|--verbose -l|--log -k|--kill-cache -n|--no-cache -r|--run -f|--find --show-sdk-path --show-sdk-version -h|--help",
            valued: "--sdk --toolchain",
            ..Syntax::LEADING
        },
        rules: ALL_WORDS,
        examples: &[
            ("xcrun --sdk macosx sudo id", Expect::Denied("takes other rights")),
            ("xcrun --show-sdk-path", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["grc"],
        syntax: Syntax {
            flags: "-e|--stderr -s|--stdout --pty -h|--help",
            valued: "-c|--config",
            optional: "--colour --color",
            ..Syntax::LEADING
        },
        rules: ALL_WORDS,
        examples: &[
            ("grc -es --colour=auto sudo id", Expect::Denied("takes other rights")),
            ("grc make", Expect::Runs("make")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["logsave", "extrace", "runlim", "schedtool", "multitime", "pexec"],
        is_family: true,
        syntax: Syntax {
            flags: "-a -s -v -f -l -t -Q -d -q -u -0 -z -w -F -B -D -I -N -R -E --single --propagate -L",
            valued: "-o -p -n -b -r --output-file --real-time-limit --time-limit --space-limit",
            ..Syntax::LEADING
        },
        rules: &[
            // Where a file or a number stands in front of the command depends on the program.
            always(Does::RunsWords(At::From(0))),
            always(Does::RunsWords(At::From(1))),
            when(&[Has("-E -B -I")], Does::Hides("a program that starts others with what they print")),
            when(&[Has("-r")], Does::Hides("a command between runs")),
            always(Does::Writes(At::Value("-o --output-file"))),
        ],
        examples: &[
            ("logsave x.log sudo id", Expect::Denied("takes other rights")),
            ("multitime -n 5 sudo id", Expect::Denied("takes other rights")),
            ("multitime -r 'rm -rf x' true", Expect::Opaque("between runs")),
            ("extrace -o .envrc make", Expect::Writes(".envrc")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["noti", "ntfy-run", "notify-run", "tsp", "boxxy"],
        is_family: true,
        syntax: Syntax {
            flags: "-v|--version -h|--help --verbose -n -f -m -g -L -B -E -d --immutable --daemon --dotenv -u --force-color",
            valued: "-t|--title --message -w|--pwatch -p -S -N -D -W -l -c -i --file --rules",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::RunsWords(At::From(0))),
            // Whether an option takes a value differs between them.
            always(Does::RunsWords(At::From(1))),
        ],
        examples: &[
            ("noti sudo id", Expect::Denied("takes other rights")),
            ("noti -t done -m x sudo id", Expect::Denied("takes other rights")),
            ("tsp make", Expect::Runs("make")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["gamescope", "uwsm", "x11docker", "waypipe", "switcherooctl"],
        is_family: true,
        syntax: Syntax { flags: "-*", ..Syntax::EXACT },
        rules: &[
            always(Does::RunsWords(At::AfterDashes)),
            when(&[AtLeast(1)], Does::Hides("a program that starts another one behind options that are not known")),
        ],
        examples: &[
            ("gamescope -f -- sudo id", Expect::Denied("takes other rights")),
            ("uwsm app -- sudo id", Expect::Denied("takes other rights")),
            ("switcherooctl launch id", Expect::Opaque("behind options that are not known")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["wine", "wine64", "mono", "dosbox", "dosbox-x"],
        is_family: true,
        syntax: Syntax {
            flags: "--debug -conf -exit -noconsole -fullscreen --help --version",
            valued: "-c",
            ..Syntax::LEADING
        },
        rules: &[
            when(&[Has("-c")], Does::Hides("a command of an emulator")),
            when(&[Lacks("--help --version")], Does::RunsScript(At::Nth(0))),
        ],
        examples: &[
            ("wine setup.exe /S", Expect::Scripts("setup.exe")),
            ("mono --debug x.exe", Expect::Scripts("x.exe")),
            ("dosbox -c 'mount c /' -c exit", Expect::Opaque("a command of an emulator")),
            ("wine --version", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["msgexec", "msgfilter"],
        is_family: true,
        syntax: Syntax {
            flags: "--keep-header --indent --no-escape --force-po --no-location --strict --sort-output -s --no-wrap \
                    -P|--properties-input --stringtable-input",
            valued: "-i|--input -D|--directory -o|--output-file --newline -w|--width",
            optional: "--color --style",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::RunsWords(At::From(0))),
            always(Does::Reads(At::Value("--input"))),
            always(Does::Writes(At::Value("--output-file"))),
        ],
        examples: &[
            ("msgfilter -i x.po sudo id", Expect::Denied("takes other rights")),
            ("msgexec -i x.po rm y", Expect::Runs("rm y")),
            ("msgfilter -P sed -n p", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "nvm", "fnm", "n", "volta", "rvm", "perlbrew", "carton", "pew", "vex", "flox", "devbox", "pkgx", "vcsh",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-q -s -v -h --silent --no-colors --lts --version --help -i -a --yes -y --no-use --delete-prefixes \
                    --keep-symlink --bundled-npm --install-if-missing --corepack-enabled",
            valued: "--using --with --node --npm --yarn --pnpm -d --dir -c|--config -e --env -r --remote -l --lib --log-level",
            ..Syntax::LEADING
        },
        subcommands: &[
            Subcommand {
                names: "exec do enter",
                syntax: Syntax {
                    flags: "-v -q --silent --no-cpan --lts",
                    valued: "--using --with --node --npm",
                    ..Syntax::LEADING
                },
                // The version may be left out.
                rules: &[always(Does::RunsWords(At::From(0))), always(Does::RunsWords(At::From(1)))],
                ..Subcommand::NEW
            },
            command(
                "run in activate shell workon develop services tmp",
                Syntax {
                    flags: "-q -s --silent --lts -q --pure",
                    valued: "-p --node --npm --yarn -c",
                    ..Syntax::LEADING
                },
                &[
                    always(Does::RunsWords(At::From(0))),
                    always(Does::RunsWords(At::From(1))),
                    always(Does::RunsLine(At::Value("-c"))),
                ],
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
            ("nvm install 20", Expect::Plain),
            ("nvm use --lts", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["genie", "bash-it", "tasksh", "ginsh", "ksshell", "tdbtool", "slsh"],
        is_family: true,
        syntax: Syntax {
            flags: "-s --shell -i --version -n -q -g",
            valued: "-e -l",
            last: "-c|--command",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::RunsWords(At::Behind("-c"))),
            when(&[Has("-e -l")], Does::Hides("code of a shell of its own")),
            when(&[Fed], Does::Hides(OWN_SHELL)),
            when(&[Lacks("-c")], Does::RunsScript(At::Nth(0))),
        ],
        examples: &[
            ("genie -c sudo id", Expect::Denied("takes other rights")),
            ("slsh -e 'system(\"id\")'", Expect::Opaque("code of a shell")),
            ("echo '!id' | ginsh", Expect::Opaque(OWN_SHELL)),
            ("slsh x.sl", Expect::Scripts("x.sl")),
        ],
        ..Program::NEW
    },
];
