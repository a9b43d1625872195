//! JavaScript runtimes: code, scripts, and modules that are loaded first.

use crate::reader::{Input, Value};
use crate::registry::parsed::GivenOption;
use crate::registry::prelude::*;

/// Options of `node` without a value.
const NODE_FLAGS: &str = "-c|--check -h|--help -i|--interactive -v|--version --test --test-only --watch --watch-preserve-output \
    --enable-source-maps --no-warnings --no-deprecation --trace-warnings --trace-deprecation --trace-uncaught --trace-exit \
    --trace-sigint --trace-sync-io --throw-deprecation --pending-deprecation --preserve-symlinks --preserve-symlinks-main \
    --abort-on-uncaught-exception --expose-gc --expose_gc --experimental-strip-types --experimental-transform-types \
    --experimental-vm-modules --experimental-modules --experimental-json-modules --experimental-wasm-modules \
    --experimental-specifier-resolution --experimental-fetch --experimental-test-coverage --experimental-default-type \
    --experimental-sqlite --experimental-websocket --experimental-permission --permission --experimental-detect-module \
    --experimental-require-module --experimental-global-webcrypto --experimental-print-required-tla --experimental-import-meta-resolve \
    --no-experimental-fetch --no-experimental-strip-types --no-experimental-require-module --no-experimental-global-navigator \
    --no-experimental-websocket --no-addons --no-global-search-paths --no-network-family-autoselection --no-force-async-hooks-checks \
    --insecure-http-parser --jitless --interpreted-frames-native-stack --prof --prof-process --cpu-prof --heap-prof --use-openssl-ca \
    --use-bundled-ca --use-system-ca --zero-fill-buffers --verify-base-objects --track-heap-objects --force-fips --enable-fips \
    --frozen-intrinsics --report-compact --report-on-fatalerror --report-on-signal --report-uncaught-exception --harmony \
    --harmony-top-level-await --allow-fs-read --allow-fs-write --allow-child-process --allow-worker --allow-addons --allow-wasi \
    --entry-url --node-memory-debug --test-force-exit --test-update-snapshots --disable-wasm-trap-handler --build-snapshot";
const NODE_VALUED: &str = "--tls-keylog --logfile --test-global-setup -e|--eval -p|--print|-pe -r|--require --import --loader|--experimental-loader -C|--conditions \
    --env-file --env-file-if-exists --input-type --icu-data-dir --openssl-config --redirect-warnings --title --tls-cipher-list \
    --test-name-pattern --test-skip-pattern --test-reporter --test-reporter-destination --test-concurrency --test-timeout \
    --test-shard --test-coverage-include --test-coverage-exclude --test-isolation --watch-path --unhandled-rejections \
    --dns-result-order --diagnostic-dir --report-dir --report-directory --report-filename --report-signal --snapshot-blob \
    --secure-heap --secure-heap-min --max-http-header-size --cpu-prof-dir --cpu-prof-name --cpu-prof-interval --heap-prof-dir \
    --heap-prof-name --heap-prof-interval --trace-event-categories --trace-event-file-pattern --v8-pool-size --es-module-specifier-resolution \
    --build-snapshot-config --experimental-sea-config --localstorage-file --disable-proto --trace-require-module --run";
const NODE_OPTIONAL: &str = "--inspect --inspect-brk --inspect-port --inspect-publish-uid --inspect-wait --max-old-space-size \
    --max_old_space_size --max-semi-space-size --max-old-space-size-percentage --stack-size --stack_size --stack-trace-limit \
    --heapsnapshot-near-heap-limit --heapsnapshot-signal --disable-warning --network-family-autoselection-attempt-timeout \
    --experimental-config-file --experimental-default-config-file --tls-min-v1.2 --tls-max-v1.2 --tls-min-v1.3 --tls-max-v1.3";

const NODE_RULES: &[Rule] = &[
    always(By(code)),
    always(RunsScript(At::Value("-r --require --import --loader"))),
    always(Writes(At::Value(
        "--redirect-warnings --diagnostic-dir --report-filename --cpu-prof-name --heap-prof-name --localstorage-file \
         --test-reporter-destination --trace-event-file-pattern --tls-keylog --logfile",
    ))),
    // The file may hold `node` options, which load modules.
    always(RunsScript(At::Value("--env-file --env-file-if-exists"))),
    always(Reads(At::Value("--env-file --env-file-if-exists --icu-data-dir"))),
    when(Has("--require --import --loader --test-global-setup"), Hides("a module is loaded first")),
    when(
        Has("--experimental-sea-config --build-snapshot-config --snapshot-blob --openssl-config"),
        Hides("settings of its own"),
    ),
    when_all(&[Lacks("--eval --print --test --run"), FirstIsNot("- inspect")], RunsScript(At::Nth(0))),
    when_all(&[Lacks("--eval --print --test --run"), FirstIsNot("- inspect")], By(resolved)),
    when(First("inspect"), Hides("a debugger that runs what it reads")),
    when_all(
        &[Lacks("--eval --print --test --run --version --help --v8-options --prof-process"), AtMost(0)],
        By(reads),
    ),
    when_all(&[Lacks("--eval --print"), First("-")], By(reads)),
    when_all(&[Has("--interactive"), Fed], By(reads)),
];

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["node", "nodejs", "node2*", "node1*"],
        flags: NODE_FLAGS,
        valued: NODE_VALUED,
        optional: NODE_OPTIONAL,
        rules: NODE_RULES,
        prints_as: &[("nodejs", "node")],
        examples: &[
            ("node -e 'require(\"child_process\").execSync(\"id\")'", Expect::Opaque("child_process")),
            ("node -pe 'require(\"child_process\").execSync(\"id\")'", Expect::Opaque("child_process")),
            ("node --eval='require(\"child_process\")'", Expect::Opaque("child_process")),
            ("node -p -e 'require(\"child_process\")'", Expect::Opaque("child_process")),
            (r#"node -e 'module.require("child\x5fprocess").\u0065xecSync("id")'"#, Expect::Opaque("code with")),
            ("node --no-warnings -e 'fetch(1)'", Expect::Opaque("fetch")),
            ("node -r ./x y.js", Expect::Opaque("loaded first")),
            ("node --import ./x y.js", Expect::Opaque("loaded first")),
            ("node --redirect-warnings=.envrc x.js", Expect::Writes(".envrc")),
            ("node --report-dir ../x x.js", Expect::Writes("../x")),
            ("node --env-file=private/x x.js", Expect::Reads("private/x")),
            ("echo NODE_OPTIONS=-r./x > a; node --env-file a x.js", Expect::Opaque("written by this very line")),
            ("node --odd -e 1", Expect::Opaque("`--odd` of `node`")),
            ("node /dev/stdin <<< x", Expect::Opaque("from a descriptor")),
            ("cat x | node", Expect::Opaque("runs what it reads")),
            ("node", Expect::Opaque("runs what it reads")),
            ("node <<< 'require(\"child_process\")'", Expect::Opaque("child_process")),
            ("echo x > a.js; node a.js", Expect::Opaque("written by this very line")),
            ("echo x > a.js; node a", Expect::Opaque("written by this very line")),
            ("node ./a", Expect::Scripts("a.js")),
            ("node a", Expect::Scripts("a/index.js")),
            ("node .", Expect::Scripts("index.js")),
        ],
        plain_lines: &[
            "node server.js", "node --max-old-space-size=4096 build.mjs --watch", "node --test --test-reporter spec",
            "node -e 'console.log(1)'", "node -e \"console.log(require('./package.json').version)\"", "node --version",
        ],
        ..Program::LEADING
    },
    Program {
        family: &["tsx", "ts-node", "ts-node-esm", "esno", "swc-node", "babel-node", "jiti", "vite-node"],
        flags: "-T|--transpile-only -s|--script-mode -F|--files --esm --swc -H -vv --pretty --prefer-ts-exts --no-cache --show-config \
                    --watch --clear-screen --no-warnings --enable-source-maps --test --skip-project -w -v",
        valued: "-e|--eval -p|--print -r|--require --import --loader -P|--project -O|--compiler-options -I|--ignore --cwd \
                     --tsconfig --env-file -C|--compiler -d|--dir --conditions --ignore-diagnostics",
        rules: NODE_RULES,
        examples: &[
            ("tsx -e 'import(\"child_process\")'", Expect::Opaque("import")),
            ("tsx -pe 'fetch(1)'", Expect::Opaque("fetch")),
            ("ts-node -pe 'fetch(1)'", Expect::Opaque("fetch")),
            ("ts-node -Tpe 'fetch(1)'", Expect::Opaque("fetch")),
            ("ts-node -T -e 'fetch(1)'", Expect::Opaque("fetch")),
            ("tsx --odd x.ts", Expect::Opaque("`--odd` of `tsx`")),
        ],
        plain_lines: &["ts-node -pe '1 + 1'", "tsx watch src/x.ts", "tsx src/x.ts"],
        ..Program::LEADING
    },
    Program {
        family: &["jsc", "qjs", "d8", "rhino", "jjs", "mujs", "hermes", "gjs", "osascript"],
        flags: "-h -i -m --std --module",
        valued: "-e|--eval -c|--command -I --include -l",
        rules: &[
            always(Evaluates(Language::Other, At::Value("-e -c"))),
            when(Lacks("-e -c"), RunsScript(At::Nth(0))),
            when(Fed, Hides("it runs what it reads")),
        ],
        examples: &[
            ("qjs -e 'std.popen(1)'", Expect::Opaque("code with")),
            ("osascript -e 'do shell script \"id\"'", Expect::Opaque("code with")),
            ("cat x | qjs", Expect::Opaque("runs what it reads")),
        ],
        plain_lines: &["qjs x.js"],
        ..Program::LEADING
    },
];

/// The files that `node` tries for a name without an extension.
fn resolved(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some(name) = parsed.operand(0).filter(|name| name.is_exact) else { return Vec::new() };
    let path = name.text.trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    if last.trim_start_matches('.').contains('.') {
        return Vec::new();
    }
    let file = |end: &str| Effect::Script(Value::exact(format!("{path}{end}")));
    let is_folder = ["", ".", ".."].contains(&last);
    let own = [".js", ".mjs", ".cjs", ".ts"].into_iter().filter(|_| !is_folder).map(file);
    let package = Effect::Obeys { names: "package.json", folder: Value::exact(path), is_recipe: true };
    let folder = [package, file("/index.js"), file("/index.ts")];
    own.chain(folder).collect()
}

/// Code given by options. A value of `--print` that looks like an option is an option of its own.
fn code(parsed: &Parsed<'_>) -> Vec<Effect> {
    let read = |given: &GivenOption| {
        let Some(value) = &given.value else { return Vec::new() };
        // If `-p` takes no value, the letters after it in a cluster are options: `-pe`.
        let arg = &parsed.command.args[given.at].text;
        let is_cluster =
            arg.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.ends_with(&value.text));
        let mut code = vec![Effect::Code(Language::Node, value.clone())];
        if is_cluster || value.is_exact && value.text.starts_with('-') {
            code.extend(parsed.operands().cloned().map(|code| Effect::Code(Language::Node, code)));
        }
        code
    };
    parsed.given("--eval --print").flat_map(read).collect()
}

/// Code from the standard input, which is analysed if the text is known.
fn reads(parsed: &Parsed<'_>) -> Vec<Effect> {
    match &parsed.command.input {
        Input::Text(text) => vec![Effect::Code(Language::Node, Value::exact(text.clone()))],
        Input::None | Input::Unknown => vec![Effect::hidden(format!("`{}` runs what it reads", parsed.command.name()))],
    }
}
