//! Edits MCP servers in a configuration's text, and reads those of other hosts' configurations.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use thiserror::Error;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};
use tools_core::VisibleText;

use crate::{Grant, McpServerConfig, NetworkAccess, OAuthConfig, WorkspaceAccess, compile};

/// Reason why the entries cannot be changed or read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EntryError {
    /// The text has invalid syntax.
    #[error("{0}")]
    Syntax(String),
    /// `mcp.servers` is not a list of tables.
    #[error("`mcp.servers` is not written as `[[mcp.servers]]`: change it by hand")]
    Form,
    /// A server with this key exists already.
    #[error("there is a server `{0}` already")]
    There(String),
    /// The entry is invalid.
    #[error("{0}")]
    Unusable(String),
}

/// Appends a server to the configuration. Comments and all else stay.
///
/// # Errors
/// If the text is not TOML, the key is taken, or the server is invalid.
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

/// Removes the server with this key; `None` if there is none.
///
/// # Errors
/// If the text is not TOML.
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
    let text = |text: &str| (!text.is_empty()).then(|| toml_edit::value(text));
    let list = |items: &[String]| {
        let array = || items.iter().map(String::as_str).collect::<Array>();
        (!items.is_empty()).then(|| Item::Value(Value::Array(array())))
    };
    let map = |items: &BTreeMap<String, String>| {
        let table = || items.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect::<InlineTable>();
        (!items.is_empty()).then(|| Item::Value(Value::InlineTable(table())))
    };
    table.insert("id", toml_edit::value(server.id.as_str()));
    let keys = if server.is_remote() {
        vec![
            ("url", Some(toml_edit::value(server.url.as_str()))),
            ("private", server.private.then(|| toml_edit::value(true))),
            ("token_env", text(&server.token_env)),
            ("token_command", list(&server.token_command)),
            ("headers", map(&server.headers)),
            ("header_env", map(&server.header_env)),
            ("oauth", server.oauth.as_ref().map(login)),
        ]
    } else {
        let workspace = match server.workspace {
            WorkspaceAccess::Read => "",
            WorkspaceAccess::None => "none",
            WorkspaceAccess::Write => "write",
        };
        let network = match server.network {
            NetworkAccess::Off => "",
            NetworkAccess::Gate => "gate",
            NetworkAccess::Open => "open",
        };
        vec![
            ("command", Some(toml_edit::value(server.command.as_str()))),
            ("args", list(&server.args)),
            ("env", map(&server.env)),
            ("env_pass", list(&server.env_pass)),
            ("read_paths", list(&server.read_paths)),
            ("workspace", text(workspace)),
            ("network", text(network)),
        ]
    };
    table.extend(keys.into_iter().filter_map(|(key, item)| Some((key, item?))));
    table
}

/// The login keys that differ from their defaults.
fn login(oauth: &OAuthConfig) -> Item {
    let mut table = InlineTable::new();
    if oauth.grant == Grant::ClientCredentials {
        table.insert("grant", "client_credentials".into());
    }
    let texts = [
        ("issuer", &oauth.issuer),
        ("client_id", &oauth.client_id),
        ("client_secret_env", &oauth.client_secret_env),
        ("private_key_env", &oauth.private_key_env),
        ("client_metadata_url", &oauth.client_metadata_url),
    ];
    for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        table.insert(key, text.as_str().into());
    }
    if !oauth.scopes.is_empty() {
        table.insert("scopes", Value::Array(oauth.scopes.iter().map(String::as_str).collect::<Array>()));
    }
    if oauth.redirect_port != 0 {
        table.insert("redirect_port", i64::from(oauth.redirect_port).into());
    }
    Item::Value(Value::InlineTable(table))
}

/// Entries found in the configuration of another host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForeignEntries {
    /// The servers as they would be added. Those that are started get read access to the workspace
    /// and no network.
    pub servers: Vec<McpServerConfig>,
    /// Entries that cannot be imported, and why.
    pub skipped: Vec<(String, String)>,
}

/// Reads the servers of another host's configuration: JSON with `mcpServers` or `servers` (Claude
/// Desktop, Claude Code, Cursor, Gemini CLI, VS Code), `mcp` (opencode) or `context_servers` (Zed),
/// or TOML with `mcp_servers` (Codex).
///
/// # Errors
/// If the text is neither, or names no servers.
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
    let is_off = entry.get("disabled") == Some(&Json::Bool(true)) || entry.get("enabled") == Some(&Json::Bool(false));
    if is_off {
        return Err("it is switched off there".to_owned());
    }
    if let Some(url) = ["httpUrl", "url", "serverUrl"].iter().find_map(|key| entry.get(key)?.as_str()) {
        return foreign_remote(name, url, entry);
    }
    // Some hosts write program and arguments as one list, others put both into an object.
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
    let (program, args) = words.split_first().ok_or("it names no command")?;
    usable(&serde_json::json!({"id": key_of(name), "command": program, "args": args, "env": env}))
}

/// Reads a server over HTTP from another host's entry. Variables in headers become names of
/// variables; other values stay.
fn foreign_remote(name: &str, url: &str, entry: &Json) -> Result<McpServerConfig, String> {
    let kind = ["type", "transport"].iter().find_map(|key| entry.get(key)?.as_str());
    if kind == Some("sse") {
        return Err("it speaks HTTP with SSE of 2024, not streamable HTTP".to_owned());
    }
    let texts = |keys: &[&str]| -> BTreeMap<String, String> {
        let members = keys.iter().filter_map(|key| entry.get(key)?.as_object()).flatten();
        members.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
    };
    let (mut headers, mut header_env) = (BTreeMap::new(), texts(&["env_http_headers"]));
    let mut token_env = entry.get("bearer_token_env_var").and_then(Json::as_str).unwrap_or_default().to_owned();
    for (header, value) in texts(&["headers", "http_headers"]) {
        let bearer = value.strip_prefix("Bearer ").filter(|_| header.eq_ignore_ascii_case("authorization"));
        match (variable(&value), bearer.and_then(variable)) {
            (_, Some(holder)) => holder.clone_into(&mut token_env),
            (Some(holder), _) => drop(header_env.insert(header, holder.to_owned())),
            _ if value.contains("${") || value.contains("{env:") => {
                return Err(format!(
                    "the header `{}` has a place that cannot be filled in here",
                    VisibleText::of(&header)
                ));
            }
            _ => drop(headers.insert(header, value)),
        }
    }
    usable(&serde_json::json!({
        "id": key_of(name), "url": url, "headers": headers, "header_env": header_env, "token_env": token_env,
    }))
}

/// Name of the variable, if the whole text is one variable.
fn variable(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("${").or_else(|| text.strip_prefix('{'))?.strip_suffix('}')?;
    let is_bare = text.starts_with("${");
    let name = inner.strip_prefix("env:").or_else(|| is_bare.then_some(inner))?;
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(fits)).then_some(name)
}

/// Converts a name to a valid key.
fn key_of(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    name.chars().map(fit).take(32).collect()
}

fn usable(server: &Json) -> Result<McpServerConfig, String> {
    let server: McpServerConfig = serde_json::from_value(server.clone()).map_err(|error| error.to_string())?;
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
    fn what_is_said_of_a_login_comes_back() {
        let oauth = serde_json::json!({
            "grant": "client_credentials", "issuer": "https://a.example", "client_id": "c", "client_secret_env": "S",
            "scopes": ["a", "b"], "redirect_port": 7,
        });
        let server = serde_json::json!({"id": "far", "url": "https://example.com/mcp", "oauth": oauth});
        let server: McpServerConfig = serde_json::from_value(server).unwrap();
        let added = add_server("", &server).unwrap();
        let read: toml::Table = added.parse().unwrap();
        let read = read["mcp"]["servers"][0].clone().try_into::<McpServerConfig>().unwrap();
        assert_eq!(read, server, "{added}");
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
        let check = |entry: &str, expected: Result<Json, &str>| {
            let mut found = foreign_servers(&format!(r#"{{"mcpServers": {{"web": {entry}}}}}"#)).unwrap();
            let server = found
                .servers
                .pop()
                .map(|server| serde_json::json!([server.url, server.headers, server.header_env, server.token_env]));
            match (server, expected) {
                (Some(server), Ok(expected)) => assert_eq!(server, expected, "{entry}"),
                (None, Err(part)) => assert!(found.skipped[0].1.contains(part), "{entry}: {:?}", found.skipped),
                (server, expected) => panic!("{entry}: {server:?}, {expected:?}, {:?}", found.skipped),
            }
        };
        let url = "https://example.com/mcp";
        check(&format!(r#"{{"type": "http", "url": "{url}"}}"#), Ok(serde_json::json!([url, {}, {}, ""])));
        check(
            &format!(
                r#"{{"httpUrl": "{url}", "headers": {{"Authorization": "Bearer ${{TOKEN}}", "X-Team": "a", "X-Key": "${{env:KEY}}"}}}}"#
            ),
            Ok(serde_json::json!([url, {"X-Team": "a"}, {"X-Key": "KEY"}, "TOKEN"])),
        );
        check(
            &format!(
                r#"{{"url": "{url}", "bearer_token_env_var": "T", "env_http_headers": {{"A": "B"}}, "http_headers": {{"C": "d"}}}}"#
            ),
            Ok(serde_json::json!([url, {"C": "d"}, {"A": "B"}, "T"])),
        );
        check(
            &format!(r#"{{"url": "{url}", "headers": {{"X-Key": "{{env:KEY}}"}}}}"#),
            Ok(serde_json::json!([url, {}, {"X-Key": "KEY"}, ""])),
        );
        check(&format!(r#"{{"url": "{url}", "headers": {{"X-Key": "${{input:key}}"}}}}"#), Err("cannot be filled in"));
        check(&format!(r#"{{"url": "{url}", "type": "sse"}}"#), Err("of 2024"));
        check(r#"{"url": "http://example.com/mcp"}"#, Err("only this machine"));
        assert!(foreign_servers("{}").is_err() && foreign_servers("[").is_err());
    }
}
