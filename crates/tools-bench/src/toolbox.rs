//! A toolbox with the whole stack around its tools, and its state in a folder of the bench.

use std::path::Path;

use haft::{Toolbox, config::LoadedConfig};

/// A toolbox with this configuration over `workspace`; creates missing folders.
///
/// # Panics
/// The configuration is not valid.
pub fn toolbox(config: &str, state: &Path, workspace: &Path) -> Toolbox {
    let mut loaded = LoadedConfig::parse(config, &|_| None).expect("the settings are valid");
    loaded.config.tools.audit.path = state.join("audit.jsonl");
    loaded.config.tools.checkpoints.path = state.join("checkpoints");
    loaded.config.tools.overflow.path = state.join("overflow.db");
    for folder in [state, workspace] {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    Toolbox::builder(loaded, workspace).build().expect("a toolbox")
}

/// A rule that lets every call of a tool run.
pub fn allowed(tool: &str) -> String {
    format!("[[tools.permissions.{tool}]]\npattern = \"*\"\naction = \"allow\"\n")
}
