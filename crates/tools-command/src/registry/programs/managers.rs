//! Managers of tool versions and environments, which start a program from one of them.

use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["mise", "rtx"],
        flags: "-q|--quiet -v|--verbose -y|--yes --silent --no-config --raw --trace --debug --locked",
        valued: "-C|--cd -E|--env -P|--profile -j|--jobs -S|--shell --log-level",
        rules: &[always(ObeysAround("mise.toml .mise.toml .mise/* mise.local.toml .tool-versions"))],
        subcommands: &[
            command(
                "exec|x",
                Syntax { flags: "--raw", valued: "-c|--command -j|--jobs", ..Syntax::LEADING },
                &[always(RunsLine(At::Value("--command"))), when(Lacks("--command"), By(tool_and_words))],
            ),
            ruled("trust", &[always(Hides("`mise trust` lets a file run whenever its folder is entered"))]),
            command(
                "install i use u upgrade up",
                Syntax { flags: "-g|--global -f|--force -p -v --pin --dry-run -n", ..Syntax::EXACT },
                &[always(NeedsNetwork), when(Has("--global"), FOR_USER)],
            ),
            Subcommand {
                names: "run|r",
                syntax: Syntax {
                    flags: "-f|--force -n|--dry-run -p -i -s",
                    valued: "-t|--tool -j|--jobs -o|--output -C|--cd",
                    ..Syntax::LEADING
                },
                ..Subcommand::NEW
            },
        ],
        plain: "ls list current where which env e doctor dr version v tasks t task settings config cfg activate \
                hook-env plugins p registry latest ls-remote outdated prune reshim set unset uninstall cache alias \
                completion fmt watch w bin-paths",
        examples: &[
            ("mise exec -- sudo id", Expect::Denied("takes other rights")),
            ("mise x node@20 -- sudo id", Expect::Denied("takes other rights")),
            ("mise -C sub exec -c 'sudo id'", Expect::Denied("takes other rights")),
            ("mise exec node@20 sudo id", Expect::Denied("takes other rights")),
            ("mise uninstall node", Expect::Is("mise uninstall node")),
        ],
        plain_lines: &["mise ls", "mise run build"],
        ..Program::EXACT
    },
    Program {
        family: &["asdf", "pyenv", "rbenv", "nodenv", "jenv", "goenv", "plenv"],
        subcommands: &[
            command("exec", Syntax::LEADING, RUNS_OPERANDS),
            ruled("install", &[always(NeedsNetwork)]),
            ruled("plugin plugin-add", &[when(FirstIsNot("list remove"), Hides("a plug-in whose code is run"))]),
            ruled("global", &[when(AtLeast(1), FOR_USER)]),
        ],
        plain: "list versions version current which where local global shell reshim rehash plugin latest info help \
                root prefix whence init uninstall virtualenv activate virtualenvs commands shims set",
        examples: &[
            ("asdf exec sudo id", Expect::Denied("takes other rights")),
            ("pyenv exec sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["pyenv versions"],
        ..Program::LEADING
    },
    Program {
        names: &["nix"],
        flags: "-v|--verbose --quiet --debug --offline --refresh -L|--print-build-logs --impure --no-net --accept-flake-config \
                    --no-write-lock-file --recreate-lock-file --no-update-lock-file --keep-going --json --fallback --show-trace \
                    -i|--ignore-environment --no-link --dry-run --rebuild -K|--keep-failed",
        valued: "--option --arg --argstr --override-input --extra-experimental-features --experimental-features -f|--file --expr --apply -I --log-format -j|--max-jobs --cores \
                     --inputs-from --override-flake -o|--out-link --profile --eval-store --store -k|--keep -u|--unset",
        last: "-c|--command",
        rules: &[
            always(ObeysAround("flake.nix")),
            always(RunsWords(At::Behind("--command"))),
            always(Evaluates(Language::Other, At::Value("--expr --apply"))),
            always(RunsScript(At::Value("--file"))),
            when(Has("--option --arg --argstr --override-input"), Hides("`nix` with settings of its own")),
        ],
        subcommands: &[
            Subcommand { names: "shell develop print-dev-env env", syntax: NIX, ..Subcommand::NEW },
            ruled("profile", &[when(FirstIsNot("list history diff-closures"), FOR_USER)]),
            ruled("upgrade-nix daemon", &[always(FOR_USER)]),
            ruled("store", &[when(First("delete gc optimise repair sign copy-sigs"), FOR_USER)]),
            ruled("registry", &[when(First("add pin remove"), Hides("settings that later calls of `nix` obey"))]),
            command(
                "copy",
                Syntax { flags: "--all -s --no-check-sigs", valued: "--to --from", ..Syntax::EXACT },
                &[always(Connects(At::Value("--to --from"))), when(Has("--to"), PUBLISHES)],
            ),
            command("exec", Syntax::LEADING, RUNS_OPERANDS),
            command("run", NIX, &[always(Hides("`nix run` starts a program from elsewhere"))]),
        ],
        plain: "build eval flake search fmt log path-info hash repl why-depends config doctor help derivation edit \
                key nar bundle",
        examples: &[
            ("nix shell nixpkgs#x -c sudo id", Expect::Denied("takes other rights")),
            ("nix develop --command sudo id", Expect::Denied("takes other rights")),
            ("nix run nixpkgs#hello", Expect::Opaque("a program from elsewhere")),
            ("nix profile install nixpkgs#hello", Expect::Asks("programs outside of the workspace")),
            ("nix profile add nixpkgs#hello", Expect::Asks("programs outside of the workspace")),
            ("nix upgrade-nix", Expect::Asks("programs outside of the workspace")),
            ("nix store gc", Expect::Asks("programs outside of the workspace")),
            ("nix copy --to ssh://h ./result", Expect::Asks("publishes")),
            ("nix registry pin nixpkgs", Expect::Opaque("later calls of `nix`")),
            ("nix eval --expr 'builtins.readFile /etc/passwd'", Expect::Opaque("code with")),
            ("nix eval .#x --apply 'x: import ./y'", Expect::Opaque("code with")),
            ("nix build --impure --expr 'import ./x {}'", Expect::Opaque("code with")),
            ("nix eval --file x.nix a", Expect::Scripts("x.nix")),
        ],
        plain_lines: &["nix eval --expr '1 + 1'", "nix profile list", "nix build .#x", "nix develop -c cargo build"],
        ..Program::EXACT
    },
    Program {
        family: &["nix-collect-garbage", "nix-channel"],
        flags: "--help --version --list --dry-run -*",
        rules: &[when(Lacks("--help --version --list --dry-run"), FOR_USER)],
        examples: &[
            ("nix-collect-garbage -d", Expect::Asks("programs outside of the workspace")),
            ("nix-channel --add http://h/x", Expect::Asks("programs outside of the workspace")),
        ],
        plain_lines: &["nix-channel --list"],
        ..Program::EXACT
    },
    Program {
        family: &["nix-instantiate", "nix-build"],
        flags: "-E|--expr --parse --eval --find-file --strict --raw --xml --json --read-write-mode --dry-run --no-out-link -Q \
                    -k -K -v --verbose --fallback --show-trace --check --pure-eval --impure --indirect --version --help",
        valued: "--arg --argstr --option -A|--attr -I -j|--max-jobs --cores --add-root -o|--out-link --store --builders",
        rules: &[
            when(Has("--expr"), Evaluates(Language::Other, At::All)),
            when(Lacks("--expr"), RunsScript(At::All)),
            when_all(&[AtMost(0), Lacks("--version --help")], Follows("default.nix")),
            when(Has("--option --arg --argstr --builders"), Hides("`nix` with settings of its own")),
            always(Writes(At::Value("--out-link --add-root"))),
        ],
        examples: &[
            ("nix-instantiate --eval -E 'builtins.readFile /etc/passwd'", Expect::Opaque("code with")),
            ("nix-instantiate -E --eval 'import ./x'", Expect::Opaque("code with")),
            ("nix-instantiate --eval x.nix", Expect::Scripts("x.nix")),
            ("nix-build", Expect::Scripts("default.nix")),
            ("nix-build -o .envrc x.nix", Expect::Writes(".envrc")),
            ("nix-build --option builders x", Expect::Opaque("settings of its own")),
        ],
        plain_lines: &["nix-instantiate --eval -E '1 + 1'", "nix-build -A x"],
        ..Program::EXACT
    },
    Program {
        names: &["nix-shell"],
        flags: "-E|--expr --pure --impure --keep-going -k -K -Q -v --verbose --fallback --readonly-mode --show-trace",
        valued: "--run --command --attr|-A --exclude --keep -I -j --max-jobs --cores -o --out-link",
        rules: &[
            always(Obeys("shell.nix default.nix")),
            when(Has("--expr"), Evaluates(Language::Other, At::All)),
            always(RunsLine(At::Value("--run --command"))),
            when(Lacks("--run --command --version"), Hides("`nix-shell` starts a shell that runs what it reads")),
        ],
        examples: &[
            ("nix-shell -p x --run 'sudo id'", Expect::Denied("takes other rights")),
            ("nix-shell --command 'sudo id'", Expect::Denied("takes other rights")),
            ("nix-shell -E 'import ./x' --run ls", Expect::Opaque("code with")),
            ("nix-shell", Expect::Opaque("starts a shell")),
        ],
        ..Program::EXACT
    },
    Program {
        family: &["busybox", "toybox", "busybox-static"],
        flags: "--list --list-full --long --install -s",
        style: Style::Leading,
        rules: &[
            when(Lacks("--install"), RunsWords(At::From(0))),
            when(Has("--install -s"), Hides("`busybox` that installs itself")),
        ],
        is_exhaustive: true,
        examples: &[
            ("busybox wget http://x", Expect::Runs("wget http://x")),
            ("busybox sh -c 'sudo id'", Expect::Denied("takes other rights")),
            ("busybox -- sudo", Expect::Denied("takes other rights")),
            ("busybox --odd sudo", Expect::Opaque("`--odd` of `busybox`")),
        ],
        plain_lines: &["busybox --list"],
        ..Program::GNU
    },
    Program {
        family: &["ld-linux*", "ld-musl*", "ld.so", "ld64.so*"],
        flags: "--verify --list --inhibit-cache --list-tunables --list-diagnostics",
        valued: "--library-path --inhibit-rpath --argv0 --glibc-hwcaps-prepend --glibc-hwcaps-mask --preload --audit",
        rules: &[
            always(RunsWords(At::From(0))),
            when(Has("--preload --audit --library-path"), Hides("a program with libraries of its own choice")),
        ],
        examples: &[
            ("/lib64/ld-linux-x86-64.so.2 /usr/bin/sudo id", Expect::Denied("takes other rights")),
            ("ld.so --argv0 x sudo id", Expect::Denied("takes other rights")),
            ("ld.so --preload ./x.so ls", Expect::Opaque("libraries of its own choice")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &["sudo", "doas", "dzdo", "pfexec", "sudo-rs"],
        flags: "-A|--askpass -b|--background -B|--bell -E -e|--edit -H|--set-home -K|--remove-timestamp \
                    -k|--reset-timestamp -l|--list -n|--non-interactive -N|--no-update -P|--preserve-groups -S|--stdin \
                    -s|--shell -i|--login -L -v|--validate -V|--version",
        valued: "-u|--user -g|--group -h|--host -p|--prompt -C|--close-from -D|--chdir -r|--role -t|--type \
                     -T|--command-timeout -U|--other-user -R|--chroot",
        optional: "--preserve-env",
        rules: &[always(Is(Consequence::TakesRights)), always(RunsWithVariables(At::From(0)))],
        examples: &[
            ("sudo id", Expect::Denied("takes other rights")),
            ("sudo -u x -- ls", Expect::Denied("takes other rights")),
            ("sudo -u x A=1 rm -rf y", Expect::Runs("rm -rf y")),
            ("doas -n id", Expect::Denied("takes other rights")),
        ],
        ..Program::LEADING
    },
    Program {
        family: &[
            "sudoedit", "su", "pkexec", "run0", "gosu", "su-exec", "runuser", "kdesu", "gksu", "gksudo", "sux", "ksu",
            "s6-setuidgid", "su-rs", "please", "calife", "machinectl-shell",
        ],
        rules: &[always(Is(Consequence::TakesRights))],
        examples: &[
            ("su -", Expect::Denied("takes other rights")),
            ("gosu root id", Expect::Denied("takes other rights")),
        ],
        ..Program::LEADING
    },
];

/// Options of the subcommands of `nix` that start a command.
const NIX: Syntax = Syntax {
    flags: "-i|--ignore-environment --impure",
    valued: "-k|--keep -u|--unset",
    last: "-c|--command",
    ..Syntax::EXACT
};

/// The words after the version of a tool: `node@20 npm test`.
fn tool_and_words(parsed: &Parsed<'_>) -> Vec<Effect> {
    let args = &parsed.command.args;
    let at = parsed.operands().take_while(|operand| operand.text.contains('@')).count();
    let words = args.iter().position(|arg| arg.text == "--").map_or(parsed.from(at), |at| &args[at + 1..]);
    (!words.is_empty()).then(|| Effect::runs(words.to_vec())).into_iter().collect()
}
