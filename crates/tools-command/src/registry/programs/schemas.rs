//! Programs that change the schema of a database, or the databases of a service.

use crate::registry::{
    ArgumentCondition::{AtMost, First, Has, Lacks, Operand},
    At, Consequence, Does, Expect, Program, Syntax, always, when,
};

const DROPS: Does = Does::Says(Consequence::DeletesForOthers, "removes what is in a database");
const CHANGES: Does = Does::Says(Consequence::DeletesForOthers, "changes a database that others may use");
const RUNS: Does = Does::Hides("statements for a database that are not seen");
const LOGIN: Does = Does::Is(Consequence::ChangesIdentity);

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["prisma"],
        syntax: Syntax {
            flags: "-h|--help -v|--version --force-reset --accept-data-loss --skip-generate --skip-seed --create-only -f|--force --stdin \
                    --preview-feature --no-engine --watch --check --exit-code --script --print",
            valued: "--schema --config --name|-n --url --file --to-schema-datamodel --from-schema-datamodel --to-url --from-url \
                     --to-migrations --from-migrations --shadow-database-url --generator --applied --rolled-back -p|--port -b|--browser \
                     --datasource-provider -o|--output",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[First("db"), Operand("execute")], RUNS),
            when(&[First("db"), Operand("push seed")], CHANGES),
            when(&[First("migrate"), Operand("reset")], DROPS),
            when(&[First("migrate"), Operand("deploy dev resolve")], CHANGES),
            when(&[Has("--force-reset --accept-data-loss")], DROPS),
            when(&[First("platform")], LOGIN),
            always(Does::RunsScript(At::Value("--config"))),
            always(Does::Reads(At::Value("--file --schema"))),
        ],
        examples: &[
            ("prisma migrate reset --force", Expect::Asks("what is in a database")),
            ("prisma db push --accept-data-loss", Expect::Asks("what is in a database")),
            ("prisma --schema x migrate deploy", Expect::Asks("others may use")),
            ("prisma db execute --file private/x", Expect::Opaque("not seen")),
            ("prisma generate", Expect::Plain),
            ("prisma migrate status", Expect::Plain),
            ("prisma db pull", Expect::Plain),
            ("prisma validate", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &[
            "drizzle-kit",
            "sequelize",
            "sequelize-cli",
            "typeorm",
            "typeorm-ts-node-commonjs",
            "typeorm-ts-node-esm",
            "knex",
            "mikro-orm",
            "node-pg-migrate",
            "db-migrate",
            "hasura",
            "dbmate",
            "goose",
            "migrate",
            "atlas",
            "flyway",
            "liquibase",
            "sqlx",
            "diesel",
            "sea-orm-cli",
            "alembic",
            "aerich",
            "yoyo",
            "sqitch",
            "tern",
            "phinx",
            "bytebase",
        ],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -v|--version -V --verbose -q|--quiet --dry-run|--sql -y|--yes --force --all --no-dump-schema",
            valued: "-c|--config --config-file -n|--name -e|--env -d|--dataSource|--migrations-dir --url|-u -path -database -source --dir -s \
                     --schema --to --from --dev-url -dir -table --knexfile --migrations-path --models-path --seeders-path --options-path \
                     --endpoint --admin-secret --project -x -r --source --database-url -url -user -password -configFiles -locations \
                     --changelog-file --username --password --defaultsFile -m|--message --rev-id --branch-label --migration-dir",
            ..Syntax::EXACT
        },
        rules: &[
            when(
                &[
                    Operand(
                        "drop drop-all clean reset down down-to downgrade undo revert rollback redo schema:drop db:drop db:reset database:drop \
                         db:migrate:undo db:migrate:undo:all migration:revert migrate:rollback migrate:down migration:down dropAll rollback-count \
                         rollback-to-date rollback-one-update force db:seed:undo:all schema:wipe fresh refresh",
                    ),
                    Lacks("--dry-run --sql -h --help"),
                ],
                DROPS,
            ),
            when(
                &[
                    Operand(
                        "push apply deploy migrate:latest migrate:up migration:run migration:up schema:sync schema:update db:migrate db:seed:all \
                         seed:run migrate:unlock execute-sql updateSQL repair baseline undo-migrate clear-checksums",
                    ),
                    Lacks("--dry-run --sql -h --help"),
                ],
                CHANGES,
            ),
            when(&[First("update up up-to up-by-one goto fix"), Lacks("--dry-run --sql -h --help")], CHANGES),
            when(&[First("migrate"), AtMost(1)], CHANGES),
            when(&[First("migrate migration"), Operand("run apply up")], CHANGES),
            when(&[First("login logout")], LOGIN),
            when(&[Operand("console execute query")], RUNS),
            always(Does::RunsScript(At::Value("--knexfile --dataSource"))),
        ],
        examples: &[
            ("drizzle-kit push", Expect::Asks("others may use")),
            ("drizzle-kit drop", Expect::Asks("what is in a database")),
            ("sequelize db:migrate:undo:all", Expect::Asks("what is in a database")),
            ("typeorm schema:drop -d src/x.ts", Expect::Asks("what is in a database")),
            ("knex --env production migrate:rollback --all", Expect::Asks("what is in a database")),
            ("alembic downgrade base", Expect::Asks("what is in a database")),
            ("flyway -url=jdbc:x clean", Expect::Asks("what is in a database")),
            ("liquibase update", Expect::Asks("others may use")),
            ("dbmate -e X up", Expect::Asks("others may use")),
            ("migrate -path x -database y drop", Expect::Asks("what is in a database")),
            ("atlas schema apply -u x --to file://y", Expect::Asks("others may use")),
            ("atlas schema apply -u x --dry-run", Expect::Plain),
            ("alembic upgrade head", Expect::Plain),
            ("alembic upgrade head --sql", Expect::Plain),
            ("alembic revision --autogenerate -m x", Expect::Plain),
            ("drizzle-kit generate", Expect::Plain),
            ("sqlx migrate run", Expect::Asks("others may use")),
            ("flyway migrate", Expect::Asks("others may use")),
            ("sqlx migrate info", Expect::Plain),
            ("diesel print-schema", Expect::Plain),
            ("goose status", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["turso", "pscale", "neonctl", "neon", "convex", "xata", "edgedb", "fauna", "atlascli", "surreal"],
        is_family: true,
        syntax: Syntax {
            flags: "-h|--help -v|--version -*",
            valued: "--org --project --project-id --branch --database --name --format -o|--output --token --url --prod-url --env-file -I|--instance \
                     --profile --api-key --context-file -e|--execute -f|--file",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Operand("destroy delete drop rm remove wipe reset revoke unset unlink prune")], DROPS),
            when(
                &[Operand(
                    "deploy create import push migrate migration promote restore set update invalidate apply upgrade run import-dump resize transfer",
                )],
                CHANGES,
            ),
            when(&[Operand("login logout auth signup")], LOGIN),
            when(
                &[Operand("token tokens password connection-string get-token api-tokens")],
                Does::Is(Consequence::ShowsCredentials),
            ),
            when(&[Operand("shell sql query exec eval")], RUNS),
            when(&[Has("--execute --file")], RUNS),
        ],
        examples: &[
            ("turso db destroy x", Expect::Asks("what is in a database")),
            ("pscale --org o branch delete x y", Expect::Asks("what is in a database")),
            ("neonctl branches delete x", Expect::Asks("what is in a database")),
            ("convex deploy", Expect::Asks("others may use")),
            ("turso db shell x", Expect::Opaque("not seen")),
            ("turso db tokens x", Expect::Asks("shows credentials")),
            ("convex dev", Expect::Plain),
            ("turso db list", Expect::Plain),
        ],
        ..Program::NEW
    },
];
