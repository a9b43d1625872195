//! Database clients: what their statements and their own commands remove, write or run.

use crate::reader::{Input, Value};
use crate::registry::prelude::*;
use crate::sql::{self, GAP};
use regex::Regex;
use std::sync::LazyLock;
use tools_core::Access;

pub(super) const RUNS: &str = "a database client that runs a command";
pub(super) const LOADS: &str = "a database client with a library or commands from a file";
const DELETES: Does = Says(Consequence::DeletesForOthers, "deletes a database or a part of it");
/// Rules of every SQL client.
const SQL: &[Rule] = &[always(By(lost)), always(By(escaped))];

pub(super) static ALL: &[Program] = &[
    Program {
        family: &["psql", "pgcli", "usql", "cockroach"],
        flags: "-a -A|--no-align -b -E -H|--html -l|--list -n -q|--quiet -s -S -t|--tuples-only -1|--single-transaction -w -W|--password -x|--expanded -X|--no-psqlrc -z -0 -? --csv -V --echo-all --echo-errors --echo-queries --no-readline --no-password",
        valued: "-c|--command -d|--dbname -f|--file -F|--field-separator -h|--host -o|--output -p|--port -P|--pset -R|--record-separator -T|--table-attr -U|--username -v|--set|--variable -L|--log-file -e|--execute --url --insecure --certs-dir",
        rules: &[
            always(By(lost)),
            always(By(escaped)),
            always(Reads(At::Value("--file"))),
            always(Writes(At::Value("--log-file"))),
            when(ValueStarts("--output", "|"), Hides(RUNS)),
            when(ValueHas("--pset", "pager"), Hides(RUNS)),
            always(RunsLine(At::ValueRest("--output", "|"))),
            always(Writes(At::Value("--output"))),
        ],
        examples: &[
            ("psql -c '\\! id'", Expect::Opaque(RUNS)),
            ("psql -c \"copy x to program 'id'\"", Expect::Opaque(RUNS)),
            ("psql -o '|rm -rf x' -c 'select 1'", Expect::Runs("rm -rf x")),
            ("psql --out='|rm -rf x'", Expect::Opaque(RUNS)),
            ("psql -c 'DROP TABLE users'", Expect::Asks("removes what is in a database")),
            ("psql -c \"delete from users\"", Expect::Asks("removes what is in a database")),
            ("psql -Atc 'alter table x drop y'", Expect::Asks("removes what is in a database")),
            ("psql -f private/x", Expect::Reads("private/x")),
            ("psql -c '\\o .envrc' -c 'select 1'", Expect::Writes(".envrc")),
            ("psql -c 'select 1 \\g |id'", Expect::Opaque(RUNS)),
            ("psql -c '\\i private/x'", Expect::Reads("private/x")),
            ("psql -c \"copy t to '.envrc'\"", Expect::Writes(".envrc")),
            ("psql -c \"do language plpython3u 'x'\"", Expect::Opaque(RUNS)),
        ],
        plain_lines: &[
            "psql -c \"select 1 where x ~ '\\w+' and y like 'to %'\"", "psql -c 'select 1'", "psql -f x.sql",
        ],
        ..Program::GNU
    },
    Program {
        family: &["mysql", "mariadb", "mycli", "mysqldump", "mariadb-dump", "mysqlimport", "mysqlsh"],
        flags: "-A -b -B|--batch -C -E -f|--force -g -G -H|--html -i -j -L -n -N|--skip-column-names -q|--quick -r|--raw -s|--silent -t|--table -U -v|--verbose -w -X|--xml -V --ssl --no-defaults --all-databases --single-transaction --routines --triggers --no-data --add-drop-table --databases -?",
        valued: "-D|--database -e|--execute -h|--host -P|--port -S|--socket -u|--user --default-auth --plugin-dir --pager --tee --init-command --defaults-file --defaults-extra-file --login-path --protocol --ssl-ca --ssl-cert --ssl-key --result-file -T|--tab --delimiter --default-character-set --libexecdir",
        optional: "-p|--password --histignore",
        rules: &[
            always(By(lost)),
            always(By(escaped)),
            always(RunsLine(At::Value("--pager"))),
            when(Has("--pager"), Hides(RUNS)),
            when(Has("--default-auth --plugin-dir --defaults-file --defaults-extra-file"), Hides(LOADS)),
            always(Writes(At::Value("--tee --result-file --tab"))),
        ],
        examples: &[
            ("mysql -e '\\! id'", Expect::Opaque(RUNS)),
            ("mysql -e 'system id'", Expect::Opaque(RUNS)),
            ("mysql -e 'select 1; PAGER id'", Expect::Opaque(RUNS)),
            ("mysql -e 'tee .envrc'", Expect::Writes(".envrc")),
            ("mysql -e 'source private/x'", Expect::Reads("private/x")),
            ("mysql -e \"load data infile 'private/x' into table t\"", Expect::Reads("private/x")),
            ("mysql -e \"install plugin x soname 'y.so'\"", Expect::Opaque(LOADS)),
            ("mysqlsh --py -e 'import os'", Expect::Opaque("runs code")),
            ("mysql --default-auth ../x", Expect::Opaque(LOADS)),
            ("mysql --pager=id x", Expect::Opaque(RUNS)),
            ("mysql -u me -e 'drop table x'", Expect::Asks("removes what is in a database")),
            ("mysqldump --result-file=.envrc x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["mysql -e 'select 1'"],
        ..Program::GNU
    },
    Program {
        family: &["sqlcmd", "isql", "clickhouse-client", "clickhouse", "snowsql", "cqlsh", "influx"],
        flags: "-*",
        valued: "-e|--execute|-execute -f|--file|--queries-file -o|--out-file -i|--input-file --cqlshrc -import -path --config|--config-file",
        rules: &[
            SQL[0],
            SQL[1],
            always(Reads(At::Value("--file --input-file -path"))),
            always(Writes(At::Value("--out-file"))),
            when(Has("--cqlshrc --config"), Hides(LOADS)),
        ],
        examples: &[
            ("cqlsh -e \"source 'private/x'\"", Expect::Reads("private/x")),
            ("cqlsh -e \"copy x to '.envrc'\"", Expect::Writes(".envrc")),
            ("cqlsh -e 'drop keyspace x'", Expect::Asks("removes what is in a database")),
            ("influx -execute 'drop database x'", Expect::Asks("removes what is in a database")),
            ("cqlsh -f private/x", Expect::Reads("private/x")),
            ("cqlsh --cqlshrc x", Expect::Opaque(LOADS)),
            ("clickhouse-client -q 'drop table x'", Expect::Asks("removes what is in a database")),
        ],
        plain_lines: &["sqlcmd -Q 'select 1'"],
        ..Program::EXACT
    },
    Program {
        family: &["mongosh", "mongo", "mongodump", "mongorestore", "mongoimport"],
        flags: "--drop --quiet -*",
        valued: "--eval -f|--file --host --port -u -p --shell --uri -d|--db -c|--collection -o|--out",
        rules: &[
            when(
                ValueHas("--eval", ".drop dropDatabase deleteMany deleteOne .remove( findOneAndDelete bulkWrite"),
                DELETES,
            ),
            when(Has("--drop"), DELETES),
            always(Evaluates(Language::Node, At::Value("--eval"))),
            when(
                ValueHas("--eval", "run( runProgram( runNonMongoProgram( MongoProgram("),
                Hides("a program that a database shell starts"),
            ),
            always(RunsScript(At::Value("--file"))),
            always(Writes(At::Value("--out"))),
        ],
        examples: &[
            ("mongosh --eval 'db.dropDatabase()'", Expect::Asks("deletes a database")),
            ("mongosh --eval 'require(\"child_process\").execSync(\"id\")'", Expect::Opaque("code with")),
            ("mongo --eval 'run(\"id\")'", Expect::Opaque("a database shell starts")),
            ("mongorestore --drop x", Expect::Asks("deletes a database")),
        ],
        plain_lines: &["mongosh --eval 'db.x.find()'"],
        ..Program::EXACT
    },
    Program {
        family: &["redis-cli", "valkey-cli", "keydb-cli"],
        flags: "-*",
        valued: "-h -p -s -a -u -n -r -i --user --pass --rdb --functions-rdb --eval --cacert --cert --key --sni -d -D -t",
        rules: &[
            always(By(emptied)),
            always(Writes(At::Value("--rdb --functions-rdb"))),
            always(RunsScript(At::Value("--eval"))),
            when(First("eval EVAL eval_ro EVAL_RO fcall FCALL"), Evaluates(Language::Other, At::Nth(1))),
        ],
        examples: &[
            ("redis-cli --eval x.lua a , b", Expect::Scripts("x.lua")),
            ("redis-cli EVAL 'redis.call(\"flushall\")' 0", Expect::Opaque("code with")),
            ("redis-cli FlushAll", Expect::Asks("empties a database")),
            ("redis-cli -n 1 del x", Expect::Asks("removes what is in a database")),
            ("redis-cli config set dir /x", Expect::Asks("changes a database's settings")),
            ("redis-cli --rdb .envrc", Expect::Writes(".envrc")),
        ],
        plain_lines: &["redis-cli ping", "redis-cli get x"],
        ..Program::EXACT
    },
    Program {
        family: &["cypher-shell", "rq"],
        flags: "-*",
        valued: "-a|--address -u|--username|--url -p|--password -d|--database -f|--file",
        rules: &[
            when(OperandHas("delete drop remove"), DELETES),
            when(First("empty"), DELETES),
            always(Reads(At::Value("--file"))),
        ],
        examples: &[
            ("cypher-shell 'match (n) detach delete n'", Expect::Asks("deletes a database")),
            ("rq empty default", Expect::Asks("deletes a database")),
        ],
        plain_lines: &["cypher-shell 'match (n) return n'"],
        ..Program::EXACT
    },
    Program {
        family: &[
            "dropdb", "dropuser", "mysqladmin", "pg_dropcluster", "createuser", "createdb", "pg_ctl", "pg_resetwal",
            "initdb",
        ],
        flags: "-*",
        valued: "-h|--host -p|--port -U|--username -u|--user -D -P",
        rules: &[always(ByOption(administered))],
        examples: &[
            ("dropdb x", Expect::Asks("deletes a database")),
            ("mysqladmin -u root drop x", Expect::Asks("deletes a database")),
            ("createuser x", Expect::Asks("changes accounts")),
        ],
        plain_lines: &["createdb x", "mysqladmin status"],
        ..Program::EXACT
    },
    Program {
        family: &["pg_dump", "pg_dumpall", "pg_restore", "pg_basebackup"],
        flags: "-a|--data-only -b|--blobs -B -c|--clean -C|--create -e|--exit-on-error -l|--list -O|--no-owner -s|--schema-only -v|--verbose -w -W -x|--no-privileges -1|--single-transaction --if-exists --inserts -g|--globals-only -r",
        valued: "-d|--dbname -E|--encoding -f|--file -F|--format -h|--host -j|--jobs -n|--schema -N -p|--port -S|--superuser -t|--table -T|--exclude-table -U|--username -Z|--compress -I -P -L --section -D|--pgdata",
        rules: &[
            when_all(&[Has("--clean"), Lacks("--list --schema-only --file")], By(cleaned)),
            when_all(&[Has("--dbname"), Lacks("--file --list")], By(restored)),
            always(Writes(At::Value("--file --pgdata"))),
            always(Reads(At::All)),
        ],
        examples: &[
            ("pg_restore -cd x y.dump", Expect::Asks("deletes a database")),
            ("pg_restore -d x y.dump", Expect::Asks("changes a database")),
            ("pg_dump -f .envrc x", Expect::Writes(".envrc")),
        ],
        plain_lines: &["pg_dump x", "pg_dump --clean x"],
        ..Program::GNU
    },
];

/// The texts that a client reads: its arguments and its input.
fn texts(parsed: &Parsed<'_>) -> Vec<String> {
    let mut texts: Vec<String> = parsed.command.args.iter().map(|arg| arg.text.clone()).collect();
    if let Input::Text(text) = &parsed.command.input {
        texts.push(text.clone());
    }
    texts
}

/// The losses that statements cause.
pub(super) fn lost(parsed: &Parsed<'_>) -> Vec<Effect> {
    let statements = sql::statements(parsed.command);
    let why = statements.iter().find_map(|statement| sql::loss(statement));
    why.map(|why| Effect::says(Consequence::DeletesForOthers, why)).into_iter().collect()
}

/// Functions and statements that run a program or load code, in the client or in its server.
const RUNNING: [&str; 23] = [
    "\\copy", "\\gexec", "\\setenv", "edit(", "load_extension(", "to program", "from program", "sys_exec",
    "into outfile", "into dumpfile", "load_file(", "lo_export", "lo_import", "pg_read_file", "writefile(", "readfile(",
    "xp_cmdshell", "create extension", "create function", "fts3_tokenizer", "plpython", "plperlu",
    "temp_store_directory",
];

/// Whether a text contains one of [`RUNNING`], with any gap between its words.
fn is_running(text: &str) -> bool {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        let called = format!(r#"["`\]]?{GAP}\("#);
        let said = RUNNING.map(|one| regex::escape(one).replace(' ', &format!(r"\b{GAP}")).replace(r"\(", &called));
        Regex::new(&format!("(?i){}", said.join("|"))).expect("the pattern is a constant")
    });
    WORDS.is_match(text)
}

/// Effects of a client's own commands and its statements, besides reading and changing tables.
pub(super) fn escaped(parsed: &Parsed<'_>) -> Vec<Effect> {
    static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
        let backslashed = r"(?:^|[\s;])\\(!|\.|[A-Za-z]+)";
        let words = r"(?:^|;)\s*(system|pager|edit|source|tee|capture|install|(?:force\s+)install|load)(?:\s|$)";
        Regex::new(&format!(r"(?m)(?:{backslashed}|(?i:{words}))[ \t]*([^\n;]*)")).expect("the pattern is a constant")
    });
    let mut found = Vec::new();
    for text in texts(parsed) {
        if is_running(&text) {
            found.push(Effect::hidden(RUNS));
        }
        for command in COMMAND.captures_iter(&text) {
            let (Some(name), Some(rest)) = (command.get(1).or(command.get(2)), command.get(3)) else { continue };
            let name = if command.get(1).is_some() { name.as_str().to_owned() } else { name.as_str().to_lowercase() };
            found.extend(own_command(&name, rest.as_str().trim().trim_matches(['\'', '"'])));
        }
        found.extend(sql::files(&text).map(|(file, access)| Effect::path(Value::exact(file), access)));
    }
    // Without an option for SQL the client reads JavaScript.
    if parsed.command.name() == "mysqlsh" && parsed.has("--execute --file") && !parsed.has("--sql --sqlc") {
        found.push(Effect::hidden("a database client that runs code"));
    }
    found
}

/// Effects of a client's own command with the text after it.
fn own_command(name: &str, rest: &str) -> Vec<Effect> {
    let file = |access| (!rest.is_empty()).then(|| Effect::path(Value::exact(rest), access)).into_iter().collect();
    match name {
        "o" | "out" | "w" | "write" | "g" | "gx" if rest.starts_with('|') => vec![Effect::hidden(RUNS)],
        "!" | "P" | "system" | "pager" | "e" | "ef" | "ev" | "edit" => vec![Effect::hidden(RUNS)],
        "load" if is_table(rest) => Vec::new(),
        "load" => vec![Effect::hidden(LOADS)],
        _ if name.ends_with("install") => vec![Effect::hidden(LOADS)],
        "o" | "out" | "w" | "write" | "g" | "gx" | "T" | "tee" | "capture" => file(Access::Write),
        "i" | "ir" | "include" | "include_relative" | "source" | "." => file(Access::Read),
        _ => Vec::new(),
    }
}

/// Whether MySQL loads table data with these words.
fn is_table(rest: &str) -> bool {
    let first = rest.split_whitespace().next().unwrap_or_default().to_lowercase();
    ["data", "xml", "index"].contains(&first.as_str())
}

/// Commands of `redis-cli` that remove or change data.
fn emptied(parsed: &Parsed<'_>) -> Vec<Effect> {
    let word = |at: usize| parsed.operand(at).map(|word| word.text.to_lowercase()).unwrap_or_default();
    let typed = match &parsed.command.input {
        Input::Text(text) => text.to_lowercase(),
        _ => String::new(),
    };
    let empties =
        parsed.operands().any(|word| word.text.to_lowercase().starts_with("flush")) || typed.contains("flush");
    let why = match word(0).as_str() {
        _ if empties => "empties a database",
        "del" | "unlink" | "getdel" | "hdel" | "ltrim" | "expire" => "removes what is in a database",
        "shutdown" | "slaveof" | "replicaof" | "module" | "debug" | "migrate" | "restore" | "failover" => {
            "changes a database's settings"
        }
        "config" | "acl" | "script" | "function" | "cluster"
            if !matches!(word(1).as_str(), "get" | "list" | "whoami" | "info" | "nodes") =>
        {
            "changes a database's settings"
        }
        _ => return Vec::new(),
    };
    vec![Effect::says(Consequence::DeletesForOthers, why)]
}

/// Programs that administer a server.
fn administered(parsed: &Parsed<'_>) -> Vec<Effect> {
    let has = |words: &[&str]| parsed.operands().any(|operand| words.contains(&operand.text.as_str()));
    match parsed.command.name() {
        "createuser" => vec![Effect::says(Consequence::ChangesIdentity, "changes accounts")],
        "dropdb" | "dropuser" | "pg_dropcluster" | "pg_resetwal" => {
            vec![Effect::says(Consequence::DeletesForOthers, "deletes a database")]
        }
        _ if has(&["drop", "shutdown", "password", "stop", "kill", "flush-hosts"]) => {
            vec![Effect::says(Consequence::DeletesForOthers, "deletes a database")]
        }
        _ => Vec::new(),
    }
}

/// A restore into a database.
fn restored(parsed: &Parsed<'_>) -> Vec<Effect> {
    let restores = parsed.command.name() == "pg_restore";
    let says = || Effect::says(Consequence::DeletesForOthers, "changes a database that others may use");
    restores.then(says).into_iter().collect()
}

/// A restore that drops the existing objects first; a dump with this option only prints the
/// statements.
fn cleaned(parsed: &Parsed<'_>) -> Vec<Effect> {
    let restores = parsed.command.name() == "pg_restore";
    restores.then(|| Effect::says(Consequence::DeletesForOthers, "deletes a database")).into_iter().collect()
}
