//! The hosts that are driven: one file each says how one is started, and how its own shell is
//! called.

mod claude_code;
mod codex;
mod gemini;

use std::{process::Command, sync::Arc};

use serde_json::Value;

use crate::{home::Home, model::Wire};

/// A host.
pub trait Host {
    /// Its name for `haft setup`.
    fn name(&self) -> &'static str;
    /// Its program.
    fn program(&self) -> &'static str;
    /// The interface of its model.
    fn wire(&self) -> Arc<dyn Wire>;
    /// Files that its user wrote before Haft came: paths below the home, and their text.
    fn files(&self) -> &'static [(&'static str, &'static str)];
    /// Arguments and variables of a session that nobody sits at, with the model at `port`.
    fn session(&self, command: &mut Command, home: &Home, port: u16);
    /// Whether a name that the model is shown is Haft's tool of this name.
    fn is_ours(&self, tool: &'static str) -> fn(&str) -> bool {
        match tool {
            "bash" => |name| name.contains("haft") && name.ends_with("bash"),
            _ => |name| name.contains("haft") && name.ends_with("diagnostics"),
        }
    }
    /// Whether a name is the host's own shell.
    fn is_shell(&self) -> fn(&str) -> bool;
    /// The parameters of a command for it.
    fn shell(&self, line: &str) -> Value;
}

/// All of them.
pub fn all() -> Vec<Box<dyn Host>> {
    vec![Box::new(claude_code::ClaudeCode), Box::new(codex::Codex), Box::new(gemini::Gemini)]
}
