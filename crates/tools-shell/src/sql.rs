//! The SQL a command hands to a database client, without its string literals and comments.

use std::sync::LazyLock;

use regex::Regex;

use tools_command::{Command, Input};

const CLIENTS: [&str; 14] = [
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "sqlite",
    "duckdb",
    "sqlcmd",
    "isql",
    "usql",
    "clickhouse-client",
    "cockroach",
    "snowsql",
    "pgcli",
    "mycli",
];

/// The statements of a command; empty unless it is a client of a database.
pub(crate) fn statements(command: &Command) -> Vec<String> {
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
