//! Tools around packages of JavaScript: monorepos, releases, hooks, versions of package managers.

use crate::effect::Effect;
use crate::registry::programs::registries::{IDENTITY, PUBLISHES};
use crate::registry::{
    ArgumentCondition::{Has, Lacks, Operand, OperandHas},
    At, Consequence, Does, Expect, Otherwise, Parsed, Program, Rule, Syntax, always, command, each, ruled, when,
};

/// A program that publishes unless it is a rehearsal.
const RELEASES: &[Rule] =
    &[when(&[Lacks("--dry-run --help --version")], PUBLISHES), when(&[Has("--no-dry-run")], PUBLISHES)];
const REHEARSAL: Syntax =
    Syntax { flags: "--dry-run --no-dry-run -h|--help -v|--version --ci --no-ci --debug --no-push", ..Syntax::EXACT };

pub(in crate::registry::programs) static ALL: &[Program] = &[
    Program {
        names: &["corepack"],
        subcommands: &[command("npm npx pnpm pnpx yarn yarnpkg", Syntax::LEADING, &[always(Does::By(corepack))])],
        examples: &[("corepack pnpm publish", Expect::Asks("publishes")), ("corepack enable", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["rimraf", "del", "del-cli"],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help --version --preserve-root --no-preserve-root -G|--no-glob -g|--glob -v|--verbose -V|--no-verbose \
                    -i|--interactive -I|--no-interactive -f|--force -d|--dry-run",
            valued: "--impl --tmp --max-retries --backoff --maxBackoff --retry-delay --cwd",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Lacks("--help")], Does::DeletesTrees(At::All)),
            when(&[Operand(". ./ * ./* ** ./** .. ../")], Does::Says(Consequence::Destroys, "deletes everything")),
        ],
        examples: &[
            ("rimraf ~/x", Expect::Deletes("/home/me/x")),
            ("npx rimraf ../x", Expect::Deletes("../x")),
            ("rimraf dist build", Expect::Deletes("build")),
            ("rimraf .", Expect::Asks("deletes everything")),
            ("rimraf dist", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["lerna"],
        syntax: Syntax {
            flags: "-h|--help -v|--version --no-* --sort --reject-cycles --parallel --stream --yes|-y --ci --since-last \
                    --include-dependents --include-dependencies --private --exact --force-publish",
            valued: "--loglevel --concurrency --max-buffer --scope --ignore --cwd --registry --dist-tag --preid --npm-client",
            optional: "--since --progress --push",
            ..Syntax::EXACT
        },
        subcommands: &[
            ruled("publish", &[always(PUBLISHES)]),
            command(
                "version",
                Syntax { flags: "--no-push", ..Syntax::EXACT },
                &[when(&[Lacks("--no-push")], PUBLISHES)],
            ),
            command("exec", Syntax::LEADING, &[always(Does::RunsWords(At::From(0)))]),
            ruled("watch", &[always(Does::RunsWords(At::AfterDashes))]),
        ],
        plain: "add bootstrap changed clean create diff import info init link list ls la ll repair run add-caching",
        otherwise: Otherwise::Opaque("no command of it that is known"),
        examples: &[
            ("lerna publish", Expect::Asks("publishes")),
            ("lerna --loglevel info publish", Expect::Asks("publishes")),
            ("lerna version", Expect::Asks("publishes")),
            ("lerna version --no-push", Expect::Plain),
            ("lerna exec -- sudo id", Expect::Runs("sudo id")),
            ("lerna run build", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["nx"],
        syntax: Syntax {
            flags: "-d|--dry-run --verbose --skip-nx-cache",
            valued: "-t|--target|--targets",
            ..Syntax::EXACT
        },
        subcommands: &[
            ruled("release publish", RELEASES),
            ruled("exec", &[always(Does::RunsWords(At::AfterDashes))]),
            ruled("connect login logout", &[always(IDENTITY)]),
        ],
        rules: &[when(&[OperandHas(":deploy :publish :release :push"), Lacks("--dry-run")], PUBLISHES)],
        examples: &[
            ("nx run app:deploy", Expect::Asks("publishes")),
            ("nx release", Expect::Asks("publishes")),
            ("nx release publish --dry-run", Expect::Plain),
            ("nx exec -- sudo id", Expect::Runs("sudo id")),
            ("nx run-many -t build", Expect::Plain),
            ("nx test x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["turbo"],
        syntax: Syntax {
            flags: "-h|--help --version --no-update-notifier --no-color --color --skip-infer -v|-vv|-vvv",
            valued: "--api --cwd --heap --login --team --token --trace --verbosity --root-turbo-json --preflight --ui",
            ..Syntax::EXACT
        },
        subcommands: &[ruled("login logout link unlink", &[always(IDENTITY)]), each("run")],
        examples: &[("turbo --cwd x login", Expect::Asks("accounts")), ("turbo run build test", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &["changeset"],
        subcommands: &[ruled("publish", RELEASES), each("tag")],
        examples: &[("changeset publish", Expect::Asks("publishes")), ("changeset status", Expect::Plain)],
        ..Program::NEW
    },
    Program {
        names: &[
            "semantic-release", "release-it", "np", "gh-pages", "multi-semantic-release", "auto", "auto-release",
            "dput", "dupload", "debsign", "cpan-upload", "tbump", "kaniko",
        ],
        is_family: true,
        syntax: REHEARSAL,
        rules: RELEASES,
        examples: &[
            ("semantic-release --ci", Expect::Asks("publishes")),
            ("semantic-release --dry-run", Expect::Plain),
            ("semantic-release --dry-run --no-dry-run", Expect::Asks("publishes")),
            ("gh-pages --dist dist", Expect::Asks("publishes")),
            ("release-it", Expect::Asks("publishes")),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "vsce", "ovsx", "jsr", "maturin", "rush", "dune-release", "boot", "jreleaser", "snapcraft", "copr-cli",
            "osc",
        ],
        is_family: true,
        subcommands: &[
            command(
                "publish unpublish upload release full-release deploy push build-package commit \
                        submitrequest sr delete rdelete promote undraft",
                Syntax { flags: "--dry-run", ..Syntax::EXACT },
                RELEASES,
            ),
            ruled("login logout create-publisher delete-publisher create-namespace store", &[always(IDENTITY)]),
        ],
        examples: &[
            ("vsce publish", Expect::Asks("publishes")),
            ("ovsx login x", Expect::Asks("accounts")),
            ("maturin publish", Expect::Asks("publishes")),
            ("snapcraft upload x.snap --release edge", Expect::Asks("publishes")),
            ("rush publish --apply", Expect::Asks("publishes")),
            ("vsce package", Expect::Plain),
            ("maturin develop", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["husky"],
        rules: &[when(&[Lacks("--help --version")], Does::Writes(At::Path(".git/config")))],
        examples: &[("husky install", Expect::Writes(".git/config"))],
        ..Program::NEW
    },
    Program {
        names: &["start-server-and-test", "server-test"],
        rules: &[always(Does::By(lines))],
        examples: &[
            ("start-server-and-test 'sudo id' 3000 test", Expect::Runs("sudo id")),
            ("start-server-and-test start 3000 test", Expect::Plain),
        ],
        ..Program::NEW
    },
];

/// `corepack yarn …` is `yarn …`.
fn corepack(parsed: &Parsed<'_>) -> Vec<Effect> {
    let from = parsed.words.last().copied().unwrap_or_default();
    vec![Effect::runs(parsed.command.args[from..].to_vec())]
}

/// Operands of several words, which are lines; one word is a script.
fn lines(parsed: &Parsed<'_>) -> Vec<Effect> {
    let lines = parsed.operands().filter(|operand| operand.text.contains(' '));
    lines.cloned().map(Effect::Line).collect()
}
