//! Gemini CLI, as `gemini -p`.

use std::{process::Command, sync::Arc};

use serde_json::{Value, json};

use super::Host;
use crate::{
    home::Home,
    model::{self, Wire},
};

/// The host.
pub struct Gemini;

impl Host for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn program(&self) -> &'static str {
        "gemini"
    }

    fn wire(&self) -> Arc<dyn Wire> {
        Arc::new(model::Gemini)
    }

    fn files(&self) -> &'static [(&'static str, &'static str)] {
        &[(
            ".gemini/settings.json",
            "{\n  // mine\n  \"security\": {\"auth\": {\"selectedType\": \"gemini-api-key\"}},\n  \"general\": {\"enableAutoUpdate\": false},\n  \"privacy\": {\"usageStatisticsEnabled\": false}\n}\n",
        )]
    }

    fn session(&self, command: &mut Command, _: &Home, port: u16) {
        command
            .args(["-p", "go", "-m", "gemini-2.5-flash", "--skip-trust", "--approval-mode", "yolo"])
            .env("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}"))
            .env("GEMINI_API_KEY", "made-up");
    }

    fn is_shell(&self) -> fn(&str) -> bool {
        |name| name == "run_shell_command"
    }

    fn shell(&self, line: &str) -> Value {
        json!({"command": line, "description": "a step"})
    }
}
