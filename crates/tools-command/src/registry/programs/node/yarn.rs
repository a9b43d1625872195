//! `yarn`, classic and berry.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;
use crate::registry::programs::registries;

const SYNTAX: Program = Program {
    flags: "-h|--help -v|--version --verbose --offline --prefer-offline --json -s|--silent --production --prod --no-* \
            --frozen-lockfile --immutable --immutable-cache --check-cache --inline-builds --flat --force --ignore-scripts \
            --ignore-engines --ignore-platform --ignore-optional --emoji --strict-semver --non-interactive \
            --scripts-prepend-node-path --focus --check-files --pure-lockfile --pnp --disable-pnp --skip-integrity-check \
            --har --enable-pnp --link-duplicates --update-checksums -D|--dev -P|--peer -O|--optional -E|--exact \
            -T|--tilde -C|--caret -W|--ignore-workspace-root-check -A|--all -R|--recursive -i|--interactive --latest -B \
            -q|--quiet",
    valued: "--cwd --registry --modules-folder --cache-folder --preferred-cache-folder --mutex --network-timeout \
             --network-concurrency --proxy --https-proxy --use-yarnrc --link-folder --global-folder --otp --mode --tag \
             --access --pattern --depth --new-version --script-shell -p|--package",
    ..Program::EXACT
};

/// Verbs that change something in a registry.
const CHANGES: &[Rule] = &[when(First("add remove rm create destroy set"), PUBLISHES)];
const PUBLISHING: &[Rule] = &[always(PUBLISHES)];
const SIGNING: &[Rule] = &[always(IDENTITY)];

pub(in crate::registry::programs) static ALL: &[Program] = &[Program {
    names: &["yarn", "yarnpkg"],
    general: "test",
    folder: "--cwd",
    rules: &[
        when(Has("--use-yarnrc --script-shell"), Hides("scripts run by another shell or with settings from elsewhere")),
        always(By(registries::addresses)),
        always(By(registries::package_scripts)),
        always(By(registries::repositories)),
    ],
    subcommands: SUBCOMMANDS,
    plain: "add audit autoclean bin bugs cache check constraints dedupe explain fund generate-lock-entry help import info \
            install licenses link list ls node-gyp outdated pack patch patch-commit prune rebuild remove rm search sbom \
            stage start stop restart test t unlink unplug up upgrade upgrade-interactive version versions why install-test",
    plain_lines: PLAIN_LINES,
    examples: EXAMPLES,
    ..SYNTAX
}];

const SUBCOMMANDS: &[Subcommand] = &[
    ruled("publish", PUBLISHING),
    ruled("tag owner team access", CHANGES),
    ruled("login logout", SIGNING),
    group(
        "npm",
        &[
            ruled("publish", PUBLISHING),
            ruled("tag", CHANGES),
            ruled("login logout", SIGNING),
            each("audit info whoami"),
        ],
    ),
    ruled("config", &[when(First("set unset delete"), By(configures))]),
    ruled("plugin", &[when(First("import"), Hides("a plug-in of `yarn` from elsewhere"))]),
    ruled("set", &[when(First("version resolution"), Hides("another version of `yarn` from elsewhere"))]),
    ruled("policies", &[always(Hides("another version of `yarn` from elsewhere"))]),
    ruled("global", &[when(First("add remove upgrade upgrade-interactive"), FOR_USER)]),
    command("dlx", Syntax::LEADING, RUNS_OPERANDS),
    command("exec", Syntax::LEADING, RUNS_OPERANDS),
    command("node", Syntax::LEADING, &[always(By(node))]),
    Subcommand { names: "run", syntax: Syntax::LEADING, ..Subcommand::NEW },
    command("create init", Syntax::LEADING, &[always(By(registries::creates))]),
    command("workspace", Syntax::LEADING, &[always(By(|parsed| registries::again(parsed, 1)))]),
    group(
        "workspaces",
        &[
            command(
                "foreach",
                Syntax {
                    flags: "-A|--all -R|--recursive -W|--worktree -p|--parallel -i|--interlaced -t|--topological -v|--verbose \
                            --topological-dev --no-private --dry-run -n --since",
                    valued: "-j|--jobs --include --exclude --from",
                    ..Syntax::LEADING
                },
                &[always(By(|parsed| registries::again(parsed, 0)))],
            ),
            Subcommand { names: "run", syntax: Syntax::LEADING, ..Subcommand::NEW },
            each("list info focus"),
        ],
    ),
];

/// `yarn node ARGUMENTS`.
fn node(parsed: &Parsed<'_>) -> Vec<Effect> {
    let from = parsed.words.last().map_or(0, |at| at + 1);
    let rest = parsed.command.args[from..].iter().cloned();
    vec![Effect::runs(std::iter::once(Value::exact("node")).chain(rest).collect())]
}

/// The settings files of both versions of `yarn`.
fn configures(_: &Parsed<'_>) -> Vec<Effect> {
    let files = [".yarnrc", ".yarnrc.yml"].map(|file| Effect::path(Value::exact(file), Access::Write));
    files.into_iter().chain([Effect::hidden("settings of `yarn` that decide what is fetched and run")]).collect()
}

const EXAMPLES: &[Example] = &[
    ("yarn add user/repo", Expect::Connects("https://github.com/user/repo")),
    ("yarn add git@github.com:x/y", Expect::Connects("ssh://github.com/x/y")),
    ("yarn publish", Expect::Asks("publishes")),
    ("yarn --cwd x publish", Expect::Is("yarn publish")),
    ("yarn npm publish", Expect::Asks("publishes")),
    ("yarn npm tag add x y", Expect::Asks("publishes")),
    ("yarn npm --odd publish", Expect::Opaque("`--odd` of `yarn`")),
    ("yarn npm login", Expect::Asks("accounts or credentials")),
    ("yarn tag add x y", Expect::Asks("publishes")),
    ("yarn workspace a publish", Expect::Asks("publishes")),
    ("yarn workspaces foreach -A npm publish", Expect::Asks("publishes")),
    ("yarn dlx sudo id", Expect::Runs("sudo id")),
    ("yarn dlx -q sudo id", Expect::Runs("sudo id")),
    ("yarn exec sudo id", Expect::Runs("sudo id")),
    ("yarn node -e 1", Expect::Runs("node -e 1")),
    ("yarn create vite", Expect::Runs("create-vite")),
    ("yarn config set registry x", Expect::Writes(".yarnrc.yml")),
    ("yarn plugin import https://host/x", Expect::Opaque("a plug-in")),
    ("yarn set version ./x", Expect::Opaque("another version")),
    ("yarn global add x", Expect::Asks("outside of the workspace")),
    ("yarn --use-yarnrc x install", Expect::Opaque("from elsewhere")),
];

/// Lines without findings.
const PLAIN_LINES: &[&str] = &[
    "yarn add lodash@4.17.21", "yarn", "yarn test", "yarn lint --fix", "yarn add left-pad", "yarn workspaces run test",
    "yarn init -y", "yarn run build", "yarn install --immutable",
];
