//! Programs that start another one with changed variables.

use crate::reader::Value;
use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["env", "genv"],
        flags: "-i|--ignore-environment -0|--null -v|--debug --list-signal-handling",
        valued: "-u|--unset -C|--chdir -S|--split-string -a|--argv0 -P",
        optional: "--block-signal --default-signal --ignore-signal",
        rules: &[
            when(FirstIsNot("-"), RunsWithVariables(At::From(0))),
            when(First("-"), RunsWithVariables(At::From(1))),
            always(By(split)),
            always(StartsIn(At::Value("--chdir"))),
        ],
        is_exhaustive: true,
        examples: &[
            ("env FOO=1 sudo id", Expect::Denied("takes other rights")),
            ("env -u X -i PATH=/bin sudo id", Expect::Denied("takes other rights")),
            ("env - sudo id", Expect::Denied("takes other rights")),
            ("env -S 'sudo -a'", Expect::Denied("takes other rights")),
            ("env -iS 'A=1 sudo' id", Expect::Denied("takes other rights")),
            ("env --split-string='sudo id'", Expect::Denied("takes other rights")),
            (r"env -S '\_sudo'", Expect::Opaque("a line that `env` splits")),
            ("env PATH=./x ls", Expect::Opaque("PATH")),
            ("env --odd sudo id", Expect::Opaque("`--odd` of `env`")),
            ("env -C bin ./t", Expect::Scripts("t")),
        ],
        plain_lines: &["env RUST_LOG=trace cargo run", "env"],
        ..Program::LEADING
    },
    Program {
        names: &["cross-env"],
        rules: &[always(RunsWithVariables(At::From(0)))],
        examples: &[("cross-env NODE_ENV=test sudo id", Expect::Denied("takes other rights"))],
        plain_lines: &["cross-env NODE_ENV=test jest"],
        ..Program::LEADING
    },
    Program {
        names: &["cross-env-shell"],
        rules: &[always(RunsLine(At::From(0)))],
        examples: &[("cross-env-shell NODE_ENV=test 'sudo id'", Expect::Denied("takes other rights"))],
        ..Program::LEADING
    },
    Program {
        names: &["envdir"],
        rules: &[always(RunsWords(At::From(1))), always(Hides("`envdir` sets variables that files hold"))],
        examples: &[("envdir ./env sudo id", Expect::Denied("takes other rights"))],
        ..Program::LEADING
    },
    Program {
        family: &["dotenv", "dotenvx", "env-cmd"],
        flags: "-q|--quiet --override --overload --no-override --verbose --debug -h --no-expand -o -x --silent",
        valued: "-e|--env -f|--file --env-file -p|-v -c --convention",
        rules: &[always(By(dotenv))],
        examples: &[
            ("dotenv -- sudo id", Expect::Denied("takes other rights")),
            ("dotenv -e .env.local -- sudo id", Expect::Denied("takes other rights")),
            ("dotenv -f x run -- sudo id", Expect::Denied("takes other rights")),
            ("dotenv sudo id", Expect::Denied("takes other rights")),
        ],
        plain_lines: &["dotenvx run --env-file=.env -- npm start"],
        ..Program::LEADING
    },
    Program {
        names: &["op"],
        flags: "--cache --debug --iso-timestamps --no-color",
        valued: "--account --config --encoding --format --session",
        subcommands: &[
            command(
                "run",
                Syntax { flags: "--no-masking", valued: "--env-file --environment", ..Syntax::LEADING },
                RUNS_OPERANDS,
            ),
            shows("read"),
            shows("item"),
            shows("document"),
            shows("inject"),
        ],
        plain: "account whoami vault user group signin signout update",
        examples: &[
            ("op run --env-file=.env -- sudo id", Expect::Denied("takes other rights")),
            ("op read op://a/b/c", Expect::Asks("shows credentials")),
        ],
        plain_lines: &["op whoami"],
        ..Program::EXACT
    },
    Program {
        family: &["doppler", "infisical", "teller", "bws"],
        flags: "--debug --json --no-check-version --print-config --silent --no-color",
        valued: "-t|--token --config-dir --configuration --scope --api-host --domain -l|--log-level \
                     -c|--config --access-token --server-url",
        subcommands: &[
            command(
                "run",
                Syntax {
                    flags: "--fallback-only --fallback-readonly --forward-signals --no-fallback --no-exit-on-write-failure \
                            --preserve-env --watch --expand --include-imports --secret-overriding --recursive",
                    valued: "-p|--project -c|--config -e|--env --command --fallback --mount --mount-format \
                             --name-transformer --path --projectId --tags --project-config-dir --passphrase --shell",
                    ..Syntax::LEADING
                },
                &[
                    always(RunsWords(At::From(0))),
                    always(RunsLine(At::Value("--command"))),
                    when(Has("--shell"), Hides("a shell of its own choice")),
                ],
            ),
            shows("secrets|secret export show get env sh"),
        ],
        plain: "me projects environments setup login scan init configs",
        examples: &[
            ("doppler run -- sudo id", Expect::Denied("takes other rights")),
            ("doppler run --command 'sudo id'", Expect::Denied("takes other rights")),
            ("infisical run --env=dev -- sudo id", Expect::Denied("takes other rights")),
            ("infisical secrets", Expect::Asks("shows credentials")),
            ("bws run 'sudo id'", Expect::Runs("sudo id")),
        ],
        plain_lines: &["teller run -- npm start"],
        ..Program::EXACT
    },
    Program {
        names: &["summon"],
        flags: "--ignore-all --up",
        valued: "-p|--provider -e|--environment -f -D --yaml -i|--ignore",
        rules: &[when(Has("--provider"), Hides("a program that tells secrets")), always(RunsWords(At::From(0)))],
        examples: &[
            ("summon sudo id", Expect::Denied("takes other rights")),
            ("summon -f x.yml rm -rf x", Expect::Runs("rm -rf x")),
            ("summon -p ./x ls", Expect::Opaque("tells secrets")),
        ],
        ..Program::LEADING
    },
    Program {
        names: &["envconsul"],
        flags: "-*",
        valued: "-config -consul-addr -exec -prefix -secret -vault-addr -log-level -wait",
        rules: &[
            always(RunsLine(At::Value("-exec"))),
            when(Has("-config"), Hides("settings from elsewhere")),
            always(RunsWords(At::From(0))),
        ],
        examples: &[
            ("envconsul -prefix x sudo id", Expect::Denied("takes other rights")),
            ("envconsul -upcase -exec 'rm -rf x'", Expect::Runs("rm -rf x")),
        ],
        style: Style::Single,
        ..Program::LEADING
    },
    Program {
        family: &["aws-vault", "chamber", "envchain", "sops", "berglas", "granted", "assume"],
        flags: "--debug --verbose -v -q --no-session --server --json -j --strict --pristine",
        valued: "--backend --prompt --keychain -b --retries -r -d|--duration --region -f -p --config --mfa-token -t",
        rules: &[always(By(vault)), always(Decides(At::Nth(0)))],
        examples: &[
            ("aws-vault exec dev -- sudo id", Expect::Denied("takes other rights")),
            ("chamber exec app -- sudo id", Expect::Denied("takes other rights")),
            ("envchain aws sudo id", Expect::Denied("takes other rights")),
            ("sops exec-env s.yaml 'sudo id'", Expect::Denied("takes other rights")),
            ("sops -d s.yaml", Expect::Asks("shows credentials")),
            ("sops -d s.yaml --output-type --version", Expect::Asks("shows credentials")),
            ("chamber export app", Expect::Asks("shows credentials")),
        ],
        plain_lines: &["sops -e s.yaml", "aws-vault list"],
        ..Program::LEADING
    },
];

/// A subcommand that prints secrets.
const fn shows(names: &'static str) -> Subcommand {
    const SHOWS: &[Rule] = &[always(Is(Consequence::ShowsCredentials))];
    command(names, Syntax::EXACT, SHOWS)
}

/// The words that `env -S` splits a text into, including options and variables of `env`.
fn split(parsed: &Parsed<'_>) -> Vec<Effect> {
    parsed.values("--split-string").flat_map(|line| split_line(line, parsed)).collect()
}

fn split_line(line: &Value, parsed: &Parsed<'_>) -> Vec<Effect> {
    let hidden = Effect::hidden("a line that `env` splits");
    if !line.is_exact {
        return vec![hidden];
    }
    let own = line.text.split_whitespace().map(Value::exact);
    let rest = parsed.operands().cloned();
    let words: Vec<Value> = std::iter::once(Value::exact("env")).chain(own).chain(rest).collect();
    let mut found = vec![Effect::runs(words)];
    // Such a line has its own escapes, quotes and variables.
    found.extend(line.text.contains(['\\', '$', '\'', '"', '#']).then_some(hidden));
    found
}

/// The command after `--`, or else after an optional `run` and a word that may be a file.
fn dotenv(parsed: &Parsed<'_>) -> Vec<Effect> {
    let args = &parsed.command.args;
    if let Some(at) = args.iter().position(|arg| arg.text == "--") {
        return vec![Effect::runs(args[at + 1..].to_vec())];
    }
    let shows = ["list", "get", "export", "decrypt"];
    if parsed.operand(0).is_some_and(|first| shows.contains(&first.text.as_str())) {
        return vec![Effect::is(Consequence::ShowsCredentials)];
    }
    (0..2).map(|from| parsed.from(from).to_vec()).filter(|words| !words.is_empty()).map(Effect::runs).collect()
}

/// Programs that run a command after `exec`, a profile name and `--`.
fn vault(parsed: &Parsed<'_>) -> Vec<Effect> {
    let args = &parsed.command.args;
    let first = parsed.operand(0).map_or("", |first| first.text.as_str());
    let shows = ["export", "read", "env", "list-services", "print", "decrypt", "get", "find"];
    if parsed.command.name() == "sops" {
        return match first {
            "exec-env" | "exec-file" => parsed.operand(2).cloned().map(Effect::Line).into_iter().collect(),
            "encrypt" => Vec::new(),
            _ if args.first().is_some_and(|arg| matches!(arg.text.as_str(), "-e" | "--encrypt" | "--version")) => {
                Vec::new()
            }
            _ => vec![Effect::is(Consequence::ShowsCredentials)],
        };
    }
    if let Some(at) = args.iter().position(|arg| arg.text == "--") {
        return vec![Effect::runs(args[at + 1..].to_vec())];
    }
    match first {
        "list" | "ls" | "version" | "" => Vec::new(),
        "exec" => vec![Effect::runs(parsed.from(2).to_vec())],
        _ if shows.contains(&first) => vec![Effect::is(Consequence::ShowsCredentials)],
        _ => vec![Effect::runs(parsed.from(1).to_vec())],
    }
}
