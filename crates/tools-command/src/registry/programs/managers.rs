//! Managers of tool versions and environments, which start a program from one of them.

use super::registries::{FOR_USER, PUBLISHES};
use crate::registry::{
    ArgumentCondition::{AtLeast, First, FirstIsNot, Has, Lacks},
    At, Does, Expect, Program, Style, Subcommand, Syntax, always, command, ruled, when,
};

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["mise", "rtx"],
        syntax: Syntax {
            flags: "-q|--quiet -v|--verbose -y|--yes --silent --no-config --raw --trace --debug --locked",
            valued: "-C|--cd -E|--env -P|--profile -j|--jobs -S|--shell --log-level",
            ..Syntax::EXACT
        },
        subcommands: &[
            command(
                "exec|x",
                Syntax { flags: "--raw", valued: "-c|--command -j|--jobs", ..Syntax::LEADING },
                &[
                    always(Does::RunsLine(At::Value("--command"))),
                    when(&[Lacks("--command")], Does::By(tool_and_words)),
                ],
            ),
            ruled("trust", &[always(Does::Hides("`mise trust` lets a file run whenever its folder is entered"))]),
            command(
                "install i use u upgrade up",
                Syntax { flags: "-g|--global -f|--force -p -v --pin --dry-run -n", ..Syntax::EXACT },
                &[always(Does::NeedsNetwork), when(&[Has("--global")], FOR_USER)],
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
            ("mise ls", Expect::Plain),
            ("mise uninstall node", Expect::Is("mise uninstall node")),
            ("mise run build", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["asdf", "pyenv", "rbenv", "nodenv", "jenv", "goenv", "plenv"],
        is_family: true,
        syntax: Syntax::LEADING,
        subcommands: &[
            command("exec", Syntax::LEADING, &[always(Does::RunsWords(At::From(0)))]),
            ruled("install", &[always(Does::NeedsNetwork)]),
            ruled(
                "plugin plugin-add",
                &[when(&[FirstIsNot("list remove")], Does::Hides("a plug-in whose code is run"))],
            ),
            ruled("global", &[when(&[AtLeast(1)], FOR_USER)]),
        ],
        plain: "list versions version current which where local global shell reshim rehash plugin latest info help \
                root prefix whence init uninstall virtualenv activate virtualenvs commands shims set",
        examples: &[
            ("asdf exec sudo id", Expect::Denied("takes other rights")),
            ("pyenv exec sudo id", Expect::Denied("takes other rights")),
            ("pyenv versions", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nix"],
        syntax: Syntax {
            flags: "-v|--verbose --quiet --debug --offline --refresh -L|--print-build-logs --impure --no-net --accept-flake-config \
                    --no-write-lock-file --recreate-lock-file --no-update-lock-file --keep-going --json --fallback --show-trace \
                    -i|--ignore-environment --no-link --dry-run --rebuild -K|--keep-failed",
            valued: "--option --arg --argstr --override-input --extra-experimental-features --experimental-features -f|--file --expr -I --log-format -j|--max-jobs --cores \
                     --inputs-from --override-flake -o|--out-link --profile --eval-store --store -k|--keep -u|--unset",
            last: "-c|--command",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::RunsWords(At::Behind("--command"))),
            when(&[Has("--option --arg --argstr --override-input")], Does::Hides("`nix` with settings of its own")),
        ],
        subcommands: &[
            Subcommand { names: "shell develop print-dev-env env", syntax: NIX, ..Subcommand::NEW },
            ruled("profile", &[when(&[FirstIsNot("list history diff-closures")], FOR_USER)]),
            ruled("upgrade-nix daemon", &[always(FOR_USER)]),
            ruled("store", &[when(&[First("delete gc optimise repair sign copy-sigs")], FOR_USER)]),
            ruled(
                "registry",
                &[when(&[First("add pin remove")], Does::Hides("settings that later calls of `nix` obey"))],
            ),
            command(
                "copy",
                Syntax { flags: "--all -s --no-check-sigs", valued: "--to --from", ..Syntax::EXACT },
                &[always(Does::Connects(At::Value("--to --from"))), when(&[Has("--to")], PUBLISHES)],
            ),
            command("exec", Syntax::LEADING, &[always(Does::RunsWords(At::From(0)))]),
            command("run", NIX, &[always(Does::Hides("`nix run` starts a program from elsewhere"))]),
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
            ("nix profile list", Expect::Plain),
            ("nix build .#x", Expect::Plain),
            ("nix develop -c cargo build", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nix-collect-garbage", "nix-channel"],
        is_family: true,
        syntax: Syntax { flags: "--help --version --list --dry-run -*", ..Syntax::EXACT },
        rules: &[when(&[Lacks("--help --version --list --dry-run")], FOR_USER)],
        examples: &[
            ("nix-collect-garbage -d", Expect::Asks("programs outside of the workspace")),
            ("nix-channel --add http://h/x", Expect::Asks("programs outside of the workspace")),
            ("nix-channel --list", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nix-shell"],
        syntax: Syntax {
            flags: "--pure --impure --keep-going -k -K -Q -v --verbose --fallback --readonly-mode --show-trace",
            valued: "--run --command --attr|-A --exclude --keep -I -j --max-jobs --cores -o --out-link",
            ..Syntax::EXACT
        },
        rules: &[
            always(Does::RunsLine(At::Value("--run --command"))),
            when(
                &[Lacks("--run --command --version")],
                Does::Hides("`nix-shell` starts a shell that runs what it reads"),
            ),
        ],
        examples: &[
            ("nix-shell -p x --run 'sudo id'", Expect::Denied("takes other rights")),
            ("nix-shell --command 'sudo id'", Expect::Denied("takes other rights")),
            ("nix-shell", Expect::Opaque("starts a shell")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["busybox", "toybox", "busybox-static"],
        is_family: true,
        syntax: Syntax { flags: "--list --list-full --long --install -s", style: Style::Leading, ..Syntax::GNU },
        rules: &[
            when(&[Lacks("--install")], Does::RunsWords(At::From(0))),
            when(&[Has("--install -s")], Does::Hides("`busybox` that installs itself")),
        ],
        is_exhaustive: true,
        examples: &[
            ("busybox wget http://x", Expect::Runs("wget http://x")),
            ("busybox sh -c 'sudo id'", Expect::Denied("takes other rights")),
            ("busybox -- sudo", Expect::Denied("takes other rights")),
            ("busybox --odd sudo", Expect::Opaque("`--odd` of `busybox`")),
            ("busybox --list", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["ld-linux*", "ld-musl*", "ld.so", "ld64.so*"],
        is_family: true,
        syntax: Syntax {
            flags: "--verify --list --inhibit-cache --list-tunables --list-diagnostics",
            valued: "--library-path --inhibit-rpath --argv0 --glibc-hwcaps-prepend --glibc-hwcaps-mask --preload --audit",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::RunsWords(At::From(0))),
            when(&[Has("--preload --audit --library-path")], Does::Hides("a program with libraries of its own choice")),
        ],
        examples: &[
            ("/lib64/ld-linux-x86-64.so.2 /usr/bin/sudo id", Expect::Denied("takes other rights")),
            ("ld.so --argv0 x sudo id", Expect::Denied("takes other rights")),
            ("ld.so --preload ./x.so ls", Expect::Opaque("libraries of its own choice")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["sudo", "doas", "dzdo", "pfexec", "sudo-rs"],
        is_family: true,
        syntax: Syntax {
            flags: "-A|--askpass -b|--background -B|--bell -E -e|--edit -H|--set-home -K|--remove-timestamp \
                    -k|--reset-timestamp -l|--list -n|--non-interactive -N|--no-update -P|--preserve-groups -S|--stdin \
                    -s|--shell -i|--login -L -v|--validate -V|--version",
            valued: "-u|--user -g|--group -h|--host -p|--prompt -C|--close-from -D|--chdir -r|--role -t|--type \
                     -T|--command-timeout -U|--other-user -R|--chroot",
            optional: "--preserve-env",
            ..Syntax::LEADING
        },
        rules: &[
            always(Does::Is(crate::registry::Consequence::TakesRights)),
            always(Does::RunsWithVariables(At::From(0))),
        ],
        examples: &[
            ("sudo id", Expect::Denied("takes other rights")),
            ("sudo -u x -- ls", Expect::Denied("takes other rights")),
            ("sudo -u x A=1 rm -rf y", Expect::Runs("rm -rf y")),
            ("doas -n id", Expect::Denied("takes other rights")),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "sudoedit", "su", "pkexec", "run0", "gosu", "su-exec", "runuser", "kdesu", "gksu", "gksudo", "sux", "ksu",
            "s6-setuidgid", "su-rs", "please", "calife", "machinectl-shell",
        ],
        is_family: true,
        syntax: Syntax::LEADING,
        rules: &[always(Does::Is(crate::registry::Consequence::TakesRights))],
        examples: &[
            ("su -", Expect::Denied("takes other rights")),
            ("gosu root id", Expect::Denied("takes other rights")),
        ],
        ..Program::NEW
    },
];

/// Options of the subcommands of `nix` that start a command.
const NIX: Syntax = Syntax {
    flags: "-i|--ignore-environment --impure",
    valued: "-k|--keep -u|--unset",
    last: "-c|--command",
    ..Syntax::EXACT
};

/// Words behind the version of a tool: `node@20 npm test`.
fn tool_and_words(parsed: &crate::registry::Parsed<'_>) -> Vec<crate::Effect> {
    let args = &parsed.command.args;
    let at = parsed.operands().take_while(|operand| operand.text.contains('@')).count();
    let words = args.iter().position(|arg| arg.text == "--").map_or(parsed.from(at), |at| &args[at + 1..]);
    (!words.is_empty()).then(|| crate::Effect::runs(words.to_vec())).into_iter().collect()
}
