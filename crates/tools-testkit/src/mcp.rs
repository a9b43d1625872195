//! A scripted MCP server for tests: a small Python program that follows a JSON file.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

const PROGRAM: &str = include_str!("mcp_server.py");

/// A scripted server: a program and the script that it follows. The head of the program describes
/// the steps.
#[derive(Debug, Clone)]
pub struct ScriptedMcp {
    program: PathBuf,
    script: PathBuf,
}

impl ScriptedMcp {
    /// A server in a folder that outlives it. It lists `tools` and answers according to `calls`, by
    /// tool.
    pub fn new(folder: &Path, name: &str, tools: &Value, calls: &Value) -> Self {
        let made = Self { program: folder.join("mcp_server.py"), script: folder.join(format!("{name}.json")) };
        fs::write(&made.program, PROGRAM).expect("the folder can be written");
        made.follow(&json!({"tools": tools, "calls": calls}));
        made
    }

    /// Switches to another script from the next request on.
    pub fn follow(&self, script: &Value) {
        fs::write(&self.script, script.to_string()).expect("the folder can be written");
    }

    /// Lists other tools from the next request on.
    pub fn list(&self, tools: &Value) {
        let text = fs::read_to_string(&self.script).expect("the script is there");
        let mut script: Value = serde_json::from_str(&text).expect("the script is JSON");
        script["tools"] = tools.clone();
        self.follow(&script);
    }

    /// The command that starts it.
    pub fn command(&self) -> &'static str {
        "python3"
    }

    /// The arguments of the command.
    pub fn args(&self) -> Vec<String> {
        [&self.program, &self.script].map(|path| path.display().to_string()).to_vec()
    }

    /// A tool with one parameter `text`, as a server lists it.
    pub fn tool(name: &str) -> Value {
        json!({
            "name": name,
            "description": format!("Does {name}."),
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        })
    }
}
