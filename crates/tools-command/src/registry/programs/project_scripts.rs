//! Scripts that frameworks put into a project under a name of their own: `manage.py`, `artisan`,
//! `setup.py`. They are programs whether they are started themselves or by their interpreter.

use super::registries::PUBLISHES;
use crate::code::Language;
use crate::effect::Effect;
use crate::reader::Command;
use crate::registry::{
    ArgumentCondition::{First, Operand},
    At, Consequence, Does, Expect, Parsed, Program, Syntax, always, describe, find, when,
};

const LOSES: Does = Does::Says(Consequence::DeletesForOthers, "removes what is in a database");

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["manage.py", "django-admin"],
        is_family: true,
        syntax: Syntax {
            flags: "-*",
            valued: "--settings --pythonpath --database -v|--verbosity -c|--command",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[First("flush reset_db")], LOSES),
            when(&[First("migrate"), Operand("zero")], LOSES),
            when(&[First("sendtestemail")], PUBLISHES),
            when(&[First("startproject startapp")], Does::Writes(At::Nth(2))),
            when(&[First("shell shell_plus")], Does::Evaluates(Language::Python, At::Value("--command"))),
        ],
        examples: &[
            ("django-admin flush --noinput", Expect::Asks("what is in a database")),
            ("django-admin sendtestemail a@host", Expect::Asks("publishes")),
            ("./manage.py --settings x flush", Expect::Asks("what is in a database")),
            ("python3 manage.py flush", Expect::Asks("what is in a database")),
            ("python3 -u ./manage.py migrate app zero", Expect::Asks("what is in a database")),
            ("python3 manage.py shell -c 'import subprocess'", Expect::Opaque("subprocess")),
            ("python3 manage.py flush", Expect::Scripts("manage.py")),
            ("python3 manage.py migrate", Expect::Plain),
            ("django-admin startproject x .git/hooks", Expect::Writes(".git/hooks")),
            ("./manage.py runserver", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["artisan"],
        syntax: Syntax { flags: "-*", valued: "--env --database --path --execute", ..Syntax::EXACT },
        rules: &[
            when(&[First("migrate:fresh migrate:reset migrate:refresh db:wipe queue:clear")], LOSES),
            always(Does::Evaluates(Language::Php, At::Value("--execute"))),
        ],
        examples: &[
            ("php artisan migrate:fresh", Expect::Asks("what is in a database")),
            ("php artisan migrate:reset --force", Expect::Asks("what is in a database")),
            ("php ./artisan db:wipe", Expect::Asks("what is in a database")),
            ("php artisan tinker --execute='system(1);'", Expect::Opaque("system")),
            ("php artisan migrate", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["console", "flask", "symfony"],
        is_family: true,
        syntax: Syntax { flags: "-*", valued: "-A|--app -d|--directory -u|--database-url -e|--env", ..Syntax::EXACT },
        rules: &[
            when(&[Operand("doctrine:database:drop doctrine:schema:drop doctrine:fixtures:load downgrade")], LOSES),
            when(&[First("deploy cloud:deploy")], PUBLISHES),
        ],
        examples: &[
            ("bin/console doctrine:database:drop --force", Expect::Asks("what is in a database")),
            ("php bin/console doctrine:schema:drop", Expect::Asks("what is in a database")),
            ("flask db downgrade base", Expect::Asks("what is in a database")),
            ("flask --app x run", Expect::Plain),
            ("bin/console cache:clear", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["setup.py"],
        syntax: Syntax { flags: "-*", ..Syntax::EXACT },
        rules: &[when(&[Operand("upload register")], PUBLISHES)],
        examples: &[
            ("python3 ./setup.py upload", Expect::Asks("publishes")),
            ("python setup.py sdist upload -r x", Expect::Asks("publishes")),
            ("python setup.py build_ext --inplace", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["celery"],
        syntax: Syntax {
            flags: "-*",
            valued: "-A|--app -b|--broker --result-backend --loader --config --workdir -Q|--queues",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[First("purge")], Does::Says(Consequence::DeletesForOthers, "removes what waits in queues")),
            when(&[First("control"), Operand("shutdown")], Does::Says(Consequence::DeletesForOthers, "stops workers")),
            when(
                &[Operand("queue.purge queue.delete exchange.delete")],
                Does::Says(Consequence::DeletesForOthers, "removes what waits in queues"),
            ),
        ],
        examples: &[
            ("celery -A app purge -f", Expect::Asks("waits in queues")),
            ("python3 -m celery -A app purge", Expect::Asks("waits in queues")),
            ("celery amqp queue.purge x", Expect::Asks("waits in queues")),
            ("celery -A app control shutdown", Expect::Asks("stops workers")),
            ("celery -A app worker -l info", Expect::Plain),
        ],
        ..Program::NEW
    },
];

/// What a script does that has the name of a described program: `python3 manage.py`, `ruby
/// bin/rails`.
pub(super) fn named(parsed: &Parsed<'_>) -> Vec<Effect> {
    let Some(script) = parsed.operand(0).filter(|script| script.is_exact) else { return Vec::new() };
    let program = crate::reader::Value::exact(script.text.as_str());
    let args = parsed.from(1).to_vec();
    let command = Command { program, args, input: parsed.command.input.clone(), ..Command::default() };
    let is_interpreter = find(command.name()).is_none_or(|program| program.names == parsed.program.names);
    if is_interpreter {
        return Vec::new();
    }
    describe(&command).map(|described| described.effects).unwrap_or_default()
}
