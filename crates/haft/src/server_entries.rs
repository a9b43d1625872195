//! MCP servers as entries of a configuration, and as other hosts write them down. Text in, text
//! out.

use serde_json::Value as Json;
use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};
use tools_mcp_client::{McpServerConfig, NetworkAccess, WorkspaceAccess, compile};

/// Reason why the entries cannot be changed or read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EntryError {
    /// The text is not of its form.
    #[error("{0}")]
    Syntax(String),
    /// `mcp.servers` is written as something else than a list of tables.
    #[error("`mcp.servers` is not written as `[[mcp.servers]]`: change it by hand")]
    Form,
    /// There is a server of this key.
    #[error("there is a server `{0}` already")]
    There(String),
    /// The entry could not be used.
    #[error("{0}")]
    Unusable(String),
}

/// The configuration with one more server behind the others. Comments and all else stay.
///
/// # Errors
/// When the text is no TOML, the key is taken, or the server could not be used.
pub fn add_server(text: &str, server: &McpServerConfig) -> Result<String, EntryError> {
    compile(std::slice::from_ref(server)).map_err(|error| EntryError::Unusable(error.to_string()))?;
    let mut document = parsed(text)?;
    let servers = servers(&mut document)?;
    if servers.iter().any(|table| id(table) == Some(&server.id)) {
        return Err(EntryError::There(server.id.clone()));
    }
    servers.push(entry(server));
    Ok(document.to_string())
}

/// The configuration without the server of this key; `None` when it has none.
///
/// # Errors
/// When the text is no TOML.
pub fn remove_server(text: &str, key: &str) -> Result<Option<String>, EntryError> {
    let mut document = parsed(text)?;
    let servers = servers(&mut document)?;
    let Some(at) = servers.iter().position(|table| id(table) == Some(key)) else { return Ok(None) };
    servers.remove(at);
    Ok(Some(document.to_string()))
}

fn parsed(text: &str) -> Result<DocumentMut, EntryError> {
    text.parse().map_err(|error: toml_edit::TomlError| EntryError::Syntax(error.to_string()))
}

fn id(table: &Table) -> Option<&str> {
    table.get("id").and_then(Item::as_str)
}

fn servers(document: &mut DocumentMut) -> Result<&mut ArrayOfTables, EntryError> {
    let implicit = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let mcp = document.entry("mcp").or_insert_with(implicit).as_table_like_mut().ok_or(EntryError::Form)?;
    let servers = mcp.entry("servers").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    servers.as_array_of_tables_mut().ok_or(EntryError::Form)
}

fn entry(server: &McpServerConfig) -> Table {
    let mut table = Table::new();
    let list = |items: &[String]| Item::Value(Value::Array(items.iter().map(String::as_str).collect::<Array>()));
    table.insert("id", toml_edit::value(server.id.as_str()));
    table.insert("command", toml_edit::value(server.command.as_str()));
    if !server.args.is_empty() {
        table.insert("args", list(&server.args));
    }
    if !server.env.is_empty() {
        let env: InlineTable = server.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        table.insert("env", Item::Value(Value::InlineTable(env)));
    }
    if !server.env_pass.is_empty() {
        table.insert("env_pass", list(&server.env_pass));
    }
    if !server.read_paths.is_empty() {
        table.insert("read_paths", list(&server.read_paths));
    }
    match server.workspace {
        WorkspaceAccess::Read => {}
        WorkspaceAccess::None => drop(table.insert("workspace", toml_edit::value("none"))),
        WorkspaceAccess::Write => drop(table.insert("workspace", toml_edit::value("write"))),
    }
    match server.network {
        NetworkAccess::Off => {}
        NetworkAccess::Gate => drop(table.insert("network", toml_edit::value("gate"))),
        NetworkAccess::Open => drop(table.insert("network", toml_edit::value("open"))),
    }
    table
}

/// Entries found in the configuration of another host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignEntries {
    /// Servers over stdio, as they would be added: with the workspace to read and no network.
    pub servers: Vec<McpServerConfig>,
    /// Entries that cannot be taken over, and why.
    pub skipped: Vec<(String, String)>,
}

/// Reads the servers of another host's configuration: JSON with `mcpServers` or `servers` (Claude
/// Desktop, Claude Code, Cursor, Gemini CLI, VS Code), `mcp` (opencode) or `context_servers` (Zed),
/// or TOML with `mcp_servers` (Codex).
///
/// # Errors
/// When the text is neither, or names no servers.
pub fn foreign_servers(text: &str) -> Result<ForeignEntries, EntryError> {
    let value: Json = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(json) => toml::from_str(text).map_err(|_| EntryError::Syntax(format!("neither TOML nor JSON: {json}")))?,
    };
    let lists = ["mcpServers", "servers", "mcp_servers", "context_servers", "mcp"];
    let list = lists.iter().find_map(|key| value.get(key)?.as_object());
    let list = list.ok_or_else(|| EntryError::Syntax("no list of MCP servers in it".to_owned()))?;
    let mut found = ForeignEntries::default();
    for (name, entry) in list {
        match foreign_server(name, entry) {
            Ok(server) => found.servers.push(server),
            Err(why) => found.skipped.push((name.clone(), why)),
        }
    }
    Ok(found)
}

fn foreign_server(name: &str, entry: &Json) -> Result<McpServerConfig, String> {
    let texts = |value: Option<&Json>| -> Vec<String> {
        let items = value.and_then(Json::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    };
    if entry.get("url").or_else(|| entry.get("httpUrl")).is_some() {
        return Err("it is reached over HTTP".to_owned());
    }
    // Some hosts write program and arguments as one list, some put both into an object.
    let command = entry.get("command").ok_or("it names no command")?;
    let inner = command.as_object();
    let mut words = match command {
        Json::String(program) => vec![program.clone()],
        list @ Json::Array(_) => texts(Some(list)),
        _ => inner.and_then(|inner| inner.get("path")?.as_str()).map(str::to_owned).into_iter().collect(),
    };
    words.extend(texts(entry.get("args").or_else(|| inner?.get("args"))));
    let env = ["env", "environment"]
        .iter()
        .find_map(|key| entry.get(key)?.as_object())
        .or_else(|| inner?.get("env")?.as_object());
    let env: serde_json::Map<String, Json> =
        env.into_iter().flatten().filter(|(_, value)| value.is_string()).map(|(k, v)| (k.clone(), v.clone())).collect();
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    let id: String = name.chars().map(fit).take(32).collect();
    let is_off = entry.get("disabled") == Some(&Json::Bool(true)) || entry.get("enabled") == Some(&Json::Bool(false));
    if is_off {
        return Err("it is switched off there".to_owned());
    }
    let (program, args) = words.split_first().ok_or("it names no command")?;
    let server = serde_json::json!({"id": id, "command": program, "args": args, "env": env});
    let server: McpServerConfig = serde_json::from_value(server).map_err(|error| error.to_string())?;
    compile(std::slice::from_ref(&server)).map_err(|error| error.to_string())?;
    Ok(server)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(id: &str) -> McpServerConfig {
        serde_json::from_value(serde_json::json!({"id": id, "command": "run", "args": ["a b"], "env": {"K": "v"}}))
            .unwrap()
    }

    #[test]
    fn an_entry_is_added_and_removed_and_comments_stay() {
        let text = "# mine\n[mcp] # here\nstructured = true\n\n[[mcp.servers]] # first\nid = \"a\"\ncommand = \"x\"\n";
        let added = add_server(text, &server("b")).unwrap();
        assert!(added.starts_with(text), "{added}");
        assert!(
            added.ends_with("[[mcp.servers]]\nid = \"b\"\ncommand = \"run\"\nargs = [\"a b\"]\nenv = { K = \"v\" }\n"),
            "{added}"
        );
        assert_eq!(remove_server(&added, "b").unwrap().as_deref(), Some(text));
        assert_eq!(remove_server(text, "b"), Ok(None));
        assert_eq!(add_server(text, &server("a")), Err(EntryError::There("a".to_owned())));
        assert_eq!(add_server("mcp = 1", &server("a")), Err(EntryError::Form));
        assert!(matches!(add_server("", &server("a/b")), Err(EntryError::Unusable(_))));
        assert_eq!(add_server("", &server("a")).unwrap().lines().next(), Some("[[mcp.servers]]"));
    }

    #[test]
    fn servers_of_other_hosts_are_read() {
        let check = |text: &str, expected: &[(&str, &str, usize)], skipped: usize| {
            let found = foreign_servers(text).unwrap();
            let servers: Vec<_> =
                found.servers.iter().map(|s| (s.id.as_str(), s.command.as_str(), s.args.len())).collect();
            assert_eq!((servers.as_slice(), found.skipped.len()), (expected, skipped), "{found:?}");
        };
        let claude = r#"{"mcpServers": {"my files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}}, "web": {"url": "http://x"}}}"#;
        check(claude, &[("my_files", "npx", 2)], 1);
        check("[mcp_servers.git]\ncommand = \"uvx\"\nargs = [\"git\"]\n", &[("git", "uvx", 1)], 0);
        check(
            r#"{"mcp": {"a": {"type": "local", "command": ["node", "s.js"], "enabled": true}}}"#,
            &[("a", "node", 1)],
            0,
        );
        check(r#"{"context_servers": {"z": {"command": {"path": "zed", "args": ["1"]}}}}"#, &[("z", "zed", 1)], 0);
        check(
            r#"{"servers": {"v": {"command": "v"}, "off": {"command": "v", "disabled": true}}}"#,
            &[("v", "v", 0)],
            1,
        );
        assert!(foreign_servers("{}").is_err() && foreign_servers("[").is_err());
    }
}
