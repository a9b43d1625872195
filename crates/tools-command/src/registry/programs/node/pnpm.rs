//! `pnpm`.

use crate::registry::prelude::*;
use crate::registry::programs::registries;

const SYNTAX: Program = Program {
    flags: "-h|--help -v|--version -w|--workspace-root -r|--recursive -s|--silent -D|--dev|--save-dev -P|--prod|--save-prod \
            -O|--save-optional -E|--save-exact -g|--global -f|--force -i|--interactive -L|--latest -c|--shell-mode \
            --color --no-* --aggregate-output --stream --parallel --fail-if-no-match --use-stderr --ignore-scripts \
            --ignore-workspace --ignore-workspace-root-check --frozen-lockfile --fix-lockfile --lockfile-only \
            --prefer-offline --offline --prefer-frozen-lockfile --shamefully-hoist --strict-peer-dependencies \
            --side-effects-cache --merge-git-branch-lockfiles --save-peer --save-workspace-protocol --optimistic-repeat-install \
            --json --long --parseable --if-present --report-summary --sort --reverse --bail --dry-run --yes|-y \
            --provenance --git-checks --embed-readme --no-optional --optional --hoist --use-store-server --trust-lockfile \
            --include-workspace-root --production --legacy",
    valued: "-C|--dir|--prefix -F|--filter --filter-prod --loglevel --reporter --workspace-concurrency --resume-from \
             --test-pattern --changed-files-ignore-pattern --registry --store-dir --virtual-store-dir --modules-dir \
             --lockfile-dir --global-dir --global-bin-dir --node-linker --package-import-method --network-concurrency \
             --child-concurrency --depth --only --package --allow-build --tag --access --publish-branch --otp --userconfig \
             --script-shell --node-options --location --cache-dir --state-dir --public-hoist-pattern --hoist-pattern \
             --side-effects-cache-readonly --pack-destination --out --shell-emulator --use-node-version --audit-level \
             --ignore-pnpmfile --pnpmfile --global-pnpmfile --save-catalog-name --before --after --cpu --os --libc",
    optional: "--config.*",
    ..Program::EXACT
};

const PUBLISHING: &[Rule] = &[when(Lacks("--dry-run"), PUBLISHES), when(Operand("false"), PUBLISHES)];

/// Verbs that change something in a registry.
const CHANGES: &[Rule] = &[when(
    First("add set rm remove del delete create destroy grant revoke public restricted update enable-2fa disable-2fa"),
    PUBLISHES,
)];

/// The words of a command, or a shell line.
const RUNS: &[Rule] =
    &[when(Has("--shell-mode"), RunsLine(At::All)), when(Lacks("--shell-mode"), RunsWords(At::From(0)))];

const INSTALLING: &[Rule] = &[when(Has("--global"), FOR_USER)];

const fn installs(names: &'static str) -> Subcommand {
    ruled(names, INSTALLING)
}

const fn changes(names: &'static str) -> Subcommand {
    ruled(names, CHANGES)
}

const ELSEWHERE: Does = Hides("scripts run by another shell or with settings from elsewhere");

pub(in crate::registry::programs) static ALL: &[Program] = &[Program {
    names: &["pnpm"],
    general: "ls test",
    folder: "--dir",
    rules: &[
        always(StartsIn(At::Value("--dir"))),
        when(Has("--script-shell --node-options --userconfig --pnpmfile --global-pnpmfile"), ELSEWHERE),
        when(ValueStarts("--config.*", "script registry node shell user pnpmfile global"), ELSEWHERE),
        always(By(registries::addresses)),
        always(By(registries::package_scripts)),
        always(By(registries::repositories)),
        // A script of the workspace, or else a program of that name.
        always(By(registries::unlisted)),
    ],
    subcommands: SUBCOMMANDS,
    plain: "audit bin cache catalogs cat-file cat-index c-test dedupe docs doctor explain fetch find-hash help ignored-builds \
            import info install-test it licenses list ll ls la outdated pack patch patch-commit patch-remove prune rebuild rb \
            repo restart root search show start stop t test tst unlink view why whoami w version approve-builds ci clean-install \
            bugs ping pkg install i edit init",
    plain_lines: PLAIN_LINES,
    examples: EXAMPLES,
    ..SYNTAX
}];

const SUBCOMMANDS: &[Subcommand] = &[
    ruled("publish", PUBLISHING),
    ruled("unpublish", &[always(WITHDRAWS)]),
    ruled("deprecate star", &[always(PUBLISHES)]),
    changes("dist-tag"),
    changes("owner"),
    changes("access"),
    changes("team"),
    changes("org"),
    changes("hook"),
    changes("profile"),
    ruled("login adduser logout token", &[always(IDENTITY)]),
    ruled(
        "config|c",
        &[when(First("set delete edit"), Hides("settings of `pnpm` that decide what is fetched and run"))],
    ),
    ruled("set", &[always(Hides("settings of `pnpm` that decide what is fetched and run"))]),
    command("exec", Syntax::LEADING, RUNS),
    command("dlx", Syntax::LEADING, RUNS),
    command("create", Syntax::LEADING, &[always(By(registries::creates))]),
    Subcommand { names: "run|run-script", syntax: Syntax::LEADING, ..Subcommand::NEW },
    each("install|i test|t|tst"),
    installs("add"),
    installs("remove|rm|uninstall|un"),
    installs("update|up|upgrade"),
    installs("link|ln"),
    ruled("env", &[when(Has("--global"), FOR_USER)]),
    ruled("setup self-update", &[always(FOR_USER)]),
    ruled("deploy", &[always(Writes(At::Nth(0)))]),
    group("store", &[each("prune path status add")]),
    ruled("server", &[always(Hides("`pnpm server` that goes on behind"))]),
];

const EXAMPLES: &[Example] = &[
    ("pnpm test --config.script-shell=x", Expect::Opaque("another shell")),
    ("pnpm publish", Expect::Asks("publishes")),
    ("pnpm -C x publish", Expect::Is("pnpm publish")),
    ("pnpm -r --filter x publish --no-git-checks", Expect::Asks("publishes")),
    ("pnpm publish --dry-run --dry-run=false", Expect::Asks("publishes")),
    ("pnpm publish --dry-run false", Expect::Asks("publishes")),
    ("pnpm dlx sudo id", Expect::Runs("sudo id")),
    ("pnpm exec sudo id", Expect::Runs("sudo id")),
    ("pnpm -r exec -c 'sudo id'", Expect::Runs("sudo id")),
    ("pnpm add -g x", Expect::Asks("outside of the workspace")),
    ("pnpm --odd publish", Expect::Opaque("`--odd` of `pnpm`")),
    ("pnpm config set registry x", Expect::Opaque("settings of `pnpm`")),
    ("pnpm dist-tag add x y", Expect::Asks("publishes")),
    ("pnpm login", Expect::Asks("accounts or credentials")),
    ("pnpm create vite", Expect::Runs("create-vite")),
    ("pnpm timeout 5 sudo id", Expect::Runs("sudo id")),
    ("pnpm false publish", Expect::Opaque("the value `false`")),
    ("pnpm --script-shell=./x run x", Expect::Opaque("another shell")),
    ("pnpm -r exec tsc --noEmit", Expect::Runs("tsc --noEmit")),
    ("pnpm -C x i", Expect::Is("pnpm install")),
    ("pnpm dev", Expect::Scripts("package.json")),
    ("pnpm -C x test", Expect::Scripts("x/package.json")),
];

/// Lines without findings.
const PLAIN_LINES: &[&str] = &[
    "pnpm install --config.hoist=false", "pnpm publish --dry-run", "pnpm run x --script-shell=./x", "pnpm -r build",
    "pnpm install --frozen-lockfile", "pnpm test -- -t x", "pnpm add -D vitest",
];
