//! Package managers for Ruby, and programs that run Ruby projects.

use super::registries;
use crate::reader::Value;
use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["gem"],
        flags: "-h|--help --version -V|--verbose -q|--quiet --silent --backtrace --debug --norc -N|--no-document \
                    --local|-l --remote --both|-b -f|--force --user-install --no-user-install -a|--all -x|--executables",
        valued: "--config-file -v -i|--install-dir -n|--bindir --host -k|--key --otp -p|--http-proxy -s|--source --platform \
                     -o|--output -e|--editor -C -P|--trust-policy --add --remove",
        rules: &[
            when(Has("--config-file"), Hides("`gem` with settings from elsewhere")),
            always(By(registries::addresses)),
        ],
        subcommands: &[
            ruled("push", &[always(PUBLISHES)]),
            ruled("yank", &[always(WITHDRAWS)]),
            command(
                "owner",
                Syntax { valued: "-a|--add -r|--remove", ..Syntax::GNU },
                &[when(Has("--add --remove"), PUBLISHES)],
            ),
            ruled("signin signout", &[always(IDENTITY)]),
            ruled(
                "install uninstall update",
                &[when(Lacks("--install-dir"), FOR_USER), always(Writes(At::Value("--install-dir")))],
            ),
            ruled("open", &[always(Hides("`gem open` starts an editor")), always(RunsLine(At::Value("--editor")))]),
            command(
                "exec",
                Syntax { flags: "--conservative --prerelease", valued: "-g|--gem -v|--version", ..Syntax::LEADING },
                RUNS_OPERANDS,
            ),
            command(
                "sources",
                Syntax {
                    flags: "-c|--clear-all -u|--update -l|--list",
                    valued: "-a|--add -r|--remove -p|--prepend",
                    ..Syntax::GNU
                },
                &[when(Has("--add --remove --prepend --clear-all"), Hides("sources that decide what is fetched"))],
            ),
            ruled("build", &[always(RunsScript(At::Nth(0))), always(Writes(At::Value("--output")))]),
            each("list search specification outdated environment info pristine fetch"),
        ],
        abbreviates: true,
        examples: &[
            ("gem push x.gem", Expect::Asks("publishes")),
            ("gem pus x.gem", Expect::Asks("publishes")),
            ("gem -V push x.gem", Expect::Asks("publishes")),
            ("gem yank x -v 1", Expect::Asks("others may use")),
            ("gem owner x -a me", Expect::Asks("publishes")),
            ("gem install x", Expect::Asks("outside of the workspace")),
            ("gem open -e sudo x", Expect::Runs("sudo")),
            ("gem exec sudo id", Expect::Runs("sudo id")),
            ("gem sources -a https://host", Expect::Opaque("sources that decide")),
            ("gem --config-file x list", Expect::Opaque("settings from elsewhere")),
            ("gem --odd push x.gem", Expect::Opaque("`--odd` of `gem`")),
        ],
        plain_lines: &["gem owner x", "gem list", "gem build x.gemspec"],
        ..Program::GNU
    },
    Program {
        names: &["bundle", "bundler"],
        flags: "--no-color -V|--verbose -h|--help -v|--version",
        valued: "-r|--retry --gemfile",
        rules: &[
            always(ObeysAround("Gemfile gems.rb **/*.gemspec .bundle/config")),
            always(RunsScript(At::Value("--gemfile"))),
        ],
        subcommands: &[
            command(
                "exec|e",
                Syntax {
                    flags: "--keep-file-descriptors --no-keep-file-descriptors",
                    valued: "--gemfile",
                    ..Syntax::LEADING
                },
                RUNS_OPERANDS,
            ),
            ruled("plugin", &[when(First("install"), Hides("a plug-in from elsewhere"))]),
            ruled("open", &[always(Hides("`bundle open` starts an editor"))]),
            each("install update"),
            command(
                "add",
                Syntax {
                    flags: "--skip-install --optimistic --strict --quiet",
                    valued: "--git --github --source|-s --path --branch --ref --glob --version|-v --group|-g --require|-r",
                    ..Syntax::EXACT
                },
                &[
                    always(Connects(At::Value("--git --source"))),
                    when(Has("--github"), Connects(At::Path("https://github.com/"))),
                ],
            ),
            ruled(
                "config",
                &[when(OperandStarts("build. bin shebang gemfile mirror."), Hides("settings of `bundle`"))],
            ),
            ruled("console", &[when(Fed, Hides("code that comes in"))]),
            each("check list outdated show info init lock clean cache env doctor pristine platform remove"),
        ],
        abbreviates: true,
        examples: &[
            ("bundle add x --git http://host/x", Expect::Connects("http://host/x")),
            ("bundle add x --git git@host:y", Expect::Connects("ssh://host/y")),
            ("bundle add x --github y/z", Expect::Connects("https://github.com/")),
            ("bundle exec sudo id", Expect::Runs("sudo id")),
            ("bundle exe sudo id", Expect::Runs("sudo id")),
            ("bundle --no-color exec sudo id", Expect::Runs("sudo id")),
            ("bundle exec --gemfile x sudo id", Expect::Runs("sudo id")),
            ("bundle exec gem push x.gem", Expect::Asks("publishes")),
            ("bundle exec rake release", Expect::Asks("publishes")),
            ("bundle plugin install x", Expect::Opaque("a plug-in")),
            ("bundle config build.x --with=./y", Expect::Opaque("settings of `bundle`")),
            ("bundle e sudo id", Expect::Runs("sudo id")),
            ("bundle --odd exec sudo", Expect::Opaque("`--odd` of `bundle`")),
        ],
        plain_lines: &["bundle exec rspec spec/models", "bundle install", "bundle config set --local path vendor"],
        ..Program::EXACT
    },
    Program {
        family: &["rails", "hanami"],
        rules: &[always(By(drops)), always(Decides(At::All))],
        subcommands: &[
            command("runner|r", Syntax { valued: "-e|--environment", ..Syntax::LEADING }, &[always(By(runner))]),
            ruled("credentials:show credentials:edit encrypted:show", &[always(Is(Consequence::ShowsCredentials))]),
        ],
        examples: &[
            ("rails runner 'system(1)'", Expect::Opaque("code with `system`")),
            ("rails db:drop", Expect::Asks("a database")),
            ("rails db:create db:reset", Expect::Asks("a database")),
            ("bin/rails db:migrate:reset", Expect::Asks("a database")),
            ("rails credentials:show", Expect::Asks("shows credentials")),
        ],
        plain_lines: &["rails test", "rails db:migrate"],
        ..Program::LEADING
    },
    Program {
        family: &["cap", "kamal", "mina", "fastlane"],
        rules: &[
            always(Obeys("Capfile config/deploy.rb Fastfile fastlane/* mina.rb")),
            when(
                Operand(
                    "deploy setup redeploy rollback release deliver supply pilot upload_to_testflight upload_to_app_store remove beta",
                ),
                PUBLISHES,
            ),
        ],
        examples: &[
            ("cap production deploy", Expect::Asks("publishes")),
            ("fastlane ios release", Expect::Asks("publishes")),
        ],
        plain_lines: &["kamal version"],
        ..Program::GNU
    },
    Program {
        names: &["pod"],
        flags: "--verbose --silent --no-ansi --allow-root --help",
        rules: &[always(ObeysAround("Podfile"))],
        subcommands: &[
            ruled("trunk", &[when(FirstIsNot("info me"), PUBLISHES)]),
            ruled("repo", &[when(First("push add add-cdn remove"), PUBLISHES)]),
        ],
        examples: &[
            ("pod trunk push x", Expect::Asks("publishes")),
            ("pod --silent repo push x y", Expect::Asks("publishes")),
        ],
        plain_lines: &["pod install"],
        ..Program::EXACT
    },
];

/// `rails runner` with code, or with a file of code.
fn runner(parsed: &Parsed<'_>) -> Vec<Effect> {
    let of = |code: &Value| {
        let is_file = code.text.strip_suffix(".rb").is_some_and(|name| !name.contains(' '));
        if is_file { Effect::Script(code.clone()) } else { Effect::Code(Language::Ruby, code.clone()) }
    };
    parsed.operand(0).map(of).into_iter().collect()
}

/// Rails tasks that delete a database, at any position among the tasks.
pub(super) fn drops(parsed: &Parsed<'_>) -> Vec<Effect> {
    const TASKS: [&str; 9] = [
        "db:drop", "db:drop:all", "db:drop:_unsafe", "db:reset", "db:purge", "db:truncate_all", "db:schema:load",
        "db:migrate:reset", "db:seed:replant",
    ];
    let is_task = |arg: &Value| {
        let task = arg.text.split('[').next().unwrap_or_default();
        TASKS.contains(&task)
    };
    let drops = parsed.command.args.iter().any(is_task);
    drops.then(|| Effect::says(Consequence::DeletesForOthers, "deletes a database")).into_iter().collect()
}
