//! Programs that change the schema of a database, or the databases of a service.

use crate::registry::prelude::*;

const DROPS: Does = Says(Consequence::DeletesForOthers, "removes what is in a database");
const CHANGES: Does = Says(Consequence::DeletesForOthers, "changes a database that others may use");
const RUNS: Does = Hides("statements for a database that are not seen");

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["prisma"],
        flags: "-h|--help -v|--version --force-reset --accept-data-loss --skip-generate --skip-seed --create-only -f|--force --stdin \
                    --preview-feature --no-engine --watch --check --exit-code --script --print",
        valued: "--schema --config --name|-n --url --file --to-schema-datamodel --from-schema-datamodel --to-url --from-url \
                     --to-migrations --from-migrations --shadow-database-url --generator --applied --rolled-back -p|--port -b|--browser \
                     --datasource-provider -o|--output",
        rules: &[
            when_all(&[First("db"), Operand("execute")], RUNS),
            when_all(&[First("db"), Operand("push seed")], CHANGES),
            when_all(&[First("migrate"), Operand("reset")], DROPS),
            when_all(&[First("migrate"), Operand("deploy dev resolve")], CHANGES),
            when(Has("--force-reset --accept-data-loss"), DROPS),
            when(First("platform"), IDENTITY),
            always(RunsScript(At::Value("--config"))),
            always(Reads(At::Value("--file --schema"))),
        ],
        examples: &[
            ("prisma migrate reset --force", Expect::Asks("what is in a database")),
            ("prisma db push --accept-data-loss", Expect::Asks("what is in a database")),
            ("prisma --schema x migrate deploy", Expect::Asks("others may use")),
            ("prisma db execute --file private/x", Expect::Opaque("not seen")),
        ],
        plain_lines: &["prisma generate", "prisma migrate status", "prisma db pull", "prisma validate"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "drizzle-kit", "sequelize", "sequelize-cli", "typeorm", "typeorm-ts-node-commonjs", "typeorm-ts-node-esm",
            "knex", "mikro-orm", "node-pg-migrate", "db-migrate", "hasura", "dbmate", "goose", "migrate", "atlas",
            "flyway", "liquibase", "sqlx", "diesel", "sea-orm-cli", "alembic", "aerich", "yoyo", "sqitch", "tern",
            "phinx", "bytebase",
        ],
        flags: "-h|--help -v|--version -V --verbose -q|--quiet --dry-run|--sql -y|--yes --force --all --no-dump-schema",
        valued: "-c|--config --config-file -n|--name -e|--env -d|--dataSource|--migrations-dir --url|-u -path -database -source --dir -s \
                     --schema --to --from --dev-url -dir -table --knexfile --migrations-path --models-path --seeders-path --options-path \
                     --endpoint --admin-secret --project -x -r --source --database-url -url -user -password -configFiles -locations \
                     --changelog-file --username --password --defaultsFile -m|--message --rev-id --branch-label --migration-dir",
        rules: &[
            when_all(
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
            when_all(
                &[
                    Operand(
                        "push apply deploy migrate:latest migrate:up migration:run migration:up schema:sync schema:update db:migrate db:seed:all \
                         seed:run migrate:unlock execute-sql updateSQL repair baseline undo-migrate clear-checksums",
                    ),
                    Lacks("--dry-run --sql -h --help"),
                ],
                CHANGES,
            ),
            when_all(&[First("update up up-to up-by-one goto fix"), Lacks("--dry-run --sql -h --help")], CHANGES),
            when_all(&[First("migrate"), AtMost(1)], CHANGES),
            when_all(&[First("migrate migration"), Operand("run apply up")], CHANGES),
            when(First("login logout"), IDENTITY),
            when(Operand("console execute query"), RUNS),
            always(RunsScript(At::Value("--knexfile --dataSource"))),
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
            ("sqlx migrate run", Expect::Asks("others may use")),
            ("flyway migrate", Expect::Asks("others may use")),
        ],
        plain_lines: &[
            "atlas schema apply -u x --dry-run", "alembic upgrade head", "alembic upgrade head --sql",
            "alembic revision --autogenerate -m x", "drizzle-kit generate", "sqlx migrate info", "diesel print-schema",
            "goose status",
        ],
        ..Program::EXACT
    },
    Program {
        family: &["turso", "pscale", "neonctl", "neon", "convex", "xata", "edgedb", "fauna", "atlascli", "surreal"],
        flags: "-h|--help -v|--version -*",
        valued: "--org --project --project-id --branch --database --name --format -o|--output --token --url --prod-url --env-file -I|--instance \
                     --profile --api-key --context-file -e|--execute -f|--file",
        rules: &[
            when(Operand("destroy delete drop rm remove wipe reset revoke unset unlink prune"), DROPS),
            when(
                Operand(
                    "deploy create import push migrate migration promote restore set update invalidate apply upgrade run import-dump resize transfer",
                ),
                CHANGES,
            ),
            when(Operand("login logout auth signup"), IDENTITY),
            when(
                Operand("token tokens password connection-string get-token api-tokens"),
                Is(Consequence::ShowsCredentials),
            ),
            when(Operand("shell sql query exec eval"), RUNS),
            when(Has("--execute --file"), RUNS),
        ],
        examples: &[
            ("turso db destroy x", Expect::Asks("what is in a database")),
            ("pscale --org o branch delete x y", Expect::Asks("what is in a database")),
            ("neonctl branches delete x", Expect::Asks("what is in a database")),
            ("convex deploy", Expect::Asks("others may use")),
            ("turso db shell x", Expect::Opaque("not seen")),
            ("turso db tokens x", Expect::Asks("shows credentials")),
        ],
        plain_lines: &["convex dev", "turso db list"],
        ..Program::EXACT
    },
];
