//! `npm` and `npx`.

use tools_core::Access;

use crate::reader::Value;
use crate::registry::prelude::*;
use crate::registry::programs::registries;

const FLAGS: &str = "-a|--all -f|--force -g|--global|--g -h|-H|-?|--usage|--help -l|--long -n -p|--parseable -q|--quiet \
    -s|--silent -S|--save -B|--save-bundle -D|--save-dev -E|--save-exact -O|--save-optional -P|--save-prod -y|--yes \
    -v|--version --verbose --versions -d|-dd|-ddd --ws|--workspaces --iwr|--include-workspace-root --allow-same-version \
    --audit --bin-links --commit-hooks --description --desc --diff-ignore-all-space --diff-name-only --diff-no-prefix \
    --diff-text --dry-run --engine-strict --foreground-scripts --format-package-lock --fund --git-tag-version \
    --global-style --if-present --ignore-scripts --include-attestations --include-staged --install-links --json \
    --legacy-bundling --legacy-peer-deps --link --offline --omit-lockfile-registry-resolved --package-lock \
    --package-lock-only --prefer-dedupe --prefer-offline --prefer-online --progress --provenance --read-only \
    --rebuild-bundle --save-peer --shrinkwrap --sign-git-commit --sign-git-tag --strict-peer-deps --strict-ssl --timing \
    --unicode --update-notifier --workspaces-update --production --no-*";
const VALUED: &str = "-C|--prefix -c|--call -L|--location -m|--message -w|--workspace --access --auth-type --before --ca \
    --cache --cafile --cert --cidr --cpu --depth --diff --diff-dst-prefix --diff-src-prefix --diff-unified --editor \
    --fetch-retries --fetch-retry-factor --fetch-retry-maxtimeout --fetch-retry-mintimeout --fetch-timeout --git \
    --globalconfig --heading --https-proxy --include --init-author-email --init-author-name --init-author-url \
    --init-license --init-module --init-version --install-strategy --key --libc --local-address --lockfile-version \
    --loglevel --logs-dir --node-gyp --python --logs-max --maxsockets --node-options --noproxy --omit --only --os --otp --pack-destination \
    --package --preid --provenance-file --proxy --reg|--registry --replace-registry-host --save-prefix --sbom-format \
    --sbom-type --scope --script-shell --searchexclude --searchlimit --searchopts --searchstaleness --shell --tag \
    --tag-version-prefix --umask --user-agent --userconfig --viewer --which --expires --name --cidr-whitelist";
const SYNTAX: Program = Program { flags: FLAGS, valued: VALUED, optional: "--color --browser", ..Program::GNU };

/// Options that decide what starts scripts, or where settings come from.
const OPTIONS: &[Rule] = &[
    when(Has("--script-shell --node-options"), Hides("scripts run by another shell")),
    when(
        Has("--shell --git --node-gyp --python --editor --viewer --browser --userconfig --globalconfig --init-module"),
        Hides("`npm` with programs or settings from elsewhere"),
    ),
    when(Has("--prefix"), Writes(At::Path("."))),
    always(Writes(At::Value("--cache"))),
    always(By(registries::addresses)),
    always(By(registries::package_scripts)),
    always(By(registries::repositories)),
];

/// Effect of a publishing subcommand without `--dry-run`.
const PUBLISHING: &[Rule] = &[when(Lacks("--dry-run"), PUBLISHES)];

/// Verbs that change something in a registry, for any noun.
const CHANGES: &[Rule] = &[when(
    First(
        "add a set s rm r remove del d delete create c destroy update edit grant revoke public restricted \
         2fa-required 2fa-not-required enable-2fa enable-tfa disable-2fa disable-tfa",
    ),
    PUBLISHES,
)];

const INSTALLING: &[Rule] =
    &[when(Has("--global"), FOR_USER), when(ArgumentCondition::Value("--location", "global"), FOR_USER)];

const fn installs(names: &'static str) -> Subcommand {
    ruled(names, INSTALLING)
}

pub(in crate::registry::programs) static ALL: &[Program] = &[
    Program {
        names: &["npm"],
        general: "ci ls test",
        folder: "--prefix",
        rules: OPTIONS,
        subcommands: SUBCOMMANDS,
        abbreviates: true,
        otherwise: Otherwise::Opaque("no command of it that is known"),
        plain_lines: PLAIN_LINES,
        examples: EXAMPLES,
        ..SYNTAX
    },
    Program {
        family: &["npx", "bunx", "pnpx", "pnx"],
        flags: "-y|--yes -q|--quiet -s|--silent -h|--help -v|--version --no --no-install --ignore-existing --verbose \
                    --offline --prefer-offline --prefer-online --ws|--workspaces --no-* --bun --json -d|--loglevel-info",
        valued: "-c|--call -p|--package -w|--workspace --cache --registry --userconfig --shell --script-shell \
                     --node-options --node-arg -n --prefix --loglevel --cwd",
        rules: &[
            when(Has("--script-shell --shell --node-options --node-arg -n"), Hides("scripts run by another shell")),
            when(Has("--userconfig"), Hides("`npx` with settings from elsewhere")),
            always(RunsLine(At::Value("--call"))),
            when(Lacks("--call"), RunsWords(At::From(0))),
        ],
        examples: &[
            ("npx tsc --noEmit", Expect::Runs("tsc --noEmit")),
            ("npx --yes sudo id", Expect::Runs("sudo id")),
            ("npx -p x sudo", Expect::Runs("sudo")),
            ("npx rimraf@5 ../x", Expect::Deletes("../x")),
            ("npx -y @a/semantic-release@latest", Expect::Asks("publishes")),
            ("npx -c 'sudo id'", Expect::Runs("sudo id")),
            ("npx --call='sudo id'", Expect::Runs("sudo id")),
            ("npx --odd x sudo", Expect::Opaque("`--odd` of `npx`")),
        ],
        plain_lines: &["npx prettier --check ."],
        ..Program::LEADING
    },
];

const SUBCOMMANDS: &[Subcommand] = &[
    ruled("publish", PUBLISHING),
    ruled("unpublish", WITHDRAWING),
    ruled("deprecate undeprecate", PUBLISHING),
    ruled("dist-tag|dist-tags owner|author access team org|ogr hook profile", CHANGES),
    ruled("trust", &[always(IDENTITY)]),
    ruled("token", &[when(FirstIsNot("list ls"), IDENTITY)]),
    ruled("star unstar", PUBLISHING),
    ruled("adduser|login|add-user logout", &[always(IDENTITY)]),
    ruled("config|c set", &[always(By(configures))]),
    command(
        "exec|x",
        Syntax::LEADING,
        &[always(RunsLine(At::Value("--call"))), when(Lacks("--call"), RunsWords(At::From(0)))],
    ),
    ruled("explore", &[always(RunsWords(At::AfterDashes))]),
    command("init|create|innit", Syntax::LEADING, &[always(By(registries::creates))]),
    installs("install|i|in|ins|inst|insta|instal|isnt|isnta|isntal|isntall|add"),
    installs("uninstall|un|unlink|remove|rm|r"),
    installs("update|up|upgrade|udpate"),
    installs("link|ln"),
    installs("install-test|it"),
    ruled("pack", &[always(Writes(At::Value("--pack-destination")))]),
    ruled("pkg", &[when(First("set delete fix"), Writes(At::Path("package.json")))]),
    each(
        "audit bin bugs|issues cache ci|clean-install|ic|install-clean|isntall-clean completion dedupe|ddp diff \
         docs|home doctor edit explain|why find-dupes fund get help help-search \
         install-ci-test|cit|clean-install-test|sit la list|ls ll outdated ping prefix prune query rebuild|rb repo \
         restart root run|run-script|rum|urn sbom search|find|s|se set-script shrinkwrap stars start stop \
         test|t|tst version|verison view|v|info|show whoami",
    ),
];

/// Effect of `unpublish` without `--dry-run`.
const WITHDRAWING: &[Rule] = &[when(Lacks("--dry-run"), WITHDRAWS)];

/// `npm config set` and similar commands: they change the settings file, and some settings start
/// programs.
fn configures(parsed: &Parsed<'_>) -> Vec<Effect> {
    let verb = parsed.operand(0).map(|word| word.text.as_str()).unwrap_or_default();
    if parsed.subcommand() == "config"
        && !matches!(verb, "set" | "s" | "delete" | "del" | "rm" | "unset" | "edit" | "fix")
    {
        return Vec::new();
    }
    let is_own = parsed.values("--location").any(|place| place.text == "project");
    let file = if is_own { Value::exact(".npmrc") } else { Value { is_exact: false, ..Value::exact("~/.npmrc") } };
    let mut found = vec![Effect::path(file, Access::Write)];
    found.push(Effect::hidden("settings of `npm` that decide what is fetched and run"));
    found
}

const EXAMPLES: &[Example] = &[
    ("npm --prefix ../x ci", Expect::Writes("../x/.")),
    ("npm publish", Expect::Asks("publishes")),
    ("echo x > package.json; npm test", Expect::Opaque("written by this very line")),
    ("npm publish --tag --help", Expect::Asks("publishes")),
    ("npm install owner/repo", Expect::Connects("https://github.com/owner/repo")),
    ("npm i -D gitlab:owner/repo#main", Expect::Connects("https://gitlab.com/owner/repo")),
    ("npm test", Expect::Scripts("package.json")),
    ("npm --prefix x ci", Expect::Scripts("x/package.json")),
    ("npm pub", Expect::Asks("publishes")),
    ("npm publ --access public", Expect::Asks("publishes")),
    ("npm publish --dry-run=false", Expect::Asks("publishes")),
    ("npm publish --dry-run false", Expect::Asks("publishes")),
    ("npm publish --dry-run --dry-run=false", Expect::Asks("publishes")),
    ("npm publish --dry-run --no-dry-run", Expect::Asks("publishes")),
    ("npm publish --dry-run --no-dry", Expect::Asks("publishes")),
    ("npm publish --no-dry-run --dry-run", Expect::Asks("publishes")),
    ("npm unpublish x --dry-run --dry-run=false", Expect::Asks("others may use")),
    ("npm --json false publish", Expect::Opaque("no command of it")),
    ("npm -w a publish", Expect::Asks("publishes")),
    ("npm --prefix sub publish", Expect::Is("npm publish")),
    ("npm unpublish x", Expect::Asks("others may use")),
    ("npm deprecate x y", Expect::Asks("publishes")),
    ("npm dist-tag add x y", Expect::Asks("publishes")),
    ("npm owner add me x", Expect::Asks("publishes")),
    ("npm access grant read-write x y", Expect::Asks("publishes")),
    ("npm team destroy x", Expect::Asks("publishes")),
    ("npm org rm x y", Expect::Asks("publishes")),
    ("npm profile disable-2fa", Expect::Asks("publishes")),
    ("npm hook add x y z", Expect::Asks("publishes")),
    ("npm star x", Expect::Asks("publishes")),
    ("npm token create", Expect::Asks("accounts or credentials")),
    ("npm login", Expect::Asks("accounts or credentials")),
    ("npm config set registry https://host", Expect::Opaque("settings of `npm`")),
    ("npm config set -L project a b", Expect::Writes(".npmrc")),
    ("npm set a=b", Expect::Opaque("settings of `npm`")),
    ("npm exec tsc", Expect::Runs("tsc")),
    ("npm exec -y -- sudo id", Expect::Runs("sudo id")),
    ("npm x -c 'sudo id'", Expect::Runs("sudo id")),
    ("npm exe --call='sudo id'", Expect::Runs("sudo id")),
    ("npm --silent --prefix . exec -c 'sudo id'", Expect::Runs("sudo id")),
    ("npm init vite x", Expect::Runs("create-vite x")),
    ("npm create @a/b", Expect::Runs("@a/create-b")),
    ("npm explore x -- sudo id", Expect::Runs("sudo id")),
    ("npm i --reg=https://host x", Expect::Connects("https://host")),
    ("npm install x@user/repo", Expect::Connects("https://github.com/user/repo")),
    ("npm install @a/b@user/repo", Expect::Connects("https://github.com/user/repo")),
    ("npm install x@git@github.com:y/z", Expect::Connects("ssh://github.com/y/z")),
    ("npm install -g x", Expect::Asks("outside of the workspace")),
    ("npm install --location=global x", Expect::Asks("outside of the workspace")),
    ("npm install --location \"$(echo global)\" x", Expect::Opaque("decides what `npm` does")),
    ("npm install --g${x:-}lobal x", Expect::Asks("outside of the workspace")),
    ("npm install \"$x\"-g y", Expect::Asks("outside of the workspace")),
    ("touch -- --global; npm install --g?obal x", Expect::Opaque("may be an option")),
    ("npm i https://host/x.tgz", Expect::Connects("https://host/x.tgz")),
    ("npm run x --script-shell=./x", Expect::Opaque("another shell")),
    ("npm --git=./x install", Expect::Opaque("from elsewhere")),
    ("npm --odd publish", Expect::Opaque("`--odd` of `npm`")),
    ("npm $x", Expect::Opaque("known only when it runs")),
    ("npm t", Expect::Is("npm test")),
    ("npm i -D typescript", Expect::Is("npm install -D typescript")),
];

/// Lines without findings.
const PLAIN_LINES: &[&str] = &[
    "npm publish --help", "npm publish --dry-run", "npm publish --dry-run --no-fund", "npm dist-tag ls x",
    "npm owner ls x", "npm config get registry", "npm init -y", "npm install x@npm:y@1", "npm install \"$PACKAGE\"",
    "npm test", "npm run build -- --watch", "npm run publish-docs", "npm ci", "npm install", "npm ls -g --depth=0",
    "npm root -g", "npm pack", "npm version patch", "npm --prefix frontend run build",
];
