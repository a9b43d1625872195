//! The tools of Rust: `cargo` with its extensions, `rustup`, `rustc`.

use std::path::Path;

use tools_core::Access;

use super::emptied::emptied;
use super::registries;
use crate::plain_path;
use crate::reader::Value;
use crate::registry::prelude::*;

/// Settings of `-Z` that start nothing.
const PLAIN_UNSTABLE: &str = "unstable-options build-std minimal-versions direct-minimal-versions timings panic-abort-tests check-cfg \
     doctest-xcompile avoid-dev-deps no-index-update sparse-registry doctest-in-workspace rustdoc-map \
     rustdoc-scrape-examples feature-unification public-dependency gc help";

/// Files that a build obeys.
const OBEYED: &str = "**/Cargo.toml **/build.rs .cargo/config.toml .cargo/config rust-toolchain rust-toolchain.toml";

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["cargo", "cross"],
        general: "bench build check clippy doc fmt nextest test tree",
        flags: "-V|--version --list -v|-vv|--verbose -q|--quiet --locked --offline --frozen -h|--help",
        valued: "--color --explain -C --config -Z --manifest-path --target-dir --lockfile-path --artifact-dir --out-dir",
        optional: "+*",
        folder: "-C",
        rules: &[
            always(Obeys(OBEYED)),
            always(ObeysIn(At::Value("--manifest-path"), OBEYED)),
            when(Has("--config -C"), Hides("`cargo` with settings that may run a program")),
            always(ByOption(settings)),
            always(Writes(At::Value("--target-dir --artifact-dir --out-dir"))),
            always(By(registries::addresses)),
        ],
        subcommands: CARGO,
        builds: true,
        plain_lines: PLAIN_LINES,
        examples: EXAMPLES,
        ..Program::GNU
    },
    Program {
        names: &["rustup"],
        flags: "-v|--verbose -q|--quiet -V|--version -h|--help",
        optional: "+*",
        rules: &[always(By(toolchain))],
        subcommands: &[
            command("run", Syntax { flags: "--install", ..Syntax::LEADING }, &[always(RunsWords(At::From(1)))]),
            ruled("self", &[when(First("update uninstall upgrade-data"), FOR_USER)]),
            ruled(
                "toolchain",
                &[
                    when(First("uninstall remove rm delete"), FOR_USER),
                    when(First("link"), Hides("a toolchain of one's own choice")),
                ],
            ),
            ruled("uninstall", &[always(FOR_USER)]),
        ],
        examples: &[
            ("rustup run stable sudo id", Expect::Runs("sudo id")),
            ("rustup -v run --install nightly sudo id", Expect::Runs("sudo id")),
            ("rustup --odd run stable sudo", Expect::Opaque("`--odd` of `rustup`")),
            ("rustup self uninstall", Expect::Asks("outside of the workspace")),
            ("rustup toolchain link x .", Expect::Opaque("one's own choice")),
        ],
        plain_lines: &["rustup show", "rustup target add wasm32-unknown-unknown"],
        ..Program::EXACT
    },
    Program {
        family: &["rustc", "rustdoc", "clippy-driver"],
        flags: "-V|--version -v|--verbose -h|--help -g -O --test --show-coverage --document-private-items --check",
        valued: "-o|--output --out-dir --crate-name --crate-type --edition --emit --print --cfg --check-cfg -L -l --extern \
                     --sysroot --error-format --json --color --target -A|--allow -W|--warn -D|--deny -F|--forbid --cap-lints \
                     -C|--codegen -Z --remap-path-prefix --explain --theme --runtool|--test-runtool --test-builder \
                     --runtool-arg --test-args --passes --html-in-header --extend-css",
        optional: "+*",
        rules: &[
            always(ByOption(codegen)),
            always(Writes(At::Value("--output --out-dir"))),
            always(Writes(At::ValueRest("--emit", "asm= dep-info= link= llvm-bc= llvm-ir= metadata= mir= obj="))),
            // A linker may be named by arguments from a file, or by a target described in one.
            when(OperandStarts("@"), Hides("`rustc` with options from a file")),
            when(ValueHas("--target", ".json"), Hides("`rustc` with programs of its own choice")),
            when(Has("--runtool --test-builder --sysroot"), Hides("`rustc` with programs of its own choice")),
            always(RunsWords(At::Value("--runtool"))),
        ],
        builds: true,
        examples: &[
            ("rustc -C linker=./x a.rs", Expect::Opaque("RUSTFLAGS")),
            ("rustc -Clinker=./x a.rs", Expect::Opaque("RUSTFLAGS")),
            ("rustdoc --test-runtool sudo a.rs", Expect::Runs("sudo")),
            ("rustc @x", Expect::Opaque("options from a file")),
            ("rustc --target ./x.json a.rs", Expect::Opaque("of its own choice")),
            ("rustc --emit dep-info=.envrc a.rs", Expect::Writes(".envrc")),
            ("rustc -o x a.rs", Expect::Writes("x")),
        ],
        plain_lines: &["rustc --target wasm32-unknown-unknown a.rs", "rustc -vV", "rustc -O --edition 2024 a.rs"],
        ..Program::EXACT
    },
    Program {
        names: &["wasm-pack"],
        flags: "-v|--verbose -q|--quiet -h|--help",
        valued: "--log-level",
        subcommands: &[ruled("publish", &[always(PUBLISHES)]), ruled("login|adduser|add-user", &[always(IDENTITY)])],
        examples: &[("wasm-pack publish", Expect::Asks("publishes"))],
        plain_lines: &["wasm-pack build"],
        ..Program::EXACT
    },
];

const CARGO: &[Subcommand] = &[
    each("build|b check|c doc|d remove|rm"),
    command("test|t bench", Syntax { flags: "--no-run", ..Syntax::GNU }, &[always(By(logged))]),
    ruled("clean", &[always(By(|parsed| parsed.values("--target-dir").flat_map(emptied).collect()))]),
    ruled("new init", &[always(Writes(At::Nth(0)))]),
    command(
        "vendor",
        Syntax { flags: "--no-delete --versioned-dirs --respect-source-config", valued: "-s|--sync", ..Syntax::GNU },
        &[always(Writes(At::Nth(0))), when(Lacks("--no-delete"), By(vendored))],
    ),
    command("run|r", RUN, &[always(Obeys("**/src/main.rs **/src/bin/*.rs **/src/bin/*/main.rs examples/*.rs"))]),
    command(
        "publish",
        Syntax {
            flags: "-n|--dry-run --allow-dirty --no-verify --all-features --no-default-features --keep-going --workspace|--all",
            valued: "--index --registry --token -p|--package --exclude -F|--features --target -j|--jobs",
            ..Syntax::GNU
        },
        &[when(Lacks("--dry-run"), PUBLISHES)],
    ),
    ruled("yank", &[always(WITHDRAWS)]),
    command(
        "owner",
        Syntax { flags: "-l|--list", valued: "-a|--add -r|--remove", ..Syntax::GNU },
        &[when(Has("--add --remove"), PUBLISHES)],
    ),
    ruled("login logout", &[always(IDENTITY)]),
    command(
        "install",
        Syntax { flags: "--list", valued: "--root --path --git", ..Syntax::GNU },
        &[when(Lacks("--list"), FOR_USER), always(Writes(At::Value("--root"))), always(Connects(At::Value("--git")))],
    ),
    ruled("uninstall binstall", &[always(FOR_USER)]),
    ruled("rustc rustdoc", &[always(ByOption(flags))]),
    command(
        "watch",
        Syntax {
            flags: "-c|--clear -N|--notify --ignore-nothing --no-gitignore --no-vcs-ignores --no-ignore --no-dot-ignores \
                    --no-process-group --no-restart --poll --postpone -q --watch-when-idle --skip-local-deps --why -B",
            valued: "-x|--exec -s|--shell -d|--delay --features -i|--ignore -w|--watch -E|--env --use-shell --workdir -L",
            ..Syntax::LEADING
        },
        &[
            always(By(watches)),
            when(Has("--shell --use-shell"), Hides("`cargo watch` runs a line of its own")),
            always(RunsLine(At::Value("--shell"))),
            always(Sets(At::Value("--env"))),
            always(RunsWords(At::From(0))),
        ],
    ),
    command(
        "nextest",
        Syntax { valued: "--config-file --tool-config-file --archive-file --extract-to", ..Syntax::GNU },
        &[
            when(Has("--config-file --tool-config-file"), Hides("`cargo nextest` with settings of its own")),
            always(Writes(At::Value("--archive-file --extract-to"))),
        ],
    ),
    command(
        "release smart-release",
        Syntax { flags: "-x|--execute -e --no-confirm --no-push --no-tag --no-publish", ..Syntax::GNU },
        &[when(Has("--execute -e"), PUBLISHES)],
    ),
    group(
        "workspaces|ws",
        &[
            command("publish", Syntax { flags: "--dry-run", ..Syntax::GNU }, &[when(Lacks("--dry-run"), PUBLISHES)]),
            command(
                "version",
                Syntax { flags: "--no-git-push --no-git-commit", ..Syntax::GNU },
                &[when(Lacks("--no-git-push --no-git-commit"), PUBLISHES)],
            ),
            command("exec", Syntax { flags: "--no-bail", valued: "--ignore", ..Syntax::LEADING }, RUNS_OPERANDS),
        ],
    ),
    command(
        "generate",
        Syntax {
            flags: "--init -f|--force -v|--verbose -q|--quiet -s|--silent --overwrite --favorite --bin --lib -*",
            valued: "--destination -n|--name -g|--git -p|--path -b|--branch -t|--tag -d|--define -c|--config --vcs \
                     --template-values-file -i|--identity",
            ..Syntax::EXACT
        },
        &[always(Unpacks(At::Value("--destination")))],
    ),
    ruled("unleash", &[always(PUBLISHES)]),
    ruled("lambda shuttle dist", &[when(First("deploy publish host"), PUBLISHES)]),
    command(
        "hack",
        Syntax {
            flags: "--each-feature --feature-powerset --workspace --no-dev-deps --remove-dev-deps --ignore-private \
                    --no-private --clean-per-run --keep-going --rust-version",
            valued: "--skip --depth --group-features --exclude-features --include-features --version-range -p --package \
                     --exclude --features",
            ..Syntax::LEADING
        },
        &[always(By(|parsed| registries::again(parsed, 0)))],
    ),
];

/// The log file of the test harness.
fn logged(parsed: &Parsed<'_>) -> Vec<Effect> {
    let args = parsed.after_dashes();
    let attached = args.iter().filter_map(|arg| Some((arg, arg.text.strip_prefix("--logfile=")?)));
    let next = args.windows(2).filter(|pair| pair[0].text == "--logfile").map(|pair| (&pair[1], pair[1].text.as_str()));
    let path =
        |(arg, text): (&Value, &str)| Effect::path(Value { text: text.to_owned(), ..arg.clone() }, Access::Write);
    attached.chain(next).map(path).collect()
}

/// A source folder that is emptied first, unless it has the usual name.
fn vendored(parsed: &Parsed<'_>) -> Vec<Effect> {
    let folder = parsed.operand(0).filter(|folder| folder.text.trim_end_matches('/') != "vendor");
    folder.map(emptied).unwrap_or_default()
}

/// Options of `cargo run` before the arguments of the program.
const RUN: Syntax = Syntax {
    flags: "-r|--release --all-features --no-default-features --ignore-rust-version --unit-graph --timings --keep-going",
    valued: "--bin --example -p|--package -F|--features -j|--jobs --profile --target --message-format",
    ..Syntax::LEADING
};

/// Effects of settings, toolchains and manifests from elsewhere.
fn settings(parsed: &Parsed<'_>) -> Vec<Effect> {
    let mut found = toolchain(parsed);
    let is_plain = |value: &Value| {
        let name = value.text.split('=').next().unwrap_or_default();
        value.is_exact && PLAIN_UNSTABLE.split(' ').any(|plain| plain == name)
    };
    if parsed.values("-Z").any(|value| !is_plain(value)) {
        found.push(Effect::hidden("`cargo` with settings that may run a program"));
    }
    let folder = parsed.command.folder.as_deref();
    if parsed.values("--manifest-path").any(|path| is_elsewhere(path, folder)) {
        found.push(Effect::hidden("`cargo` with a manifest from elsewhere"));
    }
    found
}

/// A `+toolchain` that is a path, or that is known only at run time.
fn toolchain(parsed: &Parsed<'_>) -> Vec<Effect> {
    let is_odd = |value: &Value| !value.is_exact || value.text.contains('/');
    let mut found = Vec::new();
    if parsed.values("+*").any(is_odd) {
        found.push(Effect::hidden(format!("`{}` with a toolchain of one's own choice", parsed.command.name())));
    }
    found
}

/// Whether a path leads outside the folder the command runs in.
fn is_elsewhere(path: &Value, folder: Option<&str>) -> bool {
    let Some(folder) = folder else { return path.text.starts_with('/') || path.text.contains("..") };
    if let Some(start) = path.start() {
        return start.is_empty() || start.starts_with('/') || start.contains("..");
    }
    !plain_path(&Path::new(folder).join(&path.text)).starts_with(folder)
}

/// Flags of `rustc` after `cargo rustc --`, judged like the variable that holds such flags.
fn flags(parsed: &Parsed<'_>) -> Vec<Effect> {
    flags_as_variable(parsed.after_dashes().iter().cloned())
}

/// Effects of the code generation options of `rustc`.
fn codegen(parsed: &Parsed<'_>) -> Vec<Effect> {
    let spelled = |option: &'static str| {
        parsed.values(option).map(move |value| Value { text: format!("{option} {}", value.text), ..value.clone() })
    };
    flags_as_variable(spelled("-C").chain(spelled("-Z")))
}

fn flags_as_variable(flags: impl Iterator<Item = Value>) -> Vec<Effect> {
    let flags: Vec<Value> = flags.collect();
    let is_exact = flags.iter().all(|flag| flag.is_exact);
    let text = flags.iter().map(|flag| flag.text.as_str()).collect::<Vec<_>>().join(" ");
    let value = Value { text, is_exact, has_pattern: false };
    if flags.is_empty() { Vec::new() } else { vec![Effect::Sets("RUSTFLAGS".to_owned(), value)] }
}

/// The commands of `cargo watch -x`: each is a command of `cargo`.
fn watches(parsed: &Parsed<'_>) -> Vec<Effect> {
    let line = |value: &Value| Effect::Line(Value { text: format!("cargo {}", value.text), ..value.clone() });
    parsed.values("--exec").map(line).collect()
}

const EXAMPLES: &[Example] = &[
    ("cargo publish", Expect::Asks("publishes")),
    ("cargo +nightly publish", Expect::Asks("publishes")),
    ("cargo --frozen publish --allow-dirty", Expect::Is("cargo publish --allow-dirty")),
    ("cargo yank --version 1 x", Expect::Asks("others may use")),
    ("cargo owner --add me x", Expect::Asks("publishes")),
    ("cargo owner -a me", Expect::Asks("publishes")),
    ("cargo login", Expect::Asks("accounts or credentials")),
    ("cargo install x", Expect::Asks("outside of the workspace")),
    ("cargo install --root x y", Expect::Writes("x")),
    ("cargo binstall x", Expect::Asks("outside of the workspace")),
    ("cargo release --execute", Expect::Asks("publishes")),
    ("cargo release patch -x", Expect::Asks("publishes")),
    ("cargo workspaces publish", Expect::Asks("publishes")),
    ("cargo ws version patch", Expect::Asks("publishes")),
    ("cargo ws exec sudo id", Expect::Runs("sudo id")),
    ("cargo hack --each-feature publish", Expect::Asks("publishes")),
    ("cargo watch -s 'sudo id'", Expect::Runs("sudo id")),
    ("cargo watch -x publish", Expect::Asks("publishes")),
    ("cargo watch -c -- sudo id", Expect::Runs("sudo id")),
    ("cargo --config build.rustc-wrapper=x build", Expect::Opaque("settings that may run")),
    ("cargo --conf x=y build", Expect::Opaque("settings that may run")),
    ("cargo build --config x", Expect::Opaque("settings that may run")),
    ("cargo -C /tmp/x build", Expect::Opaque("settings that may run")),
    ("cargo -Z script x", Expect::Opaque("settings that may run")),
    ("cargo +./evil build", Expect::Opaque("a toolchain")),
    ("cargo +$x build", Expect::Opaque("a toolchain")),
    ("cargo --odd publish", Expect::Opaque("`--odd` of `cargo`")),
    ("cargo test --manifest-path ../evil/Cargo.toml", Expect::Opaque("a manifest from elsewhere")),
    ("cargo rustc -- -Clinker=./evil", Expect::Opaque("RUSTFLAGS")),
    ("cargo nextest run --config-file x", Expect::Opaque("settings of its own")),
    ("cargo b --target-dir x", Expect::Writes("x")),
    ("cargo clean --target-dir src", Expect::Asks("empties a folder")),
    ("cargo vendor src", Expect::Asks("empties a folder")),
    ("cargo test -- --logfile .envrc", Expect::Writes(".envrc")),
    ("cargo nextest archive --archive-file .envrc", Expect::Writes(".envrc")),
    ("cargo new ../x", Expect::Writes("../x")),
    ("cargo t -p x", Expect::Is("cargo test -p x")),
    ("cargo watch -x test", Expect::Runs("cargo test")),
];

/// Lines without findings.
const PLAIN_LINES: &[&str] = &[
    "cargo publish -n", "cargo publish --dry-run -p x", "cargo publish -p x --allow-dirty --dry-run", "cargo owner -l",
    "cargo install --list", "cargo release patch", "cargo vendor vendor", "cargo clean --target-dir target",
    "cargo test --manifest-path crates/x/Cargo.toml", "cargo +nightly build -Zbuild-std=core",
    "cargo clippy --all-targets -- -D warnings", "cargo run -- -C x --config y",
    "cargo rustc -- -C opt-level=3 --emit asm", "cargo nextest run -p x -E 'test(y)'", "cargo expand",
    "cargo xtask tidy", "cargo fmt --check", "cargo add serde --features derive",
];
