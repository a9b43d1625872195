//! Package managers of other languages: .NET, PHP, Haskell, Elixir, Dart, Swift, C++.

use super::registries;
use crate::reader::Value;
use crate::registry::prelude::*;

const CODE: &str = "code on the command line";
const OWN: Does = Hides("a build with programs or settings of its own choice");
const SOURCES: Does = Hides("settings that decide what is fetched and run");
const DROPS: Does = Says(Consequence::DeletesForOthers, "deletes a database");
const CHANGES_DATABASE: Does = Says(Consequence::DeletesForOthers, "changes a database that others may use");

/// A subcommand whose operands are another command.
const fn runs(names: &'static str) -> Subcommand {
    command(names, Syntax::LEADING, RUNS_OPERANDS)
}

/// A subcommand that publishes unless it is a dry run.
const fn publishes(names: &'static str) -> Subcommand {
    const RULES: &[Rule] = &[when(Lacks("--dry-run --help"), PUBLISHES)];
    let syntax = Syntax { flags: "-n|--dry-run -h|--help", ..Syntax::EXACT };
    command(names, syntax, RULES)
}

const fn signs(names: &'static str) -> Subcommand {
    const RULES: &[Rule] = &[always(IDENTITY)];
    ruled(names, RULES)
}

const fn for_user(names: &'static str) -> Subcommand {
    const RULES: &[Rule] = &[always(FOR_USER)];
    ruled(names, RULES)
}

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["dotnet"],
        flags: "-h|--help --info --list-sdks --list-runtimes --version -d|--diagnostics -g|--global",
        valued: "--additionalprobingpath --additional-deps --depsfile --fx-version --roll-forward --runtimeconfig -o|--output \
                     --property-file",
        rules: &[
            always(ObeysAround("**/*.csproj **/*.fsproj **/*.vbproj **/*.props **/*.targets")),
            always(Writes(At::Value("--output"))),
            when(Has("--additionalprobingpath --additional-deps"), OWN),
            always(ByOption(events)),
        ],
        subcommands: &[
            group(
                "nuget",
                &[
                    publishes("push"),
                    ruled("delete", &[always(WITHDRAWS)]),
                    ruled("add remove update disable enable trust config", &[always(SOURCES)]),
                    each("list locals why"),
                ],
            ),
            group(
                "tool",
                &[
                    ruled("install update uninstall", &[when(Has("--global"), FOR_USER)]),
                    runs("run"),
                    each("list restore"),
                ],
            ),
            for_user("workload"),
            ruled("dev-certs", &[always(Says(Consequence::ChangesSystem, "changes certificates that are trusted"))]),
            group(
                "user-secrets",
                &[ruled("list", &[always(Is(Consequence::ShowsCredentials))]), signs("set remove clear")],
            ),
            group("ef", &[ruled("database", &[when(First("drop"), DROPS), when(First("update"), CHANGES_DATABASE)])]),
        ],
        builds: true,
        examples: &[
            ("dotnet build -p:PreBuildEvent='sudo id'", Expect::Runs("sudo id")),
            ("dotnet nuget push x.nupkg", Expect::Asks("publishes")),
            ("dotnet -d nuget push x.nupkg -k y", Expect::Asks("publishes")),
            ("dotnet nuget delete x 1", Expect::Asks("others may use")),
            ("dotnet nuget add source https://host", Expect::Opaque("what is fetched")),
            ("dotnet tool install -g x", Expect::Asks("outside of the workspace")),
            ("dotnet tool run sudo", Expect::Runs("sudo")),
            ("dotnet user-secrets list", Expect::Asks("shows credentials")),
            ("dotnet ef database drop", Expect::Asks("a database")),
            ("dotnet publish -o x", Expect::Writes("x")),
            ("dotnet --odd nuget push", Expect::Opaque("`--odd` of `dotnet`")),
        ],
        plain_lines: &["dotnet build -c Release", "dotnet test", "dotnet publish -c Release", "dotnet run -- -x"],
        ..Program::EXACT
    },
    Program {
        names: &["nuget"],
        flags: "-help -NonInteractive -ForceEnglishOutput",
        valued: "-Verbosity -ConfigFile -Source",
        subcommands: &[
            publishes("push add"),
            ruled("delete", &[always(WITHDRAWS)]),
            signs("setApiKey setapikey"),
            ruled("sources config", &[when(FirstIsNot("list List"), SOURCES)]),
        ],
        examples: &[("nuget push x.nupkg", Expect::Asks("publishes")), ("nuget setApiKey x", Expect::Asks("accounts"))],
        plain_lines: &["nuget restore"],
        ..Program::SINGLE
    },
    Program {
        names: &["composer", "composer.phar"],
        flags: "-h|--help -q|--quiet -V|--version --ansi --no-ansi -n|--no-interaction --profile --no-plugins --no-scripts \
                    --no-cache -v|-vv|-vvv|--verbose",
        valued: "-d|--working-dir",
        folder: "--working-dir",
        rules: &[always(Obeys("composer.json"))],
        subcommands: &[
            runs("exec"),
            ruled("create-project", &[always(Unpacks(At::Nth(1)))]),
            ruled("global", &[when(FirstIsNot("show info outdated licenses"), FOR_USER)]),
            command(
                "config",
                Syntax {
                    flags: "-g|--global -e|--editor -a|--auth --unset -l|--list",
                    valued: "-f|--file",
                    ..Syntax::EXACT
                },
                &[when_all(&[AtLeast(2), Lacks("--list")], SOURCES), when(Has("--editor --unset"), SOURCES)],
            ),
            for_user("self-update selfupdate"),
            each("install update require show run-script"),
        ],
        abbreviates: true,
        examples: &[
            ("composer exec sudo id", Expect::Runs("sudo id")),
            ("composer -d x exec -- sudo id", Expect::Runs("sudo id")),
            ("composer global require x", Expect::Asks("outside of the workspace")),
            ("composer config repositories.x https://host", Expect::Opaque("what is fetched")),
            ("composer --odd exec sudo", Expect::Opaque("`--odd` of `composer`")),
        ],
        plain_lines: &["composer install", "composer config name"],
        ..Program::EXACT
    },
    Program {
        family: &["cabal", "stack", "opam", "dune"],
        flags: "-h|--help -V|--version --numeric-version -v|--verbose --silent --no-* --system-ghc --install-ghc --skip-ghc-check \
                    --nix --docker --allow-different-user --ignore-project -y|--yes -q|--quiet",
        valued: "-w|--with-compiler --with-hc-pkg --with-gcc --with-ghc --with-ld --with-ar --config-file --store-dir --builddir \
                     --project-file --stack-yaml --stack-root --work-dir --resolver --snapshot --compiler --arch --color --switch --root \
                     --package -j|--jobs --ghc-options",
        optional: "--with-*",
        rules: &[
            always(ObeysAround(
                "**/*.cabal Setup.hs Setup.lhs package.yaml stack.yaml cabal.project* dune-project **/dune",
            )),
            when(
                Has("--with-compiler --with-hc-pkg --with-gcc --with-ghc --with-ld --with-ar --config-file --with-*"),
                OWN,
            ),
            when(ValueHas("--ghc-options", "-pgm"), OWN),
            always(By(registries::addresses)),
        ],
        subcommands: &[
            publishes("upload publish"),
            runs("exec"),
            ruled("install", &[when(Lacks("--dry-run"), FOR_USER)]),
            ruled("eval", &[always(Hides("code on the command line"))]),
            ruled(
                "repository remote source pin config user-config",
                &[when(FirstIsNot("list path get show env"), SOURCES)],
            ),
        ],
        builds: true,
        examples: &[
            ("cabal build --ghc-options='-pgmF ./x'", Expect::Opaque("of its own choice")),
            ("cabal upload x", Expect::Asks("publishes")),
            ("stack upload .", Expect::Asks("publishes")),
            ("stack --silent upload .", Expect::Asks("publishes")),
            ("cabal exec sudo", Expect::Runs("sudo")),
            ("stack exec -- sudo id", Expect::Runs("sudo id")),
            ("cabal install x", Expect::Asks("outside of the workspace")),
            ("cabal build -w ./x", Expect::Opaque("of its own choice")),
            ("opam publish", Expect::Asks("publishes")),
            ("dune exec sudo", Expect::Runs("sudo")),
            ("cabal --odd exec sudo", Expect::Opaque("`--odd` of `cabal`")),
        ],
        plain_lines: &["cabal build all", "stack test --fast", "dune build"],
        ..Program::EXACT
    },
    Program {
        family: &["mix", "rebar3"],
        rules: &[always(ObeysAround("mix.exs config/*.exs rebar.config*"))],
        subcommands: &[
            publishes("hex.publish"),
            ruled("hex", &[when(First("publish retire owner user organization cut"), PUBLISHES)]),
            ruled("hex.retire", &[always(WITHDRAWS)]),
            signs("hex.owner hex.user hex.organization hex.registry"),
            ruled("hex.repo", &[when(First("add set remove"), SOURCES)]),
            runs("cmd"),
            command(
                "run",
                Syntax {
                    flags: "--no-halt --no-start --no-compile",
                    valued: "-e|--eval -r|--require -p|--parallel",
                    ..Syntax::LEADING
                },
                &[when(Has("--eval"), Hides(CODE))],
            ),
            ruled("eval", &[always(Hides(CODE))]),
            command(
                "shell",
                Syntax {
                    flags: "--start-clean -r",
                    valued: "--eval --script --config --name --sname --setcookie --apps --env-file",
                    ..Syntax::EXACT
                },
                &[when(Has("--eval"), Hides(CODE)), always(RunsScript(At::Value("--script --config")))],
            ),
            ruled("do", &[always(Hides("several tasks in one"))]),
            ruled("ecto.drop ecto.reset", &[always(DROPS)]),
            for_user("archive.install escript.install archive.uninstall local.hex local.rebar local.phx"),
        ],
        examples: &[
            ("mix hex.publish", Expect::Asks("publishes")),
            ("rebar3 hex publish", Expect::Asks("publishes")),
            ("mix hex.retire x 1 other", Expect::Asks("others may use")),
            ("mix cmd sudo id", Expect::Runs("sudo id")),
            ("mix eval 'System.cmd(\"id\", [])'", Expect::Opaque("code on the command line")),
            ("mix run -e 'x'", Expect::Opaque("code on the command line")),
            ("mix ecto.drop", Expect::Asks("a database")),
            ("mix archive.install hex x", Expect::Asks("outside of the workspace")),
        ],
        plain_lines: &["mix test", "mix deps.get", "mix format --check-formatted"],
        ..Program::LEADING
    },
    Program {
        family: &["dart", "flutter", "pub", "fvm", "melos"],
        flags: "-v|--verbose --version -h|--help --disable-analytics --enable-analytics --no-color --color --suppress-analytics \
                    --no-version-check",
        valued: "-d|--device-id --packages --directory -C --local-engine",
        subcommands: &[
            group(
                "pub",
                &[
                    publishes("publish lish"),
                    ruled("global", &[when(First("activate deactivate"), FOR_USER)]),
                    signs("login logout token uploader"),
                    each("get add"),
                ],
            ),
            publishes("publish"),
            runs("exec"),
            command(
                "compile",
                Syntax { valued: "-o|--output", ..Syntax::EXACT },
                &[always(Writes(At::Value("--output")))],
            ),
            for_user("upgrade downgrade channel global"),
        ],
        builds: true,
        examples: &[
            ("dart pub publish", Expect::Asks("publishes")),
            ("flutter pub publish -f", Expect::Asks("publishes")),
            ("dart pub global activate x", Expect::Asks("outside of the workspace")),
            ("dart pub token add https://host", Expect::Asks("accounts")),
            ("melos exec -- sudo id", Expect::Runs("sudo id")),
            ("dart compile exe a.dart -o x", Expect::Writes("x")),
            ("flutter --odd pub publish", Expect::Opaque("`--odd` of `flutter`")),
        ],
        plain_lines: &["dart pub publish --dry-run", "flutter test", "dart run build_runner build", "flutter pub get"],
        ..Program::EXACT
    },
    Program {
        names: &["swift"],
        flags: "-h|--help --version -v|--verbose",
        valued: "--package-path --scratch-path --toolchain -c|--configuration --swift-sdk -Xcc -Xswiftc -Xlinker -load-plugin-executable",
        folder: "--package-path",
        rules: &[
            always(ObeysAround("Package.swift")),
            when(Has("--toolchain -load-plugin-executable"), OWN),
            when(ValueHas("-Xcc -Xswiftc -Xlinker", "plugin -load -ld-path -fuse-ld"), OWN),
        ],
        subcommands: &[
            ruled(
                "package-registry",
                &[when(First("publish"), PUBLISHES), when(First("login logout set unset"), IDENTITY)],
            ),
            command(
                "package",
                Syntax {
                    flags: "--disable-sandbox --allow-writing-to-package-directory",
                    valued: "--allow-writing-to-directory --allow-network-connections",
                    ..Syntax::EXACT
                },
                &[
                    when(Has("--disable-sandbox --allow-network-connections"), OWN),
                    always(Writes(At::Value("--allow-writing-to-directory"))),
                ],
            ),
            each("build"),
        ],
        builds: true,
        examples: &[
            ("swift package-registry publish x 1", Expect::Asks("publishes")),
            ("swift package --disable-sandbox x", Expect::Opaque("of its own choice")),
            ("swift build -Xswiftc -load-plugin-executable -Xswiftc ./x", Expect::Opaque("of its own choice")),
        ],
        plain_lines: &["swift build -c release", "swift test"],
        ..Program::SINGLE
    },
    Program {
        family: &["vcpkg", "conan"],
        flags: "-h|--help -v|--version --debug",
        valued: "--triplet --vcpkg-root --downloads-root -cc|--core-conf -r|--remote",
        subcommands: &[
            publishes("upload"),
            ruled("remove", &[when(Has("--remote"), WITHDRAWS)]),
            group(
                "remote",
                &[
                    signs("login logout set-user auth"),
                    each("list"),
                    ruled("add remove update rename", &[always(SOURCES)]),
                ],
            ),
            ruled("config", &[when(First("install set"), SOURCES)]),
            for_user("integrate"),
        ],
        builds: true,
        examples: &[
            ("conan remove x -r y", Expect::Asks("others may use")),
            ("conan upload x -r y", Expect::Asks("publishes")),
            ("conan remote add x https://host", Expect::Opaque("what is fetched")),
            ("conan config install https://host", Expect::Opaque("what is fetched")),
            ("vcpkg integrate install", Expect::Asks("outside of the workspace")),
        ],
        plain_lines: &["conan install .", "vcpkg install zlib"],
        ..Program::EXACT
    },
];

/// Build properties that are shell lines: `-p:PreBuildEvent=…`.
fn events(parsed: &Parsed<'_>) -> Vec<Effect> {
    let line = |arg: &Value| {
        let (property, line) = arg.text.split_once('=')?;
        let is_event = property.starts_with(['-', '/']) && property.to_lowercase().ends_with("event");
        is_event.then(|| Effect::Line(Value { text: line.to_owned(), ..arg.clone() }))
    };
    parsed.command.args.iter().filter_map(line).collect()
}
