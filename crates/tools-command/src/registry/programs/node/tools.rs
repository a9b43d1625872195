//! Tools for JavaScript packages: monorepos, releases, hooks, package manager versions.

use crate::registry::prelude::*;

/// Rules of a program that publishes unless it is a dry run.
const RELEASES: &[Rule] = &[when(Lacks("--dry-run --help --version"), PUBLISHES), when(Has("--no-dry-run"), PUBLISHES)];
const REHEARSAL: Program =
    Program { flags: "--dry-run --no-dry-run -h|--help -v|--version --ci --no-ci --debug --no-push", ..Program::EXACT };

pub(in crate::registry::programs) static ALL: &[Program] = &[
    Program {
        names: &["corepack"],
        subcommands: &[command("npm npx pnpm pnpx yarn yarnpkg", Syntax::LEADING, &[always(By(corepack))])],
        examples: &[("corepack pnpm publish", Expect::Asks("publishes"))],
        plain_lines: &["corepack enable"],
        ..Program::GNU
    },
    Program {
        family: &["rimraf", "del", "del-cli"],
        flags: "-h|--help --version --preserve-root --no-preserve-root -G|--no-glob -g|--glob -v|--verbose -V|--no-verbose \
                    -i|--interactive -I|--no-interactive -f|--force -d|--dry-run",
        valued: "--impl --tmp --max-retries --backoff --maxBackoff --retry-delay --cwd",
        rules: &[
            when(Lacks("--help"), DeletesTrees(At::All)),
            when(Operand(". ./ * ./* ** ./** .. ../"), Says(Consequence::Destroys, "deletes everything")),
        ],
        examples: &[
            ("rimraf ~/x", Expect::Deletes("/home/me/x")),
            ("npx rimraf ../x", Expect::Deletes("../x")),
            ("rimraf dist build", Expect::Deletes("build")),
            ("rimraf .", Expect::Asks("deletes everything")),
        ],
        plain_lines: &["rimraf dist"],
        ..Program::EXACT
    },
    Program {
        names: &["lerna"],
        flags: "-h|--help -v|--version --no-* --sort --reject-cycles --parallel --stream --yes|-y --ci --since-last \
                    --include-dependents --include-dependencies --private --exact --force-publish",
        valued: "--loglevel --concurrency --max-buffer --scope --ignore --cwd --registry --dist-tag --preid --npm-client",
        optional: "--since --progress --push",
        rules: &[always(ObeysAround("lerna.json package.json"))],
        subcommands: &[
            ruled("publish", &[always(PUBLISHES)]),
            command("version", Syntax { flags: "--no-push", ..Syntax::EXACT }, &[when(Lacks("--no-push"), PUBLISHES)]),
            command("exec", Syntax::LEADING, RUNS_OPERANDS),
            ruled("watch", &[always(RunsWords(At::AfterDashes))]),
        ],
        plain: "add bootstrap changed clean create diff import info init link list ls la ll repair run add-caching",
        otherwise: Otherwise::Opaque("no command of it that is known"),
        examples: &[
            ("lerna publish", Expect::Asks("publishes")),
            ("lerna --loglevel info publish", Expect::Asks("publishes")),
            ("lerna version", Expect::Asks("publishes")),
            ("lerna exec -- sudo id", Expect::Runs("sudo id")),
        ],
        plain_lines: &["lerna version --no-push", "lerna run build"],
        ..Program::EXACT
    },
    Program {
        names: &["nx"],
        flags: "-d|--dry-run --verbose --skip-nx-cache",
        valued: "-t|--target|--targets",
        subcommands: &[
            ruled("release publish", RELEASES),
            ruled("exec", &[always(RunsWords(At::AfterDashes))]),
            ruled("connect login logout", &[always(IDENTITY)]),
        ],
        rules: &[
            always(ObeysAround("nx.json **/project.json package.json")),
            when_all(&[OperandHas(":deploy :publish :release :push"), Lacks("--dry-run")], PUBLISHES),
        ],
        examples: &[
            ("nx run app:deploy", Expect::Asks("publishes")),
            ("nx release", Expect::Asks("publishes")),
            ("nx exec -- sudo id", Expect::Runs("sudo id")),
        ],
        plain_lines: &["nx release publish --dry-run", "nx run-many -t build", "nx test x"],
        ..Program::EXACT
    },
    Program {
        names: &["turbo"],
        flags: "-h|--help --version --no-update-notifier --no-color --color --skip-infer -v|-vv|-vvv",
        valued: "--api --cwd --heap --login --team --token --trace --verbosity --root-turbo-json --preflight --ui",
        rules: &[always(ObeysAround("turbo.json package.json"))],
        subcommands: &[ruled("login logout link unlink", &[always(IDENTITY)]), each("run")],
        examples: &[("turbo --cwd x login", Expect::Asks("accounts"))],
        plain_lines: &["turbo run build test"],
        ..Program::EXACT
    },
    Program {
        names: &["changeset"],
        subcommands: &[ruled("publish", RELEASES), each("tag")],
        examples: &[("changeset publish", Expect::Asks("publishes"))],
        plain_lines: &["changeset status"],
        ..Program::GNU
    },
    Program {
        family: &[
            "semantic-release", "release-it", "np", "gh-pages", "multi-semantic-release", "auto", "auto-release",
            "dput", "dupload", "debsign", "cpan-upload", "tbump", "kaniko",
        ],
        rules: RELEASES,
        examples: &[
            ("semantic-release --ci", Expect::Asks("publishes")),
            ("semantic-release --dry-run --no-dry-run", Expect::Asks("publishes")),
            ("gh-pages --dist dist", Expect::Asks("publishes")),
            ("release-it", Expect::Asks("publishes")),
        ],
        plain_lines: &["semantic-release --dry-run"],
        ..REHEARSAL
    },
    Program {
        family: &[
            "vsce", "ovsx", "jsr", "maturin", "rush", "dune-release", "boot", "jreleaser", "snapcraft", "copr-cli",
            "osc",
        ],
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
        ],
        plain_lines: &["vsce package", "maturin develop"],
        ..Program::GNU
    },
    Program {
        family: &["degit", "tiged", "giget", "gitpick"],
        flags: "-*",
        valued: "-m|--mode --auth --registry --cwd -b|--branch",
        rules: &[always(NeedsNetwork), always(Unpacks(At::Nth(1)))],
        plain_lines: &["npx degit o/x y && make"],
        ..Program::EXACT
    },
    Program {
        family: &["create-*"],
        flags: "-*",
        valued: "-t|--template -e|--example --ref --import-alias",
        rules: &[always(NeedsNetwork), always(Unpacks(At::Nth(0)))],
        plain_lines: &["create-vite x"],
        ..Program::EXACT
    },
    Program {
        names: &["husky"],
        rules: &[when(Lacks("--help --version"), Writes(At::Path(".git/config")))],
        examples: &[("husky install", Expect::Writes(".git/config"))],
        ..Program::GNU
    },
    Program {
        names: &["start-server-and-test", "server-test"],
        rules: &[always(By(lines))],
        examples: &[("start-server-and-test 'sudo id' 3000 test", Expect::Runs("sudo id"))],
        plain_lines: &["start-server-and-test start 3000 test"],
        ..Program::GNU
    },
];

/// `corepack yarn …` runs `yarn …`.
fn corepack(parsed: &Parsed<'_>) -> Vec<Effect> {
    let from = parsed.words.last().copied().unwrap_or_default();
    vec![Effect::runs(parsed.command.args[from..].to_vec())]
}

/// Operands with several words are lines; a single word is a script.
fn lines(parsed: &Parsed<'_>) -> Vec<Effect> {
    let lines = parsed.operands().filter(|operand| operand.text.contains(' '));
    lines.cloned().map(Effect::Line).collect()
}
