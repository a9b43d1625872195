//! The SQL that a command hands to a database client, and what it removes there.

use std::sync::LazyLock;

use regex::Regex;

use crate::reader::{Command, Input};
use tools_core::Access;

/// Clients whose arguments and input are statements.
pub(crate) const CLIENTS: [&str; 20] = [
    "psql", "mysql", "mariadb", "sqlite3", "sqlite", "duckdb", "sqlcmd", "isql", "usql", "clickhouse-client",
    "clickhouse", "cockroach", "snowsql", "pgcli", "mycli", "litecli", "cqlsh", "bq", "influx", "mysqlsh",
];

/// The statements of a command without string literals and comments; empty unless it is a client of
/// a database.
pub fn statements(command: &Command) -> Vec<String> {
    static DATA: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?s)'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/").expect("the pattern is a constant"));
    if !CLIENTS.contains(&command.name()) {
        return Vec::new();
    }
    let mut texts: Vec<&str> = command.args.iter().map(|arg| arg.text.as_str()).collect();
    if let Input::Text(text) = &command.input {
        texts.push(text);
    }
    texts.into_iter().map(|text| DATA.replace_all(text, " ").into_owned()).collect()
}

/// What a statement removes that cannot be had again, in the words of a clause.
pub(crate) fn loss(statement: &str) -> Option<&'static str> {
    static LOSS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?is)\b(?:drop\s+\w+|truncate\s+(?:table\s+)?\w+|delete\s+from|alter\s+\w+.*?\bdrop\b|flush\s+tables|reset\s+master|purge\s+)",
        )
        .expect("the pattern is a constant")
    });
    LOSS.is_match(statement).then_some("removes what is in a database")
}

/// Whether a statement changes the database.
pub(crate) fn changes(statement: &str) -> bool {
    static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:^|;)\s*(?:create|insert|update|delete|replace|alter|drop|vacuum|begin|with\s[^;]*\binto)\b")
            .expect("the pattern is a constant")
    });
    CHANGES.is_match(statement)
}

/// The files that statements of some database name, and what is done with each.
pub(crate) fn files(text: &str) -> impl Iterator<Item = (String, Access)> {
    static FILES: LazyLock<[(Regex, Access); 2]> = LazyLock::new(|| {
        let written = r"copy\s[^;]*?\sto|export\s+database|import\s+database|vacuum\s[^;]*?into|attach(?:\s+database)?(?:\s+if\s+not\s+exists)?";
        let read = r"from|join|infile|read_\w+\s*\(\s*\[?|scan_\w+\s*\(|glob\s*\(";
        let named =
            |words: &str| Regex::new(&format!(r"(?is)\b(?:{words})\s*'([^'|]+)'")).expect("the pattern is a constant");
        [(named(written), Access::Write), (named(read), Access::Read)]
    });
    let found = |(pattern, access): &(Regex, Access)| {
        let paths = pattern.captures_iter(text).map(|found| (found[1].to_owned(), *access));
        paths.filter(|(path, _)| !path.contains("://") && path != ":memory:").collect::<Vec<_>>()
    };
    FILES.iter().flat_map(found).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_removes_data_is_told_from_what_reads_it() {
        for statement in [
            "DROP TABLE t", "drop\ttable t", "truncate t", "delete from t", "alter table t\ndrop column c",
            "x; Drop view v",
        ] {
            assert!(loss(statement).is_some(), "{statement}");
            assert_eq!(changes(statement), !statement.starts_with("truncate"), "{statement}");
        }
        for statement in ["select 1", "select deleted from t", "insert into drops values (1)", "create table t (a int)"]
        {
            assert!(loss(statement).is_none(), "{statement}");
            assert_eq!(changes(statement), !statement.starts_with("select"), "{statement}");
        }
    }
}
