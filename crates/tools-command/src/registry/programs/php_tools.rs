//! PHP tools: the code they evaluate or load first, and the commands they run on other machines.

use crate::registry::prelude::*;

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["wp", "drush", "drupal", "magerun", "n98-magerun2", "cv", "terminus"],
        flags: "-*",
        valued: "--require --exec --ssh --http --path --url --user -r --root -l --uri --context",
        rules: &[
            always(Evaluates(Language::Php, At::Value("--exec"))),
            when(First("eval php:eval php-eval ev php:cli core:cli scr"), Evaluates(Language::Php, At::Nth(1))),
            when(First("eval-file php:script php-script scr"), RunsScript(At::Nth(1))),
            always(RunsScript(At::Value("--require"))),
            when_all(&[First("shell php core:cli php:cli"), Fed], Hides("an interpreter that runs what it reads")),
            when_all(&[First("ssh site:ssh exec"), AtLeast(2)], RunsThere(At::From(1))),
            when(Has("--ssh"), NeedsNetwork),
            when(
                Operand(
                    "reset drop delete sql:drop sql-drop site:install destroy sql:query sql-query sqlq query import sql:sync rsync deploy \
                     core:rsync publish",
                ),
                Is(Consequence::DeletesForOthers),
            ),
        ],
        examples: &[
            ("wp eval 'system(\"id\");'", Expect::Opaque("code with `system")),
            ("wp --exec='exec(1);' post list", Expect::Opaque("code with `exec")),
            ("wp eval-file x.php", Expect::Scripts("x.php")),
            ("wp --require=x.php post list", Expect::Scripts("x.php")),
            ("drush php:eval 'shell_exec(1);'", Expect::Opaque("code with")),
            ("drush ssh rm -rf x", Expect::Asks("runs `rm -rf x` elsewhere")),
            ("wp db drop --yes", Expect::Asks("others may use")),
        ],
        plain_lines: &["wp plugin list", "drush status"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "phpunit", "phpstan", "psalm", "phan", "php-cs-fixer", "rector", "pest", "codecept", "behat", "phpcs",
            "phpcbf", "phpmd", "phing", "robo", "deptrac", "infection", "paratest", "phpbench",
        ],
        flags: "-*",
        valued: "--bootstrap -c|--configuration|--config -a|--autoload-file --filter --testsuite --group --plugin --printer --loader --extension \
                     --include-path -d -l|--level --error-format --standard --memory-limit -r|--root --log-junit --coverage-html --coverage-clover \
                     --coverage-text --report-file --report -f|--buildfile --load-from --output|-o --cache-result-file --log-teamcity --testdox-html",
        rules: &[
            always(ObeysAround(
                "phpunit.xml* phpstan.neon* psalm.xml* .php-cs-fixer*.php rector.php tests/bootstrap.php behat.yml build.xml RoboFile.php",
            )),
            always(RunsScript(At::Value("--bootstrap -a --plugin --load-from -f"))),
            always(Reads(At::Value("-c"))),
            when(Has("--printer --loader --extension --include-path"), Hides("code that is loaded by its name")),
            when(ValueHas("-d", "auto_prepend auto_append extension"), Hides("a setting of `php` that may load code")),
            always(Writes(At::Value(
                "--log-junit --coverage-html --coverage-clover --coverage-text --report-file --output --cache-result-file --log-teamcity --testdox-html",
            ))),
        ],
        examples: &[
            ("phpunit --bootstrap x.php", Expect::Scripts("x.php")),
            ("phpstan analyse -a x.php src", Expect::Scripts("x.php")),
            ("phpunit --include-path /x", Expect::Opaque("loaded by its name")),
            ("phpunit --log-junit .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["phpunit --filter Foo tests", "phpcs --standard=PSR12 src"],
        ..Program::EXACT
    },
];
