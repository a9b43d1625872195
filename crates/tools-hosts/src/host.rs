//! The list of hosts: the only place that names them.

use std::{fmt, str::FromStr};

use crate::hook::{Format, claude_code, codex, cursor, gemini};

/// An existing program into which the tools are plugged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Host {
    /// Claude Code.
    ClaudeCode,
    /// The Codex command line.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Cursor.
    Cursor,
    /// Zed.
    Zed,
    /// Visual Studio Code.
    VsCode,
    /// opencode.
    Opencode,
    /// Goose.
    Goose,
}

impl Host {
    /// All hosts, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::Codex,
        Self::Gemini,
        Self::Cursor,
        Self::Zed,
        Self::VsCode,
        Self::Opencode,
        Self::Goose,
    ];

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Zed => "zed",
            Self::VsCode => "vscode",
            Self::Opencode => "opencode",
            Self::Goose => "goose",
        }
    }

    /// Its usual name.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::Zed => "Zed",
            Self::VsCode => "VS Code",
            Self::Opencode => "opencode",
            Self::Goose => "Goose",
        }
    }

    /// The format of its hooks; `None` for a host without hooks before its tools.
    pub fn hooks(self) -> Option<&'static dyn Format> {
        match self {
            Self::ClaudeCode => Some(&claude_code::ClaudeCode),
            Self::Codex => Some(&codex::Codex),
            Self::Gemini => Some(&gemini::Gemini),
            Self::Cursor => Some(&cursor::Cursor),
            Self::Zed | Self::VsCode | Self::Opencode | Self::Goose => None,
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no host has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no host is called `{name}`; there are {}", Host::ALL.map(Host::name).join(", "))]
pub struct UnknownHost {
    /// The name.
    pub name: String,
}

impl FromStr for Host {
    type Err = UnknownHost;

    fn from_str(name: &str) -> Result<Self, UnknownHost> {
        Self::ALL.into_iter().find(|host| host.name() == name).ok_or_else(|| UnknownHost { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_is_found_by_its_name() {
        for host in Host::ALL {
            assert_eq!(host.name().parse(), Ok(host));
        }
        assert!("emacs".parse::<Host>().unwrap_err().to_string().contains("claude-code, codex"));
    }
}
