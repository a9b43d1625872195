//! The SQL that a command passes to a database client, and what that SQL removes.

use std::sync::LazyLock;

use regex::Regex;

use crate::reader::{Command, Input};
use tools_core::Access;

/// Clients whose arguments and input are statements.
pub(crate) const CLIENTS: [&str; 20] = [
    "psql", "mysql", "mariadb", "sqlite3", "sqlite", "duckdb", "sqlcmd", "isql", "usql", "clickhouse-client",
    "clickhouse", "cockroach", "snowsql", "pgcli", "mycli", "litecli", "cqlsh", "bq", "influx", "mysqlsh",
];

/// Blanks and comments, which may separate any two words.
pub(crate) const GAP: &str = r"(?:\s|\x{feff}|--[^\n]*(?:\n|\z)|/\*(?:[^*]|\*+[^*/])*\*+/)*";
/// A text or a name in quotes, or a bare word.
const NAME: &str = r#"'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|\w+\b"#;
/// Maximum number of places in a text that statements are read from; see [`starts`].
pub(crate) const MOST_STARTS: usize = 100;

/// The statements of a command without string literals and comments; empty unless the command is a
/// database client.
pub fn statements(command: &Command) -> Vec<String> {
    if !CLIENTS.contains(&command.name()) {
        return Vec::new();
    }
    let mut texts: Vec<&str> = command.args.iter().map(|arg| arg.text.as_str()).collect();
    if let Input::Text(text) = &command.input {
        texts.push(text);
    }
    texts.into_iter().flat_map(readings).collect()
}

/// A text without string literals and comments. Programs differ in what ends a literal and in where
/// SQL begins, so this returns every reading.
fn readings(text: &str) -> Vec<String> {
    static DATA: LazyLock<[Regex; 2]> = LazyLock::new(|| {
        let data = |text: &str| {
            let name = r#"(?P<kept>"[^"]*"|`[^`]*`|\[[^\]]*\])"#;
            pattern(&format!(r"(?s){text}|--[^\n]*|/\*.*?(?:\*/|\z)|{name}"))
        };
        [data("'(?:[^']|'')*'"), data(r"'(?:[^'\\]|''|\\.)*'")]
    });
    let without = |data: &Regex, text| data.replace_all(text, " $kept ").into_owned();
    let mut found: Vec<String> = starts(text).map(|text| without(&DATA[0], text)).collect();
    if text.contains('\\') {
        found.extend(starts(text).map(|text| without(&DATA[1], text)));
    }
    found
}

/// The whole text, and the rest of it after each line that is a command of the client instead of
/// SQL: a quotation mark in such a line opens no literal.
pub(crate) fn starts(text: &str) -> impl Iterator<Item = &str> {
    let behind = text.match_indices('\n').filter_map(|(end, _)| {
        let line = text[..end].rsplit('\n').next().unwrap_or_default();
        line.trim_start().starts_with(['.', '#', '\\']).then(|| &text[end + 1..])
    });
    std::iter::once(text).chain(behind.take(MOST_STARTS))
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant")
}

/// A clause that says what a statement removes irrecoverably; `None` where it removes nothing.
pub(crate) fn loss(statement: &str) -> Option<&'static str> {
    static LOSS: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?is)\b(?:drop\s+\w+|truncate\s+(?:table\s+)?\w+|delete\s+from|alter\s+\w+.*?\bdrop\b|flush\s+tables|reset\s+master|purge\s+|writable_schema)",
        )
    });
    LOSS.is_match(statement).then_some("removes what is in a database")
}

/// Whether a statement changes the database.
pub(crate) fn changes(statement: &str) -> bool {
    static CHANGES: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r#"(?im)(?:^|;)[\s\x{feff}]*(?:create|insert|update|delete|replace|alter|drop|vacuum|begin|reindex|analyze|savepoint|copy|import|merge|truncate|with\s[^;]*\b(?:into|update|delete)|pragma\s*["'`\[]?\b(?P<setting>\w+)["'`\]]?(?:\s*\.\s*["'`\[]?(?P<of_one>\w+))?)\b"#,
        )
    });
    CHANGES.captures_iter(statement).any(|found| {
        let setting = found.name("of_one").or(found.name("setting"));
        setting.is_none_or(|setting| !PLAIN_PRAGMAS.contains(&setting.as_str().to_lowercase().as_str()))
    })
}

/// SQLite pragmas that leave the file unchanged.
const PLAIN_PRAGMAS: [&str; 32] = [
    "busy_timeout", "cache_size", "cache_spill", "case_sensitive_like", "collation_list", "compile_options",
    "data_version", "database_list", "defer_foreign_keys", "foreign_key_check", "foreign_key_list", "foreign_keys",
    "freelist_count", "function_list", "index_info", "index_list", "index_xinfo", "integrity_check", "locking_mode",
    "mmap_size", "module_list", "page_count", "pragma_list", "query_only", "quick_check", "recursive_triggers",
    "synchronous", "table_info", "table_list", "table_xinfo", "temp_store", "threads",
];

/// The files that statements of any database name, with the access to each.
pub(crate) fn files(text: &str) -> impl Iterator<Item = (String, Access)> {
    static FILES: LazyLock<[(Regex, Access); 2]> = LazyLock::new(|| {
        let written = format!(r"copy\b[^;]*?\bto|(?:export|import){GAP}database");
        let read = format!(r"from|join|infile|(?:read_\w+|scan_\w+|glob){GAP}\({GAP}\[?");
        let named = |words: &str| {
            let name = r#"(?:'(?P<text>[^'|]+)'|"(?P<name>[^"|]*[./][^"|]*)")"#;
            pattern(&format!(r"(?is)\b(?:{words}){GAP}{name}"))
        };
        [(named(&written), Access::Write), (named(&read), Access::Read)]
    });
    let found = |(pattern, access): &(Regex, Access)| {
        let names = pattern.captures_iter(text).filter_map(|found| found.name("text").or(found.name("name")));
        let paths = names.map(|path| (path.as_str().to_owned(), *access));
        paths.filter(|(path, _)| !path.contains("://")).collect::<Vec<_>>()
    };
    FILES.iter().flat_map(found).collect::<Vec<_>>().into_iter()
}

/// The names of the databases that SQLite or DuckDB statements attach or write; `None` for a name
/// that is not a single text.
pub(crate) fn databases(text: &str) -> Vec<Option<String>> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:attach|vacuum)\b"));
    static INTO: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"(?i)\A{GAP}(?:(?:{NAME}){GAP})?into\b")));
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        let kind = format!(r"(?:(?:or{GAP}replace{GAP})?database\b{GAP})?(?:if{GAP}not{GAP}exists\b{GAP})?");
        pattern(&format!(r"(?i)\A{GAP}{kind}(?P<name>{NAME}){GAP}(?P<end>as\b|\(|;|\z)"))
    });
    let named = |text: &str| {
        let found = NAMED.captures(text)?;
        let (name, end) = (found.name("name")?.as_str(), found.name("end")?.as_str());
        // Behind a string the parenthesis holds settings, behind any other name arguments.
        (end != "(" || name.starts_with('\'')).then(|| unquoted(name))
    };
    // Each statement is read from its keyword on: an apparent comment before it may be part of a
    // literal.
    let words = WORD.find_iter(text).filter(|word| begins_statement(&text[..word.start()]));
    let found = words.filter_map(|word| {
        let rest = &text[word.end()..];
        let is_attached = word.as_str().eq_ignore_ascii_case("attach");
        Some(named(if is_attached { rest } else { &rest[INTO.find(rest)?.end()..] }))
    });
    found.collect()
}

/// Whether a statement may begin after this text.
fn begins_statement(before: &str) -> bool {
    let before = before.trim_end_matches(|c: char| c != '\n' && (c.is_whitespace() || c == '\u{feff}'));
    before.is_empty() || ["\n", ";", "*/"].iter().any(|end| before.ends_with(end))
}

/// A quoted name without its quotes and escapes.
fn unquoted(name: &str) -> String {
    match name.chars().next() {
        Some(quote @ ('\'' | '"' | '`')) => {
            name[1..name.len() - 1].replace(&format!("{quote}{quote}"), &quote.to_string())
        }
        Some('[') => name[1..name.len() - 1].to_owned(),
        _ => name.to_owned(),
    }
}

/// Virtual table modules that access only their own database.
const PLAIN_MODULES: [&str; 15] = [
    "bytecode", "completion", "dbstat", "fts3", "fts3tokenize", "fts4", "fts4aux", "fts5", "fts5vocab",
    "generate_series", "geopoly", "json_each", "json_tree", "rtree", "rtree_i32",
];

/// Whether SQLite statements create or use a table that is a file.
pub(crate) fn has_foreign_tables(text: &str) -> bool {
    static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bcreate\b"));
    static VIRTUAL: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"(?i)\A{GAP}virtual\b")));
    static MADE: LazyLock<Regex> = LazyLock::new(|| {
        let name = format!(r"(?:{NAME}){GAP}(?:\.{GAP}(?:{NAME}){GAP})?");
        let kind = format!(r"{GAP}virtual{GAP}table\b{GAP}(?:if{GAP}not{GAP}exists\b{GAP})?");
        pattern(&format!(r"(?i)\A{kind}{name}using\b{GAP}(?P<module>{NAME})"))
    });
    static USED: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(?i)[^\w/-](?:fsdir|zipfile)["`\]]?(?:[^\w./-]|\z)"#));
    let is_plain = |text: &str| {
        let module = MADE.captures(text).and_then(|found| found.name("module")).map(|name| unquoted(name.as_str()));
        module.is_some_and(|module| PLAIN_MODULES.contains(&module.to_lowercase().as_str()))
    };
    let mut made = WORD.find_iter(text).map(|word| &text[word.end()..]).filter(|rest| VIRTUAL.is_match(rest));
    made.any(|rest| !is_plain(rest)) || USED.is_match(text)
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
            assert!(changes(statement), "{statement}");
        }
        for statement in ["select 1", "select deleted from t", "insert into drops values (1)", "create table t (a int)"]
        {
            assert!(loss(statement).is_none(), "{statement}");
            assert_eq!(changes(statement), !statement.starts_with("select"), "{statement}");
        }
    }
    #[test]
    fn no_quotation_mark_hides_a_statement() {
        for text in [
            "select \"it's\"; drop table t; select \"it's\"", "select [it's]; drop table t; select [it's]",
            "select `'`; drop table t; select `'`", ".print it's\ndrop table t; --'", "# it's\ndrop table t; --'",
            "select '\\''; drop table t; select '\\''", "/*'*/ drop table t --'", "select '--'; drop table t",
            "drop/**/table--'\nt",
        ] {
            assert!(readings(text).iter().any(|statement| loss(statement).is_some()), "{text}");
        }
        for text in
            ["select 'drop table t'", "select 'it''s; drop table t'", "select 1 -- drop table t", "/* drop table t"]
        {
            assert!(!readings(text).iter().any(|statement| loss(statement).is_some()), "{text}");
        }
    }

    #[test]
    fn a_name_that_is_more_than_one_text_is_not_told() {
        let check = |text: &str, expected: &[Option<&str>]| {
            let expected: Vec<_> = expected.iter().map(|name| name.map(str::to_owned)).collect();
            assert_eq!(databases(text), expected, "{text}");
        };
        check("attach 'it''s' as y", &[Some("it's")]);
        check("select 1; ATTACH DATABASE\"a\"as y", &[Some("a")]);
        check("/*'*/attach--x\n`a`/*;*/as y", &[Some("a")]);
        check("vacuum main into 'a'; vacuum into [b]", &[Some("a"), Some("b")]);
        check("select ';/*'; attach 'a' as x; --*/ attach 'b' as y", &[Some("a"), Some("b")]);
        check("attach 'a' (type sqlite)", &[Some("a")]);
        check("attach/*a*/x'6b'/*b*/ 'c' as y", &[None]);
        check("attach 'a'||'b' as y; attach ('a') as y; attach ?1 as y", &[None, None, None]);
        check("vacuum into \"trim\"('a')", &[None]);
        check("insert into t values ('please attach it, then vacuum into')", &[]);
    }
}
