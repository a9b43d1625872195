//! The files that each host reads and the entries for them, according to its public documentation.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Entry, Syntax};
use crate::{Host, hook::quoted};

/// Command with which the host starts this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program, as an absolute path.
    pub program: String,
    /// The configuration file to pass; `None` for the user's.
    pub config: Option<String>,
    /// The profile of tools to offer.
    pub profile: String,
    /// Whether hooks judge the host's own tools, if it supports hooks.
    pub hooks: bool,
    /// Whether the host's own commands run through `haft exec`.
    pub confine: bool,
}

/// Operating system of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OsFamily {
    /// Linux and other systems that follow the XDG folders.
    Xdg,
    /// macOS.
    MacOs,
}

/// Places in which files of hosts are searched.
#[derive(Clone, Copy)]
pub struct HostPlaces<'a> {
    /// The user's home.
    pub home: &'a Path,
    /// The operating system.
    pub os: OsFamily,
    /// Returns the value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl fmt::Debug for HostPlaces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostPlaces").field("home", &self.home).field("os", &self.os).finish_non_exhaustive()
    }
}

impl HostPlaces<'_> {
    /// A folder that an environment variable may override.
    fn folder(&self, variable: &str, usual: &str) -> PathBuf {
        let named = (self.variable)(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        named.unwrap_or_else(|| self.home.join(usual))
    }

    fn config(&self) -> PathBuf {
        self.folder("XDG_CONFIG_HOME", ".config")
    }
}

/// A file of a host, and the entries for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Edits {
    /// The file.
    pub file: PathBuf,
    /// Its language.
    pub syntax: Syntax,
    /// The entries.
    pub entries: Vec<Entry>,
}

impl Host {
    /// The programs that start the host, and its folder in a home: the host is present if one of
    /// them exists.
    pub fn traces(self, at: &HostPlaces<'_>) -> (&'static [&'static str], PathBuf) {
        match self {
            Self::ClaudeCode => (&["claude"], at.folder("CLAUDE_CONFIG_DIR", ".claude")),
            Self::Codex => (&["codex"], at.folder("CODEX_HOME", ".codex")),
            Self::Gemini => (&["gemini"], at.home.join(".gemini")),
            Self::Cursor => (&["cursor", "cursor-agent"], at.home.join(".cursor")),
            Self::Zed => (&["zed", "zeditor"], at.config().join("zed")),
            Self::VsCode => (&["code"], vs_code(at)),
            Self::Opencode => (&["opencode"], at.config().join("opencode")),
            Self::Goose => (&["goose"], at.config().join("goose")),
        }
    }

    /// Whether the host can ask a person on behalf of an MCP server; `None` if that was not tested.
    pub fn asks(self) -> Option<bool> {
        match self {
            Self::ClaudeCode | Self::Codex => Some(true),
            Self::Gemini | Self::Opencode => Some(false),
            Self::Cursor | Self::Zed | Self::VsCode | Self::Goose => None,
        }
    }
}

/// The edits of the host's files. `exists` returns whether a file exists, for hosts that read one
/// of several.
pub fn edits(host: Host, launch: &Launch, at: &HostPlaces<'_>, exists: &dyn Fn(&Path) -> bool) -> Option<Vec<Edits>> {
    let server = |folder: Option<&str>| -> Vec<String> {
        let mut words = vec![];
        words.extend(["mcp", "serve", "--profile", &launch.profile].map(str::to_owned));
        words.extend(folder.into_iter().flat_map(|folder| ["--workdir".to_owned(), folder.to_owned()]));
        words.extend(launch.config.iter().flat_map(|config| ["--config".to_owned(), config.clone()]));
        words
    };
    // The agent of this program, for hosts that support other agents.
    let agent = || -> Vec<String> {
        let config = launch.config.iter().flat_map(|config| ["--config".to_owned(), config.clone()]);
        std::iter::once("acp".to_owned()).chain(config).collect()
    };
    let program = launch.program.as_str();
    let jsonc = |file: PathBuf, entries: Vec<Entry>| Edits { file, syntax: Syntax::Jsonc, entries };
    let mut files = match host {
        Host::ClaudeCode => {
            let entry = json!({"type": "stdio", "command": program, "args": server(None)});
            let file = match (at.variable)("CLAUDE_CONFIG_DIR") {
                Some(folder) => PathBuf::from(folder).join(".claude.json"),
                None => at.home.join(".claude.json"),
            };
            vec![jsonc(file, vec![Entry::member(["mcpServers", "haft"], entry)])]
        }
        Host::Codex => {
            // Without `required` its first turn begins before the tools are available. Without the
            // mode it asks about each call before the server can, and refuses it if no person is
            // present.
            let mode = "approve";
            let entry = json!({
                "command": program, "args": server(None), "required": true, "default_tools_approval_mode": mode,
            });
            vec![Edits {
                file: at.folder("CODEX_HOME", ".codex").join("config.toml"),
                syntax: Syntax::Toml,
                entries: vec![Entry::member(["mcp_servers", "haft"], entry)],
            }]
        }
        Host::Gemini => {
            let entry = json!({"command": program, "args": server(None)});
            vec![jsonc(at.home.join(".gemini/settings.json"), vec![Entry::member(["mcpServers", "haft"], entry)])]
        }
        Host::Cursor => {
            let entry = json!({"command": program, "args": server(Some("${workspaceFolder}"))});
            vec![jsonc(at.home.join(".cursor/mcp.json"), vec![Entry::member(["mcpServers", "haft"], entry)])]
        }
        Host::Zed => {
            let entry = json!({"source": "custom", "command": program, "args": server(None), "env": {}});
            let agent = json!({"type": "custom", "command": program, "args": agent(), "env": {}});
            let server = Entry::member(["context_servers", "haft"], entry);
            let agent = Entry::member(["agent_servers", "haft"], agent);
            vec![jsonc(at.config().join("zed/settings.json"), vec![server, agent])]
        }
        Host::VsCode => {
            let entry = json!({"type": "stdio", "command": program, "args": server(Some("${workspaceFolder}"))});
            vec![jsonc(vs_code(at).join("mcp.json"), vec![Entry::member(["servers", "haft"], entry)])]
        }
        Host::Opencode => {
            let words: Vec<String> = std::iter::once(program.to_owned()).chain(server(None)).collect();
            let entry = json!({"type": "local", "command": words, "enabled": true});
            let folder = at.config().join("opencode");
            let (plain, commented) = (folder.join("opencode.json"), folder.join("opencode.jsonc"));
            let file = if exists(&commented) && !exists(&plain) { commented } else { plain };
            vec![jsonc(file, vec![Entry::member(["mcp", "haft"], entry)])]
        }
        Host::Goose => {
            let entry = json!({
                "args": server(None), "cmd": program, "enabled": true, "envs": {}, "name": "haft", "timeout": 300,
                "type": "stdio",
            });
            vec![Edits {
                file: at.config().join("goose/config.yaml"),
                syntax: Syntax::Yaml,
                entries: vec![Entry::member(["extensions", "haft"], entry)],
            }]
        }
    };
    if launch.hooks {
        let (file, entries) = hooks(host, launch, at)?;
        match files.iter_mut().find(|edits| Some(&edits.file) == file.as_ref()) {
            Some(edits) => edits.entries.extend(entries),
            None => files.extend(file.map(|file| jsonc(file, entries))),
        }
    }
    Some(files)
}

/// The hooks of a host; `None` when the program's path cannot be written in a command line.
fn hooks(host: Host, launch: &Launch, at: &HostPlaces<'_>) -> Option<(Option<PathBuf>, Vec<Entry>)> {
    let is_plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "/-_.+@".contains(c));
    let word = |text: &str| if is_plain(text) { Some(text.to_owned()) } else { quoted(text) };
    let mut command = format!("{} hook {host}", word(&launch.program)?);
    if let Some(config) = &launch.config {
        command = format!("{command} --config {}", word(config)?);
    }
    let confined = if launch.confine { format!("{command} --exec") } else { command.clone() };
    let seconds = 30;
    Some(match host {
        Host::ClaudeCode => {
            let before = json!({"matcher": "*", "hooks": [
                {"type": "command", "command": confined, "timeout": seconds, "onFailure": "block"}
            ]});
            let after = json!({"matcher": "Bash|Read|Grep|NotebookRead|WebFetch", "hooks": [
                {"type": "command", "command": command, "timeout": seconds}
            ]});
            let file = at.folder("CLAUDE_CONFIG_DIR", ".claude").join("settings.json");
            (Some(file), both(["PreToolUse", "PostToolUse"], before, after))
        }
        Host::Codex => {
            let hook = |command: &str| json!({"hooks": [{"type": "command", "command": command, "timeout": seconds}]});
            let file = at.folder("CODEX_HOME", ".codex").join("hooks.json");
            (Some(file), both(["PreToolUse", "PostToolUse"], hook(&confined), hook(&command)))
        }
        Host::Gemini => {
            let hook = |command: &str| {
                let one = json!({"name": "haft", "type": "command", "command": command, "timeout": seconds * 1000});
                json!({"matcher": ".*", "hooks": [one]})
            };
            let file = at.home.join(".gemini/settings.json");
            (Some(file), both(["BeforeTool", "AfterTool"], hook(&confined), hook(&command)))
        }
        Host::Cursor => {
            let hook = json!({"command": command, "failClosed": true, "timeout": seconds});
            let file = at.home.join(".cursor/hooks.json");
            let mut entries = vec![Entry::member(["version"], json!(1))];
            for event in ["beforeShellExecution", "beforeReadFile"] {
                entries.push(Entry::element(["hooks", event], hook.clone()));
            }
            let mut matching = hook;
            matching["matcher"] = "Write|TabWrite|Edit|StrReplace|Delete|Grep|Glob|LS".into();
            entries.push(Entry::element(["hooks", "preToolUse"], matching));
            (Some(file), entries)
        }
        Host::Zed | Host::VsCode | Host::Opencode | Host::Goose => (None, vec![]),
    })
}

fn both(events: [&str; 2], before: Value, after: Value) -> Vec<Entry> {
    let [first, second] = events;
    vec![Entry::element(["hooks", first], before), Entry::element(["hooks", second], after)]
}

fn vs_code(at: &HostPlaces<'_>) -> PathBuf {
    match at.os {
        OsFamily::Xdg => at.config().join("Code/User"),
        OsFamily::MacOs => at.home.join("Library/Application Support/Code/User"),
    }
}
