//! Scripts that frameworks put into a project under a fixed name: `manage.py`, `artisan`,
//! `setup.py`. They count as programs, whether they are started directly or by their interpreter.

use crate::reader::Command;
use crate::registry::prelude::*;
use crate::registry::{describe, find};

const LOSES: Does = Says(Consequence::DeletesForOthers, "removes what is in a database");

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["manage.py", "django-admin"],
        flags: "-*",
        valued: "--settings --pythonpath --database -v|--verbosity -c|--command",
        rules: &[
            when(First("flush reset_db"), LOSES),
            when_all(&[First("migrate"), Operand("zero")], LOSES),
            when(First("sendtestemail"), PUBLISHES),
            when(First("startproject startapp"), Writes(At::Nth(2))),
            when(First("shell shell_plus"), Evaluates(Language::Python, At::Value("--command"))),
        ],
        examples: &[
            ("django-admin flush --noinput", Expect::Asks("what is in a database")),
            ("django-admin sendtestemail a@host", Expect::Asks("publishes")),
            ("./manage.py --settings x flush", Expect::Asks("what is in a database")),
            ("python3 manage.py flush", Expect::Asks("what is in a database")),
            ("python3 -u ./manage.py migrate app zero", Expect::Asks("what is in a database")),
            ("python3 manage.py shell -c 'import subprocess'", Expect::Opaque("subprocess")),
            ("python3 manage.py flush", Expect::Scripts("manage.py")),
            ("django-admin startproject x .git/hooks", Expect::Writes(".git/hooks")),
        ],
        plain_lines: &["python3 manage.py migrate", "./manage.py runserver"],
        ..Program::EXACT
    },
    Program {
        names: &["artisan"],
        flags: "-*",
        valued: "--env --database --path --execute",
        rules: &[
            when(First("migrate:fresh migrate:reset migrate:refresh db:wipe queue:clear"), LOSES),
            always(Evaluates(Language::Php, At::Value("--execute"))),
        ],
        examples: &[
            ("php artisan migrate:fresh", Expect::Asks("what is in a database")),
            ("php artisan migrate:reset --force", Expect::Asks("what is in a database")),
            ("php ./artisan db:wipe", Expect::Asks("what is in a database")),
            ("php artisan tinker --execute='system(1);'", Expect::Opaque("system")),
        ],
        plain_lines: &["php artisan migrate"],
        ..Program::EXACT
    },
    Program {
        family: &["console", "flask", "symfony"],
        flags: "-*",
        valued: "-A|--app -d|--directory -u|--database-url -e|--env",
        rules: &[
            when(Operand("doctrine:database:drop doctrine:schema:drop doctrine:fixtures:load downgrade"), LOSES),
            when(First("deploy cloud:deploy"), PUBLISHES),
        ],
        examples: &[
            ("bin/console doctrine:database:drop --force", Expect::Asks("what is in a database")),
            ("php bin/console doctrine:schema:drop", Expect::Asks("what is in a database")),
            ("flask db downgrade base", Expect::Asks("what is in a database")),
        ],
        plain_lines: &["flask --app x run", "bin/console cache:clear"],
        ..Program::EXACT
    },
    Program {
        names: &["setup.py"],
        flags: "-*",
        rules: &[when(Operand("upload register"), PUBLISHES)],
        examples: &[
            ("python3 ./setup.py upload", Expect::Asks("publishes")),
            ("python setup.py sdist upload -r x", Expect::Asks("publishes")),
        ],
        plain_lines: &["python setup.py build_ext --inplace"],
        ..Program::EXACT
    },
    Program {
        names: &["celery"],
        flags: "-*",
        valued: "-A|--app -b|--broker --result-backend --loader --config --workdir -Q|--queues",
        rules: &[
            when(First("purge"), Says(Consequence::DeletesForOthers, "removes what waits in queues")),
            when_all(&[First("control"), Operand("shutdown")], Says(Consequence::DeletesForOthers, "stops workers")),
            when(
                Operand("queue.purge queue.delete exchange.delete"),
                Says(Consequence::DeletesForOthers, "removes what waits in queues"),
            ),
        ],
        examples: &[
            ("celery -A app purge -f", Expect::Asks("waits in queues")),
            ("python3 -m celery -A app purge", Expect::Asks("waits in queues")),
            ("celery amqp queue.purge x", Expect::Asks("waits in queues")),
            ("celery -A app control shutdown", Expect::Asks("stops workers")),
        ],
        plain_lines: &["celery -A app worker -l info"],
        ..Program::EXACT
    },
];

/// Effects of a script with the name of a described program: `python3 manage.py`, `ruby bin/rails`.
pub(super) fn named(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some(script) = parsed.operand(0).filter(|script| script.is_exact) else { return Vec::new() };
    let program = crate::reader::Value::exact(script.text.as_str());
    let args = parsed.from(1).to_vec();
    let command = Command { program, args, input: parsed.command.input.clone(), ..Command::default() };
    let is_interpreter = find(command.name()).is_none_or(|program| program.all_names() == parsed.program.all_names());
    if is_interpreter {
        return Vec::new();
    }
    describe(&command).map(|described| described.effects).unwrap_or_default()
}
