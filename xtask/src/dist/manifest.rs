//! `server.json`: the description of the packages for the registry of MCP servers. Its name begins
//! with a namespace of the publisher; the default is `local`.

use std::path::Path;

use serde_json::json;

use super::{binary::PackagedBinary, files};
use crate::failure::Failure;

const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/// Environment variable with the publisher's namespace.
const NAMESPACE: &str = "HAFT_NAMESPACE";

/// The server's name in the registry.
pub(super) fn name() -> String {
    format!("{}/haft", std::env::var(NAMESPACE).unwrap_or_else(|_| "local".to_owned()))
}

/// Writes the manifest.
pub(super) fn write(built: &PackagedBinary, dist: &Path) -> Result<(), Failure> {
    let words = ["mcp", "serve"].map(|word| json!({"type": "positional", "value": word}));
    let package = |registry: &str, runner: &str| {
        json!({
            "registryType": registry,
            "identifier": "haft-cli",
            "version": built.version,
            "runtimeHint": runner,
            "transport": {"type": "stdio"},
            "packageArguments": words,
        })
    };
    let manifest = json!({
        "$schema": SCHEMA,
        "name": name(),
        "title": "Haft",
        // The registry accepts at most 100 characters.
        "description": "Shell and file tools for agents: judged by your rules, confined by the kernel, on record.",
        "version": built.version,
        "packages": [package("npm", "npx"), package("pypi", "uvx")],
    });
    files::write(&dist.join("server.json"), &format!("{manifest:#}\n"))
}
