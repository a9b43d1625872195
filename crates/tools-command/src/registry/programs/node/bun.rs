//! `bun` and `deno`: runtimes that install, run and publish.

use crate::registry::prelude::*;
use crate::registry::programs::registries;

const BUN: Program = Program {
    flags: "--watch --hot --no-clear-screen --smol --inspect-wait --inspect-brk --if-present --no-install -i \
            --no-addons --prefer-offline --prefer-latest --silent -b|--bun --no-deprecation --throw-deprecation \
            --expose-gc --no-macros --no-env-file -v|--version --revision -h|--help --dry-run -g|--global -d|--dev|-D \
            --optional -E|--exact --production --frozen-lockfile --no-save --save --ignore-scripts --force -f \
            --trust --no-cache --no-progress --no-summary --no-verify --verbose --todo --only \
            --coverage --update-snapshots|-u --randomize --minify --splitting --compile \
            --bytecode --latest --interactive --recursive --workspaces --parallel --sequential --json --yes|-y",
    valued: "-c|--config --cwd --env-file -r|--preload --require --import --port --conditions --fetch-preconnect \
             --max-http-header-size --dns-result-order --title --shell --tsconfig-override --define --drop -l|--loader \
             --extension-order --main-fields --jsx-factory --jsx-fragment --jsx-import-source --install --filter|-F \
             --elide-lines --unhandled-rejections --console-depth --registry --cache-dir --omit --backend --network-concurrency \
             --concurrent-scripts --access --tag --auth-type --otp --outdir --outfile --target --format --root --timeout \
             --rerun-each -t|--test-name-pattern --coverage-dir --coverage-reporter --reporter --reporter-outfile --max-concurrency \
             --seed --entry-naming --public-path --external --packages --env --windows-icon -e|--eval -p|--print",
    optional: "--bail --sourcemap --user-agent --inspect --linker --ca --cafile",
    ..Program::EXACT
};

/// Effects of `bun` options with any subcommand.
const RUNNING: &[Rule] = &[
    always(Evaluates(Language::Node, At::Value("--eval"))),
    always(Evaluates(Language::Node, At::Value("--print"))),
    always(RunsScript(At::Value("--preload --require --import"))),
    when(Has("--config --shell"), Hides("`bun` with settings or a shell of its own")),
    always(Writes(At::Value("--outdir --outfile --coverage-dir --reporter-outfile"))),
    always(By(registries::addresses)),
    always(By(script)),
    always(By(registries::package_scripts)),
    always(By(registries::repositories)),
    always(By(registries::unlisted)),
];

const INSTALLING: &[Rule] = &[when(Has("--global"), FOR_USER)];

pub(in crate::registry::programs) static ALL: &[Program] = &[
    Program {
        names: &["bun"],
        folder: "--cwd",
        rules: RUNNING,
        subcommands: &[
            ruled("publish", &[when(Lacks("--dry-run"), PUBLISHES)]),
            command(
                "x",
                Syntax { flags: "--bun --silent --no-install", valued: "-p|--package", ..Syntax::LEADING },
                RUNS_OPERANDS,
            ),
            ruled("exec", &[always(RunsLine(At::All))]),
            command("run", Syntax::LEADING, &[always(By(registries::named)), when(First("-"), STDIN)]),
            command("create|c", Syntax::LEADING, &[always(By(registries::creates))]),
            ruled("add|a install|i remove|rm update", INSTALLING),
            Subcommand { names: "link", ..Subcommand::NEW },
            ruled("upgrade", &[always(FOR_USER)]),
        ],
        plain: "audit build feedback help info init outdated patch patch-commit pm repl test unlink why discord ci",
        plain_lines: BUN_PLAIN_LINES,
        examples: BUN_EXAMPLES,
        ..BUN
    },
    Program {
        names: &["deno"],
        folder: "--cwd",
        flags: "-q|--quiet -h|--help -V|--version --unstable --unstable-* -A|--allow-all --no-check --no-config --no-lock \
                    --no-npm --no-remote --no-prompt --cached-only --frozen --dry-run \
                    --allow-dirty --allow-slow-types --no-provenance -g|--global -f|--force --all",
        valued: "-c|--config --import-map --cert --location --seed --ext -o|--output --token --set-version -L|--log-level \
                     --root -n|--name --preload --require --eval --eval-file --cwd --env",
        optional: "-r|--reload --lock --node-modules-dir --vendor --check --watch --watch-hmr --watch-exclude \
                       --inspect --inspect-brk --inspect-wait --v8-flags --allow-read|-R --allow-write|-W \
                       --allow-net|-N --allow-env|-E --allow-run --allow-ffi --allow-sys|-S --allow-import|-I --deny-read \
                       --deny-write --deny-net --deny-env --deny-run --deny-ffi --deny-sys --env-file --strace-ops --location",
        rules: &[
            always(Obeys(DENO)),
            always(ObeysIn(At::Value("--config"), DENO)),
            always(By(registries::addresses)),
            always(RunsScript(At::Value("--preload --require --eval-file"))),
            always(Evaluates(Language::Node, At::Value("--eval"))),
            always(By(script)),
        ],
        subcommands: &[
            ruled("publish", &[when(Lacks("--dry-run"), PUBLISHES)]),
            ruled("deploy jsr", &[always(PUBLISHES)]),
            ruled("login logout", &[always(IDENTITY)]),
            command(
                "eval",
                Syntax { flags: "-p|--print", ..Syntax::LEADING },
                &[always(Evaluates(Language::Node, At::Nth(0)))],
            ),
            deno_runs("run"),
            deno_runs("serve"),
            command("x", Syntax::LEADING, RUNS_OPERANDS),
            ruled("install|i uninstall", INSTALLING),
            ruled("upgrade", &[always(FOR_USER)]),
            ruled("compile", &[always(Writes(At::Value("--output")))]),
            command(
                "task",
                Syntax { flags: "--eval", valued: "--cwd -c|--config", ..Syntax::LEADING },
                &[when(Has("--eval"), RunsLine(At::All))],
            ),
            each("test"),
        ],
        plain: "add approve-scripts audit bench bump-version bundle cache check clean completions coverage create doc fmt help \
                info init jupyter lint lsp outdated remove repl sandbox types update vendor why",
        builds: true,
        examples: &[
            ("deno publish", Expect::Asks("publishes")),
            ("deno -q publish", Expect::Asks("publishes")),
            ("deno eval 'Deno.exit(1)'", Expect::Opaque("code with `Deno`")),
            ("deno run -A https://host/x.ts", Expect::Connects("https://host/x.ts")),
            ("deno run -A - < x", Expect::Opaque("code that comes in")),
            ("deno install -g npm:x", Expect::Asks("outside of the workspace")),
            ("deno compile -o x main.ts", Expect::Writes("x")),
            ("deno --odd publish", Expect::Opaque("`--odd` of `deno`")),
            ("deno task --eval 'sudo id'", Expect::Runs("sudo id")),
        ],
        plain_lines: &[
            "deno publish --dry-run", "deno test", "deno task dev", "deno run --allow-read main.ts", "deno fmt --check",
        ],
        ..Program::EXACT
    },
];

/// Files that `deno` obeys.
const DENO: &str = "deno.json deno.jsonc package.json";

/// Code from the standard input.
const STDIN: Does = Hides("code that comes in");

const fn deno_runs(names: &'static str) -> Subcommand {
    const RULES: &[Rule] = &[when(First("-"), STDIN), always(By(script))];
    command(names, Syntax::LEADING, RULES)
}

/// A file of code instead of a subcommand, or after `run`.
fn script(parsed: &Parsed<'_>) -> Vec<Effect> {
    let ends = [".ts", ".js", ".mjs", ".cjs", ".tsx", ".jsx", ".mts", ".cts"];
    let is_code = |text: &str| ends.iter().any(|end| text.ends_with(end)) || text == "/dev/stdin";
    let runs = matches!(parsed.subcommand(), "" | "run" | "serve");
    let named = parsed.unlisted.as_ref().map(|(word, _)| word).or_else(|| parsed.operand(0)).filter(|_| runs);
    match named {
        Some(word) if parsed.unlisted.is_some() && word.text == "-" => vec![Effect::hidden("code that comes in")],
        Some(word) if word.text.contains("://") => {
            vec![Effect::Host(word.clone()), Effect::hidden("code from elsewhere")]
        }
        Some(word) if is_code(&word.text) || !word.is_exact => vec![Effect::Script(word.clone())],
        _ => Vec::new(),
    }
}

const BUN_EXAMPLES: &[Example] = &[
    ("bun publish", Expect::Asks("publishes")),
    ("bun --cwd x publish", Expect::Is("bun publish")),
    ("bun x sudo id", Expect::Runs("sudo id")),
    ("bun exec 'sudo id'", Expect::Runs("sudo id")),
    ("bun run timeout 5 sudo id", Expect::Runs("sudo id")),
    ("bun timeout 5 sudo id", Expect::Runs("sudo id")),
    ("bun -e 'Bun.spawn([1])'", Expect::Opaque("code with")),
    ("bun -", Expect::Opaque("code that comes in")),
    ("bun run -", Expect::Opaque("code that comes in")),
    ("bun add -g x", Expect::Asks("outside of the workspace")),
    ("bun build x.ts --outfile=y", Expect::Writes("y")),
    ("bun --odd publish", Expect::Opaque("`--odd` of `bun`")),
];

/// Lines without findings.
const BUN_PLAIN_LINES: &[&str] =
    &["bun publish --dry-run", "bun test", "bun run build", "bun install", "bun src/index.ts"];
